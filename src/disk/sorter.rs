//! Sorting the records of one level, in RAM where they fit and outside where they do not.
//!
//! ```text
//!              ┌─ fits, packs ──► partition by leading bits ─► sort each piece in cache ─┐
//!   Spool ─────┼─ fits ─────────► sort by comparison ────────────────────────────────────┼─► each record, in order
//!              └─ too large ────► extsort: runs on disk, merged ─────────────────────────┘
//! ```

use super::{
    external::External,
    lane::Lane,
    radix::{self, Bounds, Packing},
    space::Space,
};
use crate::error::Result;

/// Records shown at once.
pub const BATCH: usize = 128;

/// Up to [`BATCH`] records, lane by lane: so they are unpacked several at a time.
pub struct Batch<I, const N: usize> {
    lanes: [[I; BATCH]; N],
    len: usize,
}

impl<I: Lane, const N: usize> Batch<I, N> {
    fn new() -> Self {
        Self { lanes: [[I::zeroed(); BATCH]; N], len: 0 }
    }

    /// Takes the first `BATCH` of `records` at most.
    fn fill(&mut self, records: &[[I; N]]) {
        self.len = records.len().min(BATCH);
        for (at, record) in records.iter().enumerate().take(BATCH) {
            for lane in 0..N {
                self.lanes[lane][at] = record[lane];
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.len
    }

    /// The records, in order.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = [I; N]> {
        (0..self.len.min(BATCH)).map(|at| std::array::from_fn(|lane| self.lanes[lane][at]))
    }
}

/// Records to be sorted, which can be shown more than once.
pub trait Source<I, const N: usize>: Sized {
    /// How many there are.
    fn count(&self) -> u64;

    /// The range of each lane, or more.
    fn bounds(&self) -> Bounds<N>;

    /// Shows them all.
    fn visit(&self, space: &Space, show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()>;

    /// Shows them all for the last time.
    fn drain(self, space: &Space, show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        self.visit(space, show)
    }
}

/// The arrays in which levels are sorted; kept from level to level and from sweep to sweep.
#[derive(Debug, Default)]
pub struct Sorter {
    words: Vec<u64>,
    spare: Vec<u64>,
    starts: Vec<usize>,
}

impl Sorter {
    /// Shows the records of `bucket` ordered by their first `keys` lanes, at most `BATCH` at a time; records that agree there come
    /// in any order.
    pub fn sort<I: Lane, const N: usize>(
        &mut self,
        bucket: impl Source<I, N>,
        keys: usize,
        space: &Space,
        show: &mut dyn FnMut(&Batch<I, N>) -> Result<()>,
    ) -> Result<()> {
        let spare = bucket.count().min(2 * space.limits.piece as u64);
        let fits = |bytes: usize| {
            bucket.count().saturating_add(spare).saturating_mul(bytes as u64) <= space.limits.sort as u64
        };
        match Packing::new(&bucket.bounds(), keys) {
            Some(packing) if fits(size_of::<u64>()) => self.sort_packed(bucket, &packing, space, show),
            None if fits(size_of::<[I; N]>()) => {
                self.words = Vec::new();
                let mut records = Vec::with_capacity(bucket.count() as usize);
                bucket.drain(space, |block| {
                    records.extend_from_slice(block);
                    Ok(())
                })?;
                records.sort_unstable();
                let mut batch = Batch::new();
                records.chunks(BATCH).try_for_each(|records| {
                    batch.fill(records);
                    show(&batch)
                })
            }
            _ => {
                (self.words, self.spare) = (Vec::new(), Vec::new());
                let mut external = External::new(space, space.limits.sort / 2)?;
                bucket.drain(space, |block| block.iter().try_for_each(|&record| external.push(record)))?;
                let mut sorted = external.finish()?;
                let (mut records, mut batch) = (Vec::with_capacity(BATCH), Batch::new());
                while let Some(record) = sorted.record()? {
                    records.push(record);
                    if records.len() == BATCH {
                        batch.fill(&records);
                        show(&batch)?;
                        records.clear();
                    }
                }
                batch.fill(&records);
                show(&batch)
            }
        }
    }

    fn sort_packed<I: Lane, const N: usize>(
        &mut self,
        bucket: impl Source<I, N>,
        packing: &Packing<N>,
        space: &Space,
        show: &mut dyn FnMut(&Batch<I, N>) -> Result<()>,
    ) -> Result<()> {
        let len = bucket.count() as usize;
        let piece = space.limits.piece;
        let spread = if len > piece { (2 * len / piece).ilog2() + 1 } else { 0 };
        let spread = spread.min(packing.key_bits);
        let key_bits = packing.key_bits - spread;
        self.partition(bucket, packing, spread, space)?;
        // A piece that is still too large for the cache is sorted by comparison, in place.
        let spare = len.min(2 * piece);
        if self.spare.len() < spare {
            self.spare.resize(spare, 0);
        }
        let mut batch = Batch::new();
        let mut start = 0;
        for &end in &self.starts {
            let words = radix::sort(&mut self.words[start..end], &mut self.spare, packing.payload_bits, key_bits);
            for words in words.chunks(BATCH) {
                batch.len = words.len();
                packing.unpack(words, &mut batch.lanes);
                show(&batch)?;
            }
            start = end;
        }
        Ok(())
    }

    /// Packs the records of `bucket` into `words`, grouped by their `spread` leading bits, and notes in `starts` where each
    /// group ends.
    fn partition<I: Lane, const N: usize>(
        &mut self,
        bucket: impl Source<I, N>,
        packing: &Packing<N>,
        spread: u32,
        space: &Space,
    ) -> Result<()> {
        let len = bucket.count() as usize;
        if self.words.len() < len {
            self.words.resize(len, 0);
        }
        let shift = packing.payload_bits + packing.key_bits - spread;
        let group = |word: u64| word.checked_shr(shift).unwrap_or(0) as usize;
        self.starts.clear();
        self.starts.resize(1 << spread, 0);
        let (starts, words) = (&mut self.starts, &mut self.words[..len]);
        if spread > 0 {
            bucket.visit(space, |block| {
                for &record in block {
                    starts[group(packing.pack(record))] += 1;
                }
                Ok(())
            })?;
            let mut sum = 0;
            for start in starts.iter_mut() {
                sum += std::mem::replace(start, sum);
            }
            bucket.drain(space, |block| {
                for &record in block {
                    let word = packing.pack(record);
                    let start = &mut starts[group(word)];
                    words[*start] = word;
                    *start += 1;
                }
                Ok(())
            })
        } else {
            starts[0] = len;
            let mut rest = words.iter_mut();
            bucket.drain(space, |block| {
                block.iter().zip(&mut rest).for_each(|(&record, word)| *word = packing.pack(record));
                Ok(())
            })
        }
    }
}

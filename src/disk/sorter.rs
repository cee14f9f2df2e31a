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

/// Records to be sorted, which can be shown more than once.
pub trait Source<I, const N: usize>: Sized {
    /// How many there are.
    fn count(&self) -> u64;

    /// The range of each lane, or more.
    fn bounds(&self) -> Bounds<I, N>;

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
    #[inline]
    pub fn sort<I: Lane, const N: usize>(
        &mut self,
        bucket: impl Source<I, N>,
        keys: usize,
        space: &Space,
        mut show: impl FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        let spare = bucket.count().min(2 * space.limits.piece as u64);
        let fits = |bytes: usize| {
            bucket.count().saturating_add(spare).saturating_mul(bytes as u64) <= space.limits.sort as u64
        };
        match Packing::new(&bucket.bounds(), keys) {
            Some(packing) if fits(size_of::<u64>()) => self.sort_packed(bucket, &packing, space, &mut show),
            None if fits(size_of::<[I; N]>()) => {
                self.words = Vec::new();
                let mut records = Vec::with_capacity(bucket.count() as usize);
                bucket.drain(space, |block| {
                    records.extend_from_slice(block);
                    Ok(())
                })?;
                records.sort_unstable();
                records.chunks(BATCH).try_for_each(show)
            }
            _ => {
                (self.words, self.spare) = (Vec::new(), Vec::new());
                let mut external = External::new(space, space.limits.sort / 2)?;
                bucket.drain(space, |block| block.iter().try_for_each(|&record| external.push(record)))?;
                let mut sorted = external.finish()?;
                let mut batch = Vec::with_capacity(BATCH);
                while let Some(record) = sorted.record()? {
                    batch.push(record);
                    if batch.len() == BATCH {
                        show(&batch)?;
                        batch.clear();
                    }
                }
                show(&batch)
            }
        }
    }

    #[inline]
    fn sort_packed<I: Lane, const N: usize>(
        &mut self,
        bucket: impl Source<I, N>,
        packing: &Packing<N>,
        space: &Space,
        show: &mut impl FnMut(&[[I; N]]) -> Result<()>,
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
        let mut batch = [[I::of(0); N]; BATCH];
        let mut start = 0;
        for &end in &self.starts {
            let words = radix::sort(&mut self.words[start..end], &mut self.spare, packing.payload_bits, key_bits);
            for words in words.chunks(BATCH) {
                for (record, &word) in batch.iter_mut().zip(words) {
                    *record = packing.unpack(word);
                }
                show(&batch[..words.len()])?;
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

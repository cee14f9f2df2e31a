//! Runs: records on disk, each run read back as a whole.
//!
//! ```text
//!   slot    [ run ][ run ][ run ]…      written in their order, by one bundle or several
//! ```

use std::sync::Arc;

use super::{
    cells::Range,
    lane::Lane,
    packed::{pack, unpack},
    pool::{Block, Class, Pool, Share},
    scratch::Slot,
    space::Space,
};
use crate::error::Result;

/// A run of records on disk.
#[derive(Debug)]
pub struct Run {
    slot: Arc<Slot>,
    /// Where it begins in the slot, and how long it is there, in bytes.
    offset: u32,
    bytes: u32,
    /// Lanes of its records.
    pub lanes: u32,
}

/// A place for what is read back, made when first needed.
pub type Buffer = Option<Block>;

/// The place itself.
pub fn buffer<'a>(buffer: &'a mut Buffer, pool: &Pool) -> &'a mut [u64] {
    buffer.get_or_insert_with(|| pool.take_anyway(Share::Queue, Class::Full)).words_mut()
}

impl Run {
    /// Says that it will be read soon.
    pub fn expect(&self) {
        self.slot.will_read(self.offset as usize, self.bytes as usize);
    }

    /// Fills the beginning of `words` with the records, by way of `packed`.
    pub fn read<I: Lane, const N: usize>(&self, words: &mut [u64], packed: &mut Buffer, pool: &Pool) -> Result<()> {
        let records: &mut [I] = &mut bytemuck::cast_slice_mut(words)[..self.lanes as usize];
        if self.bytes as usize == size_of_val(records) {
            return self.slot.read(self.offset as usize, bytemuck::cast_slice_mut(records));
        }
        let packed = &mut bytemuck::cast_slice_mut(buffer(packed, pool))[..self.bytes as usize];
        self.slot.read(self.offset as usize, packed)?;
        let intact = unpack::<I, N>(packed, records.as_chunks_mut().0);
        intact.ok_or_else(|| self.slot.damaged())
    }
}

/// The rest of a slot, for the runs that come next.
#[derive(Debug, Default)]
pub struct Rest {
    slot: Option<Arc<Slot>>,
    /// Bytes of it that are used.
    used: u32,
}

/// Runs on their way to disk together, so that small ones fill a block.
pub struct Bundle<'a> {
    space: &'a Space,
    rest: &'a mut Rest,
    /// What is to be written at the beginning of the rest, and how many bytes that is.
    block: Block,
    filled: usize,
}

impl<'a> Bundle<'a> {
    /// An empty bundle of what is written to `rest`, and to new slots when that is full.
    pub fn new(rest: &'a mut Rest, space: &'a Space) -> Self {
        Self { space, rest, block: space.pool.take_anyway(Share::Queue, Class::Full), filled: 0 }
    }

    /// Takes `records`, at most a block of them; gives the run that they will be, and the range of their first lane.
    pub fn add<I: Lane, const N: usize>(&mut self, records: &[[I; N]]) -> Result<(Run, Range)> {
        if self.filled + size_of_val(records) > self.space.limits.block {
            self.finish()?;
        }
        let (start, compress) = (self.filled, self.space.limits.compress);
        let (bytes, range) = encode(records, &mut self.bytes()[start..], compress);
        self.filled += bytes;
        if self.filled > self.rest.left(self.space) {
            self.filled = start;
            self.finish()?;
            self.bytes().copy_within(start..start + bytes, 0);
            self.filled = bytes;
            *self.rest = Rest { slot: Some(Arc::new(self.space.scratch.reserve()?)), used: 0 };
        }
        let offset = self.rest.used + (self.filled - bytes) as u32;
        let slot = self.rest.slot.clone().expect("a rest that has room is of a slot");
        Ok((Run { slot, offset, bytes: bytes as u32, lanes: (records.len() * N) as u32 }, range))
    }

    /// Writes what has been taken.
    pub fn finish(&mut self) -> Result<()> {
        if let Some(slot) = self.rest.slot.clone().filter(|_| self.filled > 0) {
            // Whole pages: where a part of one is written, the system may have to read the others first.
            let end = self.filled.next_multiple_of(PAGE).min(self.rest.left(self.space)).min(self.space.limits.block);
            slot.write(self.rest.used as usize, &self.bytes()[..end])?;
            self.rest.used += end as u32;
            self.filled = 0;
        }
        Ok(())
    }

    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.block.words_mut())
    }
}

/// Fills the beginning of `out` with `records` as they will be on disk, packed where that is shorter. Gives the number of bytes, and
/// the range of the first lane.
fn encode<I: Lane, const N: usize>(records: &[[I; N]], out: &mut [u8], compress: bool) -> (usize, Range) {
    let plain: &[u8] = bytemuck::cast_slice(records);
    let packed = if compress { pack(records, &mut out[..plain.len().saturating_sub(1)]) } else { None };
    packed.unwrap_or_else(|| {
        out[..plain.len()].copy_from_slice(plain);
        (plain.len(), Range::of(records.iter().map(|record| record[0])))
    })
}

/// Bytes of a page, as far as it matters here.
const PAGE: usize = 4096;

impl Rest {
    /// Bytes that are left.
    fn left(&self, space: &Space) -> usize {
        self.slot.as_ref().map_or(0, |_| space.scratch.slot_bytes() - self.used as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::disk::space::testing;

    const BLOCK: usize = 16 << 10;

    /// Records like those of a log: near each other, but for some.
    fn records(count: usize, seed: u32) -> Vec<[u32; 3]> {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        // Some logs do not get shorter.
        let most = if seed.is_multiple_of(3) { u32::MAX } else { 1000 };
        (0..count as u32).map(|at| [next() % most, next() & 1, at.wrapping_mul(most)]).collect()
    }

    fn check(runs: &[(Run, Vec<[u32; 3]>)], space: &Space) {
        let (mut words, mut packed) = (vec![u64::MAX; BLOCK / 8], None);
        for (run, records) in runs {
            run.read::<u32, 3>(&mut words, &mut packed, &space.pool).expect("a disk that reads");
            let lanes: &[u32] = &bytemuck::cast_slice(&words)[..run.lanes as usize];
            assert_eq!(lanes, records.as_flattened());
        }
    }

    #[test]
    fn runs_of_several_logs_come_back_and_their_slots_are_used_again() {
        for compress in [true, false] {
            let space = testing::space_with(|limits| (limits.block, limits.compress) = (BLOCK, compress));
            let mut temp_bytes = 0;
            for round in 0..3 {
                let mut rests = [Rest::default(), Rest::default()];
                let mut runs = Vec::new();
                for (seed, rest) in (0..60).zip([0, 1, 1].into_iter().cycle()) {
                    let mut bundle = Bundle::new(&mut rests[rest], &space);
                    // One block, or many small runs.
                    let counts =
                        if seed % 4 < 2 { vec![BLOCK / 12] } else { (0..40).map(|run| 37 * run % 300).collect() };
                    for (at, count) in (0..).zip(counts) {
                        let records = records(count, seed + 100 * at);
                        let (run, range) = bundle.add(&records).expect("room on disk");
                        let all = Range::of(records.iter().map(|record| record[0]));
                        assert_eq!((range.base(), range.last()), (all.base(), all.last()));
                        runs.push((run, records));
                    }
                    bundle.finish().expect("room on disk");
                }
                check(&runs, &space);
                runs.reverse();
                check(&runs, &space);
                let now = space.meter.temp_bytes.load(Relaxed);
                let bytes: u64 = runs.iter().map(|(run, _)| u64::from(run.bytes)).sum();
                assert!(now >= bytes && now < bytes * 3 / 2, "{bytes} bytes in slots of {now}");
                assert!(round == 0 || now == temp_bytes);
                temp_bytes = now;
            }
            assert_eq!(space.pool.left(Share::Queue), space.limits.queue);
        }
    }
}

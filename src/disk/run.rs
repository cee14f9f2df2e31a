//! Runs: records on disk, each run read back as a whole.
//!
//! ```text
//!   records ─► packed where that is shorter ─► bundle: [ run ][ run ]… ─► slot
//! ```

use std::sync::{Arc, OnceLock};

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
    /// Where its bundle is, as soon as that is written.
    slot: Arc<OnceLock<Slot>>,
    /// Where it begins in the slot, and how long it is there, in bytes.
    offset: u32,
    bytes: u32,
    /// Lanes of its records.
    pub lanes: u32,
}

/// A place for what is read back, made when first needed.
pub type Buffer = Option<Block>;

/// The place itself, of `bytes` at least, charged to `share`.
pub fn buffer<'a>(buffer: &'a mut Buffer, bytes: usize, share: Share, pool: &Pool) -> &'a mut [u64] {
    let place = buffer.take().filter(|block| size_of_val(block.words()) >= bytes);
    buffer.insert(place.unwrap_or_else(|| pool.take_anyway(share, pool.class_of(bytes)))).words_mut()
}

impl Run {
    /// Bytes of its records.
    pub fn memory<I>(&self) -> usize {
        self.lanes as usize * size_of::<I>()
    }

    /// Says that it will be read soon.
    pub fn expect(&self) {
        self.slot().will_read(self.offset as usize, self.bytes as usize);
    }

    /// Fills the beginning of `words` with the records; what they were packed into goes to `packed`, which is charged to `share`.
    pub fn read<I: Lane, const N: usize>(
        &self,
        words: &mut [u64],
        packed: &mut Buffer,
        share: Share,
        pool: &Pool,
    ) -> Result<()> {
        let records: &mut [I] = &mut bytemuck::cast_slice_mut(words)[..self.lanes as usize];
        let (slot, offset) = (self.slot(), self.offset as usize);
        if self.bytes as usize == size_of_val(records) {
            return slot.read(offset, bytemuck::cast_slice_mut(records));
        }
        let bytes = self.bytes as usize;
        let packed = &mut bytemuck::cast_slice_mut(buffer(packed, bytes, share, pool))[..bytes];
        slot.read(offset, packed)?;
        unpack::<I, N>(packed, records.as_chunks_mut().0).ok_or_else(|| slot.damaged())
    }

    fn slot(&self) -> &Slot {
        self.slot.get().expect("a log is read only if all its bundles were written")
    }
}

/// Runs on their way to disk together, so that small ones fill a block.
pub struct Bundle<'a> {
    space: &'a Space,
    slot: Arc<OnceLock<Slot>>,
    block: Block,
    /// Bytes of the block that are used.
    filled: usize,
}

impl<'a> Bundle<'a> {
    /// An empty bundle of a block, charged to `share`.
    pub fn new(share: Share, class: Class, space: &'a Space) -> Self {
        Self { space, slot: Arc::default(), block: space.pool.take_anyway(share, class), filled: 0 }
    }

    /// Takes `records`, one at least and at most a block of them; gives the run that they will be, and the range of their first
    /// lane.
    pub fn add<I: Lane, const N: usize>(&mut self, records: &[[I; N]]) -> Result<(Run, Range)> {
        if self.filled + size_of_val(records) > size_of_val(self.block.words()) {
            self.finish()?;
        }
        debug_assert!(size_of_val(records) <= size_of_val(self.block.words()), "as much as a block holds");
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.block.words_mut());
        let (len, range) = encode(records, &mut bytes[self.filled..], self.space.limits.compress);
        let (slot, offset) = (self.slot.clone(), self.filled as u32);
        self.filled += len;
        Ok((Run { slot, offset, bytes: len as u32, lanes: (records.len() * N) as u32 }, range))
    }

    /// Writes what has been taken.
    pub fn finish(&mut self) -> Result<()> {
        if self.filled > 0 {
            let slot = self.space.scratch.write(bytemuck::cast_slice(self.block.words()), self.filled)?;
            let taken = std::mem::take(&mut self.slot);
            taken.set(slot).expect("a bundle is written once");
            self.filled = 0;
        }
        Ok(())
    }
}

/// Fills the beginning of `out` with `records` as they will be on disk, packed where that is shorter. Gives the number of bytes,
/// and the range of the first lane.
fn encode<I: Lane, const N: usize>(records: &[[I; N]], out: &mut [u8], compress: bool) -> (usize, Range) {
    let plain: &[u8] = bytemuck::cast_slice(records);
    let packed = if compress { pack(records, &mut out[..plain.len().saturating_sub(1)]) } else { None };
    packed.unwrap_or_else(|| {
        out[..plain.len()].copy_from_slice(plain);
        (plain.len(), Range::of(records.iter().map(|record| record[0])))
    })
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
            run.read::<u32, 3>(&mut words, &mut packed, Share::Arcs, &space.pool).expect("a disk that reads");
            let lanes: &[u32] = &bytemuck::cast_slice(&words)[..run.lanes as usize];
            assert_eq!(lanes, records.as_flattened());
        }
    }

    #[test]
    fn runs_come_back_and_their_place_is_used_again() {
        for compress in [true, false] {
            let space = testing::space_with(|limits| (limits.block, limits.compress) = (BLOCK, compress));
            let mut bundles: Vec<Vec<(Run, Vec<[u32; 3]>)>> = Vec::new();
            let mut temp_bytes = 0;
            for round in 0..4 {
                // Half of what there is makes way.
                let mut kept = [true, false].into_iter().cycle();
                bundles.retain(|_| kept.next() == Some(true));
                for seed in 0..60 {
                    let (mut bundle, mut runs) = (Bundle::new(Share::Queue, Class::Full, &space), Vec::new());
                    // One block, or many small runs.
                    let counts =
                        if seed % 4 < 2 { vec![BLOCK / 12] } else { (1..40).map(|run| 37 * run % 300).collect() };
                    for (at, count) in (0..).zip(counts) {
                        let records = records(count, seed + 100 * at);
                        let (run, range) = bundle.add(&records).expect("room on disk");
                        let all = Range::of(records.iter().map(|record| record[0]));
                        assert_eq!((range.base(), range.last()), (all.base(), all.last()));
                        runs.push((run, records));
                    }
                    bundle.finish().expect("room on disk");
                    bundles.push(runs);
                }
                for runs in &bundles {
                    check(runs, &space);
                }
                bundles.reverse();
                temp_bytes = space.meter.temp_bytes.load(Relaxed);
                let bytes: u64 = bundles.iter().flatten().map(|(run, _)| u64::from(run.bytes)).sum();
                assert!(
                    temp_bytes >= bytes && temp_bytes < bytes * 3 / 2,
                    "round {round}: {bytes} bytes in {temp_bytes}"
                );
            }
            drop(bundles);
            assert_eq!(space.pool.left(Share::Queue), space.limits.queue);
            let all = space.scratch.write(&[1; BLOCK], BLOCK).expect("room on disk");
            assert_eq!(space.meter.temp_bytes.load(Relaxed), temp_bytes);
            drop(all);
        }
    }
}

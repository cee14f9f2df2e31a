//! Marks: a bit for each of many ids, and how many are set before it.

use std::ops::Range;

use crate::{
    disk::{lane::Lane, words::Words},
    error::Result,
    file::reader::LevelReader,
};

/// A mark for each of some ids.
pub struct Marks<'a> {
    /// A word for each chunk of ids: close together, since marks are set in any order.
    bits: &'a mut [u64],
    /// Once the marks have been counted: a word for every [`IDS`] ids, their marks in the lowest bits and above them the number of
    /// marks before these.
    counted: &'a mut [u64],
}

/// Ids of a word of marks.
pub const CHUNK: usize = u64::BITS as usize;

/// Ids of a word of `counted`.
const IDS: u64 = 16;

impl<'a> Marks<'a> {
    /// Marks for the ids below `end`, in `words`.
    pub fn new(words: &'a mut Words, end: u64) -> Self {
        words.zeroes(Self::bytes(end) as usize / 8);
        let (bits, counted) = words.split_at_mut(end.div_ceil(CHUNK as u64) as usize);
        Self { bits, counted }
    }

    /// Bytes of memory that marks for the ids below `end` take.
    pub fn bytes(end: u64) -> u64 {
        5 * 8 * end.div_ceil(CHUNK as u64)
    }

    /// Marks `id`.
    #[inline(always)]
    pub fn set(&mut self, id: u64) {
        self.bits[(id / CHUNK as u64) as usize] |= 1 << (id % CHUNK as u64);
    }

    /// Shows the nodes of the reader's level, a chunk at a time where any are marked, with a bit for each that is set if it is
    /// marked; `show` may mark nodes below.
    pub fn each<I: Lane>(
        &mut self,
        reader: &mut LevelReader<'_>,
        mut show: impl FnMut(&mut Self, &[[I; 2]], u64) -> Result<()>,
    ) -> Result<()> {
        let Range { start: first, end } = reader.range();
        let mut nodes = [[I::zeroed(); 2]; CHUNK];
        for chunk in first / CHUNK as u64..end.div_ceil(CHUNK as u64) {
            let start = chunk * CHUNK as u64;
            let (from, to) = (first.max(start), end.min(start + CHUNK as u64));
            let bits = self.bits[chunk as usize] >> (from - start) & u64::MAX >> (CHUNK as u64 - (to - from));
            if bits != 0 {
                let nodes = &mut nodes[..(to - from) as usize];
                reader.read(from, nodes)?;
                show(self, nodes, bits)?;
            }
        }
        Ok(())
    }

    /// Shows all marked ids in order, each with the number of marks before it.
    pub fn ids(&self, mut show: impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
        let mut before = 0;
        for (start, bits) in (0..).step_by(CHUNK).zip(&*self.bits) {
            for at in ones(*bits) {
                show(start + at as u64, before)?;
                before += 1;
            }
        }
        Ok(())
    }

    /// How many marks there are, when they have been counted.
    pub fn count(&self) -> u64 {
        self.counted.last().map_or(0, |word| (word >> IDS) + u64::from((word % (1 << IDS)).count_ones()))
    }

    /// Counts all marks; returns the first id without one, `end` or more if all have one.
    pub fn count_up(&mut self) -> u64 {
        let mut sum = 0;
        for (words, bits) in self.counted.as_chunks_mut().0.iter_mut().zip(&*self.bits) {
            *words = [0, 1, 2, 3].map(|at| bits >> (at * IDS) & ((1 << IDS) - 1));
            let counts = words.map(ones_of);
            for (word, count) in words.iter_mut().zip(counts) {
                *word |= sum << IDS;
                sum += count;
            }
        }
        let chunk = self.bits.iter().position(|bits| *bits != u64::MAX);
        chunk.map_or(u64::MAX, |chunk| (chunk * CHUNK) as u64 + u64::from(self.bits[chunk].trailing_ones()))
    }

    /// The number of marks before that of `id`: its new id.
    #[inline(always)]
    pub fn before(&self, id: u64) -> u64 {
        let word = self.counted[(id / IDS) as usize];
        // At most 15 bits, so four copies, from bits 4, 19, 34 and 49 on, lie side by side. They have the first, the second, … of
        // every four marks at a multiple of four bits, and the second product adds all of these up: fewer steps than `count_ones`
        // where the processor is not known to have an instruction for it.
        let marks = word & ((1 << (id % IDS)) - 1);
        let digits = marks.wrapping_mul(0x0002_0004_0008_0010) & 0x1111_1111_1111_1111;
        (word >> IDS) + (digits.wrapping_mul(0x1111_1111_1111_1111) >> 60)
    }
}

/// The number of ones in a word of 16 bits; the compiler does four words at once, with no instruction that some processors lack.
#[inline(always)]
fn ones_of(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555);
    let fours = (pairs & 0x3333) + (pairs >> 2 & 0x3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f;
    (bytes + (bytes >> 8)) & 0x1f
}

/// Where the ones among `bits` are.
#[inline(always)]
pub fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            at
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fastrand::Rng;

    use super::*;

    #[test]
    fn marks_of_every_density_are_counted_as_a_set_counts_them() -> Result<()> {
        let (mut words, mut random) = (Words::from(vec![u64::MAX; 9]), Rng::with_seed(1));
        for end in [1, 2, 15, 16, 17, 63, 64, 65, 1000, 4096] {
            for density in [0, 1, 8, 15, 16] {
                let mut marks = Marks::new(&mut words, end);
                let mut set = BTreeSet::new();
                for id in 0..end {
                    if random.u32(..16) < density {
                        marks.set(id);
                        set.insert(id);
                    }
                }
                let intact = marks.count_up();
                assert_eq!(intact.min(end), (0..end).find(|id| !set.contains(id)).unwrap_or(end));
                assert_eq!(marks.count(), set.len() as u64);
                assert!((0..end).all(|id| marks.before(id) == set.range(..id).count() as u64));
                let mut shown = Vec::new();
                marks.ids(|id, before| {
                    assert_eq!(before, shown.len() as u64);
                    shown.push(id);
                    Ok(())
                })?;
                assert!(shown.into_iter().eq(set));
            }
        }
        Ok(())
    }
}

//! A mark for each of many ids, and how many there are before it.

use crate::{
    disk::{lane::Lane, space::Space},
    error::Result,
    file::reader::LevelReader,
    model::TERMINALS,
};

/// A mark for each of some ids, the terminals marked from the start. A word has the marks of 16 ids in its lowest bits, and above
/// them how many there are before these.
pub struct Marks<'a>(&'a mut [u64]);

/// Ids of a word.
const IDS: u64 = 16;

impl<'a> Marks<'a> {
    /// Marks for the ids below `end`, in `words`.
    pub fn new(words: &'a mut Vec<u64>, end: u64) -> Self {
        words.clear();
        words.resize(Self::bytes(end) as usize / 8, 0);
        let mut marks = Self(words);
        (0..TERMINALS).for_each(|terminal| marks.set(terminal));
        marks
    }

    /// Bytes of memory that marks for the ids below `end` take: of a whole number of chunks.
    pub fn bytes(end: u64) -> u64 {
        end.div_ceil(CHUNK as u64) * (8 * CHUNK as u64 / IDS)
    }

    /// Marks `id`.
    #[inline(always)]
    pub fn set(&mut self, id: u64) {
        self.0[(id / IDS) as usize] |= 1 << (id % IDS);
    }

    /// Shows the nodes of the reader's level, some at a time, and which of them are marked, a bit each; nodes below may be marked
    /// meanwhile.
    pub fn each<I: Lane>(
        &mut self,
        reader: &mut LevelReader<'_>,
        space: &Space,
        mut show: impl FnMut(&mut Self, &[[I; 2]], u64) -> Result<()>,
    ) -> Result<()> {
        let (first, end) = reader.range();
        let mut nodes = [[I::zeroed(); 2]; CHUNK];
        for chunk in first / CHUNK as u64..end.div_ceil(CHUNK as u64) {
            let start = chunk * CHUNK as u64;
            let (from, to) = (first.max(start), end.min(start + CHUNK as u64));
            let bits = self.bits(start) >> (from - start) & u64::MAX >> (CHUNK as u64 - (to - from));
            if bits != 0 {
                let nodes = &mut nodes[..(to - from) as usize];
                reader.read(from, nodes, space)?;
                show(self, nodes, bits)?;
            }
        }
        Ok(())
    }

    /// The marks of the ids from `start` on, a multiple of their number.
    #[inline(always)]
    fn bits(&self, start: u64) -> u64 {
        let words = &self.0[(start / IDS) as usize..][..CHUNK / IDS as usize];
        words.iter().rev().fold(0, |bits, word| (bits << IDS) | (word % (1 << IDS)))
    }

    /// Shows all marked ids in order, when they have been counted, and how many there are before each.
    pub fn ids(&self, mut show: impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
        let mut before = 0;
        for start in (0..self.0.len() as u64 * IDS).step_by(CHUNK) {
            for at in ones(self.bits(start)) {
                show(start + at as u64, before)?;
                before += 1;
            }
        }
        Ok(())
    }

    /// How many marks there are, when they have been counted.
    pub fn count(&self) -> u64 {
        self.0.last().map_or(0, |word| (word >> IDS) + u64::from((word % (1 << IDS)).count_ones()))
    }

    /// Counts all marks; gives the first id that has none.
    pub fn count_up(&mut self) -> u64 {
        let (mut sum, mut intact) = (0, u64::MAX);
        for word in self.0.iter_mut() {
            let ones = u64::from(word.trailing_ones());
            if ones < IDS {
                intact = intact.min(sum + ones);
            }
            let count = u64::from(word.count_ones());
            *word |= sum << IDS;
            sum += count;
        }
        intact
    }

    /// How many marks there are before that of `id`: its new id.
    #[inline(always)]
    pub fn before(&self, id: u64) -> u64 {
        let word = self.0[(id / IDS) as usize];
        // 15 of them at most, so that four copies, from bits 4, 19, 34 and 49 on, lie side by side. They have the first, the
        // second, … of every four marks at a multiple of four bits, and the second product adds all of these up: fewer steps
        // than `count_ones` where the processor is not known to have an instruction for it.
        let marks = word & ((1 << (id % IDS)) - 1);
        let digits = marks.wrapping_mul(0x0002_0004_0008_0010) & 0x1111_1111_1111_1111;
        (word >> IDS) + (digits.wrapping_mul(0x1111_1111_1111_1111) >> 60)
    }
}

/// Ids that are looked at together.
pub const CHUNK: usize = 64;

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

//! What can be sorted.

use super::{cells::KeyRange, lane::Lane, space::Space};
use crate::error::Result;

/// So many records tell how all lie.
pub const SAMPLE: usize = 1024;

/// At most `most` of `all`, as far from each other.
pub fn some_of<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> + Clone {
    all.iter().step_by(step(all.len(), most))
}

/// How far those are from each other that are at most `most` of so many. An odd number: records often alternate, low and high.
pub fn step(count: usize, most: usize) -> usize {
    count.div_ceil(most) | 1
}

/// Records to be sorted.
pub trait Source<I: Lane, const N: usize>: Sized {
    /// How many there are.
    fn count(&self) -> u64;

    /// Shows what all have in `lane`.
    fn keys(&self, lane: usize, space: &Space, show: impl FnMut(I)) -> Result<()>;

    /// The range of a lane, or more.
    fn range(&self, lane: usize, space: &Space) -> Result<KeyRange>;

    /// All of them as they are in memory, a block at a time, if they can be looked at there.
    fn blocks(&self) -> Option<impl Iterator<Item = &[[I; N]]>> {
        None::<std::iter::Empty<_>>
    }

    /// Whether some have to be read from disk.
    fn is_on_disk(&self) -> bool {
        false
    }

    /// Some records from all over, at least one.
    fn sample(&self, space: &Space) -> Result<Vec<[I; N]>>;

    /// Shows each, and what it has in `lane`, for the last time.
    fn drain(self, lane: usize, space: &Space, show: impl FnMut(I, &[I; N]) -> Result<()>) -> Result<()>;

    /// Drops all, as if they had been drained.
    fn discard(self) {}
}

impl<I: Lane, const N: usize> Source<I, N> for &[[I; N]] {
    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn blocks(&self) -> Option<impl Iterator<Item = &[[I; N]]>> {
        Some(std::iter::once(*self))
    }

    fn keys(&self, lane: usize, _: &Space, show: impl FnMut(I)) -> Result<()> {
        self.iter().map(|record| record[lane]).for_each(show);
        Ok(())
    }

    fn range(&self, lane: usize, _: &Space) -> Result<KeyRange> {
        Ok(KeyRange::of(self.iter().map(|record| record[lane])))
    }

    fn sample(&self, _: &Space) -> Result<Vec<[I; N]>> {
        Ok(some_of(self, SAMPLE).copied().collect())
    }

    fn drain(self, lane: usize, _: &Space, mut show: impl FnMut(I, &[I; N]) -> Result<()>) -> Result<()> {
        self.iter().try_for_each(|record| show(record[lane], record))
    }
}

//! `Source`: records that can be sorted.

use super::{cells::KeyRange, lane::Lane, space::Space};
use crate::error::Result;

/// The size of a sample of records that shows how their keys are distributed.
pub const SAMPLE: usize = 1024;

/// At most `most` elements of `all`, at equal distances.
pub fn some_of<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> + Clone {
    all.iter().step_by(step(all.len(), most))
}

/// The distance at which at most `most` of `count` elements are chosen. It is odd, since records often alternate between low and
/// high.
pub fn step(count: usize, most: usize) -> usize {
    count.div_ceil(most) | 1
}

/// Records to be sorted.
pub trait Source<I: Lane, const N: usize>: Sized {
    /// The number of records.
    fn count(&self) -> u64;

    /// Shows the value that each record has in `lane`.
    fn keys(&self, lane: usize, space: &Space, show: impl FnMut(I)) -> Result<()>;

    /// A range that covers the values in `lane`; it may be wider.
    fn range(&self, lane: usize, space: &Space) -> Result<KeyRange>;

    /// The records as they lie in memory, a block at a time, if all of them are there.
    fn blocks(&self) -> Option<impl Iterator<Item = &[[I; N]]>> {
        None::<std::iter::Empty<_>>
    }

    /// Whether some records have to be read from disk.
    fn is_on_disk(&self) -> bool {
        false
    }

    /// A sample of the records from the whole source, at least one.
    fn sample(&self, space: &Space) -> Result<Vec<[I; N]>>;

    /// Shows each record with its value in `lane`, for the last time.
    fn drain(self, lane: usize, space: &Space, show: impl FnMut(I, &[I; N]) -> Result<()>) -> Result<()>;

    /// Copies all records, some of which are on disk, to `places`, one for each, for the last time.
    fn load(self, _places: &mut [[I; N]], _: &Space) -> Result<()> {
        unreachable!("nothing is on disk")
    }

    /// Drops all records, as if they had been drained.
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

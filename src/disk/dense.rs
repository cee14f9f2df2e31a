//! `Dense`: values that arrive in any order under dense indices and are read once, the last index first.
//!
//! Where an array of them fits its share, bringing them into order is a scatter and not a sort. Where it does not, it is an
//! external sort.

use super::{
    external::{External, Sorted},
    lane::Lane,
    space::Space,
};
use crate::error::Result;

/// An array of zeroes at first, or an external sorter in its place.
pub enum Dense<'a, I: Lane> {
    /// The array itself.
    Array(&'a mut [I]),
    /// Pairs of (distance from the end, value).
    Sorted(External<'a, [I; 2]>, u64),
}

impl<'a, I: Lane> Dense<'a, I> {
    /// Room for the indices below `len`, in `words` if it fits.
    pub fn new(words: &'a mut Vec<u64>, len: u64, space: &'a Space) -> Result<Self> {
        if len.saturating_mul(size_of::<I>() as u64) > space.limits.dense as u64 {
            *words = Vec::new();
            return Ok(Self::Sorted(External::new(space, space.limits.dense)?, len));
        }
        words.clear();
        words.resize((len as usize * I::WORDS).div_ceil(2), 0);
        Ok(Self::Array(&mut bytemuck::cast_slice_mut(words)[..len as usize]))
    }

    /// Puts `value` at `index`, once.
    #[inline(always)]
    pub fn put(&mut self, index: u64, value: I) -> Result<()> {
        match self {
            Self::Array(array) => {
                array[index as usize] = value;
                Ok(())
            }
            Self::Sorted(external, len) => external.push([I::of(*len - 1 - index), value]),
        }
    }

    /// Puts each (`first` + index, value) of `pairs`.
    #[inline]
    pub fn put_all(&mut self, pairs: &[[I; 2]], first: u64) -> Result<()> {
        match self {
            Self::Array(array) => {
                for &[index, value] in pairs {
                    array[(index.get() - first) as usize] = value;
                }
            }
            Self::Sorted(..) => pairs.iter().try_for_each(|&[index, value]| self.put(index.get() - first, value))?,
        }
        Ok(())
    }

    /// Puts the values of the indices 0, 1, 2, ….
    #[inline]
    pub fn put_in_order(&mut self, values: impl Iterator<Item = I>) -> Result<()> {
        match self {
            Self::Array(array) => array.iter_mut().zip(values).for_each(|(place, value)| *place = value),
            Self::Sorted(..) => (0..).zip(values).try_for_each(|(index, value)| self.put(index, value))?,
        }
        Ok(())
    }

    /// The values from the last index to the first, zero where none was put.
    pub fn descend(self) -> Result<Descent<'a, I>> {
        Ok(match self {
            Self::Array(array) => Descent::Array(array.iter().rev()),
            Self::Sorted(external, _) => {
                let mut sorted = external.finish()?;
                Descent::Sorted { next: sorted.record()?, sorted, distance: 0 }
            }
        })
    }
}

/// The values of a [`Dense`], the last index first.
pub enum Descent<'a, I: Lane> {
    /// Off the array.
    Array(std::iter::Rev<std::slice::Iter<'a, I>>),
    /// Off the sorter.
    Sorted {
        /// All pairs to come but one.
        sorted: Sorted<'a, [I; 2]>,
        /// The pair that comes next.
        next: Option<[I; 2]>,
        /// How far from the last index the next value is.
        distance: u64,
    },
}

impl<I: Lane> Descent<'_, I> {
    /// The next value; zero below the first index.
    #[inline(always)]
    pub fn step(&mut self) -> Result<I> {
        match self {
            Self::Array(values) => Ok(values.next().copied().unwrap_or(I::zeroed())),
            Self::Sorted { sorted, next, distance } => match *next {
                Some([at, value]) if at.get() == *distance => {
                    *distance += 1;
                    *next = sorted.record()?;
                    Ok(value)
                }
                _ => {
                    *distance += 1;
                    Ok(I::zeroed())
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    #[test]
    fn array_and_external_sort_show_the_same() {
        for len in [0u64, 1, 2, 100, 1000] {
            let shown = [usize::MAX, 0].map(|dense| {
                let mut space = testing::space(1 << 24);
                std::sync::Arc::make_mut(&mut space.limits).dense = dense;
                let mut array = vec![9; 7];
                let mut values = Dense::<u32>::new(&mut array, len, &space).expect("a folder");
                // A prime stride meets every index once.
                for index in (0..len).map(|step| step * 7919 % len).filter(|index| index % 3 != 1) {
                    values.put(index, index as u32 + 1).expect("room");
                }
                let mut descent = values.descend().expect("all values");
                (0..len).map(|_| descent.step().expect("a value")).collect::<Vec<_>>()
            });
            assert_eq!(shown[0], shown[1]);
            assert_eq!(shown[0].iter().filter(|&&value| value > 0).count() as u64, len - (len + 1) / 3);
        }
    }
}

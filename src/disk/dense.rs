//! `Dense`: values that arrive in any order under dense indices and are read once, the last index first.
//!
//! Where an array of them fits its share, bringing them into order is a scatter and not a sort. Where it does not, it is an
//! external sort.

use super::{external::External, lane::Lane, space::Space};
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

    /// The array itself, if it is one.
    pub fn into_array(self) -> std::result::Result<&'a mut [I], Self> {
        match self {
            Self::Array(array) => Ok(array),
            Self::Sorted(..) => Err(self),
        }
    }

    /// Shows every index with its value, zero where none was put, from the last to the first.
    #[inline]
    pub fn drain(self, mut each: impl FnMut(u64, I) -> Result<()>) -> Result<()> {
        match self {
            Self::Array(array) => {
                array.iter().enumerate().rev().try_for_each(|(index, &value)| each(index as u64, value))
            }
            Self::Sorted(external, len) => {
                let mut left = len;
                external.drain(|[distance, value]| {
                    let index = len - 1 - distance.get();
                    while left > index + 1 {
                        left -= 1;
                        each(left, I::zeroed())?;
                    }
                    left = index;
                    each(index, value)
                })?;
                (0..left).rev().try_for_each(|index| each(index, I::zeroed()))
            }
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
                for index in (0..len).filter(|index| index % 3 != 1) {
                    values.put(index * 7 % len.max(1), index as u32 + 1).expect("room");
                }
                let mut shown = Vec::new();
                values.drain(|index, value| Ok(shown.push((index, value)))).expect("all values");
                shown
            });
            assert_eq!(shown[0], shown[1]);
            assert!(shown[0].iter().map(|pair| pair.0).eq((0..len).rev()));
        }
    }
}

//! Cells: a range of keys cut into equal parts, which come in the order of the keys.
//!
//! Values below 2 are common in the lanes of records and far from all others, so they have places of their own below the range.

use super::lane::Lane;

/// Values below this are no part of a range.
const APART: u64 = 2;

/// The range of some values, without those below `APART`.
#[derive(Clone, Copy, Debug)]
pub struct KeyRange {
    /// The smallest value less `APART`; a value below `APART` wraps around here and so is larger than any other.
    low: u64,
    high: u64,
}

impl Default for KeyRange {
    fn default() -> Self {
        Self { low: u64::MAX, high: 0 }
    }
}

impl KeyRange {
    /// The range of `values`; the loop has no branches, so that the compiler uses vector instructions.
    #[inline(always)]
    pub fn of<I: Lane>(values: impl Iterator<Item = I>) -> Self {
        let (mut low, mut high) = (I::MAX, I::zeroed());
        for value in values {
            low = low.min(value.minus(I::of(APART)));
            high = high.max(value);
        }
        Self { low: low.get(), high: high.get() }
    }

    /// Widens the range to take in `value`.
    #[inline(always)]
    pub fn include<I: Lane>(&mut self, value: I) {
        self.low = self.low.min(value.get().wrapping_sub(APART));
        self.high = self.high.max(value.get());
    }

    /// Widens the range to take in all of `other`.
    pub fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// What is subtracted from a value of the range to get its place; a value below `APART` is its own place.
    pub fn base(&self) -> u64 {
        if self.high < APART { 0 } else { self.low.min(self.high - APART) }
    }

    /// The place of the largest value.
    pub fn last(&self) -> u64 {
        self.high - self.base()
    }
}

/// The place of `value` in a range with this `base`.
#[inline(always)]
pub fn place_of<I: Lane>(value: I, base: I) -> I {
    if value < I::of(APART) { value } else { value.minus(base) }
}

/// The value at `place` in a range with this `base`.
#[inline(always)]
pub fn value_at<I: Lane>(place: I, base: I) -> I {
    if place < I::of(APART) { place } else { place.plus(base) }
}

/// Which cell a record belongs to: the order of cells is the order of the lane.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// The lane by which records are told apart.
    pub lane: usize,
    base: u64,
    shift: u32,
    /// The number of cells.
    pub count: usize,
}

impl Cells {
    /// At most `most` cells for the values of `lane` within `range`.
    pub fn new(range: &KeyRange, lane: usize, most: usize) -> Self {
        let (base, last) = (range.base(), range.last());
        let shift = (0..u64::BITS).find(|shift| last >> shift < most as u64).unwrap_or(u64::BITS - 1);
        Self { lane, base, shift, count: (last >> shift) as usize + 1 }
    }

    /// The cell of a record with `key` in the lane.
    #[inline(always)]
    pub fn of<I: Lane>(&self, key: I) -> usize {
        (place_of(key.get(), self.base) >> self.shift) as usize
    }

    /// Whether all records of a cell agree in the lane.
    pub fn exact(&self) -> bool {
        self.shift == 0
    }

    /// The lane by which the records of one cell may still differ.
    pub fn next_lane(&self) -> usize {
        if self.exact() { self.lane + 1 } else { self.lane }
    }
}

//! The two widths of a record's lanes.

use std::fmt::Debug;

use bytemuck::Pod;

/// One lane of a record: a 32-bit or a 64-bit unsigned number.
pub trait Lane: Pod + Ord + Debug + Send + Sync + 'static {
    /// Two lanes as one number.
    type Pair: Ord + Copy + Send + Sync;
    /// The largest value.
    const MAX: Self;
    /// The highest bit: more than any id.
    const MARK: u64 = 1 << (size_of::<Self>() * 8 - 1);
    /// Whether it is the wider of the two widths.
    const WIDE: bool = size_of::<Self>() == 8;

    /// `value` as a lane; it must fit.
    fn of(value: u64) -> Self;

    /// The value, widened.
    fn get(self) -> u64;

    /// The sum; it wraps around beyond the largest value.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The difference; it wraps around below zero.
    #[must_use]
    fn minus(self, other: Self) -> Self;

    /// This lane and the `next` as one number, this one in the high half.
    fn before(self, next: Self) -> Self::Pair;

    /// The two lanes of `pair`, the high half first.
    fn apart(pair: Self::Pair) -> [Self; 2];
}

/// The number of 8-byte words that `lanes` lanes take, rounded up.
pub const fn words_of<I: Lane>(lanes: usize) -> usize {
    (lanes * size_of::<I>()).div_ceil(8)
}

impl Lane for u32 {
    type Pair = u64;
    const MAX: Self = u32::MAX;

    #[inline(always)]
    fn of(value: u64) -> Self {
        debug_assert!(u32::try_from(value).is_ok(), "a value of the wide width in a narrow lane");
        value as u32
    }

    #[inline(always)]
    fn get(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn before(self, next: Self) -> u64 {
        // The two lanes as they lie side by side in memory, then rotated: one load instead of two.
        (u64::from(next) << 32 | u64::from(self)).rotate_left(32)
    }

    #[inline(always)]
    fn apart(pair: u64) -> [Self; 2] {
        [(pair >> 32) as u32, pair as u32]
    }
}

impl Lane for u64 {
    type Pair = u128;
    const MAX: Self = u64::MAX;

    #[inline(always)]
    fn of(value: u64) -> Self {
        value
    }

    #[inline(always)]
    fn get(self) -> u64 {
        self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn before(self, next: Self) -> u128 {
        u128::from(self) << 64 | u128::from(next)
    }

    #[inline(always)]
    fn apart(pair: u128) -> [Self; 2] {
        [(pair >> 64) as u64, pair as u64]
    }
}

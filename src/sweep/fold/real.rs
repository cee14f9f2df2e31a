//! Real numbers of any magnitude and of either sign, in the lanes of a record.

use std::{
    f64::consts::LN_2,
    mem,
    ops::{Add, Mul},
};

use super::{
    Arc,
    arithmetic::{Arithmetic, Multiply},
    float::{parts, power_of_two},
};

/// A floating-point number with a fraction of 64 bits, and an exponent with room for every product of weights. Records with its
/// lanes are sorted as those of [`Scaled`](super::scaled::Scaled) are, where none is below zero.
///
/// The error of a sum or product is less than one part in 2^63; the magnitude is rounded down, except in sums of numbers of
/// different sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Real {
    /// The fraction times 2^64: at least 1/2 and below 1; 0 for zero.
    fraction: u64,
    /// Twice the exponent of 2, plus 1 if the number is negative; 0 for zero.
    scale: i64,
}

impl Real {
    /// 0.
    pub const ZERO: Self = Self { fraction: 0, scale: 0 };
    /// 1.
    pub const ONE: Self = Self::power_of_two(0);

    /// `fraction` / 2^64, which is at least 1/2 and below 1, times 2^`exponent`.
    pub const fn of_fraction(fraction: u64, exponent: i64) -> Self {
        Self { fraction, scale: 2 * exponent }
    }

    /// 2 to the power of `exponent`.
    pub const fn power_of_two(exponent: i64) -> Self {
        Self::of_fraction(1 << 63, exponent + 1)
    }

    /// `number`, which is finite.
    pub fn of(number: f64) -> Self {
        let (odd, exponent) = parts(number);
        Self::rounded(odd.into(), i64::from(exponent) + 128, number < 0.0)
    }

    /// The whole number `magnitude`.
    pub fn of_whole(magnitude: u64) -> Self {
        Self::rounded(u128::from(magnitude) << 64, 64, false)
    }

    /// The number of two lanes.
    pub fn of_lanes([fraction, scale]: [u64; 2]) -> Self {
        Self { fraction, scale: scale.cast_signed() }
    }

    /// The number in two lanes.
    pub fn lanes(self) -> [u64; 2] {
        [self.fraction, self.scale.cast_unsigned()]
    }

    /// `magnitude` / 2^128 times 2^`exponent`.
    fn rounded(magnitude: u128, exponent: i64, negative: bool) -> Self {
        if magnitude == 0 {
            return Self::ZERO;
        }
        let zeros = magnitude.leading_zeros();
        let fraction = (magnitude << zeros >> 64) as u64;
        Self { fraction, scale: 2 * (exponent - i64::from(zeros)) + i64::from(negative) }
    }

    /// The exponent of 2: for a whole number, its number of bits.
    pub fn exponent(self) -> i64 {
        self.scale >> 1
    }

    fn is_negative(self) -> bool {
        self.scale & 1 == 1
    }

    /// The nearest `f64`: infinite beyond the largest, zero below the smallest.
    pub fn to_f64(self) -> f64 {
        // From 1/2 to 1 inclusive, since it may have been rounded up.
        let fraction = self.fraction as f64 * power_of_two(-64);
        let magnitude = match self.exponent() {
            ..-1074 => 0.0,
            exponent @ ..=-1022 => subnormal(self.fraction, exponent),
            exponent @ ..=0 => fraction * power_of_two(exponent as i32),
            // Split so that no power of 2 is beyond the largest `f64`.
            exponent @ ..=1024 => fraction * 2.0 * power_of_two(exponent as i32 - 1),
            _ => f64::INFINITY,
        };
        if self.is_negative() { -magnitude } else { magnitude }
    }

    /// This number divided by `other`, neither of them below zero and `other` above, rounded a few times in `f64`.
    pub fn over(self, other: Self) -> f64 {
        let ratio = Self::of(self.fraction as f64 / other.fraction as f64);
        (ratio * Self::power_of_two(self.exponent() - other.exponent())).to_f64()
    }

    /// The natural logarithm: −∞ for zero, NaN for negative numbers.
    pub fn ln(self) -> f64 {
        if self.is_negative() {
            return f64::NAN;
        }
        let (fraction, exponent) = (self.fraction as f64 * power_of_two(-64), self.exponent());
        // Both terms have the same sign, so that no digits cancel: from 1 on neither is negative, below 1 neither is positive.
        if exponent > 0 {
            (fraction * 2.0).ln() + (exponent - 1) as f64 * LN_2
        } else {
            fraction.ln() + exponent as f64 * LN_2
        }
    }
}

/// `fraction` / 2^64 times 2^`exponent`, with an exponent from −1074 to −1022, as a subnormal `f64`: rounded once, ties to even.
fn subnormal(fraction: u64, exponent: i64) -> f64 {
    let smallest = u128::from(fraction) << 64 >> (-1010 - exponent);
    let (whole, rest) = ((smallest >> 64) as u64, smallest as u64);
    f64::from_bits(whole + u64::from(rest > 1 << 63 || rest == 1 << 63 && whole % 2 == 1))
}

impl Add for Real {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let (mut large, mut small) = (self, other);
        if small.fraction == 0 {
            return large;
        }
        if large.fraction == 0 || (large.exponent(), large.fraction) < (small.exponent(), small.fraction) {
            mem::swap(&mut large, &mut small);
        }
        // One bit below the top, for a carry. Bits of `small` fall out only where it is so small that the difference keeps its
        // highest bits.
        let behind = u32::try_from(large.exponent() - small.exponent()).unwrap_or(u32::MAX);
        let (a, b) = (u128::from(large.fraction) << 63, u128::from(small.fraction) << 63);
        let b = b.checked_shr(behind).unwrap_or(0);
        let magnitude = if large.is_negative() == small.is_negative() { a + b } else { a - b };
        Self::rounded(magnitude, large.exponent() + 1, large.is_negative())
    }
}

impl Mul for Real {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let magnitude = u128::from(self.fraction) * u128::from(other.fraction);
        Self::rounded(magnitude, self.exponent() + other.exponent(), self.is_negative() != other.is_negative())
    }
}

/// The arithmetic of real numbers, each in two lanes: none overflows.
pub struct Reals;

/// The number in lanes.
pub fn real(lanes: &[u64]) -> Real {
    Real::of_lanes([lanes[0], lanes[1]])
}

impl Arithmetic for Reals {
    const ROUNDED: bool = true;

    fn one(&self, a: &mut [u64]) {
        a.copy_from_slice(&Real::ONE.lanes());
    }

    #[inline]
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.copy_from_slice(&(real(a) + real(b)).lanes());
        true
    }

    fn along(&self, a: &mut [u64], arc: Arc) -> bool {
        self.multiply(a, &Real::power_of_two(arc.skipped().into()).lanes())
    }
}

impl Multiply for Reals {
    #[inline]
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.copy_from_slice(&(real(a) * real(b)).lanes());
        true
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "what comes back is the same or wrong")]
mod tests {
    use fastrand::Rng;
    use num_bigint::{BigInt, BigUint};

    use super::*;

    /// A number times 2^`point`, which makes it whole.
    fn whole(number: Real, point: i64) -> BigInt {
        let magnitude = BigInt::from(number.fraction) << (number.exponent() - 64 + point);
        if number.is_negative() { -magnitude } else { magnitude }
    }

    /// Numbers of which many are small, powers of 2, full of ones, near to each other, or zero.
    fn number(random: &mut Rng) -> Real {
        let fraction = match random.u32(..6) {
            0 => 1 << 63,
            1 => u64::MAX - random.u64(..3),
            2 => random.u64(1..4) << 62 | 1 << 63,
            3 => return Real::of(f64::from(random.i8(..))),
            _ => random.u64(..) | 1 << 63,
        };
        let exponent = if random.bool() { random.i64(-3..3) } else { random.i64(-150..150) };
        Real { fraction, scale: 2 * exponent + random.i64(0..2) }
    }

    #[test]
    fn sums_and_products_are_off_by_no_more_than_promised() {
        let (mut random, mut inexact) = (Rng::with_seed(1), [0; 2]);
        for _ in 0..50_000 {
            let [a, b] = [(); 2].map(|()| number(&mut random));
            let (whole_a, whole_b) = (whole(a, 300), whole(b, 300));
            let pairs = [(whole(a + b, 300), &whole_a + &whole_b), (whole(a * b, 600), &whole_a * &whole_b)];
            for (at, (found, exact)) in pairs.into_iter().enumerate() {
                let off: BigUint = (&found - &exact).magnitude().clone();
                assert!(found == exact || &(off << 63u32) < exact.magnitude(), "{a:?} {b:?}");
                let same_signs = at == 1 || a.is_negative() == b.is_negative();
                assert!(!same_signs || found.magnitude() <= exact.magnitude(), "{a:?} {b:?}");
                inexact[at] += u32::from(found != exact);
            }
            assert_eq!((a + b, a * b), (b + a, b * a));
            assert_eq!((a + Real::ZERO, a * Real::ONE, a * Real::ZERO), (a, a, Real::ZERO));
        }
        assert!(inexact.iter().all(|inexact| (1000..50_000).contains(inexact)), "{inexact:?}");
    }

    #[test]
    fn every_f64_comes_back_as_it_was() {
        let mut random = Rng::with_seed(2);
        let some = [0.0, 1.0, 0.5, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), f64::from_bits((1 << 52) - 1)];
        let random = (0..10_000).map(|_| f64::from_bits(random.u64(..))).filter(|number| number.is_finite());
        for number in some.into_iter().chain(random) {
            assert_eq!(Real::of(number).to_f64().to_bits(), number.to_bits());
            assert_eq!(Real::of(-number) + Real::of(number), Real::ZERO);
            assert_eq!(Real::of_lanes(Real::of(number).lanes()), Real::of(number));
        }
        assert_eq!(Real::of(-0.0), Real::ZERO);
    }

    #[test]
    fn what_is_beyond_f64_is_infinite_or_zero_and_has_a_logarithm() {
        let (largest, smallest) = (Real::of(f64::MAX), Real::of(f64::from_bits(1)));
        assert_eq!((largest + largest).to_f64(), f64::INFINITY);
        assert_eq!((largest * Real::of(-2.0)).to_f64(), f64::NEG_INFINITY);
        assert_eq!((smallest * Real::of(0.5)).to_f64(), 0.0);
        assert_eq!((smallest * Real::of(0.75)).to_f64(), f64::from_bits(1));
        assert_eq!((smallest * smallest).to_f64(), 0.0);
        // Between two numbers below the smallest normal one, the even one, or the nearer, if only by the last of 64 bits.
        let half = smallest * Real::of(0.5);
        let beyond = Real::ONE + Real::power_of_two(-60);
        for (halves, even, above) in
            [(1.0, 0, 1), (5.0, 2, 3), (7.0, 4, 4), (((1u64 << 53) - 1) as f64, 1 << 52, 1 << 52)]
        {
            let between = half * Real::of(halves);
            assert_eq!([between, between * beyond].map(|number| number.to_f64().to_bits()), [even, above], "{halves}");
        }
        for exponent in [-1_000_000, -1, 0, 1, 2_000_000] {
            assert_eq!(Real::power_of_two(exponent).ln(), exponent as f64 * LN_2);
        }
        assert!((Real::of(0.9999).ln() - 0.9999f64.ln()).abs() < 1e-19);
        assert_eq!(Real::ZERO.ln(), f64::NEG_INFINITY);
        assert!(Real::of(-1.0).ln().is_nan());
    }
}

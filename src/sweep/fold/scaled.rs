//! Floating point of any length with a bounded error.

use super::{Arc, arithmetic::Arithmetic};

/// Floating point of any length, rounded towards zero: the lanes of a fraction of at least 1/2 and below 1, the most significant
/// first, and an exponent of 2.
///
/// A sum that is not exact is too small by less than one part in 2^(b−1), where b is 64 for each lane of the fraction. The values
/// of a fold are sums over paths, and a path goes through any sum only once; so where `d` sums were not exact, each value is too
/// small by at most `d` such parts. Products with powers of 2 are exact.
pub struct Scaled;

impl Arithmetic for Scaled {
    const ROUNDED: bool = true;

    fn one(&self, a: &mut [u64]) {
        a.fill(0);
        a[0] = 1 << 63;
        a[a.len() - 1] = 1;
    }

    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        let last = a.len() - 1;
        if a[0] == 0 || b[0] == 0 {
            if a[0] == 0 {
                a.copy_from_slice(b);
            }
            return true;
        }
        let mut small = [0; LANES];
        let small = &mut small[..=last];
        small.copy_from_slice(b);
        if a[last] < small[last] {
            a.swap_with_slice(small);
        }
        let behind = a[last] - small[last];
        let mut exact = shift_right(&mut small[..last], behind);
        let mut carry = false;
        for (a, &b) in a[..last].iter_mut().zip(&small[..last]).rev() {
            (*a, carry) = a.carrying_add(b, carry);
        }
        if carry {
            exact &= shift_right(&mut a[..last], 1);
            a[0] |= 1 << 63;
            a[last] += 1;
        }
        exact
    }

    fn along(&self, a: &mut [u64], arc: Arc) -> bool {
        a[a.len() - 1] += u64::from(arc.skipped());
        true
    }
}

/// The most lanes that a number may have.
const LANES: usize = 9;

/// Shifts a number right, the most significant lane first; answers whether only zeroes fell out.
pub fn shift_right(lanes: &mut [u64], bits: u64) -> bool {
    let len = lanes.len();
    let (whole, part) = ((bits / 64).min(len as u64) as usize, (bits % 64) as u32);
    let mut lost = lanes[len - whole..].iter().fold(0, |lost, lane| lost | lane);
    lanes.copy_within(..len - whole, whole);
    lanes[..whole].fill(0);
    if part > 0 {
        lost |= lanes[len - 1] << (64 - part);
        for at in (0..len).rev() {
            let above = if at == 0 { 0 } else { lanes[at - 1] << (64 - part) };
            lanes[at] = lanes[at] >> part | above;
        }
    }
    lost == 0
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use num_bigint::BigUint;

    use super::*;

    /// Twice the number of bits to the left of where a number's point is, so that all of them are whole.
    fn whole(number: &[u64]) -> BigUint {
        let (fraction, exponent) = (&number[..number.len() - 1], number[number.len() - 1]);
        let fraction = fraction.iter().fold(BigUint::ZERO, |sum, &lane| (sum << 64) + lane);
        (fraction << exponent) << (64 * (5 - number.len()))
    }

    #[test]
    fn scaled_sums_are_exact_or_say_so_and_are_too_small_by_no_more_than_promised() {
        fn check<const N: usize>() {
            let (mut random, mut inexact) = (Rng::with_seed(1), 0);
            for round in 0..20_000u32 {
                let mut numbers = [[0; N]; 2];
                for number in &mut numbers {
                    // Some are full of ones, some are powers of 2.
                    let kind = random.u8(..4);
                    number[..N - 1].fill_with(|| if kind == 0 { u64::MAX } else { random.u64(..) });
                    if kind == 1 {
                        number[..N - 1].fill(0);
                    }
                    number[0] |= 1 << 63;
                    number[N - 1] = random.u64(1..=if round % 2 == 0 { 4 } else { 200 });
                }
                let [a, b] = numbers;
                let mut sum = a;
                let exact = Scaled.add(&mut sum, &b);
                let expected = whole(&a) + whole(&b);
                assert!(sum[0] >> 63 == 1 && whole(&sum) <= expected);
                assert_eq!(exact, whole(&sum) == expected);
                assert!((&expected - whole(&sum)) << (64 * (N - 1) - 1) < expected);
                inexact += u32::from(!exact);
            }
            assert!((1000..20_000).contains(&inexact), "{inexact}");
        }
        check::<2>();
        check::<3>();
        check::<5>();
    }
}

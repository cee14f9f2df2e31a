//! Numbers that travel: in 64 bits as long as they fit, modulo several coprime numbers, or in floating point with a bounded error.

use num_bigint::BigUint;

use super::Arc;

/// Arithmetic on the lanes of a value; all zeroes is zero. Each operation answers whether the result is exact.
pub trait Arithmetic {
    /// Whether results that are not exact can be used; sums then depend on the order of their terms.
    const ROUNDED: bool = false;

    /// Sets `a` to 1.
    fn one(&self, a: &mut [u64]) {
        a.fill(1);
    }

    /// Adds `b` to `a`.
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool;

    /// Takes `a` along `arc`: a number of ways doubles for each level that the arc skips, a weight is multiplied by the arc's.
    fn along(&self, a: &mut [u64], arc: Arc) -> bool;
}

/// Arithmetic that multiplies, too.
pub trait Multiply: Arithmetic {
    /// Multiplies `a` by `b`.
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool;
}

/// Arithmetic of whole numbers, which never rounds.
pub trait Exact: Multiply {
    /// Sets `a` to `number`.
    fn whole(&self, a: &mut [u64], number: i64) -> bool;
}

/// One 64-bit number.
pub struct Plain;

impl Arithmetic for Plain {
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.iter_mut().zip(b).all(|(a, &b)| a.checked_add(b).map(|sum| *a = sum).is_some())
    }

    fn along(&self, a: &mut [u64], arc: Arc) -> bool {
        a.iter_mut().all(|a| {
            let fits = *a == 0 || arc.skipped() <= a.leading_zeros();
            *a = a.checked_shl(arc.skipped()).unwrap_or(0);
            fits
        })
    }
}

impl Multiply for Plain {
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool {
        a.iter_mut().zip(b).all(|(a, &b)| a.checked_mul(b).map(|product| *a = product).is_some())
    }
}

impl Exact for Plain {
    fn whole(&self, a: &mut [u64], number: i64) -> bool {
        a.fill(number.unsigned_abs());
        number >= 0
    }
}

/// Bits of a count that a modulus accounts for: every modulus is above 2^61.
pub const MODULUS_BITS: usize = 61;

/// `R` residues, each modulo a number below 2^62.
pub struct Modulo<const R: usize> {
    moduli: [u64; R],
}

impl<const R: usize> Modulo<R> {
    /// Residues modulo the first `R` of `moduli`; if these are fewer, the others are modulo 1 and not read.
    pub fn new(moduli: &[u64]) -> Self {
        Self { moduli: std::array::from_fn(|at| moduli.get(at).copied().unwrap_or(1)) }
    }
}

impl<const R: usize> Arithmetic for Modulo<R> {
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        for ((a, &b), &modulus) in a.iter_mut().zip(b).zip(&self.moduli) {
            let sum = *a + b;
            *a = if sum < modulus { sum } else { sum - modulus };
        }
        true
    }

    fn along(&self, a: &mut [u64], arc: Arc) -> bool {
        if arc.skipped() == 0 {
            return true;
        }
        for (a, &modulus) in a.iter_mut().zip(&self.moduli) {
            // Square and multiply.
            let (mut power, mut left) = (2 % modulus, arc.skipped());
            while left > 0 {
                if left % 2 == 1 {
                    *a = product_of(*a, power, modulus);
                }
                power = product_of(power, power, modulus);
                left /= 2;
            }
        }
        true
    }
}

impl<const R: usize> Multiply for Modulo<R> {
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool {
        for ((a, &b), &modulus) in a.iter_mut().zip(b).zip(&self.moduli) {
            *a = product_of(*a, b, modulus);
        }
        true
    }
}

impl<const R: usize> Exact for Modulo<R> {
    fn whole(&self, a: &mut [u64], number: i64) -> bool {
        for (a, &modulus) in a.iter_mut().zip(&self.moduli) {
            *a = i128::from(number).rem_euclid(modulus.into()) as u64;
        }
        true
    }
}

/// `a` · `b` modulo `modulus`.
fn product_of(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

/// `count` numbers between 2^61 and 2^62, no two with a common factor.
pub fn coprimes(count: usize) -> Vec<u64> {
    let mut width = 64;
    loop {
        let mut found = rough(width);
        if found.len() >= count {
            found.truncate(count);
            return found;
        }
        width *= 2;
    }
}

/// Those of the last `width` numbers below 2^62 that no prime below `width` divides: a common factor of two of them would also
/// divide their difference.
fn rough(width: usize) -> Vec<u64> {
    let first = (1 << (MODULUS_BITS + 1)) - width as u64;
    let (mut composite, mut divided) = (vec![false; width], vec![false; width]);
    for factor in 2..width {
        if !composite[factor] {
            (factor * factor..width).step_by(factor).for_each(|multiple| composite[multiple] = true);
            let multiple = first.next_multiple_of(factor as u64) - first;
            (multiple as usize..width).step_by(factor).for_each(|multiple| divided[multiple] = true);
        }
    }
    (first..).zip(divided).filter_map(|(number, divided)| (!divided).then_some(number)).collect()
}

/// The numbers below the product of `moduli` that have these `residues`, a list for each modulus (Chinese remainder theorem); and
/// that product.
pub fn combine(moduli: &[u64], residues: &[Vec<u64>]) -> (Vec<BigUint>, BigUint) {
    let mut numbers = vec![BigUint::ZERO; residues.first().map_or(0, Vec::len)];
    let mut product = BigUint::from(1u8);
    let residue_of = |number: &BigUint, modulus: u64| u64::try_from(number % modulus).expect("a residue is small");
    for (&modulus, residues) in moduli.iter().zip(residues) {
        let inverse = product.modinv(&BigUint::from(modulus)).expect("the moduli are coprime");
        let inverse = residue_of(&inverse, modulus);
        for (number, &residue) in numbers.iter_mut().zip(residues) {
            let missing = (residue + modulus - residue_of(number, modulus)) % modulus;
            *number += &product * product_of(missing, inverse, modulus);
        }
        product *= modulus;
    }
    (numbers, product)
}

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

/// 2 to the power of `exponent`, from −1074 to 1023.
pub fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1074..=1023).contains(&exponent));
    let bits =
        if exponent < -1022 { 1 << (exponent + 1074) } else { u64::from((exponent + 1023).cast_unsigned()) << 52 };
    f64::from_bits(bits)
}

/// An odd number, or zero, and an exponent: the magnitude of the finite `number` is the odd number times 2 to that power.
pub fn parts(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1) | u64::from(number.is_normal()) << 52;
    let exponent = ((bits >> 52 & 0x7ff) as i32).max(1) - 1075;
    if fraction == 0 {
        (0, 0)
    } else {
        (fraction >> fraction.trailing_zeros(), exponent + fraction.trailing_zeros().cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn no_two_moduli_have_a_common_factor() {
        fn gcd(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        for count in [1, 2, 15, 16, 17, 600] {
            let moduli = coprimes(count);
            assert_eq!(moduli.len(), count);
            assert!(moduli.iter().all(|modulus| modulus >> MODULUS_BITS == 1));
            assert!((0..count).all(|at| moduli[..at].iter().all(|&other| gcd(other, moduli[at]) == 1)));
        }
        // Enough for a count over a million levels.
        assert!(coprimes((1 << 20) / MODULUS_BITS + 1).is_sorted());
    }

    #[test]
    fn residues_are_put_together_to_the_number_they_are_of() {
        let moduli = coprimes(20);
        let one = || BigUint::from(1u8);
        let numbers = [BigUint::ZERO, one(), one() << 1000, (one() << 1200) - 1u8];
        let residue = |number, modulus| u64::try_from(number % modulus).expect("a residue is small");
        let residues: Vec<_> =
            moduli.iter().map(|&modulus| numbers.iter().map(|number| residue(number, modulus)).collect()).collect();
        assert_eq!(combine(&moduli, &residues), (numbers.to_vec(), moduli.iter().product()));
    }

    #[test]
    fn doubling_modulo_agrees_with_doubling() {
        let modulo = Modulo::<4>::new(&[coprimes(1)[0]; 4]);
        for times in [0, 1, 63, 64, 65, 1000] {
            let mut value = [3; 4];
            modulo.along(&mut value, Arc { high: true, from: times + 1, to: 0 });
            let expected = (BigUint::from(3u8) << times) % modulo.moduli[0];
            assert_eq!(BigUint::from(value[0]), expected);
        }
    }

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

    #[test]
    fn powers_of_two_are_those_of_the_machine() {
        for (exponent, expected) in [
            (-1, 0.5),
            (0, 1.0),
            (1, 2.0),
            (1023, 2f64.powi(1023)),
            (-1022, f64::MIN_POSITIVE),
            (-1074, f64::from_bits(1)),
        ] {
            assert_eq!(power_of_two(exponent).to_bits(), expected.to_bits());
        }
    }
}

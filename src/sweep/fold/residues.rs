//! Whole numbers of any size as residues modulo several coprime numbers, and back.

use num_bigint::BigUint;

use super::{
    Arc,
    arithmetic::{Arithmetic, Exact, Multiply},
};

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

#[cfg(test)]
mod tests {
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
}

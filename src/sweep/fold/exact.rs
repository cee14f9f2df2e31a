//! Exact numbers by sweeps: in 64 bits where they fit, and otherwise from residues modulo several coprime numbers, which the
//! Chinese remainder theorem combines.

use num_bigint::{BigInt, BigUint};

use super::{
    arithmetic::{Exact, Plain},
    residues::{MODULUS_BITS, Modulo, combine, coprimes},
};
use crate::{error::Result, sweep::run::Run};

/// Numbers that sweeps add up.
pub trait Tally {
    /// The numbers for `terminal`, each in `N - 1` lanes, one after the other; `None` when one overflowed on the way. The values
    /// that travel, with an id and a slot, have `L` lanes, one more than `N`.
    fn tally<A: Exact, const N: usize, const L: usize>(
        &self,
        terminal: bool,
        arithmetic: &A,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u64>>>;
}

/// The numbers of `tally`, if they fit 64 bits.
pub fn small(tally: &impl Tally, terminal: bool, run: &mut Run<'_>) -> Result<Option<Vec<BigUint>>> {
    let numbers = tally.tally::<_, 2, 3>(terminal, &Plain, run)?;
    Ok(numbers.map(|numbers| numbers.into_iter().map(BigUint::from).collect()))
}

/// The numbers of `tally`, which are below 2^`bits`.
pub fn large(tally: &impl Tally, terminal: bool, bits: usize, run: &mut Run<'_>) -> Result<Vec<BigUint>> {
    Ok(modulo(tally, terminal, bits, run)?.0)
}

/// The numbers of `tally`, whose magnitudes are below 2^`bits`.
pub fn signed(tally: &impl Tally, terminal: bool, bits: usize, run: &mut Run<'_>) -> Result<Vec<BigInt>> {
    let (numbers, modulus) = modulo(tally, terminal, bits + 1, run)?;
    let half = &modulus >> 1u8;
    let signed = |number: BigUint| {
        let below = if number > half { modulus.clone() } else { BigUint::ZERO };
        BigInt::from(number) - BigInt::from(below)
    };
    Ok(numbers.into_iter().map(signed).collect())
}

/// The numbers of `tally` modulo some number, from 2^`bits` up; and that number.
fn modulo(tally: &impl Tally, terminal: bool, bits: usize, run: &mut Run<'_>) -> Result<(Vec<BigUint>, BigUint)> {
    if bits <= FEW_BITS {
        by_residues::<FEW, { FEW + 1 }, { FEW + 2 }>(tally, terminal, bits, run)
    } else if bits <= SOME * MODULUS_BITS {
        by_residues::<SOME, { SOME + 1 }, { SOME + 2 }>(tally, terminal, bits, run)
    } else {
        by_residues::<MANY, { MANY + 1 }, { MANY + 2 }>(tally, terminal, bits, run)
    }
}

/// Residues that travel together: `FEW` or `SOME` if these are enough, `MANY` otherwise.
const FEW: usize = 4;
const SOME: usize = 8;
const MANY: usize = 15;

/// Numbers of up to this many bits travel as `FEW` residues. Where levels bound a number by this, no sweep in floating point tells
/// its bits before.
pub const FEW_BITS: usize = FEW * MODULUS_BITS;

/// As [`modulo`], from `R` residues a time; `N` is `R + 1`, `L` is `R + 2`.
fn by_residues<const R: usize, const N: usize, const L: usize>(
    tally: &impl Tally,
    terminal: bool,
    bits: usize,
    run: &mut Run<'_>,
) -> Result<(Vec<BigUint>, BigUint)> {
    let moduli = coprimes(bits.div_ceil(MODULUS_BITS));
    let mut residues = Vec::with_capacity(moduli.len());
    let mut charge = run.space.pool.account("exact counts of so many digits");
    for some in moduli.chunks(R) {
        let lanes = tally.tally::<_, N, L>(terminal, &Modulo::<R>::new(some), run)?.expect("residues do not overflow");
        if residues.is_empty() {
            // All of them, and the numbers that they become.
            charge.grow(2 * size_of_val(&*lanes) / R * moduli.len())?;
        }
        residues.extend((0..some.len()).map(|lane| lanes.iter().skip(lane).step_by(R).copied().collect()));
    }
    Ok(combine(&moduli, &residues))
}

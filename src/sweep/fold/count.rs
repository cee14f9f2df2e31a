//! Counting: numbers travel, and those that meet are added up.
//!
//! Counting is exact at any size: counts travel as 64-bit numbers; where one would overflow, the sweep starts again with residues
//! ([`exact`](super::exact)). Where an approximation will do, one sweep in floating point does.
//!
//! Cost: one sweep. If 64 bits are too few for a count of assignments, one more counts those to the other terminal, which give the
//! count if they fit. If they do not, or for paths, one more sweep where there are up to 244 levels; with more levels one in
//! floating point, which tells how many bits the count has, and one for every 915 of these bits and one bit more.

use num_bigint::BigUint;

use super::{
    Arc, Load,
    arithmetic::{Arithmetic, Exact},
    exact::{FEW_BITS, Tally, large, small},
    fold,
    real::Real,
    residues::Modulo,
    scaled::Scaled,
};
use crate::{disk::space::Space, error::Result, file::node_file::NodeFile, progress::Sweep, sweep::run::Run};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Paths from the root to a terminal.
    Paths,
    /// Assignments to the variables of the diagram's levels: each level that a path skips doubles the count.
    Assignments,
}

/// The number of paths or assignments that lead to `terminal`.
pub fn count(file: &NodeFile, count: Count, terminal: bool, run: &mut Run<'_>) -> Result<BigUint> {
    let levels = file.levels().ranks() - 1;
    if levels == 0 {
        return Ok(BigUint::from(u8::from(!terminal)));
    }
    let total = Total { file, count };
    if let Some(mut total) = small(&total, terminal, run)? {
        return Ok(total.remove(0));
    }
    if count == Count::Assignments {
        // One of the two terminals is often reached in few ways.
        if let Some(total) = small(&total, !terminal, run)? {
            return Ok((BigUint::from(1u8) << levels) - &total[0]);
        }
    }
    let bits = bits(file, count, terminal, run)?;
    Ok(large(&total, terminal, bits, run)?.remove(0))
}

/// A number of bits that the count for `terminal` fits, in a diagram that is no constant.
pub fn bits(file: &NodeFile, count: Count, terminal: bool, run: &mut Run<'_>) -> Result<usize> {
    let levels = file.levels().ranks() - 1;
    // A count is below 2^levels.
    if levels <= FEW_BITS {
        return Ok(levels);
    }
    // Rounding has lost less than half, hence one bit more.
    Ok(approximate_over_levels(file, count, terminal, run)?.exponent().cast_unsigned() as usize + 1)
}

/// Whether an odd number of assignments to the variables of the levels leads to `terminal`, in a diagram that is no constant: one
/// sweep.
pub fn is_odd(file: &NodeFile, terminal: bool, run: &mut Run<'_>) -> Result<bool> {
    let total = sum(file, Count::Assignments, terminal, &Modulo::<1>::new(&[2]), run)?;
    Ok(total.is_some_and(|[_, total]| total == 1))
}

/// The number of paths or assignments that lead to `terminal`, approximately.
///
/// It is too small by at most one part in 2^62 for each node, and exact up to 2^64.
pub fn approximate(file: &NodeFile, count: Count, terminal: bool, run: &mut Run<'_>) -> Result<Real> {
    match (file.node_count(), terminal) {
        (0, true) => Ok(Real::ZERO),
        (0, false) => Ok(Real::ONE),
        _ => approximate_over_levels(file, count, terminal, run),
    }
}

fn approximate_over_levels(file: &NodeFile, count: Count, terminal: bool, run: &mut Run<'_>) -> Result<Real> {
    let total = sum::<Scaled, 3>(file, count, terminal, &Scaled, run)?.expect("a fraction overflows never");
    let [_, fraction, exponent] = total;
    Ok(Real::of_fraction(fraction, exponent.cast_signed()))
}

/// The count, exactly.
struct Total<'a> {
    file: &'a NodeFile,
    count: Count,
}

impl Tally for Total<'_> {
    fn tally<A: Exact, const N: usize, const L: usize>(
        &self,
        terminal: bool,
        arithmetic: &A,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u64>>> {
        let total = sum::<A, N>(self.file, self.count, terminal, arithmetic, run)?;
        Ok(total.map(|total| total[1..].to_vec()))
    }
}

/// The sum that arrives at `terminal`, in all lanes but the first; `None` when it overflowed on the way.
pub fn sum<A: Arithmetic, const N: usize>(
    file: &NodeFile,
    count: Count,
    terminal: bool,
    arithmetic: &A,
    run: &mut Run<'_>,
) -> Result<Option<[u64; N]>> {
    let sum = Sum { count, arithmetic, total: [0; N], overflow: false };
    Ok(fold(file, terminal, sum, run)?.map(|sum| sum.total))
}

/// Numbers that are added up.
struct Sum<'a, A, const N: usize> {
    count: Count,
    arithmetic: &'a A,
    /// The sum of what has arrived.
    total: [u64; N],
    overflow: bool,
}

impl<A: Arithmetic, const N: usize> Load<N> for Sum<'_, A, N> {
    const SWEEP: Sweep = Sweep::Count;
    const KEYS: usize = if A::ROUNDED { N } else { 1 };

    fn root(&self) -> [u64; N] {
        let mut root = [0; N];
        self.arithmetic.one(&mut root[1..]);
        root
    }

    #[inline(always)]
    fn merge(&mut self, whole: &mut [u64; N], next: &[u64; N], _: &Space) -> Result<()> {
        self.overflow |= !self.arithmetic.add(&mut whole[1..], &next[1..]);
        Ok(())
    }

    #[inline(always)]
    fn send(&mut self, whole: &[u64; N], arc: Arc) -> [u64; N] {
        let mut value = *whole;
        if self.count == Count::Assignments {
            self.overflow |= !self.arithmetic.along(&mut value[1..], arc);
        }
        value
    }

    #[inline(always)]
    fn arrive(&mut self, value: &[u64; N], _: &Space) -> Result<()> {
        self.overflow |= !self.arithmetic.add(&mut self.total[1..], &value[1..]);
        Ok(())
    }

    fn in_vain(&self) -> bool {
        !A::ROUNDED && self.overflow
    }
}

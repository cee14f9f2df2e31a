//! Weighted counting: the weights of assignments travel, and those that meet are added up.
//!
//! An assignment weighs the product of the weights of its variables' values. [`Weights`] says what an arc multiplies by; all else
//! is as in [`count`](super::count) and [`taken`](super::taken).
//!
//! Cost: in floating point one fold, and for marginals one trace; exactly, one fold for every 915 bits, and one in floating point
//! beyond 242, which tells how many bits there are.
//!
//! After: M. Chavira, A. Darwiche, "On probabilistic inference by weighted model counting", 2008.

use num_bigint::BigInt;

use super::{
    arithmetic::Exact,
    count::{Count, sum},
    exact::{FEW_BITS, Tally, signed, small},
    real::{Real, Reals, real},
    taken::taken,
    weights::{Weights, level_bytes},
};
use crate::{error::Result, file::node_file::NodeFile, sweep::run::Run};

/// The sum of the weights of all assignments to the variables of the levels that lead to `terminal`, in a diagram that is no
/// constant.
///
/// Its error is less than one part in 2^62 for each node, and two for each level, of the sum that the magnitudes of the weights
/// would give; it is too small where no weight is negative.
pub fn weigh(file: &NodeFile, terminal: bool, weights: &Weights<'_, Reals>, run: &mut Run<'_>) -> Result<Real> {
    let sum = sum::<_, 3>(file, Count::Assignments, terminal, weights, run)?.expect("real numbers do not overflow");
    Ok(real(&sum[1..]))
}

/// For each level, by rank from 1, the share of the weights of all these assignments in which its variable is true; `None` if they
/// weigh nothing. No weight is negative.
pub fn marginals(
    file: &NodeFile,
    terminal: bool,
    weights: &Weights<'_, Reals>,
    run: &mut Run<'_>,
) -> Result<Option<Vec<f64>>> {
    let taken = taken::<_, 3, 4>(file, terminal, weights, run)?.expect("real numbers do not overflow");
    let pairs = || taken.chunks_exact(4).map(|level| [real(&level[..2]), real(&level[2..])]);
    // None skips the root's level.
    let all = pairs().next_back().map_or(Real::ZERO, |[low, high]| low + high);
    if all == Real::ZERO {
        return Ok(None);
    }
    let share = |(rank, taken): (usize, [Real; 2])| {
        let [low, high] = taken.map(|taken| taken.over(all));
        let [of_false, of_true] = weights.level(file.levels().ranks() - 1 - rank).map(real);
        (high + (1.0 - low - high).max(0.0) * of_true.over(of_false + of_true)).min(1.0)
    };
    Ok(Some((1..).zip(pairs()).map(share).collect()))
}

/// The sum that [`weigh`] gives, exactly, for whole weights: those of false and of true, from the root's level down.
pub fn weigh_exactly(file: &NodeFile, terminal: bool, levels: &[[i64; 2]], run: &mut Run<'_>) -> Result<BigInt> {
    let (sum, bits) = (Whole { file, levels }, bits(file, terminal, levels, run)?);
    if bits <= u64::BITS as usize
        && let Some(mut sum) = small(&sum, terminal, run)?
    {
        return Ok(sum.remove(0).into());
    }
    Ok(signed(&sum, terminal, bits, run)?.remove(0))
}

/// A number of bits that the magnitude of that sum fits.
fn bits(file: &NodeFile, terminal: bool, levels: &[[i64; 2]], run: &mut Run<'_>) -> Result<usize> {
    let magnitudes = |level: &[i64; 2]| level.map(|weight| Real::of_whole(weight.unsigned_abs()));
    let both = |level| magnitudes(level).into_iter().fold(Real::ZERO, |sum, weight| sum + weight);
    // Rounding has lost less than half, hence one bit more.
    let bits_of = |whole: Real| whole.exponent().cast_unsigned() as usize + 1;
    let most = bits_of(levels.iter().fold(Real::ONE, |product, level| product * both(level)));
    // And one for the sign.
    if most < FEW_BITS {
        return Ok(most);
    }
    let _charge = run.space.pool.charge(levels.len() * level_bytes(2), WHAT)?;
    let lanes = levels.iter().flat_map(magnitudes).flat_map(Real::lanes).collect();
    let weights = Weights::new(&Reals, lanes, 2).expect("real numbers do not overflow");
    weigh(file, terminal, &weights, run).map(bits_of)
}

/// What the memory of weights is charged as.
pub const WHAT: &str = "the weights of so many variables";

/// The sum of whole weights.
struct Whole<'a> {
    file: &'a NodeFile,
    levels: &'a [[i64; 2]],
}

impl Tally for Whole<'_> {
    fn tally<A: Exact, const N: usize, const L: usize>(
        &self,
        terminal: bool,
        arithmetic: &A,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u64>>> {
        let _charge = run.space.pool.charge(self.levels.len() * level_bytes(N - 1), WHAT)?;
        let mut levels = vec![0; 2 * self.levels.len() * (N - 1)];
        let mut given = levels.chunks_exact_mut(N - 1).zip(self.levels.as_flattened());
        if !given.all(|(lanes, &weight)| arithmetic.whole(lanes, weight)) {
            return Ok(None);
        }
        let Some(weights) = Weights::new(arithmetic, levels, N - 1) else { return Ok(None) };
        let total = sum::<_, N>(self.file, Count::Assignments, terminal, &weights, run)?;
        Ok(total.map(|total| total[1..].to_vec()))
    }
}

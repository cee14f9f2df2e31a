//! Weighted counting: the weights of the assignments that lead to a node travel, and what meets is added up.
//!
//! An assignment weighs the product of the weights of its variables' values. What leaves a node is multiplied by the weight of the
//! arc's value, and for each level that the arc skips by what both of its values weigh together. A tree keeps the products of
//! these sums: it gives that of any run of levels without a division, so that a level may weigh nothing, and exactly wherever 64 bits
//! hold it.
//!
//! ```text
//!        ┌─────── 1 ───────┐         levels 1 to 2, which an arc from level 0 to level 3 skips:
//!    ┌── 2 ──┐         ┌── 3 ──┐     5 · 6
//!    4       5         6       7
//!  level 0   1         2       3
//! ```
//!
//! Cost: one fold; a multiplication for each arc, and where it skips levels, up to twice the logarithm of their number more.
//! Memory: 32 bytes for each level.
//!
//! After: M. Chavira, A. Darwiche, "On probabilistic inference by weighted model counting", 2008.

use std::ops::Range;

use super::{Arc, Load, fold, real::Real};
use crate::{disk::space::Space, error::Result, file::node_file::NodeFile, progress::Sweep, sweep::run::Run};

/// What the values of each level weigh; all weights are finite.
pub struct Weights {
    /// The weights of false and of true, from the root's level down.
    levels: Vec<[f64; 2]>,
    /// The inner nodes of the tree, from 1 on; the children of `n` are `2n` and `2n + 1`, and the leaves, which are the sums of a
    /// level's two weights, come after the inner nodes.
    inner: Vec<Real>,
}

/// What both values of a variable weigh together.
pub fn both([of_false, of_true]: [f64; 2]) -> Real {
    Real::of(of_false) + Real::of(of_true)
}

impl Weights {
    /// Bytes for each level.
    pub const LEVEL_BYTES: usize = size_of::<[f64; 2]>() + size_of::<Real>();

    /// The weights of false and of true on `levels`, from the root's down.
    pub fn new(levels: Vec<[f64; 2]>) -> Self {
        let inner = vec![Real::ONE; levels.len()];
        let mut weights = Self { levels, inner };
        for node in (1..weights.inner.len()).rev() {
            weights.inner[node] = weights.below(2 * node) * weights.below(2 * node + 1);
        }
        weights
    }

    /// The product of the leaves below a node of the tree.
    fn below(&self, node: usize) -> Real {
        node.checked_sub(self.inner.len()).map_or_else(|| self.inner[node], |leaf| both(self.levels[leaf]))
    }

    /// What all values of a run of levels weigh together.
    fn of_all(&self, run: Range<usize>) -> Real {
        let (mut first, mut end) = (run.start + self.levels.len(), run.end + self.levels.len());
        let mut product = Real::ONE;
        // What is left of the run is that of whole nodes from `first` to `end`; one whose parent reaches out of it is taken.
        while first < end {
            if first % 2 == 1 {
                product = product * self.below(first);
                first += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                product = product * self.below(end);
            }
            (first, end) = (first / 2, end / 2);
        }
        product
    }

    /// What an arc weighs with all values of the levels it skips.
    fn of_arc(&self, arc: Arc) -> Real {
        let from = self.levels.len() - arc.from;
        let weight = Real::of(self.levels[from][usize::from(arc.high)]);
        if arc.skipped() == 0 { weight } else { weight * self.of_all(from + 1..self.levels.len() - arc.to) }
    }
}

/// The weight of all assignments to the variables of the levels that lead to `terminal`, in a diagram that is no constant.
///
/// It is off by less than one part in 2^62 for each node and two for each level of what it would be if all weights were as far above
/// zero as they are from it, and too small where they are.
pub fn weigh(file: &NodeFile, terminal: bool, weights: &Weights, run: &mut Run<'_>) -> Result<Real> {
    let weighed = fold(file, terminal, Weighed { weights, total: Real::ZERO }, run)?;
    Ok(weighed.expect("real numbers do not overflow").total)
}

/// Weights that are added up: (id, the two lanes of a number).
struct Weighed<'a> {
    weights: &'a Weights,
    /// What has arrived.
    total: Real,
}

fn number_of(&[_, fraction, scale]: &[u64; 3]) -> Real {
    Real::of_lanes([fraction, scale])
}

fn record_of(number: Real) -> [u64; 3] {
    let [fraction, scale] = number.lanes();
    [0, fraction, scale]
}

impl Load<3> for Weighed<'_> {
    const SWEEP: Sweep = Sweep::Count;
    /// Everything: sums depend on the order.
    const KEYS: usize = 3;

    fn root(&self) -> [u64; 3] {
        record_of(Real::ONE)
    }

    #[inline]
    fn merge(&mut self, whole: &mut [u64; 3], next: &[u64; 3], _: &Space) -> Result<()> {
        [whole[1], whole[2]] = (number_of(whole) + number_of(next)).lanes();
        Ok(())
    }

    #[inline]
    fn send(&mut self, whole: &[u64; 3], arc: Arc) -> [u64; 3] {
        record_of(number_of(whole) * self.weights.of_arc(arc))
    }

    #[inline]
    fn arrive(&mut self, value: &[u64; 3], _: &Space) -> Result<()> {
        self.total = self.total + number_of(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn the_weight_of_any_run_of_levels_is_the_product_of_their_sums() {
        let mut random = Rng::with_seed(1);
        for levels in (0..40).chain([63, 64, 65, 100]) {
            // So few are neither 1 nor −1 that every product is exact, and of the longer runs some hold a zero.
            let sums: Vec<i64> = (0..levels).map(|_| [3, -2, 0, 1, 1, 1, -1, -1][random.usize(..8)]).collect();
            let weights = Weights::new(sums.iter().map(|&sum| [sum as f64 - 0.375, 0.375]).collect());
            for start in 0..=levels {
                let mut product = 1.0;
                for end in start..=levels {
                    assert_eq!(weights.of_all(start..end), Real::of(product), "{start}..{end} of {levels}");
                    product *= sums.get(end).map_or(0.0, |&sum| sum as f64);
                }
            }
        }
    }
}

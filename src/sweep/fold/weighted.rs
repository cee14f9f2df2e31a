//! Weighted counting: the weights of assignments travel, and those that meet are added up.
//!
//! An assignment weighs the product of the weights of its variables' values. A node's weight is multiplied by the weight of the
//! arc's value, and for each level that the arc skips by the sum of that level's two weights. A tree keeps the products of these
//! sums: it gives the product for any run of levels without a division, so that a level may weigh 0, and exactly wherever 64 bits
//! hold it.
//!
//! ```text
//!        ┌─────── 1 ───────┐         levels 1 to 2, which an arc from level 0 to level 3 skips:
//!    ┌── 2 ──┐         ┌── 3 ──┐     5 · 6
//!    4       5         6       7
//!  level 0   1         2       3
//! ```
//!
//! Cost: one fold; a multiplication for each arc, and for an arc that skips levels up to twice the logarithm of their number more.
//! Memory: 32 bytes for each level.
//!
//! After: M. Chavira, A. Darwiche, "On probabilistic inference by weighted model counting", 2008.

use std::ops::Range;

use super::{Arc, Load, fold, real::Real};
use crate::{disk::space::Space, error::Result, file::node_file::NodeFile, progress::Sweep, sweep::run::Run};

/// The weights of each level's two values; all are finite.
pub struct Weights {
    /// The weights of false and of true, from the root's level down.
    levels: Vec<[f64; 2]>,
    /// The inner nodes of the tree, from 1 on; the children of `n` are `2n` and `2n + 1`, and the leaves, which are the sums of a
    /// level's two weights, come after the inner nodes.
    inner: Vec<Real>,
}

/// The sum of a variable's two weights.
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

    /// The product of the sums of a run of levels.
    fn of_all(&self, run: Range<usize>) -> Real {
        let (mut first, mut end) = (run.start + self.levels.len(), run.end + self.levels.len());
        let mut product = Real::ONE;
        // The rest of the run is the nodes from `first` to `end` of one height; a node whose parent reaches beyond the run is
        // multiplied in.
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

    /// The weight of an arc, times the sums of the levels it skips.
    fn of_arc(&self, arc: Arc) -> Real {
        let from = self.levels.len() - arc.from;
        let weight = Real::of(self.levels[from][usize::from(arc.high)]);
        if arc.skipped() == 0 { weight } else { weight * self.of_all(from + 1..self.levels.len() - arc.to) }
    }
}

/// The sum of the weights of all assignments to the variables of the levels that lead to `terminal`, in a diagram that is no
/// constant.
///
/// Its error is less than one part in 2^62 for each node, and two for each level, of the sum that the magnitudes of the weights
/// would give; it is too small where no weight is negative.
pub fn weigh(file: &NodeFile, terminal: bool, weights: &Weights, run: &mut Run<'_>) -> Result<Real> {
    let weighed = fold(file, terminal, Weighed { weights, total: Real::ZERO }, run)?;
    Ok(weighed.expect("real numbers do not overflow").total)
}

/// Weights that travel: (id, the two lanes of a number).
struct Weighed<'a> {
    weights: &'a Weights,
    /// The sum of what has arrived.
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
    /// All lanes: rounded sums depend on the order.
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
            // So few sums are neither 1 nor −1 that every product is exact; some of the longer runs hold a zero.
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

//! Weights as an arithmetic: an arc multiplies a number by the weight of its value, and for each level that it skips by the sum of
//! that level's two weights.
//!
//! A tree keeps the products of these sums: it gives the product for any run of levels without a division, so that a level may
//! weigh 0, and exactly wherever the numbers are exact.
//!
//! ```text
//!        ┌─────── 1 ───────┐         levels 1 to 2, which an arc from level 0 to level 3 skips:
//!    ┌── 2 ──┐         ┌── 3 ──┐     5 · 6
//!    4       5         6       7
//!  level 0   1         2       3
//! ```
//!
//! Cost: a multiplication for each arc, and for an arc that skips levels up to twice the logarithm of their number more.

use super::{
    Arc,
    arithmetic::{Arithmetic, Multiply},
};

/// The weights of each level's two values, as numbers of `arithmetic`.
pub struct Weights<'a, A> {
    arithmetic: &'a A,
    /// Lanes of a number.
    lanes: usize,
    /// The weights of false and of true, from the root's level down.
    levels: Vec<u64>,
    /// The nodes of the tree, from 1 on; the children of `n` are `2n` and `2n + 1`. The leaves, which are the sums of a level's two
    /// weights, are the later half.
    tree: Vec<u64>,
}

/// Bytes that weights of `lanes` lanes take for each level.
pub const fn level_bytes(lanes: usize) -> usize {
    4 * lanes * size_of::<u64>()
}

impl<'a, A: Multiply> Weights<'a, A> {
    /// The weights `levels` of false and of true, from the root's level down, each in `lanes` lanes. `None` where a product of the
    /// levels' sums overflows.
    pub fn new(arithmetic: &'a A, levels: Vec<u64>, lanes: usize) -> Option<Self> {
        let depth = levels.len() / (2 * lanes);
        let (mut tree, mut fits) = (vec![0; levels.len()], true);
        for (sum, level) in tree[depth * lanes..].chunks_exact_mut(lanes).zip(levels.chunks_exact(2 * lanes)) {
            level.chunks_exact(lanes).for_each(|weight| fits &= arithmetic.add(sum, weight));
        }
        for node in (1..depth).rev() {
            let (above, below) = tree.split_at_mut(2 * node * lanes);
            let product = &mut above[node * lanes..][..lanes];
            product.copy_from_slice(&below[..lanes]);
            fits &= arithmetic.multiply(product, &below[lanes..2 * lanes]);
        }
        fits.then_some(Self { arithmetic, lanes, levels, tree })
    }

    /// How many levels there are.
    fn depth(&self) -> usize {
        self.levels.len() / (2 * self.lanes)
    }

    /// The weights of false and of true on `level`.
    pub fn level(&self, level: usize) -> [&[u64]; 2] {
        [0, 1].map(|value| &self.levels[(2 * level + value) * self.lanes..][..self.lanes])
    }

    /// Multiplies `a` by the sums of the levels from `first` to before `end`.
    fn multiply_by_all(&self, a: &mut [u64], first: usize, end: usize) -> bool {
        let mut fits = true;
        let mut below =
            |node: usize| fits &= self.arithmetic.multiply(a, &self.tree[node * self.lanes..][..self.lanes]);
        let (mut first, mut end) = (first + self.depth(), end + self.depth());
        // The rest of the run is the nodes from `first` to `end` of one height; a node whose parent reaches beyond the run is
        // multiplied in.
        while first < end {
            if first % 2 == 1 {
                below(first);
                first += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                below(end);
            }
            (first, end) = (first / 2, end / 2);
        }
        fits
    }
}

impl<A: Multiply> Arithmetic for Weights<'_, A> {
    const ROUNDED: bool = A::ROUNDED;

    fn one(&self, a: &mut [u64]) {
        self.arithmetic.one(a);
    }

    #[inline]
    fn add(&self, a: &mut [u64], b: &[u64]) -> bool {
        self.arithmetic.add(a, b)
    }

    #[inline]
    fn along(&self, a: &mut [u64], arc: Arc) -> bool {
        let from = self.depth() - arc.from;
        let fits = self.arithmetic.multiply(a, self.level(from)[usize::from(arc.high)]);
        fits && (arc.skipped() == 0 || self.multiply_by_all(a, from + 1, self.depth() - arc.to))
    }
}

impl<A: Multiply> Multiply for Weights<'_, A> {
    fn multiply(&self, a: &mut [u64], b: &[u64]) -> bool {
        self.arithmetic.multiply(a, b)
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::sweep::fold::{
        arithmetic::Exact,
        real::{Real, Reals},
        residues::{Modulo, coprimes},
    };

    #[test]
    fn the_weight_of_any_run_of_levels_is_the_product_of_their_sums() {
        let mut random = Rng::with_seed(1);
        let residues = Modulo::<3>::new(&coprimes(3));
        for levels in (0..40).chain([63, 64, 65, 100]) {
            // So few sums are neither 1 nor −1 that every product is exact; some of the longer runs hold a zero.
            let sums: Vec<i64> = (0..levels).map(|_| [3, -2, 0, 1, 1, 1, -1, -1][random.usize(..8)]).collect();
            let reals = sums.iter().flat_map(|&sum| [sum as f64 - 0.375, 0.375]);
            let reals =
                Weights::new(&Reals, reals.flat_map(|weight| Real::of(weight).lanes()).collect(), 2).expect("real");
            let lanes = |number| {
                let mut lanes = [0; 3];
                residues.whole(&mut lanes, number);
                lanes
            };
            let whole = sums.iter().flat_map(|&sum| [sum - 8, 8]).flat_map(lanes);
            let whole = Weights::new(&residues, whole.collect(), 3).expect("residues");
            for start in 0..=levels {
                let mut product = 1;
                for end in start..=levels {
                    let mut real = Real::ONE.lanes();
                    reals.multiply_by_all(&mut real, start, end);
                    assert_eq!(Real::of_lanes(real), Real::of(product as f64), "{start}..{end} of {levels}");
                    let mut residue = [1; 3];
                    whole.multiply_by_all(&mut residue, start, end);
                    assert_eq!(residue, lanes(product), "{start}..{end} of {levels}");
                    product *= sums.get(end).unwrap_or(&0);
                }
            }
        }
    }
}

//! A weighted sum as a grid of nodes, one for every level and every bound that is still open there.
//!
//! ```text
//!   2 x0 + 3 x1 + 4 x2 <= 5      bounds left for the terms from here on
//!
//!                   5            x0
//!           3   4   5            x1    no sum leaves 4: no arc leads to its node
//!   0   1   2   3                x2    false below 0, true from 4 on
//! ```
//!
//! A node's low child has the same bound in the row below, its high child a bound that is smaller by the weight.

use std::mem;

use super::terms::Term;
use crate::{
    builder::{BddBuilder, BuilderNode},
    disk::charge::Charge,
    error::Result,
};

/// The grid of "the sum of the terms is the bound" or "is at most the bound".
pub struct Grid<'a> {
    pub terms: &'a [Term],
    pub bound: i128,
    /// Whether smaller sums count too.
    pub fewer: bool,
    /// Whether all weights are 1 or −1. Then all nodes are different, and the root leads to every one.
    pub counts: bool,
    /// The number of open bounds on all levels together, or the largest `u64`.
    pub places: u64,
    /// Bytes of two rows, or the largest `usize`.
    pub row_bytes: usize,
}

/// The bounds that are open on a level: some sum of the terms above may leave them, and they decide nothing yet.
struct Open {
    last: i128,
    width: u128,
}

/// Farther than any row in memory is wide.
const BEYOND: i128 = 1 << 62;

impl<'a> Grid<'a> {
    /// The grid of terms whose largest common divisor is 1, and of a bound that decides nothing yet.
    pub fn new(terms: &'a [Term], bound: i128, fewer: bool) -> Self {
        let mut grid = Self { terms, bound, fewer, counts: true, places: 0, row_bytes: 0 };
        let (mut places, mut widest) = (0u128, 0u128);
        for (above, term) in terms.iter().enumerate() {
            let Open { width, .. } = grid.open(above);
            places = places.saturating_add(width);
            widest = width.max(widest);
            grid.counts &= matches!(term.weight, -1..=1);
        }
        grid.places = u64::try_from(places).unwrap_or(u64::MAX);
        let row_bytes = widest.saturating_mul(2 * size_of::<BuilderNode>() as u128);
        grid.row_bytes = usize::try_from(row_bytes).unwrap_or(usize::MAX);
        grid
    }

    /// The open bounds for the terms after the first `above`. A bound beyond the last decides on `fewer`, one before the first on
    /// false.
    fn open(&self, above: usize) -> Open {
        let (all, rest) = (&self.terms[0], &self.terms[above]);
        let first = rest.min.max(self.bound - (all.max - rest.max));
        let last = (rest.max - i128::from(self.fewer)).min(self.bound - (all.min - rest.min));
        Open { last, width: u128::try_from(last + 1 - first).unwrap_or(0) }
    }

    /// Gives all nodes to `builder`, the last level first and the root last; returns the root.
    pub fn add_nodes(&self, builder: &mut BddBuilder, charge: &mut Charge) -> Result<BuilderNode> {
        charge.grow(self.row_bytes)?;
        let most = self.row_bytes / 2 / size_of::<BuilderNode>();
        let [mut below, mut row] = [(); 2].map(|()| Vec::with_capacity(most));
        let end = self.terms.len() - 1;
        let mut last_below = self.open(end).last;
        // After all terms only the bound 0 may be open: the terms must leave exactly that.
        below.extend((0..self.open(end).width).map(|_| BuilderNode::from(true)));
        for above in (0..end).rev() {
            let Open { last, width } = self.open(above);
            self.add_row(above, (last_below - last, &below), width, &mut row, builder)?;
            last_below = last;
            mem::swap(&mut below, &mut row);
            row.clear();
        }
        Ok(below[0])
    }

    /// Adds `width` nodes of one level to `row`, the largest bound first. The row below comes with the distance of its first bound
    /// from this row's.
    fn add_row(
        &self,
        above: usize,
        (distance, below): (i128, &[BuilderNode]),
        width: u128,
        row: &mut Vec<BuilderNode>,
        builder: &mut BddBuilder,
    ) -> Result<()> {
        let Term { variable, weight, .. } = self.terms[above];
        let [low, high] = [distance, distance + weight].map(|at| at.clamp(-BEYOND, BEYOND) as i64);
        let child = |at: i64| match usize::try_from(at) {
            Ok(at) => below.get(at).copied().unwrap_or(false.into()),
            Err(_) => self.fewer.into(),
        };
        // Neighbours are often equal: to see that here is faster than the builder's table.
        let (mut children, mut node) = ([false.into(); 2], false.into());
        for at in 0..width as i64 {
            let asked = [child(low + at), child(high + at)];
            if asked != children {
                node = builder.add_node(variable, asked[0], asked[1])?;
                children = asked;
            }
            row.push(node);
        }
        Ok(())
    }
}

//! The recipe of Kunkle, Slavici and Cooperman (2010): a queen stands somewhere in the first row, and in the second, …
//! Square (i, j) is variable N·i + j.

use std::ops::{BitAnd, BitOr};

use clap::ValueEnum;
use strata_bdd::{Bdd, BuilderNode, Result, Store};

use crate::{Failure, abreast::abreast, halves::in_halves};

/// The order of conjunctions.
#[derive(Clone, Copy, ValueEnum)]
pub enum Order {
    /// One row after another joins those before it: a large diagram and a small one.
    Linear,
    /// The upper half of the rows joins the lower half, each put together in the same way: two large diagrams.
    Balanced,
}

/// All solutions, and the way to them.
pub struct Board {
    /// The diagram of all solutions.
    pub bdd: Bdd,
    /// Nodes of the largest diagram there was on the way.
    pub largest: u64,
}

/// All placements of `n` queens, row by row. `row_done` hears of every row, and of the nodes of the diagram of all rows so far.
pub fn board(
    n: u32,
    order: Order,
    store: &Store,
    row_done: impl Fn(u32, u64) -> Result<(), Failure>,
) -> Result<Board, Failure> {
    match order {
        Order::Linear => {
            let mut board = Board { bdd: store.constant(true), largest: 0 };
            // Rows are small, so that threads help most where each makes one; the last ones are largest, and so no thread goes without
            // one of these.
            let threads = store.config().threads as u32;
            for end in (n % threads..=n).step_by(threads as usize) {
                let first = end.saturating_sub(threads);
                let rows = abreast(first..end, |i| row(n, i, store))?;
                for (i, row) in (first..).zip(rows) {
                    board = board.join(row, BitAnd::bitand)?;
                    row_done(i, board.bdd.node_count())?;
                }
            }
            Ok(board)
        }
        Order::Balanced => {
            let row = |i| {
                let row = row(n, i, store)?;
                row_done(i, row.bdd.node_count())?;
                Ok(row)
            };
            in_halves(0..n, &row, &|upper: Board, lower| Ok(upper.join(lower, BitAnd::bitand)?))
        }
    }
}

/// A queen somewhere in row `i`: in the left half, or in the right half.
fn row(n: u32, i: u32, store: &Store) -> Result<Board> {
    let square = |j| {
        let bdd = queen(n, i, j, store)?;
        Ok(Board { largest: bdd.node_count(), bdd })
    };
    in_halves(0..n, &square, &|left: Board, right| left.join(right, BitOr::bitor))
}

impl Board {
    /// What `operator` makes of two. Nobody needs either any more, so they are given away.
    fn join(self, other: Self, operator: fn(Bdd, Bdd) -> Result<Bdd>) -> Result<Self> {
        let bdd = operator(self.bdd, other.bdd)?;
        Ok(Self { largest: self.largest.max(other.largest).max(bdd.node_count()), bdd })
    }
}

/// A queen on square (`i`, `j`) and none on a square that she attacks: one chain, from the last square up.
fn queen(n: u32, i: u32, j: u32, store: &Store) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut below = BuilderNode::from(true);
    for variable in (0..n * n).rev() {
        let (row, column) = (variable / n, variable % n);
        if (row, column) == (i, j) {
            below = builder.add_node(variable, false, below)?;
        } else if row == i || column == j || row.abs_diff(i) == column.abs_diff(j) {
            below = builder.add_node(variable, below, false)?;
        }
    }
    builder.build()
}

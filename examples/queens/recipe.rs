//! The recipe of Kunkle, Slavici and Cooperman (2010): the conjunction over all rows of "a queen stands somewhere in
//! this row". Square (i, j) is variable N·i + j.

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

/// The diagram of all solutions, or of a part of the board, and the size of the diagrams on the way there.
pub struct Board {
    /// The diagram.
    pub bdd: Bdd,
    /// The nodes of the largest diagram on the way there.
    pub largest: u64,
    /// The nodes of the widest level on the way there.
    pub widest: u64,
}

/// The diagram of all solutions of `n` queens. `row_done` is told of every row: in linear order with the nodes of the
/// diagram of all rows so far, in balanced order with those of the row alone.
pub fn board(
    n: u32,
    order: Order,
    store: &Store,
    row_done: impl Fn(u32, u64) -> Result<(), Failure>,
) -> Result<Board, Failure> {
    match order {
        Order::Linear => {
            let mut board = Board::of(store.constant(true));
            // The diagram of a row is too small to share, so each thread makes one row. Only the first batch may have
            // fewer rows than there are threads, since the last rows take longest.
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

/// A queen somewhere in row `i`, joined by halves of the row.
fn row(n: u32, i: u32, store: &Store) -> Result<Board> {
    let square = |j| Ok(Board::of(queen(n, i, j, store)?));
    in_halves(0..n, &square, &|left: Board, right| left.join(right, BitOr::bitor))
}

impl Board {
    /// A diagram with nothing on the way to it.
    fn of(bdd: Bdd) -> Self {
        Self { largest: bdd.node_count(), widest: bdd.width(), bdd }
    }

    /// The result of `operator`. Both diagrams are given away, since nobody needs them any more.
    fn join(self, other: Self, operator: fn(Bdd, Bdd) -> Result<Bdd>) -> Result<Self> {
        let joined = Self::of(operator(self.bdd, other.bdd)?);
        let largest = joined.largest.max(self.largest).max(other.largest);
        let widest = joined.widest.max(self.widest).max(other.widest);
        Ok(Self { largest, widest, ..joined })
    }
}

/// A queen on square (`i`, `j`) and none on the squares that she attacks: a chain, built from the last square up.
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

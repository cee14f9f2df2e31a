//! The recipe of Kunkle, Slavici and Cooperman (2010): a queen stands somewhere in the first row, and in the second, …
//! Square (i, j) is variable N·i + j.

use strata_bdd::{Bdd, BuilderNode, Result, Store};

use crate::Failure;

/// All solutions, and the way to them.
pub struct Board {
    /// The diagram of all solutions.
    pub bdd: Bdd,
    /// Nodes of the largest diagram there was on the way.
    pub largest: u64,
}

/// All placements of `n` queens. `row_done` hears of every row, and of the nodes of the diagram of all rows so far.
pub fn board(n: u32, store: &Store, row_done: impl Fn(u32, u64) -> Result<(), Failure>) -> Result<Board, Failure> {
    let mut bdd = store.constant(true);
    let mut largest = 0;
    for i in 0..n {
        let mut row = store.constant(false);
        for j in 0..n {
            let queen = queen(n, i, j, store)?;
            row = row.or(&queen)?;
            largest = largest.max(queen.node_count()).max(row.node_count());
        }
        bdd = bdd.and(&row)?;
        largest = largest.max(bdd.node_count());
        row_done(i, bdd.node_count())?;
    }
    Ok(Board { bdd, largest })
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

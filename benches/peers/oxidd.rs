//! N-Queens with the plain BDDs of `OxiDD`: one shared node store and one apply cache, both of a fixed size.

use std::hash::RandomState;

use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::util::{AllocResult, SatCountCache, num::F64};
use oxidd::{BooleanFunction, HasWorkers, Manager, ManagerRef, WorkerPool};

use super::literals::literals;
use crate::{abreast::abreast, halves::in_halves};

/// The placements in the first `rows` rows of a board of `n`, and their store, whose cache has `1 << cache` entries.
pub fn board(n: u16, rows: u16, threads: u32, cache: u32) -> AllocResult<(BDDManagerRef, BDDFunction)> {
    let squares = Squares::new(n, threads, cache)?;
    let board = squares.board(rows)?;
    Ok((squares.manager, board))
}

/// The binary logarithm of the fastest size of the apply cache, or of the smallest of several equally fast ones:
/// measured at N=4 to 8 and 10 to 12.
pub fn fastest_cache(n: u16) -> u32 {
    match n {
        ..=8 => 12,
        11 => 18,
        _ => u32::from(3 * n - 14),
    }
}

/// A store for boards of one size.
pub struct Squares {
    /// The store.
    pub manager: BDDManagerRef,
    n: u16,
    threads: u32,
    /// The negative and the positive literal of each variable.
    both: Vec<[BDDFunction; 2]>,
}

impl Squares {
    /// An empty store.
    ///
    /// The store has room for several times the nodes that a board creates, so that no garbage collection ever costs
    /// time; slots never used cost no memory. The cache has `1 << cache` entries.
    pub fn new(n: u16, threads: u32, cache: u32) -> AllocResult<Self> {
        let manager = new_manager(1 << (2 * n + 2), 1 << cache, threads);
        let both = manager.with_manager_exclusive(|manager| {
            if threads > 1 {
                manager.workers().set_split_depth(Some(12));
            }
            let variables = manager.add_vars(u32::from(n * n));
            let both = |variable| Ok([BDDFunction::not_var(manager, variable)?, BDDFunction::var(manager, variable)?]);
            variables.map(both).collect::<AllocResult<Vec<_>>>()
        })?;
        Ok(Self { manager, n, threads, both })
    }

    /// The placements in the first `rows` rows.
    pub fn board(&self, rows: u16) -> AllocResult<BDDFunction> {
        let square = |i, j| {
            let mut chain = self.manager.with_manager_shared(|manager| BDDFunction::t(manager));
            for (variable, value) in literals(self.n, i, j).rev() {
                // The literal is above the chain: this makes one node.
                chain = self.both[usize::from(variable)][usize::from(value)].and(&chain)?;
            }
            AllocResult::Ok(chain)
        };
        let row = |i| in_halves(0..self.n.into(), &|j| square(i, j as u16), &|left, right| left.or(&right));
        // The rows are joined one after another, and made in batches of one for each thread, as in our example.
        let mut board = self.manager.with_manager_shared(|manager| BDDFunction::t(manager));
        for end in (u32::from(rows) % self.threads..=rows.into()).step_by(self.threads as usize) {
            for row in abreast(end.saturating_sub(self.threads)..end, |i| row(i as u16))? {
                board = board.and(&row)?;
            }
        }
        Ok(board)
    }
}

/// The number of assignments to `variables` variables for which `function` is true. For a whole board, it is a number
/// of solutions far below 2^53, times a power of two: exact in a double.
pub fn count(function: &BDDFunction, variables: u32) -> f64 {
    let F64(count) = function.sat_count(variables, &mut SatCountCache::<F64, RandomState>::default());
    count
}

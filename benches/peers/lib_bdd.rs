//! N-Queens with `biodivine-lib-bdd`: every diagram is an array of its own, one thread.

use std::convert::Infallible;

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariableSet};

use super::literals::literals;
use crate::halves::in_halves;

/// The placements in the first `rows` rows of a board of `n`.
pub fn board(n: u16, rows: u16) -> Bdd {
    let set = BddVariableSet::new_anonymous(n * n);
    let variables = set.variables();
    let square = |i, j| {
        let literals = literals(n, i, j).map(|(variable, value)| (variables[usize::from(variable)], value));
        set.mk_conjunctive_clause(&BddPartialValuation::from_values_iter(literals))
    };
    let row = |i| {
        let square = |j| Ok::<_, Infallible>(square(i, j as u16));
        let Ok(row) = in_halves(0..n.into(), &square, &|left, right| Ok(left.or(&right)));
        row
    };
    (1..rows).fold(row(0), |board, i| board.and(&row(i)))
}

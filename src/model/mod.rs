//! Plain values: ids, operators, variables, cubes. No files, no memory to speak of.
//!
//! The invariants of a reduced diagram, by the numbers that assertions and `validate` name:
//!
//! 1. A node's id is its position in its file; ids 0 and 1 are the terminals false and true.
//! 2. Levels lie bottom-up: a child's id is smaller than its parent's, and its variable is larger.
//! 3. No node has two equal children, and no two nodes of a level have the same children.
//! 4. Within a level, nodes are ordered by (low, high).
//! 5. The last node is the root, and every node lies below it.
//! 6. The path of only low arcs ends in false; a handle's complement bit says where the function itself differs.
//! 7. Ids are 32 bits wide if and only if all of them fit the narrow width.
//! 8. The hash of a diagram is that of its bytes.

pub mod op;
pub mod pairs;

use crate::error::{Error, Result};

/// The id of the terminal false.
pub const FALSE: u64 = 0;
/// The id of the terminal true.
pub const TRUE: u64 = 1;
/// Ids below this one are terminals.
pub const TERMINALS: u64 = 2;

/// The value of a terminal; `None` for an inner node.
#[inline(always)]
pub fn value(id: u64) -> Option<bool> {
    (id < TERMINALS).then_some(id == TRUE)
}

/// The largest variable: 2^24 − 1.
///
/// How many variables one diagram can have depends on the budget: a sweep and its diagrams take some 200 bytes for each level, from
/// an eighth of the budget and 8 MiB and from the common share. Where little else is held, a hundred thousand levels need 40 MiB
/// for `restrict` and `sat_count`, 70 for `marginals`, 120 for a `replace` that changes the order, 250 for `weighted_count_exact`
/// and 300 for functions in place of half of the variables, all on one thread (`tests/smallest_budget.rs`); a million need ten
/// times that or more.
pub const LARGEST_VARIABLE: u32 = (1 << 24) - 1;

/// Checks that `variable` is one a diagram can have.
pub fn check_variable(variable: impl Into<i64>) -> Result<()> {
    let variable = variable.into();
    if (0..=LARGEST_VARIABLE.into()).contains(&variable) {
        Ok(())
    } else {
        Err(Error::VariableOutOfRange { variable, largest: LARGEST_VARIABLE })
    }
}

/// Variables and their values, the variables in ascending order: a conjunction of literals, or an assignment.
///
/// Variables that it does not name may have any value. Cubes that name the same variables, and paths of one diagram, compare
/// as vectors in their lexicographic order: the first variable counts most, false comes before true.
pub type Cube = Vec<(u32, bool)>;

/// The value of `variable` in a cube, or in another list of pairs by ascending variable; `None` if it is not there.
pub fn value_in<T: Copy>(cube: &[(u32, T)], variable: u32) -> Option<T> {
    cube.binary_search_by_key(&variable, |literal| literal.0).ok().map(|at| cube[at].1)
}

//! `unique`: where a function is true for an odd number of values of some variables, by nested sweeps.
//!
//! On the way up, every node that tests one of the variables becomes the "exclusive or" of its children. A function that does not
//! depend on a variable is true for both its values or for neither, so an arc that leads past such a level is redirected to false.

use crate::{
    disk::lane::Lane,
    error::Result,
    file::unreduced::Unreduced,
    model::FALSE,
    sweep::{
        down::{expand::expand, ground::Until},
        nest::Nest,
        ops::difference::Difference,
        run::Run,
        up::pause::{Covers, Pause},
    },
};

/// The exclusive disjunction of all cofactors by some variables.
pub struct Unique {
    /// In ascending order; the operand has nodes that test each.
    pub variables: Vec<u32>,
    /// Whether the result is the negation.
    pub complement: bool,
}

impl Covers for Unique {
    fn covers(&self, variable: u32, _: Option<u32>) -> bool {
        self.variables.binary_search(&variable).is_ok()
    }

    fn settle(&self, low: u64, high: u64) -> Option<u64> {
        match (low, high) {
            _ if low == high => Some(FALSE),
            (FALSE, other) | (other, FALSE) => Some(other),
            _ => None,
        }
    }

    fn drops(&self) -> bool {
        true
    }

    fn negates(&self) -> bool {
        self.complement
    }
}

impl Nest for Unique {
    fn resume<I: Lane>(&self, variable: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>> {
        // The two cofactors are there already: no level of the forest tests this variable.
        let (space, spec) = (run.space, Difference { variable, first: u64::MAX, complement: false });
        let Pause { above, forest, mut pairs, singles } = pause;
        debug_assert_eq!(singles.count(), 0, "arcs that should have been dropped");
        let ask_all = |ask: &mut dyn FnMut([I; 3]) -> Result<()>| pairs.drain_each(space, ask);
        expand(&spec, &[&forest, &forest], above, Until::DONE, ask_all, run)
    }
}

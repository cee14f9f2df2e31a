//! `OxiDD`.

use oxidd::{
    BooleanFunction, Manager, ManagerRef,
    bdd::{BDDFunction, BDDManagerRef, new_manager},
};

use super::netlist::Function;
use crate::{Failure, operations::oxidd::room};

/// The nodes that the store of a circuit holds: more than any circuit makes, so that no garbage collection costs time.
/// Slots never used cost no memory.
const STORE: usize = 1 << 26;

/// A store for functions of `variables` variables, whose cache has `cache` entries.
pub fn store(variables: u32, cache: usize) -> BDDManagerRef {
    let manager = new_manager(STORE, cache, 1);
    manager.with_manager_exclusive(|manager| manager.add_vars(variables));
    manager
}

/// The function that is `variable`.
pub fn variable(manager: &BDDManagerRef, variable: u32) -> Result<BDDFunction, Failure> {
    room(manager.with_manager_shared(|manager| BDDFunction::var(manager, variable)))
}

/// Empties the cache and drops the nodes to which nothing leads.
pub fn forget(manager: &BDDManagerRef) {
    manager.with_manager_shared(|manager| manager.gc());
}

impl Function for BDDFunction {
    fn and(&self, other: &Self) -> Result<Self, Failure> {
        room(BooleanFunction::and(self, other))
    }

    fn or(&self, other: &Self) -> Result<Self, Failure> {
        room(BooleanFunction::or(self, other))
    }

    fn xor(&self, other: &Self) -> Result<Self, Failure> {
        room(BooleanFunction::xor(self, other))
    }

    fn eval(&self, assignment: &[bool]) -> Result<bool, Failure> {
        Ok(BooleanFunction::eval(self, (0..).zip(assignment.iter().copied())))
    }
}

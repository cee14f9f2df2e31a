//! Comparing functions without computing a diagram.

use super::Bdd;
use crate::{
    error::Result,
    model::op::BinaryOp,
    sweep::{apply::Apply, search::find},
};

impl Bdd {
    /// Whether `other` is true wherever this function is.
    ///
    /// One expand sweep at most, which ends where it finds a counterexample. Constant time where operands are constant, equal
    /// or each other's negation.
    ///
    /// # Errors
    /// [`Error::DifferentStores`](crate::Error::DifferentStores), and those of the disk and the budget.
    pub fn implies(&self, other: &Self) -> Result<bool> {
        self.disjoint(&other.negated())
    }

    /// Whether this function and `other` are nowhere true together; see [`Bdd::implies`].
    pub fn disjoint(&self, other: &Self) -> Result<bool> {
        self.same_store(other)?;
        if self.is_constant() || other.is_constant() || self.file.hash() == other.file.hash() {
            return Ok(self.and(other)?.as_constant() == Some(false));
        }
        if self.complement && other.complement {
            // Both are true where all variables are false.
            return Ok(false);
        }
        let (a, b) = if self.node_count() < other.node_count() { (other, self) } else { (self, other) };
        let both = BinaryOp::from_fn(|x, y| (x != a.complement) && (y != b.complement));
        let meet = self.store.run("disjoint", |run| find(&Apply::new(both), &[&a.file, &b.file], run))?;
        Ok(!meet)
    }
}

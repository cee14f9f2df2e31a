//! Comparing functions without computing a diagram.

use super::Bdd;
use crate::{
    error::Result,
    model::{op::BinaryOp, value_in},
    store::outside_callback,
    sweep::{ops::apply::Apply, search::find},
};

impl Bdd {
    /// Whether `other` is true wherever this function is.
    ///
    /// Where both are in memory, it first tests `other` at the first and the last point at which this function is true, and this
    /// function at those at which `other` is false. Then it takes one expand sweep at most, which ends on the level where it finds
    /// a counterexample. Constant time where operands are constant, equal or each other's negation. The diagram of the implication
    /// is [`Bdd::imp`]; `self.diff(other)?.pick()?` is a counterexample.
    ///
    /// # Errors
    /// [`Error::DifferentStores`](crate::Error::DifferentStores), and those of the disk and the budget.
    pub fn implies(&self, other: &Self) -> Result<bool> {
        self.disjoint(&other.negated())
    }

    /// Whether this function and `other` are nowhere true together; see [`Bdd::implies`].
    pub fn disjoint(&self, other: &Self) -> Result<bool> {
        self.same_store(other)?;
        if self.is_trivial_with(other) {
            return Ok(self.and(other)?.is_false());
        }
        if self.complement && other.complement {
            // Both are true where all variables are false.
            return Ok(false);
        }
        outside_callback()?;
        if self.meets(other)? || other.meets(self)? {
            return Ok(false);
        }
        let [a, b] = self.larger_first(other);
        let both = BinaryOp::from_fn(|x, y| (x != a.complement) && (y != b.complement));
        let (nodes, files) = (a.node_count() + b.node_count(), [&a.file, &b.file]);
        let meet = self.store.run_beside("disjoint", nodes, |run| find(&Apply::new(both), &files, run))?;
        Ok(!meet)
    }

    /// Whether `other` is true at the first or the last point in lexicographic order at which this function, which is not false, is
    /// true. `false` without a look where one of them is on disk, since every step of a walk would read a block.
    fn meets(&self, other: &Self) -> Result<bool> {
        if self.disk_bytes() + other.disk_bytes() > 0 {
            return Ok(false);
        }
        for (cube, rest) in [(self.cube_min()?, false), (self.cube_max()?, true)] {
            let cube = cube.unwrap_or_default();
            if other.eval(|variable| value_in(&cube, variable).unwrap_or(rest))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

//! Counting, by folds.

use num_bigint::BigUint;

use super::Bdd;
use crate::{
    error::{Error, Result},
    model::LARGEST_VARIABLE,
    sweep::fold::{Count, count},
};

impl Bdd {
    /// The number of assignments to `variables` variables for which the function is true, exactly.
    ///
    /// The variables the function depends on must be among them, whatever their numbers; each of the others doubles the
    /// count. One top-down sweep: O(sort(f)) transfers while counts fit 64 bits, once more for every 244 levels otherwise.
    ///
    /// # Errors
    /// [`Error::TooFewVariables`] when the function depends on more, [`Error::VariableOutOfRange`] beyond 2^24 of them, and
    /// those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// assert_eq!(store.variable(0)?.sat_count(40)?, (1u64 << 39).into());
    /// assert_eq!(store.constant(false).sat_count(0)?, 0u8.into());
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_count(&self, variables: u32) -> Result<BigUint> {
        let support = (self.file.levels().ranks() - 1) as u64;
        if u64::from(variables) < support {
            return Err(Error::TooFewVariables { given: variables.into(), support });
        }
        if variables > LARGEST_VARIABLE + 1 {
            return Err(Error::VariableOutOfRange { variable: variables - 1, largest: LARGEST_VARIABLE });
        }
        let over_support =
            self.store.run("sat_count", |run| count(&self.file, Count::Assignments, !self.complement, run))?;
        Ok(over_support << (u64::from(variables) - support))
    }

    /// The number of paths from the root to true, exactly. The constant true has one, the empty path.
    ///
    /// One top-down sweep, like [`Bdd::sat_count`].
    ///
    /// # Errors
    /// Those of the disk and the budget.
    pub fn path_count(&self) -> Result<BigUint> {
        self.store.run("path_count", |run| count(&self.file, Count::Paths, !self.complement, run))
    }
}

//! Fixing variables.

use std::collections::BTreeMap;

use super::Bdd;
use crate::{
    error::{Error, Result},
    model::{check_variable, value_in},
    sweep::{
        build::build,
        ops::restrict::{Instead, Restrict},
    },
};

impl Bdd {
    /// This function with some variables fixed, all at once. Variables it does not depend on are ignored; each of the others takes
    /// some 30 bytes of RAM meanwhile.
    ///
    /// One expand and one reduce sweep over the nodes that are left: O(sort(f)) transfers. It takes less where there is room: the
    /// levels above the first of the variables are only reduced (up to three ids a node in the share of tables), and the nodes
    /// below the last are copied in two passes, without sorting (five eighths of a byte a node in 14/32 of the budget), if the
    /// result has the same value as this function where all variables are false. The same diagram, in O(levels), when it depends on
    /// none of the variables.
    ///
    /// # Errors
    /// [`Error::Contradiction`] when a variable that it depends on is given both values, [`Error::VariableOutOfRange`] beyond
    /// 2^24 − 1, and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
    /// let majority = x.ite(&y.or(&z)?, &y.and(&z)?)?;
    /// assert_eq!(majority.restrict([(0, true)])?, y.or(&z)?);
    /// assert_eq!(majority.restrict([(2, false), (0, true), (7, true)])?, y);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn restrict(&self, literals: impl IntoIterator<Item = (u32, bool)>) -> Result<Self> {
        let given = self.given(literals.into_iter().map(Ok))?;
        self.changed(given.into_iter().map(|(variable, value)| (variable, Instead::Value(value))).collect())
    }

    /// This function with some variables that it depends on fixed or negated; `changes` are in ascending order.
    pub(super) fn changed(&self, changes: Vec<(u32, Instead)>) -> Result<Self> {
        if changes.is_empty() {
            return Ok(self.clone());
        }
        // The point where all variables that are left are false.
        let point = |variable| value_in(&changes, variable).is_some_and(|instead| instead != Instead::Value(false));
        let complement = self.eval(point)?;
        let spec = Restrict { changes, complement: self.complement != complement };
        self.made("restrict", &[], complement, |run| build(&spec, &[&self.file], run))
    }

    /// The cofactor by the top variable, a child of the root: this function with its smallest variable fixed to `value`. The
    /// cofactor of a constant is that constant. For the cofactor by a cube see [`Bdd::restrict`].
    ///
    /// # Errors
    /// Those of the disk and the budget; see [`Bdd::restrict`].
    pub fn cofactor(&self, value: bool) -> Result<Self> {
        self.restrict(self.file.variables().next_back().map(|variable| (variable, value)))
    }

    /// The `items` for variables that this function depends on; one given again must be the same.
    pub(super) fn given<T: PartialEq>(
        &self,
        items: impl Iterator<Item = Result<(u32, T)>>,
    ) -> Result<BTreeMap<u32, T>> {
        let mut given = BTreeMap::new();
        for item in items {
            let (variable, new) = item?;
            check_variable(variable)?;
            if self.file.has_variable(variable) && given.get(&variable).is_some_and(|before| *before != new) {
                return Err(Error::Contradiction { variable });
            }
            if self.file.has_variable(variable) {
                given.insert(variable, new);
            }
        }
        Ok(given)
    }
}

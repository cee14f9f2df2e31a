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
    /// This function with some variables fixed, all at once. Variables it does not depend on are ignored; each that
    /// it depends on takes some 30 bytes of RAM meanwhile.
    ///
    /// One expand and one reduce sweep over what is left: O(sort(f)) transfers. Less where there is room: the levels above the
    /// first of the variables are only reduced (up to three ids a node in the share of tables), and what lies below the last is
    /// brought over in two passes, without sorting (five eighths of a byte a node in 14/32 of the budget), if the result has the value
    /// that this function has where all variables are false. The same diagram, in O(levels), when it depends on none of the variables.
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

    /// This function with some variables that it depends on, in order, fixed or negated.
    pub(super) fn changed(&self, changes: Vec<(u32, Instead)>) -> Result<Self> {
        if changes.is_empty() {
            return Ok(self.clone());
        }
        // Where all that is left is false.
        let point = |variable| value_in(&changes, variable).is_some_and(|instead| instead != Instead::Value(false));
        let complement = self.eval(point)?;
        let spec = Restrict { changes, complement: self.complement != complement };
        self.made("restrict", &[], complement, |run| build(&spec, &[&self.file], run))
    }

    /// The cofactor by the top variable, which is a child of the root: this function with its smallest variable fixed to `value`. A
    /// constant is its own. The cofactor by a cube is [`Bdd::restrict`].
    ///
    /// # Errors
    /// Those of the disk and the budget; see [`Bdd::restrict`].
    pub fn cofactor(&self, value: bool) -> Result<Self> {
        self.restrict(self.file.variables().next_back().map(|variable| (variable, value)))
    }

    /// What is given for variables that it depends on; it must be the same for a variable that is given again.
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

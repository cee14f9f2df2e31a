//! A function in the place of a variable.

use super::Bdd;
use crate::{
    error::Result,
    model::check_variable,
    sweep::{build::build, ops::compose::Compose},
};

impl Bdd {
    /// This function with `function` in place of `variable`, which `function` may depend on itself.
    ///
    /// One expand and one reduce sweep over triples of nodes, less on levels above and below `variable` and those of `function`, as
    /// for [`restrict`](Self::restrict).
    ///
    /// # Errors
    /// [`Error::DifferentStores`](crate::Error::DifferentStores), [`Error::VariableOutOfRange`](crate::Error::VariableOutOfRange) beyond
    /// 2^24 − 1, and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
    /// assert_eq!(x.or(&y)?.compose(1, &y.and(&z)?)?, x.or(&y.and(&z)?)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn compose(&self, variable: u32, function: &Self) -> Result<Self> {
        self.same_store(function)?;
        check_variable(variable)?;
        let Some(rank) = self.file.rank(variable) else { return Ok(self.clone()) };
        if let Some(value) = function.as_constant() {
            return self.restrict([(variable, value)]);
        }
        // Both are stored such that they are false where all variables are false.
        let result = self.eval(|other| other == variable && function.complement)?;
        let spec = Compose {
            variable,
            first: self.file.levels().first(rank),
            complement: function.complement,
            result: self.complement != result,
        };
        let operands = [&self.file, &self.file, &function.file];
        self.made("compose", &[function], result, |run| build(&spec, &operands, run))
    }
}

//! Fixing variables.

use super::Bdd;
use crate::{
    disk::charge::Charge,
    error::{Error, Result},
    model::{check_variable, value_in},
    sweep::{
        build::build,
        ops::restrict::{Instead, Restrict},
    },
};

impl Bdd {
    /// This function with some variables fixed, all at once. Variables it does not depend on are ignored; each literal of the
    /// others takes 8 to 24 bytes of the budget meanwhile, one that comes again, too.
    ///
    /// One expand and one reduce sweep over the nodes that are left: O(sort(f)) transfers. It takes less where there is room: the
    /// levels above the first of the variables are only reduced (up to three ids a node in the share of tables), and the nodes
    /// below the last are copied in two passes, without sorting (five eighths of a byte a node in 14/32 of the budget), if the
    /// result has the same value as this function where all variables are false. The same diagram, in O(levels), when it depends on
    /// none of the variables.
    ///
    /// # Errors
    /// [`Error::Contradiction`] when a variable that it depends on is given both values (it names the smallest),
    /// [`Error::VariableOutOfRange`] beyond 2^24 − 1, and those of the disk and the budget.
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
        let mut charge = self.store.space().pool.account("the list of so many literals");
        let changes = literals.into_iter().map(|(variable, value)| Ok((variable, Instead::Value(value))));
        self.changed(self.given(changes, &mut charge)?)
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

    /// The `items` for variables that this function depends on, by ascending variable, in a list that is charged to `charge`; one
    /// given again must be the same.
    pub(super) fn given<T: PartialEq>(
        &self,
        items: impl Iterator<Item = Result<(u32, T)>>,
        charge: &mut Charge,
    ) -> Result<Vec<(u32, T)>> {
        let checked = items.map(|item| item.and_then(|item| check_variable(item.0).map(|()| item)));
        let counts = |item: &Result<(u32, T)>| item.as_ref().map_or(true, |item| self.file.has_variable(item.0));
        let mut given = charge.collect(checked.filter(counts))?;
        given.sort_unstable_by_key(|item| item.0);
        if let Some(pair) = given.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
            return Err(Error::Contradiction { variable: pair[0].0 });
        }
        given.dedup_by_key(|item| item.0);
        Ok(given)
    }
}

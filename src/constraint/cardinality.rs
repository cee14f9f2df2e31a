//! Counts of true variables: sums in which every weight is 1.

use super::linear::sum;
use crate::{bdd::Bdd, error::Result, store::Store};

impl Store {
    /// The function that is true where at most `k` of `variables` are.
    ///
    /// In any order; a variable given twice counts twice. The diagram of n > k different variables has (k + 1) · (n − k) nodes,
    /// added level by level, and takes 150 bytes of memory for each variable and 48 for each node of the widest level to build.
    /// Where some variable is given twice this is [`linear`](Self::linear), and costs what that does.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`](crate::Error::VariableOutOfRange) beyond 2^24 − 1,
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) for more variables than the budget has room for, and those of
    /// the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let at_most_one = store.at_most(1, 0..100)?;
    /// assert_eq!(at_most_one.node_count(), 2 * 99);
    /// assert_eq!(at_most_one.sat_count(100)?, 101u8.into());
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn at_most(&self, k: u64, variables: impl IntoIterator<Item = u32>) -> Result<Bdd> {
        sum(self, once_each(variables), true, k.into())
    }

    /// The function that is true where at least `k` of `variables` are; see [`at_most`](Self::at_most).
    pub fn at_least(&self, k: u64, variables: impl IntoIterator<Item = u32>) -> Result<Bdd> {
        let fewer = sum(self, once_each(variables), true, i128::from(k) - 1)?;
        Ok(fewer.negated())
    }

    /// The function that is true where exactly `k` of `variables` are; see [`at_most`](Self::at_most).
    ///
    /// The diagram of n >= k different variables has k · (n − k) + n nodes.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let half = store.exactly(5, 0..10)?;
    /// assert_eq!(half.sat_count(10)?, 252u8.into());
    /// // A variable that counts twice is one that counts for two, or for none.
    /// assert_eq!(store.exactly(1, [0, 1, 1])?, store.cube([(0, true), (1, false)])?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn exactly(&self, k: u64, variables: impl IntoIterator<Item = u32>) -> Result<Bdd> {
        sum(self, once_each(variables), false, k.into())
    }
}

fn once_each(variables: impl IntoIterator<Item = u32>) -> impl Iterator<Item = (u32, i64)> {
    variables.into_iter().map(|variable| (variable, 1))
}

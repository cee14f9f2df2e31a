//! Conjunctions and disjunctions of many functions.

use super::Bdd;
use crate::{
    error::{Error, Result},
    model::op::BinaryOp,
    store::Store,
};

impl Store {
    /// The conjunction of `functions`; true if there are none.
    ///
    /// They are combined as they come, neighbours first and those of about one size with each other. Where a conjunction has about as
    /// many nodes as its operands together, each of n functions so is swept O(log n) times, and about as many are held at once. One
    /// by one, every one of them would be a sweep over all before: joining n clauses over n levels so takes n² time. Give those next
    /// to each other that share variables: a conjunction of strangers may be larger than that of all. Once a part that has been
    /// joined is false, the rest is not asked for.
    ///
    /// # Errors
    /// The first error among `functions`, and those of [`Bdd::and`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// // No two neighbours of a hundred: a Fibonacci number.
    /// let store = Store::new(Config::default())?;
    /// let apart = store.and_all((0..99).map(|at| store.clause([(at, false), (at + 1, false)])))?;
    /// assert_eq!(apart.sat_count(100)?, 927_372_692_193_078_999_176u128.into());
    /// // Handles that there are already.
    /// let ends = [store.variable(0)?, store.variable(99)?];
    /// assert_eq!(store.and_all(ends.iter().cloned().map(Ok))?, ends[0].and(&ends[1])?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn and_all(&self, functions: impl IntoIterator<Item = Result<Bdd>>) -> Result<Bdd> {
        self.join_all(functions, BinaryOp::AND, true)
    }

    /// The disjunction of `functions`; false if there are none. In the same way as [`and_all`](Self::and_all).
    ///
    /// # Errors
    /// Those of [`and_all`](Self::and_all).
    pub fn or_all(&self, functions: impl IntoIterator<Item = Result<Bdd>>) -> Result<Bdd> {
        self.join_all(functions, BinaryOp::OR, false)
    }

    /// `op`, for which `neutral` changes nothing and the other value decides, of all `functions`.
    fn join_all(&self, functions: impl IntoIterator<Item = Result<Bdd>>, op: BinaryOp, neutral: bool) -> Result<Bdd> {
        // Each has more than twice the nodes of the next.
        let mut joined: Vec<Bdd> = Vec::new();
        for function in functions {
            let mut last = function?;
            if !last.store.is(self) {
                return Err(Error::DifferentStores);
            }
            while let Some(before) = joined.pop_if(|before| before.node_count() <= 2 * last.node_count()) {
                last = before.apply_to(op, last)?;
            }
            if last.as_constant() == Some(!neutral) {
                return Ok(last);
            }
            joined.push(last);
        }
        joined.into_iter().rev().try_fold(self.constant(neutral), |all, before| before.apply_to(op, all))
    }
}

//! Conjunctions and disjunctions of many functions.

use super::{Bdd, unlimited};
use crate::{
    error::{Error, Result},
    model::op::BinaryOp,
    store::Store,
};

/// One of the functions that [`Store::and_all`] and [`Store::or_all`] join: a diagram, or what came of making it.
pub trait Operand {
    /// The diagram.
    ///
    /// # Errors
    /// What kept it from being made.
    fn into_bdd(self) -> Result<Bdd>;
}

impl Operand for Bdd {
    fn into_bdd(self) -> Result<Bdd> {
        Ok(self)
    }
}

impl Operand for &Bdd {
    fn into_bdd(self) -> Result<Bdd> {
        Ok(self.clone())
    }
}

impl Operand for Result<Bdd> {
    fn into_bdd(self) -> Result<Bdd> {
        self
    }
}

impl Store {
    /// The conjunction of `functions`; true if there are none. An item is a diagram, a borrowed one, or a result, whose error is
    /// then that of the whole: what makes functions and may fail is passed on as it is.
    ///
    /// They are combined as they come: neighbours first, and results of about the same size with each other. Where a conjunction
    /// has about as many nodes as its operands together, each of n functions is swept O(log n) times, and about as many diagrams
    /// are held at once. Joined one by one, each function would cost a sweep over all before it: n clauses over n levels would take
    /// n² time. Put functions that share variables next to each other: a conjunction of unrelated ones may be much larger than the
    /// final result. So clauses that are not local are better joined in some buckets by their last variables, and these one after
    /// another: each result is over the variables so far (`examples/models`). Once an intermediate result is false, no further
    /// functions are asked for.
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
    /// assert_eq!(store.and_all(&ends)?, ends[0].and(&ends[1])?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn and_all(&self, functions: impl IntoIterator<Item = impl Operand>) -> Result<Bdd> {
        self.join_all(functions, true, |a, b| a.apply_to(BinaryOp::AND, b).map(Some)).map(unlimited)
    }

    /// The disjunction of `functions`; false if there are none. Works like [`and_all`](Self::and_all).
    ///
    /// # Errors
    /// Those of [`and_all`](Self::and_all).
    pub fn or_all(&self, functions: impl IntoIterator<Item = impl Operand>) -> Result<Bdd> {
        self.join_all(functions, false, |a, b| a.apply_to(BinaryOp::OR, b).map(Some)).map(unlimited)
    }

    /// Combines all `functions`, two at a time, by `join`: `neutral` is its neutral value, and the other value decides. `None`
    /// where `join` gives up.
    pub(super) fn join_all(
        &self,
        functions: impl IntoIterator<Item = impl Operand>,
        neutral: bool,
        join: impl Fn(Bdd, Bdd) -> Result<Option<Bdd>>,
    ) -> Result<Option<Bdd>> {
        // Each has more than twice the nodes of the next.
        let mut joined: Vec<Bdd> = Vec::new();
        for function in functions {
            let mut last = function.into_bdd()?;
            if !last.store.is(self) {
                return Err(Error::DifferentStores);
            }
            while let Some(before) = joined.pop_if(|before| before.node_count() <= 2 * last.node_count()) {
                let Some(both) = join(before, last)? else { return Ok(None) };
                last = both;
            }
            if last.as_constant() == Some(!neutral) {
                return Ok(Some(last));
            }
            joined.push(last);
        }
        let mut all = self.constant(neutral);
        while let Some(before) = joined.pop() {
            let Some(both) = join(before, all)? else { return Ok(None) };
            all = both;
        }
        Ok(Some(all))
    }
}

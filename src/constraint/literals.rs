//! Conjunctions and disjunctions of literals: one node a variable.

use super::WHAT;
use crate::{
    bdd::Bdd,
    disk::{charge::Charge, lane::Lane, space::Space},
    error::Result,
    file::writer::NodeWriter,
    model::{FALSE, TRUE, check_variable},
    store::{Store, outside_callback},
};

impl Store {
    /// The conjunction of `literals`, each a variable and the value it must have, in any order.
    ///
    /// A literal given twice counts once; a variable given with both values makes the conjunction false. The conjunction of no
    /// literals is true. O(n log n) time and one node for each of the n variables; the literals themselves stay in RAM while they
    /// are read, up to 32 bytes each.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`](crate::Error::VariableOutOfRange) beyond 2^24 − 1,
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) for more literals than the budget has room for, and those of the
    /// disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(store.cube([(1, false), (0, true)])?, x.diff(&y)?);
    /// assert_eq!(store.cube([(1, false), (0, true), (1, true)])?, store.constant(false));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn cube(&self, literals: impl IntoIterator<Item = (u32, bool)>) -> Result<Bdd> {
        let literals = literals.into_iter().map(|literal| check_variable(literal.0).map(|()| literal));
        let mut charge = self.space().pool.account(WHAT);
        let mut literals = charge.collect(literals)?;
        literals.sort_unstable();
        literals.dedup();
        if literals.is_empty() {
            return Ok(self.constant(true));
        }
        if literals.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Ok(self.constant(false));
        }
        self.conjunction(literals, charge)
    }

    /// The conjunction of `literals`, at least one, by ascending variable.
    fn conjunction(&self, literals: Vec<(u32, bool)>, charge: Charge) -> Result<Bdd> {
        outside_callback()?;
        let space = self.space();
        if (literals.len() as u64) < space.limits.narrow_ids {
            self.chain::<u32>(literals, charge, &space)
        } else {
            self.chain::<u64>(literals, charge, &space)
        }
    }

    /// The conjunction of `literals` in ids of this width: a node for each literal, which leads to the one before it.
    fn chain<I: Lane>(&self, literals: Vec<(u32, bool)>, charge: Charge, space: &Space) -> Result<Bdd> {
        // The function stored is false on the path of low arcs: the negation where no literal is positive.
        let complement = literals.iter().all(|literal| !literal.1);
        let (mut below, elsewhere) = if complement { (FALSE, TRUE) } else { (TRUE, FALSE) };
        let mut writer = NodeWriter::<I>::new(space)?;
        writer.reserve_levels(literals.len());
        for &(variable, value) in literals.iter().rev() {
            let (low, high) = if value { (elsewhere, below) } else { (below, elsewhere) };
            below = writer.push(I::of(low), I::of(high), space)?.get();
            writer.end_level(variable);
        }
        drop((literals, charge));
        Ok(Bdd::new(self.clone(), writer.seal(space)?, complement))
    }

    /// The disjunction of `literals`, each a variable and the value that satisfies it, in any order.
    ///
    /// A literal given twice counts once; a variable given with both values makes the disjunction true. The disjunction of no
    /// literals is false. Costs the same as [`cube`](Self::cube).
    ///
    /// # Errors
    /// Those of [`cube`](Self::cube).
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(store.clause([(0, false), (1, true)])?, x.imp(&y)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn clause(&self, literals: impl IntoIterator<Item = (u32, bool)>) -> Result<Bdd> {
        let none = self.cube(literals.into_iter().map(|(variable, value)| (variable, !value)))?;
        Ok(none.negated())
    }
}

//! Transition relations.

use super::Bdd;
use crate::{
    error::{Error, Result},
    model::pairs::VariablePairs,
};

impl Bdd {
    /// The successors of these states under `relation`, over next variables.
    ///
    /// The states are over current variables, which is not checked here; `relation` is over both. A variable that is in no pair (an
    /// input, a parameter) stays. A next variable that the relation does not constrain may have any value: to keep its current
    /// value, the relation must say so. One [`Bdd::and_exists`].
    ///
    /// # Errors
    /// As [`Bdd::and_exists`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store, VariablePairs};
    /// // One bit that flips: current variable 0, next variable 1.
    /// let store = Store::new(Config::default())?;
    /// let (x, x_next) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(x.relprod(&x.xor(&x_next)?, &VariablePairs::interleaved(1)?)?, x_next.negated());
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn relprod(&self, relation: &Self, pairs: &VariablePairs) -> Result<Self> {
        self.and_exists_where(relation, |variable| pairs.is_current(variable))
    }

    /// The successors of these states under `relation`, over current variables: [`Bdd::relprod`], then a renaming of next variables
    /// to current ones, at no cost where that keeps their order. Inputs of the relation that must not stay have to be quantified
    /// before: `relation.exists(inputs)`.
    ///
    /// Since a variable in no pair stays, the steps of one process of many need no "all else stays as it is": a relation over what
    /// that process reads and writes, and pairs of what it writes, are enough; levels above and below these variables then take
    /// little time, as for [`Bdd::restrict`]. The successors under all processes are the disjunction of those under each. A search
    /// that applies one after the other to all states so far mostly takes least time. One in layers, of all states that are as far
    /// away, may well take less with one relation for all steps, the disjunction of those of the processes, each with
    /// `x.xnor(x_next)` for all that stays, than with a disjunction of successors for each layer. A next variable that the relation
    /// writes and `pairs` lacks stays, too, and the result depends on it: over a domain, as in
    /// `successors.assignments(all.currents())`, that is an error, but a mere number of variables, as for [`Bdd::sat_count`], does
    /// not show it.
    ///
    /// # Errors
    /// [`Error::NextVariable`] when the states depend on one, and as [`Bdd::and_exists`] and [`Bdd::replace`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store, VariablePairs};
    /// // One bit that flips: current variable 0, next variable 1.
    /// let store = Store::new(Config::default())?;
    /// let (x, x_next) = (store.variable(0)?, store.variable(1)?);
    /// let flip = x.xor(&x_next)?;
    /// assert_eq!(x.rel_next(&flip, &VariablePairs::interleaved(1)?)?, x.negated());
    /// // The same where variable 2 is true, which stays.
    /// let (z, pairs) = (store.variable(2)?, VariablePairs::new([(0, 1)])?);
    /// assert_eq!(x.or(&z)?.rel_next(&flip.and(&z)?, &pairs)?, z);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn rel_next(&self, relation: &Self, pairs: &VariablePairs) -> Result<Self> {
        self.check_states(pairs)?;
        self.relprod(relation, pairs)?.replace(|variable| pairs.current_of(variable))
    }

    /// The predecessors of these states under `relation`; all states are over current variables. One [`Bdd::replace`], at no cost
    /// where the pairs keep the order of variables, and one [`Bdd::and_exists`].
    ///
    /// As for [`Bdd::rel_next`], a relation over what one process reads and writes, and pairs of what it writes, are enough for the
    /// steps of that process, and the predecessors under all processes (EX) are the disjunction of those under each. The states all
    /// of whose successors are among these (AX), and with them those that have none, are `self.negated().rel_prev(relation,
    /// pairs)?.negated()`, and under all processes the conjunction of those under each. To search backwards, as for EF, take the
    /// processes in turn until none finds anything new: no set on the way is much larger than the result then, and one relation for
    /// all steps can take many times as long.
    ///
    /// # Errors
    /// As [`Bdd::rel_next`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store, VariablePairs};
    /// // One bit that is only ever set: from either value it comes to true.
    /// let store = Store::new(Config::default())?;
    /// let (x, x_next) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(x.rel_prev(&x_next, &VariablePairs::interleaved(1)?)?, store.constant(true));
    /// assert_eq!(x.negated().rel_prev(&x_next, &VariablePairs::interleaved(1)?)?, store.constant(false));
    ///
    /// // A shortest way from 0 to 2 for a counter of two bits: forwards set by set, then back through the sets.
    /// let pairs = VariablePairs::interleaved(2)?;
    /// let [high, high_next, low, low_next] = [0, 1, 2, 3].map(|variable| store.variable(variable).expect("a small number"));
    /// let count = low_next.xor(&low)?.and(&high_next.xnor(&high.xor(&low)?)?)?;
    /// let (start, goal) = (store.cube([(0, false), (2, false)])?, store.cube([(0, true), (2, false)])?);
    /// let mut sets = vec![start];
    /// while sets[sets.len() - 1].disjoint(&goal)? {
    ///     sets.push(sets[sets.len() - 1].rel_next(&count, &pairs)?);
    /// }
    /// let (mut way, mut to) = (Vec::new(), goal);
    /// for set in sets.iter().rev() {
    ///     let state = set.and(&to)?.sat_min(pairs.currents())?.expect("each set has a way to the goal");
    ///     to = store.cube(state.iter().copied())?.rel_prev(&count, &pairs)?;
    ///     way.push(state);
    /// }
    /// way.reverse();
    /// assert_eq!(way, [[(0, false), (2, false)], [(0, false), (2, true)], [(0, true), (2, false)]]);
    ///
    /// // Some way where each process has a relation of its own: forwards, all states so far are kept before each step; backwards,
    /// // a state that was not there before a step comes from one that was.
    /// let [raise_low, raise_high] = [low.negated().and(&low_next)?, high_next.diff(&high)?.and(&low)?];
    /// let steps = [(raise_high, VariablePairs::new([(0, 1)])?), (raise_low, VariablePairs::new([(2, 3)])?)];
    /// let (mut reached, mut past) = (store.cube([(0, false), (2, false)])?, Vec::new());
    /// let goal = store.cube([(0, true), (2, true)])?;
    /// while reached.disjoint(&goal)? {
    ///     let so_far = reached.clone();
    ///     for (relation, pairs) in &steps {
    ///         past.push((reached.clone(), relation, pairs));
    ///         reached = reached.or(&reached.rel_next(relation, pairs)?)?;
    ///     }
    ///     assert!(reached != so_far, "the goal cannot be reached");
    /// }
    /// let mut way = vec![reached.and(&goal)?.sat_min([0, 2])?.expect("there is one")];
    /// for (before, relation, pairs) in past.iter().rev() {
    ///     let state = store.cube(way[way.len() - 1].iter().copied())?;
    ///     if state.disjoint(before)? {
    ///         way.push(before.and(&state.rel_prev(relation, pairs)?)?.sat_min([0, 2])?.expect("this step made it"));
    ///     }
    /// }
    /// way.reverse();
    /// assert_eq!(way, [[(0, false), (2, false)], [(0, false), (2, true)], [(0, true), (2, true)]]);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn rel_prev(&self, relation: &Self, pairs: &VariablePairs) -> Result<Self> {
        self.check_states(pairs)?;
        let next = self.replace(|variable| pairs.next_of(variable))?;
        next.and_exists_where(relation, |variable| pairs.is_next(variable))
    }

    /// Checks that these are states over current variables.
    fn check_states(&self, pairs: &VariablePairs) -> Result<()> {
        let next = self.file.variables().find(|&variable| pairs.is_next(variable));
        next.map_or(Ok(()), |variable| Err(Error::NextVariable { variable }))
    }
}

//! Quantification.

use super::Bdd;
use crate::{
    error::Result,
    model::check_variable,
    sweep::{
        build::{build, build_nested},
        fold::count::is_odd,
        identity::Identity,
        ops::{
            and_exists::{AndExists, and_exists},
            difference::Difference,
            lowest::Lowest,
            quantify::{Quantify, quantify},
            unique::Unique,
        },
        run::Run,
        search::find,
    },
};

impl Bdd {
    /// Whether some values of `variables` make this function true: the disjunction of all their cofactors.
    ///
    /// `variables` come in any order; one that comes again, or that the function does not depend on, makes no difference. To
    /// quantify all variables from `n` on, use `exists_where(|variable| variable >= n)`.
    ///
    /// Cost: one sweep that finds the value where all other variables are false, and pairs of an expand and a reduce sweep,
    /// O(sort(f)) transfers each. One variable takes one pair; `k` variables mostly take few pairs, over sets of up to four nodes
    /// (up to eight, after the first pair, in RAM). A pair that would make over a quarter more sets than there are nodes is given
    /// up, and variables go in groups of eight from then on, the lowest first; where a group makes too many, by a nested pair for
    /// each of its variables that is left, over the levels below it. Nodes with only `variables` below them are not expanded,
    /// and the levels of a large diagram above the first of `variables`, or above a group, are only reduced where the budget has
    /// room for that. Where each variable makes a function much smaller, it can be faster to quantify a few at a time, or one after
    /// another, often best the smallest variables first.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`](crate::Error::VariableOutOfRange) beyond 2^24 − 1, and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
    /// let majority = x.ite(&y.or(&z)?, &y.and(&z)?)?;
    /// assert_eq!(majority.exists([0])?, y.or(&z)?);
    /// assert_eq!(majority.forall([0])?, y.and(&z)?);
    /// assert_eq!(majority.unique([0])?, y.xor(&z)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn exists(&self, variables: impl IntoIterator<Item = u32>) -> Result<Self> {
        self.exists_of(ascending(variables, |variable| self.file.has_variable(variable))?)
    }

    /// Whether all values of `variables` make this function true: the conjunction of all their cofactors; see
    /// [`Bdd::exists`].
    pub fn forall(&self, variables: impl IntoIterator<Item = u32>) -> Result<Self> {
        Ok(self.negated().exists(variables)?.negated())
    }

    /// [`Bdd::exists`] of every variable of the support for which `quantified` holds.
    ///
    /// # Errors
    /// As [`Bdd::exists`].
    pub fn exists_where(&self, mut quantified: impl FnMut(u32) -> bool) -> Result<Self> {
        self.exists_of(self.support().into_iter().filter(|&variable| quantified(variable)).collect())
    }

    /// [`Bdd::exists`] of `variables` that it depends on, in order, each once.
    fn exists_of(&self, variables: Vec<u32>) -> Result<Self> {
        if variables.is_empty() {
            return Ok(self.clone());
        }
        let free = |variable| variables.binary_search(&variable).is_ok();
        let lowest = Lowest { spec: Identity { complement: self.complement, as_is: false }, free: &free };
        let search = |run: &mut Run<'_>| find(&lowest, &[&self.file], run);
        let value = self.complement || self.store.run_beside("search", self.node_count(), search)?;
        // Stored is the function that is false where all other variables are false: the disjunction, or the conjunction of the
        // negations.
        let spec = Quantify::new(!value, self.complement != value, variables);
        self.made("exists", &[], value, |run| quantify(&self.file, spec.clone(), false, run))
    }

    /// [`Bdd::forall`] of every variable of the support for which `quantified` holds.
    ///
    /// # Errors
    /// As [`Bdd::exists`].
    pub fn forall_where(&self, quantified: impl FnMut(u32) -> bool) -> Result<Self> {
        Ok(self.negated().exists_where(quantified)?.negated())
    }

    /// Whether an odd number of values of `variables` make this function true: the exclusive disjunction of all their
    /// cofactors. False when there is a variable among them that it does not depend on.
    ///
    /// One expand and one reduce sweep for each variable, the largest first; the levels of a large diagram above it are only
    /// reduced. More than 16 variables take one pair over the whole diagram, and a nested pair for each variable over the levels
    /// below it. Before that, a `restrict` and one sweep over its result find the value where all other variables are false; where
    /// that is true, one more pair follows in the end. Where there are no other variables, that sweep is all.
    ///
    /// # Errors
    /// As [`Bdd::exists`].
    pub fn unique(&self, variables: impl IntoIterator<Item = u32>) -> Result<Self> {
        let mut depends = true;
        let variables = ascending(variables, |variable| {
            depends &= self.file.has_variable(variable);
            depends
        })?;
        if !depends {
            return Ok(self.store.constant(false));
        }
        let few = if self.store.space().limits.nested_only { 0 } else { FEW };
        if variables.len() > few {
            return self.parity(variables);
        }
        variables.into_iter().rev().try_fold(self.clone(), |rest, variable| rest.difference(variable))
    }

    /// [`Bdd::unique`] of variables that it depends on, in order, by nested sweeps.
    fn parity(&self, variables: Vec<u32>) -> Result<Self> {
        let others = self.file.variables().filter(|variable| variables.binary_search(variable).is_err());
        let lowest = self.restrict(others.map(|variable| (variable, false)))?;
        let depends = lowest.file.variables().len() == variables.len();
        // The terminal does not matter: there is an even number of assignments in all.
        let search = |run: &mut Run<'_>| is_odd(&lowest.file, true, run);
        let complement = depends && self.store.run_beside("search", lowest.node_count(), search)?;
        if variables.len() == self.file.variables().len() {
            return Ok(self.store.constant(complement));
        }
        let nest = Unique { variables, complement };
        let identity = Identity { complement: false, as_is: false };
        self.made("unique", &[], complement, |run| build_nested(&identity, &nest, &[&self.file], run))
    }

    /// [`Bdd::unique`] of every variable of the support for which `quantified` holds. Variables outside the support are not asked
    /// for; in a list one of these makes `unique` false.
    ///
    /// # Errors
    /// As [`Bdd::unique`].
    pub fn unique_where(&self, mut quantified: impl FnMut(u32) -> bool) -> Result<Self> {
        self.unique(self.support().into_iter().filter(|&variable| quantified(variable)))
    }

    /// The exclusive disjunction of the two cofactors by `variable`.
    fn difference(&self, variable: u32) -> Result<Self> {
        let Some(rank) = self.file.rank(variable) else { return Ok(self.store.constant(false)) };
        let first = self.file.levels().first(rank);
        let complement = self.eval(|_| false)? != self.eval(|other| other == variable)?;
        let spec = Difference { variable, first, complement };
        let operands = [&self.file; 2];
        self.made("unique", &[], complement, |run| build(&spec, &operands, run))
    }

    /// `self.and(other)?.exists(variables)`, as a rule without writing the conjunction down.
    ///
    /// One expand and one reduce sweep over sets of pairs of nodes, which quantify most variables where one operand is a transition
    /// relation; the others go as in [`Bdd::exists`]. Where the conjunction is much larger than the result, this is faster than the
    /// two calls; where it is hardly larger, the two calls may be faster.
    ///
    /// # Errors
    /// [`Error::DifferentStores`](crate::Error::DifferentStores), and as [`Bdd::exists`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
    /// assert_eq!(x.imp(&y)?.and_exists(&y.imp(&z)?, [1])?, x.imp(&z)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn and_exists(&self, other: &Self, variables: impl IntoIterator<Item = u32>) -> Result<Self> {
        let variables =
            ascending(variables, |variable| self.file.has_variable(variable) || other.file.has_variable(variable))?;
        self.and_exists_of(other, variables)
    }

    /// [`Bdd::and_exists`] of every variable of the two supports for which `quantified` holds. One of both is asked for twice.
    ///
    /// # Errors
    /// As [`Bdd::and_exists`].
    pub fn and_exists_where(&self, other: &Self, mut quantified: impl FnMut(u32) -> bool) -> Result<Self> {
        let variables = self.file.variables().chain(other.file.variables()).filter(|&variable| quantified(variable));
        let variables = ascending(variables, |_| true)?;
        self.and_exists_of(other, variables)
    }

    /// [`Bdd::and_exists`] of `variables`, on each of which an operand depends, in order, each once.
    fn and_exists_of(&self, other: &Self, variables: Vec<u32>) -> Result<Self> {
        self.same_store(other)?;
        if self.is_trivial_with(other) {
            return self.and(other)?.exists(variables);
        }
        if variables.is_empty() {
            return self.and(other);
        }
        let [a, b] = self.larger_first(other);
        let files = [&a.file, &b.file];
        let mut spec = AndExists { complement: [a.complement, b.complement], result: false, variables };
        let free = |variable| spec.variables.binary_search(&variable).is_ok();
        let lowest = Lowest { spec: spec.conjunction(), free: &free };
        let nodes = self.node_count() + other.node_count();
        let value = self.store.run_beside("search", nodes, |run| find(&lowest, &files, run))?;
        spec.result = value;
        self.made("and_exists", &[other], value, |run| and_exists(&spec, files, run))
    }
}

/// Up to this many variables, a sweep for each takes no longer than nested sweeps: each leaves the next less to do.
const FEW: usize = 16;

/// The variables that `matter`, in order, each once; those that do not matter, or come again, take no memory.
fn ascending(variables: impl IntoIterator<Item = u32>, mut matter: impl FnMut(u32) -> bool) -> Result<Vec<u32>> {
    let tidy = |kept: &mut Vec<u32>| {
        kept.sort_unstable();
        kept.dedup();
    };
    let mut kept = Vec::new();
    for variable in variables {
        check_variable(variable)?;
        if matter(variable) {
            if kept.len() == kept.capacity() {
                tidy(&mut kept);
                kept.reserve(kept.len().max(1));
            }
            kept.push(variable);
        }
    }
    tidy(&mut kept);
    Ok(kept)
}

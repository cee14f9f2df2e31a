//! Functions in the place of several variables at once.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bdd, Lists, VARIABLE_BYTES, spacing::Spacing};
use crate::{
    error::{Error, Result},
    model::{check_variable, value_in},
    sweep::ops::restrict::Instead,
};

impl Bdd {
    /// This function with functions in place of several variables, all at once: none of the functions sees another.
    ///
    /// All constants, and all variables that are only negated, take one expand and one reduce sweep. If the other functions are all
    /// different variables or negations of variables, these negations take one more such pair, and the rest is a
    /// [`replace`](Self::replace), at no cost where that keeps the order. Otherwise there is one [`compose`](Self::compose) for
    /// each function that is no variable, or a variable that something else becomes, too; unless there are three or more of these,
    /// and all functions together have at most twice as many nodes as this diagram, and one for every 64 levels that these sweeps
    /// would go through. Then the relation between the replaced variables and their functions is made first, and one pair of sweeps
    /// does for all, over pairs of a node and a node of the relation. That is quickest where each function depends on its variable,
    /// those above it and a few below; where some look further down, they take the sweeps of an [`and_exists`](Self::and_exists),
    /// which take longer. All that is given up where the relation, or the first sweep, would take more nodes than this diagram has
    /// times the number of functions, or half of that for an `and_exists`, and some thousands.
    ///
    /// # Errors
    /// [`Error::Contradiction`] when a variable that this function depends on is given twice with different functions, and as
    /// [`Bdd::compose`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(x.imp(&y)?.compose_all([(0, &y), (1, &!&x)])?, y.imp(&!&x)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn compose_all<'a>(&self, functions: impl IntoIterator<Item = (u32, &'a Self)>) -> Result<Self> {
        let of_store = |(variable, function)| self.same_store(function).map(|()| (variable, function));
        let mut charge = self.store.space().pool.account(WHAT);
        let given = self.given(functions.into_iter().map(of_store), &mut charge)?;
        // The map is made from a list of its own.
        let _map = self.charge_lists(2 * given.len() * size_of::<(u32, Self)>(), WHAT)?;
        let mut given: BTreeMap<u32, Self> = given.into_iter().map(|(at, function)| (at, function.clone())).collect();
        drop(charge);
        let rest = self.with_literals(&mut given, |variable, of| variable == of)?;
        given.retain(|&variable, function| rest.file.has_variable(variable) && function.variable() != Some(variable));
        if given.is_empty() {
            return Ok(rest);
        }
        let _charge = rest.charge_functions(&given)?;
        let names = rest.names(&given);
        if names.values().filter(|name| name.is_none()).count() > FEW {
            match rest.vector(&given) {
                Ok(None) | Err(Error::BudgetExceeded { .. }) => {}
                Ok(Some(composed)) => return Ok(composed),
                Err(error) => return Err(error),
            }
        }
        rest.with_literals(&mut given, |variable, _| names[&variable].is_some())?.one_by_one(&given, &names)
    }

    /// For each variable of `functions`, the variable that its function, or the negation of that, is: `None` if there is none, or
    /// if that variable stays or an earlier one becomes it, too.
    fn names(&self, functions: &BTreeMap<u32, Self>) -> BTreeMap<u32, Option<u32>> {
        let stays = |variable: &u32| !functions.contains_key(variable);
        let mut taken: BTreeSet<u32> = self.file.variables().filter(stays).collect();
        let mut name = |function: &Self| function.literal_of().filter(|&name| taken.insert(name));
        functions.iter().map(|(&own, function)| (own, name(function))).collect()
    }

    /// This function with the variables renamed that have one of `names`, and the others replaced by their `functions`, one after
    /// another. Those to be replaced are put aside under names on which no function depends, so that no function sees another.
    fn one_by_one(&self, functions: &BTreeMap<u32, Self>, names: &BTreeMap<u32, Option<u32>>) -> Result<Self> {
        if names.values().all(Option::is_some) {
            return self.replace(|variable| names.get(&variable).copied().flatten().unwrap_or(variable));
        }
        if let (1, Some((&variable, function))) = (functions.len(), functions.first_key_value()) {
            return self.compose(variable, function);
        }
        let all = functions.values().chain([self]).flat_map(|function| function.file.variables()).collect();
        let (spacing, aside) = spacing_for(all, |variable| names.get(&variable) == Some(&None))?;
        let mut rest = self.replace(|variable| match names.get(&variable) {
            Some(None) => value_in(&aside, variable).expect("a variable that is put aside"),
            name => spacing.of(name.copied().flatten().unwrap_or(variable)),
        })?;
        for (variable, level) in aside {
            rest = rest.compose(level, &spacing.lift(&functions[&variable])?)?;
        }
        spacing.lower(&rest)
    }

    /// Charges the lists for `functions` in place of variables.
    fn charge_functions(&self, functions: &BTreeMap<u32, Self>) -> Result<Lists<'_>> {
        let given: usize = functions.values().map(|function| function.file.variables().len()).sum();
        let largest = functions.values().filter_map(|function| function.file.variables().next()).max();
        let different = given.min(largest.map_or(0, |variable| variable as usize + 1));
        self.charge_lists((different + self.file.variables().len()) * VARIABLE_BYTES, WHAT)
    }

    /// This function with every constant of `functions` put in place, and every variable negated whose function is the negation of
    /// a variable `of`, if `wanted(variable, of)`: `functions` then has `of` itself.
    fn with_literals(&self, functions: &mut BTreeMap<u32, Self>, wanted: impl Fn(u32, u32) -> bool) -> Result<Self> {
        let mut changes = Vec::new();
        for (&variable, function) in functions {
            let negation = function.negated();
            if let Some(value) = function.as_constant() {
                changes.push((variable, Instead::Value(value)));
            } else if negation.variable().is_some_and(|of| wanted(variable, of)) {
                changes.push((variable, Instead::Negation));
                *function = negation;
            }
        }
        self.changed(changes)
    }
}

/// What the lists are for, as the error message says it.
const WHAT: &str = "functions for many variables at once";

/// Up to this many functions that are no other variables, a sweep for each takes no longer than the relation between all variables
/// and their functions.
const FEW: usize = 2;

/// Levels for all of `variables`, and one more for each that is put aside, right above its own.
fn spacing_for(variables: BTreeSet<u32>, is_aside: impl Fn(u32) -> bool) -> Result<(Spacing, Vec<(u32, u32)>)> {
    let (mut own, mut aside) = (Vec::new(), Vec::new());
    for variable in variables {
        if is_aside(variable) {
            aside.push((variable, (own.len() + aside.len()) as u32));
        }
        own.push((variable, (own.len() + aside.len()) as u32));
    }
    own.last().map_or(Ok(()), |&(_, lowest)| check_variable(lowest))?;
    Ok((Spacing::new(own), aside))
}

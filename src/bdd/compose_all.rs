//! Functions in the place of several variables at once.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::Bdd;
use crate::{
    error::{Error, Result},
    sweep::ops::restrict::Instead,
};

impl Bdd {
    /// This function with functions in place of several variables, all at once: none of the functions sees another.
    ///
    /// One expand and one reduce sweep for all constants and all variables that are only negated. Where the others are variables or
    /// negations of some, and all different, one more for those negations, and as [`replace`](Self::replace): at no cost where that
    /// keeps their order. Else one sweep for all functions, over pairs of a node and a node of their relation to the variables whose
    /// places they take, where these are near to those that each depends on: so near that this relation, which is made first, is no
    /// wider than there are functions, and the sweep makes no more nodes than there are for each function. Else one
    /// [`compose`](Self::compose) each where an order can be found in which they do not see another; otherwise a nested sweep for
    /// each variable whose function is none, or is one that does not stay above all that is below it.
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
        let of_store =
            |(variable, function): (u32, &Self)| self.same_store(function).map(|()| (variable, function.clone()));
        let mut given = self.given(functions.into_iter().map(of_store))?;
        let rest = self.with_literals(&mut given, |variable, of| variable == of)?;
        let support: BTreeSet<u32> = rest.file.variables().collect();
        given.retain(|variable, function| support.contains(variable) && function.variable() != Some(*variable));
        let name = |variable: &u32| given.get(variable).map_or(Some(*variable), Self::literal_of);
        let names: Option<BTreeSet<u32>> = support.iter().map(name).collect();
        if names.is_some_and(|names| names.len() == support.len()) {
            let rest = rest.with_literals(&mut given, |_, _| true)?;
            return rest.replace(|variable| given.get(&variable).and_then(Self::literal_of).unwrap_or(variable));
        }
        if given.len() > 1 {
            match rest.vector(&given) {
                Ok(None) | Err(Error::BudgetExceeded { .. }) => {}
                Ok(Some(composed)) => return Ok(composed),
                Err(error) => return Err(error),
            }
        }
        if let Some(order) = order(&given) {
            return order.into_iter().try_fold(rest, |rest, variable| rest.compose(variable, &given[&variable]));
        }
        let rest = rest.with_literals(&mut given, |_, _| true)?;
        for variable in support {
            if let Entry::Vacant(own) = given.entry(variable) {
                own.insert(self.store.variable(variable)?);
            }
        }
        rest.substitute(&given)
    }

    /// This function with every constant of `functions` in its place, and every variable negated whose place the negation `of` a
    /// variable is to take, if `wanted`: that variable itself is to take it then.
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

/// An order in which one function can go in after another: each after those of the variables it brings in. `None` where some bring
/// each other in, in a circle.
fn order(functions: &BTreeMap<u32, Bdd>) -> Option<Vec<u32>> {
    let (mut order, mut seen, mut ordered) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for &first in functions.keys() {
        if !seen.insert(first) {
            continue;
        }
        let mut path = vec![(first, functions[&first].file.variables())];
        while let Some((own, brought)) = path.last_mut() {
            let waits = |other: &u32| other != own && functions.contains_key(other) && !ordered.contains(other);
            match brought.find(waits) {
                Some(other) if seen.insert(other) => path.push((other, functions[&other].file.variables())),
                // It is on the path itself.
                Some(_) => return None,
                None => {
                    order.push(*own);
                    ordered.insert(*own);
                    path.pop();
                }
            }
        }
    }
    Some(order)
}

//! Functions in the place of several variables at once.

use std::collections::{BTreeMap, BTreeSet};

use super::Bdd;
use crate::{
    error::{Error, Result},
    model::check_variable,
    sweep::{build::build, ops::negate::Negate},
};

impl Bdd {
    /// This function with functions in place of several variables, all at once: none of the functions sees another.
    ///
    /// One expand and one reduce sweep for all that are constants, and for all variables that are only negated. For the others, one
    /// [`compose`](Self::compose) each where an order can be found in which they do not see another. Else one sweep more for all other
    /// negations of variables, and as [`replace`](Self::replace) where all functions are variables then, and all different; otherwise
    /// a nested sweep for each variable whose function is none, or is one that does not stay above all that is below it.
    ///
    /// Where there is a function for every bit of a state, the relation of states and successors mostly takes less: see
    /// [`rel_prev`](Self::rel_prev).
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
        let mut given: BTreeMap<u32, Self> = BTreeMap::new();
        for (variable, function) in functions {
            self.same_store(function)?;
            check_variable(variable)?;
            if self.file.has_variable(variable)
                && given.insert(variable, function.clone()).is_some_and(|before| before != *function)
            {
                return Err(Error::Contradiction { variable });
            }
        }
        let constants = given.iter().filter_map(|(&variable, function)| Some((variable, function.as_constant()?)));
        let rest = self.restrict(constants)?;
        let rest = rest.with_negations(&mut given, |variable, of| variable == of)?;
        let support: BTreeSet<u32> = rest.file.variables().collect();
        given.retain(|variable, function| support.contains(variable) && function.variable() != Some(*variable));
        if let Some(order) = order(&given) {
            return order.into_iter().try_fold(rest, |rest, variable| rest.compose(variable, &given[&variable]));
        }
        let rest = rest.with_negations(&mut given, |_, _| true)?;
        let name = |variable| given.get(&variable).map_or(Some(variable), Self::variable);
        if support.iter().all(|&variable| name(variable).is_some()) {
            match rest.replace(|variable| name(variable).unwrap_or(variable)) {
                Err(Error::NotInjective { .. }) => {}
                renamed => return renamed,
            }
        }
        let own: Vec<_> = support.into_iter().filter(|variable| !given.contains_key(variable)).collect();
        given.extend(own.iter().copied().zip(self.store.literals(own.iter().copied())?));
        rest.substitute(&given)
    }

    /// This function with every variable negated whose place the negation `of` a variable is to take, if `wanted`; of `functions`,
    /// that variable itself is to take it then.
    fn with_negations(self, functions: &mut BTreeMap<u32, Self>, wanted: impl Fn(u32, u32) -> bool) -> Result<Self> {
        let mut variables = Vec::new();
        for (&variable, function) in functions {
            let negation = function.negated();
            if self.file.has_variable(variable) && negation.variable().is_some_and(|of| wanted(variable, of)) {
                variables.push(variable);
                *function = negation;
            }
        }
        if variables.is_empty() {
            return Ok(self);
        }
        let complement = self.eval(|variable| variables.binary_search(&variable).is_ok())?;
        let spec = Negate { variables, complement: self.complement != complement };
        self.made("negate", &[], complement, |run| build(&spec, &[&self.file], run))
    }
}

/// An order in which one function can go in after another: each after those of the variables it brings in.
fn order(functions: &BTreeMap<u32, Bdd>) -> Option<Vec<u32>> {
    let brings = |function: &Bdd, own: u32, other: u32| other != own && function.file.has_variable(other);
    let mut missing: BTreeMap<u32, usize> = BTreeMap::new();
    for (&variable, function) in functions {
        let brought = functions.keys().filter(|&&other| brings(function, variable, other));
        missing.insert(variable, brought.count());
    }
    let mut order: Vec<u32> = missing.iter().filter(|(_, count)| **count == 0).map(|(&variable, _)| variable).collect();
    let mut done = 0;
    while let Some(&variable) = order.get(done) {
        done += 1;
        for (&next, _) in functions.iter().filter(|(next, function)| brings(function, **next, variable)) {
            let count = missing.entry(next).or_default();
            *count -= 1;
            if *count == 0 {
                order.push(next);
            }
        }
    }
    (order.len() == functions.len()).then_some(order)
}

//! Functions in the place of variables.

use std::collections::{BTreeMap, BTreeSet};

use super::Bdd;
use crate::{
    error::{Error, Result},
    model::check_variable,
    store::Store,
    sweep::{
        build::{build, build_nested},
        ops::{
            compose::Compose,
            copy::Copy,
            negate::Negate,
            substitute::{Image, Substitute},
        },
    },
};

impl Bdd {
    /// This function with `function` in place of `variable`, which `function` may depend on itself.
    ///
    /// One expand and one reduce sweep over triples of nodes.
    ///
    /// # Errors
    /// [`Error::DifferentStores`], [`Error::VariableOutOfRange`] beyond 2^24 − 1, and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
    /// assert_eq!(x.or(&y)?.compose(1, &y.and(&z)?)?, x.or(&y.and(&z)?)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn compose(&self, variable: u32, function: &Self) -> Result<Self> {
        self.same_store(function)?;
        check_variable(variable)?;
        let Some(rank) = self.file.variables().position(|other| other == variable).map(|below| below + 1) else {
            return Ok(self.clone());
        };
        if let Some(value) = function.as_constant() {
            return self.restrict([(variable, value)]);
        }
        // Both are stored with the value false where all variables are.
        let result = self.eval(|other| other == variable && function.complement)?;
        let spec = Compose {
            variable,
            first: self.file.levels().first(rank),
            complement: function.complement,
            result: self.complement != result,
        };
        let operands = [&self.file, &self.file, &function.file];
        self.made("compose", &[function], result, |run| build(&spec, &operands, run))
    }

    /// This function with functions in place of several variables, all at once: none of the functions sees another.
    ///
    /// One expand and one reduce sweep for all that are constants, and for all that are negations of variables. For the others, one
    /// [`compose`](Self::compose) each where an order can be found in which they do not see another; as [`replace`](Self::replace)
    /// where all functions are variables or negations of variables, all different ones; otherwise a nested sweep for each variable
    /// whose function is neither, or is one that does not stay above all that is below it.
    ///
    /// A transition function for every bit of a state is better a relation: [`rel_prev`](Self::rel_prev) is one sweep.
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
        let rest = self.restrict(constants)?.with_negations(&mut given)?;
        let support: BTreeSet<u32> = rest.file.variables().collect();
        given.retain(|variable, function| support.contains(variable) && function.variable() != Some(*variable));
        if let Some(order) = order(&given) {
            return order.into_iter().try_fold(rest, |rest, variable| rest.compose(variable, &given[&variable]));
        }
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

    /// This function with the variables negated of which the negation of a variable is to take the place. That variable itself is,
    /// then.
    fn with_negations(self, functions: &mut BTreeMap<u32, Self>) -> Result<Self> {
        let mut variables = Vec::new();
        for (&variable, function) in functions {
            let negation = function.negated();
            if self.file.has_variable(variable) && negation.variable().is_some() {
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

    /// The variable that this function is, if it is one.
    fn variable(&self) -> Option<u32> {
        self.as_image().variable()
    }

    /// This function in the place of a variable.
    fn as_image(&self) -> Image<'_> {
        Image { file: &self.file, complement: self.complement }
    }

    /// This function with `images` in place of all its variables at once.
    pub(super) fn substitute(&self, images: &BTreeMap<u32, Self>) -> Result<Self> {
        let result = self.eval(|variable| images[&variable].complement)?;
        let nest =
            Substitute { images: images.iter().map(|(&variable, image)| (variable, image.as_image())).collect() };
        let copy = Copy { complement: self.complement != result };
        let functions: Vec<_> = images.values().collect();
        self.made("substitute", &functions, result, |run| build_nested(&copy, &nest, &[&self.file], run))
    }
}

impl Store {
    /// The functions that are these variables; they share one node.
    pub(super) fn literals(&self, variables: impl IntoIterator<Item = u32>) -> Result<Vec<Bdd>> {
        let first = self.variable(0)?;
        variables.into_iter().map(|variable| first.shifted(variable.cast_signed())).collect()
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

//! Other names for variables, and functions in their place.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Bdd, moves::Moves, rounds::Rounds, ways::Way};
use crate::{
    error::{Error, Result},
    model::check_variable,
    store::Store,
    sweep::{
        build::{build, build_nested},
        ops::{
            compose::Compose,
            copy::Copy,
            substitute::{Image, Substitute},
            swap::swap,
        },
    },
};

impl Bdd {
    /// This function with every variable's number changed by `by`. Constant time; the nodes are shared.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`] when a variable would fall outside 0 to 2^24 − 1.
    pub fn shifted(&self, by: i32) -> Result<Self> {
        let ends = [self.file.variables().next(), self.file.variables().next_back()];
        for variable in ends.into_iter().flatten() {
            check_variable(i64::from(variable) + i64::from(by))?;
        }
        Ok(Self::new(self.store.clone(), Arc::new(self.file.shifted(by)), self.complement))
    }

    /// This function with other names for its variables: `name` says which, and must not give two of them the same.
    ///
    /// O(levels) when the order of the variables stays as it is, and the nodes are shared. Otherwise what probably takes least:
    /// * rounds of one expand and one reduce sweep, in each of which any number of neighbours change places: one round for
    ///   `|variable| variable ^ 1`, which turns a relation over pairs of variables around;
    /// * the fewest variables that have to move past others are moved one by one, with an expand and a reduce sweep each;
    /// * a nested sweep over all that is below for each variable that comes to lie below one that was below it.
    ///
    /// `name` is asked once for each variable of the support, the largest first.
    ///
    /// # Errors
    /// [`Error::NotInjective`] when two variables get one name, [`Error::VariableOutOfRange`] beyond 2^24 − 1, and those of the
    /// disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(x.imp(&y)?.replace(|variable| 1 - variable)?, y.imp(&x)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn replace(&self, name: impl Fn(u32) -> u32) -> Result<Self> {
        let names: Vec<u32> = self.file.variables().map(name).collect();
        names.iter().try_for_each(|&name| check_variable(name))?;
        if names.is_sorted_by(|below, above| below > above) {
            return self.renamed(names);
        }
        let mut sorted = names.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::NotInjective { variable: pair[0] });
        }
        let top_down: Vec<u32> = names.iter().rev().copied().collect();
        match Way::of(&top_down) {
            Way::Rounds(rounds) => return self.swapped(rounds, sorted),
            Way::Moves(moves) => return self.moved(moves),
            Way::Nested => {}
        }
        let images = self.store.literals(names)?;
        self.substitute(&self.file.variables().zip(&images).collect())
    }

    /// This function with its variables renamed by `moves`.
    fn moved(&self, Moves { mut before, steps, mut after }: Moves) -> Result<Self> {
        before.reverse();
        after.reverse();
        let mut moved = self.renamed(before)?;
        for (from, to) in steps {
            moved = moved.compose(from, &self.store.variable(to)?)?;
        }
        moved.renamed(after)
    }

    /// This function with neighbours swapped in `rounds`; the variables are `names` then, the smallest first.
    fn swapped(&self, rounds: Rounds, mut names: Vec<u32>) -> Result<Self> {
        let mut swapped = self.clone();
        for round in rounds {
            // Levels count from the top, ranks from below.
            let uppers: Vec<usize> = round.into_iter().rev().map(|level| names.len() - level).collect();
            swapped = swapped.made("swap", &[], self.complement, |run| swap(&swapped.file, &uppers, run))?;
        }
        names.reverse();
        swapped.renamed(names)
    }

    /// The same nodes with the variables `names`, the largest first.
    fn renamed(&self, names: Vec<u32>) -> Result<Self> {
        let mut by = names.iter().zip(self.file.variables()).map(|(&new, old)| i64::from(new) - i64::from(old));
        let first = by.next().unwrap_or(0);
        if by.all(|by| by == first) {
            return self.shifted(first as i32);
        }
        let file = self.file.renamed(names, &self.store.space())?;
        Ok(Self::new(self.store.clone(), Arc::new(file), self.complement))
    }

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
    /// One [`compose`](Self::compose) for each where an order can be found in which they do not; as [`replace`](Self::replace) where
    /// all functions are variables; otherwise a nested sweep for each variable whose function is not a variable, or is one that
    /// does not stay above all that is below it.
    ///
    /// # Errors
    /// [`Error::Contradiction`] when a variable is given twice with different functions, and as [`Bdd::compose`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(x.imp(&y)?.compose_all([(0, &y), (1, &!&x)])?, y.imp(&!&x)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn compose_all<'a>(&self, functions: impl IntoIterator<Item = (u32, &'a Self)>) -> Result<Self> {
        let mut given: BTreeMap<u32, &Self> = BTreeMap::new();
        for (variable, function) in functions {
            self.same_store(function)?;
            check_variable(variable)?;
            if given.insert(variable, function).is_some_and(|before| before != function) {
                return Err(Error::Contradiction { variable });
            }
        }
        let constants = given.iter().filter_map(|(&variable, function)| Some((variable, function.as_constant()?)));
        let rest = self.restrict(constants)?;
        let support: BTreeSet<u32> = rest.file.variables().collect();
        given.retain(|variable, function| support.contains(variable) && !function.is_constant());
        if let Some(order) = order(&given) {
            return order.into_iter().try_fold(rest, |rest, variable| rest.compose(variable, given[&variable]));
        }
        let name = |variable| given.get(&variable).map_or(Some(variable), |function| function.as_image().variable());
        if support.iter().all(|&variable| name(variable).is_some()) {
            match rest.replace(|variable| name(variable).unwrap_or(variable)) {
                Err(Error::NotInjective { .. }) => {}
                renamed => return renamed,
            }
        }
        let own = self.store.literals(support.into_iter().filter(|variable| !given.contains_key(variable)))?;
        given.extend(own.iter().map(|literal| (literal.file.variable(1), literal)));
        rest.substitute(&given)
    }

    /// This function in the place of a variable.
    fn as_image(&self) -> Image<'_> {
        Image { file: &self.file, complement: self.complement }
    }

    /// This function with `images` in place of all its variables at once.
    fn substitute(&self, images: &BTreeMap<u32, &Self>) -> Result<Self> {
        let result = self.eval(|variable| images[&variable].complement)?;
        let nest =
            Substitute { images: images.iter().map(|(&variable, image)| (variable, image.as_image())).collect() };
        let copy = Copy { complement: self.complement != result };
        let functions: Vec<_> = images.values().copied().collect();
        self.made("substitute", &functions, result, |run| build_nested(&copy, &nest, &[&self.file], run))
    }
}

impl Store {
    /// The functions that are these variables; they share one node.
    fn literals(&self, variables: impl IntoIterator<Item = u32>) -> Result<Vec<Bdd>> {
        let first = self.variable(0)?;
        variables.into_iter().map(|variable| first.shifted(variable.cast_signed())).collect()
    }
}

/// An order in which one function can go in after another: each after those of the variables it brings in.
fn order(functions: &BTreeMap<u32, &Bdd>) -> Option<Vec<u32>> {
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

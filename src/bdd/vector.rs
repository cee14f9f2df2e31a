//! Functions in the place of many variables, all in one sweep.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bdd, levels::Levels};
use crate::{
    error::Result,
    model::LARGEST_VARIABLE,
    sweep::{
        build::{build_within, most_nodes},
        ops::vector::Vector,
        run::Run,
    },
};

impl Bdd {
    /// This function with `functions`, at least two, in place of some of its variables, by one sweep over pairs of a node and a
    /// node of the relation between these variables and their functions. `None` where that may take longer than a sweep for each
    /// function, or where the sweep turns out to and is given up.
    ///
    /// # Errors
    /// Those of the disk and of the budget; a sweep for each function may do without the latter.
    pub(super) fn vector(&self, functions: &BTreeMap<u32, Self>) -> Result<Option<Self>> {
        let places = self.places(functions)?;
        if log_width(&places) > (functions.len() as f64).log2() {
            return Ok(None);
        }
        let Some(Layout { own, replaced, names }) = Layout::of(&places) else { return Ok(None) };
        let conditions = places.iter().filter_map(|place| place.function.as_ref()).zip(&replaced);
        let relation = self
            .store
            .and_all(conditions.map(|(function, &level)| own.lift(function)?.xnor(&self.store.variable(level)?)))?;
        let file = self.renamed(names)?.file;
        // Stored such that it is false where all variables are false.
        let result = self.eval(|variable| functions.get(&variable).is_some_and(|function| function.complement))?;
        let spec = Vector { variables: replaced, complement: relation.complement, result: self.complement != result };
        let (nodes, operands) = (self.node_count() + relation.node_count(), [&file, &relation.file]);
        let build = |run: &mut Run<'_>| {
            let most = most_nodes(self.node_count(), &run.space.limits).saturating_mul(functions.len() as u64);
            build_within(&spec, &operands, most, run)
        };
        let built = self.store.run_beside("vector", nodes, build)?;
        let Some(file) = built else { return Ok(None) };
        own.lower(&Self::new(self.store.clone(), file, result)).map(Some)
    }

    /// Where each variable goes, in ascending order.
    fn places(&self, functions: &BTreeMap<u32, Self>) -> Result<Vec<Place>> {
        // No place comes before this variable of the result.
        let mut next = 0;
        let place = |variable| {
            let function = match functions.get(&variable) {
                // An earlier variable may come to lie below this one.
                None if next > variable => Some(self.store.variable(variable)?),
                given => given.cloned(),
            };
            let lowest = function.as_ref().and_then(|function| function.file.variables().next()).unwrap_or(variable);
            next = next.max(lowest + 1);
            Ok(Place { variable, function, below: next - 1 })
        };
        self.file.variables().rev().map(place).collect()
    }
}

/// Where a variable of a diagram goes.
struct Place {
    variable: u32,
    /// The function that takes its place; `None` if the variable just stays.
    function: Option<Bdd>,
    /// The variable of the result right above it: the lowest that its function, or an earlier one, depends on.
    below: u32,
}

/// The binary logarithm of a bound on the width of the relation: between two variables a node has to tell, for every function
/// partly evaluated there, how it goes on.
fn log_width(places: &[Place]) -> f64 {
    let mut changes: BTreeMap<u32, f64> = BTreeMap::new();
    for Place { function, below, .. } in places {
        let Some(function) = function else { continue };
        let (levels, mut before) = (function.file.levels(), 0.0);
        let ranks = (1..levels.ranks()).rev();
        for (seen, (rank, variable)) in (1..).zip(ranks.zip(function.file.variables().rev())) {
            // At most one state for each assignment to the variables seen so far, and one for each node and terminal below.
            let now = f64::from(seen).min((levels.first(rank) as f64).log2());
            *changes.entry(variable).or_default() += now - before;
            before = now;
        }
        *changes.entry(below + 1).or_default() -= before;
    }
    let sums = changes.into_values().scan(0.0, |sum, change| {
        *sum += change;
        Some(*sum)
    });
    sums.fold(0.0, f64::max)
}

/// The levels of the sweep, all variables of the result with the replaced ones between them.
struct Layout {
    /// The level of each variable of the result.
    own: Levels,
    /// The levels of the variables that are replaced.
    replaced: Vec<u32>,
    /// The levels of all variables of the diagram, the lowest first.
    names: Vec<u32>,
}

impl Layout {
    /// The layout for `places`; `None` if it takes too many levels.
    fn of(places: &[Place]) -> Option<Self> {
        let mut variables: BTreeSet<u32> = BTreeSet::new();
        for Place { variable, function, .. } in places {
            match function {
                Some(function) => variables.extend(function.file.variables()),
                None => _ = variables.insert(*variable),
            }
        }
        let (mut own, mut replaced, mut names, mut left) =
            (Vec::new(), Vec::new(), Vec::new(), places.iter().peekable());
        let mut levels = 0..=LARGEST_VARIABLE;
        for variable in variables {
            let level = levels.next()?;
            own.push((variable, level));
            while let Some(place) = left.next_if(|place| place.below == variable) {
                let name = if place.function.is_some() { levels.next()? } else { level };
                replaced.extend(place.function.as_ref().map(|_| name));
                names.push(name);
            }
        }
        names.reverse();
        Some(Self { own: Levels::new(own), replaced, names })
    }
}

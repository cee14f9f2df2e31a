//! Functions in the place of many variables, all in one sweep.
//!
//! The variables that are replaced are put aside, each on a level below all that its function depends on, where a relation gives
//! its value. They stay in their order, so one that goes far down takes those between along; one whose function looks too far down
//! for that stays next to its own variable, and its value is guessed there: it is quantified.
//!
//! ```text
//!   x0 becomes x0 ⊕ x1, x1 becomes x1 ⊕ x2,                  x0 becomes x0 ⊕ x99, which is far down,
//!   x2 becomes x2 ⊕ x3, x3 stays                             and the others as beside
//!   levels: x0 x1 [x0'] x2 [x1'] x3 [x2'] [x3']              levels: x0 [x0'?] x1 x2 [x1'] x3 [x2'] [x3']
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::{Bdd, spacing::Spacing};
use crate::{
    error::Result,
    model::{LARGEST_VARIABLE, op::BinaryOp},
    sweep::{
        build::{build_within, most_nodes},
        ops::{
            and_exists::{AndExists, and_exists_within},
            constrain::Constrain,
        },
        run::Run,
    },
};

impl Bdd {
    /// This function with `functions` in place of some of its variables, over pairs of a node and a node of the relation between
    /// these variables and their functions. `None` where that may take longer than a sweep for each function, or where it turns out
    /// to and is given up.
    ///
    /// # Errors
    /// Those of the disk and of the budget; a sweep for each function may do without the latter.
    pub(super) fn vector(&self, functions: &BTreeMap<u32, Self>) -> Result<Option<Self>> {
        let (nodes, levels) = (self.node_count(), self.file.variables().len() as u64);
        // A sweep for each function goes through all levels, however little it does on most of them.
        let apart = 2 * nodes + functions.len() as u64 * levels / 64;
        if functions.values().map(Self::node_count).sum::<u64>() > apart {
            return Ok(None);
        }
        let places = self.places(functions)?;
        let given = || places.iter().filter_map(|place| place.function.as_ref());
        let Some(Layout { own, replaced, names }) = Layout::of(&places) else { return Ok(None) };
        let most = most_nodes(nodes.saturating_mul(functions.len() as u64), &self.store.space().limits);
        let conditions =
            given().zip(&replaced).map(|(function, &level)| own.lift(function)?.xnor(&self.store.variable(level)?));
        let join = |a: Self, b: Self| a.apply_within(BinaryOp::AND, &b, most);
        let Some(relation) = self.store.join_all(conditions, true, join)? else { return Ok(None) };
        let file = self.renamed(names)?.file;
        // Stored such that it is false where all variables are false.
        let result = self.eval(|variable| functions.get(&variable).is_some_and(|function| function.complement))?;
        let (operands, complement) = ([&file, &relation.file], [self.complement, relation.complement]);
        let composed = if places.iter().any(Place::is_guessed) {
            let spec = AndExists { complement, result, variables: replaced };
            // The requests are twice as large.
            let build = |run: &mut Run<'_>| and_exists_within(&spec, operands, most / 2, run);
            self.made_within("vector", &[&relation], result, build)
        } else {
            let decides = |variable| replaced.binary_search(&variable).is_ok();
            let spec =
                Constrain { decides: &decides, complement: relation.complement, result: self.complement != result };
            self.made_within("vector", &[&relation], result, |run| build_within(&spec, &operands, most, run))
        };
        composed?.map(|composed| own.lower(&composed)).transpose()
    }

    /// Where each variable goes, in ascending order.
    fn places(&self, functions: &BTreeMap<u32, Self>) -> Result<Vec<Place>> {
        let variables: Vec<u32> = self.file.variables().rev().collect();
        // While one variable waits for its function, those between come to lie below it, and the relation has to remember theirs.
        let most_between = functions.len().ilog2() as usize;
        // No place comes before this variable of the result.
        let mut next = 0;
        let place = |(at, &variable): (usize, &u32)| {
            let function = match functions.get(&variable) {
                // An earlier variable may come to lie below this one.
                None if next > variable => Some(self.store.variable(variable)?),
                given => given.cloned(),
            };
            let lowest = function.as_ref().and_then(|function| function.file.variables().next()).unwrap_or(variable);
            let between = variables[at + 1..].partition_point(|&other| other <= lowest);
            let wanted = if between <= most_between { lowest } else { variable };
            next = next.max(wanted + 1);
            Ok(Place { variable, function, lowest, below: next - 1 })
        };
        variables.iter().enumerate().map(place).collect()
    }
}

/// Where a variable of a diagram goes.
struct Place {
    variable: u32,
    /// The function that takes its place; `None` if the variable just stays.
    function: Option<Bdd>,
    /// The lowest variable that the function depends on.
    lowest: u32,
    /// The variable right above it: the lowest that its function, or an earlier one, depends on, or its own number where the
    /// function looks too far down.
    below: u32,
}

impl Place {
    /// Whether the variable is tested before the last one that its function depends on.
    fn is_guessed(&self) -> bool {
        self.below < self.lowest
    }
}

/// The levels of the sweep, all variables of the result with the replaced ones between them.
struct Layout {
    /// The level of each variable of the result, and of those beside which a value is guessed.
    own: Spacing,
    /// The levels of the variables that are replaced.
    replaced: Vec<u32>,
    /// The levels of all variables of the diagram, the lowest first.
    names: Vec<u32>,
}

impl Layout {
    /// The layout for `places`; `None` if it takes too many levels.
    fn of(places: &[Place]) -> Option<Self> {
        let mut variables: BTreeSet<u32> = BTreeSet::new();
        for Place { variable, function, below, .. } in places {
            variables.insert(*below);
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
        Some(Self { own: Spacing::new(own), replaced, names })
    }
}

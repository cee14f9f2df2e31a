//! Other numbers for variables while others are put between them.

use super::Bdd;
use crate::{error::Result, model::value_in};

/// A level for each of some variables, in the same order; there may be other levels between them.
pub struct Spacing(Vec<(u32, u32)>);

impl Spacing {
    /// From pairs of a variable and its level, both in ascending order.
    pub fn new(levels: Vec<(u32, u32)>) -> Self {
        Self(levels)
    }

    /// The level of `variable`, which must have one.
    pub fn of(&self, variable: u32) -> u32 {
        value_in(&self.0, variable).expect("a variable that has a level")
    }

    /// `function` with its variables on their levels.
    pub fn lift(&self, function: &Bdd) -> Result<Bdd> {
        function.renamed(function.file.variables().map(|variable| self.of(variable)).collect())
    }

    /// The inverse of [`lift`](Self::lift): `function` with each level replaced by its variable.
    pub fn lower(&self, function: &Bdd) -> Result<Bdd> {
        let variable_of = |level| {
            let at = self.0.binary_search_by_key(&level, |(_, level)| *level);
            self.0[at.expect("a level of a variable")].0
        };
        function.renamed(function.file.variables().map(variable_of).collect())
    }
}

//! Truth tables: the slow and plain twin of a diagram.

use fastrand::Rng;
use strata_bdd::{Bdd, Result, Store};

use super::functions::of_table;

/// A function of a few variables, by its value at every point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Ascending; bit `i` of a point is the value of variable `i`.
    pub variables: Vec<u32>,
    values: Vec<bool>,
}

impl Table {
    /// The table of `value`, which is given the value of every variable.
    pub fn new(variables: &[u32], value: impl Fn(&dyn Fn(u32) -> bool) -> bool) -> Self {
        let at = |point: usize| {
            value(&|variable| {
                let bit = variables.binary_search(&variable).expect("a variable of the table");
                point >> bit & 1 == 1
            })
        };
        Self { variables: variables.into(), values: (0..1 << variables.len()).map(at).collect() }
    }

    /// A random table.
    pub fn random(variables: &[u32], random: &mut Rng) -> Self {
        Self { variables: variables.into(), values: (0..1 << variables.len()).map(|_| random.bool()).collect() }
    }

    /// The table that `number` spells.
    pub fn of_number(variables: &[u32], number: u32) -> Self {
        let values = (0..1 << variables.len()).map(|point| number >> point & 1 == 1).collect();
        Self { variables: variables.into(), values }
    }

    /// The table of `bdd`, which must not depend on other variables.
    pub fn of(bdd: &Bdd, variables: &[u32]) -> Result<Self> {
        let values = (0..1usize << variables.len()).map(|point| {
            bdd.eval(|variable| variables.binary_search(&variable).is_ok_and(|bit| point >> bit & 1 == 1))
        });
        Ok(Self { variables: variables.into(), values: values.collect::<Result<_>>()? })
    }

    /// The value where the variables have the values that `point` gives them.
    pub fn at(&self, point: impl Fn(u32) -> bool) -> bool {
        let bits = self.variables.iter().enumerate().map(|(bit, &variable)| usize::from(point(variable)) << bit);
        self.values[bits.sum::<usize>()]
    }

    /// The function of the same variables with `value` at every point; both are given the points.
    #[must_use]
    pub fn map(&self, value: impl Fn(&Self, &dyn Fn(u32) -> bool) -> bool) -> Self {
        Self::new(&self.variables, |point| value(self, point))
    }

    /// The values at a point for all values of `variables` there.
    pub fn at_all(&self, variables: &[u32], point: &dyn Fn(u32) -> bool) -> Vec<bool> {
        let choose = |choice: usize| {
            self.at(|variable| match variables.iter().position(|&chosen| chosen == variable) {
                Some(bit) => choice >> bit & 1 == 1,
                None => point(variable),
            })
        };
        (0..1 << variables.len()).map(choose).collect()
    }

    /// The diagram, built bottom-up.
    pub fn build(&self, store: &Store) -> Bdd {
        // `of_table` has the first variable as the highest bit.
        let n = self.variables.len() as u32;
        let reversed = |point: usize| if n == 0 { 0 } else { point.reverse_bits() >> (usize::BITS - n) };
        let values: Vec<bool> = (0..self.values.len()).map(|point| self.values[reversed(point)]).collect();
        of_table(store, &values, &self.variables).expect("room")
    }
}

//! Truth tables: the slow and plain twin of a diagram.

use fastrand::Rng;
use strata_bdd::{Bdd, Result, Store};

use super::functions::of_table;

/// A function of a few variables: its value at every point. A point gives each variable a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Ascending. The value of `variables[i]` is bit i of the number of a point.
    pub variables: Vec<u32>,
    values: Vec<bool>,
}

impl Table {
    /// The table of the function whose value at a point is `value` of that point.
    pub fn new(variables: &[u32], value: impl Fn(&dyn Fn(u32) -> bool) -> bool) -> Self {
        let at = |point: usize| {
            value(&|variable| {
                let bit = variables.binary_search(&variable).expect("a variable of the table");
                point >> bit & 1 == 1
            })
        };
        Self { variables: variables.into(), values: (0..1 << variables.len()).map(at).collect() }
    }

    pub fn random(variables: &[u32], random: &mut Rng) -> Self {
        Self { variables: variables.into(), values: (0..1 << variables.len()).map(|_| random.bool()).collect() }
    }

    /// The table whose value at the i-th point is bit i of `number`.
    pub fn of_number(variables: &[u32], number: u32) -> Self {
        let values = (0..1 << variables.len()).map(|point| number >> point & 1 == 1).collect();
        Self { variables: variables.into(), values }
    }

    /// The table of `bdd`, which must not depend on variables outside `variables`.
    pub fn of(bdd: &Bdd, variables: &[u32]) -> Result<Self> {
        let values = (0..1usize << variables.len()).map(|point| {
            bdd.eval(|variable| variables.binary_search(&variable).is_ok_and(|bit| point >> bit & 1 == 1))
        });
        Ok(Self { variables: variables.into(), values: values.collect::<Result<_>>()? })
    }

    /// The value at `point`.
    pub fn at(&self, point: impl Fn(u32) -> bool) -> bool {
        let bits = self.variables.iter().enumerate().map(|(bit, &variable)| usize::from(point(variable)) << bit);
        self.values[bits.sum::<usize>()]
    }

    /// A table over the same variables. Its value at a point is `value` of this table and that point.
    #[must_use]
    pub fn map(&self, value: impl Fn(&Self, &dyn Fn(u32) -> bool) -> bool) -> Self {
        Self::new(&self.variables, |point| value(self, point))
    }

    /// The values at all points that have any values for `variables`, and those of `point` for all others.
    pub fn at_all(&self, variables: &[u32], point: &dyn Fn(u32) -> bool) -> Vec<bool> {
        let choose = |choice: usize| {
            self.at(|variable| match variables.iter().position(|&chosen| chosen == variable) {
                Some(bit) => choice >> bit & 1 == 1,
                None => point(variable),
            })
        };
        (0..1 << variables.len()).map(choose).collect()
    }

    /// The diagram of the table, built bottom-up.
    pub fn build(&self, store: &Store) -> Bdd {
        // `of_table` takes the first variable as the highest bit, a table as the lowest.
        let n = self.variables.len() as u32;
        let reversed = |point: usize| if n == 0 { 0 } else { point.reverse_bits() >> (usize::BITS - n) };
        let values: Vec<bool> = (0..self.values.len()).map(|point| self.values[reversed(point)]).collect();
        of_table(store, &values, &self.variables).expect("room")
    }
}

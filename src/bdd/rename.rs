//! Renaming variables.

use super::{Bdd, VARIABLE_BYTES, moves::Moves, rounds::Rounds, ways::Way};
use crate::{
    error::{Error, Result},
    file::node_file::NodeFile,
    model::check_variable,
    sweep::{
        build::build_nested,
        identity::Identity,
        ops::{rename::Rename, swap::swap},
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
        Ok(Self::new(self.store.clone(), self.file.shifted(by), self.complement))
    }

    /// This function with its variables renamed: `name` gives the new name of each, and must not give two of them the same.
    ///
    /// O(levels) when the order of the variables stays as it is; the nodes are then shared. Otherwise the way that probably takes
    /// least time:
    /// * rounds of one expand and one reduce sweep, in each of which any number of neighbours change places: one round for
    ///   `|variable| variable ^ 1`, which reverses a relation over pairs of variables;
    /// * one expand and one reduce sweep for each variable that moves past others, as few of them as possible;
    /// * a nested sweep over all levels below for each variable that comes to lie below one that was below it.
    ///
    /// The size of a diagram depends on the order of its variables, so intermediate diagrams may be far larger than both this one
    /// and the result, for example where the order of all squares of a grid is reversed. A function with known parts is then better
    /// built anew in the other order.
    ///
    /// `name` is called once for each variable of the support, the largest first.
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
    pub fn replace(&self, name: impl FnMut(u32) -> u32) -> Result<Self> {
        let names: Vec<u32> = self.file.variables().map(name).collect();
        names.iter().try_for_each(|&name| check_variable(name))?;
        if names.is_sorted_by(|below, above| below > above) {
            return self.renamed(names);
        }
        let _charge = self.charge_lists(names.len() * VARIABLE_BYTES, "what renames variables")?;
        let mut sorted = names.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let mut named = self.file.variables().zip(&names).filter(|(_, name)| **name == pair[0]);
            if let (Some((first, &variable)), Some((second, _))) = (named.next(), named.next()) {
                return Err(Error::NotInjective { variable, first, second });
            }
        }
        let top_down: Vec<u32> = names.iter().rev().copied().collect();
        match Way::of(&top_down) {
            Way::Rounds(rounds) => self.swapped(rounds, sorted),
            Way::Moves(moves) => self.moved(moves),
            Way::Nested => self.renamed_at_once(&names),
        }
    }

    /// This function with `names` for its variables, the largest first, by nested sweeps.
    fn renamed_at_once(&self, names: &[u32]) -> Result<Self> {
        let _charge = self.charge_lists(names.len() * VARIABLE_BYTES, "a name for each variable")?;
        let names = self.file.variables().zip(names).map(|(own, &name)| (own, NodeFile::of_variable(name)));
        let nest = Rename { names: names.rev().collect() };
        let identity = Identity { complement: false, as_is: false };
        self.made("replace", &[], self.complement, |run| build_nested(&identity, &nest, &[&self.file], run))
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

    /// This function with neighbours swapped in `rounds`, after which its variables get `names`, the smallest first.
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
    pub(super) fn renamed(&self, names: Vec<u32>) -> Result<Self> {
        let mut by = names.iter().zip(self.file.variables()).map(|(&new, old)| i64::from(new) - i64::from(old));
        let first = by.next().unwrap_or(0);
        if by.all(|by| by == first) {
            return self.shifted(first as i32);
        }
        let file = self.file.renamed(names, &self.store.space())?;
        Ok(Self::new(self.store.clone(), file, self.complement))
    }
}

//! Current and next variables of a transition relation.

use std::collections::BTreeMap;

use super::check_variable;
use crate::error::{Error, Result};

/// Which variable holds the next value of which: one-to-one, current to next.
///
/// ```
/// use strata_bdd::VariablePairs;
///
/// assert_eq!(VariablePairs::interleaved(2)?, VariablePairs::new([(0, 1), (2, 3)])?);
/// let pairs = VariablePairs::disjoint(2)?;
/// assert_eq!(pairs, VariablePairs::new([(1, 3), (0, 2)])?);
/// assert!(pairs.iter().eq([(0, 2), (1, 3)]) && pairs.currents().eq([0, 1]) && pairs.nexts().eq([2, 3]));
/// # Ok::<(), strata_bdd::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariablePairs {
    next: BTreeMap<u32, u32>,
    current: BTreeMap<u32, u32>,
}

impl VariablePairs {
    /// The pairs (current, next), in any order; one that comes again makes no difference. They take some 40 bytes each, beside the
    /// budget of any store.
    ///
    /// # Errors
    /// [`Error::PairedTwice`] when a variable is in two different pairs, or is paired with itself, [`Error::VariableOutOfRange`]
    /// beyond 2^24 − 1.
    pub fn new(pairs: impl IntoIterator<Item = (u32, u32)>) -> Result<Self> {
        let mut made = Self { next: BTreeMap::new(), current: BTreeMap::new() };
        for (current, next) in pairs {
            if made.next.get(&current) == Some(&next) {
                continue;
            }
            for variable in [current, next] {
                check_variable(variable)?;
                if current == next || made.is_current(variable) || made.is_next(variable) {
                    return Err(Error::PairedTwice { variable, pair: (current, next) });
                }
            }
            made.next.insert(current, next);
            made.current.insert(next, current);
        }
        Ok(made)
    }

    /// Current variables 0, 2, 4, … and next variables 1, 3, 5, …, of each `count`: the order for relations in which each next
    /// value depends on few current ones.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`] beyond 2^24 − 1.
    pub fn interleaved(count: u32) -> Result<Self> {
        Self::numbered(count, |number| (2 * number, 2 * number + 1))
    }

    /// Current variables from 0, then next variables from `count`.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`] beyond 2^24 − 1.
    pub fn disjoint(count: u32) -> Result<Self> {
        Self::numbered(count, |number| (number, count + number))
    }

    /// `count` pairs of all variables below 2 · `count`; `pair` gives each from its number.
    fn numbered(count: u32, pair: impl Fn(u32) -> (u32, u32)) -> Result<Self> {
        if count > 0 {
            check_variable(2 * i64::from(count) - 1)?;
        }
        Self::new((0..count).map(pair))
    }

    /// The pairs (current, next), in the order of current variables.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.next.iter().map(|(&current, &next)| (current, next))
    }

    /// The current variables in ascending order: the domain of states.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store, VariablePairs};
    /// let store = Store::new(Config::default())?;
    /// let pairs = VariablePairs::interleaved(3)?;
    /// let states = store.variable(0)?.or(&store.variable(4)?)?;
    /// assert_eq!(states.assignments(pairs.currents())?.count(), 6);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn currents(&self) -> impl Iterator<Item = u32> {
        self.next.keys().copied()
    }

    /// The next variables in ascending order.
    pub fn nexts(&self) -> impl Iterator<Item = u32> {
        self.current.keys().copied()
    }

    /// Whether `variable` is a current one.
    pub fn is_current(&self, variable: u32) -> bool {
        self.next.contains_key(&variable)
    }

    /// Whether `variable` is a next one.
    pub fn is_next(&self, variable: u32) -> bool {
        self.current.contains_key(&variable)
    }

    /// The next variable of a current one; any other stays as it is.
    pub fn next_of(&self, variable: u32) -> u32 {
        self.next.get(&variable).copied().unwrap_or(variable)
    }

    /// The current variable of a next one; any other stays as it is.
    pub fn current_of(&self, variable: u32) -> u32 {
        self.current.get(&variable).copied().unwrap_or(variable)
    }
}

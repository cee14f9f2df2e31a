//! Linear (pseudo-Boolean) constraints: a weighted sum of variables against a bound.

use super::{
    WHAT, grid,
    intervals::Search,
    terms::{self, FALSE, TRUE},
};
use crate::{bdd::Bdd, error::Result, store::Store};

/// How a sum compares with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The sum is at most the bound: `<=`.
    AtMost,
    /// The sum is at least the bound: `>=`.
    AtLeast,
    /// The sum is the bound: `=`.
    Equal,
}

impl Store {
    /// The function that is true where the weights of the true variables, added up, compare with `bound` as asked.
    ///
    /// `terms` are variables with their weights, in any order; the weights of a variable given more than once are added up.
    /// Weights may be negative or zero. Sums are exact, whatever the weights.
    ///
    /// All bounds that leave the same function of the terms to come are one interval, and each interval of each level is looked
    /// into once: partial sums are not told apart where the diagram does not. Only `Equal` may also look into sums that nothing
    /// completes, unless a common divisor of the weights to come says so; that is the problem of subset sums. The nodes are
    /// then added bottom-up. O(log n) time for each of n intervals.
    ///
    /// Memory: 216 bytes for each interval, of which there is one for every node and one for every level that an arc skips, and
    /// up to 250 bytes for each term. They cannot go to disk, and may take what the tables of other diagrams leave of an eighth
    /// of the budget and 8 MiB: 48,000 intervals at 16 MiB, 650,000 at 1 GiB. Where all weights are 1 there are none, as for
    /// [`at_most`](Self::at_most). Where few sums are different on every level, as with small weights, a
    /// [`BddBuilder`](crate::BddBuilder) that is given a node for each of them needs less.
    ///
    /// After I. Abío, R. Nieuwenhuis, A. Oliveras, E. Rodríguez-Carbonell, V. Mayer-Eichberger, *A New Look at BDDs for
    /// Pseudo-Boolean Constraints*, 2012.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when that memory does not suffice,
    /// [`Error::VariableOutOfRange`](crate::Error::VariableOutOfRange) beyond 2^24 − 1, and those of the disk.
    ///
    /// ```
    /// # use strata_bdd::{Comparison, Config, Store};
    /// let store = Store::new(Config::default())?;
    /// // 3 x0 − 2 x1 + x2 >= 2
    /// let f = store.linear([(0, 3), (1, -2), (2, 1)], Comparison::AtLeast, 2)?;
    /// let g = store.cube([(0, true), (1, false)])?.or(&store.cube([(0, true), (2, true)])?)?;
    /// assert_eq!(f, g);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn linear(
        &self,
        terms: impl IntoIterator<Item = (u32, i64)>,
        comparison: Comparison,
        bound: i64,
    ) -> Result<Bdd> {
        let (terms, bound) = (terms.into_iter(), i128::from(bound));
        match comparison {
            Comparison::AtMost => sum(self, terms, true, bound),
            Comparison::AtLeast => Ok(sum(self, terms, true, bound - 1)?.negated()),
            Comparison::Equal => sum(self, terms, false, bound),
        }
    }
}

/// "The sum of `terms` is `bound`", or, if `fewer`, "is at most `bound`".
pub fn sum(store: &Store, terms: impl Iterator<Item = (u32, i64)>, fewer: bool, bound: i128) -> Result<Bdd> {
    let mut charge = store.space().pool.account(WHAT);
    let terms = terms::read(terms, &mut charge)?;
    if let Some(plain) = terms[0].plain(bound, fewer) {
        return Ok(store.constant(plain.node == TRUE));
    }
    let variables = terms[..terms.len() - 1].iter();
    let mut builder = store.builder()?;
    match usize::try_from(bound) {
        Ok(k) if variables.clone().all(|term| term.weight == 1) => {
            grid::add_nodes(&mut builder, variables.map(|term| term.variable), k, fewer, &mut charge)?;
        }
        _ => {
            let mut search = Search::new(&terms, fewer, &mut charge, store)?;
            if search.run(bound)? == FALSE {
                return Ok(store.constant(false));
            }
            search.add_nodes(&mut builder)?;
        }
    }
    drop((terms, charge));
    builder.build()
}

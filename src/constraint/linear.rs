//! Linear (pseudo-Boolean) constraints: a weighted sum of variables against a bound.

use super::{
    WHAT,
    grid::Grid,
    intervals::{ENTRY_BYTES, Search},
    terms::{self, FALSE, TRUE, Term},
};
use crate::{
    bdd::Bdd,
    builder::{BddBuilder, BuilderNode},
    disk::pool::Share,
    error::{Error, Result},
    store::Store,
};

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
    /// The function that is true where the sum of the weights of the true variables compares with `bound` as asked.
    ///
    /// `terms` are variables with their weights, in any order; the weights of a variable given more than once are added up.
    /// Weights may be negative or zero. Sums are exact, whatever the weights. With the cost that [`Bdd::opt_min`] found as the bound,
    /// a conjunction gives all optima.
    ///
    /// All bounds that leave the same function of the remaining terms form an interval, and each interval of each level is looked
    /// into once: partial sums are told apart only where the diagram tells them apart. Only `Equal` may also look into sums that
    /// nothing completes, unless a common divisor of the remaining weights rules them out; that is the problem of subset sums. The
    /// nodes are then added bottom-up. O(log n) time for each of n intervals.
    ///
    /// The other way is a grid: a node for each level and each bound that may be left there and decides nothing yet, added
    /// bottom-up, and one sweep that drops the nodes to which no sum leads. Constant time for each node, and, where not all are in
    /// memory, 16 bytes of temporary disk. The grid is taken where two of its rows fit, and the search finds more intervals than a
    /// sixteenth of the grid's nodes, or would leave other calls less than a quarter of the memory there is for it; where the grid
    /// does not fit in the end, or has very many nodes, the search takes all. Either way gives the same diagram.
    ///
    /// Memory: up to 250 bytes for each term, and either 216 for each interval or 48 for each bound on the grid's widest level.
    /// There is one interval for every node and one for every level that an arc skips; a level has at most one bound more than the
    /// sum of the magnitudes of the weights, divided by their largest common divisor. This memory cannot go to disk, and is limited
    /// to what diagrams and other calls leave of an eighth of the budget and 8 MiB, and of the common share: 60,000 intervals or
    /// 270,000 bounds at 16 MiB, 1,400,000 or 6,400,000 at 1 GiB. Where all weights are equal except for their sign, only the grid
    /// is used, as for [`at_most`](Self::at_most), and it has no superfluous nodes.
    ///
    /// After I. Abío, R. Nieuwenhuis, A. Oliveras, E. Rodríguez-Carbonell, V. Mayer-Eichberger, *A New Look at BDDs for
    /// Pseudo-Boolean Constraints*, 2012.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] when that memory suffices for neither way: then a larger budget helps, or, where that is exact
    /// enough, weights rounded to multiples of a number, which make the grid narrower by that factor;
    /// [`Error::VariableOutOfRange`] beyond 2^24 − 1, and those of the disk.
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
        bound: impl Into<i128>,
    ) -> Result<Bdd> {
        let (terms, bound) = (terms.into_iter(), bound.into());
        match comparison {
            Comparison::AtMost => sum(self, terms, true, bound),
            Comparison::AtLeast => Ok(sum(self, terms, true, bound.saturating_sub(1))?.negated()),
            Comparison::Equal => sum(self, terms, false, bound),
        }
    }
}

/// "The sum of `terms` is `bound`", or, if `fewer`, "is at most `bound`".
pub fn sum(store: &Store, terms: impl Iterator<Item = (u32, i64)>, fewer: bool, bound: i128) -> Result<Bdd> {
    let mut charge = store.space().pool.account(WHAT);
    let given = terms::read(terms, &mut charge)?;
    let _many_terms = store.wide(size_of::<Term>() * given.len())?;
    let mut terms = terms::sum_up(&given, &mut charge)?;
    drop(given);
    if let Some(plain) = terms[0].plain(bound, fewer) {
        return Ok(store.constant(plain.node == TRUE));
    }
    let bound = terms::divide(&mut terms, bound);
    let grid = Grid::new(&terms, bound, fewer);
    let _many_sums = store.wide(usual_bytes(&grid))?;
    let (builder, root) = add_nodes(store, &grid)?;
    drop((terms, charge));
    match root {
        Some(root) => builder.build_root(root),
        None => builder.build(),
    }
}

/// A builder with all nodes, and the root where there may be nodes to which it does not lead.
type Nodes = (BddBuilder, Option<BuilderNode>);

/// The search may look into one interval for this many open bounds of the grid: an interval takes longer than a bound, and a search
/// that is given up should not take longer than the grid.
const PLACES: u64 = 16;
/// A search that the grid can take over from leaves one part in this many of the room there is to other calls.
const SPARED: usize = 4;
/// But it takes all room where the grid would take more than this many times as long as any search that has room.
const FAR_LONGER: u64 = 8;

/// Bytes that either way to add the nodes takes, unless it finds that it needs more.
fn usual_bytes(grid: &Grid<'_>) -> usize {
    let searched = usize::try_from(grid.places / PLACES).unwrap_or(usize::MAX).saturating_mul(ENTRY_BYTES);
    // Of so few terms there are no more sums.
    let most = 1usize.checked_shl(grid.terms.len() as u32).unwrap_or(usize::MAX).saturating_mul(ENTRY_BYTES);
    grid.row_bytes.saturating_add(searched).min(most)
}

/// Adds the nodes by the search, unless the grid takes less time or only the grid has room. Where neither has room, the search's
/// error is returned.
fn add_nodes(store: &Store, grid: &Grid<'_>) -> Result<Nodes> {
    if grid.counts {
        return fill(store, grid);
    }
    let room = store.space().pool.room(Share::Tables);
    if grid.row_bytes <= room {
        let (most, fitting) = (grid.places / PLACES, (room / ENTRY_BYTES) as u64);
        let spared = if most <= FAR_LONGER * fitting { room / SPARED } else { 0 };
        match search(store, grid, most, spared) {
            Ok(None) | Err(Error::BudgetExceeded { .. }) => {}
            Ok(Some(found)) => return Ok(found),
            Err(error) => return Err(error),
        }
        match fill(store, grid) {
            Err(Error::BudgetExceeded { .. }) => {}
            filled => return filled,
        }
    }
    Ok(search(store, grid, u64::MAX, 0)?.expect("a search without a limit is not given up"))
}

/// The nodes of the whole grid.
fn fill(store: &Store, grid: &Grid<'_>) -> Result<Nodes> {
    let mut charge = store.space().pool.account(WHAT);
    let mut builder = store.builder()?;
    let root = grid.add_nodes(&mut builder, &mut charge)?;
    Ok((builder, if grid.counts { None } else { Some(root) }))
}

/// The nodes that a search finds; `None` if it has to look into more than about `most` intervals, or has to leave less than `spared`
/// bytes of the tables.
fn search(store: &Store, grid: &Grid<'_>, most: u64, spared: usize) -> Result<Option<Nodes>> {
    let mut charge = store.space().pool.account(WHAT);
    let mut search = Search::new(grid.terms, grid.fewer, most, spared, &mut charge, store)?;
    let mut builder = store.builder()?;
    match search.run(grid.bound)? {
        None => Ok(None),
        Some(FALSE) => Ok(Some((builder, Some(false.into())))),
        Some(_) => {
            search.add_nodes(&mut builder)?;
            Ok(Some((builder, None)))
        }
    }
}

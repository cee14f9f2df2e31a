//! Nested sweeps: levels that reduce does not finish by itself.
//!
//! ```text
//!   unreduced, above  ─────────────────────────────────────────►  unreduced, above ──► reduce goes on
//!        │   ╲   ╲                                                  │  │  │
//!   ── level ──── ╲ ── arcs that cross here ─► requests ─► expand ──┴──┴──┴─ new levels below
//!          │       ╲                                         ▲
//!        forest: all below, reduced  ────────────────────────┘ read top-down
//! ```
//! Reduce comes up to a level whose nodes are not to be nodes (that of a quantified variable, say) and stops. Every arc that
//! crosses the cut becomes a request: one that leads to a node of that level asks for the combination of its two children, any
//! other for what it leads to. An expand sweep over the finished part answers them, below what there still is above, and reduce
//! starts again from the bottom.
//!
//! After: S. C. Sølvsten, J. van de Pol, "Multi-variable Quantification of BDDs in External Memory using Nested Sweeping", 2024.

use super::{
    down::{expand::expand, ground::Until},
    ops::restrict::Restrict,
    run::Run,
};
use crate::{
    disk::{lane::Lane, pool::Share, spool::Spool},
    error::Result,
    file::{node_file::NodeFile, unreduced::Unreduced},
};

/// Which levels have no nodes of their own on the way up.
pub trait Covers {
    /// Whether the level of `variable` is covered, where `top` is the highest variable below it.
    fn covers(&self, variable: u32, top: Option<u32>) -> bool;

    /// The name of the level of `variable`, which is not covered.
    fn name(&self, variable: u32) -> u32 {
        variable
    }

    /// What takes the place of a node with these children on a covered level, if no sweep is needed to tell.
    fn settle(&self, low: u64, high: u64) -> Option<u64>;

    /// Whether an arc that leads past a covered level leads to false.
    fn drops(&self) -> bool {
        false
    }

    /// Whether what comes out in the end is to be negated.
    fn negates(&self) -> bool {
        false
    }
}

/// What becomes of the nodes of covered levels.
pub trait Nest: Covers {
    /// Other diagrams that the nested sweeps read.
    fn files(&self) -> Vec<&NodeFile> {
        Vec::new()
    }

    /// Answers the requests of `pause`, which stands at the level of `variable`.
    fn resume<I: Lane>(&self, variable: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>>;
}

/// A reduce sweep that has stopped.
pub struct Pause<I> {
    /// What there still is above.
    pub above: Unreduced<I>,
    /// All that is below, reduced; it has many roots.
    pub forest: NodeFile,
    /// Arcs that lead to a node of the level: its children, low and high, and the slot.
    pub pairs: Spool<I, 3>,
    /// Arcs that lead past it: the id and the slot.
    pub singles: Spool<I, 2>,
}

impl<I: Lane> Pause<I> {
    /// A pause above everything.
    pub fn at_root(forest: NodeFile, root: I, run: &mut Run<'_>) -> Result<Self> {
        let mut singles = Spool::new(Share::Arcs);
        singles.append([root, I::of(0)], run.space)?;
        Ok(Self { above: Unreduced::new(), forest, pairs: Spool::new(Share::Arcs), singles })
    }

    /// Drops from the forest what no arc leads to, and negates what one does if it shall be so.
    pub fn tidy(self, complement: bool, run: &mut Run<'_>) -> Result<Unreduced<I>> {
        let (space, mut singles) = (run.space, self.singles);
        let ask_all = |ask: &mut dyn FnMut([I; 2]) -> Result<()>| {
            singles.drain(space, |block| block.iter().try_for_each(|&request| ask(request)))
        };
        // With nothing to restrict, the identity, which may copy what is below.
        expand(&Restrict { changes: Vec::new(), complement }, &[&self.forest], self.above, Until::Done, ask_all, run)
    }
}

/// No level is special.
pub struct Flat;

impl Covers for Flat {
    fn covers(&self, _: u32, _: Option<u32>) -> bool {
        false
    }

    fn settle(&self, _: u64, _: u64) -> Option<u64> {
        None
    }
}

impl Nest for Flat {
    fn resume<I: Lane>(&self, _: u32, _: Pause<I>, _: &mut Run<'_>) -> Result<Unreduced<I>> {
        unreachable!("no level is covered")
    }
}

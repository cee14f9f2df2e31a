//! Nested sweeps: levels that reduce does not finish by itself.
//!
//! ```text
//!   unreduced, above  ─────────────────────────────────────────►  unreduced, above ──► reduce goes on
//!        │   ╲   ╲                                                  │  │  │
//!   ── level ──── ╲ ── arcs that cross here ─► requests ─► expand ──┴──┴──┴─ new levels below
//!          │       ╲                                         ▲
//!        forest: all below, reduced  ────────────────────────┘ read top-down
//! ```
//! Reduce stops at a level whose nodes must not stay nodes (that of a quantified variable, say). Every arc that crosses the cut
//! becomes a request: one that leads to a node of that level asks for the combination of its two children; any other asks for the
//! node it leads to, or is redirected to false. An expand sweep over the finished part answers them and appends to the levels still
//! above, and reduce starts again from the bottom.
//!
//! After: S. C. Sølvsten, J. van de Pol, "Multi-variable Quantification of BDDs in External Memory using Nested Sweeping", 2024.

use super::{
    down::{expand::expand, ground::Until},
    identity::Identity,
    run::Run,
    up::pause::{Covers, Flat, Pause},
};
use crate::{disk::lane::Lane, error::Result, file::unreduced::Unreduced};

/// What nested sweeps make of covered levels.
pub trait Nest: Covers {
    /// Answers the requests of `pause`, which stopped at the level of `variable`.
    fn resume<I: Lane>(&self, variable: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>>;
}

impl Nest for Flat {
    fn resume<I: Lane>(&self, _: u32, _: Pause<I>, _: &mut Run<'_>) -> Result<Unreduced<I>> {
        unreachable!("no level is covered")
    }
}

/// Drops the nodes of the forest that the root's arc does not lead to, for a pause above all levels, and negates the rest if
/// `complement`.
pub fn tidy<I: Lane>(pause: Pause<I>, complement: bool, run: &mut Run<'_>) -> Result<Unreduced<I>> {
    let (space, mut singles) = (run.space, pause.singles);
    let ask_all = |ask: &mut dyn FnMut([I; 2]) -> Result<()>| singles.drain_each(space, ask);
    let identity = Identity { complement, as_is: true };
    expand(&identity, &[&pause.forest], pause.above, Until::DONE, ask_all, run)
}

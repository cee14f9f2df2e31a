//! Where a reduce sweep stops on its way up, and what it has left then.

use crate::{
    disk::{lane::Lane, pool::Share, space::Space, spool::Spool},
    error::Result,
    file::{node_file::NodeFile, unreduced::Unreduced},
};

/// Which levels the reduce sweep does not turn into nodes.
pub trait Covers {
    /// Whether the level of `variable` is covered, where `top` is the highest variable below it.
    fn covers(&self, variable: u32, top: Option<u32>) -> bool;

    /// The variable that takes the place of `variable`, whose level is not covered.
    fn name(&self, variable: u32) -> u32 {
        variable
    }

    /// The id that replaces a node with these children on a covered level, if no sweep is needed to tell.
    fn settle(&self, low: u64, high: u64) -> Option<u64>;

    /// Whether an arc that leads past a covered level leads to false.
    fn drops(&self) -> bool {
        false
    }

    /// Whether the result is to be negated.
    fn negates(&self) -> bool {
        false
    }
}

/// A reduce sweep that has stopped.
pub struct Pause<I> {
    /// The levels above, not yet reduced.
    pub above: Unreduced<I>,
    /// The levels below, reduced; they have many roots.
    pub forest: NodeFile,
    /// Arcs that lead to a node of the level: its children, low and high, and the slot.
    pub pairs: Spool<I, 3>,
    /// Arcs that lead past it, where these are not dropped: the id and the slot.
    pub singles: Spool<I, 2>,
}

impl<I: Lane> Pause<I> {
    /// A pause above everything.
    pub fn at_root(forest: NodeFile, root: I, space: &Space) -> Result<Self> {
        let mut singles = Spool::new(Share::Arcs);
        singles.append([root, I::of(0)], space)?;
        Ok(Self { above: Unreduced::new(), forest, pairs: Spool::new(Share::Arcs), singles })
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

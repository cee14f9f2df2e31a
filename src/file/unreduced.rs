//! An unreduced diagram, as the expand sweep leaves it and the reduce sweep takes it: arcs, not nodes.
//!
//! ```text
//!   ids      0 (no node)   1 … width of the top level   …
//!   arcs     for every node in the order of ids, the slots that lead to it:   (slot, first?) (slot, first?) …
//!   ones     the slots that lead to true, level by level; a slot nobody leads to leads to false
//!   passed   more slots that lead to true, in any order
//!   slot     2 · id of the parent + (0 for its low arc, 1 for its high arc); slots 0 and 1 are the root's arc
//! ```

use super::{levels::Levels, writer::NodeWriter};
use crate::disk::{lane::Lane, pool::Share, spool::Spool};

/// Arcs and levels, top-down.
#[derive(Debug)]
pub struct Unreduced<I> {
    /// The level table, top-down; id 0 is reserved.
    pub levels: Levels,
    /// The variable of every rank of `levels`; of rank 0, which has none, `u32::MAX`.
    pub variables: Vec<u32>,
    /// Whether nobody will ask for more than whether any slot leads to true: there are no arcs.
    pub search: bool,
    /// Nodes beyond which nobody wants it; an expand sweep that makes more ends early.
    pub most: u64,
    /// Ranks from here on are below a level where a sweep had stopped; nothing but reducing is left to do there.
    pub settled: usize,
    /// For every rank of `levels`, how many of `ones` are of its nodes.
    pub ones_on: Vec<u64>,
    /// In the order of the nodes they lead to, twice the slot, plus one for the first of each node.
    pub arcs: Spool<I, 1>,
    /// Slots that lead to true.
    pub ones: Spool<I, 1>,
    /// Slots whose request passed other levels before it came out as true.
    pub passed: Spool<I, 1>,
    /// Levels below all these that are reduced already, if there are any.
    pub below: Option<NodeWriter<I>>,
    /// For the slots that lead there, the slot and the id.
    pub arrivals: Spool<I, 2>,
}

impl<I: Lane> Unreduced<I> {
    /// No arcs yet.
    pub fn new() -> Self {
        Self {
            levels: Levels::new(1),
            variables: vec![u32::MAX],
            search: false,
            most: u64::MAX,
            settled: usize::MAX,
            ones_on: vec![0],
            arcs: Spool::new(Share::Arcs),
            ones: Spool::new(Share::Arcs),
            passed: Spool::new(Share::Arcs),
            below: None,
            arrivals: Spool::new(Share::Arcs),
        }
    }

    /// Makes room for that many more levels.
    pub fn reserve(&mut self, levels: usize) {
        self.levels.reserve(levels);
        self.variables.reserve(levels);
        self.ones_on.reserve(levels);
    }
}

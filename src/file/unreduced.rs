//! An unreduced diagram, as the expand sweep leaves it and the reduce sweep takes it: arcs, not nodes.
//!
//! ```text
//!   ids       0 (no node)   1 … width of the top level   …
//!   arcs      for every node in the order of ids, the slots that lead to it:   (slot, first?) (slot, first?) …
//!   ones      the slots that lead to true, level by level
//!   arrivals  for other slots that lead to true, or to a level that is reduced already, (slot, id), in any order
//!   slot      2 · id of the parent + (0 for its low arc, 1 for its high arc); slots 0 and 1 are the root's arc
//! ```
//! A slot that is in none of the three leads to false. Where arcs lead in from many nodes, not one root, more ids are reserved:
//! their slots are these arcs.
//!
//! Where several workers share a level, each has an output with its part of all this, and the slots of that level are dealt to them
//! in turn: with `1 << shift` outputs, of every `2 << shift` slots in a row the first half are the low arcs of one node of each
//! output, and the second half their high arcs. There may be ids that no node has.

use super::{levels::Levels, writer::NodeWriter};
use crate::disk::{lane::Lane, pool::Share, spool::Spool};

/// Arcs and levels, top-down.
#[derive(Debug)]
pub struct Unreduced<I> {
    /// The level table, top-down; id 0, at least, is reserved.
    pub levels: Levels,
    /// The variable of every rank of `levels`, and how it is divided; rank 0 is no level.
    pub ranks: Vec<Rank>,
    /// Ranks from this one on lie below a level where a sweep had stopped; only reducing is left to do there.
    pub settled: usize,
    /// The output of each worker, at least one.
    pub outputs: Vec<Output<I>>,
    /// Levels below all others here that are reduced already, if there are any.
    pub below: Option<NodeWriter<I>>,
}

/// A level.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    /// Its variable.
    pub variable: u32,
    /// The level is divided among `1 << shift` outputs.
    pub shift: u32,
}

/// The output of one worker.
#[derive(Debug)]
pub struct Output<I> {
    /// What is in it of each rank.
    pub counts: Vec<Count>,
    /// How many of its nodes only stand for many requests that went on as one, and have two equal children.
    pub passing: u64,
    /// The arcs, in the order of the nodes they lead to: twice the slot, plus one for the first arc of each node.
    pub arcs: Spool<I, 1>,
    /// Slots that lead to true, in the order of their levels.
    pub ones: Spool<I, 1>,
    /// Other slots that lead to true, and those that lead to reduced levels below: the slot and the id.
    pub arrivals: Spool<I, 2>,
}

/// The part of a level in one output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// The number of nodes.
    pub nodes: u64,
    /// The number of `ones` that are slots of these nodes.
    pub ones: u64,
}

impl<I: Lane> Unreduced<I> {
    /// No levels and no arcs.
    pub fn new() -> Self {
        Self {
            levels: Levels::new(1),
            ranks: vec![Rank { variable: u32::MAX, shift: 0 }],
            settled: usize::MAX,
            outputs: vec![Output::new(1)],
            below: None,
        }
    }

    /// Makes room for `levels` more levels.
    pub fn reserve(&mut self, levels: usize) {
        self.levels.reserve(levels);
        self.ranks.reserve(levels);
        self.outputs.iter_mut().for_each(|output| output.counts.reserve(levels));
    }

    /// Drops the levels from `rank` on, of which only the entries in the tables are left.
    pub fn truncate(&mut self, rank: usize) {
        self.levels.truncate(rank);
        self.ranks.truncate(rank);
        self.outputs.iter_mut().for_each(|output| output.counts.truncate(rank));
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u64 {
        self.outputs.iter().flat_map(|output| &output.counts).map(|count| count.nodes).sum()
    }

    /// The number of nodes without those that only pass requests on, but with those of the reduced levels `below`.
    pub fn all_nodes(&self) -> u64 {
        let passing: u64 = self.outputs.iter().map(|output| output.passing).sum();
        self.nodes() - passing + self.below.as_ref().map_or(0, NodeWriter::nodes)
    }

    /// Whether some slot leads to true or to a reduced level below, and so something is true.
    pub fn is_satisfiable(&self) -> bool {
        self.outputs.iter().any(Output::is_satisfiable)
    }
}

impl<I: Lane> Output<I> {
    /// An empty output of `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            counts: vec![Count::default(); ranks],
            passing: 0,
            arcs: Spool::new(Share::Arcs),
            ones: Spool::new(Share::Arcs),
            arrivals: Spool::new(Share::Arcs),
        }
    }

    /// Whether one of its slots leads to true or to a reduced level below.
    pub fn is_satisfiable(&self) -> bool {
        self.ones.count() + self.arrivals.count() > 0
    }
}

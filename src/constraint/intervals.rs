//! Which partial sums lead to which node.
//!
//! ```text
//!   2 x0 + 3 x1 + 4 x2 <= 5      bounds left for the terms from here on, and their nodes
//!
//!            5                   from x0 on: 5 stands for [5, 5]
//!          0 / \ 1
//!          5     3               from x1 on: 5 stands for [4, 6], 3 for [3, 3]; its children are the same
//!         / \   / \
//!        5   2 3   0             from x2 on: true from 4, false below 0, and one node for [0, 3]: for 2, 3 and 0
//! ```
//!
//! All bounds of one interval make the same function of the terms from there on. A bound inside a known interval has its node
//! already; the interval of any other follows from those of its two children.

use std::{collections::BTreeMap, mem};

use super::terms::{FALSE, Interval, TRUE, Term};
use crate::{
    builder::{BddBuilder, BuilderNode},
    disk::charge::Charge,
    error::Result,
    progress::{Progress, Sweep},
    store::Store,
};

/// A search for all nodes of "the sum is the bound" or "is at most the bound".
pub struct Search<'a> {
    terms: &'a [Term],
    /// Whether smaller sums count too.
    fewer: bool,
    /// By number of terms above and first bound: the last bound, and the node.
    known: BTreeMap<(u32, i128), (i128, usize)>,
    /// The children of each node, after two places for the terminals.
    nodes: Vec<[usize; 2]>,
    charge: &'a mut Charge,
    /// Its callback is told of progress.
    store: &'a Store,
    /// How many entries are charged.
    room: usize,
    /// Intervals looked into, including false ones that were joined.
    seen: u64,
    /// The search is given up beyond this many intervals.
    most: u64,
    /// It is given up, too, where fewer bytes than these are left for tables.
    spared: usize,
}

/// A bound whose children are being looked for.
struct Frame {
    bound: i128,
    low: Option<Interval>,
}

/// Bytes of an entry: 155 in a tree with half-full nodes, and 56 in vectors, first of children, which move as they grow, then of
/// the builder's nodes.
pub const ENTRY_BYTES: usize = 216;
/// Entries charged, and intervals reported, at a time.
const STEP: usize = 256;

impl<'a> Search<'a> {
    /// A search that is given up beyond `most` intervals, or when fewer than `spared` bytes are left for tables.
    pub fn new(
        terms: &'a [Term],
        fewer: bool,
        most: u64,
        spared: usize,
        charge: &'a mut Charge,
        store: &'a Store,
    ) -> Result<Self> {
        charge.grow(terms.len() * size_of::<Frame>())?;
        let nodes = vec![[FALSE; 2], [TRUE; 2]];
        Ok(Self { terms, fewer, known: BTreeMap::new(), nodes, charge, store, room: 0, seen: 0, most, spared })
    }

    /// Finds the node of `bound` and all below it, children first; `None` if it is given up.
    ///
    /// Without recursion: the stack is as deep as there are terms.
    pub fn run(&mut self, mut bound: i128) -> Result<Option<usize>> {
        let mut stack: Vec<Frame> = Vec::with_capacity(self.terms.len());
        loop {
            let Some(mut found) = self.look_up(stack.len(), bound) else {
                stack.push(Frame { bound, low: None });
                continue;
            };
            bound = loop {
                let Some(frame) = stack.last_mut() else { return Ok(Some(found.node)) };
                let Some(low) = frame.low else {
                    frame.low = Some(found);
                    break frame.bound - self.terms[stack.len() - 1].weight;
                };
                stack.pop();
                if !self.goes_on(stack.len())? {
                    return Ok(None);
                }
                found = self.add(stack.len(), low, found)?;
            };
        }
    }

    /// Counts an interval, and reports progress now and then; answers whether the search may go on.
    fn goes_on(&mut self, above: usize) -> Result<bool> {
        if self.seen.is_multiple_of(STEP as u64) {
            let (variable, nodes) = (self.terms[above].variable, self.nodes.len() as u64 - 2);
            self.store.report(&Progress { operation: "linear", sweep: Sweep::Search, variable, nodes })?;
            if self.seen > self.most || self.charge.left() < self.spared {
                return Ok(false);
            }
        }
        self.seen += 1;
        Ok(true)
    }

    /// The interval of `bound` for the terms after the first `above`, if the bound decides or its interval is known.
    fn look_up(&self, above: usize, bound: i128) -> Option<Interval> {
        if let Some(plain) = self.terms[above].plain(bound, self.fewer) {
            return Some(plain);
        }
        let (&(level, first), &(last, node)) = self.known.range(..=(above as u32, bound)).next_back()?;
        (level == above as u32 && bound <= last).then_some(Interval { first, last, node })
    }

    /// Adds the interval whose children have the intervals `low` and `high`.
    fn add(&mut self, above: usize, low: Interval, high: Interval) -> Result<Interval> {
        let weight = self.terms[above].weight;
        let first = low.first.max(high.first + weight);
        let last = low.last.min(high.last + weight);
        let node = if low.node == high.node { low.node } else { self.nodes.len() };
        if self.known.len() == self.room {
            self.charge.grow(STEP * ENTRY_BYTES)?;
            self.room += STEP;
        }
        if node == self.nodes.len() {
            self.nodes.push([low.node, high.node]);
        }
        let mut interval = Interval { first, last, node };
        if node == FALSE {
            self.join(above as u32, &mut interval);
        }
        self.known.insert((above as u32, interval.first), (interval.last, node));
        Ok(interval)
    }

    /// Extends an interval of false by the known ones next to it. Intervals of other nodes are whole from the start.
    fn join(&mut self, level: u32, interval: &mut Interval) {
        while let Some((&(at, first), &(last, FALSE))) = self.known.range(..=(level, interval.last)).next_back()
            && at == level
            && last >= interval.first - 1
        {
            self.known.remove(&(at, first));
            interval.first = interval.first.min(first);
            interval.last = interval.last.max(last);
        }
    }

    /// Gives all nodes to `builder`, the last level first.
    pub fn add_nodes(mut self, builder: &mut BddBuilder) -> Result<()> {
        let mut built = vec![BuilderNode::from(false); self.nodes.len()];
        built[TRUE] = true.into();
        for ((level, _), (_, node)) in self.known.into_iter().rev() {
            // Terminals are built already, and so are nodes of a level below that do not depend on this one's variable.
            let [low, high] = mem::take(&mut self.nodes[node]);
            if low != high {
                built[node] = builder.add_node(self.terms[level as usize].variable, built[low], built[high])?;
            }
        }
        Ok(())
    }
}

//! `trace`: the way back of a fold, from the terminal to the root along the arcs that were logged.
//!
//! ```text
//!              the trail, the last arc first
//!                    │ arcs into a node
//!   ┌─► LevelQueue ──┴─► sort, the last node first ─► visit: by which of them? ─┐
//!   │   travellers                                                              │
//!   └───────────────────────────────────────────────────────────────────────────┘
//! ```
//! Nodes come in the opposite order to that of the fold, so the trail is read as a stack, once, however many travellers there are.
//!
//! Cost: every arc of the trail is popped, every step of a traveller is pushed, sorted and popped. Memory: the budget's shares
//! for queue and arcs, and one level's array for sorting.

use std::ops::Range;

use crate::{
    disk::{pool::Share, queue::LevelQueue, space::Space, spool::Spool, stack::Stack},
    error::Result,
    file::{level_map::LevelMap, node_file::NodeFile},
    model::TERMINALS,
    progress::Sweep,
    sweep::run::Run,
};

/// The slot that leads to the root, and every slot of a terminal: none.
pub const NO_SLOT: u64 = 0;

/// Where an arc leaves: twice the id of its node, and 1 more for the high arc.
pub fn slot(id: u64, high: bool) -> u64 {
    2 * id + u64::from(high)
}

/// The node whose arc `slot` is, and whether it is its high arc.
pub fn arc_of(slot: u64) -> (u64, bool) {
    (slot / 2, slot % 2 == 1)
}

/// The arcs into every node, in the order in which a fold reaches the nodes. A record is an arc's slot and `M - 1` lanes.
pub struct Trail<const M: usize> {
    inner: Spool<u64, M>,
    /// The arcs into the terminal, which come from all levels.
    ends: Spool<u64, M>,
}

impl<const M: usize> Trail<M> {
    /// An empty trail.
    pub fn new() -> Self {
        Self { inner: Spool::new(Share::Arcs), ends: Spool::new(Share::Arcs) }
    }

    /// Adds an arc into the node at hand, or, with `first`, into the next node. The root has none.
    pub fn add(&mut self, arc: [u64; M], first: bool, space: &Space) -> Result<()> {
        if arc[0] == NO_SLOT { Ok(()) } else { self.inner.append(mark(arc, first), space) }
    }

    /// Adds an arc into the terminal.
    pub fn add_end(&mut self, arc: [u64; M], space: &Space) -> Result<()> {
        let first = self.ends.count() == 0;
        self.ends.append(mark(arc, first), space)
    }

    /// Forgets the arcs into the terminal so far.
    pub fn clear_ends(&mut self) {
        self.ends = Spool::new(Share::Arcs);
    }
}

/// The record of an arc, with a bit for the first into its node.
fn mark<const M: usize>(mut arc: [u64; M], first: bool) -> [u64; M] {
    arc[0] = 2 * arc[0] + u64::from(first);
    arc
}

/// The arcs into one node after another, the last first.
pub struct Incoming<'a, const M: usize> {
    inner: Stack<u64, M>,
    ends: Stack<u64, M>,
    /// The node whose arcs come next.
    node: u64,
    /// Whether there may be more of them.
    more: bool,
    space: &'a Space,
}

impl<const M: usize> Incoming<'_, M> {
    /// Where the trail lies.
    pub fn space(&self) -> &Space {
        self.space
    }

    /// The next arc into the node at hand.
    pub fn next(&mut self) -> Result<Option<[u64; M]>> {
        if !self.more {
            return Ok(None);
        }
        let arc = match self.ends.pop(self.space)? {
            Some(arc) => Some(arc),
            None => self.inner.pop(self.space)?,
        };
        self.more = arc.is_some_and(|arc| arc[0].is_multiple_of(2));
        Ok(arc.map(|mut arc| {
            arc[0] /= 2;
            arc
        }))
    }

    /// Goes to `node`, skipping the arcs into all nodes between.
    fn skip_to(&mut self, node: u64) -> Result<()> {
        while self.node != node {
            self.skip_rest()?;
            self.enter(self.node - 1);
        }
        Ok(())
    }

    /// Skips the remaining arcs into the node at hand.
    fn skip_rest(&mut self) -> Result<()> {
        while self.next()?.is_some() {}
        Ok(())
    }

    fn enter(&mut self, node: u64) {
        (self.node, self.more) = (node, true);
    }
}

/// What travels back.
///
/// A traveller's record begins with the [`place`] of its node. Travellers that are at one node come one after the other,
/// sorted by their first `KEYS` lanes.
pub trait Travel<const M: usize, const K: usize> {
    /// How many lanes travellers are sorted by.
    const KEYS: usize;

    /// Takes a `traveller`, perhaps the `first`, who has arrived at a node with these `incoming` arcs, and may send it on along
    /// some of them.
    fn visit(
        &mut self,
        traveller: &[u64; K],
        first: bool,
        incoming: &mut Incoming<'_, M>,
        onward: &mut Onward<'_, K>,
    ) -> Result<()>;

    /// Leaves a node of `rank` when all travellers who arrived there have been visited.
    fn leave(&mut self, _rank: usize, _incoming: &mut Incoming<'_, M>, _onward: &mut Onward<'_, K>) -> Result<()> {
        Ok(())
    }

    /// Whether the sweep can end, since its result is of no use.
    fn in_vain(&self) -> bool {
        false
    }
}

/// The first lane of a traveller at a node: the complement of the id, so that the last node comes first.
pub fn place(id: u64) -> u64 {
    !id
}

/// The way on to the levels above.
pub struct Onward<'a, const K: usize> {
    /// The rank of every id.
    ranks: LevelMap,
    queue: LevelQueue<u64, K>,
    space: &'a Space,
}

impl<const K: usize> Onward<'_, K> {
    /// The rank of a node.
    #[inline(always)]
    pub fn rank_of(&self, id: u64) -> usize {
        self.ranks.of(id) as usize
    }

    /// Sends `traveller` to its node, which has this `rank`.
    pub fn send(&mut self, rank: usize, traveller: [u64; K]) -> Result<()> {
        self.queue.push(rank - 1, traveller, self.space)
    }
}

/// Leads the `travellers`, who are at the terminal, up to the root; answers whether they got there.
pub fn trace<T: Travel<M, K>, const M: usize, const K: usize>(
    file: &NodeFile,
    trail: Trail<M>,
    travellers: Spool<u64, K>,
    travel: &mut T,
    run: &mut Run<'_>,
) -> Result<bool> {
    let _sweep = run.begin(Sweep::Trace);
    let (space, levels) = (run.space, file.levels());
    let mut incoming =
        Incoming { inner: Stack::of(trail.inner), ends: Stack::of(trail.ends), node: 0, more: true, space };
    let ranks = LevelMap::new(levels, |rank| rank as u32);
    let mut onward = Onward { ranks, queue: LevelQueue::new(levels.ranks() - 1, space)?, space };
    let mut travellers = Some(travellers);
    for rank in 0..levels.ranks() {
        let Range { start: first, end } = levels.range(rank);
        let mut arrived = travellers.take().map_or_else(|| onward.queue.take(rank - 1, space), Ok)?;
        if rank > 0 {
            incoming.enter(end - 1);
        }
        let mut at = None;
        run.desks[0].sorter.sort(&mut arrived, T::KEYS, space, &mut |travellers| {
            travellers.iter().try_for_each(|traveller| {
                let id = !traveller[0];
                let before = at.replace(id);
                if before != Some(id) {
                    if before.is_some() {
                        travel.leave(rank, &mut incoming, &mut onward)?;
                    }
                    if id >= TERMINALS {
                        incoming.skip_to(id)?;
                    }
                }
                travel.visit(traveller, before != Some(id), &mut incoming, &mut onward)
            })
        })?;
        if at.is_some() {
            travel.leave(rank, &mut incoming, &mut onward)?;
        }
        if travel.in_vain() {
            return Ok(false);
        }
        if rank > 0 {
            incoming.skip_to(first)?;
            run.report(Sweep::Trace, file.variable(rank), 0)?;
        }
        incoming.skip_rest()?;
    }
    Ok(true)
}

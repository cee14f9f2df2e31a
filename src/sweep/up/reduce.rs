//! `reduce`: the bottom-up sweep. Arcs of an unreduced diagram go in, a canonical node file comes out.
//!
//! ```text
//!   ones ──┐                                  ┌── low = high: the child itself ───┐
//!          ├─► children of every node ────────┤                                   ├─► id of every node ─► along the arcs
//!   queue ─┘   (dense: a scatter)             └─► order by (low, high), number, write ┘  (dense: a scatter)   │
//!     ▲                                                                                                       │
//!     └───────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//! Most arcs come from the level directly above: an id goes along such an arc straight to its place among the children there,
//! unless another worker has the parent.
//!
//! Cost: every arc from a higher level is pushed and popped once, every node is marked or sorted once. Memory: the budget's shares
//! for the queue and for diagrams, and for one level the children, the ids, and the arrays that put them in order.
//!
//! After: R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986; L. Arge, "The I/O-Complexity of
//! Ordered Binary-Decision Diagram Manipulation", 1995.

use std::{ops::ControlFlow, sync::Mutex};

use smallvec::SmallVec;

use super::{
    nodes::Nodes,
    number::number,
    pause::{Covers, Flat, Pause},
    slots::{SOME, Slots},
};
use crate::{
    disk::{dense::Dense, lane::Lane, pool::Share, queue::LevelQueue, space::Space, spool::Spool, stack::Stack},
    error::Result,
    file::{
        level_map::LevelMap,
        levels::Levels,
        node_file::NodeFile,
        unreduced::{Count, Output, Rank, Unreduced},
        writer::NodeWriter,
    },
    model::{FALSE, TERMINALS, TRUE},
    progress::Sweep,
    sweep::{desk::Desk, division::Division, run::Run, team::Team},
};

/// Where a reduce sweep ends.
pub enum Reduced<I> {
    /// At the root, with the canonical diagram.
    Whole(NodeFile),
    /// At the root, but the root does not lead to all nodes, or the function is to be negated.
    Loose(Pause<I>),
    /// At the level of this variable, which the nest covers.
    Paused(u32, Pause<I>),
}

/// Reduces `unreduced`, whose root's arc is slot 0, up to the root, or to a covered level that `nest` cannot settle without a
/// sweep.
pub fn reduce<I: Lane>(unreduced: Unreduced<I>, nest: &dyn Covers, run: &mut Run<'_>) -> Result<Reduced<I>> {
    let _sweep = run.begin(Sweep::Reduce);
    match Upward::new(unreduced, run)?.climb(nest, run)? {
        ControlFlow::Continue(sweep) => sweep.finish(nest.negates(), run),
        ControlFlow::Break(paused) => Ok(paused),
    }
}

/// Reduces `unreduced` up to the root: no level is covered, and the root leads to all nodes.
pub fn reduce_whole<I: Lane>(unreduced: Unreduced<I>, run: &mut Run<'_>) -> Result<NodeFile> {
    match reduce(unreduced, &Flat, run)? {
        Reduced::Whole(file) => Ok(file),
        Reduced::Loose(_) | Reduced::Paused(..) => unreachable!("no level is covered, and the root leads to all"),
    }
}

/// Reduces `unreduced`, into which many arcs lead from above. Returns the nodes, and (slot, id) for each of these arcs that does
/// not lead to false.
pub fn reduce_below<I: Lane>(unreduced: Unreduced<I>, run: &mut Run<'_>) -> Result<(NodeWriter<I>, Spool<I, 2>)> {
    let _sweep = run.begin(Sweep::Reduce);
    match Upward::new(unreduced, run)?.climb(&Flat, run)? {
        ControlFlow::Continue(mut sweep) => {
            let arrived = sweep.take(0, None)?;
            Ok((sweep.writer, arrived))
        }
        ControlFlow::Break(_) => unreachable!("no level is covered"),
    }
}

/// The diagram with this `root`, where `writer` has exactly its nodes.
pub fn whole<I: Lane>(writer: NodeWriter<I>, root: I, space: &Space) -> Result<NodeFile> {
    if root.get() < TERMINALS {
        assert!(root.get() == FALSE, "invariant 6: a stored diagram is false on the path of low arcs");
        return Ok(NodeFile::empty());
    }
    assert!(root.get() == last_of(&writer), "invariant 5: the root is the last node, and leads to all");
    writer.seal(space)
}

/// The id of the last node written.
fn last_of<I: Lane>(writer: &NodeWriter<I>) -> u64 {
    writer.end() - 1
}

/// The nodes of a level, an entry for each worker that has some; on the heap only where there are several workers.
type Level<'a, I> = SmallVec<[Nodes<'a, I>; 1]>;

/// A sweep on its way up.
struct Upward<'a, I: Lane> {
    space: &'a Space,
    team: &'a Team,
    levels: Levels,
    ranks: Vec<Rank>,
    settled: usize,
    /// For every unreduced id, the first of its level's logs, where the ids of its children arrive. The logs of the lowest level
    /// come first.
    logs: LevelMap,
    division: Division,
    workers: Vec<Worker<'a, I>>,
    writer: NodeWriter<I>,
    /// Whether there may be nodes to which no arc leads.
    loose: bool,
}

/// What one worker carries from level to level.
#[repr(align(128))]
struct Worker<'a, I: Lane> {
    counts: Vec<Count>,
    arcs: Stack<I, 1>,
    ones: Stack<I, 1>,
    /// Ids on their way to their parents: (slot, id).
    queue: LevelQueue<I, 2>,
    /// The children of this worker's nodes on the next level up, filled in as ids are sent.
    children: Option<Dense<'a, I>>,
}

impl<'a, I: Lane> Upward<'a, I> {
    fn new(unreduced: Unreduced<I>, run: &Run<'a>) -> Result<Self> {
        let (space, team) = (run.space, run.team);
        let Unreduced { levels, ranks, settled, outputs, below } = unreduced;
        let mut writer = below.map_or_else(|| NodeWriter::new(space), Ok)?;
        writer.reserve_levels(levels.ranks());
        let division = Division::new(outputs.len());
        debug_assert!(
            ranks.iter().all(|rank| rank.shift == 0 || rank.shift == division.shift),
            "levels of fewer workers"
        );
        let logs = LevelMap::new(&levels, |rank| ((levels.ranks() - 1 - rank) << division.shift) as u32);
        let route = Route { logs: &logs, division, space };
        let mut workers = Vec::with_capacity(outputs.len());
        for Output { counts, arcs, ones, mut arrivals, .. } in outputs {
            let queue = LevelQueue::new(levels.ranks() << division.shift, space)?;
            let (arcs, ones) = (Stack::of(arcs), Stack::of(ones));
            let mut worker = Worker { counts, arcs, ones, queue, children: None };
            arrivals.drain_each(space, |[slot, id]| route.send(slot.get(), id, &mut worker.queue))?;
            workers.push(worker);
        }
        Ok(Self { space, team, levels, ranks, settled, logs, division, workers, writer, loose: false })
    }

    /// Reduces level by level, until none is left or one that `nest` covers needs a sweep.
    fn climb(mut self, nest: &dyn Covers, run: &mut Run<'a>) -> Result<ControlFlow<Reduced<I>, Self>> {
        for rank in (1..self.levels.ranks()).rev() {
            let Rank { variable, shift } = self.ranks[rank];
            let settled = rank >= self.settled;
            if settled || !nest.covers(variable, self.writer.top()) {
                let mut nodes = self.collect(rank, shift, true, &mut run.desks)?;
                let fresh = number(&mut nodes, &mut self.writer, self.team, self.space)?;
                self.forward(rank, nodes, fresh)?;
                self.writer.end_level(if settled { variable } else { nest.name(variable) });
            } else {
                let mut nodes = self.collect(rank, shift, false, &mut run.desks)?;
                if nest.drops() {
                    self.drop_arcs(rank);
                }
                if !self.settle(&mut nodes, nest)? {
                    return Ok(ControlFlow::Break(Reduced::Paused(variable, self.pause(rank, nodes)?)));
                }
                self.forward(rank, nodes, Vec::new())?;
            }
            run.report(Sweep::Reduce, variable, self.writer.nodes())?;
        }
        Ok(ControlFlow::Continue(self))
    }

    /// Takes what has arrived at the level of `rank`: all of it, or what is for one `worker`.
    fn take(&mut self, rank: usize, worker: Option<usize>) -> Result<Spool<I, 2>> {
        let (division, height) = (self.division, self.levels.ranks() - 1 - rank);
        let own = |worker| division.log_of_worker(height, worker);
        let logs = worker.map_or(division.logs(height), |worker| own(worker)..own(worker) + 1);
        LevelQueue::take_all(&mut self.workers, |worker| &mut worker.queue, logs, self.space)
    }

    /// Collects the children of the nodes of `rank`, for each worker that has a part of the level. Several parts that are to be
    /// `numbered` are each put in order, where there is room.
    fn collect<'d>(&mut self, rank: usize, shift: u32, numbered: bool, desks: &'d mut [Desk]) -> Result<Level<'d, I>>
    where
        'a: 'd,
    {
        let (first, space) = (2 * self.levels.first(rank), self.space);
        if shift == 0 {
            let arrived = self.take(rank, None)?;
            return Ok(Level::from([self.workers[0].collect(rank, first, shift, arrived, &mut desks[0], space)?]));
        }
        let each = (0..self.workers.len()).map(|worker| self.take(rank, Some(worker)));
        let arrived: Vec<_> = each.collect::<Result<_>>()?;
        let tasks = (first..).zip(&mut self.workers).zip(desks).zip(arrived).collect();
        let collected = self.team.each(tasks, |(((first, worker), desk), arrived)| {
            let mut nodes = worker.collect(rank, first, shift, arrived, desk, space)?;
            if numbered {
                nodes.order()?;
            }
            Ok(nodes)
        })?;
        Ok(Level::from_vec(collected))
    }

    /// Gives each node of a covered level the id that replaces it; answers whether `nest` could tell all of them.
    fn settle(&mut self, level: &mut [Nodes<'_, I>], nest: &dyn Covers) -> Result<bool> {
        let mut loose = false;
        for nodes in level {
            let (children, ids, _) = nodes.with_ids()?;
            let Some(pairs) = children.pairs() else { return Ok(false) };
            for (node, pair) in (0..).zip(pairs) {
                let Some(id) = nest.settle(pair[0].get(), pair[1].get()) else { return Ok(false) };
                loose |= pair.iter().any(|child| child.get() >= TERMINALS && child.get() != id);
                ids.put(node, I::of(id))?;
            }
        }
        self.loose |= loose;
        Ok(true)
    }

    /// Redirects all arcs that lead past the level of `rank` to false. There may then be nodes to which no arc leads.
    fn drop_arcs(&mut self, rank: usize) {
        let above = self.division.logs(self.levels.ranks() - rank).start;
        for worker in &mut self.workers {
            self.loose |= worker.queue.take_rest(above).count() > 0;
            worker.ones = Stack::of(Spool::new(Share::Arcs));
            worker.counts[..rank].iter_mut().for_each(|count| count.ones = 0);
        }
    }

    /// Stops the sweep at the level of `rank`, whose nodes are `level`.
    fn pause(mut self, rank: usize, level: Level<'_, I>) -> Result<Pause<I>> {
        let space = self.space;
        let (mut pairs, mut singles) = (Spool::new(Share::Arcs), Spool::new(Share::Arcs));
        for (worker, Nodes { children, ids, desk, .. }) in self.workers.iter_mut().zip(level) {
            if let Some(ids) = ids {
                desk.give_back(ids.into_words());
            }
            let mut children = children.descend()?;
            while let Some((_, values)) = children.part()? {
                let (nodes, mut left) = (values.as_chunks().0, values.len() / 2);
                worker.arcs.pop_while(space, |[arc]| {
                    let [low, high] = nodes[left - 1];
                    pairs.append([low, high, I::of(arc.get() / 2)], space)?;
                    left -= (arc.get() % 2) as usize;
                    Ok(left > 0)
                })?;
            }
            desk.give_back(children.into_words());
        }
        for higher in (1..rank).rev() {
            self.take(higher, None)?.drain_each(space, |[slot, id]| singles.append([id, slot], space))?;
        }
        let outputs = self.workers.into_iter().map(|worker| {
            let (arcs, ones) = (worker.arcs.into_spool(), worker.ones.into_spool());
            Output { counts: worker.counts, passing: 0, arcs, ones, arrivals: Spool::new(Share::Arcs) }
        });
        let outputs = outputs.collect();
        let mut above =
            Unreduced { levels: self.levels, ranks: self.ranks, settled: rank, outputs, ..Unreduced::new() };
        above.truncate(rank);
        Ok(Pause { above, forest: self.writer.seal_in_width(space)?, pairs, singles })
    }

    /// Ends the sweep when all arcs have been followed: with the diagram, or with a pause at the root if the diagram is to be
    /// negated or has nodes to which the root does not lead.
    fn finish(mut self, negates: bool, run: &mut Run<'_>) -> Result<Reduced<I>> {
        let mut root = I::of(FALSE);
        self.take(0, None)?.drain(run.space, |block| {
            root = block.last().map_or(root, |&[_, id]| id);
            Ok(())
        })?;
        let Self { workers, writer, loose, .. } = self;
        // The diagram's tables take the memory of the queues' tables.
        drop(workers);
        let whole_already = root.get() < TERMINALS || !loose && root.get() == last_of(&writer);
        if negates || !whole_already {
            let forest = writer.seal_in_width(run.space)?;
            return Ok(Reduced::Loose(Pause::at_root(forest, root, run.space)?));
        }
        Ok(Reduced::Whole(whole(writer, root, run.space)?))
    }

    /// Sends the ids of the level of `rank` along the arcs that lead to its nodes. The worker with the fewest nodes first writes
    /// some of the logs of `fresh` nodes, its share; the first worker to finish writes the others.
    fn forward(&mut self, rank: usize, mut level: Level<'_, I>, fresh: Vec<Spool<I, 2>>) -> Result<()> {
        let space = self.space;
        if level.len() == 1 {
            let (nodes, above) = (level.pop().expect("those of the one worker"), self.slots(rank - 1, 0));
            let route = Route { logs: &self.logs, division: self.division, space };
            return self.workers[0].forward(nodes, above, route);
        }
        let above: Vec<_> = (0..level.len()).map(|worker| self.slots(rank - 1, worker)).collect();
        let route = Route { logs: &self.logs, division: self.division, space };
        let least = (0..level.len()).min_by_key(|&at| self.workers[at].counts[rank].nodes);
        let first = fresh.len() / level.len();
        let writing = Mutex::new((&mut self.writer, fresh.into_iter()));
        // Nobody waits for the lock: the worker that holds it writes all the rest, or tries again later.
        let write = |most: usize| {
            let Ok(mut writing) = writing.try_lock() else { return Ok(()) };
            let (writer, fresh) = &mut *writing;
            fresh.take(most).try_for_each(|mut fresh| fresh.drain(space, |nodes| writer.push_all(nodes, space)))
        };
        let tasks = (0..).zip(&mut self.workers).zip(level).zip(above).collect();
        self.team
            .each(tasks, |(((at, worker), nodes), above)| {
                if Some(at) == least {
                    write(first)?;
                }
                worker.forward(nodes, above, route)?;
                write(usize::MAX)
            })
            .map(drop)
    }

    /// The slots of `worker`'s nodes on the level of `rank`; `None` above the top level, and for a worker that has no part of the
    /// level.
    fn slots(&self, rank: usize, worker: usize) -> Option<Slots> {
        let shift = self.ranks[rank].shift;
        let first = 2 * self.levels.first(rank) + worker as u64;
        let count = 2 * self.workers[worker].counts[rank].nodes;
        (rank > 0 && (shift > 0 || worker == 0)).then_some(Slots { first, count, shift })
    }
}

/// What it takes to find the log for a slot.
#[derive(Clone, Copy)]
struct Route<'l, 'a> {
    logs: &'l LevelMap,
    division: Division,
    space: &'a Space,
}

impl Route<'_, '_> {
    /// Queues `id` for the node that has `slot`.
    #[inline(always)]
    fn send<I: Lane>(self, slot: u64, id: I, queue: &mut LevelQueue<I, 2>) -> Result<()> {
        let first = self.logs.of(slot / 2) as usize;
        queue.push(self.division.log_of_slot(first, slot), [I::of(slot), id], self.space)
    }
}

impl<'a, I: Lane> Worker<'a, I> {
    /// Collects the children of this worker's nodes on the level of `rank`; `first` is the low slot of its first node. A child for
    /// which nothing arrives is false.
    fn collect<'d>(
        &mut self,
        rank: usize,
        first: u64,
        shift: u32,
        mut arrived: Spool<I, 2>,
        desk: &'d mut Desk,
        space: &'a Space,
    ) -> Result<Nodes<'d, I>>
    where
        'a: 'd,
    {
        let Count { nodes: width, ones } = self.counts[rank];
        let mut children = match self.children.take() {
            Some(children) => children,
            None => Dense::zeroes(desk.take_array(), 2 * width, space)?,
        };
        if arrived.count() > 0 {
            arrived.drain(space, |block| children.put_all(block, first, shift))?;
            self.queue.recycle(arrived);
        }
        for _ in 0..ones {
            let [slot] = self.ones.pop(space)?.expect("as many arcs to true as were counted");
            children.put((slot.get() - first) >> shift, I::of(TRUE))?;
        }
        Ok(Nodes::new(width, children, desk, space))
    }

    /// Sends the ids of this worker's nodes of a level along the arcs that lead to them: straight to their places where the slot is
    /// one of `above`, its own on the next level up, and through the queue elsewhere.
    fn forward(&mut self, mut nodes: Nodes<'_, I>, above: Option<Slots>, route: Route<'_, 'a>) -> Result<()> {
        let slots = above.unwrap_or_default();
        let mut arrived = Dense::zeroes(nodes.spare(), slots.count, route.space)?;
        let desk = nodes.show_ids(|ids| self.send_to(&mut arrived, slots, ids, route))?;
        match above {
            Some(_) => self.children = Some(arrived),
            None => desk.give_back(arrived.into_words()),
        }
        Ok(())
    }

    /// Sends `ids` along the arcs that lead to their nodes, the last node first: to `arrived` where the slot is one of `slots`, and
    /// to the queue elsewhere.
    fn send_to(&mut self, arrived: &mut Dense<'_, I>, slots: Slots, mut ids: &[I], route: Route<'_, '_>) -> Result<()> {
        let (mut own, mut others) = ([[I::zeroed(); 2]; SOME], [[I::zeroed(); 2]; SOME]);
        while !ids.is_empty() {
            let ready = self.arcs.ready(route.space)?;
            assert!(!ready.is_empty(), "an arc leads to every node");
            let arcs = &ready[ready.len().saturating_sub(SOME)..];
            let sent = match arrived {
                Dense::Array(array) if slots.count > 0 => {
                    slots.scatter(arcs, ids, array.values_and_place(), &mut others)
                }
                _ => slots.part(arcs, ids, &mut own, &mut others),
            };
            self.arcs.pop_some(sent.arcs);
            ids = &ids[..sent.left];
            arrived.put_all(&own[..sent.own], slots.first, slots.shift)?;
            others[..sent.others].iter().try_for_each(|[slot, id]| route.send(slot.get(), *id, &mut self.queue))?;
        }
        Ok(())
    }
}

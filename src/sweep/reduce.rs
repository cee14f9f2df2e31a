//! `reduce`: the bottom-up sweep. Arcs of an unreduced diagram go in, a canonical node file comes out.
//!
//! ```text
//!   ones ──┐                                  ┌── low = high: the child itself ──┐
//!          ├─► children of every node ────────┤                                  ├─► id of every node ─► along the arcs
//!   queue ─┘   (dense: a scatter)             └─► sort by (low, high), number, write ┘  (dense: a scatter)    │
//!     ▲                                                                                                       │
//!     └───────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//! Cost: every arc is pushed and popped once, every node sorted once. Memory: the shares for queue and diagrams, and three
//! arrays of one level.
//!
//! After: R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986; L. Arge, "The I/O-Complexity of
//! Ordered Binary-Decision Diagram Manipulation", 1995.

use super::{
    nest::{Covers, Pause},
    run::Run,
};
use crate::{
    disk::{
        dense::{Dense, Descent},
        lane::Lane,
        pool::Share,
        queue::LevelQueue,
        sorter::Sorter,
        source::Source,
        space::Space,
        spool::{Spool, Stack},
    },
    error::Result,
    file::{level_map::LevelMap, levels::Levels, node_file::NodeFile, unreduced::Unreduced, writer::NodeWriter},
    model::{FALSE, TERMINALS, TRUE},
};

/// Where a reduce sweep ends.
pub enum Reduced<I> {
    /// At the root, with the canonical diagram.
    Whole(NodeFile),
    /// At the root, but there are nodes that it does not lead to.
    Loose(Pause<I>),
    /// At the level of a variable that the nest covers.
    Paused(u32, Pause<I>),
}

/// Reduces `unreduced`, whose root's arc is slot 0, as far up as `nest` lets it.
pub fn reduce<I: Lane>(unreduced: Unreduced<I>, nest: &dyn Covers, run: &mut Run<'_>) -> Result<Reduced<I>> {
    let _sweep = run.begin("reduce");
    let space = run.space;
    let mut sweep = Upward::new(unreduced, space)?;
    for rank in (1..sweep.levels.ranks()).rev() {
        let (first, end) = sweep.levels.range(rank);
        let (width, variable) = (end - first, sweep.variables[rank]);
        let children = sweep.children(rank, Dense::new(run.children, 2 * width, space)?, space)?;
        let mut ids = Dense::new(run.ids, width, space)?;
        let settled = rank >= sweep.settled;
        if settled || !nest.covers(variable, sweep.writer.top()) {
            sweep.merge(children, width, &mut ids, run.sorter, space)?;
            sweep.writer.end_level(if settled { variable } else { nest.name(variable) });
        } else if !sweep.settle(&children, nest, &mut ids)? {
            return Ok(Reduced::Paused(variable, sweep.pause(rank, children, space)?));
        }
        sweep.forward(ids.descend()?, width, space)?;
        run.report("reduce", variable, sweep.writer.nodes());
    }
    sweep.finish(run)
}

/// What the sweep carries upwards.
struct Upward<I> {
    levels: Levels,
    variables: Vec<u32>,
    settled: usize,
    /// For every id how many levels lie below its own: the level of the queue where its children arrive.
    heights: LevelMap,
    /// Ids on their way to their parents: (slot, id).
    queue: LevelQueue<I, 2>,
    writer: NodeWriter<I>,
    ones_on: Vec<u64>,
    arcs: Stack<I, 1>,
    ones: Stack<I, 1>,
    /// What the root's arc leads to, once it is known.
    root: I,
    /// Whether there may be nodes that nothing leads to.
    loose: bool,
}

/// The nodes of a level as (low, high, node), straight from the array of their children.
struct Siblings<'a, I>(&'a [[I; 2]]);

impl<I: Lane> Source<I, 3> for Siblings<'_, I> {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn keys(&self, lane: usize, _: &Space, show: impl FnMut(I)) -> Result<()> {
        self.0.iter().map(|pair| pair[lane]).for_each(show);
        Ok(())
    }

    fn drain(self, lane: usize, _: &Space, mut show: impl FnMut(I, &[I; 3]) -> Result<()>) -> Result<()> {
        (0..).zip(self.0).try_for_each(|(node, pair)| show(pair[lane], &[pair[0], pair[1], I::of(node)]))
    }
}

/// The same where the children are too many for an array and come in order but once.
fn siblings<I: Lane>(children: Dense<'_, I>, width: u64, space: &Space) -> Result<Spool<I, 3>> {
    let mut siblings = Spool::new(Share::Queue);
    let mut children = children.descend()?;
    for node in (0..width).rev() {
        let (high, low) = (children.step()?, children.step()?);
        siblings.append([low, high, I::of(node)], space)?;
    }
    Ok(siblings)
}

impl<I: Lane> Upward<I> {
    fn new(unreduced: Unreduced<I>, space: &Space) -> Result<Self> {
        let Unreduced { levels, variables, settled, ones_on, arcs, ones, passed, below, arrivals, .. } = unreduced;
        let mut writer = below.map_or_else(|| NodeWriter::new(space), Ok)?;
        writer.reserve_levels(levels.ranks());
        let mut sweep = Self {
            queue: LevelQueue::new(levels.ranks(), space)?,
            heights: LevelMap::new(&levels, |rank| (levels.ranks() - 1 - rank) as u32),
            levels,
            variables,
            settled,
            writer,
            ones_on,
            arcs: arcs.into_stack(),
            ones: ones.into_stack(),
            root: I::of(FALSE),
            loose: false,
        };
        passed
            .drain(space, |block| block.iter().try_for_each(|[slot]| sweep.arrive(slot.get(), I::of(TRUE), space)))?;
        arrivals.drain(space, |block| block.iter().try_for_each(|&[slot, id]| sweep.arrive(slot.get(), id, space)))?;
        Ok(sweep)
    }

    /// Collects the children of the nodes of `rank`; what does not arrive is false.
    fn children<'a>(&mut self, rank: usize, mut children: Dense<'a, I>, space: &Space) -> Result<Dense<'a, I>> {
        let first = 2 * self.levels.first(rank);
        let results = self.queue.take(self.levels.ranks() - 1 - rank);
        results.drain(space, |block| children.put_all(block, first))?;
        for _ in 0..self.ones_on[rank] {
            let [slot] = self.ones.pop(space)?.expect("as many arcs to true as were counted");
            children.put(slot.get() - first, I::of(TRUE))?;
        }
        Ok(children)
    }

    /// Merges the nodes of a level that have the same children, or two equal ones.
    fn merge(
        &mut self,
        children: Dense<'_, I>,
        width: u64,
        ids: &mut Dense<'_, I>,
        sorter: &mut Sorter,
        space: &Space,
    ) -> Result<()> {
        match children {
            Dense::Array(array) => self.number(Siblings(bytemuck::cast_slice(array)), ids, sorter, space),
            Dense::Parts(_) | Dense::Sorted(..) => {
                let siblings = siblings(children, width, space)?;
                self.number(siblings, ids, sorter, space)
            }
        }
    }

    /// Gives each node of a covered level the id that takes its place, if `nest` can tell all of them.
    fn settle(&mut self, children: &Dense<'_, I>, nest: &dyn Covers, ids: &mut Dense<'_, I>) -> Result<bool> {
        let Dense::Array(array) = children else { return Ok(false) };
        let pairs: &[[I; 2]] = bytemuck::cast_slice(array);
        let mut loose = false;
        for (node, pair) in (0..).zip(pairs) {
            let Some(id) = nest.settle(pair[0].get(), pair[1].get()) else { return Ok(false) };
            loose |= pair.iter().any(|child| child.get() >= TERMINALS && child.get() != id);
            ids.put(node, I::of(id))?;
        }
        self.loose |= loose;
        Ok(true)
    }

    /// Stops at the level of `rank`, whose nodes have these children.
    fn pause(mut self, rank: usize, children: Dense<'_, I>, space: &Space) -> Result<Pause<I>> {
        let mut pairs = Spool::new(Share::Arcs);
        let mut children = children.descend()?;
        let [mut high, mut low] = [children.step()?, children.step()?];
        let (first, end) = self.levels.range(rank);
        let mut left = end - first;
        self.arcs.pop_while(space, |[arc]| {
            pairs.append([low, high, I::of(arc.get() / 2)], space)?;
            if arc.get() % 2 == 1 {
                left -= 1;
                [high, low] = [children.step()?, children.step()?];
            }
            Ok(left > 0)
        })?;
        let mut singles = Spool::new(Share::Arcs);
        for higher in 1..rank {
            self.queue
                .take(self.levels.ranks() - 1 - higher)
                .drain(space, |block| block.iter().try_for_each(|&[slot, id]| singles.append([id, slot], space)))?;
        }
        let mut above = Unreduced {
            levels: self.levels,
            variables: self.variables,
            settled: rank,
            ones_on: self.ones_on,
            arcs: self.arcs.into_spool(),
            ones: self.ones.into_spool(),
            ..Unreduced::new()
        };
        above.levels.truncate(rank);
        above.variables.truncate(rank);
        above.ones_on.truncate(rank);
        Ok(Pause { above, forest: self.writer.seal_forest(space)?, pairs, singles })
    }

    /// The diagram, when all arcs have been followed.
    fn finish(self, run: &mut Run<'_>) -> Result<Reduced<I>> {
        if self.root.get() < TERMINALS {
            assert!(self.root.get() == FALSE, "invariant 6: a stored diagram is false on the path of low arcs");
            return Ok(Reduced::Whole(NodeFile::empty()));
        }
        if self.loose || self.root.get() != self.writer.nodes() + TERMINALS - 1 {
            let forest = self.writer.seal_forest(run.space)?;
            return Ok(Reduced::Loose(Pause::at_root(forest, self.root, run)?));
        }
        Ok(Reduced::Whole(self.writer.seal(run.space)?))
    }

    /// Brings `id` to the node whose slot this is.
    fn arrive(&mut self, slot: u64, id: I, space: &Space) -> Result<()> {
        let height = self.heights.of(slot / 2) as usize;
        if height < self.levels.ranks() - 1 {
            return self.queue.push(height, [I::of(slot), id], space);
        }
        self.root = id;
        Ok(())
    }

    /// Writes one node for all siblings that agree, unless their children are equal, and gives each its id.
    fn number(
        &mut self,
        siblings: impl Source<I, 3>,
        ids: &mut Dense<'_, I>,
        sorter: &mut Sorter,
        space: &Space,
    ) -> Result<()> {
        let mut last = [I::MAX; 2];
        let mut id = I::of(FALSE);
        sorter.sort(siblings, 2, space, &mut |siblings: &[[I; 3]]| {
            for &[low, high, node] in siblings {
                if low != last[0] || high != last[1] {
                    last = [low, high];
                    id = if low == high { low } else { self.writer.push(low, high, space)? };
                }
                ids.put(node.get(), id)?;
            }
            Ok(())
        })
    }

    /// Sends the ids of a level's `width` nodes along the arcs that lead to them, the last node first.
    fn forward(&mut self, mut ids: Descent<'_, I>, width: u64, space: &Space) -> Result<()> {
        let Self { levels, heights, queue, arcs, root, .. } = self;
        let top = levels.ranks() - 1;
        let (mut id, mut left) = (ids.step()?, width);
        arcs.pop_while(space, |[arc]| {
            let (slot, first_of_node) = (arc.get() / 2, arc.get() % 2 == 1);
            let height = heights.of(slot / 2) as usize;
            if height < top {
                queue.push(height, [I::of(slot), id], space)?;
            } else {
                *root = id;
            }
            if first_of_node {
                left -= 1;
                id = ids.step()?;
            }
            Ok(left > 0)
        })
    }
}

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

use super::run::Run;
use crate::{
    disk::{
        dense::{Dense, Descent},
        lane::Lane,
        pool::Share,
        queue::LevelQueue,
        radix::Bounds,
        sorter::{BATCH, Sorter, Source},
        space::Space,
        spool::{Spool, Stack},
    },
    error::Result,
    file::{levels::Levels, node_file::NodeFile, unreduced::Unreduced, writer::NodeWriter},
    model::{FALSE, TRUE},
};

/// Reduces `unreduced`, whose root's arc is slot 0, to its canonical form.
pub fn reduce<I: Lane>(unreduced: Unreduced<I>, run: &mut Run<'_>) -> Result<NodeFile> {
    let _sweep = tracing::debug_span!("reduce").entered();
    let Unreduced { levels, variables, ones_on, arcs, ones } = unreduced;
    let space = run.space;
    let mut sweep = Upward {
        queue: LevelQueue::new(levels.ranks(), space)?,
        steps: (0..levels.ranks()).map(|rank| Step::new(&levels, rank)).collect(),
        levels: &levels,
        writer: NodeWriter::new(space)?,
        arcs: arcs.into_stack(),
        ones: ones.into_stack(),
    };
    for rank in (1..levels.ranks()).rev() {
        let (first, end) = levels.range(rank);
        let width = end - first;
        let mut children = Dense::new(run.children, 2 * width, space)?;
        let results = sweep.queue.take(levels.ranks() - 1 - rank);
        results.drain(space, |block| children.put_all(block))?;
        for _ in 0..ones_on[rank] {
            let [slot] = sweep.ones.pop(space)?.expect("as many arcs to true as were counted");
            children.put(slot.get() - 2 * first, I::of(TRUE))?;
        }
        let mut ids = Dense::new(run.ids, width, space)?;
        match children {
            Dense::Array(array) => {
                let siblings = Siblings::new(bytemuck::cast_slice(array), &mut ids)?;
                sweep.number(siblings, &mut ids, run.sorter, space)?;
            }
            children @ Dense::Sorted(..) => {
                let siblings = merge_equal_children(children, width, &mut ids, space)?;
                sweep.number(siblings, &mut ids, run.sorter, space)?;
            }
        }
        sweep.writer.end_level(variables[rank]);
        sweep.forward(ids.descend()?, width, space)?;
        run.report("reduce", variables[rank], sweep.writer.nodes());
    }
    sweep.writer.seal(space)
}

/// What the sweep carries upwards.
struct Upward<'a, I> {
    levels: &'a Levels,
    /// By rank.
    steps: Vec<Step>,
    /// Ids on their way to their parents: (slot within the parent's level, id).
    queue: LevelQueue<I, 2>,
    writer: NodeWriter<I>,
    arcs: Stack<I, 1>,
    ones: Stack<I, 1>,
}

/// The slots of a rank, and where it stands in the queue.
struct Step {
    first: u64,
    end: u64,
    level: usize,
}

impl Step {
    fn new(levels: &Levels, rank: usize) -> Self {
        let (first, end) = levels.range(rank);
        Self { first: 2 * first, end: 2 * end, level: levels.ranks() - 1 - rank }
    }
}

/// The nodes of a level whose children differ, as (low, high, node), straight from the array of children.
struct Siblings<'a, I> {
    pairs: &'a [[I; 2]],
    len: u64,
    bounds: Bounds<I, 3>,
}

impl<'a, I: Lane> Siblings<'a, I> {
    /// Takes the children of all nodes and gives each the id of its low child: right for those whose children are equal, and
    /// overwritten for the others. (`ids` is an array here, since it is half as long as that of the children.)
    fn new(pairs: &'a [[I; 2]], ids: &mut Dense<'_, I>) -> Result<Self> {
        ids.put_in_order(pairs.iter().map(|pair| pair[0]))?;
        let len = pairs.iter().map(|[low, high]| u64::from(low != high)).sum();
        let bounds = Bounds::of_numbered(pairs);
        Ok(Self { pairs, len, bounds })
    }
}

impl<I: Lane> Source<I, 3> for Siblings<'_, I> {
    fn count(&self) -> u64 {
        self.len
    }

    fn bounds(&self) -> Bounds<I, 3> {
        self.bounds
    }

    fn visit(&self, _: &Space, mut show: impl FnMut(&[[I; 3]]) -> Result<()>) -> Result<()> {
        let mut batch = [[I::of(0); 3]; BATCH];
        for (number, pairs) in self.pairs.chunks(BATCH).enumerate() {
            let mut filled = 0;
            for (at, &[low, high]) in pairs.iter().enumerate() {
                batch[filled] = [low, high, I::of((number * BATCH + at) as u64)];
                filled += usize::from(low != high);
            }
            show(&batch[..filled])?;
        }
        Ok(())
    }
}

/// The same where the children had to be sorted outside memory and come in order but once.
fn merge_equal_children<I: Lane>(
    children: Dense<'_, I>,
    width: u64,
    ids: &mut Dense<'_, I>,
    space: &Space,
) -> Result<Spool<I, 3>> {
    let mut siblings = Spool::new(Share::Queue);
    let mut children = children.descend()?;
    for node in (0..width).rev() {
        let (high, low) = (children.step()?, children.step()?);
        if low == high {
            ids.put(node, low)?;
        } else {
            siblings.append([low, high, I::of(node)], space)?;
        }
    }
    Ok(siblings)
}

impl<I: Lane> Upward<'_, I> {
    /// Writes one node for all siblings that agree, and gives each its id.
    fn number(
        &mut self,
        siblings: impl Source<I, 3>,
        ids: &mut Dense<'_, I>,
        sorter: &mut Sorter,
        space: &Space,
    ) -> Result<()> {
        let mut last = [I::MAX; 2];
        let mut id = I::of(FALSE);
        sorter.sort(siblings, 2, space, |batch: &[[I; 3]]| {
            for &[low, high, node] in batch {
                if low != last[0] || high != last[1] {
                    last = [low, high];
                    id = self.writer.push(low, high, space)?;
                }
                ids.put(node.get(), id)?;
            }
            Ok(())
        })
    }

    /// Sends the ids of a level's `width` nodes along the arcs that lead to them, the last node first.
    fn forward(&mut self, mut ids: Descent<'_, I>, width: u64, space: &Space) -> Result<()> {
        let Self { levels, steps, queue, arcs, .. } = self;
        let (mut id, mut left) = (ids.step()?, width);
        arcs.pop_while(space, |[arc]| {
            let (slot, first_of_node) = (arc.get() / 2, arc.get() % 2 == 1);
            let mut rank = levels.rank_or_below(slot / 2);
            while steps[rank].end <= slot {
                rank += 1;
            }
            let Step { first, level, .. } = steps[rank];
            // The root's own arc leads nowhere.
            if rank > 0 {
                queue.push(level, [I::of(slot - first), id], space)?;
            }
            if first_of_node {
                left -= 1;
                id = ids.step()?;
            }
            Ok(left > 0)
        })
    }
}

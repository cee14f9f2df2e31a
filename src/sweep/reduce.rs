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
//! After: R. E. Bryant, 1986; L. Arge, 1995; M. H. van Dijk et al., "Dynamic variable reordering", 2013 (levelised).

use super::run::Run;
use crate::{
    disk::{
        dense::Dense,
        lane::Lane,
        pool::Share,
        queue::LevelQueue,
        space::Space,
        spool::{Spool, Stack},
    },
    error::Result,
    file::{levels::Levels, node_file::NodeFile, unreduced::Unreduced, writer::NodeWriter},
    model::{FALSE, TRUE},
};

/// Reduces `unreduced`, whose root's arc is slot 0, to its canonical form.
pub fn reduce<I: Lane>(unreduced: Unreduced<I>, run: &mut Run<'_>) -> Result<NodeFile> {
    let Unreduced { levels, ones_on, arcs, ones } = unreduced;
    let space = run.space;
    let mut sweep = Upward {
        queue: LevelQueue::new(levels.ranks()),
        writer: NodeWriter::new(space)?,
        arcs: arcs.into_stack(),
        ones: ones.into_stack(),
    };
    for rank in (1..levels.ranks()).rev() {
        let (first, end) = levels.range(rank);
        let width = end - first;
        let mut children = Dense::new(run.children, 2 * width, space)?;
        let results = sweep.queue.take(levels.ranks() - 1 - rank);
        results.drain(space, |block| block.iter().try_for_each(|&[slot, id]| children.put(slot.get(), id)))?;
        for _ in 0..ones_on[rank] {
            if let Some([slot]) = sweep.ones.pop(space)? {
                children.put(slot.get() - 2 * first, I::of(TRUE))?;
            }
        }
        let mut ids = Dense::new(run.ids, width, space)?;
        let siblings = merge_equal_children(children, &mut ids, space)?;
        let mut last = None;
        run.sorter.sort(siblings, 2, space, |batch: &[[I; 3]]| {
            for &[low, high, node] in batch {
                let id = match last {
                    Some((last_low, last_high, id)) if last_low == low && last_high == high => id,
                    _ => sweep.writer.push(low, high, space)?,
                };
                last = Some((low, high, id));
                ids.put(node.get(), id)?;
            }
            Ok(())
        })?;
        sweep.writer.end_level(levels.variable(rank));
        ids.drain(|_, id| sweep.forward(id, &levels, space))?;
        run.report("reduce", levels.variable(rank), sweep.writer.nodes());
    }
    sweep.writer.seal(space)
}

/// What the sweep carries upwards.
struct Upward<I> {
    /// Ids on their way to their parents: (slot within the parent's level, id).
    queue: LevelQueue<I, 2>,
    writer: NodeWriter<I>,
    arcs: Stack<I, 1>,
    ones: Stack<I, 1>,
}

/// Gives a node whose children are equal the id of its child, and collects the others as (low, high, node).
fn merge_equal_children<I: Lane>(children: Dense<'_, I>, ids: &mut Dense<'_, I>, space: &Space) -> Result<Spool<I, 3>> {
    let mut siblings = Spool::new(Share::Queue);
    let mut high = I::of(FALSE);
    children.drain(|slot, child| {
        if slot % 2 == 1 {
            high = child;
            Ok(())
        } else if child == high {
            ids.put(slot / 2, child)
        } else {
            siblings.append([child, high, I::of(slot / 2)], space)
        }
    })?;
    Ok(siblings)
}

impl<I: Lane> Upward<I> {
    /// Sends `id` along the arcs of the last node whose arcs have not been followed.
    #[inline(always)]
    fn forward(&mut self, id: I, levels: &Levels, space: &Space) -> Result<()> {
        while let Some([arc]) = self.arcs.pop(space)? {
            let (slot, first_of_node) = (arc.get() / 2, arc.get() % 2 == 1);
            // The root's own arc leads nowhere.
            if slot >= 2 {
                let rank = levels.rank_of(slot / 2);
                let slot = slot - 2 * levels.first(rank);
                self.queue.push(levels.ranks() - 1 - rank, [I::of(slot), id], space)?;
            }
            if first_of_node {
                break;
            }
        }
        Ok(())
    }
}

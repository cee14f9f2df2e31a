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
        match children.into_array() {
            Ok(array) => {
                let siblings = Siblings::new(bytemuck::cast_slice(array), &mut ids)?;
                sweep.number(siblings, &mut ids, run.sorter, space)?;
            }
            Err(children) => {
                let siblings = merge_equal_children(children, &mut ids, space)?;
                sweep.number(siblings, &mut ids, run.sorter, space)?;
            }
        }
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
        let mut bounds = Bounds::default();
        let mut len = 0;
        for (node, &[low, high]) in pairs.iter().enumerate() {
            ids.put(node as u64, low)?;
            len += u64::from(low != high);
            bounds.include(&[[low, high, I::of(node as u64)]]);
        }
        Ok(Self { pairs, len, bounds })
    }
}

impl<I: Lane> Source<I, 3> for Siblings<'_, I> {
    fn len(&self) -> u64 {
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

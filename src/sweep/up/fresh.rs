//! New nodes of a level: written and numbered in order.

use std::hint::select_unpredictable;

use crate::{
    disk::{insertion::first_two, lane::Lane, space::Space, spool::Sink},
    error::Result,
};

/// The node that was numbered last, where nodes come in order.
#[derive(Clone, Copy)]
pub struct Last<I: Lane> {
    children: I::Pair,
    /// The id of the next new node.
    end: u64,
    /// New nodes since `take_fresh` was called.
    fresh: usize,
}

impl<I: Lane> Last<I> {
    /// No node yet; `end` is the id that the first new one gets.
    pub fn new(end: u64) -> Self {
        Self { children: none::<I>(), end, fresh: 0 }
    }

    /// The id of the next new node.
    #[inline(always)]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Counts `nodes` new nodes, the last of them with these `children`.
    #[inline(always)]
    pub fn count(&mut self, nodes: u64, children: [I; 2]) {
        self.end += nodes;
        self.children = children[0].before(children[1]);
    }

    /// The number of new nodes since this was called last.
    #[inline(always)]
    pub fn take_fresh(&mut self) -> usize {
        std::mem::take(&mut self.fresh)
    }

    /// Writes each distinct node among `siblings`, which come next in order, once, unless its children are equal, and `put`s the id
    /// at each sibling.
    #[inline(always)]
    pub fn write(
        &mut self,
        mut siblings: &[[I; 3]],
        out: &mut impl Sink<I>,
        space: &Space,
        put: &mut impl FnMut(u64, I) -> Result<()>,
    ) -> Result<()> {
        while !siblings.is_empty() {
            let room = out.room(space)?;
            let (now, later) = siblings.split_at(siblings.len().min(room.len()));
            let mut numbered = *self;
            for sibling in now {
                put(sibling[2].get(), numbered.id_of(first_two(sibling), room))?;
            }
            out.advance(numbered.take_fresh());
            (*self, siblings) = (numbered, later);
        }
        Ok(())
    }

    /// The id of a node with these children: that of the last node if they agree, that of the child if both are equal, and else the
    /// next one. The new node is then in `nodes`, which must have room, behind the `fresh` ones.
    ///
    /// Which of these it is cannot be predicted, so there is no branch for it: the node is always written, and then counted or not.
    #[inline(always)]
    pub fn id_of(&mut self, children: I::Pair, nodes: &mut [[I; 2]]) -> I {
        let [low, high] = I::apart(children);
        let new = low != high && children != self.children;
        self.children = children;
        nodes[self.fresh] = [low, high];
        self.fresh += usize::from(new);
        self.end += u64::from(new);
        select_unpredictable(low != high, I::of(self.end - 1), low)
    }
}

/// The real id for `id`: that of a new node counts from `I::MARK`, where `base` is the real id of the first; that of an older node
/// stays.
#[inline(always)]
pub fn from_base<I: Lane>(id: I, base: u64) -> I {
    if id.get() < I::MARK { id } else { id.minus(I::of(I::MARK - base)) }
}

/// A pair that comes after the children of any node.
#[inline(always)]
pub fn none<I: Lane>() -> I::Pair {
    I::MAX.before(I::MAX)
}

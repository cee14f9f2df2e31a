//! The new nodes of a level, as they are numbered in order.

use std::hint::select_unpredictable;

use crate::{
    disk::{lane::Lane, sorter::first_two, space::Space, spool::Spool},
    error::Result,
    file::writer::NodeWriter,
};

/// Where new nodes go, in order.
pub trait Sink<I> {
    /// Places for the next nodes, one at least.
    fn room(&mut self, space: &Space) -> Result<&mut [[I; 2]]>;

    /// Appends so many nodes that are in their places already.
    fn advance(&mut self, nodes: usize);
}

impl<I: Lane> Sink<I> for NodeWriter<I> {
    #[inline(always)]
    fn room(&mut self, space: &Space) -> Result<&mut [[I; 2]]> {
        NodeWriter::room(self, space)
    }

    #[inline(always)]
    fn advance(&mut self, nodes: usize) {
        NodeWriter::advance(self, nodes);
    }
}

impl<I: Lane> Sink<I> for Spool<I, 2> {
    #[inline(always)]
    fn room(&mut self, space: &Space) -> Result<&mut [[I; 2]]> {
        Spool::room(self, space)
    }

    #[inline(always)]
    fn advance(&mut self, nodes: usize) {
        Spool::advance(self, nodes);
    }
}

/// The node that was numbered last, where nodes come in order.
#[derive(Clone, Copy)]
pub struct Last<I: Lane> {
    children: I::Pair,
    /// The id of the next new node.
    end: u64,
    /// How many new nodes there are.
    fresh: usize,
}

impl<I: Lane> Last<I> {
    /// None yet; `end` is the id of the first.
    pub fn new(end: u64) -> Self {
        Self { children: none::<I>(), end, fresh: 0 }
    }

    /// The id of the next new node.
    #[inline(always)]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// So many new nodes came next, the last of them with these `children`.
    #[inline(always)]
    pub fn count(&mut self, nodes: u64, children: [I; 2]) {
        self.end += nodes;
        self.children = children[0].before(children[1]);
    }

    /// How many new nodes there are since this was asked last.
    #[inline(always)]
    pub fn take_fresh(&mut self) -> usize {
        std::mem::take(&mut self.fresh)
    }

    /// Writes one node for all of `siblings`, which come next, that agree, unless their children are equal, and `put`s its id at
    /// each.
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

    /// The id of a node with these children: that of the last one if they agree, that of the child if both are equal. A new node
    /// goes to `nodes`, where there must be room, behind those that are fresh.
    ///
    /// Which of these it is cannot be predicted, so that there is no branch for it: it is written down in any case, and counts or
    /// does not.
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

/// The id of a node that counts from `I::MARK`, where `base` is the id of the first new one; that of an older node as it is.
#[inline(always)]
pub fn from_base<I: Lane>(id: I, base: u64) -> I {
    if id.get() < I::MARK { id } else { id.minus(I::of(I::MARK - base)) }
}

/// More than the children of any node.
#[inline(always)]
pub fn none<I: Lane>() -> I::Pair {
    I::MAX.before(I::MAX)
}

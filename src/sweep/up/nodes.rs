//! The nodes of a level on the way up, from their children to the ids that replace them.

use super::{fresh::from_base, ordered::Ordered};
use crate::{
    disk::{dense::Dense, lane::Lane, parted::Parted, sorter::Sorter, space::Space, spool::Spool, words::Words},
    error::Result,
    sweep::desk::Desk,
};

/// Ids looked up at a time.
const SOME: usize = 512;

/// The nodes of a level that one worker has.
pub struct Nodes<'a, I: Lane> {
    /// How many there are.
    pub width: u64,
    /// Low and high child of each.
    pub children: Dense<'a, I>,
    /// The id that replaces each, unless these are to be looked up in `order`.
    pub ids: Option<Dense<'a, I>>,
    /// The nodes in order, in which ids can be looked up once they are numbered. The order holds the array of the desk's sorter,
    /// which can keep no records meanwhile.
    pub order: Option<Ordered<I>>,
    /// The worker's arrays.
    pub desk: &'a mut Desk,
    space: &'a Space,
}

impl<'a, I: Lane> Nodes<'a, I> {
    /// `width` nodes with these children.
    pub fn new(width: u64, children: Dense<'a, I>, desk: &'a mut Desk, space: &'a Space) -> Self {
        Self { width, children, ids: None, order: None, desk, space }
    }

    /// Puts the nodes in order where there is room: marks the bare ones and leaves others to be sorted, or sorts all.
    pub fn order(&mut self) -> Result<()> {
        let (children, sorter) = (&mut self.children, &mut self.desk.sorter);
        let marked = Ordered::marked(children, sorter, self.space)?;
        self.order = match marked {
            Some(marked) => Some(marked),
            None => Ordered::sorted(children, sorter, self.space)?,
        };
        Ok(())
    }

    /// The nodes in order, if they are, and the sorter for others.
    pub fn ordered(&mut self) -> Option<(&mut Ordered<I>, &mut Sorter)> {
        Some((self.order.as_mut()?, &mut self.desk.sorter))
    }

    /// The children of the nodes, room for an id of each, and the desk; drops the order.
    pub fn with_ids(&mut self) -> Result<(&mut Dense<'a, I>, &mut Dense<'a, I>, &mut Desk)> {
        if let Some(ordered) = self.order.take() {
            self.desk.sorter.give_back(ordered.into_words());
        }
        let ids = match &mut self.ids {
            Some(ids) => ids,
            none => none.insert(Dense::for_all(self.desk.take_array(), self.width, self.space)?),
        };
        Ok((&mut self.children, ids, self.desk))
    }

    /// Moves the nodes to the parts of `siblings`; `name` makes the third lane from a node's number.
    pub fn part_into(&mut self, siblings: &mut Parted<I, 3>, name: impl Fn(u64) -> u64) -> Result<()> {
        let mut children = std::mem::replace(&mut self.children, Dense::none(Words::default())).descend()?;
        while let Some((first, values)) = children.part()? {
            for (node, &[low, high]) in (first / 2..).zip(values.as_chunks().0) {
                siblings.append([low, high, I::of(name(node))], self.space)?;
            }
        }
        self.children = Dense::none(children.into_words());
        Ok(())
    }

    /// Stores each of `ids`, records (node, id), at its node. Ids of new nodes count from `I::MARK`; `base` is the real id of the
    /// first.
    pub fn put_all(&mut self, base: u64, mut ids: Spool<I, 2>) -> Result<()> {
        let space = self.space;
        let (_, places, _) = self.with_ids()?;
        ids.drain(space, |pairs| pairs.iter().try_for_each(|&[node, id]| places.put(node.get(), from_base(id, base))))
    }

    /// Takes an array that `show_ids` does not need; the nodes are numbered.
    pub fn spare(&mut self) -> Words {
        match self.ids {
            Some(_) => std::mem::replace(&mut self.children, Dense::none(Words::default())).into_words(),
            None => self.desk.take_array(),
        }
    }

    /// Shows the ids of all nodes, which are numbered, some at a time, the last nodes first; returns the desk.
    pub fn show_ids(self, mut show: impl FnMut(&[I]) -> Result<()>) -> Result<&'a mut Desk> {
        let Some(mut ordered) = self.order else {
            let mut ids = self.ids.expect("the nodes are numbered").descend()?;
            while let Some((_, ids)) = ids.part()? {
                show(ids)?;
            }
            self.desk.give_back(ids.into_words());
            return Ok(self.desk);
        };
        ordered.finish();
        let (mut children, mut ids) = (self.children.descend()?, [I::zeroed(); SOME]);
        while let Some((_, values)) = children.part()? {
            for pairs in values.as_chunks().0.rchunks(SOME) {
                let ids = &mut ids[..pairs.len()];
                ordered.ids_of(pairs, ids);
                show(ids)?;
            }
        }
        self.desk.give_back(children.into_words());
        self.desk.sorter.give_back(ordered.into_words());
        Ok(self.desk)
    }
}

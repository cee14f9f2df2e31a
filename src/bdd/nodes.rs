//! The nodes of a diagram one after another, for use outside the library.

use std::{fmt, iter::FusedIterator, ops::Range};

use super::Bdd;
use crate::{error::Result, file::walk::Walk, model::TERMINALS};

/// An inner node of a diagram. The ids 0 and 1 are false and true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its own id, from 2 on.
    pub id: u64,
    /// The variable it tests.
    pub variable: u32,
    /// The id of the child where that is false.
    pub low: u64,
    /// The id of the child where it is true.
    pub high: u64,
}

/// The nodes of a diagram, children before parents; see [`Bdd::nodes`].
///
/// Holds the diagram, and one block of it, at most 128 KiB, if it is on disk. Both are the caller's and not charged to the store's
/// budget.
///
/// An item is an error where the disk failed; none comes after it.
pub struct Nodes {
    bdd: Bdd,
    walk: Walk,
    /// The rank of the level at hand.
    rank: usize,
    /// The ids there that are still to come.
    ids: Range<u64>,
}

impl Bdd {
    /// The inner nodes of this function's diagram, each once, by ascending id: the lowest level first, the root last. Use them for
    /// other programs and formats, or for a computation that the library does not have. [`Store::import`](crate::Store::import)
    /// copies a function to another store.
    ///
    /// The terminals are those of this function, whether the store keeps it or its negation: there is nothing to negate, and the path
    /// of only low arcs may end in true. A constant has no nodes: [`Bdd::as_constant`] tells which it is.
    ///
    /// One pass over the nodes, as they are asked for; no sweep. Where the diagram is on disk, one block of memory.
    ///
    /// # Errors
    /// The items' own: those of the disk, after which the iterator ends.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store, BuilderNode};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(3)?.xor(&store.variable(5)?)?;
    /// // Node by node into another store, under other names.
    /// let other = Store::new(Config { memory: 16 << 20, ..Config::default() })?;
    /// let mut builder = other.builder()?;
    /// let mut made: Vec<BuilderNode> = vec![false.into(), true.into()];
    /// for node in f.nodes() {
    ///     let node = node?;
    ///     let [low, high] = [node.low, node.high].map(|child| made[child as usize]);
    ///     made.push(builder.add_node(2 * node.variable, low, high)?);
    /// }
    /// assert_eq!(builder.build()?, f.replace(|variable| 2 * variable)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn nodes(&self) -> Nodes {
        let (bdd, walk) = (self.clone(), Walk::of(&self.file));
        Nodes { bdd, walk, rank: 0, ids: TERMINALS..TERMINALS }
    }
}

impl Nodes {
    fn node(&mut self, id: u64) -> Result<Node> {
        let children = self.walk.children(id)?;
        // If this function is complemented, the file holds its negation.
        let turned = u64::from(self.bdd.complement);
        let [low, high] = children.map(|child| if child < TERMINALS { child ^ turned } else { child });
        Ok(Node { id, variable: self.bdd.file.variable(self.rank), low, high })
    }
}

impl Iterator for Nodes {
    type Item = Result<Node>;

    fn next(&mut self) -> Option<Self::Item> {
        let levels = self.bdd.file.levels();
        while self.ids.is_empty() && self.rank + 1 < levels.ranks() {
            self.rank += 1;
            self.ids = levels.range(self.rank);
        }
        let id = self.ids.next()?;
        let node = self.node(id);
        if node.is_err() {
            (self.rank, self.ids) = (self.bdd.file.levels().ranks(), 0..0);
        }
        Some(node)
    }
}

impl FusedIterator for Nodes {}

impl fmt::Debug for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nodes").field("bdd", &self.bdd).field("next", &self.ids.start).finish_non_exhaustive()
    }
}

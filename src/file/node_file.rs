//! A sealed, reduced diagram: its levels, its nodes in RAM or on disk, and a hash of both.
//!
//! ```text
//!   id     0       1       2 …                               … last
//!        ┌───────┬───────┬──────────────────┬─────┬─────────┬──────┐      a node, narrow        wide
//!        │ false │ true  │ deepest level    │ …   │ level   │ root │      ┌──────┬──────┐   ┌──────┬──────┐
//!        └───────┴───────┴──────────────────┴─────┴─────────┴──────┘      │ low  │ high │   │ low  │ high │
//!          one entry per id, so an id is a position                       └ 4 B ─┴ 4 B ─┘   └ 8 B ─┴ 8 B ─┘
//! ```

use std::sync::{Arc, LazyLock};

use smallvec::{SmallVec, smallvec};
use twox_hash::XxHash3_128;

use super::{labels::Labels, levels::Levels};
use crate::{
    disk::{
        charge::{ALLOCATED, Charge, SHARED},
        checked::CheckedFile,
        lane::Lane,
        pool::Block,
        space::Space,
    },
    error::Result,
    model::{FALSE, TERMINALS, TRUE},
};

/// How wide the ids of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits: 8 bytes a node.
    Narrow,
    /// 64 bits: 16 bytes a node.
    Wide,
}

impl Width {
    /// Bytes of a node.
    pub const fn node_bytes(self) -> usize {
        match self {
            Width::Narrow => 8,
            Width::Wide => 16,
        }
    }
}

/// A sealed diagram, without the complement bit that its handles carry; cheap to clone.
#[derive(Clone, Debug)]
pub struct NodeFile {
    pub(super) nodes: Arc<Unlabelled>,
    labels: Labels,
    hash: u128,
}

/// The nodes of a diagram, without the variables of its levels.
#[derive(Debug)]
pub(super) struct Unlabelled {
    pub levels: Levels,
    pub width: Width,
    pub body: Body,
    /// The hash of the nodes and the level table.
    pub hash: u128,
    /// The charge for the level table.
    pub _charge: Option<Charge>,
}

/// Where the nodes are.
#[derive(Debug)]
pub(super) enum Body {
    /// In blocks of `1 << shift` words each.
    Ram { blocks: Vec<Block>, shift: u32 },
    /// On disk, each node at its id times the bytes of a node.
    Disk(CheckedFile),
}

impl Unlabelled {
    /// Bytes to be read from disk for random access to `nodes` nodes in a row; none where they are in RAM.
    pub fn window_bytes(&self, nodes: u64) -> u64 {
        match self.body {
            Body::Ram { .. } => 0,
            Body::Disk(_) => nodes * self.width.node_bytes() as u64,
        }
    }
}

impl NodeFile {
    /// Bytes of a diagram beside its tables and its nodes: the part that all handles share, and what allocators add to that, to the
    /// two tables that every diagram has, and to the nodes.
    pub(super) const BYTES: usize = size_of::<Unlabelled>() + SHARED + 4 * ALLOCATED;

    pub(super) fn new(nodes: Unlabelled, labels: Labels) -> Self {
        let hash = labels.hash_with(nodes.hash);
        Self { nodes: Arc::new(nodes), labels, hash }
    }

    /// Whether both share nodes and names, and are not only equal.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.nodes, &other.nodes) && self.labels.is(&other.labels)
    }

    /// The diagram without nodes: the constant false. There is but one.
    pub fn empty() -> Self {
        static EMPTY: LazyLock<NodeFile> = LazyLock::new(|| {
            let mut levels = Levels::new(TERMINALS);
            levels.seal();
            let body = Body::Ram { blocks: Vec::new(), shift: 0 };
            NodeFile::new(Unlabelled { levels, width: Width::Narrow, body, hash: 0, _charge: None }, Labels::none())
        });
        EMPTY.clone()
    }

    /// The diagram of the one node that tests `variable`. All such diagrams share that node, which belongs to no store.
    pub fn of_variable(variable: u32) -> Self {
        static FIRST: LazyLock<NodeFile> = LazyLock::new(|| {
            // False, true, and the node whose children these are.
            let words = [[FALSE, FALSE], [TRUE, TRUE], [FALSE, TRUE]].map(word_of);
            let mut levels = Levels::new(TERMINALS);
            levels.push(1);
            levels.seal();
            let hash = hash_of(None, bytemuck::cast_slice(&words), &levels);
            let body = Body::Ram { blocks: vec![Block::counted_elsewhere([&words[..], &[0]].concat())], shift: 2 };
            NodeFile::new(Unlabelled { levels, width: Width::Narrow, body, hash, _charge: None }, Labels::of_first())
        });
        FIRST.shifted(variable.cast_signed())
    }

    /// The same nodes, with `by` added to each variable. Constant time.
    #[must_use]
    pub fn shifted(&self, by: i32) -> Self {
        self.labelled(self.labels.shifted(by))
    }

    /// The same nodes with other variables, the largest first.
    ///
    /// # Errors
    /// `BudgetExceeded` when the tables have no room for the variables.
    pub fn renamed(&self, variables: Vec<u32>, space: &Space) -> Result<Self> {
        Ok(self.labelled(Labels::new(variables, space)?))
    }

    fn labelled(&self, labels: Labels) -> Self {
        Self { nodes: self.nodes.clone(), hash: labels.hash_with(self.nodes.hash), labels }
    }

    /// The level table, bottom-up.
    pub fn levels(&self) -> &Levels {
        &self.nodes.levels
    }

    /// The variable of the level of `rank`, from 1.
    pub fn variable(&self, rank: usize) -> u32 {
        self.labels.of(rank)
    }

    /// The variables of all levels, bottom-up: from the largest to the smallest.
    pub fn variables(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.labels.iter()
    }

    /// The variable of the level of `id`, which is no terminal.
    pub fn variable_of(&self, id: u64) -> u32 {
        self.variable(self.levels().rank_of(id))
    }

    /// The rank of the level of `variable`, if there is one, by binary search.
    pub fn rank(&self, variable: u32) -> Option<usize> {
        self.labels.rank(variable)
    }

    /// Whether there is a level of `variable`.
    pub fn has_variable(&self, variable: u32) -> bool {
        self.rank(variable).is_some()
    }

    /// The width of the ids.
    pub fn width(&self) -> Width {
        self.nodes.width
    }

    /// Bytes to be read from disk for random access to `nodes` nodes in a row; none where they are in RAM.
    pub fn window_bytes(&self, nodes: u64) -> u64 {
        self.nodes.window_bytes(nodes)
    }

    /// The number of inner nodes.
    pub fn node_count(&self) -> u64 {
        self.levels().end() - TERMINALS
    }

    /// The id of the root: the last one, or false when there are no nodes.
    pub fn root(&self) -> u64 {
        if self.node_count() == 0 { 0 } else { self.levels().end() - 1 }
    }

    /// A hash of all levels and nodes: equal for equal functions. Two different functions have the same hash by chance once in
    /// 2^128; nothing keeps somebody from looking for such a pair on purpose.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// Shows all nodes in the order of their ids, the terminals first, as the words they are stored in: a block at a time.
    pub fn visit_words(&self, mut show: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let mut left = self.levels().end() * self.width().node_bytes() as u64 / 8;
        match &self.nodes.body {
            Body::Ram { blocks, .. } => {
                for words in blocks.iter().map(Block::words) {
                    let (now, _) = words.split_at(left.min(words.len() as u64) as usize);
                    show(now)?;
                    left -= now.len() as u64;
                }
            }
            Body::Disk(file) => {
                let (mut buffer, mut at) = (file.room(), 0);
                while at < file.length() {
                    let read = file.read(at..at + 1, &mut buffer)?;
                    file.will_read(read.end..(2 * read.end - read.start).min(file.length()));
                    show(&buffer[..(read.end - read.start) as usize / size_of::<u64>()])?;
                    at = read.end;
                }
            }
        }
        Ok(())
    }

    /// The hash of the file, where `nodes` has hashed the bytes of its nodes.
    pub fn hash_with(&self, nodes: XxHash3_128) -> u128 {
        self.labels.hash_with(hash_of(Some(nodes), &[], self.levels()))
    }

    /// Bytes of nodes on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.window_bytes(self.levels().end())
    }
}

/// The hash of a file from that of its full blocks, if there are any, the bytes after them, and its level table.
pub(super) fn hash_of(blocks: Option<XxHash3_128>, tail: &[u8], levels: &Levels) -> u128 {
    if let Some(mut hash) = blocks {
        hash.write(tail);
        levels.firsts().for_each(|first| hash.write(&first));
        return hash.finish_128();
    }
    // The same hash, computed much faster for the few bytes that most diagrams have.
    let mut bytes: SmallVec<[u8; 512]> = smallvec![0; tail.len() + 8 * (levels.ranks() - 1)];
    let (nodes, firsts) = bytes.split_at_mut(tail.len());
    nodes.copy_from_slice(tail);
    firsts.as_chunks_mut().0.iter_mut().zip(levels.firsts()).for_each(|(room, first)| *room = first);
    XxHash3_128::oneshot(&bytes)
}

/// A narrow node with these children, as a word.
#[inline(always)]
pub(super) fn word_of([low, high]: [u64; 2]) -> u64 {
    low | high << 32
}

/// The children of a narrow node.
#[inline(always)]
pub(super) fn children_of<I: Lane>(word: u64) -> [I; 2] {
    [I::of(word & 0xffff_ffff), I::of(word >> 32)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_share_the_one_diagram_without_nodes() {
        let empty = NodeFile::empty();
        assert!(empty.is(&NodeFile::empty()) && empty.is(&empty.shifted(0)));
        assert_eq!((empty.node_count(), empty.levels().ranks()), (0, 1));
    }
}

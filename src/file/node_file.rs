//! A sealed, reduced diagram: its levels, its nodes in RAM or in an unnamed file, and a hash of both.
//!
//! ```text
//!   id     0       1       2 …                               … last
//!        ┌───────┬───────┬──────────────────┬─────┬─────────┬──────┐      a node, narrow        wide
//!        │ false │ true  │ deepest level    │ …   │ level   │ root │      ┌──────┬──────┐   ┌──────┬──────┐
//!        └───────┴───────┴──────────────────┴─────┴─────────┴──────┘      │ low  │ high │   │ low  │ high │
//!          one entry per id, so an id is a position                       └ 4 B ─┴ 4 B ─┘   └ 8 B ─┴ 8 B ─┘
//! ```

use super::levels::Levels;
use crate::{
    disk::{
        backend::ScratchFile,
        meter::Claim,
        pool::{Block, Charge},
    },
    model::TERMINALS,
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

/// A sealed diagram, without the complement bit that its handles carry.
#[derive(Debug)]
pub struct NodeFile {
    pub(super) levels: Levels,
    pub(super) width: Width,
    pub(super) body: Body,
    pub(super) hash: u128,
    /// For the level table.
    pub(super) _charge: Option<Charge>,
}

/// Where the nodes are.
#[derive(Debug)]
pub(super) enum Body {
    /// In blocks of `1 << shift` words each.
    Ram { blocks: Vec<Block>, shift: u32 },
    /// In a file, at `id` times the bytes of a node.
    Disk { file: Box<dyn ScratchFile>, _claim: Claim },
}

impl NodeFile {
    /// The diagram without nodes: the constant false.
    pub fn empty() -> Self {
        let mut levels = Levels::new(TERMINALS);
        levels.seal();
        Self { levels, width: Width::Narrow, body: Body::Ram { blocks: Vec::new(), shift: 0 }, hash: 0, _charge: None }
    }

    /// The level table, bottom-up.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The width of the ids.
    pub fn width(&self) -> Width {
        self.width
    }

    /// Inner nodes.
    pub fn node_count(&self) -> u64 {
        self.levels.end() - TERMINALS
    }

    /// The id of the root: the last one, or false when there are no nodes.
    pub fn root(&self) -> u64 {
        if self.node_count() == 0 { 0 } else { self.levels.end() - 1 }
    }

    /// A hash of all levels and nodes: equal for equal functions, and for others different but for one chance in 2^128.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// Bytes of nodes on disk.
    pub fn disk_bytes(&self) -> u64 {
        match self.body {
            Body::Ram { .. } => 0,
            Body::Disk { .. } => self.levels.end() * self.width.node_bytes() as u64,
        }
    }
}

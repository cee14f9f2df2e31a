//! Reading single nodes, along paths.

use std::{ops::Range, sync::Arc};

use super::node_file::{Body, NodeFile, Unlabelled, Width, children_of};
use crate::error::Result;

/// A walk from node to node of a file, with the blocks that were read last where the nodes are on disk.
#[derive(Debug)]
pub struct Walk {
    nodes: Arc<Unlabelled>,
    /// The one used last comes first.
    blocks: Vec<Block>,
    /// The most blocks that are kept.
    most: usize,
}

/// A block of a file: its bytes, and which of the file's they are.
#[derive(Debug)]
struct Block {
    words: Box<[u64]>,
    bytes: Range<u64>,
}

impl Walk {
    /// A walk that has read nothing of `file`, and keeps the last block it reads.
    pub fn of(file: &NodeFile) -> Self {
        Self::keeping(0, file)
    }

    /// A walk that has read nothing of `file`, and keeps as many of the last blocks it uses as fit `bytes`, one at least: for one
    /// that comes back.
    pub fn keeping(bytes: usize, file: &NodeFile) -> Self {
        let most = if let Body::Disk(on_disk) = &file.nodes.body { bytes / on_disk.block_bytes() } else { 0 };
        Self { nodes: file.nodes.clone(), blocks: Vec::new(), most }
    }

    /// The children of an inner node, low and high: one block is read where they are on disk, unless it is one of those kept.
    /// Sweeps read with a [`LevelReader`](super::reader::LevelReader).
    pub fn children(&mut self, id: u64) -> Result<[u64; 2]> {
        let wide = self.nodes.width == Width::Wide;
        let word = id << u32::from(wide);
        let (words, at) = match &self.nodes.body {
            Body::Ram { blocks, shift } => {
                let block = blocks[(word >> shift) as usize].words();
                (block, word & ((1 << shift) - 1))
            }
            Body::Disk(on_disk) => {
                let byte = word * size_of::<u64>() as u64;
                if let Some(at) = self.blocks.iter().position(|block| block.bytes.contains(&byte)) {
                    self.blocks[..=at].rotate_right(1);
                } else {
                    let oldest = if self.blocks.len() >= self.most { self.blocks.pop() } else { None };
                    let mut words = oldest.map_or_else(|| on_disk.room(), |block| block.words);
                    let bytes = on_disk.read(byte..byte + 1, &mut words)?;
                    self.blocks.insert(0, Block { words, bytes });
                }
                let Block { words, bytes } = &self.blocks[0];
                (&words[..], (byte - bytes.start) / size_of::<u64>() as u64)
            }
        };
        let node = words[at as usize];
        Ok(if wide { [node, words[at as usize + 1]] } else { children_of(node) })
    }
}

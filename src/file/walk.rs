//! Reading single nodes, along paths.

use std::{ops::Range, sync::Arc};

use super::node_file::{Body, NodeFile, Unlabelled, Width, children_of};
use crate::{disk::space::Space, error::Result};

/// A walk from node to node of a file, with the block that was read last where the nodes are on disk.
#[derive(Debug)]
pub struct Walk {
    nodes: Arc<Unlabelled>,
    block: Box<[u64]>,
    /// The bytes of the file that the block holds.
    bytes: Range<u64>,
}

impl Walk {
    /// A walk that has read nothing of `file`.
    pub fn of(file: &NodeFile) -> Self {
        Self { nodes: file.nodes.clone(), block: Box::default(), bytes: 0..0 }
    }

    /// The children of an inner node, low and high: one block is read where they are on disk, unless it was the last one.
    /// Sweeps read with a [`LevelReader`](super::reader::LevelReader).
    pub fn children(&mut self, id: u64, space: &Space) -> Result<[u64; 2]> {
        let wide = self.nodes.width == Width::Wide;
        let word = id << u32::from(wide);
        let (words, at) = match &self.nodes.body {
            Body::Ram { blocks, shift } => {
                let block = blocks[(word >> shift) as usize].words();
                (block, word & ((1 << shift) - 1))
            }
            Body::Disk(on_disk) => {
                if self.block.is_empty() {
                    self.block = space.pool.uncharged();
                }
                let byte = word * size_of::<u64>() as u64;
                if !self.bytes.contains(&byte) {
                    // If the read fails, the block may hold anything.
                    self.bytes = 0..0;
                    self.bytes = on_disk.read(byte..byte + 1, &mut self.block, space)?;
                }
                (&self.block[..], (byte - self.bytes.start) / size_of::<u64>() as u64)
            }
        };
        let node = words[at as usize];
        Ok(if wide { [node, words[at as usize + 1]] } else { children_of(node) })
    }
}

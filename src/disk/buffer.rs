//! A buffer for bytes on their way to disk or from there.

use super::pool::{Block, Pool, Share};

/// A block charged to one share, taken when it is first needed and kept until a larger one is needed.
#[derive(Debug)]
pub struct Buffer {
    share: Share,
    block: Option<Block>,
}

impl Buffer {
    /// No block yet; one will be charged to `share`.
    pub fn new(share: Share) -> Self {
        Self { share, block: None }
    }

    /// The share that it is charged to.
    pub fn share(&self) -> Share {
        self.share
    }

    /// Room for at least `bytes` bytes; keeps its content if the block at hand is large enough.
    pub fn room(&mut self, bytes: usize, pool: &Pool) -> &mut [u64] {
        let block = self.block.take().filter(|block| size_of_val(block.words()) >= bytes);
        self.block.insert(block.unwrap_or_else(|| pool.take_anyway(self.share, pool.class_of(bytes)))).words_mut()
    }

    /// The words of the block, or none if there is no block.
    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        self.block.as_ref().map_or(&[], Block::words)
    }

    /// Replaces the block by `block`.
    pub fn replace(&mut self, block: Block) {
        self.block = Some(block);
    }

    /// The block, if there is one.
    pub fn into_block(self) -> Option<Block> {
        self.block
    }
}

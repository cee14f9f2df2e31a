//! `CheckedFile`: a file written in blocks, of which every block is known again when it is read.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{backend::ScratchFile, clock::Phase, meter::Claim, space::Space};
use crate::error::Result;

/// A temporary file of blocks, all of the pool's block size but the last, which may be shorter.
#[derive(Debug)]
pub struct CheckedFile {
    file: Box<dyn ScratchFile>,
    /// A checksum of each block.
    sums: Vec<u64>,
    /// Bytes of a block, and of all.
    block: u64,
    length: u64,
    claim: Claim,
}

impl CheckedFile {
    /// A new, empty file.
    pub fn new(space: &Space) -> Result<Self> {
        let file = space.backend.create().map_err(space.backend.fail("create"))?;
        let claim = Claim::new(space.meter.clone());
        Ok(Self { file, sums: Vec::new(), block: space.pool.block_bytes() as u64, length: 0, claim })
    }

    /// Writes the block of number `at`. Blocks come in any order, each once, and all of them before any is read.
    pub fn write(&mut self, at: usize, bytes: &[u8], space: &Space) -> Result<()> {
        let _waiting = space.meter.clock.start(Phase::Disk);
        let start = at as u64 * self.block;
        self.file.write_at(bytes, start).map_err(space.backend.fail("write"))?;
        self.sums.resize(self.sums.len().max(at + 1), 0);
        self.sums[at] = xxh3_64(bytes);
        self.length = self.length.max(start + bytes.len() as u64);
        self.claim.grow(bytes.len() as u64);
        space.meter.spilled(bytes.len() as u64);
        Ok(())
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.sums[..])
    }

    /// Bytes of it.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Bytes of the blocks that `len` bytes in a row can lie in, at most.
    pub fn room_for(&self, len: u64) -> u64 {
        (len + 2 * self.block).min(self.length)
    }

    /// Reads `bytes` of it, and what else there is of their first and last block, into the beginning of `words`; gives which bytes
    /// these are.
    pub fn read(&self, bytes: Range<u64>, words: &mut [u64], space: &Space) -> Result<Range<u64>> {
        let blocks = bytes.start / self.block..bytes.end.div_ceil(self.block);
        let bytes = blocks.start * self.block..(blocks.end * self.block).min(self.length);
        let read = &mut bytemuck::cast_slice_mut(words)[..(bytes.end - bytes.start) as usize];
        let waiting = space.meter.clock.start(Phase::Disk);
        self.file.read_at(read, bytes.start).map_err(space.backend.fail("read"))?;
        drop(waiting);
        let sums = &self.sums[blocks.start as usize..blocks.end as usize];
        let intact = read.chunks(self.block as usize).zip(sums).all(|(block, &sum)| xxh3_64(block) == sum);
        if intact { Ok(bytes) } else { Err(space.backend.damaged()) }
    }
}

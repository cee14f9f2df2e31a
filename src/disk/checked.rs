//! `CheckedFile`: a file written in blocks, of which every block is known again when it is mapped or read.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{backend::ScratchFile, clock::Phase, map::Mapping, meter::Claim, space::Space};
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
        let file = space.backend.create().map_err(space.fail("create"))?;
        let claim = Claim::new(space.meter.clone());
        Ok(Self { file, sums: Vec::new(), block: space.pool.block_bytes() as u64, length: 0, claim })
    }

    /// Writes the block of number `at`. Blocks come in any order, each once, and all of them before any is read.
    pub fn write(&mut self, at: usize, bytes: &[u8], space: &Space) -> Result<()> {
        let _waiting = space.meter.clock.start(Phase::Disk);
        let start = at as u64 * self.block;
        self.file.write_at(bytes, start).map_err(space.fail("write"))?;
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

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.sums.len()
    }

    /// Maps `bytes` of it, and what else there is of their first and last block; gives the offset of the first byte that is mapped.
    pub fn map(&self, bytes: Range<u64>, space: &Space) -> Result<(Mapping, u64)> {
        let blocks = bytes.start / self.block..bytes.end.div_ceil(self.block);
        let (start, end) = (blocks.start * self.block, (blocks.end * self.block).min(self.length));
        let map = self.file.map(start, (end - start) as usize).map_err(space.fail("map"))?;
        let sums = &self.sums[blocks.start as usize..blocks.end as usize];
        if map.records::<u8>().chunks(self.block as usize).zip(sums).all(|(block, &sum)| xxh3_64(block) == sum) {
            Ok((map, start))
        } else {
            Err(space.damaged())
        }
    }

    /// Fills the beginning of `bytes` with the block of number `at`; gives the number of its bytes.
    pub fn read(&self, at: usize, bytes: &mut [u8], space: &Space) -> Result<usize> {
        let start = at as u64 * self.block;
        let block = &mut bytes[..(self.length - start).min(self.block) as usize];
        self.file.read_at(block, start).map_err(space.fail("read"))?;
        if xxh3_64(block) == self.sums[at] { Ok(block.len()) } else { Err(space.damaged()) }
    }
}

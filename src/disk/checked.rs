//! `CheckedFile`: a file written in blocks, each checked against its checksum whenever it is read.

use std::{iter, mem, ops::Range, sync::Arc};

use twox_hash::XxHash3_64;

use super::{
    pages::Pages,
    scratch::{Extent, Scratch},
    space::Space,
};
use crate::error::Result;

/// Blocks in a scratch area, all of the pool's block size but the last, which may be shorter.
#[derive(Debug)]
pub struct CheckedFile {
    area: Arc<Scratch>,
    /// The extents that hold the blocks, each filled with as many as fit.
    extents: Vec<Extent>,
    /// A checksum of each block.
    sums: Vec<u64>,
    /// Bytes of a block, of an extent, and of the whole file.
    block: u64,
    extent: u64,
    length: u64,
}

impl CheckedFile {
    /// An empty file.
    pub fn new(space: &Space) -> Self {
        let (block, extent) = (space.pool.block_bytes() as u64, space.pool.largest() as u64);
        let area = space.scratch.clone();
        Self { area, extents: Vec::new(), sums: Vec::new(), block, extent, length: 0 }
    }

    /// Writes block number `at`. Blocks come in any order, each once, and all of them before any is read.
    pub fn write(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let start = at as u64 * self.block;
        let end = start + bytes.len() as u64;
        while self.extents.len() as u64 * self.extent < end {
            self.extents.push(self.area.take()?);
        }
        // An extent holds whole blocks, so a block is one part.
        if let Some((offset, _, extent)) = self.parts(start..end).next() {
            extent.write(bytes, offset)?;
        }
        self.sums.resize(self.sums.len().max(at + 1), 0);
        self.sums[at] = XxHash3_64::oneshot(bytes);
        self.length = self.length.max(end);
        Ok(())
    }

    /// Bytes of memory that the file takes now that all blocks are written.
    pub fn fitted(&mut self) -> usize {
        self.extents.shrink_to_fit();
        self.sums.shrink_to_fit();
        size_of::<Self>() + size_of_val(&self.extents[..]) + size_of_val(&self.sums[..])
    }

    /// Length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Says that `bytes` of the file will be read soon.
    pub fn will_read(&self, bytes: Range<u64>) {
        for (offset, len, extent) in self.parts(bytes) {
            extent.will_read(offset, len);
        }
    }

    /// Where `bytes` lie: an offset, a number of bytes and the extent, for each extent they touch.
    fn parts(&self, bytes: Range<u64>) -> impl Iterator<Item = (usize, usize, &Extent)> {
        let mut at = bytes.start;
        iter::from_fn(move || {
            let (extent, offset) = ((at / self.extent) as usize, at % self.extent);
            let len = (bytes.end - at).min(self.extent - offset);
            at += len;
            (len > 0).then(|| (offset as usize, len as usize, &self.extents[extent]))
        })
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> usize {
        self.block as usize
    }

    /// Room for a block, charged to nobody.
    pub fn room(&self) -> Box<[u64]> {
        vec![0; self.block_bytes() / size_of::<u64>()].into()
    }

    /// Room for the blocks around `len` consecutive bytes.
    pub fn pages(&self, len: u64) -> Result<Pages> {
        let bytes = (len + 2 * self.block).min(self.length).next_multiple_of(size_of::<u64>() as u64);
        Pages::new(bytes as usize).map_err(self.area.backend.fail("read"))
    }

    /// Reads the blocks that `bytes` lie in, as a whole, into the beginning of `words`; gives the range of bytes read.
    pub fn read(&self, bytes: Range<u64>, words: &mut [u64]) -> Result<Range<u64>> {
        let blocks = bytes.start / self.block..bytes.end.div_ceil(self.block);
        let bytes = blocks.start * self.block..(blocks.end * self.block).min(self.length);
        let read = &mut bytemuck::cast_slice_mut(words)[..(bytes.end - bytes.start) as usize];
        let mut left = &mut *read;
        for (offset, len, extent) in self.parts(bytes.clone()) {
            extent.read(left.split_off_mut(..len).expect("as much room as bytes"), offset)?;
        }
        let sums = &self.sums[blocks.start as usize..blocks.end as usize];
        let intact = read.chunks(self.block as usize).zip(sums).all(|(block, &sum)| XxHash3_64::oneshot(block) == sum);
        if intact { Ok(bytes) } else { Err(self.area.backend.damaged()) }
    }
}

impl Drop for CheckedFile {
    fn drop(&mut self) {
        self.area.let_go(mem::take(&mut self.extents));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{disk::space::testing, error::Error};

    const BLOCK: usize = 256;

    fn space() -> Space {
        testing::space_with(|limits| limits.block = BLOCK)
    }

    /// `len` bytes, no two blocks of which are equal.
    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at / BLOCK * 31 + at % BLOCK) as u8).collect()
    }

    /// A file of `bytes`, the last block written first.
    fn written(bytes: &[u8], space: &Space) -> Result<CheckedFile> {
        let mut file = CheckedFile::new(space);
        for (at, block) in bytes.chunks(BLOCK).enumerate().rev() {
            file.write(at, block)?;
        }
        Ok(file)
    }

    /// Writes `bytes` over those from `start` on, behind the back of `file`, whose checksums stay.
    fn overwrite(file: &CheckedFile, start: u64, bytes: &[u8]) {
        let (offset, _, extent) = file.parts(start..start + 1).next().expect("bytes that were written");
        extent.write(bytes, offset).expect("room on the disk");
    }

    /// Where the bytes begin that a read of `range` gives, and the bytes; `None` if the read is refused because of damage.
    fn read(file: &CheckedFile, range: Range<u64>) -> Option<(u64, Vec<u8>)> {
        let mut pages = file.pages(range.end - range.start).expect("memory");
        let words = pages.words_mut();
        words.fill(!0);
        match file.read(range, words) {
            Ok(Range { start, end }) => Some((start, bytemuck::cast_slice(words)[..(end - start) as usize].to_vec())),
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::InvalidData => None,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn blocks_written_last_first_are_read_back_whatever_the_length_of_the_last() -> Result<()> {
        let space = space();
        for len in [1, 8, 255, 256, 257, 511, 512, 513, 1000, 1024, 1025] {
            let bytes = bytes(len);
            let file = written(&bytes, &space)?;
            assert_eq!(file.length(), len as u64);
            for start in (0..len).step_by(51) {
                for end in (start + 1..len).step_by(67).chain([len]) {
                    let (first, last) = (start / BLOCK * BLOCK, end.next_multiple_of(BLOCK).min(len));
                    let expected = Some((first as u64, bytes[first..last].to_vec()));
                    assert_eq!(read(&file, start as u64..end as u64), expected, "{start}..{end} of {len}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_read_across_the_boundary_of_the_last_block_gives_both() -> Result<()> {
        let space = space();
        let bytes = bytes(3 * BLOCK + 40);
        let file = written(&bytes, &space)?;
        let boundary = 3 * BLOCK as u64;
        let both = (2 * BLOCK as u64, bytes[2 * BLOCK..].to_vec());
        assert_eq!(read(&file, boundary - 1..boundary + 1), Some(both));
        assert_eq!(read(&file, boundary - 1..boundary).map(|(_, read)| read.len()), Some(BLOCK));
        assert_eq!(read(&file, boundary..boundary + 1).map(|(_, read)| read.len()), Some(40));
        Ok(())
    }

    #[test]
    fn two_blocks_that_change_places_are_noticed() -> Result<()> {
        let space = space();
        let bytes = bytes(4 * BLOCK);
        for (a, b) in [(0, 1), (0, 3), (2, 3)] {
            let file = written(&bytes, &space)?;
            for (from, to) in [(a, b), (b, a)] {
                let start = (to * BLOCK) as u64;
                overwrite(&file, start, &bytes[from * BLOCK..][..BLOCK]);
            }
            for at in 0..4 {
                let start = (at * BLOCK) as u64;
                let intact = read(&file, start..start + 1).is_some();
                assert_eq!(intact, at != a && at != b, "block {at} where {a} and {b} changed places");
            }
            assert_eq!(read(&file, 0..bytes.len() as u64), None);
        }
        Ok(())
    }

    #[test]
    fn a_changed_bit_is_noticed_wherever_it_is() -> Result<()> {
        let space = space();
        let bytes = bytes(2 * BLOCK + 8);
        for at in [0, BLOCK - 1, BLOCK, 2 * BLOCK, 2 * BLOCK + 7] {
            let file = written(&bytes, &space)?;
            overwrite(&file, at as u64, &[bytes[at] ^ 16]);
            assert_eq!(read(&file, at as u64..at as u64 + 1), None, "byte {at}");
        }
        Ok(())
    }

    #[test]
    fn nothing_written_at_the_end_changes_nothing() -> Result<()> {
        let space = space();
        for blocks in 0..4 {
            let bytes = bytes(blocks * BLOCK);
            let mut file = written(&bytes, &space)?;
            file.write(blocks, &[])?;
            assert_eq!(file.length(), bytes.len() as u64);
            assert_eq!(read(&file, 0..bytes.len() as u64), Some((0, bytes.clone())));
            assert_eq!(read(&file, bytes.len() as u64..bytes.len() as u64).map(|(_, read)| read), Some(vec![]));
        }
        Ok(())
    }
}

//! `Pages`: memory for the part of a file that is being looked at, and for large blocks and arrays.

use std::io;

use memmap2::MmapMut;

/// Anonymous memory that grows without being copied: address space at once, pages when something is first read into them, and
/// all of it given back to the system on drop.
///
/// Files are read and not mapped: where the disk cannot deliver a page of a mapping, the process is killed, and a page that the
/// system drops and loads again is not checked again.
#[derive(Debug)]
pub struct Pages {
    map: MmapMut,
}

impl Pages {
    /// Address space of `bytes > 0`.
    pub fn new(bytes: usize) -> io::Result<Self> {
        MmapMut::map_anon(bytes).map(|map| Self { map })
    }

    /// All of it, in 8-byte words.
    pub fn words(&self) -> &[u64] {
        bytemuck::cast_slice(&self.map)
    }

    /// All of it, to read into.
    pub fn words_mut(&mut self) -> &mut [u64] {
        bytemuck::cast_slice_mut(&mut self.map)
    }
}

//! Read-only mappings of sealed temporary files, for random access within a level. The one home of `unsafe`.

use std::{fs::File, io};

use bytemuck::Pod;
use memmap2::{Mmap, MmapOptions};

/// A range of a sealed file in memory; unmapped on drop.
#[derive(Debug)]
pub struct Mapping {
    map: Mmap,
}

impl Mapping {
    /// Maps `len > 0` bytes of `file` from `offset`. For [`Os`](super::backend::Os) alone, whose files nobody else has.
    #[allow(unsafe_code)]
    pub(super) fn of(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        // SAFETY: the file is unnamed and opened by this process alone, so nobody else can write or truncate it; the
        // library itself writes a node file only before it is sealed and maps it only after, and the range has been
        // written whole. The bytes therefore do not change while they are borrowed, and no page lies beyond the end.
        let map = unsafe { MmapOptions::new().offset(offset).len(len).map(file)? };
        Ok(Self { map })
    }

    /// The mapped bytes as records.
    pub fn records<R: Pod>(&self) -> &[R] {
        bytemuck::cast_slice(&self.map)
    }
}

//! Reading one level of a node file, in order or at random.

use super::node_file::{Body, NodeFile, Width};
use crate::{
    disk::{backend::ScratchFile, lane::Lane, map::Mapping, pool::Block, space::Space},
    error::Result,
};

/// The nodes of one level; a level on disk is mapped a span at a time, and released behind the reader.
#[derive(Debug)]
pub struct LevelReader<'a> {
    /// The ids of the level.
    first: u64,
    len: u64,
    width: Width,
    source: Source<'a>,
}

#[derive(Debug)]
enum Source<'a> {
    Ram { blocks: &'a [Block], shift: u32 },
    Disk { file: &'a dyn ScratchFile, span: u64, window: Option<Window> },
}

/// The part of a level that is mapped now.
#[derive(Debug)]
struct Window {
    map: Mapping,
    first: u64,
    len: u64,
}

impl<'a> LevelReader<'a> {
    /// A reader of the level of `rank` that maps at most `span` bytes at once.
    pub fn new(file: &'a NodeFile, rank: usize, span: usize) -> Self {
        let (first, end) = file.levels.range(rank);
        let source = match &file.body {
            Body::Ram { blocks, shift } => Source::Ram { blocks, shift: *shift },
            Body::Disk { file: on_disk, .. } => {
                let span = (span / file.width.node_bytes()).max(1) as u64;
                Source::Disk { file: &**on_disk, span, window: None }
            }
        };
        Self { first, len: end - first, width: file.width, source }
    }

    /// A reader of no level: every id is its own cofactor.
    pub fn absent() -> Self {
        Self { first: 0, len: 0, width: Width::Narrow, source: Source::Ram { blocks: &[], shift: 0 } }
    }

    /// Bytes that would have to be mapped to read the whole level at random.
    pub fn mapped_bytes(&self) -> u64 {
        match self.source {
            Source::Ram { .. } => 0,
            Source::Disk { .. } => self.len * self.width.node_bytes() as u64,
        }
    }

    /// The children of `id` if it lies on this level, and `id` itself twice if it does not.
    #[inline(always)]
    pub fn cofactors<I: Lane>(&mut self, id: I, space: &Space) -> Result<[I; 2]> {
        if id.get().wrapping_sub(self.first) < self.len { self.children(id.get(), space) } else { Ok([id, id]) }
    }

    /// The children of a node on this level.
    #[inline(always)]
    pub fn children<I: Lane>(&mut self, id: u64, space: &Space) -> Result<[I; 2]> {
        let narrow = I::WORDS == 1 || self.width == Width::Narrow;
        let (words, at) = match &mut self.source {
            Source::Ram { blocks, shift } => {
                let word = if narrow { id } else { 2 * id };
                (blocks[(word >> *shift) as usize].words(), (word & ((1 << *shift) - 1)) as usize)
            }
            Source::Disk { file, span, window } => {
                let at = id.wrapping_sub(window.as_ref().map_or(u64::MAX, |window| window.first));
                let at = if at < window.as_ref().map_or(0, |window| window.len) {
                    at
                } else {
                    let end = self.first + self.len;
                    *window = Some(Window::open(*file, id, end.min(id + *span) - id, self.width, space)?);
                    0
                };
                let words = window.as_ref().map_or(&[][..], |window| window.map.records::<u64>());
                (words, if narrow { at } else { 2 * at } as usize)
            }
        };
        Ok(if narrow {
            [I::of(words[at] & 0xffff_ffff), I::of(words[at] >> 32)]
        } else {
            [I::of(words[at]), I::of(words[at + 1])]
        })
    }
}

impl Window {
    #[cold]
    fn open(file: &dyn ScratchFile, first: u64, len: u64, width: Width, space: &Space) -> Result<Self> {
        let bytes = width.node_bytes() as u64;
        let map = file.map(first * bytes, (len * bytes) as usize).map_err(space.fail("map"))?;
        Ok(Self { map, first, len })
    }
}

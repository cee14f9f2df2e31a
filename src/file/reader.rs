//! Reading one level of a node file, in order or at random.

use super::node_file::{Body, NodeFile, Width};
use crate::{
    disk::{lane::Lane, map::Mapping, space::Space},
    error::Result,
};

/// The nodes of one level, seen through a window: a block in RAM, or a part of the file that is mapped and released behind
/// the reader.
#[derive(Debug)]
pub struct LevelReader<'a> {
    /// `None` for a level that is not there.
    file: Option<&'a NodeFile>,
    /// The first id of the level, and how many follow.
    first: u64,
    len: u64,
    /// Nodes that are mapped at once.
    span: u64,
    /// Words of the window, and the word of the file it begins at.
    window: Window<'a>,
    window_first: u64,
}

#[derive(Debug)]
enum Window<'a> {
    Ram(&'a [u64]),
    Disk(Mapping),
}

impl<'a> LevelReader<'a> {
    /// A reader of no level: every id is its own cofactor.
    pub fn absent() -> Self {
        Self { file: None, first: 0, len: 0, span: 1, window: Window::Ram(&[]), window_first: 0 }
    }

    /// A reader of the level of `rank` that maps at most `span` bytes at once.
    pub fn new(file: &'a NodeFile, rank: usize, span: usize) -> Self {
        let (first, end) = file.levels.range(rank);
        let span = (span / file.width.node_bytes()).max(1) as u64;
        Self { file: Some(file), first, len: end - first, span, ..Self::absent() }
    }

    /// Bytes that would have to be mapped to read the whole level at random.
    pub fn mapped_bytes(&self) -> u64 {
        match self.file {
            Some(NodeFile { body: Body::Disk { .. }, width, .. }) => self.len * width.node_bytes() as u64,
            _ => 0,
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
        // A narrow sweep has narrow operands only; a wide one asks.
        if I::WORDS == 2 && self.file.is_some_and(|file| file.width == Width::Wide) {
            let at = self.locate(2 * id, space)?;
            let words = self.words();
            return Ok([I::of(words[at]), I::of(words[at + 1])]);
        }
        let node = if let Some(&node) = self.words().get(id.wrapping_sub(self.window_first) as usize) {
            node
        } else {
            let at = self.locate(id, space)?;
            self.words()[at]
        };
        Ok([I::of(node & 0xffff_ffff), I::of(node >> 32)])
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        match &self.window {
            Window::Ram(words) => words,
            Window::Disk(map) => map.records(),
        }
    }

    /// Where `word` of the file is in the window, which moves there if it must.
    #[inline(never)]
    fn locate(&mut self, word: u64, space: &Space) -> Result<usize> {
        let at = word.wrapping_sub(self.window_first);
        if at < self.words().len() as u64 {
            return Ok(at as usize);
        }
        let Some(file) = self.file else { return Ok(0) };
        match &file.body {
            Body::Ram { blocks, shift } => {
                self.window = Window::Ram(blocks[(word >> shift) as usize].words());
                self.window_first = word >> shift << shift;
            }
            Body::Disk { file: on_disk, .. } => {
                let words_per_node = file.width.node_bytes() as u64 / 8;
                // A level that fits the span is mapped whole; of a larger one, what comes next.
                let first = if self.len <= self.span { self.first } else { word / words_per_node };
                let len = self.span.min(self.first + self.len - first);
                let bytes = file.width.node_bytes() as u64;
                let map = on_disk.map(first * bytes, (len * bytes) as usize).map_err(space.fail("map"))?;
                self.window = Window::Disk(map);
                self.window_first = first * words_per_node;
            }
        }
        Ok((word - self.window_first) as usize)
    }
}

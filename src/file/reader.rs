//! Reading one level of a node file, in order or at random.

use std::{hint::select_unpredictable, mem, ops::Range};

use super::node_file::{Body, NodeFile, Unlabelled, Width, children_of};
use crate::{
    disk::{checked::CheckedFile, lane::Lane, pages::Pages},
    error::Result,
};

/// The nodes of a file, one level after another, seen through a window: a block in RAM, or a part of the file that is
/// read from disk.
#[derive(Debug)]
pub struct LevelReader<'a> {
    file: &'a Unlabelled,
    /// The first id of the level or part of a level at hand.
    first: u64,
    /// The number of its ids; 0 between levels.
    len: u64,
    /// The most nodes that are read from disk at once.
    span: u64,
    /// Nodes that are read from disk the next time; doubled each time, up to `span`, since many readers do not go far.
    reach: u64,
    /// A part of the file's words, at least a node.
    window: Window<'a>,
    /// The word of the file that the window begins at.
    window_first: u64,
}

#[derive(Debug)]
enum Window<'a> {
    Ram(&'a [u64]),
    /// Pages, and how many words at their beginning are filled.
    Disk(Pages, usize),
}

/// A window that shows nothing of the file, and where it begins: beyond all words.
const NOTHING: Window = Window::Ram(&[0; 2]);
const NOWHERE: u64 = 1 << 63;

/// Blocks that are read from disk at once where all nodes are read in order.
const IN_ORDER: usize = 4;

/// Nodes that are read from disk the first time.
const FIRST_REACH: u64 = 1 << 12;

impl<'a> LevelReader<'a> {
    /// A reader on no level yet, for nodes that are asked for in order. It reads so few blocks at once from disk that they are
    /// still in the processor's cache when they are looked at.
    pub fn in_order(file: &'a NodeFile) -> Self {
        let blocks = if let Body::Disk(on_disk) = &file.nodes.body { IN_ORDER * on_disk.block_bytes() } else { 0 };
        Self::new(file, blocks)
    }

    /// A reader on no level yet, which reads at most `span` bytes at once from disk, and the rest of the blocks that these lie in.
    pub fn new(file: &'a NodeFile, span: usize) -> Self {
        let file = &*file.nodes;
        let span = (span / file.width.node_bytes()).max(1) as u64;
        Self { file, first: 0, len: 0, span, reach: FIRST_REACH, window: NOTHING, window_first: NOWHERE }
    }

    /// A reader on all levels of a small file, which is read from disk at once.
    pub fn of_all(file: &'a NodeFile) -> Self {
        let ids = 0..file.levels().end();
        let mut reader = Self::new(file, ids.end as usize * file.width().node_bytes());
        reader.enter_part(ids);
        reader
    }

    /// Goes to the level of `rank`.
    pub fn enter(&mut self, rank: usize) {
        (self.first, self.len) = (self.file.levels.first(rank), self.file.levels.width(rank));
    }

    /// Goes to no level: every id is both of its cofactors then.
    pub fn leave(&mut self) {
        self.len = 0;
    }

    /// Goes to the nodes of `ids`: no others will be asked for.
    pub fn enter_part(&mut self, ids: Range<u64>) {
        (self.first, self.len) = (ids.start, ids.end - ids.start);
    }

    /// Bytes to be read from disk for random access to the level at hand, or to the part of it that was entered.
    pub fn window_bytes(&self) -> u64 {
        self.file.window_bytes(self.len)
    }

    /// The children of `id` if it lies on this level, and `id` itself twice if it does not.
    #[inline(always)]
    pub fn cofactors<I: Lane>(&mut self, id: I) -> Result<[I; 2]> {
        if id.get().wrapping_sub(self.first) < self.len { self.children(id.get()) } else { Ok([id, id]) }
    }

    /// Looks up the cofactors of the id in `lane` of each of `records`, into `found`.
    pub fn cofactors_of_all<I: Lane, const N: usize>(
        &mut self,
        records: &[[I; N]],
        lane: usize,
        found: &mut [[I; 2]],
    ) -> Result<()> {
        if self.len == 0 {
            records.iter().zip(found).for_each(|(record, found)| *found = [record[lane]; 2]);
            return Ok(());
        }
        let mut at = 0;
        while at < records.len() {
            at += self.cofactors_in_window(&records[at..], lane, &mut found[at..]);
            if let Some(record) = records.get(at) {
                found[at] = self.cofactors(record[lane])?;
                at += 1;
            }
        }
        Ok(())
    }

    /// Looks up the cofactors for the records before the first whose node is not in the window; gives their number.
    ///
    /// Whether an id lies on the level cannot be predicted, so that there is no branch for it: some node of the window is read in
    /// any case.
    fn cofactors_in_window<I: Lane, const N: usize>(
        &self,
        records: &[[I; N]],
        lane: usize,
        found: &mut [[I; 2]],
    ) -> usize {
        let (words, wide) = (self.words(), self.is_wide::<I>());
        for (at, (record, found)) in records.iter().zip(found).enumerate() {
            let id = record[lane].get();
            let here = id.wrapping_sub(self.first) < self.len;
            let word = select_unpredictable(here, (id << u32::from(wide)).wrapping_sub(self.window_first), 0) as usize;
            let Some(&node) = words.get(word) else { return at };
            *found = if wide {
                // A window has whole nodes: the second word of a node is where its first is.
                let high = words.get(word + 1).copied().unwrap_or(0);
                [
                    select_unpredictable(here, I::of(node), record[lane]),
                    select_unpredictable(here, I::of(high), record[lane]),
                ]
            } else {
                children_of(select_unpredictable(here, node, id << 32 | id))
            };
        }
        records.len()
    }

    /// The children of a node on this level.
    #[inline(always)]
    pub fn children<I: Lane>(&mut self, id: u64) -> Result<[I; 2]> {
        if self.is_wide::<I>() {
            let at = self.locate(2 * id)?;
            let words = self.words();
            return Ok([I::of(words[at]), I::of(words[at + 1])]);
        }
        let node = if let Some(&node) = self.words().get(id.wrapping_sub(self.window_first) as usize) {
            node
        } else {
            let at = self.locate(id)?;
            self.words()[at]
        };
        Ok(children_of(node))
    }

    /// The ids of this level.
    pub fn range(&self) -> Range<u64> {
        self.first..self.first + self.len
    }

    /// Shows the children of all nodes on this level, some nodes at a time.
    pub fn each<I: Lane>(&mut self, mut show: impl FnMut(&[[I; 2]]) -> Result<()>) -> Result<()> {
        let mut nodes = [[I::zeroed(); 2]; 64];
        let Range { start: mut id, end } = self.range();
        while id < end {
            let nodes = &mut nodes[..(end - id).min(64) as usize];
            self.read(id, nodes)?;
            show(nodes)?;
            id += nodes.len() as u64;
        }
        Ok(())
    }

    /// Reads the children of the nodes from `id` on into `nodes`, as many as it has room for; they lie on this level.
    pub fn read<I: Lane>(&mut self, mut id: u64, mut nodes: &mut [[I; 2]]) -> Result<()> {
        while !nodes.is_empty() {
            let count = self.read_some(id, nodes)?;
            id += count as u64;
            nodes = &mut nodes[count..];
        }
        Ok(())
    }

    /// Reads the nodes from `id` on as far as the window goes; gives their number.
    fn read_some<I: Lane>(&mut self, id: u64, nodes: &mut [[I; 2]]) -> Result<usize> {
        if self.is_wide::<I>() {
            let at = self.locate(2 * id)?;
            let (pairs, _) = self.words()[at..].as_chunks();
            nodes.iter_mut().zip(pairs).for_each(|(node, pair)| *node = pair.map(I::of));
            return Ok(nodes.len().min(pairs.len()));
        }
        let at = self.locate(id)?;
        let words = &self.words()[at..];
        nodes.iter_mut().zip(words).for_each(|(node, &word)| *node = children_of(word));
        Ok(nodes.len().min(words.len()))
    }

    /// Whether nodes are wide. The operands of a narrow sweep are always narrow; those of a wide one may be either.
    #[inline(always)]
    fn is_wide<I: Lane>(&self) -> bool {
        I::WIDE && self.file.width == Width::Wide
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        match &self.window {
            Window::Ram(words) => words,
            Window::Disk(pages, filled) => &pages.words()[..*filled],
        }
    }

    /// Where `word` of the file is in the window, which moves to it if it must.
    #[inline(never)]
    fn locate(&mut self, word: u64) -> Result<usize> {
        let at = word.wrapping_sub(self.window_first);
        if at < self.words().len() as u64 {
            return Ok(at as usize);
        }
        let file = self.file;
        match &file.body {
            Body::Ram { blocks, shift } => {
                self.window = Window::Ram(blocks[(word >> shift) as usize].words());
                self.window_first = word >> shift << shift;
            }
            Body::Disk(on_disk) => self.read_around(word, on_disk)?,
        }
        Ok((word - self.window_first) as usize)
    }

    /// Moves the window to `word` of the file and to the nodes that will be asked for next, and announces the read after this one.
    fn read_around(&mut self, word: u64, on_disk: &CheckedFile) -> Result<()> {
        let (bytes, end) = (self.file.width.node_bytes() as u64, self.first + self.len);
        let reach = self.reach.min(self.span);
        self.reach = 2 * reach;
        // A level that fits the span is read whole, with its next neighbours above or below. Of a larger level, the next nodes are
        // read.
        let (nodes, upwards, last) = if self.len > self.span {
            let id = word * size_of::<u64>() as u64 / bytes;
            (id..end.min(id + reach), true, end)
        } else if word < self.window_first {
            (self.first.min(end.saturating_sub(reach))..end, false, end)
        } else {
            let last = self.file.levels.end();
            (self.first..end.max(self.first + reach).min(last), true, last)
        };
        let read = self.read_window(on_disk, nodes.start * bytes..nodes.end * bytes)?;
        // A reader with a smaller span looks at a node here and there, and does not go on from it.
        if reach >= FIRST_REACH {
            let next = self.reach.min(self.span) * bytes;
            on_disk.will_read(if upwards {
                read.end..(read.end + next).min(last * bytes).max(read.end)
            } else {
                read.start.saturating_sub(next)..read.start
            });
        }
        Ok(())
    }

    /// Moves the window to `bytes` of the file, and gives the bytes that it shows then; where that fails, it shows nothing.
    fn read_window(&mut self, on_disk: &CheckedFile, bytes: Range<u64>) -> Result<Range<u64>> {
        self.window_first = NOWHERE;
        let mut pages = match mem::replace(&mut self.window, NOTHING) {
            Window::Disk(pages, _) => pages,
            Window::Ram(_) => on_disk.pages(self.span * self.file.width.node_bytes() as u64)?,
        };
        let read = on_disk.read(bytes, pages.words_mut())?;
        let word_of = |byte| byte / size_of::<u64>() as u64;
        self.window_first = word_of(read.start);
        self.window = Window::Disk(pages, word_of(read.end - read.start) as usize);
        Ok(read)
    }
}

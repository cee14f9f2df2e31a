//! `Spool`: an append-only log of plain records, in RAM blocks until somebody says otherwise, then in scratch slots.
//!
//! ```text
//!    push ─► tail (small ─► medium ─► full block) ─► parts: [ram][ram][disk][disk]… ─► drain forwards
//!                                                                                  └─► pop backwards (Stack)
//! ```
//! Who spills, and when, is the owner's choice: a log of its own writes its full tail out when its share is used up
//! ([`Spool::append`]); a queue of many logs writes the one it needs last ([`Spool::spill`]).

use std::{marker::PhantomData, sync::Arc};

use super::{
    lane::Lane,
    pool::{Block, Class, Pool, Share},
    radix::Bounds,
    scratch::{Scratch, Slot},
    space::Space,
};
use crate::error::Result;

/// An append-only log of records of `N` lanes.
#[derive(Debug)]
pub struct Spool<I, const N: usize> {
    share: Share,
    parts: Vec<Part>,
    tail: Option<Block>,
    /// 4-byte words used in the tail.
    used: usize,
    /// Records in `parts`.
    filed: u64,
    /// The range of each lane over `parts`.
    bounds: Bounds<I, N>,
}

/// A finished run of records and the 4-byte words it fills.
#[derive(Debug)]
enum Part {
    Ram(Block, u32),
    Disk(Slot, u32),
}

/// A place for blocks that are read back, made when first needed.
type Buffer = Option<Box<[u64]>>;

impl Part {
    /// The records of this part, read into `buffer` if they are on disk.
    fn records<'a, I: Lane, const N: usize>(&'a self, buffer: &'a mut Buffer, pool: &Pool) -> Result<&'a [[I; N]]> {
        match self {
            Part::Ram(block, words) => Ok(records(block.words(), *words as usize)),
            Part::Disk(slot, words) => {
                let buffer = buffer.get_or_insert_with(|| pool.buffer());
                slot.read(&mut bytemuck::cast_slice_mut(buffer)[..*words as usize * 4])?;
                Ok(records(buffer, *words as usize))
            }
        }
    }

    fn resident(&self) -> bool {
        matches!(self, Part::Ram(..))
    }

    fn spill(&mut self, scratch: &Arc<Scratch>) -> Result<()> {
        if let Part::Ram(block, words) = self {
            let slot = scratch.write(&bytemuck::cast_slice(block.words())[..*words as usize * 4])?;
            *self = Part::Disk(slot, *words);
        }
        Ok(())
    }
}

/// The first `used` 4-byte words of a block, as records.
fn records<I: Lane, const N: usize>(words: &[u64], used: usize) -> &[[I; N]] {
    bytemuck::cast_slice(&bytemuck::cast_slice::<u64, u32>(words)[..used])
}

impl<I: Lane, const N: usize> Spool<I, N> {
    const WORDS: usize = N * I::WORDS;

    /// An empty log charged to `share`; takes no memory before the first record.
    pub fn new(share: Share) -> Self {
        Self { share, parts: Vec::new(), tail: None, used: 0, filed: 0, bounds: Bounds::default() }
    }

    /// Records in the log.
    pub fn len(&self) -> u64 {
        self.filed + (self.used / Self::WORDS) as u64
    }

    /// The smallest and largest value of each lane.
    pub fn bounds(&self) -> Bounds<I, N> {
        let mut bounds = self.bounds;
        bounds.include(self.tail());
        bounds
    }

    fn tail(&self) -> &[[I; N]] {
        self.tail.as_ref().map_or(&[], |block| records(block.words(), self.used))
    }

    /// Appends `record` if there is room for it in the tail.
    #[inline(always)]
    pub fn push(&mut self, record: [I; N]) -> bool {
        let Some(tail) = &mut self.tail else { return false };
        let words: &mut [u32] = bytemuck::cast_slice_mut(tail.words_mut());
        let Some(room) = words.get_mut(self.used..self.used + Self::WORDS) else { return false };
        room.copy_from_slice(bytemuck::cast_slice(&record));
        self.used += Self::WORDS;
        true
    }

    /// Makes room for a record after a `push` that found none; `false` when the share is used up.
    pub fn grow(&mut self, pool: &Pool) -> bool {
        let class = self.tail.as_ref().map_or(Class::Small, |tail| tail.class().next());
        match pool.take(self.share, class) {
            Some(block) => self.replace_tail(block),
            None => return false,
        }
        true
    }

    /// Goes on in `block`: a tail that was small is copied into it, a full one becomes a part.
    fn replace_tail(&mut self, mut block: Block) {
        match &self.tail {
            Some(tail) if tail.class() < Class::Full => {
                let words = self.used.div_ceil(2);
                block.words_mut()[..words].copy_from_slice(&tail.words()[..words]);
            }
            _ => self.file_tail(),
        }
        self.tail = Some(block);
    }

    /// Makes the tail a finished part.
    fn file_tail(&mut self) {
        self.bounds = self.bounds();
        self.filed = self.len();
        if let Some(tail) = self.tail.take() {
            self.parts.push(Part::Ram(tail, self.used as u32));
        }
        self.used = 0;
    }

    /// Appends `record`; when the share is used up, this log's own tail goes to disk and is used again.
    #[inline(always)]
    pub fn append(&mut self, record: [I; N], space: &Space) -> Result<()> {
        if !self.push(record) {
            self.make_room(space)?;
            self.push(record);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, space: &Space) -> Result<()> {
        if self.grow(&space.pool) {
            return Ok(());
        }
        match &self.tail {
            Some(tail) if tail.class() == Class::Full => {
                let words = self.used as u32;
                let slot = space.scratch.write(&bytemuck::cast_slice(tail.words())[..self.used * 4])?;
                self.bounds = self.bounds();
                self.filed = self.len();
                self.parts.push(Part::Disk(slot, words));
                self.used = 0;
            }
            // One full block a log is what it needs to spill well, whatever its share.
            _ => {
                let block = space.pool.take_anyway(self.share, Class::Full);
                self.replace_tail(block);
            }
        }
        Ok(())
    }

    /// Moves what lies in RAM to disk, the tail too if it is of `class` at least; answers whether anything moved.
    pub fn spill(&mut self, class: Class, space: &Space) -> Result<bool> {
        if self.tail.as_ref().is_some_and(|tail| tail.class() >= class) {
            self.file_tail();
        }
        let mut moved = false;
        for part in self.parts.iter_mut().filter(|part| part.resident()) {
            part.spill(&space.scratch)?;
            moved = true;
        }
        Ok(moved)
    }

    /// Shows all records in the order they came, a block at a time.
    pub fn visit(&self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        let mut buffer = None;
        for part in &self.parts {
            show(part.records(&mut buffer, &space.pool)?)?;
        }
        show(self.tail())
    }

    /// Shows all records in the order they came, a block at a time, and frees each block behind it.
    pub fn drain(mut self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        let mut buffer = None;
        for part in std::mem::take(&mut self.parts) {
            show(part.records(&mut buffer, &space.pool)?)?;
        }
        show(self.tail())
    }

    /// The log as a stack: its last record comes first.
    pub fn into_stack(mut self) -> Stack<I, N> {
        self.file_tail();
        Stack { parts: self.parts, chunk: None, left: 0, buffer: None, marker: PhantomData }
    }
}

/// A log that is read backwards, each block freed when it is used up.
#[derive(Debug)]
pub struct Stack<I, const N: usize> {
    parts: Vec<Part>,
    /// The block being read; `None` while it is in `buffer`.
    chunk: Option<Block>,
    /// Records of it not yet popped.
    left: usize,
    buffer: Buffer,
    marker: PhantomData<I>,
}

impl<I: Lane, const N: usize> Stack<I, N> {
    /// The last record not yet popped.
    #[inline(always)]
    pub fn pop(&mut self, space: &Space) -> Result<Option<[I; N]>> {
        if self.left == 0 && !self.load(space)? {
            return Ok(None);
        }
        self.left -= 1;
        let words = match (&self.chunk, &self.buffer) {
            (Some(block), _) => block.words(),
            (None, Some(buffer)) => buffer,
            (None, None) => &[],
        };
        let at = self.left * N * I::WORDS;
        let record = &bytemuck::cast_slice::<u64, u32>(words)[at..at + N * I::WORDS];
        Ok(Some(bytemuck::cast_slice::<u32, [I; N]>(record)[0]))
    }

    #[cold]
    #[inline(never)]
    fn load(&mut self, space: &Space) -> Result<bool> {
        let Some(part) = self.parts.pop() else { return Ok(false) };
        self.left = part.records::<I, N>(&mut self.buffer, &space.pool)?.len();
        self.chunk = match part {
            Part::Ram(block, _) => Some(block),
            Part::Disk(..) => None,
        };
        Ok(self.left > 0)
    }
}

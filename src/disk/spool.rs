//! `Spool`: an append-only log of plain records, in RAM blocks until somebody says otherwise, then in scratch slots.
//!
//! ```text
//!    push ─► tail (small ─► medium ─► full block) ─► parts: [ram][ram][disk][disk]… ─► drain forwards
//!                                                                                  └─► pop backwards (Stack)
//! ```
//! Who spills, and when, is the owner's choice: a log of its own writes its full tail out when its share is used up
//! ([`Spool::append`]); a queue of many logs writes the one it needs last ([`Spool::spill`]).

use std::marker::PhantomData;

use super::{
    lane::Lane,
    pool::{Block, Class, Pool, Share},
    radix::Bounds,
    scratch::Slot,
    sorter::Source,
    space::Space,
};
use crate::error::Result;

/// An append-only log of records of `N` lanes.
#[derive(Debug)]
pub struct Spool<I, const N: usize> {
    share: Share,
    parts: Vec<Part>,
    tail: Option<Block>,
    /// Lanes used in the tail.
    used: usize,
    /// Records in `parts`.
    filed: u64,
    /// The range of each lane over the parts on disk.
    spilled: Bounds<I, N>,
}

/// A finished run of records, and how many lanes of its block it fills.
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
            Part::Ram(block, lanes) => Ok(records(block.words(), *lanes as usize)),
            Part::Disk(slot, lanes) => {
                let buffer = buffer.get_or_insert_with(|| pool.buffer());
                slot.read(lane_bytes_mut::<I>(buffer, *lanes as usize))?;
                Ok(records(buffer, *lanes as usize))
            }
        }
    }
}

/// The first `lanes` lanes of a block, as records.
fn records<I: Lane, const N: usize>(words: &[u64], lanes: usize) -> &[[I; N]] {
    bytemuck::cast_slice(&bytemuck::cast_slice::<u64, I>(words)[..lanes])
}

fn lane_bytes<I: Lane>(words: &[u64], lanes: usize) -> &[u8] {
    &bytemuck::cast_slice(words)[..lanes * size_of::<I>()]
}

fn lane_bytes_mut<I: Lane>(words: &mut [u64], lanes: usize) -> &mut [u8] {
    &mut bytemuck::cast_slice_mut(words)[..lanes * size_of::<I>()]
}

impl<I: Lane, const N: usize> Spool<I, N> {
    /// An empty log charged to `share`; takes no memory before the first record.
    pub fn new(share: Share) -> Self {
        Self { share, parts: Vec::new(), tail: None, used: 0, filed: 0, spilled: Bounds::default() }
    }

    fn tail(&self) -> &[[I; N]] {
        self.tail.as_ref().map_or(&[], |block| records(block.words(), self.used))
    }

    /// Appends `record` if there is room for it in the tail.
    #[inline(always)]
    pub fn push(&mut self, record: [I; N]) -> bool {
        let Some(tail) = &mut self.tail else { return false };
        let lanes: &mut [I] = bytemuck::cast_slice_mut(tail.words_mut());
        let Some(room) = lanes.get_mut(self.used..).and_then(|room| room.first_chunk_mut::<N>()) else { return false };
        // Lane by lane: a record in registers is not laid out in memory first.
        for (room, lane) in room.iter_mut().zip(record) {
            *room = lane;
        }
        self.used += N;
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
            Some(tail) if tail.words().len() < block.words().len() => {
                let words = (self.used * I::WORDS).div_ceil(2);
                block.words_mut()[..words].copy_from_slice(&tail.words()[..words]);
            }
            _ => self.file_tail(),
        }
        self.tail = Some(block);
    }

    /// Makes the tail a finished part.
    fn file_tail(&mut self) {
        self.filed = self.count();
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
            assert!(self.push(record), "a log that made room has room");
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
                let slot = space.scratch.write(lane_bytes::<I>(tail.words(), self.used))?;
                self.spilled.include(records(tail.words(), self.used));
                self.filed = self.count();
                self.parts.push(Part::Disk(slot, self.used as u32));
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
        for part in &mut self.parts {
            if let Part::Ram(block, lanes) = part {
                self.spilled.include(records(block.words(), *lanes as usize));
                *part = Part::Disk(space.scratch.write(lane_bytes::<I>(block.words(), *lanes as usize))?, *lanes);
                moved = true;
            }
        }
        Ok(moved)
    }

    /// The log as a stack: its last record comes first.
    pub fn into_stack(mut self) -> Stack<I, N> {
        self.file_tail();
        Stack { share: self.share, parts: self.parts, chunk: None, left: 0, marker: PhantomData }
    }
}

impl<I: Lane, const N: usize> Source<I, N> for Spool<I, N> {
    fn count(&self) -> u64 {
        self.filed + (self.used / N) as u64
    }

    fn bounds(&self) -> Bounds<I, N> {
        let mut bounds = self.spilled;
        for part in &self.parts {
            if let Part::Ram(block, lanes) = part {
                bounds.include(records(block.words(), *lanes as usize));
            }
        }
        bounds.include(self.tail());
        bounds
    }

    /// In the order they came, a block at a time.
    fn visit(&self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        let mut buffer = None;
        for part in &self.parts {
            show(part.records(&mut buffer, &space.pool)?)?;
        }
        show(self.tail())
    }

    /// In the order they came, a block at a time, each freed behind it.
    fn drain(mut self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        let mut buffer = None;
        for part in std::mem::take(&mut self.parts) {
            show(part.records(&mut buffer, &space.pool)?)?;
        }
        show(self.tail())
    }
}

/// A log that is read backwards, each block freed when it is used up.
#[derive(Debug)]
pub struct Stack<I, const N: usize> {
    share: Share,
    parts: Vec<Part>,
    /// The block being read.
    chunk: Option<Block>,
    /// Lanes of it not yet popped.
    left: usize,
    marker: PhantomData<I>,
}

impl<I: Lane, const N: usize> Stack<I, N> {
    /// The last record not yet popped.
    #[inline(always)]
    pub fn pop(&mut self, space: &Space) -> Result<Option<[I; N]>> {
        let mut last = None;
        self.pop_while(space, |record| {
            last = Some(record);
            Ok(false)
        })?;
        Ok(last)
    }

    /// Pops records and shows them, until `show` answers `false` or none is left.
    #[inline(always)]
    pub fn pop_while(&mut self, space: &Space, mut show: impl FnMut([I; N]) -> Result<bool>) -> Result<()> {
        while self.left > 0 || self.load(space)? {
            let lanes: &[I] = self.chunk.as_ref().map_or(&[], |block| bytemuck::cast_slice(block.words()));
            for record in lanes[..self.left].chunks_exact(N).rev() {
                self.left -= N;
                if !show(std::array::from_fn(|lane| record[lane]))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn load(&mut self, space: &Space) -> Result<bool> {
        let Some(part) = self.parts.pop() else { return Ok(false) };
        let (block, lanes) = match part {
            Part::Ram(block, lanes) => (block, lanes as usize),
            Part::Disk(slot, lanes) => {
                let kept = self.chunk.take().filter(|block| block.class() == Class::Full);
                let mut block = kept.unwrap_or_else(|| space.pool.take_anyway(self.share, Class::Full));
                slot.read(lane_bytes_mut::<I>(block.words_mut(), lanes as usize))?;
                (block, lanes as usize)
            }
        };
        self.chunk = Some(block);
        self.left = lanes;
        Ok(lanes > 0)
    }
}

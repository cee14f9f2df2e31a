//! `Spool`: an append-only log of plain records, in RAM blocks until somebody says otherwise, then in scratch slots.
//!
//! ```text
//!    push ─► tail (small ─► medium ─► full block) ─► parts: [ram][ram][disk][disk]… ─► drain forwards
//!                                                                                  └─► pop backwards (Stack)
//! ```
//! Who spills, and when, is the owner's choice: a log of its own writes its full tail out when its share is used up
//! ([`Spool::append`]); a queue of many logs writes those it needs last ([`Spool::evict`]).

use std::marker::PhantomData;

use super::{
    cells::Range,
    lane::Lane,
    pool::{Block, Class, Pool, Share},
    run::{Buffer, Bundle, Run, buffer},
    source::{SAMPLE, Source, some_of},
    space::Space,
};
use crate::error::Result;

/// An append-only log of records of `N` lanes.
#[derive(Debug)]
pub struct Spool<I, const N: usize> {
    share: Share,
    parts: Vec<Part>,
    tail: Block,
    /// Lanes used in the tail.
    used: u32,
    /// Records in `parts`.
    filed: u64,
    /// Parts that went to disk by themselves.
    runs: usize,
    /// The range of the first lane over the parts on disk.
    spilled: Range,
    marker: PhantomData<I>,
}

/// A finished part of a log.
#[derive(Debug)]
enum Part {
    /// A block, and how many lanes of it are filled.
    Ram(Block, u32),
    Disk(Run),
}

/// Places for a part that is read back and for what it was packed into.
#[derive(Default)]
struct Buffers {
    records: Buffer,
    packed: Buffer,
}

impl Part {
    /// The records of this part, read into `buffers` if they are on disk.
    fn records<'a, I: Lane, const N: usize>(
        &'a self,
        buffers: &'a mut Buffers,
        share: Share,
        pool: &Pool,
    ) -> Result<&'a [[I; N]]> {
        match self {
            Part::Ram(block, lanes) => Ok(records(block.words(), *lanes as usize)),
            Part::Disk(run) => {
                let words = buffer(&mut buffers.records, run.memory::<I>(), share, pool);
                run.read::<I, N>(words, &mut buffers.packed, share, pool)?;
                Ok(records(words, run.lanes as usize))
            }
        }
    }
}

/// Bytes of memory that are needed for a part on disk, about: a log goes on in larger parts where a large one is less than all of
/// these.
const PART: usize = 64;

/// A sample is taken from so many parts.
const SAMPLED: usize = 15;

/// So many parts are fetched from disk while one is worked on.
const AHEAD: usize = 4;

/// Has `part` fetched from disk meanwhile, if that is where it is.
fn expect(part: Option<&Part>) {
    if let Some(Part::Disk(run)) = part {
        run.expect();
    }
}

/// The first `lanes` lanes of a block, as records.
fn records<I: Lane, const N: usize>(words: &[u64], lanes: usize) -> &[[I; N]] {
    bytemuck::cast_slice(&bytemuck::cast_slice::<u64, I>(words)[..lanes])
}

impl<I: Lane, const N: usize> Spool<I, N> {
    /// An empty log charged to `share`; takes no memory before the first record.
    pub fn new(share: Share) -> Self {
        Self {
            share,
            parts: Vec::new(),
            tail: Block::default(),
            used: 0,
            filed: 0,
            runs: 0,
            spilled: Range::default(),
            marker: PhantomData,
        }
    }

    fn tail(&self) -> &[[I; N]] {
        records(self.tail.words(), self.used as usize)
    }

    /// Appends `record` if there is room for it in the tail.
    #[inline(always)]
    pub fn push(&mut self, record: [I; N]) -> bool {
        let at = self.used as usize;
        let lanes: &mut [I] = bytemuck::cast_slice_mut(self.tail.words_mut());
        let Some(room) = lanes.get_mut(at..at + N) else { return false };
        // Lane by lane: a record in registers is not laid out in memory first.
        for (room, lane) in room.iter_mut().zip(record) {
            *room = lane;
        }
        self.used += N as u32;
        true
    }

    /// Appends as many of `records` as there is room for in the tail; gives the others.
    pub fn push_some<'a>(&mut self, records: &'a [[I; N]]) -> &'a [[I; N]] {
        let lanes: &mut [I] = bytemuck::cast_slice_mut(self.tail.words_mut());
        let room = &mut lanes[self.used as usize..];
        let (now, later) = records.split_at(records.len().min(room.len() / N));
        room[..now.len() * N].copy_from_slice(now.as_flattened());
        self.used += (now.len() * N) as u32;
        later
    }

    /// Makes room for a record after a `push` that found none; gives the bytes that takes, `None` when the share is used up.
    pub fn grow(&mut self, pool: &Pool) -> Option<usize> {
        let class = if self.tail.is_some() { self.tail.class().next() } else { Class::Small };
        Some(self.replace_tail(pool.take(self.share, class)?))
    }

    /// Goes on in `block`: a tail that was small is copied into it, a full one becomes a part.
    fn replace_tail(&mut self, mut block: Block) -> usize {
        let bytes = size_of_val(block.words());
        let mut freed = 0;
        if self.tail.words().len() < block.words().len() {
            let words = (self.used as usize * I::WORDS).div_ceil(2);
            block.words_mut()[..words].copy_from_slice(&self.tail.words()[..words]);
            freed = size_of_val(self.tail.words());
        } else {
            self.file_tail();
        }
        self.tail = block;
        bytes - freed
    }

    /// Makes the tail a finished part.
    fn file_tail(&mut self) {
        self.filed = self.count();
        let tail = std::mem::take(&mut self.tail);
        if self.used > 0 {
            self.parts.push(Part::Ram(tail, self.used));
        }
        self.used = 0;
    }

    /// Goes on in a full block, whatever its share says; gives the bytes that takes.
    pub fn grow_anyway(&mut self, pool: &Pool) -> usize {
        self.replace_tail(pool.take_anyway(self.share, Class::Full))
    }

    /// Bytes of memory it holds.
    pub fn memory(&self) -> usize {
        let parts = self.parts.iter().map(|part| match part {
            Part::Ram(block, _) => size_of_val(block.words()),
            Part::Disk(_) => 0,
        });
        parts.sum::<usize>() + size_of_val(self.tail.words())
    }

    /// Puts all records of `other` behind those of this log, of which none goes to disk any more.
    pub fn join(&mut self, mut other: Self) {
        if self.count() == 0 {
            *self = other;
        } else if other.count() > 0 {
            self.file_tail();
            other.file_tail();
            self.parts.append(&mut other.parts);
            self.filed += other.filed;
            self.spilled.join(&other.spilled);
        }
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

    /// Appends all of `records`, like [`append`](Self::append).
    pub fn append_all(&mut self, mut records: &[[I; N]], space: &Space) -> Result<()> {
        while !records.is_empty() {
            records = self.push_some(records);
            if !records.is_empty() {
                self.make_room(space)?;
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, space: &Space) -> Result<()> {
        // A large tail is beyond the share, and its records do not stay in memory.
        if self.tail.class() != Class::Large && self.grow(&space.pool).is_some() {
            return Ok(());
        }
        if self.tail.class() >= Class::Full {
            let tail = records::<I, N>(self.tail.words(), self.used as usize);
            let mut bundle = Bundle::new(self.share, self.tail.class(), space);
            let (run, range) = bundle.add(tail)?;
            bundle.finish()?;
            self.spilled.join(&range);
            self.filed = self.count();
            self.parts.push(Part::Disk(run));
            self.used = 0;
            self.runs += 1;
            if self.tail.class() == Class::Full && self.runs * PART > 8 * space.pool.block_bytes() {
                self.replace_tail(space.pool.take_anyway(self.share, Class::Large));
            }
        } else {
            // One full block a log is what it needs to spill well, whatever its share.
            self.grow_anyway(&space.pool);
        }
        Ok(())
    }

    /// Moves all that lies in RAM into `bundle`, the tail too; gives the bytes of memory that are free then.
    pub fn evict(&mut self, bundle: &mut Bundle<'_>) -> Result<usize> {
        if self.used > 0 {
            self.file_tail();
        }
        let mut freed = 0;
        // What is on disk went there before what is in RAM came.
        for part in self.parts.iter_mut().rev() {
            let Part::Ram(block, lanes) = part else { break };
            freed += size_of_val(block.words());
            let records = records::<I, N>(block.words(), *lanes as usize);
            let (run, range) = bundle.add(records)?;
            self.spilled.join(&range);
            *part = Part::Disk(run);
        }
        Ok(freed)
    }

    /// How many records there are.
    pub fn count(&self) -> u64 {
        self.filed + (self.used as usize / N) as u64
    }

    /// Shows all records in the order they came, a block at a time.
    pub fn visit(&self, space: &Space, show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        self.visit_parts(self.parts.iter(), space, show)
    }

    /// The same with some of the finished parts only.
    fn visit_parts<'a>(
        &self,
        parts: impl Iterator<Item = &'a Part> + Clone,
        space: &Space,
        mut show: impl FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut ahead = parts.clone().skip(AHEAD);
        for part in parts {
            expect(ahead.next());
            show(part.records(&mut buffers, self.share, &space.pool)?)?;
        }
        show(self.tail())
    }

    /// Some records, at least one if there are any, of the tail and of at most so many `parts` from all over.
    pub fn some(&self, parts: usize, space: &Space) -> Result<Vec<[I; N]>> {
        let mut some = Vec::new();
        self.visit_parts(some_of(&self.parts, parts), space, |block| {
            some.extend(some_of(block, SAMPLE / (SAMPLED + 1)));
            Ok(())
        })?;
        Ok(some)
    }

    /// Whether `is` holds for all records; none is read behind one for which it does not.
    pub fn all(&self, space: &Space, mut is: impl FnMut(&[I; N]) -> bool) -> Result<bool> {
        if !self.tail().iter().all(&mut is) {
            return Ok(false);
        }
        let mut buffers = Buffers::default();
        for part in &self.parts {
            if !part.records(&mut buffers, self.share, &space.pool)?.iter().all(&mut is) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Shows all records in the order they came, a block at a time, each freed behind it. The log is empty then; if its last
    /// block was a small one, it still has that.
    pub fn drain(&mut self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut parts = std::mem::take(&mut self.parts).into_iter();
        while let Some(part) = parts.next() {
            expect(parts.as_slice().get(AHEAD - 1));
            show(part.records(&mut buffers, self.share, &space.pool)?)?;
        }
        show(self.tail())?;
        if self.tail.class() != Class::Small {
            self.tail = Block::default();
        }
        (self.used, self.filed, self.runs, self.spilled) = (0, 0, 0, Range::default());
        Ok(())
    }

    /// The block that a drained log still has, if any, for another one to begin in.
    pub fn into_block(self) -> Block {
        debug_assert_eq!(self.count(), 0, "a log that is done with");
        self.tail
    }

    /// Begins a tail in `block`, where there is none; gives the bytes that takes.
    pub fn go_on_in(&mut self, block: Block) -> usize {
        debug_assert!(self.has_no_tail());
        self.replace_tail(block)
    }

    /// Whether the next record needs a block, not just a larger one.
    pub fn has_no_tail(&self) -> bool {
        !self.tail.is_some()
    }

    /// The log as a stack: its last record comes first.
    pub fn into_stack(mut self) -> Stack<I, N> {
        self.file_tail();
        Stack { share: self.share, parts: self.parts, chunk: None, left: 0, packed: None, marker: PhantomData }
    }
}

impl<I: Lane, const N: usize> Source<I, N> for &mut Spool<I, N> {
    fn count(&self) -> u64 {
        Spool::count(self)
    }

    fn keys(&self, lane: usize, space: &Space, mut show: impl FnMut(I)) -> Result<()> {
        self.visit(space, |block| {
            for record in block {
                show(record[lane]);
            }
            Ok(())
        })
    }

    /// That of the first lane without reading what is on disk.
    fn range(&self, lane: usize, space: &Space) -> Result<Range> {
        let mut range = if lane == 0 { self.spilled } else { Range::default() };
        let parts = self.parts.iter().filter(|part| lane > 0 || matches!(part, Part::Ram(..)));
        self.visit_parts(parts, space, |block| {
            range.join(&Range::of(block.iter().map(|record| record[lane])));
            Ok(())
        })?;
        Ok(range)
    }

    fn sample(&self, space: &Space) -> Result<Vec<[I; N]>> {
        self.some(SAMPLED, space)
    }

    fn drain(self, lane: usize, space: &Space, mut show: impl FnMut(I, &[I; N]) -> Result<()>) -> Result<()> {
        Spool::drain(self, space, |block| block.iter().try_for_each(|record| show(record[lane], record)))
    }
}

/// A log that is read backwards, each block freed when it is used up.
#[derive(Debug)]
pub struct Stack<I, const N: usize> {
    share: Share,
    parts: Vec<Part>,
    /// The block being read.
    chunk: Buffer,
    /// Lanes of it not yet popped.
    left: usize,
    /// For what it was packed into.
    packed: Buffer,
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

    /// The records not yet popped, as a log again.
    pub fn into_spool(mut self) -> Spool<I, N> {
        if let Some(chunk) = self.chunk.take().filter(|_| self.left > 0) {
            self.parts.push(Part::Ram(chunk, self.left as u32));
        }
        let lanes = self.parts.iter().map(|part| match part {
            Part::Ram(_, lanes) | Part::Disk(Run { lanes, .. }) => u64::from(*lanes),
        });
        let filed = lanes.sum::<u64>() / N as u64;
        Spool { filed, parts: self.parts, ..Spool::new(self.share) }
    }

    /// Pops records and shows them, until `show` answers `false` or none is left.
    #[inline(always)]
    pub fn pop_while(&mut self, space: &Space, mut show: impl FnMut([I; N]) -> Result<bool>) -> Result<()> {
        while self.left > 0 || self.load(space)? {
            let lanes: &[I] = self.chunk.as_ref().map_or(&[], |block| bytemuck::cast_slice(block.words()));
            let mut rest = &lanes[..self.left];
            while let Some((before, record)) = rest.split_last_chunk() {
                rest = before;
                if !show(*record)? {
                    self.left = rest.len();
                    return Ok(());
                }
            }
            self.left = 0;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn load(&mut self, space: &Space) -> Result<bool> {
        let Some(part) = self.parts.pop() else { return Ok(false) };
        expect(self.parts.iter().nth_back(AHEAD - 1));
        match part {
            Part::Ram(block, lanes) => {
                self.chunk = Some(block);
                self.left = lanes as usize;
            }
            Part::Disk(run) => {
                let words = buffer(&mut self.chunk, run.memory::<I>(), self.share, &space.pool);
                run.read::<I, N>(words, &mut self.packed, self.share, &space.pool)?;
                self.left = run.lanes as usize;
            }
        }
        Ok(self.left > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    #[test]
    fn a_long_log_goes_on_in_larger_parts_and_comes_back_from_both_ends() -> Result<()> {
        const BLOCK: usize = 4096;
        const LANES: u32 = BLOCK as u32 / 4;
        const SMALL: u32 = (8 * BLOCK / PART) as u32 + 1;
        const COUNT: u32 = LANES * (SMALL + 8 * 9 + 3);
        let space = testing::space_with(|limits| (limits.block, limits.arcs) = (BLOCK, 0));
        let log = || -> Result<Spool<u32, 1>> {
            let mut log = Spool::new(Share::Arcs);
            (0..COUNT).try_for_each(|at| log.append([at], &space))?;
            Ok(log)
        };
        let mut forwards = log()?;
        assert_eq!(forwards.count(), u64::from(COUNT));
        assert_eq!(forwards.parts.len(), SMALL as usize + 9);
        let mut next = 0..COUNT;
        forwards.drain(&space, |block| {
            assert!(block.iter().all(|&[at]| next.next() == Some(at)));
            Ok(())
        })?;
        assert_eq!(next, COUNT..COUNT);
        let mut backwards = log()?.into_stack();
        while let Some([at]) = backwards.pop(&space)? {
            assert_eq!(next.start, at + 1);
            next.start = at;
        }
        assert_eq!(next, 0..COUNT);
        drop((forwards, backwards));
        assert_eq!(space.pool.left(Share::Arcs), 0);
        Ok(())
    }
}

//! `Spool`: an append-only log of plain records, in RAM blocks until somebody says otherwise, then on disk.
//!
//! ```text
//!    push ─► tail (small ─► medium ─► full block) ─► parts: [block][block][stretch][stretch]… ─► drain forwards
//!                                                                                           └─► pop backwards (Stack)
//! ```
//! Who spills, and when, is the owner's choice: a log of its own writes its full tail out when its share is used up
//! ([`Spool::append`]); a queue of many logs writes those it needs last ([`Spool::evict`]).

use std::marker::PhantomData;

use super::{
    cells::Range,
    lane::Lane,
    pool::{Block, Class, Pool, Share},
    source::{SAMPLE, Source, some_of},
    space::Space,
    stretch::{Buffer, Bundle, Filling, Stretch},
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
    /// Where on disk it goes on by itself.
    filling: Option<Box<Filling>>,
    /// The range of the first lane over the parts on disk.
    spilled: Range,
    marker: PhantomData<I>,
}

/// A finished part of a log.
#[derive(Debug)]
enum Part {
    /// A block, and how many lanes of it are filled.
    Ram(Block, u32),
    Disk(Stretch),
}

/// Places for a stretch that is read back, and for the records of one run of it.
#[derive(Default)]
struct Buffers {
    stretch: Buffer,
    records: Buffer,
}

impl Part {
    /// Shows all records, a block at most at a time; what is on disk is read into `buffers`.
    fn visit<I: Lane, const N: usize>(
        &self,
        buffers: &mut Buffers,
        share: Share,
        pool: &Pool,
        mut show: impl FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        let stretch = match self {
            Part::Ram(block, lanes) => return show(records(block.words(), *lanes as usize)),
            Part::Disk(stretch) => stretch,
        };
        let bytes = stretch.read(&mut buffers.stretch, share, pool)?;
        let mut at = 0;
        while at < bytes.len() {
            let (records, next) = stretch.records(bytes, at, &mut buffers.records, share, pool)?;
            show(records)?;
            at = next;
        }
        Ok(())
    }

    /// Shows some blocks or runs, one at least and at most so many, from all over.
    fn visit_some<I: Lane, const N: usize>(
        &self,
        most: usize,
        buffers: &mut Buffers,
        share: Share,
        pool: &Pool,
        mut show: impl FnMut(&[[I; N]]),
    ) -> Result<()> {
        let stretch = match self {
            Part::Ram(block, lanes) => {
                show(records(block.words(), *lanes as usize));
                return Ok(());
            }
            Part::Disk(stretch) => stretch,
        };
        let bytes = stretch.read(&mut buffers.stretch, share, pool)?;
        for &at in some_of(&stretch.runs(bytes)?, most) {
            show(stretch.records(bytes, at as usize, &mut buffers.records, share, pool)?.0);
        }
        Ok(())
    }

    /// Lanes of its records.
    fn lanes(&self) -> u32 {
        match self {
            Part::Ram(_, lanes) | Part::Disk(Stretch { lanes, .. }) => *lanes,
        }
    }
}

/// Some `parts`, and how many blocks or runs to take of each: at most so many in all, one at least if there are any, from all over.
fn evenly(parts: &[Part], most: usize) -> impl Iterator<Item = (&Part, usize)> {
    let lanes = |part: &Part| u64::from(part.lanes());
    let step = parts.iter().map(lanes).sum::<u64>().div_ceil(most as u64);
    let mut sum = 0;
    let counted = parts.iter().map(move |part| {
        let before = sum;
        sum += lanes(part);
        (part, (sum.div_ceil(step) - before.div_ceil(step)) as usize)
    });
    counted.filter(|&(_, some)| some > 0)
}

/// A sample is taken from so many blocks and runs.
const SAMPLED: usize = 15;

/// So many parts are fetched from disk while one is worked on.
const AHEAD: usize = 2;

/// Has `part` fetched from disk meanwhile, if that is where it is.
fn expect(part: Option<&Part>) {
    if let Some(Part::Disk(stretch)) = part {
        stretch.expect();
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
            filling: None,
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
        if self.grow(&space.pool).is_some() {
            return Ok(());
        }
        if self.tail.class() == Class::Full {
            return self.spill(space);
        }
        // One full block a log is what it needs to spill well, whatever its share.
        self.grow_anyway(&space.pool);
        Ok(())
    }

    /// Writes the tail to disk, and begins it anew; it is as it was if that fails.
    fn spill(&mut self, space: &Space) -> Result<()> {
        let mut filling = self.filling.take().unwrap_or_default();
        let mut bundle = Bundle::new(self.share, &mut filling, space);
        let (stretch, range) = bundle.add(self.tail())?;
        bundle.finish()?;
        self.filling = Some(filling);
        self.filed = self.count();
        self.used = 0;
        self.file(stretch, &range);
        Ok(())
    }

    /// Takes the next part, which is on disk; `range` is that of its first lane.
    fn file(&mut self, stretch: Stretch, range: &Range) {
        self.spilled.join(range);
        let apart = match self.parts.last_mut() {
            Some(Part::Disk(last)) => last.join(stretch),
            _ => Some(stretch),
        };
        self.parts.extend(apart.map(Part::Disk));
    }

    /// Moves all that lies in RAM into `bundle`, the tail too; gives the bytes of memory that are free then.
    pub fn evict(&mut self, bundle: &mut Bundle<'_>) -> Result<usize> {
        if self.used > 0 {
            self.file_tail();
        }
        // What is on disk went there before what is in RAM came.
        let on_disk = self.parts.iter().rposition(|part| matches!(part, Part::Disk(_)));
        let mut freed = 0;
        for part in self.parts.split_off(on_disk.map_or(0, |last| last + 1)) {
            let Part::Ram(block, lanes) = part else { continue };
            let (stretch, range) = bundle.add(records::<I, N>(block.words(), lanes as usize))?;
            self.file(stretch, &range);
            freed += size_of_val(block.words());
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
            part.visit(&mut buffers, self.share, &space.pool, &mut show)?;
        }
        show(self.tail())
    }

    /// Some records, at least one if there are any, of the tail and of at most so many blocks and runs from all over.
    pub fn some(&self, most: usize, space: &Space) -> Result<Vec<[I; N]>> {
        let (mut buffers, mut some) = (Buffers::default(), Vec::new());
        let mut add = |block: &[[I; N]]| some.extend(some_of(block, SAMPLE / (SAMPLED + 1)));
        for (part, some) in evenly(&self.parts, most) {
            part.visit_some(some, &mut buffers, self.share, &space.pool, &mut add)?;
        }
        add(self.tail());
        Ok(some)
    }

    /// Whether `is` holds for all records; no part is read behind one for which it does not.
    pub fn all(&self, space: &Space, mut is: impl FnMut(&[I; N]) -> bool) -> Result<bool> {
        let (mut buffers, mut all) = (Buffers::default(), self.tail().iter().all(&mut is));
        for part in &self.parts {
            if !all {
                break;
            }
            part.visit(&mut buffers, self.share, &space.pool, |block| {
                all = all && block.iter().all(&mut is);
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Shows all records in the order they came, a block at a time, each freed behind it. The log is empty then; if its last
    /// block was a small one, it still has that.
    pub fn drain(&mut self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut parts = std::mem::take(&mut self.parts).into_iter();
        while let Some(part) = parts.next() {
            expect(parts.as_slice().get(AHEAD - 1));
            part.visit(&mut buffers, self.share, &space.pool, &mut show)?;
        }
        show(self.tail())?;
        if self.tail.class() != Class::Small {
            self.tail = Block::default();
        }
        (self.used, self.filed, self.filling, self.spilled) = (0, 0, None, Range::default());
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
        Stack {
            share: self.share,
            parts: self.parts,
            chunk: None,
            left: 0,
            open: None,
            stretch: None,
            marker: PhantomData,
        }
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
    /// The stretch it comes from, while there is more of it, and where the runs begin that are to come.
    open: Option<(Stretch, Vec<u32>)>,
    /// What was read of it.
    stretch: Buffer,
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
        self.parts.extend(self.open.map(|(stretch, _)| Part::Disk(stretch)));
        if let Some(chunk) = self.chunk.take().filter(|_| self.left > 0) {
            self.parts.push(Part::Ram(chunk, self.left as u32));
        }
        let filed = self.parts.iter().map(|part| u64::from(part.lanes())).sum::<u64>() / N as u64;
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
        if self.open.is_none() {
            let Some(part) = self.parts.pop() else { return Ok(false) };
            expect(self.parts.iter().nth_back(AHEAD - 1));
            match part {
                Part::Ram(block, lanes) => {
                    self.chunk = Some(block);
                    self.left = lanes as usize;
                }
                Part::Disk(stretch) => {
                    let runs = stretch.runs(stretch.read(&mut self.stretch, self.share, &space.pool)?)?;
                    self.open = Some((stretch, runs));
                }
            }
        }
        if let Some((stretch, runs)) = &mut self.open
            && let Some(at) = runs.pop()
        {
            let bytes = stretch.in_place(&self.stretch);
            let (records, _) = stretch.records::<I, N>(bytes, at as usize, &mut self.chunk, self.share, &space.pool)?;
            self.left = records.len() * N;
            stretch.cut(at, self.left);
            if runs.is_empty() {
                self.open = None;
            }
        }
        Ok(self.left > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    const BLOCK: usize = 4096;
    const LANES: u32 = BLOCK as u32 / 4;
    /// What a stretch takes, and then some.
    const COUNT: u32 = 30 * LANES + 3;

    /// A log of 0, 1, 2, … that has no memory but for its tail.
    fn log(space: &Space) -> Result<Spool<u32, 1>> {
        let mut log = Spool::new(Share::Arcs);
        (0..COUNT).try_for_each(|at| log.append([at], space))?;
        Ok(log)
    }

    #[test]
    fn a_log_on_disk_has_few_parts_and_comes_back_from_both_ends() -> Result<()> {
        for compress in [true, false] {
            let space =
                testing::space_with(|limits| (limits.block, limits.arcs, limits.compress) = (BLOCK, 0, compress));
            let mut forwards = log(&space)?;
            assert_eq!(forwards.count(), u64::from(COUNT));
            assert_eq!(forwards.parts.len(), if compress { 1 } else { 5 });
            let mut next = 0..COUNT;
            forwards.drain(&space, |block| {
                assert!(block.iter().all(|&[at]| next.next() == Some(at)));
                Ok(())
            })?;
            assert_eq!(next, COUNT..COUNT);
            let mut backwards = log(&space)?.into_stack();
            while let Some([at]) = backwards.pop(&space)? {
                assert_eq!(next.start, at + 1);
                next.start = at;
            }
            assert_eq!(next, 0..COUNT);
            drop((forwards, backwards));
            assert_eq!(space.pool.left(Share::Arcs), 0);
        }
        Ok(())
    }

    #[test]
    fn a_stack_that_was_popped_in_part_is_a_log_of_the_rest() -> Result<()> {
        let space = testing::space_with(|limits| (limits.block, limits.arcs) = (BLOCK, 0));
        for left in [0, 1, LANES - 1, LANES, LANES + 1, 9 * LANES, 20 * LANES + 7, COUNT] {
            let mut stack = log(&space)?.into_stack();
            for at in (left..COUNT).rev() {
                assert_eq!(stack.pop(&space)?, Some([at]));
            }
            let mut rest = stack.into_spool();
            assert_eq!(rest.count(), u64::from(left));
            let mut next = 0..left;
            rest.drain(&space, |block| {
                assert!(block.iter().all(|&[at]| next.next() == Some(at)));
                Ok(())
            })?;
            assert!(next.is_empty());
        }
        Ok(())
    }

    #[test]
    fn a_sample_is_from_all_over_wherever_parts_are() -> Result<()> {
        let space = testing::space_with(|limits| (limits.block, limits.arcs) = (BLOCK, 25 * BLOCK));
        let mut all = Spool::<u32, 1>::new(Share::Arcs);
        for round in 0..3 {
            // Some in memory, some on disk.
            let mut log = Spool::new(Share::Arcs);
            (0..COUNT).try_for_each(|at| log.append([round * COUNT + at], &space))?;
            all.join(log);
        }
        let some = all.some(SAMPLED, &space)?;
        assert!(some.len() > 500 && some.len() <= SAMPLE);
        for tenth in 0..10 {
            let (first, end) = (3 * COUNT / 10 * tenth, 3 * COUNT / 10 * (tenth + 1));
            assert!(some.iter().any(|[at]| (first..end).contains(at)), "none of {first} to {end}");
        }
        Ok(())
    }
}

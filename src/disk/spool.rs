//! `Spool`: an append-only log of plain records, in blocks in RAM until its owner has it go on to disk.
//!
//! ```text
//!    push ─► tail (small ─► medium ─► full block) ─► parts: [block][block][stretch][stretch]… ─► drain forwards
//!                                                                                           └─► pop backwards (Stack)
//! ```
//! Who spills, and when, is the owner's choice: a single log writes its full tail out when its share is used up
//! ([`Spool::append`]); a queue of many logs writes those it needs last ([`Spool::evict`]).

use std::marker::PhantomData;

use super::{
    cells::KeyRange,
    lane::{Lane, words_of},
    part::{AHEAD, Part, Reader, evenly, records, will_read},
    pool::{Block, Class, Pool, Share},
    source::{SAMPLE, Source, some_of},
    space::Space,
    stretch::{Bundle, Filling, Stretch},
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
    /// The extent in which it goes on when it writes its own tail.
    filling: Option<Box<Filling>>,
    /// The range of the first lane over the parts on disk.
    spilled: KeyRange,
    marker: PhantomData<I>,
}

/// Where pairs go, in order.
pub trait Sink<I> {
    /// Places for the next pairs, at least one.
    fn room(&mut self, space: &Space) -> Result<&mut [[I; 2]]>;

    /// Appends the first `pairs` of the places that [`room`](Self::room) gave.
    fn advance(&mut self, pairs: usize);
}

impl<I: Lane> Sink<I> for Spool<I, 2> {
    #[inline(always)]
    fn room(&mut self, space: &Space) -> Result<&mut [[I; 2]]> {
        if self.tail.words().len() * 8 / size_of::<I>() < self.used as usize + 2 {
            self.make_room(space)?;
        }
        let lanes: &mut [I] = bytemuck::cast_slice_mut(self.tail.words_mut());
        Ok(lanes[self.used as usize..].as_chunks_mut().0)
    }

    #[inline(always)]
    fn advance(&mut self, pairs: usize) {
        self.used += 2 * pairs as u32;
    }
}

/// The most blocks and packets that a sample is taken from, beside the tail.
const SAMPLED: usize = 15;

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
            spilled: KeyRange::default(),
            marker: PhantomData,
        }
    }

    /// A log of `parts`; `spilled` is the range of the first lane over those on disk.
    pub fn of(share: Share, parts: Vec<Part>, spilled: KeyRange) -> Self {
        Self { filed: filed::<N>(&parts), parts, spilled, ..Self::new(share) }
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
        // Lane by lane, so that a record in registers is not laid out in memory first.
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

    /// Makes room for a record after a `push` that found none; gives the bytes of memory added, `None` when the share is used up.
    pub fn grow(&mut self, pool: &Pool) -> Option<usize> {
        Some(self.replace_tail(pool.take(self.share, self.next_class())?))
    }

    /// Makes room even when the share is used up; gives the bytes of memory added.
    pub fn grow_anyway(&mut self, pool: &Pool) -> usize {
        self.replace_tail(pool.take_anyway(self.share, self.next_class()))
    }

    fn next_class(&self) -> Class {
        if self.tail.is_some() { self.tail.class().next() } else { Class::Small }
    }

    /// Makes `block` the tail: a smaller tail is copied into it, another one becomes a part. Gives the bytes of memory added.
    fn replace_tail(&mut self, mut block: Block) -> usize {
        let bytes = size_of_val(block.words());
        let mut freed = 0;
        if self.tail.words().len() < block.words().len() {
            let words = words_of::<I>(self.used as usize);
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

    /// Bytes of memory it holds.
    pub fn memory(&self) -> usize {
        self.parts.iter().map(Part::memory).sum::<usize>() + size_of_val(self.tail.words())
    }

    /// Whether some of its records are in memory, from where they can go to disk.
    pub fn is_resident(&self) -> bool {
        self.used > 0 || matches!(self.parts.last(), Some(Part::Ram(..)))
    }

    /// Whether its tail is a full block.
    pub fn is_long(&self) -> bool {
        self.tail.class() == Class::Full
    }

    /// Puts all records of `other` behind those of this log, which is only read from then on.
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
    #[expect(clippy::missing_panics_doc, reason = "a log that made room has room")]
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
        if self.is_long() {
            return self.spill(space);
        }
        // To spill well, a log needs one full block, even when its share is used up.
        self.replace_tail(space.pool.take_anyway(self.share, Class::Full));
        Ok(())
    }

    /// Writes the tail to disk and empties it; the tail stays as it was if that fails.
    fn spill(&mut self, space: &Space) -> Result<()> {
        let mut bundle = Bundle::new(self.share, self.filling.get_or_insert_default(), space);
        let (stretch, range) = bundle.add(records::<I, N>(self.tail.words(), self.used as usize), 0)?;
        bundle.finish()?;
        self.filed = self.count();
        self.used = 0;
        self.file(stretch, &range);
        Ok(())
    }

    /// Adds `stretch` as the next part, or to the last one if it lies right behind that; `range` is that of its first lane.
    fn file(&mut self, stretch: Stretch, range: &KeyRange) {
        self.spilled.join(range);
        let apart = match self.parts.last_mut() {
            Some(Part::Disk(last)) => last.join(stretch),
            _ => Some(stretch),
        };
        self.parts.extend(apart.map(Part::Disk));
    }

    /// Moves all records in RAM, those of the tail too, to disk by `bundle`; gives the bytes of memory freed.
    pub fn evict(&mut self, bundle: &mut Bundle<'_>) -> Result<usize> {
        let parts = self.split_off();
        self.file_all(parts, 0, bundle)
    }

    /// Moves all records in RAM to the end of `group` by `bundle`, as records of `log`; gives the bytes of memory freed.
    pub fn evict_to(&mut self, group: &mut Self, log: u32, bundle: &mut Bundle<'_>) -> Result<usize> {
        group.file_all(self.split_off(), log, bundle)
    }

    /// The number of parts on disk that are short, of fewer than `below` bytes.
    pub fn short_parts(&self, below: usize) -> usize {
        self.parts.iter().filter_map(|part| part.short_bytes(below)).count()
    }

    /// Takes the short parts on disk, of fewer than `below` bytes, out as a log, except those that are more than twice as long as
    /// the mean: parts that were put together before are taken again only when there are many of their length.
    #[must_use]
    pub fn take_short_parts(&mut self, below: usize) -> Self {
        let bytes: usize = self.parts.iter().filter_map(|part| part.short_bytes(below)).sum();
        let most = 2 * bytes / self.short_parts(below).max(1);
        let taken = |part: &Part| part.short_bytes(below).is_some_and(|bytes| bytes <= most);
        let (short, long): (Vec<_>, _) = std::mem::take(&mut self.parts).into_iter().partition(taken);
        self.parts = long;
        self.filed -= filed::<N>(&short);
        Self::of(self.share, short, KeyRange::default())
    }

    /// Takes out all parts in RAM, the tail too.
    fn split_off(&mut self) -> Vec<Part> {
        if self.used > 0 {
            self.file_tail();
        }
        // Records on disk came before those in RAM.
        let on_disk = self.parts.iter().rposition(|part| matches!(part, Part::Disk(_)));
        let parts = self.parts.split_off(on_disk.map_or(0, |last| last + 1));
        self.filed -= filed::<N>(&parts);
        parts
    }

    /// Writes `parts`, which lie in RAM, to the end of this log as records of `log`; gives the bytes of memory freed.
    fn file_all(&mut self, parts: Vec<Part>, log: u32, bundle: &mut Bundle<'_>) -> Result<usize> {
        let mut freed = 0;
        for part in parts {
            let Part::Ram(block, lanes) = part else { continue };
            self.file_run(records(block.words(), lanes as usize), log, bundle)?;
            freed += size_of_val(block.words());
        }
        Ok(freed)
    }

    /// Writes `records`, at least one and at most a block, to the end of this log as records of `log`.
    pub fn file_run(&mut self, records: &[[I; N]], log: u32, bundle: &mut Bundle<'_>) -> Result<()> {
        let (stretch, range) = bundle.add(records, log)?;
        self.filed += records.len() as u64;
        self.file(stretch, &range);
        Ok(())
    }

    /// The number of records.
    pub fn count(&self) -> u64 {
        self.filed + (self.used as usize / N) as u64
    }

    /// Shows all records in the order they came, a block at a time.
    pub fn visit(&self, space: &Space, show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        self.visit_parts(self.parts.iter(), space, show)
    }

    /// Shows the records of some of the finished parts, and those in the tail.
    fn visit_parts<'a>(
        &self,
        parts: impl Iterator<Item = &'a Part> + Clone,
        space: &Space,
        mut show: impl FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        let mut reader = Reader::new(self.share, &space.pool);
        let mut ahead = parts.clone().skip(AHEAD);
        for part in parts {
            will_read(ahead.next());
            reader.visit(part, |_, block| show(block))?;
        }
        show(self.tail())
    }

    /// A sample of at least one record, if there are any, from the tail and at most `most` blocks and packets all over the log.
    pub fn some(&self, most: usize, space: &Space) -> Result<Vec<[I; N]>> {
        let (mut reader, mut some) = (Reader::new(self.share, &space.pool), Vec::new());
        let mut add = |block: &[[I; N]]| some.extend(some_of(block, SAMPLE / (SAMPLED + 1)));
        for (part, some) in evenly(&self.parts, most) {
            reader.visit_some(part, some, &mut add)?;
        }
        add(self.tail());
        Ok(some)
    }

    /// Whether `is` holds for all records; reads no part behind one for which it does not.
    pub fn all(&self, space: &Space, mut is: impl FnMut(&[I; N]) -> bool) -> Result<bool> {
        let (mut reader, mut all) = (Reader::new(self.share, &space.pool), self.tail().iter().all(&mut is));
        for part in &self.parts {
            if !all {
                break;
            }
            reader.visit(part, |_, block| {
                all = all && block.iter().all(&mut is);
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Shows all records in the order they came, a block at a time, each freed behind it. The log is empty then, but keeps a tail
    /// of the smallest class.
    pub fn drain(&mut self, space: &Space, mut show: impl FnMut(&[[I; N]]) -> Result<()>) -> Result<()> {
        self.drain_group(space, |_, block| show(block))
    }

    /// Like [`drain`](Self::drain), but shows the records one by one.
    pub fn drain_each(&mut self, space: &Space, mut show: impl FnMut([I; N]) -> Result<()>) -> Result<()> {
        self.drain(space, |block| block.iter().try_for_each(|&record| show(record)))
    }

    /// Drains the log of a group: `show` is told which log of the group the records belong to.
    pub fn drain_group(&mut self, space: &Space, mut show: impl FnMut(u32, &[[I; N]]) -> Result<()>) -> Result<()> {
        let mut reader = Reader::new(self.share, &space.pool);
        let mut parts = std::mem::take(&mut self.parts).into_iter();
        while let Some(part) = parts.next() {
            will_read(parts.as_slice().get(AHEAD - 1));
            reader.visit(&part, &mut show)?;
        }
        show(0, self.tail())?;
        self.clear();
        Ok(())
    }

    /// Drops all records, as if they had been drained.
    fn clear(&mut self) {
        if self.tail.class() != Class::Small {
            self.tail = Block::default();
        }
        self.parts.clear();
        (self.used, self.filed, self.filling, self.spilled) = (0, 0, None, KeyRange::default());
    }

    /// The block that a drained log still has, if any, for another log to begin in.
    pub fn into_block(self) -> Block {
        debug_assert_eq!(self.count(), 0, "a log that is done with");
        self.tail
    }

    /// Makes `block` the tail of a log that has none; gives the bytes of memory added.
    pub fn go_on_in(&mut self, block: Block) -> usize {
        debug_assert!(self.has_no_tail());
        self.replace_tail(block)
    }

    /// Whether the next record needs a block, not just a larger one.
    pub fn has_no_tail(&self) -> bool {
        !self.tail.is_some()
    }

    /// What the log is made of, as arguments of [`of`](Self::of).
    pub fn into_parts(mut self) -> (Share, Vec<Part>, KeyRange) {
        self.file_tail();
        (self.share, self.parts, self.spilled)
    }
}

/// How many records of `N` lanes there are in `parts`.
fn filed<const N: usize>(parts: &[Part]) -> u64 {
    parts.iter().map(|part| u64::from(part.lanes())).sum::<u64>() / N as u64
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

    /// The range of the first lane is known without reading what is on disk.
    fn range(&self, lane: usize, space: &Space) -> Result<KeyRange> {
        let mut range = if lane == 0 { self.spilled } else { KeyRange::default() };
        let parts = self.parts.iter().filter(|part| lane > 0 || matches!(part, Part::Ram(..)));
        self.visit_parts(parts, space, |block| {
            range.join(&KeyRange::of(block.iter().map(|record| record[lane])));
            Ok(())
        })?;
        Ok(range)
    }

    fn blocks(&self) -> Option<impl Iterator<Item = &[[I; N]]>> {
        (!self.is_on_disk()).then(|| self.parts.iter().filter_map(Part::in_memory).chain([self.tail()]))
    }

    fn is_on_disk(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Disk(..)))
    }

    fn sample(&self, space: &Space) -> Result<Vec<[I; N]>> {
        self.some(SAMPLED, space)
    }

    fn load(self, mut places: &mut [[I; N]], space: &Space) -> Result<()> {
        Spool::drain(self, space, |block| {
            let now = places.split_off_mut(..block.len()).expect("as many as were counted");
            now.copy_from_slice(block);
            Ok(())
        })?;
        debug_assert!(places.is_empty(), "fewer than were counted");
        Ok(())
    }

    fn discard(self) {
        self.clear();
    }

    fn drain(self, lane: usize, space: &Space, mut show: impl FnMut(I, &[I; N]) -> Result<()>) -> Result<()> {
        Spool::drain(self, space, |block| block.iter().try_for_each(|record| show(record[lane], record)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    const BLOCK: usize = 4096;
    const COUNT: u32 = 30 * BLOCK as u32 / 4 + 3;

    #[test]
    fn a_sample_is_from_all_over_wherever_parts_are() -> Result<()> {
        let space = testing::space_with(|limits| (limits.block, limits.arcs) = (BLOCK, 25 * BLOCK));
        let mut all = Spool::<u32, 1>::new(Share::Arcs);
        for round in 0..3 {
            // Some records in memory, some on disk.
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

    #[test]
    fn short_parts_that_were_put_together_before_are_left_until_many_are_as_long() -> Result<()> {
        let space = testing::space_with(|limits| (limits.block, limits.compress) = (BLOCK, false));
        let mut filling = Filling::default();
        let mut bundle = Bundle::new(Share::Queue, &mut filling, &space);
        let [mut log, mut other] = [(); 2].map(|()| Spool::<u32, 1>::new(Share::Queue));
        let mut number = 0;
        // Records of another log lie in between, or all would be one part.
        let mut add = |log: &mut Spool<u32, 1>, count| {
            let records: Vec<_> = (number..number + count).map(|at| [at]).collect();
            number += count;
            log.file_run(&records, 0, &mut bundle)?;
            other.file_run(&[[0]], 0, &mut bundle)
        };
        (0..70).try_for_each(|_| add(&mut log, 10))?;
        add(&mut log, 500)?;
        (0..30).try_for_each(|_| add(&mut log, 10))?;
        bundle.finish()?;
        assert_eq!((log.short_parts(BLOCK), log.short_parts(100)), (101, 100));
        let mut taken = Vec::new();
        log.take_short_parts(BLOCK).drain_each(&space, |[at]| {
            taken.push(at);
            Ok(())
        })?;
        assert!(taken.into_iter().eq((0..700).chain(1200..1500)));
        assert_eq!((log.count(), log.short_parts(BLOCK)), (500, 1));
        // Now it is as long as the mean.
        assert_eq!(log.take_short_parts(BLOCK).count(), 500);
        Ok(())
    }
}

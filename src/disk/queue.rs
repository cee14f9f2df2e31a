//! `LevelQueue`: the priority queue of time-forward processing, without a heap.
//!
//! Every record names the level it is for, and all records for a level are pushed before that level is taken. So each level still
//! to come has a log, or several where a sweep divides levels into parts, and a log is sorted when its turn comes. Logs are numbered
//! in the order in which they are needed. When the queue's share of the budget is used up, those that are needed last go to disk.
//!
//! ```text
//!   logs:     at hand │ near                    │ group                   │ group                   │ …
//!   memory:         0 │ 1    2    3    4    …   │ 64   65   66   67   …   │ 128  129  130  131  …   │
//!   disk:             │ 1    2    3    4    …   │ long  ┆ all short ones  │ long  ┆ all short ones  │
//! ```
//! Where there are many logs, most of them have little in memory. The short ones of a group of neighbours go to disk as one log,
//! which is given out among them when the first of them is taken: so there is little to remember of each, and much to read at once.
//! A log that has many short parts on disk, since few records came between one eviction and the next, has these put together in few
//! long ones.
//!
//! After: L. Arge, "The Buffer Tree", 1995 (time-forward processing); S. C. Sølvsten, J. van de Pol, "Adiar 1.1", 2023
//! (levelised queues).

use std::{mem, ops::Range};

use super::{
    charge::Charge,
    gather::gather,
    lane::Lane,
    pool::{Block, Share},
    space::Space,
    spool::Spool,
    stretch::{Bundle, Filling},
};
use crate::error::Result;

/// Logs of records, which are taken in the order 0, 1, 2, … One that has been taken may be pushed to and taken again.
#[derive(Debug)]
pub struct LevelQueue<I, const N: usize> {
    logs: Vec<Spool<I, N>>,
    /// For every [`GROUP`] logs, the one on disk that the short ones among them share.
    groups: Vec<Spool<I, N>>,
    /// Groups below this one have been given out: their logs go to disk each by itself.
    near: usize,
    /// Blocks of small logs that have been drained: to take one from the pool costs as much as to handle a small log.
    spare: Vec<Block>,
    /// A worker's part of the queue share, in bytes; a quarter of it is there for this queue in any case.
    quota: usize,
    /// Bytes of memory that its logs hold.
    held: usize,
    /// The extents being filled.
    fillings: Fillings,
    /// For the tables of logs.
    _charge: Charge,
}

/// The extents that a queue fills, one for each kind of log. An extent is free only when the last log in it has been read, so
/// records that stay for long are kept apart from those that do not.
#[derive(Debug, Default)]
struct Fillings {
    /// For the logs of groups.
    groups: Filling,
    short: Filling,
    long: Filling,
    /// For short parts of groups, put together.
    gathered: Filling,
    /// For those of near logs, which are read sooner.
    gathered_near: Filling,
}

/// The most blocks of small logs that a queue keeps beyond the bytes it holds: too few to matter to others.
const SPARES: usize = 16;

/// Logs of a group. A quarter of the smallest quota is 4 KiB for each of them; a small block for each takes 16 KiB.
const GROUP: usize = 64;

/// The most short parts on disk that a log has before they are put together in few long ones.
const SHORT_PARTS: usize = 64;

/// A part of a near log is short below this many bytes. What a log wrote of full blocks, packed, takes more: to put it together
/// would hardly make the list of parts shorter, and all of it is read soon.
fn short_of_near(space: &Space) -> usize {
    space.pool.block_bytes() / 4
}

impl<I: Lane, const N: usize> LevelQueue<I, N> {
    /// An empty queue of `logs` logs, for one worker.
    ///
    /// # Errors
    /// `BudgetExceeded` when the tables have no room for so many logs, even empty.
    pub fn new(logs: usize, space: &Space) -> Result<Self> {
        let charge = space.charge_sweep(Self::bytes(logs), "a sweep over so many levels")?;
        let quota = space.pool.limit(Share::Queue) / space.limits.workers;
        let empty = |count| (0..count).map(|_| Spool::new(Share::Queue)).collect();
        let (logs, groups) = (empty(logs), empty(logs.div_ceil(GROUP)));
        let (spare, fillings) = (Vec::new(), Fillings::default());
        Ok(Self { logs, groups, near: 1, spare, quota, held: 0, fillings, _charge: charge })
    }

    /// Bytes of tables that a queue of `logs` logs takes.
    pub fn bytes(logs: usize) -> usize {
        // 64 bytes a log are for a few small tables that a sweep keeps beside its queue.
        let spools = logs + logs.div_ceil(GROUP);
        spools * size_of::<Spool<I, N>>() + logs * 64
    }

    /// Pushes `record` to `log`.
    #[expect(clippy::missing_panics_doc, reason = "a log that made room has room")]
    #[inline(always)]
    pub fn push(&mut self, log: usize, record: [I; N], space: &Space) -> Result<()> {
        if !self.logs[log].push(record) {
            self.make_room(log, space)?;
            assert!(self.logs[log].push(record), "a log that made room has room");
        }
        Ok(())
    }

    /// Pushes all of `records` to `log`, like [`push`](Self::push).
    pub fn push_all(&mut self, log: usize, mut records: &[[I; N]], space: &Space) -> Result<()> {
        while !records.is_empty() {
            records = self.logs[log].push_some(records);
            if !records.is_empty() {
                self.make_room(log, space)?;
            }
        }
        Ok(())
    }

    /// The number of records in `log`; all logs of the groups before its own have been taken.
    pub fn count(&mut self, log: usize, space: &Space) -> Result<u64> {
        self.give_out(log, space)?;
        Ok(self.logs[log].count())
    }

    /// Whether `is` holds for all records in `log`; if that is the first of a group, also for those that the group shares.
    pub fn all(&self, log: usize, space: &Space, mut is: impl FnMut(&[I; N]) -> bool) -> Result<bool> {
        let first = log.is_multiple_of(GROUP);
        Ok(self.logs[log].all(space, &mut is)? && (!first || self.groups[log / GROUP].all(space, is)?))
    }

    /// Takes `log`, which comes before all others that have not been taken, out of the queue.
    pub fn take(&mut self, log: usize, space: &Space) -> Result<Spool<I, N>> {
        self.give_out(log, space)?;
        Ok(self.take_out(log))
    }

    fn take_out(&mut self, log: usize) -> Spool<I, N> {
        let taken = mem::replace(&mut self.logs[log], Spool::new(Share::Queue));
        self.held -= taken.memory();
        taken
    }

    /// The records in `logs` of the queues of all `owners`, as one log.
    pub fn take_all<O>(
        owners: &mut [O],
        queue_of: impl Fn(&mut O) -> &mut Self,
        logs: Range<usize>,
        space: &Space,
    ) -> Result<Spool<I, N>> {
        if let ([owner], 1) = (&mut *owners, logs.len()) {
            return queue_of(owner).take(logs.start, space);
        }
        let mut all = Spool::new(Share::Queue);
        for owner in owners {
            for log in logs.clone() {
                all.join(queue_of(owner).take(log, space)?);
            }
        }
        Ok(all)
    }

    /// The records in `log` and all logs after it, as one; those before have been taken.
    pub fn take_rest(&mut self, log: usize) -> Spool<I, N> {
        let mut rest = Spool::new(Share::Queue);
        (log..self.logs.len()).for_each(|log| rest.join(self.take_out(log)));
        for group in &mut self.groups {
            rest.join(mem::replace(group, Spool::new(Share::Queue)));
        }
        rest
    }

    /// Gives out what the group of `log`, and the groups before it, share among their logs.
    #[inline]
    fn give_out(&mut self, log: usize, space: &Space) -> Result<()> {
        while self.near <= log / GROUP {
            let mut group = mem::replace(&mut self.groups[self.near], Spool::new(Share::Queue));
            self.near += 1;
            group.drain_group(space, |log, records| self.push_all(log as usize, records, space))?;
        }
        Ok(())
    }

    /// Keeps the block of a log that has been taken and drained, to be used again.
    pub fn recycle(&mut self, log: Spool<I, N>) {
        let block = log.into_block();
        if block.is_some() && self.spare.len() < SPARES {
            self.spare.push(block);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, log: usize, space: &Space) -> Result<()> {
        if self.logs[log].has_no_tail()
            && let Some(block) = self.spare.pop()
        {
            self.held += self.logs[log].go_on_in(block);
            return Ok(());
        }
        if let Some(bytes) = self.logs[log].grow(&space.pool) {
            self.held += bytes;
            return Ok(());
        }
        // Where others hold the share, a quarter of the quota is there for this queue in any case: it is not worth writing less at
        // once.
        if self.held >= self.quota / 4 {
            self.evict(space)?;
        }
        let log = &mut self.logs[log];
        self.held += log.grow(&space.pool).unwrap_or_else(|| log.grow_anyway(&space.pool));
        Ok(())
    }

    /// Moves the logs that are needed last to disk until a quarter of the quota is free: so much at once that the search for them
    /// through all logs does not count.
    fn evict(&mut self, space: &Space) -> Result<()> {
        let enough = self.quota / 4;
        let Fillings { groups, short, long, .. } = &mut self.fillings;
        let [mut together, mut short, mut long] =
            [groups, short, long].map(|filling| Bundle::new(Share::Queue, filling, space));
        let mut freed = 0;
        let last_first = self.logs.iter_mut().enumerate().rev();
        for (at, log) in last_first.filter(|(_, log)| log.is_resident()) {
            if freed > enough {
                break;
            }
            freed += match at / GROUP {
                _ if log.is_long() => log.evict(&mut long)?,
                group if group < self.near => log.evict(&mut short)?,
                group => log.evict_to(&mut self.groups[group], at as u32, &mut together)?,
            };
        }
        self.held -= freed;
        [together, short, long].into_iter().try_for_each(|mut bundle| bundle.finish())?;
        self.gather(space)
    }

    /// Puts the short parts of groups, and of near logs, together where there are many, so that the lists of parts in memory grow
    /// with the number of logs, and not with the bytes on disk.
    fn gather(&mut self, space: &Space) -> Result<()> {
        let near = self.logs.len().min(self.near * GROUP);
        let Fillings { gathered, gathered_near, .. } = &mut self.fillings;
        let all = [
            (&mut self.groups[..], space.pool.largest() / 2, gathered),
            (&mut self.logs[..near], short_of_near(space), gathered_near),
        ];
        for (logs, below, filling) in all {
            let mut bundle = Bundle::new(Share::Queue, filling, space);
            // Records in memory go to disk first: the search for logs to evict stops before it comes to those needed soonest.
            let many = |log: &&mut Spool<I, N>| !log.is_resident() && log.short_parts(below) > SHORT_PARTS;
            for log in logs.iter_mut().filter(many) {
                gather(log, below, &mut bundle, space)?;
            }
            bundle.finish()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BinaryHeap, sync::atomic::Ordering::Relaxed};

    use fastrand::Rng;

    use super::*;
    use crate::disk::{pool::Class, sorter::Sorter, space::testing};

    /// Bytes written so far.
    fn spilled(space: &Space) -> u64 {
        space.scratch.meter.spilled_bytes.load(Relaxed)
    }

    /// The most bytes that were on disk at once.
    fn peak(space: &Space) -> u64 {
        space.scratch.meter.peak_placed_bytes.load(Relaxed)
    }

    #[test]
    fn a_queue_beside_others_that_hold_the_share_writes_more_than_it_wastes() {
        let space = testing::space_with(|limits| {
            (limits.block, limits.queue, limits.compress, limits.workers) = (16 << 10, 1 << 20, false, 2);
        });
        let _others: Vec<_> = std::iter::from_fn(|| space.pool.take(Share::Queue, Class::Small)).collect();
        let mut queue = LevelQueue::<u32, 3>::new(4, &space).expect("room for tables");
        for at in 0..100_000 {
            queue.push(2 + at as usize % 2, [at; 3], &space).expect("room on disk");
        }
        assert!(spilled(&space) > 900_000);
        assert!(space.scratch.meter.temp_bytes.load(Relaxed) < 2_000_000);
        for level in 2..4 {
            assert_eq!(queue.take(level, &space).expect("room on disk").count(), 50_000);
        }
        assert_eq!(queue.held, 0);
    }

    #[test]
    fn a_queue_beside_others_takes_little_for_a_level_of_one_record() {
        const LEVELS: usize = 1000;
        let space = testing::space_with(|limits| (limits.block, limits.queue, limits.workers) = (64 << 10, 8 << 20, 2));
        let _others: Vec<_> = std::iter::from_fn(|| space.pool.take(Share::Queue, Class::Small)).collect();
        let mut queue = LevelQueue::<u32, 3>::new(LEVELS, &space).expect("room for tables");
        for level in 0..LEVELS {
            queue.push(level, [1; 3], &space).expect("room on disk");
        }
        assert!(queue.held <= LEVELS * 256 && spilled(&space) == 0, "{} bytes", queue.held);
    }

    #[test]
    fn records_for_the_last_level_do_not_keep_the_place_of_all_before() -> Result<()> {
        const LEVELS: usize = 60;
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (4 << 10, 256 << 10, false));
        let mut queue = LevelQueue::<u32, 3>::new(LEVELS, &space)?;
        for level in 0..LEVELS - 1 {
            (0..30_000).try_for_each(|at| queue.push(level + 1, [at; 3], &space))?;
            queue.push(LEVELS - 1, [0; 3], &space)?;
            queue.take(level, &space)?.drain(&space, |_| Ok(()))?;
        }
        let (spilled, peak) = (spilled(&space), peak(&space));
        assert!(spilled > 8_000_000 && peak < 1_500_000, "{spilled} bytes written, {peak} at the peak");
        Ok(())
    }

    #[test]
    fn levels_that_are_taken_again_and_again_lose_nothing() -> Result<()> {
        const AGAIN: usize = 2 * GROUP + 3;
        let space = testing::space_with(|limits| (limits.block, limits.queue) = (4 << 10, 16 << 10));
        let mut queue = LevelQueue::<u32, 3>::new(3 * AGAIN, &space)?;
        for level in AGAIN..3 * AGAIN {
            for at in 0..1000 {
                queue.push(at % AGAIN, [level as u32, at as u32, 0], &space)?;
                queue.push(level, [at as u32; 3], &space)?;
            }
            let mut found = Vec::new();
            for again in 0..AGAIN {
                queue.take(again, &space)?.drain(&space, |records| {
                    found.extend(records.iter().map(|record| (record[0], record[1])));
                    Ok(())
                })?;
            }
            found.sort_unstable();
            assert!(found.into_iter().eq((0..1000).map(|at| (level as u32, at))));
            assert_eq!(queue.take(level, &space)?.count(), 1000);
        }
        assert!(queue.held == 0 && spilled(&space) > 0);
        Ok(())
    }

    #[test]
    fn a_queue_after_many_small_logs_has_its_share_for_large_ones() {
        const SHARE: usize = 1 << 20;
        const SMALL: usize = SHARE / 256;
        let space = testing::space_with(|limits| (limits.block, limits.queue) = (16 << 10, SHARE));
        let mut queue = LevelQueue::<u32, 3>::new(SMALL + 1, &space).expect("room for tables");
        for level in 0..SMALL {
            queue.push(level, [1; 3], &space).expect("room");
        }
        for level in 0..SMALL {
            let mut log = queue.take(level, &space).expect("no disk");
            log.drain(&space, |_| Ok(())).expect("one record");
            queue.recycle(log);
        }
        for at in 0..50_000 {
            queue.push(SMALL, [at; 3], &space).expect("room");
        }
        assert_eq!(spilled(&space), 0);
    }

    /// The level, of `levels`, that the record `at` is scattered to.
    fn level_of(at: u32, levels: usize) -> usize {
        at.wrapping_mul(0x9e37_79b1) as usize % levels
    }

    /// A queue of `records` records, scattered over its `levels`.
    fn scattered(records: u32, levels: usize, space: &Space) -> Result<LevelQueue<u32, 3>> {
        let mut queue = LevelQueue::new(levels, space)?;
        (0..records).try_for_each(|at| queue.push(level_of(at, levels), [at; 3], space))?;
        Ok(queue)
    }

    /// Takes all levels of a queue of scattered `records`, and checks that each gives all of its own.
    fn check_scattered(mut queue: LevelQueue<u32, 3>, records: u32, space: &Space) -> Result<()> {
        let levels = queue.logs.len();
        for level in 0..levels {
            let mut seen = Vec::new();
            queue.take(level, space)?.drain_each(space, |[at, ..]| {
                seen.push(at);
                Ok(())
            })?;
            seen.sort_unstable();
            assert!(seen.into_iter().eq((0..records).filter(|&at| level_of(at, levels) == level)), "level {level}");
        }
        Ok(())
    }

    #[test]
    fn what_many_short_logs_have_on_disk_takes_few_parts() -> Result<()> {
        const LEVELS: usize = 2_000;
        const RECORDS: u32 = 500_000;
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (4 << 10, 512 << 10, false));
        let mut queue = scattered(RECORDS, LEVELS, &space)?;
        let (spilled, logs) = (spilled(&space), queue.logs.drain(..).chain(queue.groups));
        let parts: usize = logs.map(|log| log.into_parts().1.len()).sum();
        // Most logs have one record when they go to disk.
        assert!(spilled > 5_000_000 && parts < RECORDS as usize / 16, "{parts} parts of {spilled} bytes");
        Ok(())
    }

    #[test]
    fn what_groups_have_on_disk_is_gathered_and_all_of_it_comes_back() -> Result<()> {
        const LEVELS: usize = 1_000;
        const RECORDS: u32 = 2_000_000;
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (4 << 10, 256 << 10, false));
        let queue = scattered(RECORDS, LEVELS, &space)?;
        let records_bytes = u64::from(RECORDS) * 12;
        let (spilled, peak) = (spilled(&space), peak(&space));
        let times = spilled / records_bytes;
        assert!((3..8).contains(&times) && peak < 2 * records_bytes, "{spilled} bytes written, {peak} at the peak");
        assert!(queue.groups.iter().all(|group| group.short_parts(space.pool.largest() / 2) <= SHORT_PARTS));
        check_scattered(queue, RECORDS, &space)
    }

    #[test]
    fn what_near_levels_have_on_disk_is_gathered_and_all_of_it_comes_back() -> Result<()> {
        const RECORDS: u32 = 1_000_000;
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (4 << 10, 256 << 10, false));
        // A level's log goes to disk with about a hundred records, a quarter of a block.
        let queue = scattered(RECORDS, GROUP, &space)?;
        let (records_bytes, spilled) = (u64::from(RECORDS) * 12, spilled(&space));
        assert!((1..4).contains(&(spilled / records_bytes)), "{spilled} bytes written");
        assert!(
            queue.logs.iter().all(|log| log.short_parts(short_of_near(&space)) <= SHORT_PARTS && log.count() > 10_000)
        );
        check_scattered(queue, RECORDS, &space)
    }

    #[test]
    fn no_record_stays_in_memory_before_some_on_disk_when_far_levels_come_near() -> Result<()> {
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (4 << 10, 256 << 10, false));
        let mut queue = LevelQueue::<u32, 3>::new(3 * GROUP, &space)?;
        let push_some = |queue: &mut LevelQueue<u32, 3>, level, count| {
            (0..count).try_for_each(|at| queue.push(level, [at; 3], &space))
        };
        // Long logs of levels that are far: many parts of a block or two.
        for level in (GROUP + 1..GROUP + 9).cycle().take(8_000) {
            push_some(&mut queue, level, 400)?;
        }
        (0..=GROUP + 1).try_for_each(|level| queue.take(level, &space)?.drain(&space, |_| Ok(())))?;
        // One that is near has more in memory, and others make room.
        push_some(&mut queue, GROUP + 2, 8_000)?;
        let before = spilled(&space);
        push_some(&mut queue, 2 * GROUP + 5, 300_000)?;
        assert!(queue.logs.iter().all(|log| log.is_resident() || log.memory() == 0));
        assert!(spilled(&space) - before < 300_000 * 12 * 3 / 2, "long parts are written again");
        assert_eq!(queue.take(GROUP + 2, &space)?.count(), 400_000 + 8_000);
        Ok(())
    }

    /// Pushes to each level as it is reached and to those behind it, `pushes` records in the first third of the levels and 10
    /// later, to a queue and to its obviously right twin, one heap over everything, and compares what they give.
    fn compare_with_a_heap(levels: u32, pushes: u32, space: &Space) -> Result<()> {
        let mut queue = LevelQueue::<u32, 3>::new(levels as usize, space)?;
        let mut heap = BinaryHeap::new();
        let mut sorter = Sorter::default();
        let mut random = Rng::with_seed(5);
        for level in 0..levels {
            for _ in 0..if level < levels / 3 { pushes } else { 10 } {
                let target = random.u32(level..levels);
                let record = [random.u32(..500), random.u32(..3), random.u32(..)];
                queue.push(target as usize, record, space)?;
                heap.push(std::cmp::Reverse((target, record)));
            }
            let mut found = Vec::new();
            sorter.sort(&mut queue.take(level as usize, space)?, 2, space, &mut |batch| {
                found.extend_from_slice(batch);
                Ok(())
            })?;
            assert!(found.is_sorted_by_key(|record| (record[0], record[1])));
            found.sort_unstable();
            for record in found {
                assert_eq!(heap.pop(), Some(std::cmp::Reverse((level, record))));
            }
            assert!(heap.peek().is_none_or(|next| next.0.0 > level));
        }
        assert!(heap.is_empty() && queue.held == 0);
        Ok(())
    }

    #[test]
    fn a_queue_under_any_budget_gives_what_a_heap_gives() {
        for queue in [0, 9_000, 30_000, 10_000_000] {
            for sort in [700, 3000, 10_000_000] {
                let space = testing::space_with(|limits| {
                    limits.block = 4096;
                    (limits.queue, limits.sort) = (queue, sort);
                });
                compare_with_a_heap(12, 900, &space).expect("room on disk");
                compare_with_a_heap(4 * GROUP as u32 + 7, 300, &space).expect("room on disk");
            }
        }
    }
}

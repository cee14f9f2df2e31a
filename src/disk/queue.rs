//! `LevelQueue`: the priority queue of time-forward processing, without a heap.
//!
//! Every record names the level it is for, and all records for a level are pushed before that level is taken. So there is
//! one log per level still to come, and a level's log is sorted when its turn comes. When the queue's share of the budget is
//! used up, the logs that are needed last go to disk.
//!
//! After: L. Arge, "The Buffer Tree", 1995 (time-forward processing); S. C. Sølvsten, J. van de Pol, "Adiar 1.1", 2023
//! (levelised queues).

use std::ops::Range;

use super::{
    lane::Lane,
    pool::{Block, Charge, Share},
    space::Space,
    spool::Spool,
    stretch::{Bundle, Filling},
};
use crate::error::Result;

/// One log of records per level; levels are taken in the order 0, 1, 2, …
#[derive(Debug)]
pub struct LevelQueue<I, const N: usize> {
    levels: Vec<Spool<I, N>>,
    /// The blocks of small logs that are done with: to take one from the pool costs as much as a small level.
    spare: Vec<Block>,
    /// Its part of the queues' own share, a quarter of which it has in any case, and the bytes that its logs hold.
    quota: usize,
    held: usize,
    /// Where short and long logs go on on disk: a short one that is needed late would keep the place of long ones before it.
    fillings: [Filling; 2],
    /// For the logs themselves.
    _charge: Charge,
}

/// Blocks of small logs that a queue keeps, beyond what it holds: so few that nobody misses them.
const SPARES: usize = 16;

impl<I: Lane, const N: usize> LevelQueue<I, N> {
    /// An empty queue of `levels` levels, one of so many `queues` that use their share at the same time.
    ///
    /// # Errors
    /// `BudgetExceeded` when the share of tables has no room for so many, even empty.
    pub fn new(levels: usize, queues: usize, space: &Space) -> Result<Self> {
        let charge = Self::charge(levels, space)?;
        let quota = space.pool.limit(Share::Queue) / queues;
        let levels = (0..levels).map(|_| Spool::new(Share::Queue)).collect();
        Ok(Self { levels, spare: Vec::new(), quota, held: 0, fillings: Default::default(), _charge: charge })
    }

    /// Charges the tables of queues with so many `levels` in all.
    ///
    /// # Errors
    /// `BudgetExceeded` when the share of tables has no room for so many.
    pub fn charge(levels: usize, space: &Space) -> Result<Charge> {
        // A sweep keeps a few small tables beside its queue, by level.
        space.pool.charge(levels * (size_of::<Spool<I, N>>() + 64), "a queue of so many levels")
    }

    /// Pushes `record` for `level`, which has not been taken.
    #[inline(always)]
    pub fn push(&mut self, level: usize, record: [I; N], space: &Space) -> Result<()> {
        if !self.levels[level].push(record) {
            self.make_room(level, space)?;
            assert!(self.levels[level].push(record), "a log that made room has room");
        }
        Ok(())
    }

    /// Pushes all of `records` for `level`, like [`push`](Self::push).
    pub fn push_all(&mut self, level: usize, mut records: &[[I; N]], space: &Space) -> Result<()> {
        while !records.is_empty() {
            records = self.levels[level].push_some(records);
            if !records.is_empty() {
                self.make_room(level, space)?;
            }
        }
        Ok(())
    }

    /// How many records there are for `level`.
    pub fn count(&self, level: usize) -> u64 {
        self.levels[level].count()
    }

    /// Whether `is` holds for all records for `level`.
    pub fn all(&self, level: usize, space: &Space, is: impl FnMut(&[I; N]) -> bool) -> Result<bool> {
        self.levels[level].all(space, is)
    }

    /// The records for `level`; its log is then gone from the queue.
    pub fn take(&mut self, level: usize) -> Spool<I, N> {
        let log = std::mem::replace(&mut self.levels[level], Spool::new(Share::Queue));
        self.held -= log.memory();
        log
    }

    /// The records for `levels` of the queues of all `owners`, as one log.
    pub fn take_all<O>(owners: &mut [O], queue_of: impl Fn(&mut O) -> &mut Self, levels: Range<usize>) -> Spool<I, N> {
        if let ([owner], 1) = (&mut *owners, levels.len()) {
            return queue_of(owner).take(levels.start);
        }
        let mut all = Spool::new(Share::Queue);
        for owner in owners {
            levels.clone().for_each(|level| all.join(queue_of(owner).take(level)));
        }
        all
    }

    /// Takes back what is left of a log that has been taken and drained.
    pub fn recycle(&mut self, log: Spool<I, N>) {
        let block = log.into_block();
        if block.is_some() && self.spare.len() < SPARES {
            self.spare.push(block);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, level: usize, space: &Space) -> Result<()> {
        if self.levels[level].has_no_tail()
            && let Some(block) = self.spare.pop()
        {
            self.held += self.levels[level].go_on_in(block);
            return Ok(());
        }
        if let Some(bytes) = self.levels[level].grow(&space.pool) {
            self.held += bytes;
            return Ok(());
        }
        // Where others hold the share, a quarter of the quota is there for this queue in any case: to write less is not worth it.
        if self.held >= self.quota / 4 {
            self.evict(space)?;
        }
        let log = &mut self.levels[level];
        self.held += log.grow(&space.pool).unwrap_or_else(|| log.grow_anyway(&space.pool));
        Ok(())
    }

    /// Moves the logs that are needed last to disk, until a quarter of the quota is free: so much at once that looking
    /// through all levels for them does not count.
    fn evict(&mut self, space: &Space) -> Result<()> {
        let enough = self.quota / 4;
        let [mut short, mut long] = self.fillings.each_mut().map(|filling| Bundle::new(Share::Queue, filling, space));
        let mut freed = 0;
        for log in self.levels.iter_mut().rev() {
            if freed > enough {
                break;
            }
            let bundle = if log.resident() < space.pool.block_bytes() { &mut short } else { &mut long };
            freed += log.evict(bundle)?;
        }
        self.held -= freed;
        short.finish()?;
        long.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BinaryHeap, sync::atomic::Ordering::Relaxed};

    use super::*;
    use crate::disk::{pool::Class, sorter::Sorter, space::testing};

    #[test]
    fn a_queue_beside_others_that_hold_the_share_writes_more_than_it_wastes() {
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (16 << 10, 1 << 20, false));
        let _others: Vec<_> = std::iter::from_fn(|| space.pool.take(Share::Queue, Class::Small)).collect();
        let mut queue = LevelQueue::<u32, 3>::new(4, 2, &space).expect("room for tables");
        for at in 0..100_000 {
            queue.push(2 + at as usize % 2, [at; 3], &space).expect("room on disk");
        }
        assert!(space.meter.spilled_bytes.load(Relaxed) > 900_000);
        assert!(space.meter.temp_bytes.load(Relaxed) < 2_000_000);
        for level in 2..4 {
            assert_eq!(queue.take(level).count(), 50_000);
        }
        assert_eq!(queue.held, 0);
    }

    #[test]
    fn records_for_the_last_level_do_not_keep_the_place_of_all_before() -> Result<()> {
        const LEVELS: usize = 60;
        let space =
            testing::space_with(|limits| (limits.block, limits.queue, limits.compress) = (4 << 10, 256 << 10, false));
        let mut queue = LevelQueue::<u32, 3>::new(LEVELS, 1, &space)?;
        for level in 0..LEVELS - 1 {
            (0..30_000).try_for_each(|at| queue.push(level + 1, [at; 3], &space))?;
            queue.push(LEVELS - 1, [0; 3], &space)?;
            queue.take(level).drain(&space, |_| Ok(()))?;
        }
        let (spilled, peak) = (space.meter.spilled_bytes.load(Relaxed), space.meter.peak_temp_bytes.load(Relaxed));
        assert!(spilled > 8_000_000 && peak < 1_500_000, "{spilled} bytes written, {peak} at the peak");
        Ok(())
    }

    #[test]
    fn a_queue_after_many_small_logs_has_its_share_for_large_ones() {
        const SHARE: usize = 1 << 20;
        const SMALL: usize = SHARE / 256;
        let space = testing::space_with(|limits| (limits.block, limits.queue) = (16 << 10, SHARE));
        let mut queue = LevelQueue::<u32, 3>::new(SMALL + 1, 1, &space).expect("room for tables");
        for level in 0..SMALL {
            queue.push(level, [1; 3], &space).expect("room");
        }
        for level in 0..SMALL {
            let mut log = queue.take(level);
            log.drain(&space, |_| Ok(())).expect("one record");
            queue.recycle(log);
        }
        for at in 0..50_000 {
            queue.push(SMALL, [at; 3], &space).expect("room");
        }
        assert_eq!(space.meter.spilled_bytes.load(Relaxed), 0);
    }

    /// The obviously right twin: one heap over everything.
    #[test]
    fn a_queue_under_any_budget_gives_what_a_heap_gives() {
        for queue in [0, 9_000, 30_000, 10_000_000] {
            for sort in [700, 3000, 10_000_000] {
                let space = testing::space_with(|limits| {
                    limits.block = 4096;
                    (limits.queue, limits.sort) = (queue, sort);
                });
                let mut queue = LevelQueue::<u32, 3>::new(12, 1, &space).expect("room for tables");
                let mut heap = BinaryHeap::new();
                let mut sorter = Sorter::default();
                let mut state = 5u32;
                let outcome: Result<()> = (0..12).try_for_each(|level| {
                    let pushes = if level < 4 { 900 } else { 10 };
                    for _ in 0..pushes {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        let target = level + (state >> 8) % (12 - level);
                        let record = [(state >> 12) % 500, state % 3, state];
                        queue.push(target as usize, record, &space)?;
                        heap.push(std::cmp::Reverse((target, record)));
                    }
                    let mut found = Vec::new();
                    sorter.sort(&mut queue.take(level as usize), 2, &space, &mut |batch| {
                        found.extend_from_slice(batch);
                        Ok(())
                    })?;
                    assert!(found.is_sorted_by_key(|record| (record[0], record[1])));
                    found.sort_unstable();
                    for record in found {
                        assert_eq!(heap.pop(), Some(std::cmp::Reverse((level, record))));
                    }
                    assert!(heap.peek().is_none_or(|next| next.0.0 > level));
                    Ok(())
                });
                outcome.expect("room on disk");
                assert!(heap.is_empty());
            }
        }
    }
}

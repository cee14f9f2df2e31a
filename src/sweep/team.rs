//! Several threads inside one level.
//!
//! ```text
//!   requests of a level ─┬─► those of worker 0 ─► its nodes, its arcs ─► a queue of its own ─┐ sorted out by worker
//!                        └─► those of worker 1 ─► its nodes, its arcs ─► a queue of its own ─┴─► next level
//! ```
//! A request belongs to one worker, whoever asks, so that equal ones meet; its node and all that becomes of that belong to the
//! same worker. Nobody shares anything that changes, and all wait for each other between two steps of a level.

use std::{
    ops::Range,
    sync::atomic::{
        AtomicUsize,
        Ordering::{Acquire, Release},
    },
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    disk::lane::Lane,
    error::{Error, Result},
};

/// How records are parted among workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// Workers less one.
    others: u32,
    /// There are `1 << shift` logs a level: a power of two, so that a slot tells which is its own.
    pub shift: u32,
    /// Logs a level less one.
    mask: usize,
}

impl Parts {
    /// Parts for so many workers.
    pub fn new(workers: usize) -> Self {
        let logs = workers.next_power_of_two();
        Self { others: workers as u32 - 1, shift: logs.ilog2(), mask: logs - 1 }
    }

    /// How many workers there are.
    pub fn workers(self) -> usize {
        self.others as usize + 1
    }

    /// The logs of a queue for `level`.
    pub fn logs(self, level: usize) -> Range<usize> {
        level << self.shift..(level + 1) << self.shift
    }

    /// The log of a queue for what `worker` has to do on `level`.
    pub fn log_of_worker(self, level: usize, worker: usize) -> Range<usize> {
        let log = (level << self.shift) + worker;
        log..log + 1
    }

    /// The log of a queue for a request with these `ids` on `level`, of which `slices` tells how it is parted.
    #[inline(always)]
    pub fn log_of_request<I: Lane>(self, level: usize, ids: &[I], slices: &[Slices]) -> usize {
        if self.others == 0 {
            return level;
        }
        let slices = &slices[level];
        let offset = ids[slices.lane].get().wrapping_sub(slices.first);
        let (part, parts) = if offset < slices.count {
            (offset, slices.scale)
        } else {
            // Neighbours stay together, for they are read together. The factor is 2^64 divided by the golden ratio: what ids
            // have in common does not matter.
            let all = ids.iter().fold(0u64, |all, id| all.rotate_left(23) ^ (id.get() >> 4));
            (all.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32, u64::from(self.others) + 1)
        };
        (level << self.shift) + ((part * parts) >> 32) as usize
    }

    /// Which of the workers a record of this number belongs to.
    #[inline(always)]
    pub fn owner(self, number: u64) -> usize {
        number as usize & self.mask
    }

    /// The log of a queue for what arrives at `slot` on a level of which the logs begin with `first`.
    #[inline(always)]
    pub fn log_of_slot(self, first: usize, slot: u64) -> usize {
        first + self.owner(slot)
    }
}

/// How the requests of a level are parted: by where one of their ids is among those of the level, or, where it is not there, by
/// all ids. What follows from a request is mostly at about the same place one level below, so that it is the same worker's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slices {
    lane: usize,
    first: u64,
    count: u64,
    /// Each worker has 2^32 units; so many of them are one id's.
    scale: u64,
}

impl Slices {
    /// The slices of levels of which so many ids from `first` on are in each of the lanes: of the one that has most of them.
    pub fn of(lanes: impl Iterator<Item = (u64, u64)>, workers: usize) -> Self {
        let most = lanes.enumerate().max_by_key(|&(lane, (_, count))| (count, std::cmp::Reverse(lane)));
        match most {
            Some((lane, (first, count))) if count >= LEAST * workers as u64 => {
                Self { lane, first, count, scale: ((workers as u64) << 32) / count }
            }
            _ => Self::default(),
        }
    }
}

/// Ids for each worker that a level has at least where it is parted by them.
const LEAST: u64 = 64;

/// Looks at the others before one sleeps until they are done: some 50 µs. To yield instead costs a time slice for every wait
/// where other programs want the processor.
const SPINS: usize = 2000;

/// The threads of a store.
#[derive(Debug, Default)]
pub struct Team {
    /// The others, if there are any.
    pool: Option<ThreadPool>,
}

impl Team {
    /// A team of so many, of which the caller is one.
    ///
    /// # Errors
    /// `NotEnoughThreads` when the system does not give so many.
    pub fn new(threads: usize) -> Result<Self> {
        if threads == 1 {
            return Ok(Self::default());
        }
        let others = ThreadPoolBuilder::new().num_threads(threads - 1).thread_name(|at| format!("strata {}", at + 1));
        let fail = |error| Error::NotEnoughThreads { threads, source: std::io::Error::other(error) };
        Ok(Self { pool: Some(others.build().map_err(fail)?) })
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        1 + self.pool.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Does `work` on each of `items`, one for each of the team or fewer, all at once.
    pub fn each<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> Result<R> + Sync) -> Result<Vec<R>> {
        let Some(pool) = self.pool.as_ref().filter(|_| items.len() > 1) else {
            return items.into_iter().map(work).collect();
        };
        let mut done: Vec<Option<Result<R>>> = items.iter().map(|_| None).collect();
        let mut tasks = items.into_iter().zip(&mut done);
        let own = tasks.next();
        let left = AtomicUsize::new(tasks.len());
        pool.in_place_scope(|scope| {
            let (work, left) = (&work, &left);
            for (item, done) in tasks {
                scope.spawn(move |_| {
                    *done = Some(work(item));
                    left.fetch_sub(1, Release);
                });
            }
            if let Some((item, done)) = own {
                *done = Some(work(item));
            }
            // To sleep and to be woken takes longer than most waits.
            for _ in 0..SPINS {
                if left.load(Acquire) == 0 {
                    break;
                }
                std::hint::spin_loop();
            }
        });
        done.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_give_every_worker_as_many_ids_in_a_row() {
        for workers in [2, 3, 5, 1000] {
            let count = 70 * workers as u64 + 1;
            // Most ids are in the second lane.
            let slices = [Slices::default(), Slices::of([(0, 9), (1000, count)].into_iter(), workers)];
            let parts = Parts::new(workers);
            let log = |id: u64| parts.log_of_request(1, &[7, id], &slices) - parts.logs(1).start;
            let logs: Vec<_> = (1000..1000 + count).map(log).collect();
            assert!(logs.is_sorted());
            for worker in 0..workers {
                let own = logs.iter().filter(|&&log| log == worker).count();
                assert!((69..=72).contains(&own), "{own} of {count} for {worker} of {workers}");
            }
            // Elsewhere all ids tell.
            assert!((0..1000).all(|id| log(id) < workers));
            assert!((0..1000).any(|id| log(id) != log(0)));
        }
    }
}

//! Several threads inside one level.
//!
//! ```text
//!   requests of a level ─┬─► those of worker 0 ─► its nodes, its arcs ─► a queue of its own ─┐ sorted out by worker
//!                        └─► those of worker 1 ─► its nodes, its arcs ─► a queue of its own ─┴─► next level
//! ```
//! A request belongs to one worker, whoever asks, so that equal ones meet; its node, and all that follows from it, belongs to the
//! same worker. But a worker that is done before others takes some of the requests they have sorted, and makes these nodes its own.
//! Workers share nothing else that changes, and all wait for each other between two steps of a level.

use std::{
    iter,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicBool, AtomicUsize,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
    thread::available_parallelism,
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::lateness::Lateness;
use crate::error::{Error, Result};

/// Looks at the others before a thread sleeps until there is more to do: some 100 µs, about what it takes to sleep and be woken. To
/// yield instead costs a time slice for every wait where other programs want the processor.
const IDLE: u32 = 4000;

/// Looks at the others before the caller sleeps until they are done: some 1 ms, since a caller that is woken late delays the whole
/// level.
const WAITING: u32 = 10 * IDLE;

/// Nanoseconds that a look takes, roughly.
const LOOK: u128 = 25;

/// Waits until `is` holds, for at most `most` looks.
fn spin_until(most: u32, is: impl Fn() -> bool) {
    for _ in 0..most {
        if is() {
            break;
        }
        std::hint::spin_loop();
    }
}

/// The threads of a store.
#[derive(Debug, Default)]
pub struct Team {
    /// The other threads, if there are any.
    pool: Option<ThreadPool>,
    /// How often there has been work for them: a thread that stays awake sees here that there is more.
    turns: Arc<AtomicUsize>,
    /// Whether each thread can have a processor: otherwise one that stays awake keeps others from working.
    awake: bool,
    lateness: Mutex<Lateness>,
    /// The longest time for which the caller goes on alone where the others start too late.
    late: Duration,
}

impl Team {
    /// A team of `threads` threads, the caller among them; where the others start too late, the caller goes on alone for at most
    /// `late` before it tries them again.
    ///
    /// # Errors
    /// `NotEnoughThreads` when the system does not give so many.
    pub fn new(threads: usize, late: Duration) -> Result<Self> {
        if threads == 1 {
            return Ok(Self::default());
        }
        let others = ThreadPoolBuilder::new().num_threads(threads - 1).thread_name(|at| format!("strata {}", at + 1));
        let fail = |error| Error::NotEnoughThreads { threads, source: std::io::Error::other(error) };
        let awake = available_parallelism().is_ok_and(|processors| processors.get() >= threads);
        Ok(Self {
            pool: Some(others.build().map_err(fail)?),
            turns: Arc::default(),
            awake,
            lateness: Mutex::default(),
            late,
        })
    }

    /// The number of threads, the caller's included.
    pub fn size(&self) -> usize {
        1 + self.pool.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    fn lateness(&self) -> MutexGuard<'_, Lateness> {
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `work` on each of `items`, no more than one for each thread, all at once; one after the other where the other threads
    /// start too late. So no `work` may wait for another.
    pub fn each<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> Result<R> + Sync) -> Result<Vec<R>> {
        let start = Instant::now();
        let Some(pool) = self.pool.as_ref().filter(|_| items.len() > 1 && !self.lateness().avoids_sharing(start))
        else {
            return items.into_iter().map(work).collect();
        };
        let mut done: Vec<Option<Result<R>>> = items.iter().map(|_| None).collect();
        let mut tasks = items.into_iter().zip(&mut done);
        let own = tasks.next();
        let (left, had_begun) = (AtomicUsize::new(tasks.len()), AtomicBool::new(false));
        let turn = self.turns.fetch_add(1, Release) + 1;
        let idle = if self.awake { IDLE } else { 0 };
        pool.in_place_scope(|scope| {
            let (work, left, had_begun) = (&work, &left, &had_begun);
            for (item, done) in tasks {
                let turns = self.turns.clone();
                scope.spawn(move |_| {
                    had_begun.store(true, Relaxed);
                    *done = Some(work(item));
                    left.fetch_sub(1, Release);
                    // The next work mostly comes soon.
                    if idle > 0 {
                        pool.spawn(move || spin_until(idle, || turns.load(Acquire) != turn));
                    }
                });
            }
            if let Some((item, done)) = own {
                *done = Some(work(item));
            }
            let (now, own) = (Instant::now(), start.elapsed());
            self.lateness().learn(now, own, had_begun.load(Relaxed), self.late);
            // Wait no longer than the caller's own work took, unless that was short.
            let looks = (own.as_nanos() / LOOK).min(WAITING.into()) as u32;
            spin_until(looks.max(idle) * u32::from(self.awake), || left.load(Acquire) == 0);
        });
        done.into_iter().flatten().collect()
    }

    /// Does `work` on each of `items` at one of `desks`, no more than one for each thread: a thread that is free takes the next
    /// item.
    pub fn share<D: Send, T: Send, R: Send>(
        &self,
        mut desks: Vec<D>,
        items: Vec<T>,
        work: impl Fn(&mut D, T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        debug_assert!(!desks.is_empty(), "somebody to do it");
        desks.truncate(items.len());
        let left = Mutex::new((0usize..).zip(items));
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let mut done: Vec<_> = self
            .each(desks, |mut desk| {
                let each = iter::from_fn(next).map(|(at, item)| Ok((at, work(&mut desk, item)?)));
                each.collect::<Result<Vec<_>>>()
            })?
            .into_iter()
            .flatten()
            .collect();
        done.sort_unstable_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_shared_items_is_in_their_order_whoever_takes_them() -> Result<()> {
        for threads in 1..4 {
            let team = Team::new(threads, Duration::ZERO)?;
            for items in [0, 1, 2, 100] {
                let taken: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
                let squares = team.share(taken.iter().collect(), (0..items).collect(), |taken, item| {
                    taken.fetch_add(1, Release);
                    Ok(item * item)
                })?;
                assert!(squares.into_iter().eq((0..items).map(|item| item * item)));
                assert_eq!(taken.into_iter().map(AtomicUsize::into_inner).sum::<usize>(), items);
            }
            let fail = |(): &mut (), item| if item == 3 { Err(Error::NoThreads) } else { Ok(item) };
            assert!(matches!(team.share(vec![(); threads], (0..9).collect(), fail), Err(Error::NoThreads)));
        }
        Ok(())
    }
}

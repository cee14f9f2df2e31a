//! Several threads inside one level.
//!
//! ```text
//!   requests of a level ─┬─► those of worker 0 ─► its nodes, its arcs ─► a queue of its own ─┐ sorted out by worker
//!                        └─► those of worker 1 ─► its nodes, its arcs ─► a queue of its own ─┴─► next level
//! ```
//! A request belongs to one worker, whoever asks, so that equal ones meet; its node and all that becomes of that belong to the
//! same worker. But who is done with its own before others takes some of what they have sorted, and the nodes of these are its
//! own. Nobody shares anything else that changes, and all wait for each other between two steps of a level.

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

/// Looks at the others before one sleeps until there is more to do: some 100 µs, which is what to sleep and to be woken would take.
/// To yield instead costs a time slice for every wait where other programs want the processor.
const IDLE: u32 = 4000;

/// Looks at the others before one sleeps until they are done: some 1 ms, for all of a level wait for whoever is woken late.
const WAITING: u32 = 10 * IDLE;

/// Nanoseconds that a look takes, about.
const LOOK: u128 = 25;

/// Waits until `is` holds, for so many looks at most.
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
    /// The others, if there are any.
    pool: Option<ThreadPool>,
    /// How often there has been work for them: who stays awake sees here that there is more.
    turns: Arc<AtomicUsize>,
    /// Whether each can have a processor: else to stay awake keeps others from working.
    awake: bool,
    lateness: Mutex<Lateness>,
    /// For so long it goes on alone at most where the others come too late.
    late: Duration,
}

impl Team {
    /// A team of so many, of which the caller is one; where the others come too late, it goes on alone for `late` at most before it
    /// tries them again.
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

    /// How many there are.
    pub fn size(&self) -> usize {
        1 + self.pool.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    fn lateness(&self) -> MutexGuard<'_, Lateness> {
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `work` on each of `items`, one for each of the team or fewer, all at once; one after the other where the others come too
    /// late. So no `work` may wait for another.
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
            // No longer than its own work took, unless that was short.
            let looks = (own.as_nanos() / LOOK).min(WAITING.into()) as u32;
            spin_until(looks.max(idle) * u32::from(self.awake), || left.load(Acquire) == 0);
        });
        done.into_iter().flatten().collect()
    }

    /// Does `work` on each of `items` at one of `desks`, which are one for each of the team or fewer: whoever is free takes the item
    /// that is next.
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

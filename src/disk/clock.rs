//! Where time goes.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// What time is spent on.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    /// Expand sweeps, with what they sort and wait for.
    Expand,
    /// Reduce sweeps, with what they sort and wait for.
    Reduce,
    /// All other sweeps, with what they sort and wait for.
    Fold,
    /// Bringing the larger levels into order.
    Sort,
    /// Reading and writing temporary files, but for those of the external sorter.
    Disk,
}

const PHASES: usize = 5;

/// Adds up the time spent on each phase.
#[derive(Debug, Default)]
pub struct Clock {
    nanos: [AtomicU64; PHASES],
}

impl Clock {
    /// Counts time for `phase` until the timer is dropped.
    pub fn start(&self, phase: Phase) -> Timer<'_> {
        Timer { nanos: &self.nanos[phase as usize], start: Instant::now() }
    }

    /// The time spent on `phase` so far.
    pub fn spent(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.nanos[phase as usize].load(Relaxed))
    }
}

/// A phase that has begun.
#[derive(Debug)]
pub struct Timer<'a> {
    nanos: &'a AtomicU64,
    start: Instant,
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        let nanos = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Relaxed);
    }
}

//! How long the runs may go on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::Failure;

/// A limit of time for all runs, and whether the user interrupted them.
pub struct Clock {
    start: Instant,
    limit: Duration,
    interrupted: Arc<AtomicBool>,
}

impl Clock {
    /// Starts the clock. From now on, an interrupt ends the runs and not this process.
    pub fn start(limit: Duration) -> Result<Self, Failure> {
        let interrupted = Arc::<AtomicBool>::default();
        let flag = interrupted.clone();
        ctrlc::set_handler(move || flag.store(true, Relaxed))?;
        Ok(Self { start: Instant::now(), limit, interrupted })
    }

    /// Seconds until the limit.
    pub fn left(&self) -> f64 {
        self.limit.saturating_sub(self.start.elapsed()).as_secs_f64()
    }

    /// Whether the user interrupted the runs.
    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    /// Whether a run may go on.
    pub fn goes_on(&self) -> bool {
        !self.interrupted() && self.start.elapsed() < self.limit
    }
}

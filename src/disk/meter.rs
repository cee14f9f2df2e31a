//! Counting what goes to disk, and what time goes to.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use super::clock::Clock;

/// Counts what a store does; always on.
#[derive(Debug, Default)]
pub struct Meter {
    /// Bytes written to temporary files so far.
    pub spilled_bytes: AtomicU64,
    /// Bytes of temporary files that are needed now.
    pub temp_bytes: AtomicU64,
    /// Bytes of temporary files that take disk space, needed or not: now, and at the peak so far.
    pub placed_bytes: AtomicU64,
    pub peak_placed_bytes: AtomicU64,
    /// Levels, and parts of levels, that were distributed over logs, or given to the external sorter, so far.
    pub parted_levels: AtomicU64,
    /// Levels that several threads worked on so far.
    pub shared_levels: AtomicU64,
    /// The time spent so far.
    pub clock: Clock,
}

impl Meter {
    /// Counts `bytes` written.
    pub fn spilled(&self, bytes: u64) {
        self.spilled_bytes.fetch_add(bytes, Relaxed);
    }
}

/// Bytes of temporary files that one owner answers for; given back on drop.
#[derive(Debug)]
pub struct Claim {
    meter: Arc<Meter>,
    held: u64,
    placed: u64,
}

impl Claim {
    /// A claim of no bytes yet.
    pub fn new(meter: Arc<Meter>) -> Self {
        Self { meter, held: 0, placed: 0 }
    }

    /// `bytes` more take disk space.
    pub fn place(&mut self, bytes: u64) {
        self.placed += bytes;
        let now = self.meter.placed_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.meter.peak_placed_bytes.fetch_max(now, Relaxed);
    }

    /// `bytes` of those placed take disk space no more.
    pub fn displace(&mut self, bytes: u64) {
        self.placed -= bytes;
        self.meter.placed_bytes.fetch_sub(bytes, Relaxed);
    }

    /// `bytes` more are needed.
    pub fn hold(&mut self, bytes: u64) {
        self.held += bytes;
        self.meter.temp_bytes.fetch_add(bytes, Relaxed);
    }

    /// `bytes` of those held are not needed any more.
    pub fn let_go(&mut self, bytes: u64) {
        self.held -= bytes;
        self.meter.temp_bytes.fetch_sub(bytes, Relaxed);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.let_go(self.held);
        self.displace(self.placed);
    }
}

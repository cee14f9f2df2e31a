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
    /// Bytes in temporary files that somebody holds now.
    pub temp_bytes: AtomicU64,
    /// The largest `temp_bytes` so far.
    pub peak_temp_bytes: AtomicU64,
    /// Levels, and parts of them, that were parted over logs so far, or given to the external sorter.
    pub parted_levels: AtomicU64,
    /// Levels that several threads worked on so far.
    pub shared_levels: AtomicU64,
    /// The time spent so far.
    pub clock: Clock,
}

impl Meter {
    /// `bytes` were written.
    pub fn spilled(&self, bytes: u64) {
        self.spilled_bytes.fetch_add(bytes, Relaxed);
    }
}

/// Bytes of temporary files that somebody holds; given back on drop.
#[derive(Debug)]
pub struct Claim {
    meter: Arc<Meter>,
    bytes: u64,
}

impl Claim {
    /// A claim of nothing yet.
    pub fn new(meter: Arc<Meter>) -> Self {
        Self { meter, bytes: 0 }
    }

    /// The holder has `bytes` more.
    pub fn grow(&mut self, bytes: u64) {
        self.bytes += bytes;
        let now = self.meter.temp_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.meter.peak_temp_bytes.fetch_max(now, Relaxed);
    }

    /// The holder has `bytes` less.
    pub fn shrink(&mut self, bytes: u64) {
        self.bytes -= bytes;
        self.meter.temp_bytes.fetch_sub(bytes, Relaxed);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.meter.temp_bytes.fetch_sub(self.bytes, Relaxed);
    }
}

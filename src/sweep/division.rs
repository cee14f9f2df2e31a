//! How records are parted among workers: the arithmetic of slots and logs.

use std::ops::Range;

/// How records are parted among workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Division {
    /// Workers less one.
    others: u32,
    /// There are `1 << shift` logs a level: a power of two, so that a slot tells which is its own.
    pub shift: u32,
    /// Logs a level less one.
    mask: usize,
}

impl Division {
    /// That for so many workers.
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
    pub fn log_of_worker(self, level: usize, worker: usize) -> usize {
        (level << self.shift) + worker
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

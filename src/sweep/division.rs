//! How records are divided among workers: the arithmetic of slots and logs.

use std::ops::Range;

/// How records are divided among workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Division {
    /// Workers less one.
    others: u32,
    /// A level has `1 << shift` logs: a power of two, so that a slot tells its log.
    pub shift: u32,
    /// Logs of a level less one.
    mask: usize,
}

impl Division {
    /// The division among `workers` workers.
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

    /// The log of a queue for the records of `worker` on `level`.
    pub fn log_of_worker(self, level: usize, worker: usize) -> usize {
        (level << self.shift) + worker
    }

    /// The worker that the record with this number belongs to.
    #[inline(always)]
    pub fn owner(self, number: u64) -> usize {
        number as usize & self.mask
    }

    /// The log of a queue for what arrives at `slot`, on a level whose logs begin with `first`.
    #[inline(always)]
    pub fn log_of_slot(self, first: usize, slot: u64) -> usize {
        first + self.owner(slot)
    }
}

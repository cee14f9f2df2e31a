//! How the memory of a store is divided.

use super::lane::Lane;

/// How a budget is divided; see TUNING.md. All sizes in bytes unless named otherwise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// A block: the unit of memory, and of diagrams on disk; logs are read back eight blocks at a time.
    pub block: usize,
    /// Requests and results waiting for their level.
    pub queue: usize,
    /// Arcs of the unreduced diagram.
    pub arcs: usize,
    /// Diagrams kept in RAM.
    pub diagrams: usize,
    /// What queue, arcs, diagrams and tables draw on in common when one of them has used up its own share.
    pub common: usize,
    /// What blocks leave of it for the buffers in which workers read and write eight blocks at once; set by
    /// [`for_each_of`](Self::for_each_of). Tables may have it.
    pub buffers: usize,
    /// The arrays in which one level is sorted; a level beyond them is first distributed over several logs.
    pub sort: usize,
    /// Each of two arrays that collect the values of one level; a level that exceeds it goes to logs.
    pub dense: usize,
    /// A level too large for its array goes to at most this many logs, or one more: one for each part that fits the array, or, if
    /// there are more parts than logs, one for up to this many parts, which is cut once more. A level of even more parts goes
    /// through the external sorter.
    pub parts: u64,
    /// The table by which a builder recognises nodes of one level that it has been given before; charged to the tables.
    pub building: usize,
    /// The nodes of a level of the operands that are read at random; a larger level is resolved by one more sort.
    pub window: usize,
    /// Level tables of diagrams and of sweeps, which cannot go to disk.
    pub tables: usize,
    /// Level tables of the sweeps of guests, which run beside another operation; set by [`for_each_of`](Self::for_each_of).
    pub guests: usize,
    /// The number of workers; set by [`for_each_of`](Self::for_each_of), too.
    pub workers: usize,
    /// For tests: sweeps on sets of nodes, which are normally tried first, are given up at once.
    pub nested_only: bool,
    /// Operations of up to this many requests are done in plain arrays.
    pub small: u64,
    /// Levels of more records than this are shared among threads; in smaller ones, waiting for each other would take longer.
    pub alone: u64,
    /// Where the other threads come too late for a step of a shared level, the calling thread goes on alone for this many
    /// milliseconds at most before they are tried again.
    pub late: u32,
    /// Operations on up to this many nodes may run beside another: they have few levels to share.
    pub beside: u64,
    /// Whether records are packed on their way to disk.
    pub compress: bool,
    /// Diagrams of this many nodes and more have wide ids.
    pub narrow_ids: u64,
}

/// Operations on diagrams of more nodes are left to sweeps, which need not look at all nodes that they lift or copy.
pub const SMALL_NODES: u64 = 2048;

/// The most requests of one operation in plain arrays, which are slower than sweeps beyond that, and of all such operations at
/// once, since the budget does not count their arrays.
const LARGEST_SMALL: u64 = 1 << 14;
const MOST_SMALL: u64 = 1 << 15;

/// The large blocks that a worker has at a time as buffers: two for the logs of arcs that it reads back, one for another log that it
/// reads, and one for what it writes.
const BUFFERS: usize = 4;

/// The bytes of a block within `budget`: smaller blocks would make a disk slow, larger ones hardly faster.
fn block_of(budget: usize) -> usize {
    (budget / 2048).next_power_of_two().clamp(32 << 10, 128 << 10)
}

impl Limits {
    /// The division of `budget` bytes.
    pub fn of(budget: usize) -> Self {
        let part = |share: usize| budget / 32 * share;
        Self {
            block: block_of(budget),
            queue: part(4),
            arcs: part(1),
            diagrams: part(2),
            common: part(5),
            buffers: 0,
            sort: part(8),
            dense: part(3),
            parts: 32,
            building: part(3),
            window: part(2),
            // A process takes a little beyond its budget anyway, for what no budget counts. 8 MiB of that are lent to the tables,
            // so that the smallest budget still holds thousands of diagrams.
            tables: part(4) + (8 << 20),
            guests: 0,
            workers: 1,
            nested_only: false,
            small: budget as u64 / 4096,
            alone: 1 << 13,
            late: 64,
            beside: 1 << 17,
            compress: true,
            narrow_ids: 1 << 30,
        }
    }

    /// The most records that can be sorted in memory at once.
    pub fn most_sorted<I: Lane, const N: usize>(&self) -> u64 {
        (self.sorted_bytes() / size_of::<[I; N]>()).min(u32::MAX as usize) as u64
    }

    /// Bytes of the largest blocks, for what is written to disk, or read from there, at once.
    pub fn large(&self) -> usize {
        8 * self.block
    }

    /// Bytes of the records sorted in memory: three quarters of the share, which leaves an eighth each for cells and for a cell
    /// that is sorted once more.
    pub fn sorted_bytes(&self) -> usize {
        self.sort / 4 * 3
    }

    /// The division of `budget` bytes for `workers` workers: each takes some blocks beyond the shares, and some that are eight
    /// times as large, so a block must be small against a worker's part of the budget.
    pub fn of_workers(budget: usize, workers: usize) -> Self {
        Self { block: block_of(budget / workers), ..Self::of(budget) }
    }

    /// The limits of each of `workers` workers: an equal part of what a worker uses alone, and all of what they share. With several
    /// workers, an eighth of the tables is set aside for guests.
    #[must_use]
    pub fn for_each_of(self, workers: usize) -> Self {
        let Self { common, sort, dense, window, tables, .. } = self;
        let buffers = (BUFFERS * workers * self.large()).min(common / 2);
        let guests = if workers > 1 { tables / 8 } else { 0 };
        let (sort, dense, window) = (sort / workers, dense / workers, window / workers);
        let small = (self.small.min(MOST_SMALL) / workers as u64).min(LARGEST_SMALL);
        Self { buffers, sort, dense, window, small, tables: tables - guests, guests, workers, ..self }
    }
}

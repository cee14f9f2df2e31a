//! How the memory of a store is divided.

use super::lane::Lane;

/// How a budget is divided; see TUNING.md. All sizes in bytes unless named otherwise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// A block: the unit of memory, and of diagrams on disk; logs are read back eight at a time.
    pub block: usize,
    /// Requests and results waiting for their level.
    pub queue: usize,
    /// Arcs of the unreduced diagram.
    pub arcs: usize,
    /// Diagrams kept in RAM.
    pub diagrams: usize,
    /// What queue, arcs and diagrams draw on together when one has used up its own share.
    pub common: usize,
    /// The arrays in which one level is sorted; a level beyond them is first distributed over several logs.
    pub sort: usize,
    /// Each of two arrays that collect the values of one level; a level beyond it goes to logs.
    pub dense: usize,
    /// A level that is larger than its array goes to so many logs at most, or one more: one for each part that fits the array, or, if
    /// these are more, one for up to as many parts, which is parted once more. Beyond that it goes through the external sorter.
    pub parts: u64,
    /// What a builder keeps of one level, to know a node it has been given before; charged to the tables.
    pub building: usize,
    /// A level of an operand that is read at random; a level beyond it is resolved by one more sort.
    pub window: usize,
    /// Level tables of diagrams and of sweeps, which cannot go to disk.
    pub tables: usize,
    /// Level tables of the sweeps of guests, which run beside another operation; set by [`for_each_of`](Self::for_each_of).
    pub guests: usize,
    /// How many workers there are; set by [`for_each_of`](Self::for_each_of), too.
    pub workers: usize,
    /// For tests: sweeps on sets of nodes, which are tried first elsewhere, are given up at once.
    pub nested_only: bool,
    /// Operations that take no more requests are done in plain arrays.
    pub small: u64,
    /// Levels of more records are shared among threads; below, waiting for each other would take longer.
    pub alone: u64,
    /// Where the other threads come too late for a step of such a level, it goes on without them for so many milliseconds at most
    /// before they are tried again.
    pub late: u32,
    /// Operations on no more nodes may run beside another: they have few levels to share.
    pub beside: u64,
    /// Whether records are packed on their way to disk.
    pub compress: bool,
    /// Diagrams of so many nodes and more have wide ids.
    pub narrow_ids: u64,
}

/// Diagrams of more nodes are left to sweeps: these need not look at all of what they lift or copy.
pub const SMALL_NODES: u64 = 2048;

/// Requests of the largest operation that may be done in plain arrays, since beyond these are slower than sweeps; and of all that
/// may be done at once, since the arrays are not counted.
const LARGEST_SMALL: u64 = 1 << 14;
const MOST_SMALL: u64 = 1 << 15;

/// The bytes of a block within `budget`: smaller ones would make a disk slow, larger ones no faster.
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
            sort: part(8),
            dense: part(3),
            parts: 32,
            building: part(3),
            window: part(2),
            // A process takes a little beyond its budget for what no budget sees. A part of that is lent to tables, so that
            // the smallest budget still holds thousands of diagrams.
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

    /// Records that can be in memory at once, sorted.
    pub fn most_sorted<I: Lane, const N: usize>(&self) -> u64 {
        (self.sorted_bytes() / size_of::<[I; N]>()).min(u32::MAX as usize) as u64
    }

    /// What they take: three quarters of the share are for them, an eighth each for cells and for a cell that is sorted once more.
    pub fn sorted_bytes(&self) -> usize {
        self.sort / 4 * 3
    }

    /// The division of `budget` bytes where there will be so many workers: each has some blocks beyond the shares, and some that are
    /// eight times as large, so that these must be small against its part of the budget.
    pub fn of_workers(budget: usize, workers: usize) -> Self {
        Self { block: block_of(budget / workers), ..Self::of(budget) }
    }

    /// What each of so many workers has: equal parts of what one works with by itself, and all of what they share. With several
    /// workers, an eighth of the tables is set aside for guests.
    #[must_use]
    pub fn for_each_of(self, workers: usize) -> Self {
        let Self { sort, dense, window, tables, .. } = self;
        let guests = if workers > 1 { tables / 8 } else { 0 };
        let (sort, dense, window) = (sort / workers, dense / workers, window / workers);
        let small = (self.small.min(MOST_SMALL) / workers as u64).min(LARGEST_SMALL);
        Self { sort, dense, window, small, tables: tables - guests, guests, workers, ..self }
    }
}

//! What a store has done, and what the last operations took.

use std::time::Duration;

/// What a store has done so far, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The sum of all [`OperationStats::requests`]. Which operations are taken for small depends on the budget and on what runs
    /// beside them, so that the sum for the same work may differ where diagrams are small.
    pub processed_requests: u64,
    /// Bytes of the budget in use now: what diagrams hold in RAM, with their tables, and the requests, arcs and tables of
    /// operations and builders under way. The arrays in which levels are sorted and collected, up to half of the budget, are not
    /// among them, nor free blocks; both are kept for the next operation.
    pub memory_bytes: u64,
    /// Bytes left for the tables of diagrams, sweeps and builders, which cannot go to disk: of an eighth of the budget and 8 MiB,
    /// or, where there are several threads, of seven eighths of that; and of 5/32 of the budget, which tables share with requests,
    /// arcs and nodes in RAM, first come, first served. Each diagram takes some 450 bytes, and 12 a level; one of up to 30 nodes
    /// 256 more where its share and the common one are full. What finds no room fails with
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub table_bytes_left: u64,
    /// Bytes written to temporary files.
    pub spilled_bytes: u64,
    /// Bytes in temporary files that are needed now. Beside these there may be some that are kept for the next operation; see
    /// TUNING.md.
    pub temp_bytes: u64,
    /// The most bytes that temporary files took on the disk at any time, those that were kept among them.
    pub peak_temp_bytes: u64,
    /// How often a level, or a part of one, did not fit the share in which it is sorted, or collected, and was distributed over
    /// logs, or given to the external sorter where the logs would be too many.
    pub parted_levels: u64,
    /// Levels that were divided among several threads on the way down, and so on the way up.
    pub shared_levels: u64,
    /// What time went to.
    pub times: Times,
}

/// What the sweeps of a store spent time on, summed over those that run side by side. Time for sorting and for the disk is also
/// part of the time of the sweep; where several threads share a level, these two are sums over the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// Expand sweeps.
    pub expand: Duration,
    /// Reduce sweeps.
    pub reduce: Duration,
    /// All other sweeps: counting, optima, samples, their ways back, the search for essential literals.
    pub fold: Duration,
    /// Bringing levels of more than 4,096 records into order.
    pub sort: Duration,
    /// Reading and writing temporary files, but for what the external sorter does.
    pub disk: Duration,
}

/// What one operation took; see [`Store::operations`](super::Store::operations). One that ran beside another and had to begin
/// again, since there were too few tables for both, is listed twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationStats {
    /// The number of operations that had ended before it since the store was made, with those that failed and those that are
    /// forgotten.
    pub number: u64,
    /// The operation, by the name of the method or of one that does the same: "apply" for all binary operators, "exists" for
    /// `forall`, "disjoint" for `implies`. "search" is the part of a quantification that comes before it; that of
    /// `unique` may be a "restrict", too. What `replace` and `compose_all` do is "replace" where they take nested sweeps, "swap" where
    /// neighbours change places, "compose" where one variable or function goes after another, "vector" where many functions go at
    /// once, and "restrict" for constants and negations of variables. "build" is the end of a builder.
    pub operation: &'static str,
    /// Sweeps: expand, reduce and fold.
    pub sweeps: u64,
    /// Levels that these sweeps went through, or that an import copied.
    pub levels: u64,
    /// Requests that its expand sweeps took from their queues. An operation on small diagrams, which has no queues, counts the
    /// requests that it does not decide at once.
    pub requests: u64,
    /// Bytes written to temporary files meanwhile, also by operations that ran beside it.
    pub spilled_bytes: u64,
    /// Time from its beginning, after it has waited for its turn, to its end.
    pub time: Duration,
}

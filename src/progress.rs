//! How far an operation has come: plain values for the progress callback.

use std::fmt;

/// How far a sweep has come; reported once per level. An operation that has to begin again, because it turns out not to be
/// small, its ids outgrow 32 bits or it runs out of tables, reports from the top again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The operation, by the name that [`OperationStats::operation`](crate::OperationStats::operation) gives it; "builder" while
    /// nodes are added, by a constraint too, "linear" while those of a constraint are looked for, and "save".
    pub operation: &'static str,
    /// The sweep.
    pub sweep: Sweep,
    /// The variable of the level just done; of a search, the one it is at.
    pub variable: u32,
    /// Nodes the sweep has made so far.
    pub nodes: u64,
}

/// The kinds of work that go through a diagram, or make one, level by level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sweep {
    /// Downwards: from what is asked for to the arcs of a diagram that is not reduced.
    Expand,
    /// Upwards: from these arcs to the nodes of the canonical diagram.
    Reduce,
    /// Downwards: numbers of paths or of solutions, or their weights.
    Count,
    /// Downwards: the best cost of reaching each node.
    Optimum,
    /// Downwards: the number of assignments that lead to each node.
    Sample,
    /// Upwards, after an optimum, a sample or counts of literals: from the terminal to the root, along what that sweep has found.
    Trace,
    /// Upwards: a builder, or a constraint, is given nodes.
    Build,
    /// Downwards, for the literals that all solutions have; or through the variables of a linear constraint, now and then, while
    /// its nodes are looked for.
    Search,
    /// Upwards: the nodes of a diagram of another store, or those of a file that is saved or opened.
    Copy,
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Expand => "expand",
            Self::Reduce => "reduce",
            Self::Count => "count",
            Self::Optimum => "optimum",
            Self::Sample => "sample",
            Self::Trace => "trace",
            Self::Build => "build",
            Self::Search => "search",
            Self::Copy => "copy",
        })
    }
}

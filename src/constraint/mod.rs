//! Constraints, built bottom-up without a single `apply`: cubes and clauses, counts of true variables, weighted sums.

mod cardinality;
mod grid;
mod intervals;
mod linear;
mod literals;
mod parity;
mod terms;

pub use linear::Comparison;

/// What the memory for building a constraint is charged as.
const WHAT: &str = "what a constraint is built from, beside the tables of the diagrams alive,";

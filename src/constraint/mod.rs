//! Constraints, built bottom-up without a single `apply`: cubes and clauses, counts of true variables, weighted sums.

mod account;
mod cardinality;
mod grid;
mod linear;
mod literals;
mod search;
mod terms;

pub use linear::Comparison;

//! Constraints, built bottom-up without a single `apply`: cubes and clauses.

mod account;
mod literals;

//! Binary decision diagrams that outgrow RAM.
//!
//! A package in RAM keeps the nodes of its diagrams in a hash table and follows pointers. This one keeps each diagram as a
//! file of nodes, ordered level by level, and computes with a few sequential sweeps over such files: so it needs no more
//! memory than it is given. Where diagrams are wide it is several times faster within it; where a package in RAM shares nodes
//! between diagrams, or remembers results from one operation to the next, it may be slower (README.md has both).
//!
//! ```
//! use strata_bdd::{BigUint, Config, Result, Store};
//!
//! fn main() -> Result<()> {
//!     let store = Store::new(Config { memory: 64 << 20, ..Config::default() })?;
//!     let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
//!     let majority = x.ite(&y.or(&z)?, &y.and(&z)?)?;
//!     assert_eq!(majority.node_count(), 4);
//!     assert_eq!(majority.sat_count(3)?, 4u8.into());
//!     assert_eq!(majority.sat_count(1000)?, BigUint::from(4u8) << 997);
//!     assert_eq!(majority, (&(&x & &y)? | &(&z & &(&x ^ &y)?)?)?);
//!     Ok(())
//! }
//! ```
//!
//! # Variables
//!
//! A variable is a number, and the smaller one is nearer to the root. There is no reordering: choose the numbers so that what
//! depends on each other is close, the bits of two numbers that are added or compared in turns, current and next variables of a
//! relation likewise ([`VariablePairs::interleaved`]). Numbers may have gaps, which cost nothing; each level of a diagram takes
//! some 200 bytes of the budget for tables while a sweep runs.
//!
//! A domain, over which assignments are listed, drawn, compared or weighed, is a list of variables in ascending order; counting only
//! needs to know how many these are: `f.sat_count(n)` is the number of `f.assignments(domain)` for every domain of `n` variables.
//!
//! # The road that data travels
//!
//! ```text
//!   BddBuilder ─────────────┐                              ┌──────────── Bdd, a cheap handle ◄─┐
//!   bottom-up               ▼                              ▼                                   │
//!                       NodeFile ── read top-down ──► expand: one sweep, generic over a Spec   │
//!                    level-sorted,                         │ ▲  requests, one log per level    │
//!                    canonical                             │ └─── LevelQueue                   │
//!                           ▲                              ▼                                   │
//!                        reduce ◄── read bottom-up ── Unreduced: arcs                          │
//!                           │  ids reach their parents through a second LevelQueue             │
//!                           └──────────────────────────────────────────────────────────────────┘
//!   small: expand and reduce in plain arrays, for as long as an operation needs some thousand requests
//!   fold: a sweep that ends in a number or in paths instead of a file (sat_count, weighted_count, opt_min, sample)
//!   walk: one path at a time, a block for each node that is not in the last one (eval, sat_min, pick, cubes, assignments)
//! ```
//!
//! Read the source in this order: `model` (plain values and the invariants), `disk` (the external-memory toolbox, which knows
//! nothing of diagrams), `file` (node files and arcs), `sweep` (expand, reduce, fold and one small file per operation),
//! `text` (what other programs read), `store`, `bdd`, `builder`, `constraint`. Imports go the other way only.
//!
//! Node files are canonical: one function has one sequence of bytes, whatever the budget and however it was computed.
//!
//! # After
//!
//! R. E. Bryant, *Graph-Based Algorithms for Boolean Function Manipulation*, 1986. L. Arge, *The I/O-Complexity of Ordered
//! Binary-Decision Diagram Manipulation*, 1995. S. C. Sølvsten, J. van de Pol, A. B. Jakobsen, M. W. B. Thomasen, *Adiar:
//! Binary Decision Diagrams in External Memory*, 2022.

mod bdd;
mod builder;
mod constraint;
mod disk;
mod error;
mod file;
mod model;
mod progress;
mod store;
mod sweep;
mod text;

pub use bdd::{Bdd, Cubes, Node, Nodes, Operand, Weight};
pub use builder::{BddBuilder, BuilderNode};
pub use constraint::Comparison;
pub use error::{Error, Result};
pub use model::{Cube, LARGEST_VARIABLE, op::BinaryOp, pairs::VariablePairs};
/// Counts, exact at any size; of the crate `num-bigint`.
pub use num_bigint::{BigInt, BigUint};
pub use progress::{Progress, Sweep};
pub use store::{Config, OperationStats, ProgressCallback, SMALLEST_MEMORY, Stats, Store, Times};

/// Seams that tests and benches of the engine use; no part of the interface.
#[doc(hidden)]
pub mod testing {
    pub use crate::disk::{
        backend::{Backend, Os, ScratchFile},
        limits::Limits,
        named::{NewFile, OldFile},
        pool::{Pool, Share},
        queue::LevelQueue,
        scratch::Scratch,
        sorter::Sorter,
        space::Space,
        spool::Spool,
    };
    pub use crate::store::Testing;
}

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeDoctests;

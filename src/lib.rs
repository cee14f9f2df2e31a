//! Binary decision diagrams that outgrow RAM.

mod bdd;
mod builder;
#[doc(hidden)]
pub mod disk;
mod error;
mod file;
mod model;
mod store;
mod sweep;

pub use bdd::Bdd;
pub use builder::{BddBuilder, BuilderNode};
pub use error::{Error, Result};
pub use model::op::BinaryOp;
pub use store::{Config, ProgressCallback, SMALLEST_MEMORY, Stats, Store};
pub use sweep::run::Progress;

/// The seams and the toolbox, for tests and benches of the engine; no part of the interface.
#[doc(hidden)]
pub mod testing {
    pub use crate::disk::{
        backend::{Backend, Os, ScratchFile},
        map::Mapping,
        space::Limits,
    };
    pub use crate::store::Testing;
}

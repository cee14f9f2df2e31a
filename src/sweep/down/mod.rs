//! The top-down sweep.
//!
//! Read in this order: [`expand`] (the sweep), [`ground`] (what its workers share), [`frontier`] (what one worker carries down) and
//! [`batch`] (requests by the hundred), [`slices`] (how a level's requests are divided) and [`pile`] (requests that other workers
//! may take).

pub mod batch;
pub mod expand;
pub mod frontier;
pub mod ground;
pub mod pile;
pub mod slices;

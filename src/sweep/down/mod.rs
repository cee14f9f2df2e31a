//! The top-down sweep.
//!
//! Read in this order: [`expand`] (the sweep), [`ground`] (what it goes over), [`frontier`] (what one worker carries down) and
//! [`batch`] (requests by the hundred), [`slices`] (how a level's requests are parted) and [`pile`] (what others may take).

pub mod batch;
pub mod expand;
pub mod frontier;
pub mod ground;
pub mod pile;
pub mod slices;

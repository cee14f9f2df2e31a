//! The operations, each a [`Spec`](super::spec::Spec) for the sweeps.
//!
//! Read in this order: [`identity`](super::identity) (the identity), [`apply`] and [`ite`], [`restrict`] (the first with a rule for
//! levels), [`lowest`], [`difference`], [`compose`], [`constrain`] (another diagram chooses between children), [`set`] (sets of
//! nodes) and [`simplify`], [`quantify`] and [`and_exists`] (and sweeps inside a sweep), [`unique`], [`rename`], [`swap`] (requests
//! that stop at levels where they have no node).

pub mod and_exists;
pub mod apply;
pub mod compose;
pub mod constrain;
pub mod difference;
pub mod ite;
pub mod lowest;
pub mod quantify;
pub mod rename;
pub mod restrict;
pub mod set;
pub mod simplify;
pub mod swap;
pub mod unique;

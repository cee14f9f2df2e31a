//! The bottom-up sweep.
//!
//! Read in this order: [`reduce`] (the sweep), [`number`] (a level's nodes in order, each with its id), which sorts [`siblings`] or
//! else marks low children ([`ordered`], [`lows`]), [`merge`] (what several workers have in order), [`fresh`] (each node once,
//! written), [`pause`] (where it stops).

pub mod fresh;
pub mod lows;
pub mod merge;
pub mod number;
pub mod ordered;
pub mod pause;
pub mod reduce;
pub mod siblings;

//! The bottom-up sweep.
//!
//! Read in this order: [`reduce`] (the sweep), [`slots`] (ids on their way along arcs), [`nodes`] (those of a level) and [`number`]
//! (gives them their ids, in order), which sorts [`siblings`] or marks low children ([`ordered`], [`lows`]), [`merge`] (the ordered
//! nodes of several workers into one order), [`fresh`] (writes each distinct node once), [`pause`] (where the sweep stops).

pub mod fresh;
pub mod lows;
pub mod merge;
pub mod nodes;
pub mod number;
pub mod ordered;
pub mod pause;
pub mod reduce;
pub mod siblings;
pub mod slots;

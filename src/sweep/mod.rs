//! The sweeps: expand, reduce, fold, and one small file for every operation on top of them.
//!
//! Read in this order: [`run`] and [`spec`] (what an operation works with, and what it is), [`expand`], [`ground`], [`frontier`] and [`batch`] (top-down), [`reduce`],
//! [`number`], [`ordered`], [`marks`], [`lows`], [`fresh`], [`merge`] and [`siblings`] (bottom-up), [`desk`], [`team`], [`slices`] and [`pile`] (several threads
//! inside one level, or several parts of it), [`small`] and [`table`] (both in plain arrays), [`build`] (one after the other),
//! [`apply`] (the first operation), [`restrict`] (the first with a rule for levels), [`compact`] and [`lift`] (levels where nothing
//! changes), [`nest`] and [`quantify`] (sweeps inside a sweep), [`search`] (an answer without a diagram), [`fold`] (what travels
//! along arcs: counts, costs).

pub mod and_exists;
pub mod apply;
pub mod batch;
pub mod build;
pub mod compact;
pub mod compose;
pub mod constrain;
pub mod copy;
pub mod desk;
pub mod difference;
pub mod expand;
pub mod fold;
pub mod fresh;
pub mod frontier;
pub mod ground;
pub mod ite;
pub mod lift;
pub mod lows;
pub mod marks;
pub mod merge;
pub mod nest;
pub mod number;
pub mod ordered;
pub mod pile;
pub mod quantify;
pub mod reduce;
pub mod restrict;
pub mod run;
pub mod search;
pub mod siblings;
pub mod simplify;
pub mod slices;
pub mod small;
pub mod spec;
pub mod substitute;
pub mod table;
pub mod team;
pub mod validate;

//! The sweeps: expand, reduce, fold, and one small file for every operation on top of them.
//!
//! Read in this order: [`run`], [`spec`] and [`identity`] (what an operation works with, what it is, and the simplest one),
//! [`down`] and [`up`] (expand and reduce), [`build`] (one after the other), [`ops`] (the operations), [`marks`], [`compact`] and
//! [`lift`] (levels that an operation does not change), [`nest`] (sweeps inside a sweep), [`small`] and [`table`] (both sweeps in
//! plain arrays), [`desk`], [`team`], [`lateness`] and [`division`] (several threads inside one level), [`search`] (an answer
//! without a diagram), [`essential`], [`validate`], [`fold`] (values that travel along arcs: counts, costs).

pub mod build;
pub mod compact;
pub mod desk;
pub mod division;
pub mod down;
pub mod essential;
pub mod fold;
pub mod identity;
pub mod lateness;
pub mod lift;
pub mod marks;
pub mod nest;
pub mod ops;
pub mod run;
pub mod search;
pub mod small;
pub mod spec;
pub mod table;
pub mod team;
pub mod up;
pub mod validate;

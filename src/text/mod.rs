//! What people and other programs read.

pub mod dot;

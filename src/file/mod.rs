//! Files of nodes and of arcs: what a sweep reads and what it writes.

pub mod check;
pub mod labels;
pub mod level_map;
pub mod levels;
pub mod node_file;
pub mod reader;
pub mod saved;
pub mod unreduced;
pub mod walk;
pub mod writer;

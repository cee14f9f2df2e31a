//! The external-memory toolbox: plain records in, plain records out. Of decision diagrams it knows no more
//! than the names of shares, limits and phases.
//!
//! Read in this order, imports go the other way only: [`named`] and [`backend`] (files), [`lane`] (what records are made of),
//! [`limits`], [`pages`] and [`room`] (memory that goes back to the system), [`pool`] (memory in blocks, by shares), [`buffer`] (one
//! such block) and [`charge`] (memory that cannot go to disk), [`clock`], [`meter`], [`scratch`] (a temporary file in extents) and
//! [`space`] (what an operation works in), [`checked`] (a file that notices damage) and [`words`] (an array that is used again),
//! [`cells`] (ranges of keys), [`ascending`] (runs that are merged), [`packed`], [`packet`] and [`stretch`] (records on disk),
//! [`source`], [`part`], [`spool`] (an append-only log in RAM or on disk) and [`stack`] (a log read backwards), [`parted`],
//! [`insertion`] and [`sorter`] (levels in order), [`external`] (what is too large for an array, in order), [`mod@array`] and
//! [`dense`] (arrays, and those that may be too large), [`gather`] and [`queue`] (the priority queue of time-forward processing).

pub mod array;
pub mod ascending;
pub mod backend;
pub mod buffer;
pub mod cells;
pub mod charge;
pub mod checked;
pub mod clock;
pub mod dense;
pub mod external;
pub mod gather;
pub mod insertion;
pub mod lane;
pub mod limits;
pub mod meter;
pub mod named;
pub mod packed;
pub mod packet;
pub mod pages;
pub mod part;
pub mod parted;
pub mod pool;
pub mod queue;
pub mod room;
pub mod scratch;
pub mod sorter;
pub mod source;
pub mod space;
pub mod spool;
pub mod stack;
pub mod stretch;
pub mod words;

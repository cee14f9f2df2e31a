//! One combination of settings.

use std::{fmt, path::PathBuf};

use strata_bdd::{
    Config, Result, Store,
    testing::{Limits, Testing},
};

/// The first block of every log has that many bytes, so full ones have no fewer.
pub const SMALLEST_BLOCK: usize = 256;

/// A queue that has used up its share makes a quarter of its own part free, an eighth of `memory`: a block must fit there.
pub fn largest_block(memory: usize) -> usize {
    memory / 32
}

/// The unit of memory, of spilling and of reading back.
#[derive(Clone, Copy, PartialEq)]
pub enum Block {
    /// As the budget has it.
    Default,
    /// Of so many bytes.
    Bytes(usize),
}

/// What is varied.
#[derive(Clone, Copy)]
pub struct Setting {
    /// The budget in bytes.
    pub memory: usize,
    /// Threads a sweep may use.
    pub threads: u16,
    /// The size of a block.
    pub block: Block,
    /// Whether temporary files are packed.
    pub compress: bool,
}

impl Setting {
    /// Bytes of a block.
    pub fn block_bytes(&self) -> usize {
        match self.block {
            Block::Default => Limits::of_workers(self.memory, self.threads.into()).block,
            Block::Bytes(bytes) => bytes,
        }
    }

    /// A store with these settings.
    pub fn open(&self, scratch: PathBuf) -> Result<Store> {
        let limits = Limits { block: self.block_bytes(), ..Limits::of(self.memory) };
        let testing = Testing { limits: Some(limits), backend: None };
        let Self { memory, threads, compress, .. } = *self;
        Store::new(Config { memory, scratch, threads: threads.into(), compress, testing, ..Config::default() })
    }

    /// All of it but the memory, in words.
    pub fn but_memory(&self) -> String {
        let threads = if self.threads == 1 { "1 thread".into() } else { format!("{} threads", self.threads) };
        let packed = if self.compress { "" } else { ", not packed" };
        match self.block {
            Block::Default => format!("{threads}, default blocks{packed}"),
            Block::Bytes(bytes) => format!("{threads}, blocks of {}{packed}", size_label(bytes)),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", size_label(self.memory), self.but_memory())
    }
}

/// As the command line takes it.
impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Block::Default => f.write_str("default"),
            Block::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

/// `bytes` in the largest unit in which it is a whole number.
pub fn size_label(bytes: usize) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "B")];
    let unit = units.into_iter().find(|(bits, _)| bytes.trailing_zeros() >= *bits);
    unit.map_or_else(|| bytes.to_string(), |(bits, unit)| format!("{} {unit}", bytes >> bits))
}

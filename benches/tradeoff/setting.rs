//! One combination of settings.

use std::{fmt, path::PathBuf};

use strata_bdd::{
    Config, Result, Store,
    testing::{Limits, Testing},
};

/// The smallest size of a block in bytes: that of the first block of every log.
pub const SMALLEST_BLOCK: usize = 256;

/// The largest size of a block in bytes. A queue that has used up its share, an eighth of `memory`, frees a quarter of
/// that share: a block must fit there.
pub fn largest_block(memory: usize) -> usize {
    memory / 32
}

/// The size of a block: the unit of memory, of spilling and of reading back.
#[derive(Clone, Copy, PartialEq)]
pub enum Block {
    /// The size that the library chooses.
    Default,
    /// A size in bytes.
    Bytes(usize),
}

/// One combination of the settings that are varied.
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

    /// All settings but the memory, in words.
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

/// The text that the command line takes.
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

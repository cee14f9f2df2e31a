//! What the user types.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{ArgAction, CommandFactory, Parser, error::ErrorKind, value_parser};
use strata_bdd::{Config, SMALLEST_MEMORY};

use super::setting::{Block, SMALLEST_BLOCK, Setting, largest_block, size_label};
use crate::size::memory_size;

/// Measures N queens under every combination of memory, threads, block size and packing.
#[derive(Parser)]
#[command(name = "tradeoff")]
pub struct Args {
    /// Board size, 4 to 16 [default: 12]
    #[arg(long, value_parser = value_parser!(u32).range(4..=16))]
    n: Option<u32>,
    /// Memory budgets, at least 16MiB each [default: 16MiB,64MiB,256MiB,1GiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = budget)]
    memory: Vec<usize>,
    /// Threads a sweep may use, 1 to 1024
    #[arg(long, value_name = "T", value_delimiter = ',', default_value = "1")]
    #[arg(value_parser = value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Block sizes: powers of two from 256B to a 32nd of the memory, or `default`, which depends on the memory
    #[arg(long, value_name = "SIZE", value_delimiter = ',', default_value = "default", value_parser = block)]
    block: Vec<Block>,
    /// Whether temporary files are packed
    #[arg(long, value_name = "BOOL", value_delimiter = ',', default_value = "true")]
    #[arg(action = ArgAction::Append, value_parser = value_parser!(bool))]
    compress: Vec<bool>,
    /// Runs of each combination; medians are printed
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Seconds for all runs together
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub limit: Duration,
    /// The folder for the figures and plots [default: target/tradeoff]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder for unnamed temporary files
    #[arg(long, value_name = "DIR", default_value_os_t = Config::default().scratch, value_parser = folder)]
    pub temp_dir: PathBuf,
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the child that runs the first combination
    #[arg(long, hide = true)]
    pub child: bool,
}

impl Args {
    /// The arguments of this process; ends the process with a message where a block is too large for the memory.
    pub fn read() -> Self {
        let args = Self::parse();
        if let Some(setting) =
            args.settings().iter().find(|setting| setting.block_bytes() > largest_block(setting.memory))
        {
            let [block, largest, memory] =
                [setting.block_bytes(), largest_block(setting.memory), setting.memory].map(size_label);
            let message = format!("blocks of {block} are too large for {memory} of memory: give {largest} at most");
            Self::command().error(ErrorKind::ValueValidation, message).exit();
        }
        args
    }

    pub fn n(&self) -> u32 {
        self.n.unwrap_or(if self.bench { 12 } else { 6 })
    }

    /// The folder for the figures. By default, the figures of a test do not replace measured ones.
    pub fn out(&self) -> PathBuf {
        let default = if self.bench { "target/tradeoff" } else { concat!(env!("CARGO_TARGET_TMPDIR"), "/tradeoff") };
        self.out.clone().unwrap_or_else(|| default.into())
    }

    /// All combinations, the memory changing fastest.
    pub fn settings(&self) -> Vec<Setting> {
        let budgets = match (&self.memory[..], self.bench) {
            ([], true) => &[16 << 20, 64 << 20, 256 << 20, 1 << 30][..],
            ([], false) => &[SMALLEST_MEMORY],
            (given, _) => given,
        };
        let mut settings = Vec::new();
        for &threads in &self.threads {
            for &block in &self.block {
                for &compress in &self.compress {
                    settings.extend(budgets.iter().map(|&memory| Setting { memory, threads, block, compress }));
                }
            }
        }
        settings
    }

    /// The arguments of the child that runs `setting`.
    pub fn for_child(&self, setting: &Setting) -> Vec<OsString> {
        let Setting { memory, threads, block, compress } = setting;
        let line = format!(
            "--child --n {} --memory {memory} --threads {threads} --block {block} --compress {compress}",
            self.n()
        );
        let folder = ["--temp-dir".into(), self.temp_dir.clone().into()];
        line.split_whitespace().map(OsString::from).chain(folder).collect()
    }
}

fn budget(text: &str) -> Result<usize, String> {
    let least = || format!("a budget is at least {}", size_label(SMALLEST_MEMORY));
    memory_size(text).and_then(|bytes| if bytes < SMALLEST_MEMORY { Err(least()) } else { Ok(bytes) })
}

fn block(text: &str) -> Result<Block, String> {
    if text == "default" {
        return Ok(Block::Default);
    }
    let bytes = memory_size(text).map_err(|message| format!("{message}, or `default`"))?;
    if bytes.is_power_of_two() && bytes >= SMALLEST_BLOCK {
        return Ok(Block::Bytes(bytes));
    }
    Err(format!("a block is a power of two, at least {}", size_label(SMALLEST_BLOCK)))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let duration = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.filter(|duration| !duration.is_zero()).ok_or_else(|| "give a number of seconds above 0".into())
}

fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("there is no such folder".into()) }
}

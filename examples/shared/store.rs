//! The settings of a store, as the user of any example types them.

mod size;

use std::path::PathBuf;

use clap::{ArgAction, Args, value_parser};
use strata_bdd::{Config, ProgressCallback, Result, Store};

use size::memory_size;

#[derive(Args)]
pub struct StoreOptions {
    /// The memory budget, at least 16MiB: bytes, or a number with a unit such as KiB, MiB, GiB, KB, MB or GB. A larger budget
    /// spills less.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = memory_size, allow_negative_numbers = true)]
    memory: usize,
    /// The folder for unnamed temporary files, best on a fast disk.
    #[arg(long, value_name = "DIR", default_value_os_t = Config::default().scratch)]
    temp_dir: PathBuf,
    /// Threads that share the larger levels of a sweep, 1 to 1024.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    #[arg(allow_negative_numbers = true)]
    threads: u16,
    /// Whether to pack what goes to temporary files: fewer bytes, for time of the processor.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    compress: bool,
}

/// Two lines of output: the requests of `store`, and the bytes that it has written to temporary files.
#[allow(dead_code, reason = "`queens` prints more than this")]
pub fn work(store: &Store) -> String {
    let stats = store.stats();
    format!("requests: {}\ntemporary files: {} bytes written", stats.processed_requests, stats.spilled_bytes)
}

impl StoreOptions {
    /// A store with these settings.
    pub fn open(&self, progress: Option<ProgressCallback>) -> Result<Store> {
        Store::new(Config {
            memory: self.memory,
            scratch: self.temp_dir.clone(),
            threads: self.threads.into(),
            compress: self.compress,
            progress,
            ..Config::default()
        })
    }
}

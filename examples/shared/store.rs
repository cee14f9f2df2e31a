//! The settings of a store, as the user of any example types them.

use std::path::PathBuf;

use clap::{Args, value_parser};
use strata_bdd::{Config, ProgressCallback, Result, Store};

#[derive(Args)]
pub struct StoreOptions {
    /// The memory budget, at least 16MiB: bytes, or a number with a unit such as KiB, MiB, GiB, KB, MB or GB. A larger budget
    /// spills less.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = memory_size, allow_negative_numbers = true)]
    memory: usize,
    /// The folder for unnamed temporary files, best on a fast disk.
    #[arg(long, value_name = "DIR", default_value_os_t = std::env::temp_dir())]
    temp_dir: PathBuf,
    /// Threads a sweep may use, 1 to 1024.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    #[arg(allow_negative_numbers = true)]
    threads: u16,
}

impl StoreOptions {
    /// A store with these settings.
    pub fn open(&self, progress: Option<ProgressCallback>) -> Result<Store> {
        Store::new(Config {
            memory: self.memory,
            scratch: self.temp_dir.clone(),
            threads: self.threads.into(),
            progress,
            ..Config::default()
        })
    }
}

/// Bytes, with units as `sort` and `dd` know them: K and KiB are 1024, KB is 1000.
fn memory_size(text: &str) -> Result<usize, String> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let scale = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "k" | "kib" => Some(1 << 10),
        "m" | "mib" => Some(1 << 20),
        "g" | "gib" => Some(1 << 30),
        "t" | "tib" => Some(1 << 40),
        "kb" => Some(1_000),
        "mb" => Some(1_000_000),
        "gb" => Some(1_000_000_000),
        "tb" => Some(1_000_000_000_000),
        _ => None,
    };
    let (Some(scale), false) = (scale, digits.is_empty()) else {
        return Err("give a whole number of bytes, or one with a unit, like 256MiB, 4GiB or 500MB".into());
    };
    let bytes = digits.parse().ok().and_then(|number: usize| number.checked_mul(scale));
    bytes.ok_or_else(|| "that is more than an address can number".into())
}

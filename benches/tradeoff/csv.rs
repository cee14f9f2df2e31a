//! The figures of every run, for programs.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use super::{
    figure,
    setting::{Block, Setting},
};
use crate::{Failure, peers::measure::Sample};

const SETTINGS: [&str; 8] =
    ["n", "memory_bytes", "threads", "block_bytes", "block_is_default", "is_packed", "run", "finished"];

/// A file of comma-separated values: a line of headings, then lines of numbers. A value that is missing is empty. The
/// file is whole after every line.
pub struct Csv {
    file: File,
}

impl Csv {
    /// A file without runs at `path`, in place of any other there.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        let mut csv = Self { file };
        csv.write(SETTINGS.into_iter().chain(figure::ALL.iter().map(|figure| figure.column)).map(String::from))?;
        Ok(csv)
    }

    /// Adds the line of run number `run` with `setting`; `sample` is `None` for a run that did not finish.
    pub fn line(&mut self, n: u32, setting: &Setting, run: u32, sample: Option<&Sample>) -> io::Result<()> {
        let settings: [String; SETTINGS.len()] = [
            n.to_string(),
            setting.memory.to_string(),
            setting.threads.to_string(),
            setting.block_bytes().to_string(),
            u8::from(setting.block == Block::Default).to_string(),
            u8::from(setting.compress).to_string(),
            run.to_string(),
            u8::from(sample.is_some()).to_string(),
        ];
        let figures = figure::ALL.iter().map(|figure| sample.and_then(figure.of).map(|value| value.to_string()));
        self.write(settings.into_iter().chain(figures.map(Option::unwrap_or_default)))
    }

    /// Writes a line in a single call, so that no half line is left behind.
    fn write(&mut self, values: impl Iterator<Item = String>) -> io::Result<()> {
        let line = values.collect::<Vec<_>>().join(",") + "\n";
        self.file.write_all(line.as_bytes())
    }
}

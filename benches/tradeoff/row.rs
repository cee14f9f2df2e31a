//! The runs of one combination of settings: a row of the table.

use std::{iter, os::unix::process::CommandExt, path::Path, process::Command};

use super::{
    args::Args,
    clock::Clock,
    figure::{self, Figure, WALL},
    setting::{Block, Setting, size_label},
};
use crate::{
    Failure,
    peers::{
        measure::{self, Sample},
        solutions::SOLUTIONS,
    },
};

/// A combination of settings and its runs.
pub struct Row {
    /// The settings.
    pub setting: Setting,
    samples: Vec<Sample>,
    /// The message of a run that failed, after which there are no more runs.
    pub failure: Option<String>,
}

impl Row {
    /// A row without runs.
    pub fn new(setting: Setting) -> Self {
        Self { setting, samples: Vec::new(), failure: None }
    }

    /// Runs the combination once more and checks the answer; `None` if the run failed or did not finish.
    pub fn run(&mut self, executable: &Path, args: &Args, clock: &Clock) -> Option<&Sample> {
        let mut command = Command::new(executable);
        // The run is in a process group of its own, so that an interrupt on the terminal reaches this process alone,
        // which then stops the run.
        command.args(args.for_child(&self.setting)).process_group(0);
        let sample = measure::run_while(|| clock.goes_on(), &mut command);
        match sample.and_then(|sample| sample.map(|sample| check(sample, args.n())).transpose()) {
            Ok(sample) => {
                self.samples.push(sample?);
                self.samples.last()
            }
            Err(failure) => {
                self.failure = Some(failure.to_string());
                None
            }
        }
    }

    /// The median of `figure` in the runs that finished.
    pub fn median(&self, figure: &Figure) -> Option<f64> {
        measure::median(&self.samples, figure.of)
    }

    /// The row in Markdown; `runs` is the number of runs that were wanted.
    fn markdown(&self, runs: u32) -> String {
        let Setting { memory, threads, block, compress } = self.setting;
        let size = size_label(self.setting.block_bytes());
        let result = match &self.failure {
            Some(failure) => format!("FAILED: {failure}"),
            None if self.samples.len() < runs as usize => "not finished".into(),
            None => "ok".into(),
        };
        let settings = [
            size_label(memory),
            threads.to_string(),
            if block == Block::Default { format!("default, {size}") } else { size },
            if compress { "yes" } else { "no" }.into(),
            self.samples.len().to_string(),
        ];
        let shown = |figure: &Figure| self.median(figure).map_or("–".into(), |value| figure.shown(value));
        cells(settings.into_iter().chain(figure::ALL.iter().map(shown)).chain(iter::once(result)))
    }
}

/// `sample` if its number of solutions is right, and else an error.
fn check(sample: Sample, n: u32) -> Result<Sample, Failure> {
    let solutions = &sample.report["solutions"];
    let right = solutions.as_str() == Some(&SOLUTIONS[n as usize].to_string());
    if right { Ok(sample) } else { Err(format!("WRONG: {solutions} solutions").into()) }
}

/// The seconds that one more run of row `at` will likely take: as many as its runs before; or else as many as the
/// fastest row with at least as much memory.
pub fn likely_time(rows: &[Row], at: usize) -> f64 {
    let row = &rows[at];
    let before = row.median(&WALL);
    let with_more = || rows.iter().filter(|other| other.setting.memory >= row.setting.memory);
    let fastest = || with_more().filter_map(|other| other.median(&WALL)).min_by(f64::total_cmp);
    before.or_else(fastest).unwrap_or(0.0)
}

/// The table of all rows in Markdown.
pub fn markdown(rows: &[Row], runs: u32) -> String {
    let settings = ["memory", "threads", "block", "packed", "runs"];
    let headings = settings.into_iter().chain(figure::ALL.iter().map(|figure| figure.heading)).chain(["result"]);
    let rule = format!("|--:|--:|--:|---{}|---|", "|--:".repeat(1 + figure::ALL.len()));
    let head = [cells(headings.map(String::from)), rule];
    head.into_iter().chain(rows.iter().map(|row| row.markdown(runs))).collect::<Vec<_>>().join("\n")
}

fn cells(values: impl Iterator<Item = String>) -> String {
    format!("| {} |", values.collect::<Vec<_>>().join(" | "))
}

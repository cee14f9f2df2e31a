//! One program at one part of a bench: its runs, and its rows in the table.

use std::process::Command;

use serde_json::Value;

use crate::peers::measure::{self, Sample};

const HEADINGS: [&str; 10] = [
    "operation",
    "program",
    "runs",
    "CPU ms",
    "wall ms",
    "peak RSS MiB",
    "ours’ CPU ÷ its",
    "target",
    "answer",
    "largest",
];

/// Stands before an answer that differs from that of ours.
const WRONG: &str = "WRONG: ";

/// A program with its arguments, and what its runs took.
pub struct Job {
    /// The name in the table.
    pub name: String,
    args: Vec<String>,
    samples: Vec<Sample>,
    failure: Option<String>,
}

impl Job {
    /// The job that this executable does with the arguments `line`.
    pub fn new(name: String, line: &str) -> Self {
        let args = line.split_whitespace().map(String::from).collect();
        Self { name, args, samples: Vec::new(), failure: None }
    }

    fn run(&mut self, executable: &str) {
        match measure::run(Command::new(executable).args(&self.args)) {
            Ok(sample) => {
                eprintln!("{}: {:.2} s CPU, {}", self.name, sample.cpu, sample.report);
                self.samples.push(sample);
            }
            Err(failure) => self.failure = Some(failure.to_string()),
        }
    }

    /// What all runs report of the operations called `name`.
    fn reports(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.samples.iter().flat_map(operations).filter(move |operation| operation["name"] == name)
    }

    /// The CPU seconds of an operation: the median over all times that it ran.
    pub fn cpu(&self, operation: &str) -> Option<f64> {
        measure::middle(self.reports(operation).filter_map(|report| report["cpu"].as_f64()).collect())
    }

    /// The wall seconds of an operation: the median over all times that it ran.
    pub fn wall(&self, operation: &str) -> Option<f64> {
        measure::middle(self.reports(operation).filter_map(|report| report["wall"].as_f64()).collect())
    }

    fn text(&self, operation: &str, key: &str) -> &str {
        self.reports(operation).next().and_then(|report| report[key].as_str()).unwrap_or_default()
    }

    /// A row of the table, with the CPU time of `ours` divided by that of this job.
    fn markdown(&self, operation: &str, ours: &Job, target: String) -> String {
        let milliseconds = |seconds: Option<f64>| seconds.map_or("–".into(), |s| format!("{:.3}", s * 1e3));
        let ratio = ours.cpu(operation).zip(self.cpu(operation)).map(|(ours, its)| ours / its);
        let expected = ours.text(operation, "answer");
        let other = self.reports(operation).find_map(|report| report["answer"].as_str().filter(|its| *its != expected));
        let answer = other.map_or(self.text(operation, "answer").into(), |other| format!("{WRONG}{other}"));
        let cells: [String; HEADINGS.len()] = [
            operation.into(),
            self.name.clone(),
            self.samples.len().to_string(),
            milliseconds(self.cpu(operation)),
            milliseconds(self.wall(operation)),
            measure::median(&self.samples, |sample| Some(sample.peak_rss))
                .map_or("–".into(), |mib| format!("{mib:.0}")),
            ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")),
            target,
            answer,
            self.text(operation, "peak").into(),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

fn operations(sample: &Sample) -> &[Value] {
    sample.report["operations"].as_array().map_or(&[], Vec::as_slice)
}

/// Prints the head of the table.
pub fn print_head() {
    println!("| {} |", HEADINGS.join(" | "));
    println!("|---|---{}|", "|--:".repeat(HEADINGS.len() - 2));
}

/// Runs each of `jobs` as often as `runs` says, by turns.
pub fn run(jobs: &mut [Job], runs: u32, executable: &str) {
    for _ in 0..runs {
        jobs.iter_mut().filter(|job| job.failure.is_none()).for_each(|job| job.run(executable));
    }
}

/// Prints the rows of `jobs`, the first of which is ours. `target` gives the target of a job, by its position, for an
/// operation. Answers whether no job failed and no answer was wrong.
pub fn print_rows(jobs: &[Job], target: impl Fn(usize, &str) -> Option<String>) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for name in jobs[0].samples.iter().flat_map(operations).filter_map(|operation| operation["name"].as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut well = true;
    for name in names {
        for (at, job) in jobs.iter().enumerate() {
            let row = job.markdown(name, &jobs[0], target(at, name).unwrap_or_default());
            well &= !row.contains(WRONG);
            println!("{row}");
        }
    }
    for (job, failure) in jobs.iter().filter_map(|job| Some((job, job.failure.as_ref()?))) {
        println!("{} FAILED: {failure}", job.name);
        well = false;
    }
    well
}

//! Places N queens on an N×N board so that none attacks another: counts the ways, lists them, draws some, or finds one.
//!
//! `cargo run --release --example queens -- count 10 --memory 256MiB --progress`
//!
//! What the user types is in `options`, what the user sees in `output` and `drawing`, and each subcommand in a module of its
//! own: `count`, `list`, `unique` and `sample`, whose diagram of all solutions comes about in `recipe`, `one`, which searches in
//! `permutation`, and `baseline`.

mod baseline;
mod count;
mod drawing;
mod list;
mod one;
mod options;
mod output;
mod permutation;
mod recipe;
mod sample;
#[path = "../shared/store.rs"]
mod store;
mod unique;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Parser;
use strata_bdd::Error;

use options::{Command, Options};

fn main() -> ExitCode {
    let outcome = match Options::parse().command {
        Command::Count(options) => count::count(&options),
        Command::List(options) => list::list(&options),
        Command::Unique(options) => unique::unique(&options),
        Command::Sample(options) => sample::sample(&options),
        Command::One(options) => one::one(&options),
        Command::Baseline(options) => baseline::baseline(&options),
    };
    outcome.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
}

/// Why there is no result, or nobody to read it.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Library(#[from] Error),
    #[error("{n} queens cannot stand on a {n}×{n} board without attacking each other")]
    NoSolution { n: u32 },
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
}

impl Failure {
    /// Says on standard error what happened. Exit code 2 is a bad argument, as clap has it, and 1 bad luck.
    fn report(&self) -> ExitCode {
        match self {
            // Whoever read the output has seen enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            _ => _ = writeln!(io::stderr(), "error: {self}"),
        }
        if matches!(self, Self::Library(Error::BudgetTooSmall { .. })) { ExitCode::from(2) } else { ExitCode::FAILURE }
    }
}

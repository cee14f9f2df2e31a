//! Places N queens on an N×N board so that none attacks another: counts the ways, lists them, draws some, or finds one.
//!
//! `cargo run --release --example queens -- count 10 --memory 256MiB --progress`
//!
//! Module `options` has what the user types, `output` and `drawing` what the user sees. Each subcommand has a module of
//! its own. `count`, `list`, `unique` and `sample` take the diagram of all solutions from `recipe`; `one` searches in
//! `permutation`; `baseline` needs neither.

#[path = "../shared/abreast.rs"]
mod abreast;
mod baseline;
mod count;
mod drawing;
#[path = "../shared/end.rs"]
mod end;
#[path = "../shared/halves.rs"]
mod halves;
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

use std::{io, process::ExitCode};

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
    end::end(outcome)
}

/// Why there is no result, or why the result cannot be written.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Library(#[from] Error),
    #[error("{n} queens cannot stand on a {n}×{n} board without attacking each other")]
    NoSolution { n: u32 },
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
}

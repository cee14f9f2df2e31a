//! Models of a formula in conjunctive normal form: how many there are, and the first of them.
//!
//! `cargo run --release --example models -- formula.cnf --memory 256MiB`
//!
//! The file is in DIMACS format, where lines `c p show VARIABLES 0`, as in the model counting competitions, name the
//! variables whose values tell models apart; all others are quantified away. Weights are ignored. Variables come in an
//! order that brings those of a clause together, clauses in 16 buckets by their last ones: each conjunction is over the
//! variables so far, and what is to be quantified away goes as soon as it can. The formula itself is in memory, beside
//! the budget.

mod dimacs;
#[path = "../shared/end.rs"]
mod end;
mod order;
#[path = "../shared/store.rs"]
mod store;

use std::{collections::BTreeMap, error::Error, fs, io::Write, iter, path::PathBuf, process::ExitCode};

use clap::{Parser, ValueEnum};
use strata_bdd::{Bdd, Result, Store};

use dimacs::Clause;

/// Counts the models of a formula in DIMACS format.
#[derive(Parser)]
#[command(name = "models", version)]
struct Options {
    /// The formula.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The order of the variables. The first model is the least in this order, with false less than true.
    #[arg(long, default_value = "force")]
    order: Order,
    #[command(flatten)]
    store: store::StoreOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    /// One in which the variables of each clause are close to each other.
    Force,
    /// That of their numbers.
    Given,
}

fn main() -> ExitCode {
    end::end(count(&Options::parse()))
}

/// Counts the models and prints the result.
fn count(options: &Options) -> Result<(), Box<dyn Error>> {
    let store = options.store.open(None)?;
    let formula =
        fs::read(&options.file).map_err(Into::into).and_then(|text| dimacs::parse(&String::from_utf8_lossy(&text)));
    let mut formula = formula.map_err(|error| format!("{}: {error}", options.file.display()))?;
    let places = match options.order {
        Order::Given => (0..formula.variables).collect(),
        Order::Force => order::force(&formula.clauses, formula.variables),
    };
    formula.clauses.iter_mut().flatten().for_each(|literal| literal.0 = places[literal.0 as usize]);
    let shown: BTreeMap<u32, u32> =
        formula.shown.iter().map(|&variable| (places[variable as usize], variable)).collect();
    let models = models(formula.clauses, formula.variables, |place| shown.contains_key(&place), &store)?;
    let mut out = std::io::stdout();
    writeln!(out, "models: {}\nnodes: {}", models.sat_count(shown.len() as u32)?, models.node_count())?;
    if let Some(first) = models.sat_min(shown.keys().copied())? {
        let first: BTreeMap<u32, bool> = first.into_iter().map(|(place, value)| (shown[&place], value)).collect();
        let literal = |(variable, value)| format!("{}{}", if value { "" } else { "-" }, variable + 1);
        writeln!(out, "first: {}", first.into_iter().map(literal).collect::<Vec<_>>().join(" "))?;
    }
    Ok(writeln!(out, "{}", store::work(&store))?)
}

/// The models of `clauses` as seen on the variables that are shown. Each of the others is quantified away when no bucket
/// that is left has it.
fn models(mut clauses: Vec<Clause>, variables: u32, is_shown: impl Fn(u32) -> bool, store: &Store) -> Result<Bdd> {
    let last = |clause: &Clause| clause.iter().map(|literal| literal.0).max().unwrap_or(0);
    clauses.sort_by_cached_key(last);
    let width = clauses.last().map_or(0, last) / 16 + 1;
    let bucket_of = |clause: &Clause| last(clause) / width;
    let mut last_bucket = vec![0; variables as usize];
    for clause in &clauses {
        let at = bucket_of(clause);
        for &(variable, _) in clause {
            last_bucket[variable as usize] = at;
        }
    }
    let mut models = store.constant(true);
    for bucket in clauses.chunk_by(|a, b| bucket_of(a) == bucket_of(b)) {
        let (at, clauses) = (bucket_of(&bucket[0]), bucket.iter().map(|clause| store.clause(clause.iter().copied())));
        models = store.and_all(iter::once(Ok(models)).chain(clauses))?;
        models = models.exists_where(|variable| !is_shown(variable) && last_bucket[variable as usize] <= at)?;
    }
    Ok(models)
}

//! Models of a formula in conjunctive normal form: how many there are, and the first of them.
//!
//! `cargo run --release --example models -- formula.cnf --memory 256MiB`
//!
//! The file is in DIMACS format, where lines `c p show VARIABLES 0`, as in the model counting competitions, name the
//! variables whose values tell models apart; all others are quantified away. Weights are ignored. Variables come in the
//! order of their numbers, clauses in 16 buckets by their last ones: each conjunction is over the variables so far.

use std::{collections::BTreeSet, error::Error, fs, io::Write, iter, path::PathBuf, process::ExitCode};

use clap::Parser;

#[path = "shared/end.rs"]
mod end;
#[path = "shared/store.rs"]
mod store;

/// Counts the models of a formula in DIMACS format.
#[derive(Parser)]
#[command(name = "models", version)]
struct Options {
    /// The formula.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    store: store::StoreOptions,
}

struct Formula {
    clauses: Vec<Vec<(u32, bool)>>,
    /// The variables whose values tell models apart.
    shown: BTreeSet<u32>,
}

fn main() -> ExitCode {
    end::end(count(&Options::parse()))
}

/// Counts the models and prints the result.
fn count(options: &Options) -> Result<(), Box<dyn Error>> {
    let store = options.store.open(None)?;
    let formula = fs::read(&options.file).map_err(Into::into).and_then(|text| parse(&String::from_utf8_lossy(&text)));
    let mut formula = formula.map_err(|error| format!("{}: {error}", options.file.display()))?;
    let last = |clause: &Vec<(u32, bool)>| clause.iter().map(|literal| literal.0).max().unwrap_or(0);
    formula.clauses.sort_by_key(last);
    let width = formula.clauses.last().map_or(0, last) / 16 + 1;
    let buckets = formula.clauses.chunk_by(|a, b| last(a) / width == last(b) / width);
    let mut buckets = buckets.map(|bucket| bucket.iter().map(|clause| store.clause(clause.iter().copied())));
    let models = buckets.try_fold(store.constant(true), |all, some| store.and_all(iter::once(Ok(all)).chain(some)))?;
    let models = models.exists_where(|variable| !formula.shown.contains(&variable))?;
    let mut out = std::io::stdout();
    writeln!(out, "models: {}\nnodes: {}", models.sat_count(formula.shown.len() as u32)?, models.node_count())?;
    if let Some(first) = models.sat_min(formula.shown)? {
        let literal = |&(variable, value): &_| format!("{}{}", if value { "" } else { "-" }, variable + 1);
        writeln!(out, "first: {}", first.iter().map(literal).collect::<Vec<_>>().join(" "))?;
    }
    Ok(writeln!(out, "{}", store::work(&store))?)
}

fn parse(text: &str) -> Result<Formula, Box<dyn Error>> {
    // Files of SATLIB end like this.
    let text = text.trim_end().strip_suffix("\n%\n0").unwrap_or(text);
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.clone().find_map(|words| match words[..] {
        ["p", "cnf", variables, clauses] => Some((variables.parse().ok()?, clauses.parse::<usize>().ok()?)),
        _ => None,
    });
    let header = header.filter(|&(variables, _)| variables <= 1 << 24);
    let (variables, announced) = header.ok_or("no line \"p cnf VARIABLES CLAUSES\" with up to 2^24 variables")?;
    let (mut clauses, mut clause, mut shown) = (Vec::new(), Vec::new(), None::<BTreeSet<_>>);
    for (words, number) in lines.zip(1..) {
        let literal = |word| literal(word, variables).map_err(|what| format!("line {number}: {what}"));
        let literals = |words: &[_]| words.iter().map(|&word| literal(word)).collect::<Result<Vec<_>, _>>();
        match words[..] {
            ["c", "p", "show", ref words @ ..] => {
                shown.get_or_insert_default().extend(literals(words)?.iter().flatten().map(|literal| literal.0));
            }
            [word, ..] if word.starts_with(['c', 'p']) => {}
            ref words => literals(words)?.into_iter().for_each(|literal| match literal {
                Some(literal) => clause.push(literal),
                None => clauses.push(std::mem::take(&mut clause)),
            }),
        }
    }
    if clauses.len() != announced || !clause.is_empty() {
        return Err(format!("{} clauses end with 0, of the {announced} announced", clauses.len()).into());
    }
    Ok(Formula { clauses, shown: shown.unwrap_or_else(|| (0..variables).collect()) })
}

/// The variable, counted from 0, and the value that make the literal `word` true; `None` for the 0 that ends a clause.
fn literal(word: &str, variables: u32) -> Result<Option<(u32, bool)>, String> {
    let number: i32 = word.parse().map_err(|_| format!("{word:?} is no literal"))?;
    match number.unsigned_abs() {
        variable if variable > variables => Err(format!("variable {variable} of {variables}")),
        variable => Ok(variable.checked_sub(1).map(|variable| (variable, number > 0))),
    }
}

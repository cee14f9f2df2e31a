//! `queens one`: a single solution, fast.

use std::time::Instant;

use serde_json::json;

use crate::{
    Failure,
    drawing::{Drawing, line},
    options::OneOptions,
    output::print,
    permutation::{Found, is_solution, search},
};

/// Finds a solution, checks it and prints it.
pub fn one(options: &OneOptions) -> Result<(), Failure> {
    let &OneOptions { n, seed, board, json } = options;
    let start = Instant::now();
    let Found { rows, swaps, restarts } = search(n, seed).ok_or(Failure::NoSolution { n })?;
    let seconds = start.elapsed().as_secs_f64();
    assert!(is_solution(&rows), "the search ends without conflicts");

    if json {
        return print(json!({
            "n": n,
            "rows": rows,
            "seed": seed,
            "swaps": swaps,
            "restarts": restarts,
            "seconds": seconds,
        }));
    }
    print(line(&rows))?;
    if board { print(Drawing(&rows)) } else { Ok(()) }
}

//! `queens one`: a single solution, fast.

use std::{fmt, time::Instant};

use serde_json::json;

use crate::{
    Failure,
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
    let words: Vec<_> = rows.iter().map(u32::to_string).collect();
    print(words.join(" "))?;
    if board { print(Drawing(&rows)) } else { Ok(()) }
}

/// The board, row 0 first: `Q` for a queen, `.` for an empty square.
struct Drawing<'a>(&'a [u32]);

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut columns = vec![0; self.0.len()];
        for (column, &row) in self.0.iter().enumerate() {
            columns[row as usize] = column;
        }
        let empty = ".".repeat(columns.len());
        for (row, &column) in columns.iter().enumerate() {
            let line_break = if row == 0 { "" } else { "\n" };
            write!(f, "{line_break}{}Q{}", &empty[..column], &empty[column + 1..])?;
        }
        Ok(())
    }
}

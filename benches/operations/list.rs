//! All solutions of N-Queens, one after another, from the diagram of all of them.

use std::hint::black_box;

use strata_bdd::Bdd;

use crate::{
    Failure,
    operations::{clock::Report, queens::Board},
};

/// Measures `list`, which counts the solutions of `n` queens.
pub fn time(n: u16, by: &str, list: impl FnOnce() -> Result<u64, Failure>, report: &mut Report) -> Result<(), Failure> {
    report.time(&format!("list {n} queens by {by}"), list, |count| Ok(format!("{count} solutions"))).map(drop)
}

/// Counts the solutions in `rest`, in which the first `column` columns have their queens, by restricting it column by
/// column. (The procedure is that of Kunkle, Slavici and Cooperman, 2010, as Adiar's tutorial gives it.)
pub fn backtrack<B: Board>(n: u16, rest: &B, column: u16) -> Result<u64, Failure> {
    let solutions = rest.solutions(n, column)?;
    if column == n || solutions <= 1.0 {
        if solutions > 0.0 {
            black_box(rest.first()?);
        }
        return Ok(u64::from(solutions > 0.0));
    }
    let below = |row| {
        let queen: Vec<_> = (0..n).map(|other| (n * other + column, other == row)).collect();
        backtrack(n, &rest.restrict(&queen)?, column + 1)
    };
    (0..n).map(below).sum()
}

/// Counts the solutions that the iterator over assignments of ours gives.
pub fn enumerate(n: u16, solutions: &Bdd) -> Result<u64, Failure> {
    let mut count = 0;
    for solution in solutions.assignments(0..u32::from(n * n))? {
        count += u64::from(solution?.iter().filter(|literal| literal.1).count() == usize::from(n));
    }
    Ok(count)
}

//! All solutions of N-Queens, one after another, from the diagram of all of them.

use strata_bdd::Bdd;

use crate::Failure;

/// Counts the solutions in `rest` whose first `column` columns have their queens, by restricting it column by column.
/// (Kunkle, Slavici and Cooperman's procedure, 2010, as Adiar's tutorial gives it.)
pub fn backtrack(n: u32, rest: &Bdd, column: u32) -> Result<u64, Failure> {
    if rest.is_false() {
        return Ok(0);
    }
    if column == n {
        return Ok(1);
    }
    if rest.path_count()? == 1u8.into() {
        return Ok(rest.cube_min()?.map_or(0, |_| 1));
    }
    let below = |row| {
        let queen = (0..n).map(|other| (n * other + column, other == row));
        backtrack(n, &rest.restrict(queen)?, column + 1)
    };
    (0..n).map(below).sum()
}

/// Counts them as the enumerator gives them.
pub fn enumerate(n: u32, solutions: &Bdd) -> Result<u64, Failure> {
    let mut count = 0;
    for solution in solutions.assignments(0..n * n)? {
        count += u64::from(solution?.iter().filter(|literal| literal.1).count() == n as usize);
    }
    Ok(count)
}

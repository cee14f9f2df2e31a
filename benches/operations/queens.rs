//! Questions about the largest intermediate diagram of N-Queens.

use crate::{Failure, operations::clock::Report};

/// A diagram of placements, in any package.
pub trait Board: Sized {
    /// The diagram with some variables fixed.
    fn restrict(&self, literals: &[(u16, bool)]) -> Result<Self, Failure>;
    /// The diagram with one variable quantified.
    fn exists(&self, variable: u16) -> Result<Self, Failure>;
    /// The number of assignments for which the diagram is true, in the package's fastest arithmetic that does not
    /// overflow.
    fn count(&self, variables: u16) -> Result<f64, Failure>;
    /// The number of solutions of `n` queens in what is left of the diagram of all solutions once the squares of so
    /// many columns are fixed.
    fn solutions(&self, n: u16, columns: u16) -> Result<f64, Failure>;
    /// The number of true variables in the first assignment for which the diagram is true.
    fn first(&self) -> Result<usize, Failure>;
    /// Nodes without terminals.
    fn inner_nodes(&self) -> u64;
}

/// Measures every question to `board` once: a package that remembers results would answer sooner the second time.
pub fn ask<B: Board>(board: &B, n: u16, report: &mut Report) -> Result<(), Failure> {
    let (top, middle, bottom) = (0, n * n / 2, n * n - 1);
    let nodes = |result: &B| Ok(format!("{} nodes", result.inner_nodes()));
    let sum = |nodes: &u64| Ok(format!("{nodes} nodes"));
    report.time(&format!("restrict x{middle}=0"), || board.restrict(&[(middle, false)]), nodes)?;
    report.time(&format!("restrict x{middle}=1"), || board.restrict(&[(middle, true)]), nodes)?;
    report.time(&format!("restrict x{bottom}=0"), || board.restrict(&[(bottom, false)]), nodes)?;
    report.time(&format!("restrict x{top}=0"), || board.restrict(&[(top, false)]), nodes)?;
    report.time(&format!("exists x{middle}"), || board.exists(middle), nodes)?;
    report.time(&format!("exists x{bottom}"), || board.exists(bottom), nodes)?;
    report.time(
        "restrict =0, one of each row",
        || one_of_each_row(n, |variable| board.restrict(&[(variable, false)])),
        sum,
    )?;
    report.time(
        "restrict =1, one of each row",
        || one_of_each_row(n, |variable| board.restrict(&[(variable, true)])),
        sum,
    )?;
    report.time("exists, one of each row", || one_of_each_row(n, |variable| board.exists(variable)), sum)?;
    report.time("sat_count", || board.count(n * n), |count| Ok(format!("{count:.6e}")))?;
    Ok(())
}

/// Changes the variable of the second square of each row in turn, which no other question asks for. Gives the sum of
/// the nodes of all results.
fn one_of_each_row<B: Board>(n: u16, change: impl Fn(u16) -> Result<B, Failure>) -> Result<u64, Failure> {
    (0..n).map(|row| Ok(change(row * n + 1)?.inner_nodes())).sum()
}

//! `queens list`: every solution, found by restricting the diagram of all solutions column by column, or by an iterator
//! over its assignments.

use strata_bdd::Bdd;

use crate::{
    Failure,
    drawing::{Drawing, line},
    options::{ListOptions, Via},
    output::{Output, print},
    recipe::{Order, board},
};

/// Prints the solutions, a line each, in lexicographic order.
pub fn list(options: &ListOptions) -> Result<(), Failure> {
    let n = options.board.n;
    let output = Output::new(&options.lines.output(), n);
    let store = options.board.store.open(output.callback())?;
    let solutions = board(n, Order::Linear, &store, |row, nodes| output.row(row, nodes))?.bdd;
    drop(output);
    let mut listing = Listing { n, left: options.limit.unwrap_or(u64::MAX), draw: options.lines.draw };
    match options.via {
        Via::Restrict => listing.backtrack(&solutions, &mut Vec::new()),
        Via::Iterate => listing.iterate(&solutions),
    }
}

/// How solutions are printed, and how many more of them are wanted.
struct Listing {
    n: u32,
    left: u64,
    draw: bool,
}

impl Listing {
    /// Lists the solutions in `rest`, in which the queens of the first columns stand in `rows`. (The procedure is that
    /// of Kunkle, Slavici and Cooperman, as Adiar's tutorial gives it.)
    fn backtrack(&mut self, rest: &Bdd, rows: &mut Vec<u32>) -> Result<(), Failure> {
        let (n, column) = (self.n, rows.len() as u32);
        if self.left == 0 || rest.is_false() {
            return Ok(());
        }
        if column == n {
            return self.print(rows);
        }
        if rest.path_count()? == 1u8.into() {
            return self.print(&last(rest, rows, n)?);
        }
        for row in 0..n {
            let queen = (0..n).map(|other| (n * other + column, other == row));
            rows.push(row);
            self.backtrack(&rest.restrict(queen)?, rows)?;
            rows.pop();
        }
        Ok(())
    }

    /// Lists the solutions as the iterator over assignments gives them: false before true, the first square first. Each
    /// row of the board, from the last column to the first, is printed as a column: that is the lexicographic order of
    /// the lines. (Such a mirror image of a solution is a solution, too.)
    fn iterate(&mut self, solutions: &Bdd) -> Result<(), Failure> {
        let n = self.n;
        for solution in solutions.assignments(0..n * n)? {
            if self.left == 0 {
                break;
            }
            let queens = solution?.into_iter().filter(|literal| literal.1);
            let rows: Vec<u32> = queens.map(|(square, _)| n - 1 - square % n).collect();
            self.print(&rows)?;
        }
        Ok(())
    }

    fn print(&mut self, rows: &[u32]) -> Result<(), Failure> {
        self.left -= 1;
        print(line(rows))?;
        if self.draw { print(format_args!("{}\n", Drawing(rows))) } else { Ok(()) }
    }
}

/// The rows of all columns, where `rest` is a single solution whose first columns have the rows `rows`.
fn last(rest: &Bdd, rows: &[u32], n: u32) -> Result<Vec<u32>, Failure> {
    let mut all = rows.to_vec();
    all.resize(n as usize, 0);
    for (square, queen) in rest.cube_min()?.unwrap_or_default() {
        if queen {
            all[(square % n) as usize] = square / n;
        }
    }
    Ok(all)
}

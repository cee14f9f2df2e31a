//! Draws of tic-tac-toe on a 4×4×4 board: in how many ways can N crosses and 64 − N noughts fill it so that none of its
//! 76 lines of four is all crosses or all noughts?
//!
//! `cargo run --release --example tic_tac_toe -- 22 --memory 256MiB`
//!
//! Square (x, y, z) is variable 16x + 4y + z, true for a cross. "Exactly N crosses" comes first. Then come the lines,
//! four at a time, each with one to three crosses: so the large diagram is swept 19 times and not 76. Lines that stay
//! near the top or near the bottom of the diagram come first, lines that cross it last. In the order of the last
//! squares of the lines, the largest diagram on the way would have many times the nodes.
//!
//! After D. Kunkle, V. Slavici, G. Cooperman, *Parallel Disk-Based Computation for Large, Monolithic Binary Decision
//! Diagrams*, 2010, and S. C. Sølvsten, J. van de Pol, A. B. Jakobsen, M. W. B. Thomasen, *Adiar: Binary Decision
//! Diagrams in External Memory*, 2022.

use std::{error::Error, io::Write, process::ExitCode};

use clap::{Parser, value_parser};
use strata_bdd::Result;

#[path = "shared/end.rs"]
mod end;
#[path = "shared/store.rs"]
mod store;

/// Draws of tic-tac-toe on a 4×4×4 board with a given number of crosses.
#[derive(Parser)]
#[command(name = "tic_tac_toe", version)]
struct Options {
    /// Crosses on the full board, 0 to 64; there are draws from 20 to 44.
    #[arg(value_name = "N", value_parser = value_parser!(u64).range(..=64))]
    n: u64,
    #[command(flatten)]
    store: store::StoreOptions,
}

fn main() -> ExitCode {
    end::end(count(&Options::parse()))
}

/// Counts the draws and prints the result.
fn count(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let store = options.store.open(None)?;
    let mut draws = store.exactly(options.n, 0..64)?;
    let mut largest = draws.node_count();
    for four in lines().chunks(4) {
        let mut undecided = store.constant(true);
        for &line in four {
            undecided = ((undecided & store.at_least(1, line)?)? & store.at_most(3, line)?)?;
        }
        draws = (draws & undecided)?;
        largest = largest.max(draws.node_count());
    }
    writeln!(out, "draws: {}\nnodes: {}\nlargest diagram: {largest} nodes", draws.sat_count(64)?, draws.node_count())?;
    writeln!(out, "{}", store::work(&store))?;
    Ok(())
}

/// The four squares of every line, in ascending order. The lines are sorted by how far they reach from the top or from
/// the bottom, whichever is nearer.
fn lines() -> Vec<[u32; 4]> {
    let mut lines = Vec::new();
    for square in 0..64 {
        let start = [square / 16, square / 4 % 4, square % 4];
        for direction in 0..27 {
            let step = [direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1];
            let along = |k: i32| [0, 1, 2].map(|axis| start[axis] + k * step[axis]);
            let number = |k| along(k).into_iter().fold(0, |number, at| 4 * number + at.cast_unsigned());
            // Every line is found once: in the direction in which the numbers of its squares rise, and from wall to
            // wall, since the fourth square must be on the board.
            if step > [0; 3] && along(3).iter().all(|at| (0..4).contains(at)) {
                lines.push([0, 1, 2, 3].map(number));
            }
        }
    }
    lines.sort_by_key(|line| line[3].min(63 - line[0]));
    lines
}

//! `queens baseline`: the count without diagrams, as a check of the other subcommands and as a yardstick.

use std::time::Instant;

use serde_json::json;

use crate::{Failure, options::BaselineOptions, output::print};

/// Counts the solutions by backtracking and prints the result.
pub fn baseline(options: &BaselineOptions) -> Result<(), Failure> {
    let &BaselineOptions { n, symmetry, json } = options;
    let start = Instant::now();
    let board = Board { n, all: (1 << n) - 1 };
    let solutions = if symmetry { board.count_by_mirror_images() } else { board.count(Attacks::default()) };
    let seconds = start.elapsed().as_secs_f64();

    if json {
        return print(json!({
            "n": n,
            "solutions": solutions.to_string(),
            "symmetry": symmetry,
            "seconds": seconds,
        }));
    }
    print(format_args!("solutions: {solutions}\ntime: {seconds:.3} s"))
}

/// An N×N board, filled row by row. Sets of columns are bit masks.
struct Board {
    n: u32,
    /// Every column.
    all: u32,
}

/// The columns of the next row that queens in the rows above attack.
#[derive(Clone, Copy, Default)]
struct Attacks {
    straight: u32,
    /// Along the diagonals towards higher columns.
    rising: u32,
    /// Along the diagonals towards lower columns.
    falling: u32,
}

impl Attacks {
    /// The attacks on the row after the one in which a queen goes to `column`, a mask of one bit.
    fn after(self, column: u32) -> Self {
        Self {
            straight: self.straight | column,
            rising: (self.rising | column) << 1,
            falling: (self.falling | column) >> 1,
        }
    }
}

impl Board {
    /// The ways to fill the rows that are left.
    fn count(&self, attacks: Attacks) -> u64 {
        if attacks.straight == self.all {
            return 1;
        }
        self.count_within(self.all, attacks)
    }

    /// The ways to fill the rows that are left, at least one, with the next queen in one of `columns`.
    fn count_within(&self, columns: u32, attacks: Attacks) -> u64 {
        let mut free = columns & !(attacks.straight | attacks.rising | attacks.falling);
        let mut solutions = 0;
        while free != 0 {
            let column = free & free.wrapping_neg();
            free ^= column;
            solutions += self.count(attacks.after(column));
        }
        solutions
    }

    /// All solutions. One of each two mirror images is found, and counted twice.
    ///
    /// In just one of the two, the first queen stands in the left half of her row. If the first queen stands in the
    /// middle column, she does so in both; then the second queen, who cannot stand there, stands in the left half in
    /// just one of them.
    fn count_by_mirror_images(&self) -> u64 {
        let half = (1 << (self.n / 2)) - 1;
        let mut solutions = 2 * self.count_within(half, Attacks::default());
        if self.n % 2 == 1 {
            let attacks = Attacks::default().after(half + 1);
            // A single queen is her own mirror image.
            solutions += if self.n == 1 { 1 } else { 2 * self.count_within(half, attacks) };
        }
        solutions
    }
}

//! One solution by local search: Sosič and Gu, *A Polynomial Time Algorithm for the N-Queens Problem*, 1990.
//!
//! The rows of the queens are a permutation, so that no two share a row or a column. Two queens swap rows as long as
//! that leaves fewer conflicts on the diagonals. The queens on every diagonal are counted, so nobody searches for
//! conflicts.

use std::mem;

use fastrand::Rng;

/// A solution, and the way to it.
pub struct Found {
    /// The row of the queen in each column.
    pub rows: Vec<u32>,
    /// Swaps that left fewer conflicts, in all permutations tried.
    pub swaps: u64,
    /// Permutations given up.
    pub restarts: u64,
}

/// A placement of `n` queens that do not attack each other, the same one for the same `seed`; `None` where there is none.
pub fn search(n: u32, seed: u64) -> Option<Found> {
    if n == 2 || n == 3 {
        return None;
    }
    let mut random = Rng::with_seed(seed);
    let mut swaps = 0;
    for restarts in 0.. {
        let mut queens = Queens::shuffled(n, &mut random);
        swaps += queens.settle(&mut random);
        if queens.conflicts == 0 {
            return Some(Found { rows: queens.rows, swaps, restarts });
        }
    }
    unreachable!("u64::MAX permutations were tried")
}

/// Whether `rows` are a permutation without two queens on one diagonal, judged by the rows alone.
pub fn is_solution(rows: &[u32]) -> bool {
    let n = rows.len();
    let lines: [fn(usize, usize, usize) -> usize; 3] =
        [|_, row, _| row, |_, row, column| column + row, |n, row, column| column + n - row];
    rows.iter().all(|&row| (row as usize) < n)
        && lines.iter().all(|line| {
            let mut taken = vec![false; 2 * n];
            (0..n).all(|column| !mem::replace(&mut taken[line(n, rows[column] as usize, column)], true))
        })
}

/// A permutation and its conflicts.
struct Queens {
    rows: Vec<u32>,
    /// Queens on each diagonal: those that rise, then those that fall.
    diagonals: [Vec<u32>; 2],
    /// Queens beyond the first, summed over all diagonals.
    conflicts: u64,
}

impl Queens {
    fn shuffled(n: u32, random: &mut Rng) -> Self {
        let mut rows: Vec<u32> = (0..n).collect();
        random.shuffle(&mut rows);
        let diagonals = [(); 2].map(|()| vec![0; 2 * n as usize]);
        let mut queens = Self { rows, diagonals, conflicts: 0 };
        (0..queens.rows.len()).for_each(|column| queens.put(column));
        queens
    }

    /// Swaps attacked queens until none is attacked or no swap helps; gives the number of swaps.
    fn settle(&mut self, random: &mut Rng) -> u64 {
        let n = self.rows.len();
        let mut swaps = 0;
        loop {
            let before = swaps;
            for column in 0..n {
                if self.conflicts == 0 {
                    return swaps;
                }
                if self.is_attacked(column) {
                    // Most partners help, so few have to be tried.
                    let first = random.usize(..n);
                    let mut partners = (first..n).chain(0..first).filter(|&partner| partner != column);
                    swaps += u64::from(partners.any(|partner| self.improve(column, partner)));
                }
            }
            if swaps == before {
                return swaps;
            }
        }
    }

    /// Swaps the rows of two columns if that leaves fewer conflicts, and says whether it did.
    fn improve(&mut self, a: usize, b: usize) -> bool {
        let before = self.conflicts;
        self.swap(a, b);
        let improved = self.conflicts < before;
        if !improved {
            self.swap(a, b);
        }
        improved
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.take(a);
        self.take(b);
        self.rows.swap(a, b);
        self.put(a);
        self.put(b);
    }

    /// The two diagonals of the queen in `column`.
    fn lines(&self, column: usize) -> [usize; 2] {
        let row = self.rows[column] as usize;
        [column + row, column + self.rows.len() - row]
    }

    fn is_attacked(&self, column: usize) -> bool {
        let lines = self.lines(column);
        self.diagonals.iter().zip(lines).any(|(queens, line)| queens[line] > 1)
    }

    fn put(&mut self, column: usize) {
        let lines = self.lines(column);
        for (queens, line) in self.diagonals.iter_mut().zip(lines) {
            self.conflicts += u64::from(queens[line] > 0);
            queens[line] += 1;
        }
    }

    fn take(&mut self, column: usize) {
        let lines = self.lines(column);
        for (queens, line) in self.diagonals.iter_mut().zip(lines) {
            queens[line] -= 1;
            self.conflicts -= u64::from(queens[line] > 0);
        }
    }
}

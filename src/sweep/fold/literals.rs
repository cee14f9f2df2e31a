//! Counting the solutions that have each literal: how many give each variable each value.
//!
//! The number of ways that [`taken`](super::taken) finds to take each arc are those of solutions that have its literal. Of the
//! others, which skip the level, half have either value.
//!
//! Cost: for each number of lanes that [`exact`](super::exact) wants, one fold and one trace.

use num_bigint::BigUint;

use super::{
    arithmetic::Exact,
    count::{Count, bits},
    exact::{Tally, large, small},
    taken::taken,
};
use crate::{error::Result, file::node_file::NodeFile, sweep::run::Run};

/// For each level, by rank from 1, the numbers of assignments to the variables of all levels that lead to `terminal` and give its
/// variable the value false, and true; in a diagram that is no constant.
pub fn literal_counts(file: &NodeFile, terminal: bool, run: &mut Run<'_>) -> Result<Vec<[BigUint; 2]>> {
    let taken = Taken { file };
    if let Some(counts) = small(&taken, terminal, run)? {
        return Ok(completed(counts));
    }
    // One of the two terminals is often reached in few ways.
    if let Some(counts) = small(&taken, !terminal, run)? {
        let half = BigUint::from(1u8) << (file.levels().ranks() - 2);
        return Ok(completed(counts).into_iter().map(|counts| counts.map(|count| &half - count)).collect());
    }
    let bits = bits(file, Count::Assignments, terminal, run)?;
    Ok(completed(large(&taken, terminal, bits, run)?))
}

/// Adds to the counts of solutions that take an arc of a level, false and true in turn, those that skip it.
fn completed(taken: Vec<BigUint>) -> Vec<[BigUint; 2]> {
    // No solution skips the root's level.
    let all = taken.iter().rev().take(2).sum::<BigUint>();
    let mut taken = taken.into_iter();
    let level = |low: BigUint, high: BigUint| {
        let half = (&all - &low - &high) >> 1u8;
        [low + &half, high + half]
    };
    std::iter::from_fn(|| Some(level(taken.next()?, taken.next()?))).collect()
}

/// The numbers of solutions that take a low arc and a high arc of each level.
struct Taken<'a> {
    file: &'a NodeFile,
}

impl Tally for Taken<'_> {
    fn tally<A: Exact, const N: usize, const L: usize>(
        &self,
        terminal: bool,
        arithmetic: &A,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u64>>> {
        taken::<A, N, L>(self.file, terminal, arithmetic, run)
    }
}

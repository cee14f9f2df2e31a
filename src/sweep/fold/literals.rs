//! Counting the solutions that have each literal: how many give each variable each value.
//!
//! The number of ways from the root to a node travels down, and every arc is logged with the number of ways that go along it. On
//! the way back, the number of ways from a node to the terminal travels up. The product of both, for each arc, is how many
//! solutions take it, and these are added up for each level and value. What is missing on a level up to the number of all solutions
//! skips it, and half of that has either value.
//!
//! ```text
//!         root
//!       ╱  ╎   ╲    the ways down to a node ...
//!          p
//!          │ value of p's variable         ways(root → p) · 2^skipped · ways(q → terminal)
//!          q
//!       ╲  ╎   ╱    ... times the ways on
//!       terminal
//! ```
//! Cost: for each number of lanes that [`exact`](super::exact) wants, one fold and one trace.
//!
//! After: A. Darwiche, "A differential approach to inference in Bayesian networks", 2003 (on arithmetic circuits, in memory).

use num_bigint::BigUint;

use super::{
    Arc, Load,
    arithmetic::Exact,
    count::{Count, bits},
    exact::{Tally, large, small},
    fold,
    trace::{Incoming, NO_SLOT, Onward, Trail, Travel, arc_of, place, slot, trace},
};
use crate::{
    disk::{pool::Share, space::Space, spool::Spool},
    error::Result,
    file::node_file::NodeFile,
    progress::Sweep,
    sweep::run::Run,
};

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
        let (file, numbers) = (self.file, 2 * (self.file.levels().ranks() - 1) * (N - 1));
        let _charge = run.space.pool.charge(numbers * size_of::<u64>(), "the counts of so many literals")?;
        let down: Down<'_, A, N> = Down { arithmetic, trail: Trail::new(), overflow: false };
        let Some(down) = fold::<_, L>(file, terminal, down, run)? else { return Ok(None) };
        let mut start = [place(terminal.into()); N];
        arithmetic.one(&mut start[1..]);
        let mut starts = Spool::new(Share::Queue);
        starts.append(start, run.space)?;
        let mut up: Up<'_, A, N> = Up { file, arithmetic, ways: [0; N], taken: vec![0; numbers], overflow: false };
        Ok(trace(file, down.trail, starts, &mut up, run)?.then_some(up.taken))
    }
}

/// Numbers of ways that travel down: (id, slot, number).
struct Down<'a, A, const M: usize> {
    arithmetic: &'a A,
    /// Slots, each with the number of ways that come along its arc.
    trail: Trail<M>,
    overflow: bool,
}

/// The record of an arc for the trail.
fn logged<const N: usize, const M: usize>(value: &[u64; N]) -> [u64; M] {
    std::array::from_fn(|lane| value[1 + lane])
}

impl<A: Exact, const N: usize, const M: usize> Load<N> for Down<'_, A, M> {
    const SWEEP: Sweep = Sweep::Count;
    /// The id and the slot: sorted, all arcs into a node are logged one after another.
    const KEYS: usize = 2;

    fn root(&self) -> [u64; N] {
        let mut root = [NO_SLOT; N];
        self.arithmetic.one(&mut root[2..]);
        root
    }

    fn open(&mut self, first: &[u64; N], space: &Space) -> Result<()> {
        self.trail.add(logged(first), true, space)
    }

    fn merge(&mut self, whole: &mut [u64; N], next: &[u64; N], space: &Space) -> Result<()> {
        self.overflow |= !self.arithmetic.add(&mut whole[2..], &next[2..]);
        self.trail.add(logged(next), false, space)
    }

    fn send(&mut self, whole: &[u64; N], arc: Arc) -> [u64; N] {
        let mut value = *whole;
        value[1] = slot(whole[0], arc.high);
        self.overflow |= !self.arithmetic.double(&mut value[2..], arc.skipped());
        value
    }

    fn arrive(&mut self, value: &[u64; N], space: &Space) -> Result<()> {
        self.trail.add_end(logged(value), space)
    }

    fn in_vain(&self) -> bool {
        self.overflow
    }
}

/// Numbers of ways that travel up: (place, number).
struct Up<'a, A, const N: usize> {
    file: &'a NodeFile,
    arithmetic: &'a A,
    /// The sum of what has arrived at the node at hand, behind a lane that is not used.
    ways: [u64; N],
    /// For each level and value, the number of solutions that take such an arc.
    taken: Vec<u64>,
    overflow: bool,
}

impl<A: Exact, const N: usize> Travel<N, N> for Up<'_, A, N> {
    const KEYS: usize = 1;

    fn visit(
        &mut self,
        traveller: &[u64; N],
        first: bool,
        _: &mut Incoming<'_, N>,
        _: &mut Onward<'_, N>,
    ) -> Result<()> {
        if first {
            self.ways.fill(0);
        }
        self.overflow |= !self.arithmetic.add(&mut self.ways[1..], &traveller[1..]);
        Ok(())
    }

    fn leave(&mut self, rank: usize, incoming: &mut Incoming<'_, N>, onward: &mut Onward<'_, N>) -> Result<()> {
        let lanes = N - 1;
        while let Some(mut arc) = incoming.next()? {
            let (parent, high) = arc_of(arc[0]);
            let from = self.file.levels().rank_of(parent);
            let mut ways = self.ways;
            ways[0] = place(parent);
            self.overflow |= !self.arithmetic.double(&mut ways[1..], Arc { high, from, to: rank }.skipped());
            onward.send(ways)?;
            self.overflow |= !self.arithmetic.multiply(&mut arc[1..], &self.ways[1..]);
            let at = (2 * (from - 1) + usize::from(high)) * lanes;
            self.overflow |= !self.arithmetic.add(&mut self.taken[at..at + lanes], &arc[1..]);
        }
        Ok(())
    }

    fn in_vain(&self) -> bool {
        self.overflow
    }
}

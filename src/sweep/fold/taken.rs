//! What takes each arc: for every level and value, how many solutions have an arc of that value on their path, or how much these
//! weigh.
//!
//! What leads from the root to a node travels down, and every arc is logged with what goes along it. On the way back, what leads
//! from a node to the terminal travels up. The product of both, for each arc, is what takes it, and these are added up for each
//! level and value. What is missing on a level up to all solutions skips it.
//!
//! ```text
//!         root
//!       ╱  ╎   ╲    what leads down to a node ...
//!          p
//!          │ value of p's variable         from root to p · along the arc · from q to the terminal
//!          q
//!       ╲  ╎   ╱    ... times what leads on
//!       terminal
//! ```
//! Cost: one fold and one trace.
//!
//! After: A. Darwiche, "A differential approach to inference in Bayesian networks", 2003 (on arithmetic circuits, in memory).

use super::{
    Arc, Load,
    arithmetic::Multiply,
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

/// What takes a low arc and a high arc of each level, by rank from 1, on the way to `terminal` in a diagram that is no constant,
/// each in `N - 1` lanes; `None` where a number cannot be used. `L` is `N + 1`.
pub fn taken<A: Multiply, const N: usize, const L: usize>(
    file: &NodeFile,
    terminal: bool,
    arithmetic: &A,
    run: &mut Run<'_>,
) -> Result<Option<Vec<u64>>> {
    let lanes = 2 * (file.levels().ranks() - 1) * (N - 1);
    let _charge =
        run.space.pool.charge(lanes * size_of::<u64>(), "what is found for the literals of so many variables")?;
    let down: Down<'_, A, N> = Down { arithmetic, trail: Trail::new(), overflow: false };
    let Some(down) = fold::<_, L>(file, terminal, down, run)? else { return Ok(None) };
    let mut start = [place(terminal.into()); N];
    arithmetic.one(&mut start[1..]);
    let mut starts = Spool::new(Share::Queue);
    starts.append(start, run.space)?;
    let mut up: Up<'_, A, N> = Up { arithmetic, ways: [0; N], taken: vec![0; lanes], overflow: false };
    Ok(trace(file, down.trail, starts, &mut up, run)?.then_some(up.taken))
}

/// Numbers that travel down: (id, slot, number).
struct Down<'a, A, const M: usize> {
    arithmetic: &'a A,
    /// Slots, each with the number that comes along its arc.
    trail: Trail<M>,
    overflow: bool,
}

/// The record of an arc for the trail.
fn logged<const N: usize, const M: usize>(value: &[u64; N]) -> [u64; M] {
    std::array::from_fn(|lane| value[1 + lane])
}

impl<A: Multiply, const N: usize, const M: usize> Load<N> for Down<'_, A, M> {
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
        self.overflow |= !self.arithmetic.along(&mut value[2..], arc);
        value
    }

    fn arrive(&mut self, value: &[u64; N], space: &Space) -> Result<()> {
        self.trail.add_end(logged(value), space)
    }

    fn in_vain(&self) -> bool {
        self.overflow
    }
}

/// Numbers that travel up: (place, number).
struct Up<'a, A, const N: usize> {
    arithmetic: &'a A,
    /// The sum of what has arrived at the node at hand, behind a lane that is not used.
    ways: [u64; N],
    /// For each level and value, what takes such an arc.
    taken: Vec<u64>,
    overflow: bool,
}

impl<A: Multiply, const N: usize> Travel<N, N> for Up<'_, A, N> {
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
            let from = onward.rank_of(parent);
            let mut ways = self.ways;
            ways[0] = place(parent);
            self.overflow |= !self.arithmetic.along(&mut ways[1..], Arc { high, from, to: rank });
            onward.send(from, ways)?;
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

//! `compact`: what is reached of the lower levels of a diagram, as it is.
//!
//! Where an operation changes nothing any more, its requests are nodes of the operand, and what they lead to is part of the
//! result already: in order, and each node once. So nothing is sorted and nothing reduced.
//!
//! ```text
//!   requests ─► marks ◄── children of marked nodes ── operand, top-down
//!                 │
//!                 └─► a node's id: how many marks come before it ─► marked nodes ── operand, bottom-up ─► written
//! ```
//! Cost: two passes over the levels, O(scan). Memory: a quarter of a byte a node of the operand.

use super::run::Run;
use crate::{
    disk::{lane::Lane, pool::Share, space::Space, spool::Spool},
    error::Result,
    file::{node_file::NodeFile, reader::LevelReader, writer::NodeWriter},
    model::TERMINALS,
};

/// Levels that are done, and the arcs that lead to them from above.
pub struct Compact<I> {
    /// Has the nodes.
    pub below: NodeWriter<I>,
    /// For every arc its slot, and the id that it leads to.
    pub arrivals: Spool<I, 2>,
}

/// Whether the marks of the levels from rank `top` down fit their share.
pub fn fits(file: &NodeFile, top: usize, space: &Space) -> bool {
    file.levels().range(top).1 / 4 + 16 <= space.limits.dense as u64
}

/// The part of `file` that `requests` lead to: records of a node of rank `top` or below, and in the last lane the slot that asks.
/// The marks must fit.
pub fn compact<I: Lane, const N: usize>(
    file: &NodeFile,
    top: usize,
    requests: &[Spool<I, N>],
    run: &mut Run<'_>,
) -> Result<Compact<I>> {
    let space = run.space;
    let mut marks = Marks::new(&mut run.desks[0].children, file.levels().range(top).1);
    for log in requests {
        log.visit(space, |block| {
            for request in block {
                marks.set(request[0].get());
            }
            Ok(())
        })?;
    }
    let mut reader = LevelReader::new(file, space.limits.window);
    for rank in (1..=top).rev() {
        reader.enter(rank);
        marks.each(file.levels().range(rank), |marks, id| {
            let [low, high] = reader.children::<I>(id, space)?;
            marks.set(low.get());
            marks.set(high.get());
            Ok(())
        })?;
    }
    marks.number();
    let mut below = NodeWriter::new(space)?;
    below.reserve_levels(top);
    for rank in 1..=top {
        reader.enter(rank);
        marks.each(file.levels().range(rank), |marks, id| {
            let [low, high] = reader.children::<I>(id, space)?;
            below.push(I::of(marks.before(low.get())), I::of(marks.before(high.get())), space)?;
            Ok(())
        })?;
        below.end_level(file.variable(rank));
    }
    let mut arrivals = Spool::new(Share::Arcs);
    for log in requests {
        run.counters.requests += log.count();
        log.visit(space, |block| {
            block
                .iter()
                .try_for_each(|request| arrivals.append([request[N - 1], I::of(marks.before(request[0].get()))], space))
        })?;
    }
    Ok(Compact { below, arrivals })
}

/// A mark for each of some ids, the terminals marked from the start; 64 marks, and how many there are before them.
struct Marks<'a>(&'a mut [[u64; 2]]);

impl<'a> Marks<'a> {
    /// Marks for the ids below `end`, in `words`.
    fn new(words: &'a mut Vec<u64>, end: u64) -> Self {
        words.clear();
        words.resize(2 * end.div_ceil(64) as usize, 0);
        let mut marks = Self(words.as_chunks_mut().0);
        (0..TERMINALS).for_each(|terminal| marks.set(terminal));
        marks
    }

    #[inline(always)]
    fn set(&mut self, id: u64) {
        self.0[(id / 64) as usize][0] |= 1 << (id % 64);
    }

    /// Shows the marked ids of a level; it may mark others below.
    fn each(&mut self, (first, end): (u64, u64), mut show: impl FnMut(&mut Self, u64) -> Result<()>) -> Result<()> {
        for word in first / 64..end.div_ceil(64) {
            let start = 64 * word;
            let mut bits = self.0[word as usize][0];
            bits &= u64::MAX << first.saturating_sub(start);
            if end - start < 64 {
                bits &= (1 << (end - start)) - 1;
            }
            while bits != 0 {
                show(self, start + u64::from(bits.trailing_zeros()))?;
                bits &= bits - 1;
            }
        }
        Ok(())
    }

    /// Counts all marks.
    fn number(&mut self) {
        let mut sum = 0;
        for [bits, before] in self.0.iter_mut() {
            *before = sum;
            sum += u64::from(bits.count_ones());
        }
    }

    /// How many marks there are before that of `id`.
    #[inline(always)]
    fn before(&self, id: u64) -> u64 {
        let [bits, before] = self.0[(id / 64) as usize];
        before + u64::from((bits & ((1 << (id % 64)) - 1)).count_ones())
    }
}

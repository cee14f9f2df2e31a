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
//! Cost: two passes over the levels, O(scan). Memory: half a byte a node of the operand.

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
    8 * words_for(file.levels().range(top).1) <= space.limits.dense as u64
}

/// The part of `file` that `requests` lead to: records with a node of rank `top` or below in `lane`, and in the last one the slot
/// that asks. The marks must fit.
pub fn compact<I: Lane, const N: usize>(
    file: &NodeFile,
    top: usize,
    lane: usize,
    requests: &[Spool<I, N>],
    run: &mut Run<'_>,
) -> Result<Compact<I>> {
    let space = run.space;
    let mut marks = Marks::new(&mut run.desks[0].children, file.levels().range(top).1);
    for log in requests {
        log.visit(space, |block| {
            for request in block {
                marks.set(request[lane].get());
            }
            Ok(())
        })?;
    }
    let mut reader = LevelReader::new(file, space.limits.window);
    for rank in (1..=top).rev() {
        reader.enter(rank);
        marks.each::<I>(file.levels().range(rank), &mut reader, space, |marks, nodes, bits| {
            for at in ones(bits) {
                nodes[at].iter().for_each(|child| marks.set(child.get()));
            }
            Ok(())
        })?;
    }
    let intact = marks.number();
    let mut below = NodeWriter::new(space)?;
    below.reserve_levels(top);
    for rank in 1..=top {
        reader.enter(rank);
        marks.each::<I>(file.levels().range(rank), &mut reader, space, |marks, nodes, bits| {
            if below.end() + nodes.len() as u64 <= intact {
                return below.push_all(nodes, space);
            }
            let (mut kept, mut count) = ([[I::zeroed(); 2]; CHUNK], 0);
            for at in ones(bits) {
                kept[count % CHUNK] = nodes[at].map(|child| I::of(marks.before(child.get())));
                count += 1;
            }
            below.push_all(&kept[..count], space)
        })?;
        below.end_level(file.variable(rank));
    }
    let mut arrivals = Spool::new(Share::Arcs);
    for log in requests {
        run.counters.requests += log.count();
        log.visit(space, |block| {
            block.iter().try_for_each(|request| {
                arrivals.append([request[N - 1], I::of(marks.before(request[lane].get()))], space)
            })
        })?;
    }
    Ok(Compact { below, arrivals })
}

/// A mark for each of some ids, the terminals marked from the start. A word has the marks of 16 ids in its lowest bits, and above
/// them how many there are before these.
struct Marks<'a>(&'a mut [u64]);

/// Ids of a word.
const IDS: u64 = 16;

impl<'a> Marks<'a> {
    /// Marks for the ids below `end`, in `words`.
    fn new(words: &'a mut Vec<u64>, end: u64) -> Self {
        words.clear();
        words.resize(words_for(end) as usize, 0);
        let mut marks = Self(words);
        (0..TERMINALS).for_each(|terminal| marks.set(terminal));
        marks
    }

    #[inline(always)]
    fn set(&mut self, id: u64) {
        self.0[(id / IDS) as usize] |= 1 << (id % IDS);
    }

    /// Shows the nodes of a level, some at a time, and which of them are marked, a bit each; nodes below may be marked meanwhile.
    fn each<I: Lane>(
        &mut self,
        (first, end): (u64, u64),
        reader: &mut LevelReader<'_>,
        space: &Space,
        mut show: impl FnMut(&mut Self, &[[I; 2]], u64) -> Result<()>,
    ) -> Result<()> {
        let mut nodes = [[I::zeroed(); 2]; CHUNK];
        for chunk in first / CHUNK as u64..end.div_ceil(CHUNK as u64) {
            let start = chunk * CHUNK as u64;
            let (from, to) = (first.max(start), end.min(start + CHUNK as u64));
            let bits = self.bits(start) >> (from - start) & u64::MAX >> (CHUNK as u64 - (to - from));
            if bits != 0 {
                let nodes = &mut nodes[..(to - from) as usize];
                reader.read(from, nodes, space)?;
                show(self, nodes, bits)?;
            }
        }
        Ok(())
    }

    /// The marks of the ids from `start` on, a multiple of their number.
    #[inline(always)]
    fn bits(&self, start: u64) -> u64 {
        let words = &self.0[(start / IDS) as usize..][..CHUNK / IDS as usize];
        words.iter().rev().fold(0, |bits, word| (bits << IDS) | (word % (1 << IDS)))
    }

    /// Counts all marks; gives the first id that has none.
    fn number(&mut self) -> u64 {
        let (mut sum, mut intact) = (0, u64::MAX);
        for word in self.0.iter_mut() {
            let ones = u64::from(word.trailing_ones());
            if ones < IDS {
                intact = intact.min(sum + ones);
            }
            let count = u64::from(word.count_ones());
            *word |= sum << IDS;
            sum += count;
        }
        intact
    }

    /// How many marks there are before that of `id`: its new id.
    #[inline(always)]
    fn before(&self, id: u64) -> u64 {
        let word = self.0[(id / IDS) as usize];
        // One less than there are in a word: four copies side by side have the first, the second, … of every four marks where a
        // four-bit digit ends, and the second product adds the digits up.
        let marks = word & ((1 << (id % IDS)) - 1);
        let digits = marks.wrapping_mul(0x0002_0004_0008_0010) & 0x1111_1111_1111_1111;
        (word >> IDS) + (digits.wrapping_mul(0x1111_1111_1111_1111) >> 60)
    }
}

/// Words for the ids below `end`, a whole number of chunks.
fn words_for(end: u64) -> u64 {
    end.div_ceil(CHUNK as u64) * (CHUNK as u64 / IDS)
}

/// Ids that are looked at together.
const CHUNK: usize = 64;

/// Where the ones among `bits` are.
#[inline(always)]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            at
        })
    })
}

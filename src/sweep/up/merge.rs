//! Merging the nodes of a level, which several workers have in order: equal ones become one, with the next id.

use super::{
    fresh::{Last, Sink, none},
    lows::{Lows, MergedLows, Places},
};
use crate::{
    disk::{ascending::next_of, lane::Lane, sorter::first_two, space::Space},
    error::Result,
    model::FALSE,
};

/// What one worker has of the nodes in a range.
pub struct Piece<'a, I> {
    /// Bare nodes, by their low children.
    pub lows: Lows<'a>,
    /// Others as (low, high, which of them it is in the order of nodes), in sorted runs.
    pub runs: Vec<&'a mut [[I; 3]]>,
}

impl<'a, I: Lane> Piece<'a, I> {
    /// What comes before `cut`, and what does not; where low children are marked, it is the start of a chunk.
    pub fn split_at(self, cut: I::Pair) -> (Self, Self) {
        let (lows, later_lows) = self.lows.split_at(I::apart(cut)[0].get());
        let split = |run: &'a mut [[I; 3]]| run.split_at_mut(run.partition_point(|node| first_two(node) < cut));
        let (runs, later_runs) = self.runs.into_iter().map(split).unzip();
        (Self { lows, runs }, Self { lows: later_lows, runs: later_runs })
    }

    /// Where some of its nodes are, and about how much there is to do from each to the next.
    pub fn sample(&self) -> impl Iterator<Item = (I::Pair, u64)> {
        let step = self.others().div_ceil(SAMPLES).max(1);
        let some = self.runs.iter().flat_map(move |run| run.iter().step_by(step));
        let some = some.map(move |node| (first_two(node), OTHER * step as u64));
        self.lows.sample(SAMPLES).map(|(low, work)| (I::of(low).before(I::of(FALSE)), work)).chain(some)
    }

    /// How many others it has.
    fn others(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// How long it is.
    pub fn lengths(&self) -> Lengths {
        Lengths { runs: self.runs.iter().map(|run| run.len()).collect(), chunks: self.lows.chunks() }
    }
}

/// How many others a piece has in each run, and how many chunks of marks.
pub struct Lengths {
    pub runs: Vec<usize>,
    pub chunks: usize,
}

/// So many nodes of each kind tell how all of them lie.
const SAMPLES: usize = 32;
/// To merge one of the others takes as long as to number so many marks.
const OTHER: u64 = 4;

/// Merges `pieces`, and writes each distinct node to `out` once; one whose children are equal is its child, and not written. The ids go
/// back into the pieces: in place of the low child of a record, and what tells that of a bare node to the chunk of its mark. Those of
/// new nodes count from `I::MARK`. Gives the places in crowded chunks.
///
/// Several in a row mostly come from one run: those up to the next one of any other go at once.
pub fn merge<I: Lane>(pieces: Vec<Piece<'_, I>>, out: &mut impl Sink<I>, space: &Space) -> Result<Places> {
    let (lows, runs): (Vec<_>, Vec<_>) = pieces.into_iter().map(|piece| (piece.lows, piece.runs)).unzip();
    let mut runs: Vec<_> = runs.into_iter().flatten().filter(|run| !run.is_empty()).collect();
    let (mut lows, mut last) = (MergedLows::new(lows), Last::new(I::MARK));
    // That of the lows, then those of the runs.
    let mut heads: Vec<_> = [lows.head::<I>()].into_iter().chain(runs.iter().map(|run| head(run))).collect();
    loop {
        let (next, bound) = next_of(&heads, none::<I>());
        if heads[next] == none::<I>() {
            return Ok(lows.into_places());
        }
        let Some(run) = next.checked_sub(1).map(|run| &mut runs[run]) else {
            lows.number_to(I::apart(bound)[0].get(), &mut last, out, space)?;
            heads[0] = lows.head::<I>();
            continue;
        };
        let (room, mut taken) = (out.room(space)?, 0);
        for node in run.iter_mut().take(room.len()) {
            let children = first_two(node);
            if children > bound {
                break;
            }
            let (low, before) = (node[0].get(), last.end());
            node[0] = last.id_of(children, room);
            lows.pass(low, last.end() > before);
            taken += 1;
        }
        let rest = std::mem::take(run);
        *run = &mut rest[taken..];
        heads[next] = head(run);
        out.advance(last.take_fresh());
    }
}

/// The children of the first node of a run, if there is one.
#[inline(always)]
fn head<I: Lane>(run: &[[I; 3]]) -> I::Pair {
    run.first().map_or(none::<I>(), first_two)
}

//! Merging the nodes of a level, which several workers have in order: equal ones become one, with the next id.

use super::{
    fresh::{Last, none},
    lows::{Lows, MergedLows, Places},
};
use crate::{
    disk::{ascending::next_of, insertion::first_two, lane::Lane, space::Space, spool::Sink},
    error::Result,
    model::FALSE,
};

/// One worker's nodes in a range.
pub struct Piece<'a, I> {
    /// Bare nodes, by their low children.
    pub lows: Lows<'a>,
    /// Others as (low, high, number among the others in the order of nodes), in sorted runs.
    pub runs: Vec<&'a mut [[I; 3]]>,
}

impl<'a, I: Lane> Piece<'a, I> {
    /// The nodes before `cut`, and the rest. Where low children are marked, `cut` is the start of a chunk.
    pub fn split_at(self, cut: I::Pair) -> (Self, Self) {
        let (lows, later_lows) = self.lows.split_at(I::apart(cut)[0].get());
        let split = |run: &'a mut [[I; 3]]| run.split_at_mut(run.partition_point(|node| first_two(node) < cut));
        let (runs, later_runs) = self.runs.into_iter().map(split).unzip();
        (Self { lows, runs }, Self { lows: later_lows, runs: later_runs })
    }

    /// The children of some of its nodes, each with the work up to the next of these, estimated in marks.
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

    /// Its lengths.
    pub fn lengths(&self) -> Lengths {
        Lengths { runs: self.runs.iter().map(|run| run.len()).collect(), chunks: self.lows.chunks() }
    }
}

/// The lengths of a piece: others in each run, and chunks of marks.
pub struct Lengths {
    pub runs: Vec<usize>,
    pub chunks: usize,
}

/// Nodes of each kind in the sample of a piece.
const SAMPLES: usize = 32;
/// The work of merging one of the others, in marks numbered.
const OTHER: u64 = 4;

/// Merges `pieces`, and writes each distinct node to `out` once; a node whose children are equal is not written, since its child
/// replaces it. The ids go back into the pieces: the id of a record in place of its low child, those of bare nodes into the entries
/// of their chunks. Ids of new nodes count from `I::MARK`. Returns the places in crowded chunks.
///
/// Mostly several nodes in a row come from one run: all up to the next head of any other go at once.
pub fn merge<I: Lane>(pieces: Vec<Piece<'_, I>>, out: &mut impl Sink<I>, space: &Space) -> Result<Places> {
    let (lows, runs): (Vec<_>, Vec<_>) = pieces.into_iter().map(|piece| (piece.lows, piece.runs)).unzip();
    let mut runs: Vec<_> = runs.into_iter().flatten().filter(|run| !run.is_empty()).collect();
    let (mut lows, mut last) = (MergedLows::new(lows), Last::new(I::MARK));
    // The head of the bare nodes, then those of the runs.
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

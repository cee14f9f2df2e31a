//! Low children of bare nodes, in order without a sort.
//!
//! A node is bare if its high child is false: then its low child alone tells it from other bare ones. A mark for each such low child
//! puts all of them in order, and has room for the id that the node gets when it is its turn: how far that is from the first one of a
//! chunk of marks.

use super::fresh::{Last, Sink, none};
use crate::{
    disk::{lane::Lane, space::Space},
    error::Result,
    model::FALSE,
    sweep::marks::{CHUNK, ones},
};

/// So many ids of a chunk can be told.
pub const STEPS: u64 = 1 << u8::BITS;
/// To go on to a chunk takes as long as to number so many marks.
const PASSING: u64 = 16;

/// Which low children of bare nodes there are, in a range.
#[derive(Debug)]
pub struct Lows<'a, I> {
    /// The first of the range, a multiple of `CHUNK`.
    first: u64,
    /// A mark for each.
    marks: &'a [u64],
    /// For each chunk the id of the first of its nodes, and for each low child how far that of its node is from there.
    bases: &'a mut [I],
    ids: &'a mut [u8],
}

impl<'a, I: Lane> Lows<'a, I> {
    /// Those marked, from `first` on.
    pub fn new(first: u64, marks: &'a [u64], bases: &'a mut [I], ids: &'a mut [u8]) -> Self {
        debug_assert!(marks.len() == bases.len() && marks.len() * CHUNK == ids.len());
        Self { first, marks, bases, ids }
    }

    /// Those below `cut`, a multiple of `CHUNK`, and the others.
    pub fn split_at(self, cut: u64) -> (Self, Self) {
        let chunks = (cut.saturating_sub(self.first) as usize / CHUNK).min(self.marks.len());
        let (marks, later_marks) = self.marks.split_at(chunks);
        let (bases, later_bases) = self.bases.split_at_mut(chunks);
        let (ids, later_ids) = self.ids.split_at_mut(chunks * CHUNK);
        let later_first = self.first + ids.len() as u64;
        let later = Self { first: later_first, marks: later_marks, bases: later_bases, ids: later_ids };
        (Self { marks, bases, ids, ..self }, later)
    }

    /// Where about `most` of its chunks begin, and how many marks are in them up to the next of these, as far as the first tells; to
    /// go on to a chunk takes as long as to number some.
    pub fn sample(&self, most: usize) -> impl Iterator<Item = (I, u64)> {
        let step = self.marks.len().div_ceil(most).max(1);
        let some = (self.first..).step_by(step * CHUNK).zip(self.marks.iter().step_by(step));
        some.map(move |(low, marks)| (I::of(low), (u64::from(marks.count_ones()) + PASSING) * step as u64))
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.marks.len()
    }

    /// The base and the ids of the chunk that begins with `start`, if it is in the range.
    #[inline(always)]
    fn ids_of(&mut self, start: u64) -> Option<(&mut I, &mut [u8])> {
        self.chunk(start).map(|chunk| (&mut self.bases[chunk], &mut self.ids[chunk * CHUNK..][..CHUNK]))
    }

    /// Which chunk begins with `start`, if it is in the range.
    #[inline(always)]
    fn chunk(&self, start: u64) -> Option<usize> {
        let chunk = start.wrapping_sub(self.first) as usize / CHUNK;
        (chunk < self.marks.len()).then_some(chunk)
    }
}

/// Those of several workers, to be numbered as one, from the first on.
pub struct MergedLows<'a, I> {
    all: Vec<Lows<'a, I>>,
    /// Where the chunk at hand begins.
    start: u64,
    /// Which of its marks are left.
    left: u64,
    /// Whether none of them has been numbered.
    whole: bool,
    /// The first that is left, if there is one.
    next: u64,
    /// Whether a chunk had more ids than can be told.
    crowded: bool,
}

impl<'a, I: Lane> MergedLows<'a, I> {
    /// Those of `all`.
    pub fn new(all: Vec<Lows<'a, I>>) -> Self {
        let mut lows = Self { all, start: 0, left: 0, whole: true, next: 0, crowded: false };
        lows.enter(0);
        lows
    }

    /// The children of the last node that comes before the first bare one that is left.
    #[inline(always)]
    pub fn head(&self) -> I::Pair {
        if self.left == 0 { none::<I>() } else { I::of(self.next - 1).before(I::MAX) }
    }

    /// Whether a chunk had more ids than can be told: then some are wrong.
    pub fn is_crowded(&self) -> bool {
        self.crowded
    }

    /// Numbers the bare nodes with a low child up to `most`.
    #[inline(never)]
    pub fn number_to(&mut self, most: u64, last: &mut Last<I>, out: &mut impl Sink<I>, space: &Space) -> Result<()> {
        while self.left > 0 && self.next <= most {
            let now = match most - self.start {
                within @ 0..63 => self.left & ((2 << within) - 1),
                _ => self.left,
            };
            self.number(now, last, out, space)?;
            self.left ^= now;
            self.find();
        }
        Ok(())
    }

    /// Numbers the bare nodes with these low children of the chunk at hand.
    #[inline(always)]
    fn number(&mut self, lows: u64, last: &mut Last<I>, out: &mut impl Sink<I>, space: &Space) -> Result<()> {
        let (start, first) = (self.start, last.end());
        let mut left = lows;
        while left > 0 {
            let room = out.room(space)?;
            let mut fresh = 0;
            while left > 0 && fresh < room.len() {
                room[fresh] = [I::of(start + u64::from(left.trailing_zeros())), I::of(FALSE)];
                fresh += 1;
                left &= left - 1;
            }
            last.count(fresh as u64, room[fresh - 1]);
            out.advance(fresh);
        }
        if let Some((base, ids)) = self.all.iter_mut().find_map(|each| each.ids_of(start)) {
            if self.whole {
                *base = I::of(first);
            }
            let step = first - base.get();
            self.crowded |= step + u64::from(lows.count_ones()) > STEPS;
            for (at, step) in ones(lows).zip(step..) {
                ids[at] = step as u8;
            }
        }
        self.whole = false;
        Ok(())
    }

    /// Gives all who have the chunk at hand the ids that the first of them has got.
    #[inline(always)]
    fn share(&mut self) {
        let mut all = self.all.iter_mut().filter_map(|each| each.ids_of(self.start));
        if let Some((base, ids)) = all.next() {
            all.for_each(|(other_base, others)| {
                *other_base = *base;
                others.copy_from_slice(ids);
            });
        }
    }

    /// Goes on to the next mark.
    #[inline(always)]
    fn find(&mut self) {
        if self.left == 0 {
            self.share();
            self.enter(self.start + CHUNK as u64);
        } else {
            self.next = self.start + u64::from(self.left.trailing_zeros());
        }
    }

    /// Goes on to the first mark from `start` on, the start of a chunk.
    fn enter(&mut self, mut start: u64) {
        loop {
            let end = |each: &&Lows<'_, I>| each.first + each.ids.len() as u64;
            let ahead = self.all.iter().filter(|each| start < end(each)).map(|each| each.first.max(start)).min();
            let Some(nearest) = ahead else { return };
            let marks = |each: &Lows<'_, I>| each.chunk(nearest).map_or(0, |chunk| each.marks[chunk]);
            let left = self.all.iter().map(marks).fold(0, |all, marks| all | marks);
            if left > 0 {
                (self.start, self.left, self.whole) = (nearest, left, true);
                self.next = nearest + u64::from(left.trailing_zeros());
                return;
            }
            start = nearest + CHUNK as u64;
        }
    }
}

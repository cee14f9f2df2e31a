//! Low children of bare nodes, in order without a sort.
//!
//! A node is bare if its high child is false: its low child alone then tells it from other bare ones. A mark for each such low
//! child puts all of them in order. The id of a bare node is that of the first bare one in its chunk of marks, plus one for every
//! node after that one, bare or not, that has a smaller low child. Three bits for each low child count the nodes that have it,
//! where these are few.
//!
//! After: G. Jacobson, "Space-efficient Static Trees and Graphs", 1989 (ranks of bits from those of chunks).

use super::fresh::{Last, none};
use crate::{
    disk::{lane::Lane, space::Space, spool::Sink},
    error::Result,
    model::FALSE,
    sweep::marks::CHUNK,
};

/// The work of going on to a chunk, in marks numbered.
const PASSING: u64 = 16;

/// Tells the ids of the bare nodes whose low children are in one chunk: for each low child the number of nodes that have it, from
/// the first bare one of the chunk on, one bit of the number in each word; then the id of that first one. Undefined for a chunk
/// without marks.
///
/// In a crowded chunk, where some low child has too many nodes for these bits: the marks; where the [`Places`] of its others begin,
/// and how many they are; and the id, with the bit `CROWDED`.
pub type Entry = [u64; BITS + 1];

/// Bits for the number of nodes that have one low child: hardly any has more than seven.
const BITS: usize = 3;

/// Set in the id of a crowded chunk: a bit that no id has, nor the mark of new ones, in either width.
const CROWDED: u64 = 1 << 62;

/// For each of the others in crowded chunks, the position of its low child in the chunk.
pub type Places = Vec<u8>;

/// The low children of bare nodes in a range of ids.
#[derive(Debug)]
pub struct Lows<'a> {
    /// The first id of the range, a multiple of `CHUNK`.
    first: u64,
    /// A bit for each id of the range, set for these low children.
    marks: &'a [u64],
    /// The entry of each chunk.
    entries: &'a mut [Entry],
}

impl<'a> Lows<'a> {
    /// Those with a bit in `marks`, which begin with the id `first`.
    pub fn new(first: u64, marks: &'a [u64], entries: &'a mut [Entry]) -> Self {
        debug_assert_eq!(marks.len(), entries.len());
        Self { first, marks, entries }
    }

    /// Those below `cut`, a multiple of `CHUNK`, and the rest.
    pub fn split_at(self, cut: u64) -> (Self, Self) {
        let chunks = (cut.saturating_sub(self.first) as usize / CHUNK).min(self.marks.len());
        let (marks, later_marks) = self.marks.split_at(chunks);
        let (entries, later_entries) = self.entries.split_at_mut(chunks);
        let later = Self { first: self.first + (chunks * CHUNK) as u64, marks: later_marks, entries: later_entries };
        (Self { marks, entries, ..self }, later)
    }

    /// About `most` chunks at equal distances: where each begins, and the work up to the next of them, in marks, as estimated from
    /// this one.
    pub fn sample(&self, most: usize) -> impl Iterator<Item = (u64, u64)> {
        let step = self.marks.len().div_ceil(most).max(1);
        let some = (self.first..).step_by(step * CHUNK).zip(self.marks.iter().step_by(step));
        some.map(move |(low, marks)| (low, (u64::from(marks.count_ones()) + PASSING) * step as u64))
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.marks.len()
    }

    /// Which chunk begins with `start`, if it is in the range.
    #[inline(always)]
    fn chunk(&self, start: u64) -> Option<usize> {
        let chunk = start.wrapping_sub(self.first) as usize / CHUNK;
        (chunk < self.marks.len()).then_some(chunk)
    }
}

/// The low children of several workers, numbered in order as one.
pub struct MergedLows<'a> {
    all: Vec<Lows<'a>>,
    /// Where the chunk at hand begins.
    start: u64,
    /// Its marks, of all workers.
    marks: u64,
    /// The marks not yet numbered.
    left: u64,
    /// The low child of the first of these, if there are any.
    next: u64,
    /// Whether a mark of the chunk has been numbered.
    open: bool,
    /// The chunk's entry so far.
    entry: Entry,
    /// Where its places begin, if it is crowded.
    crowded: Option<usize>,
    places: Places,
}

impl<'a> MergedLows<'a> {
    /// Merges `all`, and goes to the first mark.
    pub fn new(all: Vec<Lows<'a>>) -> Self {
        let (entry, open, crowded, places) = (Entry::default(), false, None, Vec::new());
        let mut lows = Self { all, start: 0, marks: 0, left: 0, next: 0, open, entry, crowded, places };
        lows.enter(0);
        lows
    }

    /// The places in crowded chunks, when all are numbered.
    pub fn into_places(self) -> Places {
        self.places
    }

    /// The largest children that come before the next bare node; those of no node if none is left.
    #[inline(always)]
    pub fn head<I: Lane>(&self) -> I::Pair {
        if self.left == 0 { none::<I>() } else { I::of(self.next - 1).before(I::MAX) }
    }

    /// Numbers the bare nodes with a low child up to `most`.
    #[inline(never)]
    pub fn number_to<I: Lane>(
        &mut self,
        most: u64,
        last: &mut Last<I>,
        out: &mut impl Sink<I>,
        space: &Space,
    ) -> Result<()> {
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

    /// Numbers the bare nodes whose low children are the bits `lows` of the chunk at hand.
    #[inline(always)]
    fn number<I: Lane>(
        &mut self,
        mut lows: u64,
        last: &mut Last<I>,
        out: &mut impl Sink<I>,
        space: &Space,
    ) -> Result<()> {
        if !self.open {
            let [ones, .., base] = &mut self.entry;
            (*ones, *base) = (self.marks, last.end());
            self.open = true;
        }
        while lows > 0 {
            let room = out.room(space)?;
            let (mut fresh, mut low) = (0, I::zeroed());
            while lows > 0 && fresh < room.len() {
                low = I::of(self.start + u64::from(lows.trailing_zeros()));
                room[fresh] = [low, I::of(FALSE)];
                fresh += 1;
                lows &= lows - 1;
            }
            last.count(fresh as u64, [low, I::of(FALSE)]);
            out.advance(fresh);
        }
        Ok(())
    }

    /// Counts a node that is not bare and comes next, if it is `new` and the chunk at hand is open.
    #[inline(always)]
    pub fn pass(&mut self, low: u64, new: bool) {
        let at = low.wrapping_sub(self.start);
        // While a chunk is open one of its marks is left, and all nodes that come before that mark lie in the chunk.
        let counts = new && self.open;
        debug_assert!(!counts || at < CHUNK as u64);
        let mut carry = u64::from(counts) << (at % CHUNK as u64);
        for bits in &mut self.entry[..BITS] {
            (*bits, carry) = (*bits ^ carry, *bits & carry);
        }
        if self.crowded.is_some() {
            self.places.extend(counts.then_some(at as u8));
        } else if carry > 0 {
            self.crowd(at as usize);
        }
    }

    /// Makes the chunk at hand crowded: notes the places of all its others so far, the last of which, at place `at`, is one too
    /// many for the bits.
    #[cold]
    #[inline(never)]
    fn crowd(&mut self, at: usize) {
        self.crowded = Some(self.places.len());
        let bit = |bits: u64, place| (bits >> place & 1) as usize;
        for place in 0..=at {
            let bits =
                self.entry[..BITS].iter().rev().fold(usize::from(place == at), |all, &bits| 2 * all + bit(bits, place));
            let others = bits - bit(self.marks, place);
            self.places.extend(std::iter::repeat_n(place as u8, others));
        }
    }

    /// Goes on to the next mark.
    #[inline(always)]
    fn find(&mut self) {
        if self.left == 0 {
            self.close();
            self.enter(self.start + CHUNK as u64);
        } else {
            self.next = self.start + u64::from(self.left.trailing_zeros());
        }
    }

    /// Stores the entry of the chunk at hand with every worker that has this chunk.
    #[inline(always)]
    fn close(&mut self) {
        let mut entry = std::mem::take(&mut self.entry);
        if let Some(first) = self.crowded.take() {
            entry = [self.marks, first as u64, (self.places.len() - first) as u64, entry[BITS] | CROWDED];
        }
        self.open = false;
        for each in &mut self.all {
            if let Some(chunk) = each.chunk(self.start) {
                each.entries[chunk] = entry;
            }
        }
    }

    /// Goes on to the first mark from `start`, the beginning of a chunk, on.
    fn enter(&mut self, mut start: u64) {
        loop {
            let end = |each: &&Lows<'_>| each.first + (each.chunks() * CHUNK) as u64;
            let ahead = self.all.iter().filter(|each| start < end(each)).map(|each| each.first.max(start)).min();
            let Some(nearest) = ahead else { return };
            let marks = |each: &Lows<'_>| each.chunk(nearest).map_or(0, |chunk| each.marks[chunk]);
            let marks = self.all.iter().map(marks).fold(0, |all, marks| all | marks);
            if marks > 0 {
                (self.start, self.marks, self.left) = (nearest, marks, marks);
                self.next = nearest + u64::from(marks.trailing_zeros());
                return;
            }
            start = nearest + CHUNK as u64;
        }
    }
}

/// Subtracts `less` from the id of `entry`, and moves its places behind `places` others, those of earlier ranges.
#[inline(always)]
pub fn move_by(entry: &mut Entry, less: u64, places: usize) {
    let [_, first, _, base] = entry;
    if *base & CROWDED > 0 {
        // An entry without marks may be anything.
        *first = first.wrapping_add(places as u64);
    }
    *base = base.wrapping_sub(less);
}

/// The id of the bare node whose low child is at position `at` in the chunk of `entry`; `places` are those of all crowded chunks.
#[inline(always)]
pub fn id_of(entry: &Entry, at: usize, places: &[u8]) -> u64 {
    let &[ones, twos, fours, base] = entry;
    if base & CROWDED > 0 {
        id_of_crowded(entry, at, places)
    } else {
        base + rank(ones, at) + 2 * rank(twos, at) + 4 * rank(fours, at)
    }
}

#[cold]
#[inline(never)]
fn id_of_crowded(&[marks, first, count, base]: &Entry, at: usize, places: &[u8]) -> u64 {
    let others = &places[first as usize..][..count as usize];
    let others = others.partition_point(|&place| usize::from(place) < at);
    (base & !CROWDED) + rank(marks, at) + others as u64
}

/// How many ones there are before the bit `at`.
#[inline(always)]
fn rank(bits: u64, at: usize) -> u64 {
    (bits & ((1 << at) - 1)).count_ones().into()
}

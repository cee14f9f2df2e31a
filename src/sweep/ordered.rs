//! The nodes of a level in the order of (low, high).
//!
//! ```text
//!   children ─┬─ high is false: bare ─► a mark for each low child ─╲           ╱─► an id for each mark ─► of every bare node
//!             └─ others ──────────────► sort ───────────────────────╲─ merge ─╱──► an id for each other node
//! ```
//! In a diagram that mostly forbids, nine nodes in ten are bare. To mark their low children, and to look their ids up there, takes
//! half as long as to sort them where levels are wide; where fewer than three in four are bare, or they are few, it takes longer.

use std::{hint::select_unpredictable, marker::PhantomData, ops::Range};

use super::{lows::Lows, marks::CHUNK, merge::Piece, siblings::Siblings};
use crate::{
    disk::{
        cells,
        clock::Phase,
        lane::Lane,
        sorter::{Sorter, TIMED, can_spare},
        source::some_of,
        space::Space,
    },
    error::Result,
    model::FALSE,
};

/// The nodes of a level that one worker has, in order: marks for the low children of bare ones, and the others sorted.
pub struct Ordered<I> {
    /// All [`Arrays`], one after the other.
    words: Vec<u64>,
    /// How many others there are.
    others: usize,
    /// The low child of the first mark, a multiple of `CHUNK`, and how many chunks of marks there are.
    first: u64,
    chunks: usize,
    marker: PhantomData<I>,
}

/// What `Ordered` is made of.
struct Arrays<'a, I> {
    /// Chunks of marks.
    marks: &'a mut [u64],
    /// For each chunk the id of the first of its nodes, and for each mark that may be set how far that of its node is from there.
    bases: &'a mut [I],
    ids: &'a mut [u16],
    /// The others as (low, high, node), with all room behind them.
    others: &'a mut [[I; 3]],
}

/// What of `Ordered` is numbered from one base.
#[derive(Clone, Debug)]
pub struct Numbered {
    pub others: Range<usize>,
    pub chunks: Range<usize>,
    /// The id of the first new node.
    pub base: u64,
}

impl Numbered {
    /// What to take off a marked id.
    fn less<I: Lane>(&self) -> I {
        I::of(I::MARK - self.base)
    }
}

/// Levels of fewer nodes are sorted.
const FEW: usize = 1024;
/// So many nodes tell how all lie.
const SAMPLE: usize = 512;
/// One node in so many is not bare at most.
const OTHERS: usize = 4;
/// There are marks for at most so many low children for each node of a worker.
const SPARSE: u64 = 16;
/// Words of the ids of a chunk.
const IDS: usize = CHUNK * size_of::<u16>() / size_of::<u64>();

impl<I: Lane> Ordered<I> {
    /// The nodes of one of some `workers`, with these children, of which the bare ones are marked if they are most, and near enough to each other.
    pub fn new(pairs: &[[I; 2]], workers: usize, sorter: &mut Sorter, space: &Space) -> Result<Self> {
        if let Some(marked) = Self::marked(pairs, workers, sorter, space)? {
            return Ok(marked);
        }
        sorter.keep(Siblings::all(pairs), 2, space)?;
        Ok(Self { words: sorter.lend(0), others: pairs.len(), first: 0, chunks: 0, marker: PhantomData })
    }

    /// The same only if bare ones are marked.
    pub fn marked(pairs: &[[I; 2]], workers: usize, sorter: &mut Sorter, space: &Space) -> Result<Option<Self>> {
        if pairs.len() < FEW {
            return Ok(None);
        }
        // A clock is no cheaper than a small level.
        let _ordering = (pairs.len() as u64 > TIMED).then(|| space.meter.clock.start(Phase::Sort));
        let some = some_of(pairs, SAMPLE);
        let (all, differing) = (some.clone().count(), some.filter(|[low, high]| low != high));
        let bare = differing.clone().filter(|[_, high]| high.get() == FALSE);
        let others = differing.count() - bare.clone().count();
        if OTHERS * others > all {
            return Ok(None);
        }
        // A sample does not tell to the last node how many others there are.
        let room = 2 * pairs.len() * others / all + pairs.len() / (8 * OTHERS);
        if !can_spare::<I, 3>(room, space) {
            return Ok(None);
        }
        let range = cells::Range::of(bare.map(|[low, _]| *low));
        let first = range.base() / CHUNK as u64;
        let chunks = (range.base() + range.last()) / CHUNK as u64 + 1 - first;
        if chunks * CHUNK as u64 > SPARSE * pairs.len() as u64 {
            return Ok(None);
        }
        let (first, chunks) = (first * CHUNK as u64, chunks as usize);
        let words = chunks + words_of::<I>(chunks) + chunks * IDS + words_of::<I>(3 * room);
        if 8 * words > space.limits.sorted_bytes() {
            return Ok(None);
        }
        let mut ordered = Self { words: sorter.lend(words), others: 0, first, chunks, marker: PhantomData };
        if !ordered.mark(pairs) {
            sorter.give_back(ordered.words);
            return Ok(None);
        }
        let count = ordered.others;
        let others = &mut ordered.arrays().others[..count];
        sorter.order(others, 2, space)?;
        if crowded(others, workers) {
            sorter.give_back(ordered.words);
            return Ok(None);
        }
        Ok(Some(ordered))
    }

    /// Sets the marks, and gathers the others, if there is room for them.
    fn mark(&mut self, pairs: &[[I; 2]]) -> bool {
        let places = self.places();
        let Arrays { marks, others: records, .. } = self.arrays();
        marks.fill(0);
        let mut others = 0;
        // Which of them it is is anybody's guess, so that there is no branch for it.
        for (node, &[low, high]) in (0..).zip(pairs) {
            let (marked, place) = places.of(low, high);
            marks[place / CHUNK] |= u64::from(marked) << (place % CHUNK);
            let Some(record) = records.get_mut(others) else { return false };
            *record = [low, high, I::of(node)];
            others += usize::from(!marked && low != high);
        }
        self.others = others;
        true
    }

    /// Where the marks are, of which there are some.
    fn places(&self) -> Places<I> {
        Places { first: I::of(self.first), last: self.chunks * CHUNK - 1 }
    }

    fn arrays(&mut self) -> Arrays<'_, I> {
        let Self { words, chunks, .. } = self;
        let (marks, rest) = words.split_at_mut(*chunks);
        let (bases, rest) = rest.split_at_mut(words_of::<I>(*chunks));
        let (ids, others) = rest.split_at_mut(*chunks * IDS);
        Arrays {
            marks,
            bases: &mut bytemuck::cast_slice_mut(bases)[..*chunks],
            ids: bytemuck::cast_slice_mut(ids),
            others: bytemuck::cast_slice_mut::<u64, I>(others).as_chunks_mut().0,
        }
    }

    /// All nodes, to be merged.
    pub fn piece(&mut self) -> Piece<'_, I> {
        let (first, count) = (self.first, self.others);
        let Arrays { marks, bases, ids, others } = self.arrays();
        Piece { others: &mut others[..count], lows: Lows::new(first, marks, bases, ids) }
    }

    /// All of it, numbered from `base`.
    pub fn all(&self, base: u64) -> Numbered {
        Numbered { others: 0..self.others, chunks: 0..self.chunks, base }
    }

    /// Whether there are marks.
    pub fn has_marks(&self) -> bool {
        self.chunks > 0
    }

    /// Puts the ids of all nodes, which have these children, when they are `numbered`; gives the array back.
    pub fn put_ids(mut self, numbered: &[Numbered], pairs: &[[I; 2]], ids: &mut [I]) -> Vec<u64> {
        let places = self.has_marks().then(|| self.places());
        let Arrays { bases, ids: ids_of_marks, others, .. } = self.arrays();
        for part in numbered {
            for &[id, _, node] in &others[part.others.clone()] {
                ids[node.get() as usize] = if id.get() < I::MARK { id } else { id.minus(part.less()) };
            }
        }
        let (Some(places), [first, later @ ..]) = (places, numbered) else { return self.words };
        let less = first.less();
        for part in later {
            // Once for each chunk, not for each node that looks there.
            let more = part.less::<I>().minus(less);
            for base in &mut bases[part.chunks.clone()] {
                *base = base.minus(more);
            }
        }
        for (id, &[low, high]) in ids.iter_mut().zip(pairs) {
            let (is_marked, place) = places.of(low, high);
            let own = select_unpredictable(low == high, low, *id);
            let of_mark = bases[place / CHUNK].minus(less.minus(I::of(ids_of_marks[place].into())));
            *id = select_unpredictable(is_marked, of_mark, own);
        }
        self.words
    }
}

/// Whether so many of the others have their low children in one chunk, for one of some `workers`, that the ids of all of its nodes
/// might be further from its base than can be told.
fn crowded<I: Lane>(others: &[[I; 3]], workers: usize) -> bool {
    // Where more than twice as many are in one chunk, one of these pieces is all in it.
    let most = (usize::from(u16::MAX) - CHUNK) / (2 * workers);
    let chunk = |[low, ..]: [I; 3]| low.get() / CHUNK as u64;
    others.chunks_exact(most.max(1)).any(|piece| chunk(piece[0]) == chunk(piece[piece.len() - 1]))
}

/// The places of marks.
#[derive(Clone, Copy)]
struct Places<I> {
    /// The low child that has the first.
    first: I,
    last: usize,
}

impl<I: Lane> Places<I> {
    /// Whether a node is marked, and the place of its mark; any place if it is not.
    #[inline(always)]
    fn of(self, low: I, high: I) -> (bool, usize) {
        let place = low.minus(self.first).get() as usize;
        (high.get() == FALSE && low != high && place <= self.last, place.min(self.last))
    }
}

/// Words that so many lanes take.
fn words_of<I: Lane>(lanes: usize) -> usize {
    (lanes * I::WORDS).div_ceil(2)
}

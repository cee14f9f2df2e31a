//! The nodes of a level in the order of (low, high).
//!
//! ```text
//!   children ─┬─ high is false: bare ─► a mark for each low child ─╲           ╱─► ranks of the marks ──► of every bare node
//!             └─ others ──────────────► sort ───────────────────────╲─ merge ─╱──► an id for each other node
//! ```
//! Where a function is mostly false, most nodes are bare. To mark their low children, and to look their ids up there, takes less
//! time than to sort them where levels are wide; it takes longer where fewer than three nodes in four are bare, or where there are
//! few nodes.

use std::{hint::select_unpredictable, marker::PhantomData, sync::Arc};

use pulp::{Arch, NullaryFnOnce};

use super::{
    fresh::from_base,
    lows::{Entry, Lows, Places, id_of, move_by},
    merge::{Lengths, Piece},
    siblings::Siblings,
};
use crate::{
    disk::{
        cells,
        clock::Phase,
        dense::Dense,
        lane::{Lane, words_of},
        sorter::{Sorter, TIMED, can_spare},
        source::some_of,
        space::Space,
        words::Words,
    },
    error::Result,
    model::FALSE,
    sweep::marks::CHUNK,
};

/// The nodes of a level that one worker has, in order: marks for the low children of bare ones, and the others, which are sorted or
/// still to be.
pub struct Ordered<I> {
    /// All [`Arrays`], one after the other.
    words: Words,
    /// How many others there is room for.
    room: usize,
    /// How many others there are.
    others: usize,
    /// How many of them are among the nodes whose ids have not been looked up.
    left: usize,
    /// Others in each sorted run, except the last; `None` while they are not sorted.
    run: Option<usize>,
    /// The low child of the first mark, a multiple of `CHUNK`.
    first: u64,
    /// How many chunks of marks there are.
    chunks: usize,
    /// What has been numbered, range by range.
    numbered: Vec<Numbered>,
    /// The places in crowded chunks.
    places: Arc<Places>,
    marker: PhantomData<I>,
}

/// The arrays of `Ordered`.
struct Arrays<'a, I> {
    /// A word of marks for each chunk.
    marks: &'a mut [u64],
    /// The entry of each chunk.
    entries: &'a mut [Entry],
    /// The others as (low, high, number among the others in the order of nodes), with unused room behind them. At the end the
    /// second lane of record n is the id of other n.
    others: &'a mut [[I; 3]],
}

impl<'a, I: Lane> Arrays<'a, I> {
    /// Splits `words` into the arrays for `chunks` chunks and `room` others.
    fn of(words: &'a mut [u64], chunks: usize, room: usize) -> Self {
        let (marks, rest) = words.split_at_mut(chunks);
        let (entries, others) = rest.split_at_mut(ENTRY * chunks);
        let others = &mut bytemuck::cast_slice_mut::<u64, I>(others)[..3 * room];
        Self { marks, entries: entries.as_chunks_mut().0, others: others.as_chunks_mut().0 }
    }
}

/// Words for `chunks` chunks and `room` others.
const fn words_for<I: Lane>(chunks: usize, room: usize) -> usize {
    (1 + ENTRY) * chunks + words_of::<I>(3 * room)
}

/// A range of `Ordered` whose new nodes are numbered from one base.
struct Numbered {
    lengths: Lengths,
    /// The id of the first new node.
    base: u64,
    /// How many places the ranges before it have.
    places: usize,
}

/// The fewest nodes of a level that are marked: those of smaller levels are sorted.
const LEAST_MARKED: u64 = 1024;
/// Nodes in a sample.
const SAMPLE: usize = 512;
/// Nodes are marked where at most one in this many is one of the others.
const OTHERS: usize = 4;
/// Low children that marks cover for each node of a worker, at most.
const SPARSE: u64 = 16;
/// Words of the entry of a chunk.
const ENTRY: usize = size_of::<Entry>() / size_of::<u64>();

impl<I: Lane> Ordered<I> {
    /// The nodes with these children, all sorted; `None` if they are too many to be sorted in memory.
    pub fn sorted(children: &Dense<'_, I>, sorter: &mut Sorter, space: &Space) -> Result<Option<Self>> {
        let Some(pairs) = children.pairs().filter(|pairs| pairs.len() as u64 <= space.limits.most_sorted::<I, 3>())
        else {
            return Ok(None);
        };
        sorter.keep(Siblings::all(pairs), 2, space)?;
        let (words, others) = (sorter.lend(0), pairs.len());
        Ok(Some(Self { others, left: others, run: Some(usize::MAX), ..Self::of(words, 0, 0, others) }))
    }

    /// The nodes with these children, the bare ones marked, the others still to be sorted; `None` where too few are bare, or their
    /// low children are too far apart.
    pub fn marked(children: &mut Dense<'_, I>, sorter: &mut Sorter, space: &Space) -> Result<Option<Self>> {
        let Some(Plan { first, chunks, room }) = Plan::of(children, space) else { return Ok(None) };
        // Reading the clock takes as long as a small level.
        let _ordering = (children.count() / 2 > TIMED).then(|| space.scratch.meter.clock.start(Phase::Sort));
        let mut ordered = Self::of(sorter.lend(words_for::<I>(chunks, room)), first, chunks, room);
        ordered.arrays().marks.fill(0);
        if !children.show(|values| Ok(ordered.mark(values.as_chunks().0)))? {
            sorter.give_back(ordered.words);
            return Ok(None);
        }
        ordered.left = ordered.others;
        Ok(Some(ordered))
    }

    /// No nodes yet, but room for `chunks` chunks of marks, from `first` on, and for `room` others.
    fn of(words: Words, first: u64, chunks: usize, room: usize) -> Self {
        let (numbered, places) = (Vec::new(), Arc::default());
        Self { words, room, others: 0, left: 0, run: None, first, chunks, numbered, places, marker: PhantomData }
    }

    /// How many others there are that are not sorted.
    pub fn unsorted(&self) -> usize {
        if self.run.is_none() { self.others } else { 0 }
    }

    /// The others that are not sorted, in runs of `run` nodes. The caller sorts each run: from now on they count as sorted.
    pub fn take_unsorted(&mut self, run: usize) -> impl Iterator<Item = &mut [[I; 3]]> {
        let unsorted = self.unsorted();
        self.run.get_or_insert(run);
        self.arrays().others[..unsorted].chunks_mut(run)
    }

    /// Marks the bare ones of the next nodes and gathers the others; answers whether there was room for them.
    fn mark(&mut self, pairs: &[[I; 2]]) -> bool {
        let (span, mut count) = (self.span(), self.others);
        let Arrays { marks, others, .. } = self.arrays();
        let end = marks.len().checked_sub(1).expect("a chunk at least");
        // Which kind a node is cannot be predicted, so there is no branch for it.
        for &[low, high] in pairs {
            let (is_other, mark) = span.of(low, high);
            marks[(mark / CHUNK).min(end)] |= u64::from(!is_other && low != high) << (mark % CHUNK);
            let Some(other) = others.get_mut(count) else { return false };
            *other = [low, high, I::of(count as u64)];
            count += usize::from(is_other && low != high);
        }
        self.others = count;
        true
    }

    /// Where the marks are; there is at least one chunk.
    fn span(&self) -> Span<I> {
        Span { first: I::of(self.first), last: self.chunks * CHUNK - 1 }
    }

    fn arrays(&mut self) -> Arrays<'_, I> {
        Arrays::of(&mut self.words, self.chunks, self.room)
    }

    /// All nodes, which are in order, for a merge.
    pub fn piece(&mut self) -> Piece<'_, I> {
        let (first, count, run) = (self.first, self.others, self.run());
        let Arrays { marks, entries, others } = self.arrays();
        let runs = others[..count].chunks_mut(run).collect();
        Piece { runs, lows: Lows::new(first, marks, entries) }
    }

    fn run(&self) -> usize {
        self.run.expect("all others are sorted")
    }

    /// Whether there are marks.
    pub fn has_marks(&self) -> bool {
        self.chunks > 0
    }

    /// Notes that the next range, with these `lengths`, is numbered: `base` is the id of its first new node, `places` how many
    /// places the ranges before it have.
    pub fn note_range(&mut self, lengths: Lengths, base: u64, places: usize) {
        self.numbered.push(Numbered { lengths, base, places });
    }

    /// Notes that all ranges are numbered; `places` are those in all crowded chunks.
    pub fn note_places(&mut self, places: Arc<Places>) {
        self.places = places;
    }

    /// Prepares the ids of all nodes, which are numbered, to be looked up.
    pub fn finish(&mut self) {
        let numbered = std::mem::take(&mut self.numbered);
        let mut runs: Vec<_> = (0..self.others).step_by(self.run()).collect();
        let (mut chunk, Arrays { entries, others, .. }) = (0, self.arrays());
        for Numbered { lengths, base, places } in numbered {
            for (first, len) in runs.iter_mut().zip(&lengths.runs) {
                for at in *first..*first + len {
                    let [id, _, which] = others[at];
                    others[which.get() as usize][1] = from_base(id, base);
                }
                *first += len;
            }
            entries[chunk..chunk + lengths.chunks].iter_mut().for_each(|entry| move_by(entry, I::MARK - base, places));
            chunk += lengths.chunks;
        }
    }

    /// Looks up the ids of the last nodes not yet looked up, whose children are `pairs`.
    pub fn ids_of(&mut self, pairs: &[[I; 2]], ids: &mut [I]) {
        let (marked, mut left) = (self.has_marks().then(|| self.span()), self.left);
        let Arrays { entries, others, .. } = Arrays::of(&mut self.words, self.chunks, self.room);
        if let Some(span) = marked {
            left = Arch::new().dispatch(LookUp { span, entries, places: &self.places, others, left, pairs, ids });
        } else {
            for id in ids.iter_mut().rev() {
                left -= 1;
                *id = others[left][1];
            }
        }
        self.left = left;
    }

    /// The sorter's array, to be given back.
    pub fn into_words(self) -> Words {
        self.words
    }
}

/// Looks up ids where there are marks, with the best instructions of the processor; `left` others are still to come.
struct LookUp<'a, I> {
    span: Span<I>,
    entries: &'a [Entry],
    places: &'a [u8],
    others: &'a [[I; 3]],
    left: usize,
    pairs: &'a [[I; 2]],
    ids: &'a mut [I],
}

impl<I: Lane> NullaryFnOnce for LookUp<'_, I> {
    type Output = usize;

    /// Returns how many others are left.
    #[inline(always)]
    fn call(self) -> usize {
        let Self { span, entries, places, others, mut left, pairs, ids } = self;
        for (id, &[low, high]) in ids.iter_mut().zip(pairs).rev() {
            let (is_other, mark) = span.of(low, high);
            *id = if low == high {
                low
            } else if is_other {
                left -= 1;
                others[left][1]
            } else {
                I::of(id_of(&entries[mark / CHUNK], mark % CHUNK, places))
            };
        }
        left
    }
}

/// A plan for marks: their first low child, their chunks, and room for others.
struct Plan {
    first: u64,
    chunks: usize,
    room: usize,
}

impl Plan {
    /// The plan for nodes with these children; `None` if they are not to be marked.
    fn of<I: Lane>(children: &Dense<'_, I>, space: &Space) -> Option<Self> {
        let nodes = children.count() / 2;
        if nodes < LEAST_MARKED {
            return None;
        }
        let most = space.limits.sorted_bytes();
        let Some(pairs) = children.pairs() else {
            if !children.can_show() {
                return None;
            }
            // The children are not in one array, so there is no sample: others get as much room as there is.
            let plan = Self::over(&children.range(), nodes)?;
            let left = most.checked_sub(plan.bytes::<I>()).filter(|left| 4 * left > plan.bytes::<I>())?;
            return Some(Self { room: (left / other_bytes::<I>()).min(nodes as usize / OTHERS), ..plan });
        };
        let some = some_of(pairs, SAMPLE);
        let (all, differing) = (some.clone().count(), some.filter(|[low, high]| low != high));
        let bare = differing.clone().filter(|[_, high]| high.get() == FALSE);
        let others = differing.count() - bare.clone().count();
        // A sample does not tell to the last node how many others there are.
        let room = 2 * pairs.len() * others / all + pairs.len() / (8 * OTHERS);
        if OTHERS * others > all || !can_spare::<I, 3>(room, space) {
            return None;
        }
        let plan = Self { room, ..Self::over(&cells::KeyRange::of(bare.map(|[low, _]| *low)), nodes)? };
        (plan.bytes::<I>() <= most).then_some(plan)
    }

    /// The plan for `nodes` nodes with low children in `range`, without room for others; `None` if the marks would be too sparse.
    fn over(range: &cells::KeyRange, nodes: u64) -> Option<Self> {
        let first = range.base() / CHUNK as u64;
        let chunks = (range.base() + range.last()) / CHUNK as u64 + 1 - first;
        let plan = Self { first: first * CHUNK as u64, chunks: chunks as usize, room: 0 };
        (chunks * CHUNK as u64 <= SPARSE * nodes).then_some(plan)
    }

    /// Bytes that the plan takes.
    fn bytes<I: Lane>(&self) -> usize {
        8 * words_for::<I>(self.chunks, 0) + self.room * other_bytes::<I>()
    }
}

/// Bytes of one of the others, and of its place in a crowded chunk, in a vector that may be half empty.
const fn other_bytes<I: Lane>() -> usize {
    size_of::<[I; 3]>() + 2 * size_of::<u8>()
}

/// Where marks are.
#[derive(Clone, Copy)]
struct Span<I> {
    /// The low child of the first mark.
    first: I,
    last: usize,
}

impl<I: Lane> Span<I> {
    /// Whether a node whose children differ is one of the others, and its mark if not; of one of the others the mark means nothing.
    #[inline(always)]
    fn of(self, low: I, high: I) -> (bool, usize) {
        let first = self.first.get();
        // A mark beyond all marks where the high child is not false.
        let mark = if I::WIDE {
            select_unpredictable(high.get() == FALSE, low.get().wrapping_sub(first), u64::MAX)
        } else {
            (high.get() << u32::BITS | low.get()).wrapping_sub(first)
        };
        (mark > self.last as u64, mark as usize)
    }
}

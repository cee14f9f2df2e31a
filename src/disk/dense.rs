//! `Dense`: values that arrive in any order under dense indices and are read once, the last index first; before that they may be
//! shown in ascending order.
//!
//! Where an array of all values fits its share, a scatter brings them into order instead of a sort. Where it does not, the indices
//! are cut into parts: values go to a log for each part, and the array is filled with one part after another. Where that would take
//! too many logs, each log covers several parts and is cut in the same way when its turn comes; where one log would have to cover
//! too many parts, the values go through an external sort.

use std::sync::atomic::Ordering::Relaxed;

use super::{
    array::Array,
    cells::KeyRange,
    external::{External, Sorted},
    lane::Lane,
    pool::Share,
    source::{SAMPLE, some_of},
    space::Space,
    spool::Spool,
    words::Words,
};
use crate::error::Result;

/// An array of values, all zero at first, or what stands in for one that is too large.
pub enum Dense<'a, I: Lane> {
    /// The array itself.
    Array(Array<I>),
    /// Pairs of (index, value), by parts.
    Parts(Box<Parts<'a, I>>),
    /// Pairs of (distance from the end, value) in the external sorter, the number of indices, and the range of the values.
    Sorted(Box<External<'a, I>>, u64, KeyRange),
}

/// The parts of an array that is too large.
pub struct Parts<'a, I: Lane> {
    space: &'a Space,
    /// Pairs of (index, value), a log for every part; indices count from the beginning of the whole array.
    logs: Vec<Spool<I, 2>>,
    cuts: Cuts,
    /// The range of the values.
    range: KeyRange,
    /// The part at hand, and its first index; before there is a part, the number of indices.
    part: Descent<'a, I>,
    first: u64,
}

/// How indices are cut into parts, never between an even one and the next. A multiplication finds the part, which is faster than a
/// division by the length of a part.
#[derive(Clone, Copy)]
struct Cuts {
    /// Two indices as a fraction of a part, times `1 << 32`.
    scale: u64,
}

impl Cuts {
    /// Parts of at most `most` indices; `most` is even.
    fn new(most: u64) -> Self {
        Self { scale: (1u64 << 32).div_ceil(most / 2) }
    }

    /// The part of an index.
    #[inline(always)]
    fn part_of(self, index: u64) -> usize {
        ((index / 2 * self.scale) >> 32) as usize
    }

    /// The first index of `part`.
    fn start(self, part: usize) -> u64 {
        2 * ((part as u64) << 32).div_ceil(self.scale)
    }
}

/// Values that are put at a time, as many as a reduce sweep has ready.
const SOME: usize = 64;

/// The most values that an array may have, an even number.
fn room<I: Lane>(space: &Space) -> u64 {
    (space.limits.dense / size_of::<I>() / 2).max(1) as u64 * 2
}

impl<'a, I: Lane> Dense<'a, I> {
    /// Zeroes for the indices below `len`, in `words` if they fit.
    pub fn zeroes(words: Words, len: u64, space: &'a Space) -> Result<Self> {
        if Self::fits(len, space) {
            return Ok(Self::Array(Array::zeroes(words, len as usize)));
        }
        Self::for_all(words, len, space)
    }

    /// Values for the indices below `len`; the caller will put every one, so an array is not cleared first.
    pub fn for_all(words: Words, len: u64, space: &'a Space) -> Result<Self> {
        if Self::fits(len, space) {
            return Ok(Self::Array(Array::of(words, len as usize)));
        }
        let fits = room::<I>(space);
        let (parts, logs) = (len.div_ceil(fits), space.limits.parts);
        if parts > logs * logs {
            return Ok(Self::Sorted(Box::new(External::new(space, space.limits.dense)?), len, KeyRange::default()));
        }
        space.scratch.meter.parted_levels.fetch_add(1, Relaxed);
        let cuts = Cuts::new(fits * parts.div_ceil(logs));
        let logs = (0..=cuts.part_of(len - 1)).map(|_| Spool::new(Share::Arcs)).collect();
        let part = Descent::none(words);
        Ok(Self::Parts(Box::new(Parts { space, logs, cuts, range: KeyRange::default(), part, first: len })))
    }

    /// Whether `len` values fit an array.
    pub fn fits(len: u64, space: &Space) -> bool {
        len <= room::<I>(space)
    }

    /// No values; keeps `words` to be used again.
    pub fn none(words: Words) -> Self {
        Self::Array(Array::of(words, 0))
    }

    /// The words of the array, if there is one, to be used again.
    pub fn into_words(self) -> Words {
        match self {
            Self::Array(array) => array.into_words(),
            Self::Parts(parts) => parts.part.into_words(),
            Self::Sorted(..) => Words::default(),
        }
    }

    /// The values two by two, where they are in an array.
    pub fn pairs(&self) -> Option<&[[I; 2]]> {
        if let Self::Array(array) = self { Some(array.pairs()) } else { None }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Array(array) => array.values().len() as u64,
            Self::Parts(parts) => parts.first,
            Self::Sorted(_, len, _) => *len,
        }
    }

    /// Whether [`show`](Self::show) can show all values and keep them: each part of them fits an array.
    pub fn can_show(&self) -> bool {
        match self {
            Self::Array(_) => true,
            Self::Parts(parts) => parts.bounds().windows(2).all(|part| Self::fits(part[1] - part[0], parts.space)),
            Self::Sorted(..) => false,
        }
    }

    /// Shows all values in order, where they [can be shown](Self::can_show), until `show` answers `false`; answers whether all
    /// were. It shows a slice at a time, whose first value has an even index.
    pub fn show(&mut self, mut show: impl FnMut(&[I]) -> Result<bool>) -> Result<bool> {
        match self {
            Self::Array(array) => show(array.values()),
            Self::Parts(parts) => parts.show(&mut show),
            Self::Sorted(..) => unreachable!("values that are being sorted cannot be shown"),
        }
    }

    /// The range of all values.
    pub fn range(&self) -> KeyRange {
        match self {
            Self::Array(array) => KeyRange::of(array.values().iter().copied()),
            Self::Parts(parts) => parts.range,
            Self::Sorted(.., range) => *range,
        }
    }

    /// A sample of the values at even indices, from the whole range; empty where the external sorter has the values.
    pub fn some_even(&self) -> Result<Vec<I>> {
        Ok(match self {
            Self::Array(array) => some_of(array.pairs(), SAMPLE).map(|pair| pair[0]).collect(),
            Self::Parts(parts) => parts.some_even()?,
            Self::Sorted(..) => Vec::new(),
        })
    }

    /// Puts `value` at `index`; each index is put at most once.
    #[inline(always)]
    pub fn put(&mut self, index: u64, value: I) -> Result<()> {
        match self {
            Self::Array(array) => {
                array.values_mut()[index as usize] = value;
                Ok(())
            }
            Self::Parts(parts) => parts.put(index, value),
            Self::Sorted(external, len, range) => {
                range.include(value);
                external.push([I::of(*len - 1 - index), value])
            }
        }
    }

    /// Puts `value` at `index` for each (`first` + (`index` << `shift`), `value`) of `pairs`.
    #[inline]
    pub fn put_all(&mut self, pairs: &[[I; 2]], first: u64, shift: u32) -> Result<()> {
        let index_of = |index: I| (index.get() - first) >> shift;
        match self {
            Self::Array(array) => {
                let array = array.values_mut();
                for &[index, value] in pairs {
                    array[index_of(index) as usize] = value;
                }
                Ok(())
            }
            Self::Parts(parts) => pairs.chunks(SOME).try_for_each(|pairs| {
                let mut indexed = [[I::zeroed(); 2]; SOME];
                for (indexed, &[index, value]) in indexed.iter_mut().zip(pairs) {
                    *indexed = [I::of(index_of(index)), value];
                }
                parts.put_some(&indexed[..pairs.len()])
            }),
            Self::Sorted(..) => pairs.iter().try_for_each(|&[index, value]| self.put(index_of(index), value)),
        }
    }

    /// The values part by part, the last part first, zero where none was put.
    pub fn descend(self) -> Result<Descent<'a, I>> {
        Ok(match self {
            Self::Array(array) => Descent::Array { shown: array.values().is_empty(), array },
            Self::Parts(parts) => Descent::Parts(parts),
            Self::Sorted(external, len, _) => Descent::Merged(Box::new(Merged::of(*external, len)?)),
        })
    }
}

impl<I: Lane> Parts<'_, I> {
    /// Puts `value` at `index`; each index is put at most once.
    #[inline(always)]
    pub fn put(&mut self, index: u64, value: I) -> Result<()> {
        self.range.include(value);
        self.logs[self.cuts.part_of(index)].append([I::of(index), value], self.space)
    }

    /// Puts the value of each of `pairs`, at least one (index, value), at its index: often all are in one part.
    fn put_some(&mut self, pairs: &[[I; 2]]) -> Result<()> {
        let (mut least, mut most) = (I::MAX, I::zeroed());
        for [index, _] in pairs {
            (least, most) = (least.min(*index), most.max(*index));
        }
        self.range.join(&KeyRange::of(pairs.iter().map(|[_, value]| *value)));
        let part_of = |index: I| self.cuts.part_of(index.get());
        if part_of(least) == part_of(most) {
            return self.logs[part_of(least)].append_all(pairs, self.space);
        }
        pairs.iter().try_for_each(|pair| self.logs[part_of(pair[0])].append(*pair, self.space))
    }

    fn some_even(&self) -> Result<Vec<I>> {
        let mut some = Vec::new();
        for log in &self.logs {
            let sample = log.some(1, self.space)?;
            let even = sample.iter().filter(|[index, _]| index.get().is_multiple_of(2)).map(|[_, value]| *value);
            some.extend(even);
        }
        Ok(some)
    }

    /// The first index of each part, and the end of the last one.
    fn bounds(&self) -> Vec<u64> {
        (0..self.logs.len()).map(|part| self.cuts.start(part)).chain([self.first]).collect()
    }

    fn show(&mut self, show: &mut impl FnMut(&[I]) -> Result<bool>) -> Result<bool> {
        let bounds = self.bounds();
        let mut words = std::mem::replace(&mut self.part, Descent::none(Words::default())).into_words();
        let mut all = true;
        for (log, part) in self.logs.iter().zip(bounds.windows(2)) {
            let mut array = Array::zeroes(words, (part[1] - part[0]) as usize);
            let values = array.values_mut();
            log.visit(self.space, |pairs| {
                for &[index, value] in pairs {
                    values[(index.get() - part[0]) as usize] = value;
                }
                Ok(())
            })?;
            all = show(array.values())?;
            words = array.into_words();
            if !all {
                break;
            }
        }
        self.part = Descent::none(words);
        Ok(all)
    }

    fn part(&mut self) -> Result<Option<(u64, &[I])>> {
        while self.part.is_done() {
            if !self.load()? {
                return Ok(None);
            }
        }
        let part = self.part.part()?;
        Ok(part.map(|(first, values)| (self.first + first, values)))
    }

    /// Loads the part before this one, which may have parts of its own; answers whether there is one.
    #[cold]
    #[inline(never)]
    fn load(&mut self) -> Result<bool> {
        let Some(mut log) = self.logs.pop() else { return Ok(false) };
        let done = std::mem::replace(&mut self.part, Descent::none(Words::default()));
        let (end, space) = (self.first, self.space);
        self.first = self.cuts.start(self.logs.len());
        let mut part = Dense::zeroes(done.into_words(), end - self.first, space)?;
        log.drain(space, |pairs| part.put_all(pairs, self.first, 0))?;
        self.part = part.descend()?;
        Ok(true)
    }
}

/// The values of a [`Dense`], the last part first.
pub enum Descent<'a, I: Lane> {
    /// An array, the only part.
    Array {
        /// All values.
        array: Array<I>,
        /// Whether it has been shown.
        shown: bool,
    },
    /// One part after another, each with parts of its own if it is too large.
    Parts(Box<Parts<'a, I>>),
    /// Parts filled from the external sorter.
    Merged(Box<Merged<'a, I>>),
}

impl<I: Lane> Descent<'_, I> {
    fn none(words: Words) -> Self {
        Self::Array { array: Array::of(words, 0), shown: true }
    }

    /// The words of the array, if there is one, to be used again.
    pub fn into_words(self) -> Words {
        match self {
            Self::Array { array, .. } => array.into_words(),
            Self::Parts(parts) => parts.part.into_words(),
            Self::Merged(merged) => merged.part.into_words(),
        }
    }

    /// Whether there are no more parts.
    fn is_done(&self) -> bool {
        match self {
            Self::Array { shown, .. } => *shown,
            Self::Parts(parts) => parts.logs.is_empty() && parts.part.is_done(),
            Self::Merged(merged) => merged.left == 0,
        }
    }

    /// The next part, at least one value, right before those shown last: the index of its first value, which is even if the number
    /// of all values is, and the values.
    pub fn part(&mut self) -> Result<Option<(u64, &[I])>> {
        match self {
            Self::Array { shown: true, .. } => Ok(None),
            Self::Array { array, shown } => {
                *shown = true;
                Ok(Some((0, array.values())))
            }
            Self::Parts(parts) => parts.part(),
            Self::Merged(merged) => merged.part(),
        }
    }
}

/// Parts filled with what the external sorter gives back.
pub struct Merged<'a, I: Lane> {
    /// The pairs after the next one, and the next one.
    sorted: Sorted<'a, I>,
    next: Option<[I; 2]>,
    /// The part at hand.
    part: Array<I>,
    /// The most values of a part.
    most: u64,
    /// The number of values still to come, and of all.
    left: u64,
    len: u64,
}

impl<'a, I: Lane> Merged<'a, I> {
    fn of(external: External<'a, I>, len: u64) -> Result<Self> {
        let most = room::<I>(external.space());
        let mut sorted = external.finish()?;
        Ok(Self { next: sorted.record()?, sorted, part: Array::of(Words::default(), 0), most, left: len, len })
    }

    fn part(&mut self) -> Result<Option<(u64, &[I])>> {
        let count = self.most.min(self.left);
        if count == 0 {
            return Ok(None);
        }
        self.left -= count;
        let words = std::mem::replace(&mut self.part, Array::of(Words::default(), 0)).into_words();
        self.part = Array::zeroes(words, count as usize);
        while let Some([distance, value]) = self.next
            && let index = self.len - 1 - distance.get()
            && index >= self.left
        {
            self.part.values_mut()[(index - self.left) as usize] = value;
            self.next = self.sorted.record()?;
        }
        Ok(Some((self.left, self.part.values())))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, VecDeque};

    use super::*;
    use crate::disk::space::testing;

    /// The kind of `Dense` that holds an array of `len` values, and the values it shows: every third is zero, all others differ.
    fn shown<I: Lane>(len: u64, values: usize, parts: u64) -> (&'static str, VecDeque<I>) {
        let space = testing::space_with(|limits| {
            (limits.dense, limits.parts) = (values.saturating_mul(size_of::<I>()), parts);
        });
        let mut dense = Dense::<I>::zeroes(vec![9; 7].into(), len, &space).expect("a folder");
        // A prime stride meets every index once.
        let indices: Vec<_> = (0..len).map(|step| step * 7919 % len).filter(|index| index % 3 != 1).collect();
        let (single, together) = indices.split_at(indices.len() / 3);
        for &index in single {
            dense.put(index, I::of(I::MARK + index)).expect("room");
        }
        // Neighbours come together, as numbers of four slots each from 5 on.
        let mut pairs: Vec<_> = together.iter().map(|&index| [I::of(5 + 4 * index), I::of(I::MARK + index)]).collect();
        pairs.chunks_mut(200).for_each(<[_]>::sort_unstable);
        dense.put_all(&pairs, 5, 2).expect("room");
        let way = match &dense {
            Dense::Array(_) => "an array",
            Dense::Parts(_) if dense.can_show() => "parts",
            Dense::Parts(_) => "parts of parts",
            Dense::Sorted(..) => "a sort",
        };
        let (mut descent, mut shown) = (dense.descend().expect("all values"), VecDeque::new());
        while let Some((first, values)) = descent.part().expect("a part") {
            assert!(first.is_multiple_of(2) || len % 2 == 1, "a part from {first} on, of {len}");
            assert_eq!(first + (values.len() + shown.len()) as u64, len);
            values.iter().rev().for_each(|&value| shown.push_front(value));
        }
        (way, shown)
    }

    fn all_ways_show_the_same<I: Lane>() {
        let mut ways = BTreeSet::new();
        for len in [0u64, 1, 2, 100, 1000, 3000] {
            let expected: Vec<I> =
                (0..len).map(|index| I::of(if index % 3 == 1 { 0 } else { I::MARK + index })).collect();
            for parts in [2, 3, 32] {
                for values in [usize::MAX, 0, 7, 20, len as usize / 6, len as usize / 4, len as usize / 3] {
                    let (way, shown) = shown::<I>(len, values, parts);
                    assert!(shown == expected, "{len} values, {values} at once, {parts} parts: {way}");
                    ways.insert(way);
                }
            }
        }
        assert_eq!(ways.into_iter().collect::<Vec<_>>(), ["a sort", "an array", "parts", "parts of parts"]);
    }

    #[test]
    fn array_parts_parts_of_them_and_external_sort_show_the_same_in_both_widths() {
        all_ways_show_the_same::<u32>();
        all_ways_show_the_same::<u64>();
    }
}

//! Sorting the records of one level by distribution.
//!
//! ```text
//!   Source ─┬─ mostly in few ascending runs, and fits ────► merge ─────────────────────────────────────────────────► show
//!           └─ the range of the first key ─┬─ fits: about one cell a record ─► scatter ─► put right what shares a cell ─► show
//!                                          └─ too large: a sample ─► a log for each of a few parts ─► every log in turn
//! ```
//! Ids are dense: the range that the first key spans on a level is seldom much longer than the level. So one counting pass
//! brings records almost into order, and what is left is between neighbours. A cell of many records is sorted in the same way
//! by what its records do not share: a narrower range, or the next key.

use super::{
    ascending::Ascending,
    cells::Cells,
    clock::Phase,
    insertion::{first_two, put_right},
    lane::{Lane, words_of},
    parted::Parted,
    source::Source,
    space::Space,
    words::Words,
};
use crate::error::Result;

/// The most records shown at once.
pub const BATCH: usize = 128;
/// The most records that are put in order by insertion.
const FEW: usize = 16;
/// The fewest records for which it is worth looking for runs.
const MERGED: usize = 512;
/// The length of the pieces, in records, in which records that were read from disk are searched for runs.
const BLOCK: usize = 1024;
/// Levels of more records than this are timed.
pub const TIMED: u64 = 4096;

/// The arrays in which levels are sorted; kept from level to level and from sweep to sweep.
#[derive(Debug, Default)]
pub struct Sorter {
    records: Words,
    scratch: Distribution,
}

/// What a distribution works with.
#[derive(Debug, Default)]
struct Distribution {
    /// For every cell the number of its records, then the position of its next record.
    cells: Words,
    /// The records of a cell that is sorted once more.
    spare: Words,
}

impl Sorter {
    /// Shows the records of `source` ordered by their first `keys` lanes, at most `BATCH` at a time; records that agree there come
    /// in any order.
    pub fn sort<I: Lane, const N: usize>(
        &mut self,
        source: impl Source<I, N>,
        keys: usize,
        space: &Space,
        show: &mut dyn FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        self.sort_from(0, source, keys, space, show)
    }

    /// Shows the records of `source`, which agree in the lanes before `lane`, in the order of their first `keys` lanes.
    pub fn sort_from<I: Lane, const N: usize>(
        &mut self,
        lane: usize,
        source: impl Source<I, N>,
        keys: usize,
        space: &Space,
        show: &mut dyn FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        let count = source.count();
        if lane == keys {
            return show_some::<_, _, BATCH>(source, keys, space, show);
        }
        if count <= FEW as u64 {
            return show_some::<_, _, FEW>(source, keys, space, show);
        }
        // Reading a clock costs no less than sorting a small level.
        let sorting = (count > TIMED).then(|| space.scratch.meter.clock.start(Phase::Sort));
        if count > space.limits.most_sorted::<I, N>() {
            let parted = Parted::of_all(source, lane, keys, space)?;
            drop(sorting);
            return self.sort_parted(parted, keys, space, show);
        }
        let records = self.sorted_from(lane, source, keys, space)?;
        drop(sorting);
        records.chunks(BATCH).try_for_each(show)
    }

    /// Shows the records of `parted` in the order of their first `keys` lanes.
    pub fn sort_parted<I: Lane, const N: usize>(
        &mut self,
        parted: Parted<I, N>,
        keys: usize,
        space: &Space,
        show: &mut dyn FnMut(&[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        parted.into_logs().try_for_each(|(lane, mut log)| self.sort_from(lane, &mut log, keys, space, show))
    }

    /// Brings `records` into the order of their first `keys` lanes where they are.
    #[inline]
    pub fn order<I: Lane, const N: usize>(&mut self, records: &mut [[I; N]], keys: usize, space: &Space) -> Result<()> {
        if records.len() > FEW {
            let _sorting = (records.len() as u64 > TIMED).then(|| space.scratch.meter.clock.start(Phase::Sort));
            return self.scratch.order(records, 0, keys, space);
        }
        if records.len() > 1 {
            put_right(records, keys);
        }
        Ok(())
    }

    /// Orders the records of `source`, which can be in memory at once, by their first `keys` lanes; [`records`](Self::records)
    /// gives them then.
    pub fn keep<I: Lane, const N: usize>(
        &mut self,
        source: impl Source<I, N>,
        keys: usize,
        space: &Space,
    ) -> Result<()> {
        let _sorting = space.scratch.meter.clock.start(Phase::Sort);
        self.sorted_from(0, source, keys, space).map(drop)
    }

    /// Orders the records of `source`, which agree in the lanes before `lane` and fit in memory, by their first `keys` lanes; gives
    /// them.
    fn sorted_from<I: Lane, const N: usize>(
        &mut self,
        lane: usize,
        source: impl Source<I, N>,
        keys: usize,
        space: &Space,
    ) -> Result<&mut [[I; N]]> {
        let count = source.count() as usize;
        if source.is_on_disk() && 2 * count as u64 <= space.limits.most_sorted::<I, N>() {
            return self.load(lane, source, keys, space);
        }
        if lane == 0 && count >= MERGED && self.merge(&source, keys, space)? {
            source.discard();
            return Ok(array_of(&mut self.records, count));
        }
        let Self { records, scratch } = self;
        let records = array_of(records, count);
        scratch.distribute(source, lane, keys, records, space)?;
        Ok(records)
    }

    /// Like [`sorted_from`](Self::sorted_from), for records on disk: loads them first, so that they are read once, and may be
    /// merged.
    fn load<I: Lane, const N: usize>(
        &mut self,
        lane: usize,
        source: impl Source<I, N>,
        keys: usize,
        space: &Space,
    ) -> Result<&mut [[I; N]]> {
        let count = source.count() as usize;
        let Self { records, scratch } = self;
        let room = most_rest::<I, N>(count, 2 * count, space);
        let (sorted, others) = array_of(records, 2 * count + room).split_at_mut(count);
        let (loaded, rest) = others.split_at_mut(count);
        source.load(loaded, space)?;
        let loaded = &*loaded;
        if lane == 0 && count >= MERGED {
            let runs = Ascending::of(loaded.chunks(BLOCK));
            if let Some(rest) = rest.get_mut(..runs.rest())
                && scratch.merge(&runs, rest, sorted, keys, space)?
            {
                return Ok(sorted);
            }
        }
        scratch.distribute(loaded, lane, keys, sorted, space)?;
        Ok(sorted)
    }

    /// Orders the records of `source` by merging its ascending runs, if most are in a few of these; answers whether it did.
    fn merge<I: Lane, const N: usize>(
        &mut self,
        source: &impl Source<I, N>,
        keys: usize,
        space: &Space,
    ) -> Result<bool> {
        let Some(blocks) = source.blocks() else { return Ok(false) };
        let (runs, count) = (Ascending::of(blocks), source.count() as usize);
        let rest = runs.rest();
        if rest > most_rest::<I, N>(count, count, space) {
            return Ok(false);
        }
        let (merged, rest) = array_of(&mut self.records, count + rest).split_at_mut(count);
        self.scratch.merge(&runs, rest, merged, keys, space)
    }

    /// The first `count` of the records that were ordered last.
    pub fn records<I: Lane, const N: usize>(&self, count: usize) -> &[[I; N]] {
        &bytemuck::cast_slice::<u64, I>(&self.records).as_chunks().0[..count]
    }

    /// The array of the records that were ordered last, made at least `words` words long, to be [given back](Self::give_back). What
    /// it holds is lost if it has no room for so many.
    pub fn lend(&mut self, words: usize) -> Words {
        at_least(&mut self.records, words);
        std::mem::take(&mut self.records)
    }

    /// Takes back the array that was lent.
    pub fn give_back(&mut self, words: Words) {
        self.records = words;
    }
}

/// Shows the records of `source` in order: they are at most `B`, or agree in their first `keys` lanes and come `B` at a time.
fn show_some<I: Lane, const N: usize, const B: usize>(
    source: impl Source<I, N>,
    keys: usize,
    space: &Space,
    show: &mut dyn FnMut(&[[I; N]]) -> Result<()>,
) -> Result<()> {
    let mut records = [[I::zeroed(); N]; B];
    let mut filled = 0;
    source.drain(0, space, |_, record| {
        if filled == B {
            show(&records)?;
            filled = 0;
        }
        records[filled] = *record;
        filled += 1;
        Ok(())
    })?;
    put_right(&mut records[..filled], keys);
    show(&records[..filled])
}

/// The most cells for `records` records in memory: twice as many, so that a range cut by a power of two still has about one each,
/// or fewer where the counters have no room for them.
fn most_cells(records: usize, space: &Space) -> usize {
    (2 * records).min(space.limits.sort / 8 / size_of::<u32>()).max(FEW)
}

/// Whether `records` records fit in the spare array: more of them are sorted by comparing, where they are.
pub fn can_spare<I: Lane, const N: usize>(records: usize, space: &Space) -> bool {
    records <= most_spared::<I, N>(space)
}

/// The most records that fit in the spare array, an eighth of the sort share.
fn most_spared<I: Lane, const N: usize>(space: &Space) -> usize {
    space.limits.sort / 8 / size_of::<[I; N]>()
}

/// The most of `count` records that may be outside of all runs, to be sorted first, where runs are merged beside `held` records.
fn most_rest<I: Lane, const N: usize>(count: usize, held: usize, space: &Space) -> usize {
    let room = (space.limits.most_sorted::<I, N>() as usize).saturating_sub(held);
    room.min(count / 2).min(most_spared::<I, N>(space))
}

impl Distribution {
    /// Merges `runs` into `merged`, with `rest` as room for the records in no run; answers whether that was worth it.
    fn merge<I: Lane, const N: usize>(
        &mut self,
        runs: &Ascending<'_, I, N>,
        rest: &mut [[I; N]],
        merged: &mut [[I; N]],
        keys: usize,
        space: &Space,
    ) -> Result<bool> {
        runs.copy_rest(rest);
        if rest.len() > 1 {
            self.order(rest, 0, keys, space)?;
        }
        let full = match keys {
            1 => runs.merge(rest, merged, |record| record[0]),
            2 => runs.merge(rest, merged, first_two),
            _ => runs.merge(rest, merged, |record| {
                let mut others = *record;
                others[keys..].fill(I::zeroed());
                (first_two(record), others)
            }),
        };
        let Some(full) = full else { return Ok(false) };
        for at in full {
            let first = merged[at][0];
            let start = merged[..at].iter().rposition(|record| record[0] != first).map_or(0, |before| before + 1);
            let len = merged[start..].iter().take_while(|record| record[0] == first).count();
            if !can_spare::<I, N>(len, space) {
                return Ok(false);
            }
            self.order(&mut merged[start..start + len], 1, keys, space)?;
        }
        Ok(true)
    }

    /// Orders the records of `source`, which agree in the lanes before `lane`, into `records`, which has room for exactly these.
    fn distribute<I: Lane, const N: usize>(
        &mut self,
        source: impl Source<I, N>,
        lane: usize,
        keys: usize,
        records: &mut [[I; N]],
        space: &Space,
    ) -> Result<()> {
        let cells = Cells::new(&source.range(lane, space)?, lane, most_cells(records.len(), space));
        let largest = self.count(&source, cells, space)?;
        if largest == records.len() as u64 && cells.exact() && lane + 1 < keys {
            return self.distribute(source, lane + 1, keys, records, space);
        }
        let full = self.scatter(source, cells, records, space)?;
        self.settle(records, full, cells.next_lane(), keys, space)
    }

    /// Counts the records of each cell; gives the largest count.
    fn count<I: Lane, const N: usize>(
        &mut self,
        source: &impl Source<I, N>,
        cells: Cells,
        space: &Space,
    ) -> Result<u64> {
        self.cells.zeroes(words_of::<u32>(cells.count));
        let counts = counts_in(&mut self.cells);
        source.keys(cells.lane, space, move |key| counts[cells.of(key)] += 1)?;
        Ok(counts_in(&mut self.cells).iter().copied().max().map_or(0, u64::from))
    }

    /// Copies the records of `source`, whose cells have been counted, to `records` in the order of cells; gives the cells of more
    /// than `FEW`.
    fn scatter<I: Lane, const N: usize>(
        &mut self,
        source: impl Source<I, N>,
        cells: Cells,
        records: &mut [[I; N]],
        space: &Space,
    ) -> Result<Vec<Cell>> {
        let mut full = Vec::new();
        let mut sum = 0;
        let starts = counts_in(&mut self.cells);
        for start in &mut *starts {
            let count = std::mem::replace(start, sum);
            if count as usize > FEW {
                full.push(sum..sum + count);
            }
            sum += count;
        }
        source.drain(cells.lane, space, move |key, record| {
            let start = &mut starts[cells.of(key)];
            records[*start as usize] = *record;
            *start += 1;
            Ok(())
        })?;
        Ok(full)
    }

    /// Orders `records`, which are in the order of cells, within each cell by the lanes from `lane` on; `full` are the cells of
    /// more than `FEW`.
    fn settle<I: Lane, const N: usize>(
        &mut self,
        records: &mut [[I; N]],
        full: Vec<Cell>,
        lane: usize,
        keys: usize,
        space: &Space,
    ) -> Result<()> {
        if lane < keys {
            for cell in full {
                self.order(&mut records[cell.start as usize..cell.end as usize], lane, keys, space)?;
            }
            put_right(records, keys);
        }
        Ok(())
    }

    /// Orders `records`, which agree in the lanes before `lane`, where they are.
    fn order<I: Lane, const N: usize>(
        &mut self,
        records: &mut [[I; N]],
        lane: usize,
        keys: usize,
        space: &Space,
    ) -> Result<()> {
        if lane == keys {
            return Ok(());
        }
        let shared = &*records;
        let cells = Cells::new(&shared.range(lane, space)?, lane, most_cells(records.len(), space));
        let largest = self.count(&shared, cells, space)?;
        if largest == shared.len() as u64 && cells.exact() {
            return self.order(records, lane + 1, keys, space);
        }
        if !can_spare::<I, N>(records.len(), space) {
            records.sort_unstable();
            return Ok(());
        }
        let mut spare = std::mem::take(&mut self.spare);
        let sorted = array_of(&mut spare, shared.len());
        let full = self.scatter(shared, cells, sorted, space)?;
        records.copy_from_slice(sorted);
        // Put back before `settle` needs it for the next cell.
        self.spare = spare;
        self.settle(records, full, cells.next_lane(), keys, space)
    }
}

/// The positions of the records of a cell.
type Cell = std::ops::Range<u32>;

/// The first `records` records of `array`, which is made longer if it must be.
fn array_of<I: Lane, const N: usize>(array: &mut Words, records: usize) -> &mut [[I; N]] {
    let words = at_least(array, words_of::<I>(records * N));
    &mut bytemuck::cast_slice_mut::<u64, I>(words).as_chunks_mut().0[..records]
}

/// `array`, made at least `words` words long; what it holds is lost if it has no room for so many.
fn at_least(array: &mut Words, words: usize) -> &mut [u64] {
    if array.len() < words {
        array.resize(words);
    }
    array
}

/// The words of `cells` as counts.
fn counts_in(cells: &mut Words) -> &mut [u32] {
    bytemuck::cast_slice_mut(cells)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::disk::{pool::Share, space::testing, spool::Spool};

    /// A random key of a level of `len` records; `shape` says how its keys lie.
    fn key(shape: usize, len: u64, random: &mut Rng) -> u64 {
        let at = random.u64(..1 << 31);
        match shape {
            0 => 1000 + at % len,
            1 => at,
            2 => at % 2,
            3 => 7,
            4 if at.is_multiple_of(2) => at / 2 % 3,
            4 => (1 << 24) + at % 50,
            5 if at.is_multiple_of(16) => at,
            5 => 1 << 20,
            _ => 1 << (at % 31),
        }
    }

    /// The same records in three runs; if `rest` is not 0, one in `rest` of them stays outside as it was.
    fn in_runs(records: &[[u32; 3]], rest: usize) -> Vec<[u32; 3]> {
        let (rest, runs) = records.split_at(records.len().checked_div(rest).unwrap_or(0));
        let mut runs = runs.to_vec();
        runs.chunks_mut(records.len() / 3 + 1).for_each(|run| run.sort_by_key(|record| record[0]));
        [&runs, rest].concat()
    }

    fn check<I: Lane, const N: usize>(sorter: &mut Sorter, records: &[[I; N]], keys: usize, space: &Space) {
        let mut spool = Spool::new(Share::Queue);
        for &record in records {
            spool.append(record, space).expect("room");
        }
        let mut sorted = Vec::new();
        let mut take = |batch: &[[I; N]]| {
            assert!(batch.len() <= BATCH);
            sorted.extend_from_slice(batch);
            Ok(())
        };
        if size_of_val(records) > 2 * space.limits.block {
            assert_eq!(Source::is_on_disk(&&mut spool), space.limits.queue == 0);
        }
        sorter.sort(&mut spool, keys, space, &mut take).expect("room");
        assert!(sorted.is_sorted_by_key(|record| record[..keys].to_vec()), "{} records, {keys} keys", records.len());
        sorted.sort_unstable();
        let mut expected = records.to_vec();
        expected.sort_unstable();
        assert!(sorted == expected, "{} records, {keys} keys: some were lost", records.len());
    }

    #[test]
    fn every_shape_of_level_comes_in_order_and_whole_under_every_limit() {
        let (mut sorter, mut random) = (Sorter::default(), Rng::with_seed(1));
        // In memory, and on disk.
        for (sort, queue) in [
            (0, 1 << 24),
            (700, 1 << 24),
            (20_000, 1 << 24),
            (1 << 24, 1 << 24),
            (20_000, 0),
            (130_000, 0),
            (1 << 24, 0),
        ] {
            let space = testing::space_with(|limits| (limits.sort, limits.queue, limits.block) = (sort, queue, 4096));
            for len in [0, 1, 2, FEW as u64, FEW as u64 + 1, 300, 3000] {
                for shape in 0..49 {
                    let narrow: Vec<_> = (0..len)
                        .map(|_| [shape % 7, shape / 7].map(|shape| key(shape, len, &mut random) as u32))
                        .zip(0..)
                        .map(|([a, b], slot)| [a, b, slot % 7])
                        .collect();
                    check(&mut sorter, &narrow, 2, &space);
                    check(&mut sorter, &narrow, 3, &space);
                    for rest in [0, 5, 3] {
                        check(&mut sorter, &in_runs(&narrow, rest), 1 + shape % 3, &space);
                    }
                    let wide: Vec<_> = narrow.iter().map(|record| record.map(|lane| u64::from(lane) << 30)).collect();
                    check(&mut sorter, &wide, 1 + shape % 3, &space);
                    let sets: Vec<_> = narrow.iter().map(|&[a, b, slot]| [0, b % 2, a, b, slot]).collect();
                    check(&mut sorter, &sets, 4, &space);
                    let pairs: Vec<_> = narrow.iter().map(|&[a, b, _]| [a, b]).collect();
                    check(&mut sorter, &pairs, 1, &space);
                }
            }
        }
    }

    #[test]
    fn what_is_mostly_in_runs_with_long_stretches_is_merged() -> Result<()> {
        let (mut sorter, mut random) = (Sorter::default(), Rng::with_seed(1));
        let space = testing::space(1 << 24);
        for (rest, merged) in [(0, true), (300, true), (1600, false)] {
            let mut spool = Spool::new(Share::Queue);
            for run in 0..3 {
                let record = |at: u32| [at / 10 * 30 + run * 10 + at % 10, 0, 0];
                (0..(3000 - rest) / 3).try_for_each(|at| spool.append(record(at), &space))?;
            }
            let mut others = Spool::new(Share::Queue);
            (0..rest).try_for_each(|_| others.append([random.u32(..3000), 0, 0], &space))?;
            spool.join(others);
            assert_eq!(sorter.merge(&&mut spool, 2, &space)?, merged, "{rest} of 3000 in no order");
        }
        Ok(())
    }

    /// A sort that compares beyond the keys takes quadratic time for this.
    #[test]
    fn records_that_agree_are_left_alone() {
        let (mut sorter, mut random) = (Sorter::default(), Rng::with_seed(1));
        let space = testing::space(1 << 30);
        let mut some: Vec<[u32; 5]> = (0..1 << 20).map(|_| [1000, 0, 5, 9, random.u32(..)]).collect();
        some.push([1003, 0, 0, 0, 1]);
        for keys in [1, 2, 4] {
            check(&mut sorter, &some, keys, &space);
        }
    }
}

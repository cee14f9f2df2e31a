//! Ascending runs: records that consist of few ascending runs are merged instead of sorted.
//!
//! ```text
//!   blocks ─┬─ ascending, or with few descents ─► runs ─────────╲
//!           └─ all others ──────────────────────► sort ─► a run ─╲─ merge by the first lane, put right by the others
//! ```
//! Merging takes less time than sorting, and least where many records in a row come from one run. It is given up where it changes
//! from run to run, or moves a record back, too often.
//!
//! After: the natural merge sort of D. E. Knuth, "The Art of Computer Programming", volume 3, 5.2.4.

use smallvec::SmallVec;

use super::lane::Lane;

/// The most runs that are merged; records in more runs count as unordered.
const MOST: usize = 8;

/// Blocks of records, of which most are in a few runs that ascend by the first lane.
#[derive(Debug)]
pub struct Ascending<'a, I, const N: usize> {
    /// The pieces of all runs, one run after the other, and for each run the index of the first piece after it.
    pieces: Vec<&'a [[I; N]]>,
    ends: SmallVec<[usize; MOST]>,
    /// Blocks that are in no run: they would make more than `MOST`.
    rest: Vec<&'a [[I; N]]>,
}

impl<'a, I: Lane, const N: usize> Ascending<'a, I, N> {
    /// The runs of `blocks`.
    pub fn of(blocks: impl Iterator<Item = &'a [[I; N]]>) -> Self {
        let mut runs = Self { pieces: Vec::new(), ends: SmallVec::new(), rest: Vec::new() };
        for block in blocks.filter(|block| !block.is_empty()) {
            if !runs.add(block) {
                runs.rest.push(block);
            }
        }
        runs
    }

    /// Adds `block` to the runs; answers `false`, and changes nothing, if that would make more than `MOST`.
    fn add(&mut self, block: &'a [[I; N]]) -> bool {
        let goes_on = self.pieces.last().is_some_and(|last| last[last.len() - 1][0] <= block[0][0]);
        let (before, ends) = (self.pieces.len(), self.ends.clone());
        if goes_on {
            self.ends.pop();
        }
        let mut left = block;
        loop {
            if self.ends.len() == MOST {
                self.pieces.truncate(before);
                self.ends = ends;
                return false;
            }
            let end = left.windows(2).position(|two| two[1][0] < two[0][0]);
            let (piece, others) = left.split_at(end.map_or(left.len(), |last| last + 1));
            self.pieces.push(piece);
            self.ends.push(self.pieces.len());
            left = others;
            if left.is_empty() {
                return true;
            }
        }
    }

    /// The number of records in no run.
    pub fn rest(&self) -> usize {
        self.rest.iter().map(|block| block.len()).sum()
    }

    /// Copies the records in no run to `records`, which has room for exactly these.
    pub fn copy_rest(&self, mut records: &mut [[I; N]]) {
        for block in &self.rest {
            let (now, later) = records.split_at_mut(block.len());
            now.copy_from_slice(block);
            records = later;
        }
    }

    /// Merges all runs and the sorted `rest` into `merged`. `key` orders records and begins with the first lane; records that agree
    /// in that lane are put in order by insertion where they are few. Gives one index into `merged` for each group of them that is
    /// too large for this and still has to be sorted, or `None` where sorting takes less time: the content of `merged` is undefined
    /// then.
    pub fn merge<K: Ord + Copy>(
        &self,
        rest: &[[I; N]],
        merged: &mut [[I; N]],
        key: impl Fn(&[I; N]) -> K,
    ) -> Option<Vec<usize>> {
        let mut runs: SmallVec<[Run<'_, I, N>; MOST + 1]> = SmallVec::new();
        let mut start = 0;
        for &end in &self.ends {
            runs.extend(Run::of(self.pieces[start], &self.pieces[start + 1..end]));
            start = end;
        }
        runs.extend(Run::of(rest, &[]));
        let mut heads: SmallVec<[I; MOST + 1]> = runs.iter().map(|run| run.now[0][0]).collect();
        let (mut at, mut last, mut full, mut breaks) = (0, key(&[I::zeroed(); N]), Vec::new(), 0);
        while !runs.is_empty() {
            let (next, bound) = next_of(&heads, I::MAX);
            let run = &mut runs[next];
            let mut taken = copy_while(run.now, &mut merged[at..], bound, &mut last, &key);
            while let Some(record) = run.now.get(taken).filter(|record| record[0] <= bound) {
                merged[at + taken] = *record;
                move_back(&mut merged[..=at + taken], &mut full, &key);
                taken += 1;
                taken += copy_while(&run.now[taken..], &mut merged[at + taken..], bound, &mut last, &key);
                breaks += 1;
                if is_slow(breaks, at + taken) {
                    return None;
                }
            }
            at += taken;
            breaks += 1;
            if is_slow(breaks, at) {
                return None;
            }
            if let Some(head) = run.pass(taken) {
                heads[next] = head;
            } else {
                runs.swap_remove(next);
                heads.swap_remove(next);
            }
        }
        debug_assert_eq!(at, merged.len());
        Some(full)
    }
}

/// Whether to go on with a merge takes longer than to sort: `breaks` counts changes of run and records moved back, and one for
/// every two of the `records` merged so far is too many.
fn is_slow(breaks: usize, records: usize) -> bool {
    breaks > 256 + records / 2
}

/// Copies records up to the first whose first lane is beyond `bound` or whose `key` is below the `last` one; gives their number.
#[inline(always)]
fn copy_while<I: Lane, const N: usize, K: Ord + Copy>(
    from: &[[I; N]],
    to: &mut [[I; N]],
    bound: I,
    last: &mut K,
    key: impl Fn(&[I; N]) -> K,
) -> usize {
    let (mut before, mut copied) = (*last, 0);
    for (to, from) in to.iter_mut().zip(from) {
        let (record, this) = (*from, key(from));
        if record[0] > bound || this < before {
            break;
        }
        (*to, before) = (record, this);
        copied += 1;
    }
    *last = before;
    copied
}

/// The most records with the same first lane that are put in order by insertion.
const FEW: usize = 16;

/// Moves the last of `records` back to its place among those before it that agree with it in the first lane. Where that takes `FEW`
/// moves, their group is too large: its index goes to `full`, and further records of the group stay where they are.
#[inline(never)]
fn move_back<I: Lane, const N: usize, K: Ord>(
    records: &mut [[I; N]],
    full: &mut Vec<usize>,
    key: impl Fn(&[I; N]) -> K,
) {
    let mut at = records.len() - 1;
    let record = records[at];
    if full.last().is_some_and(|&full| records[full][0] == record[0]) {
        return;
    }
    let least = at.saturating_sub(FEW);
    while at > least && key(&record) < key(&records[at - 1]) {
        records[at] = records[at - 1];
        at -= 1;
    }
    records[at] = record;
    if at == least {
        full.push(at);
    }
}

/// The part of a run that has not been merged yet.
struct Run<'a, I, const N: usize> {
    /// The piece at hand, of at least one record, and those that follow.
    now: &'a [[I; N]],
    later: &'a [&'a [[I; N]]],
}

impl<'a, I: Lane, const N: usize> Run<'a, I, N> {
    /// The run of the pieces `now` and `later`, unless it is empty.
    fn of(now: &'a [[I; N]], later: &'a [&'a [[I; N]]]) -> Option<Self> {
        (!now.is_empty()).then_some(Self { now, later })
    }

    /// Skips `records` records of the piece at hand; gives the first lane of the next record, if there is one.
    #[inline(always)]
    fn pass(&mut self, records: usize) -> Option<I> {
        self.now = &self.now[records..];
        if self.now.is_empty() {
            let (now, later) = self.later.split_first()?;
            (self.now, self.later) = (now, later);
        }
        Some(self.now[0][0])
    }
}

/// The index of the smallest of `heads`, and the smallest of the others; `none` is no smaller than any head.
#[inline(always)]
pub fn next_of<K: Ord + Copy>(heads: &[K], none: K) -> (usize, K) {
    let (mut next, mut least, mut bound) = (0, none, none);
    for (run, &head) in heads.iter().enumerate() {
        if head < least {
            (next, least, bound) = (run, head, least);
        } else {
            bound = bound.min(head);
        }
    }
    (next, bound)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// Merges `blocks`; gives what comes out, and how many records were in no run.
    fn merge<const N: usize>(blocks: &[Vec<[u32; N]>]) -> (Option<Vec<[u32; N]>>, usize) {
        let runs = Ascending::of(blocks.iter().map(|block| &block[..]));
        let mut rest = vec![[0; N]; runs.rest()];
        runs.copy_rest(&mut rest);
        rest.sort_unstable();
        let mut merged = vec![[0; N]; blocks.iter().map(Vec::len).sum()];
        let Some(full) = runs.merge(&rest, &mut merged, |record| *record) else { return (None, rest.len()) };
        for at in full {
            let first = merged[at][0];
            let group = merged.iter_mut().filter(|record| record[0] == first);
            let mut sorted: Vec<_> = group.map(|record| *record).collect();
            sorted.sort_unstable();
            merged.iter_mut().filter(|record| record[0] == first).zip(sorted).for_each(|(to, from)| *to = from);
        }
        (Some(merged), rest.len())
    }

    #[test]
    fn a_run_goes_on_in_the_next_block_that_is_not_left_out() {
        let up = |from: u32, count: u32| (from..from + count).map(|at| [at, 0]).collect::<Vec<_>>();
        let down: Vec<_> = (0..20).rev().map(|at| [at, 0]).collect();
        for (blocks, runs, rest) in [
            (vec![], 0, 0),
            (vec![up(0, 0)], 0, 0),
            (vec![up(0, 5), up(4, 5), up(9, 5)], 1, 0),
            (vec![up(5, 5), up(0, 5), up(4, 5)], 2, 0),
            (vec![[up(5, 5), up(0, 5)].concat(), up(5, 5)], 2, 0),
            (vec![up(5, 5), down.clone(), up(10, 5)], 1, 20),
            (vec![down[..6].to_vec(), up(5, 5), up(3, 1), up(4, 1)], 8, 0),
            (vec![down[..8].to_vec(), up(100, 5), up(3, 1)], 8, 1),
            (vec![down[..9].to_vec(), up(3, 1)], 1, 9),
        ] {
            let found = Ascending::of(blocks.iter().map(|block| &block[..]));
            assert_eq!((found.ends.len(), found.rest()), (runs, rest), "{blocks:?}");
            let mut expected = blocks.concat();
            expected.sort_unstable();
            assert_eq!(merge(&blocks).0, Some(expected));
        }
    }

    #[test]
    fn what_comes_in_runs_is_merged_and_put_right_whatever_agrees() {
        let (mut random, mut given_up) = (Rng::with_seed(1), 0);
        for turn in 0..2000 {
            // Few distinct values: many records agree.
            let (firsts, seconds) = ([3, 40, 100_000][turn % 3], [1, 5, 1000][turn / 3 % 3]);
            let blocks: Vec<Vec<_>> = (0..random.u32(..6))
                .map(|_| {
                    let record = |random: &mut Rng| [random.u32(..firsts), random.u32(..seconds), random.u32(..2)];
                    let mut block: Vec<_> = (0..random.u32(..700)).map(|_| record(&mut random)).collect();
                    match random.u32(..4) {
                        0 => {}
                        1 => block.sort_unstable(),
                        _ => block.sort_by_key(|record| record[0]),
                    }
                    block
                })
                .collect();
            let mut expected = blocks.concat();
            expected.sort_unstable();
            let found = merge(&blocks).0;
            given_up += usize::from(found.is_none());
            assert!(found.is_none_or(|found| found == expected));
        }
        assert!((100..1000).contains(&given_up), "{given_up}");
    }

    #[test]
    fn what_takes_longer_to_merge_than_to_sort_is_given_up() {
        let up = |first: fn(u32) -> u32, second: fn(u32) -> u32| {
            (0..2000).map(|at| [first(at), second(at)]).collect::<Vec<_>>()
        };
        let (slow, fast) = (|at| 2 * at, |at| 2 * at + 1);
        for (blocks, merged) in [
            (vec![up(|at| at, |_| 0)], true),
            (vec![up(|at| at / 3, |at| at % 3)], true),
            (vec![up(|at| at / 3, |at| at % 2)], true),
            // Every record breaks the order, or is followed by one of the other run.
            (vec![up(|at| at / 3, |at| 3 - at % 3)], false),
            (vec![up(|_| 7, |at| 2000 - at)], false),
            (vec![up(slow, |_| 0), up(fast, |_| 0)], false),
            // Ten records of one run, then ten of the other.
            (vec![up(|at| at / 10 * 20 + at % 10, |_| 0), up(|at| at / 10 * 20 + 10 + at % 10, |_| 0)], true),
        ] {
            assert_eq!(merge(&blocks).0.is_some(), merged, "{:?}", &blocks[0][..5]);
        }
    }
}

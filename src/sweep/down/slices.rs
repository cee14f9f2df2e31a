//! How the requests of a level are parted: among workers, and for each of them where there are too many to be sorted at once.
//!
//! ```text
//!   ids of the operand that has most on the level, or most of those that are too many to be read at random
//!   ├───────────────── worker 0 ────────────────┼───────────────── worker 1 ────────────────┤
//!   ├─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┤   a log each
//! ```
//! While a level is not the next one, all that a worker has there is in one log more: so many levels are not so many small logs.
//! What low children ask of the next level has logs of its own, one for each strip, before those of all levels: it mostly comes in
//! order, since the nodes of a diagram are in the order of their low children.
//!
//! So many nodes as lie in one strip can mostly be read at random, where all of a level are too many.
//!
//! Children lie at about the same place of their level as their parents do of theirs, so that what follows from a request mostly stays
//! with its worker. An id that is not on the level itself but on the next one goes by its place there.
//!
//! The logs of a queue, where each of `1 << shift` workers has two strips:
//!
//! ```text
//!   lows: a log for each strip │ level 0: worker 0: strip, strip, far │ worker 1: strip, strip, far │ … │ level 1: …
//! ```

use std::{iter, ops::Range, sync::Arc};

use crate::{disk::lane::Lane, sweep::parts::Parts};

/// How the requests of every level are parted.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    parts: Parts,
    /// Each worker has `1 << strips` strips a level, a log each, and one log more where these are several.
    strips: u32,
    /// None where there is but one log a level.
    levels: Arc<[Slice]>,
}

impl Slices {
    /// Slices of levels of which each operand has these ids (the first, and how many), for all workers of `parts`.
    pub fn of<const N: usize>(levels: impl Iterator<Item = [(u64, u64); N]>, parts: Parts, strips: u32) -> Self {
        let slices = (parts.workers() as u64) << strips;
        if slices == 1 {
            return Self { parts, strips, levels: Arc::default() };
        }
        let mut levels = levels.peekable();
        let slice = || {
            let here = levels.next()?;
            Some(Slice::of(&here, levels.peek().unwrap_or(&[(0, 0); N]), slices))
        };
        Self { parts, strips, levels: iter::from_fn(slice).collect() }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.parts.workers()
    }

    /// How slots go round among the workers: of `1 << shift` in a row one is each worker's.
    pub fn shift(&self) -> u32 {
        self.parts.shift
    }

    /// Strips of a worker, as a power of two.
    pub fn strips(&self) -> u32 {
        self.strips
    }

    /// Logs of so many levels, among the workers of `parts`, each with `1 << strips` strips a level.
    pub fn count(parts: Parts, strips: u32, levels: usize) -> usize {
        (parts.workers() << strips) + parts.logs(levels).start * logs_of(strips)
    }

    /// The logs of so many levels.
    pub fn all_logs(&self, levels: usize) -> usize {
        Self::count(self.parts, self.strips, levels)
    }

    /// The logs of a queue for `level`.
    pub fn logs(&self, level: usize) -> Range<usize> {
        self.all_logs(level)..self.all_logs(level + 1)
    }

    /// The logs of a queue for the strips of `worker` on `level`.
    pub fn strips_of(&self, level: usize, worker: usize) -> Range<usize> {
        let first = self.slices() + self.parts.log_of_worker(level, worker) * logs_of(self.strips);
        first..first + (1 << self.strips)
    }

    /// Strips of all workers.
    fn slices(&self) -> usize {
        self.parts.workers() << self.strips
    }

    /// The logs of a queue for what low children ask of the next level.
    pub fn lows(&self) -> Range<usize> {
        0..self.slices()
    }

    /// Those of them for the strips of `worker`.
    pub fn lows_of(&self, worker: usize) -> Range<usize> {
        worker << self.strips..(worker + 1) << self.strips
    }

    /// The log of a queue for what `worker` has on `level` while that is not the next; none where there are no strips.
    pub fn far_log(&self, level: usize, worker: usize) -> Option<usize> {
        (self.strips > 0).then(|| self.strips_of(level, worker).end)
    }

    /// The lane by which `level` is parted, and the ids there that are in a strip of `worker`; none where all lanes tell.
    pub fn ids_of(&self, level: usize, worker: usize, strip: usize) -> Option<(usize, Range<u64>)> {
        let slice = self.levels.get(level).filter(|slice| slice.here.count > 0)?;
        Some((slice.lane, slice.here.ids((worker << self.strips) + strip)))
    }

    /// The log of a queue for a request with these `ids` on `level`, the next one or the one at hand if it is `near`.
    #[inline(always)]
    pub fn log_of<I: Lane>(&self, level: usize, ids: &[I], near: bool) -> usize {
        if self.levels.is_empty() {
            return self.log_of_slice(level, 0);
        }
        let slice = self.slice_of(level, ids);
        if near || self.strips == 0 {
            self.log_of_slice(level, slice)
        } else {
            self.strips_of(level, slice >> self.strips).end
        }
    }

    /// The log of a queue for a strip of `level`, among those of all workers.
    #[inline(always)]
    pub fn log_of_slice(&self, level: usize, slice: usize) -> usize {
        self.strips_of(level, slice >> self.strips).start + (slice & ((1 << self.strips) - 1))
    }

    /// The strip of the first of `requests` for `level`, among those of all workers, and how many requests are for it before one is
    /// not; many in a row mostly are.
    #[inline]
    pub fn run_of<I: Lane, const N: usize>(&self, level: usize, requests: &[[I; N]]) -> (usize, usize) {
        let (Some(first), Some(slice)) = (requests.first(), self.levels.get(level)) else { return (0, requests.len()) };
        let strip = self.slice_of(level, &first[..N - 1]);
        // One of the lanes in any case, which the compiler does not know.
        let lane = slice.lane % N;
        let [here, below] = [slice.here, slice.below].map(|span| {
            let ids = span.ids(strip);
            (I::of(ids.start), I::of(ids.end - ids.start))
        });
        let is_outside = |request: &[I; N]| {
            let id = request[lane];
            (id.minus(here.0) >= here.1) & (id.minus(below.0) >= below.1)
        };
        // Mostly none is, and to see that needs no branch for each.
        if !requests.iter().fold(false, |any, request| any | is_outside(request)) {
            return (strip, requests.len());
        }
        let ends = |request: &[I; N]| is_outside(request) && self.slice_of(level, &request[..N - 1]) != strip;
        (strip, requests.iter().position(ends).unwrap_or(requests.len()))
    }

    /// The strip of a request with these `ids` on `level`, among those of all workers.
    #[inline(always)]
    fn slice_of<I: Lane>(&self, level: usize, ids: &[I]) -> usize {
        let slice = &self.levels[level];
        let id = ids[slice.lane].get();
        if let Some(slice) = slice.here.slice_of(id).or_else(|| slice.below.slice_of(id)) {
            return slice;
        }
        // Neighbours stay together, for they are read together. The factor is 2^64 divided by the golden ratio: what ids have in
        // common does not matter.
        let all = ids.iter().fold(0u64, |all, id| all.rotate_left(23) ^ (id.get() >> 4));
        (((all.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * self.slices() as u64) >> 32) as usize
    }
}

/// Logs of a worker on a level: its strips, and one more if there are several.
const fn logs_of(strips: u32) -> usize {
    if strips == 0 { 1 } else { (1 << strips) + 1 }
}

/// How the requests of a level are parted: by where one of their ids is among those of the level, or of the next one, or, where it is
/// on neither, by all ids.
#[derive(Clone, Copy, Debug, Default)]
struct Slice {
    lane: usize,
    here: Span,
    below: Span,
}

impl Slice {
    /// That of a level of which so many ids from `first` on are in each of the lanes, and so many of the level `below`: of the lane
    /// that has most of them.
    fn of<const N: usize>(here: &[(u64, u64); N], below: &[(u64, u64); N], slices: u64) -> Self {
        let lane = (0..N).max_by_key(|&lane| (here[lane].1, std::cmp::Reverse(lane))).unwrap_or(0);
        match Span::of(here[lane], slices) {
            Some(here) => Self { lane, here, below: Span::of(below[lane], slices).unwrap_or_default() },
            None => Self::default(),
        }
    }
}

/// Ids in a row, as many in each slice but the last ones; or none.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first: u64,
    count: u64,
    /// Ids of a slice, and 2^64 - 1 divided by that.
    each: u64,
    inverse: u64,
}

impl Span {
    /// So many ids from `first` on, if these are not too few.
    fn of((first, count): (u64, u64), slices: u64) -> Option<Self> {
        let each = count.div_ceil(slices);
        (count >= LEAST * slices).then(|| Self { first, count, each, inverse: u64::MAX / each })
    }

    /// The slice of an id, if it is one of these.
    #[inline(always)]
    fn slice_of(&self, id: u64) -> Option<usize> {
        let offset = id.wrapping_sub(self.first);
        (offset < self.count).then(|| {
            // A product is cheaper than a quotient, of which it lacks one at most.
            let slice = ((u128::from(offset) * u128::from(self.inverse)) >> 64) as u64;
            (slice + u64::from(offset - slice * self.each >= self.each)) as usize
        })
    }

    /// The ids of a slice.
    #[inline(always)]
    fn ids(&self, slice: usize) -> Range<u64> {
        let start = |slice: u64| self.first + (slice * self.each).min(self.count);
        start(slice as u64)..start(slice as u64 + 1)
    }
}

/// Ids for each slice that a level has at least where it is parted by them.
const LEAST: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_in_its_slice_however_many_there_are() {
        for (count, slices) in [(64, 1), (129, 2), (193, 3), (1 << 33, 2), ((1 << 40) + 7, 3), (u64::MAX >> 3, 64)] {
            let span = Span::of((5, count), slices).expect("enough for each");
            assert!(span.slice_of(4).is_none() && span.slice_of(5 + count).is_none());
            let mut next = 5;
            for slice in 0..slices as usize {
                let ids = span.ids(slice);
                assert_eq!(ids.start, next);
                next = ids.end;
                for id in [ids.start, ids.start + (ids.end - ids.start) / 3, ids.end - 1] {
                    assert_eq!(span.slice_of(id), Some(slice), "{id} of {count} in {slices}");
                }
            }
            assert_eq!(next, 5 + count);
            assert!(Span::of((5, LEAST * slices - 1), slices).is_none());
        }
    }

    #[test]
    fn slices_give_every_log_as_many_ids_in_a_row() {
        let cases = [(2, 0), (3, 0), (1, 5), (2, 3), (5, 1), (1000, 0)];
        // Of one id more than 64 for each, 65 go to each, so that the last ones of a thousand have none.
        for ((workers, strips), few) in cases.into_iter().flat_map(|case| [(case, false), (case, true)]) {
            let logs = (workers as u64) << strips;
            let (count, each) = if few { (64 * logs + 1, 65) } else { (70 * logs - 1, 70) };
            // Most ids of the level are in the second lane, and so is that of the next one which tells.
            let (here, below) = (1000 * logs, 500 * logs);
            let levels = [[(0, 0), (0, 0)], [(0, 9), (here, count)], [(0, 2 * count), (below, count)]];
            let slices = Slices::of(levels.into_iter(), Parts::new(workers), strips);
            // As (worker, strip), the strip beyond all for far requests.
            let log = |id: u64, near| {
                let log = slices.log_of(1, &[7, id], near);
                let of = |worker: &usize| slices.strips_of(1, *worker).end + usize::from(strips > 0) > log;
                let worker = (0..workers).find(of).expect("a log of the level");
                (worker, log - slices.strips_of(1, worker).start)
            };
            for first in [here, below] {
                let found: Vec<_> = (first..first + count).map(|id| log(id, true)).collect();
                assert!(found.is_sorted());
                for own in (0..workers).flat_map(|worker| (0..1 << strips).map(move |strip| (worker, strip))) {
                    let ids = found.iter().filter(|&&log| log == own).count() as u64;
                    let before = ((own.0 << strips) + own.1) as u64 * each;
                    assert_eq!(ids, each.min(count.saturating_sub(before)), "of {count} for {own:?} of {logs}");
                }
                for (id, &(worker, strip)) in (first..).zip(&found) {
                    let (lane, ids) = slices.ids_of(1, worker, strip).expect("a level with many ids");
                    // What is read of a strip is what it has of the level itself.
                    assert!(lane == 1 && ids.contains(&(id - first + here)), "{id} is not in {ids:?}");
                    assert_eq!(log(id, false), (worker, if strips > 0 { 1 << strips } else { strip }));
                    assert_eq!(slices.far_log(1, worker).is_some(), strips > 0);
                }
            }
            // Several in a row go together, and before the logs of all levels there is one for each strip.
            let ids = (here..here + count).chain([3, 3, 5000 * logs, below + 1]).chain(below..below + count);
            let mut left: Vec<_> = ids.map(|id| [7, id, 0]).collect();
            assert_eq!(slices.lows().end, slices.logs(0).start);
            let mut runs = 0;
            while !left.is_empty() {
                let (strip, run) = slices.run_of(1, &left);
                let others = left.split_off(run);
                assert!(
                    left.iter()
                        .all(|[lane, id, _]| slices.log_of(1, &[*lane, *id], true) == slices.log_of_slice(1, strip))
                );
                assert!(slices.lows_of(strip >> strips).contains(&strip));
                (left, runs) = (others, runs + 1);
            }
            assert!(runs <= 2 * logs + 3, "{runs} runs for {logs} logs");
            assert_eq!(slices.all_logs(2), slices.logs(1).end);
            // Elsewhere all ids tell.
            assert!((0..1000).all(|id| log(id, true).0 < workers && log(id, true).1 < 1 << strips));
            assert!((0..1000).any(|id| log(id, true) != log(0, true)));
        }
    }
}

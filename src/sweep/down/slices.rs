//! How the requests of a level are divided: among workers, and into strips for each worker where there are too many to sort at
//! once.
//!
//! ```text
//! ids of the operand with the most nodes on the level, of those too wide to be read at random if there are any
//!   ├───────────────── worker 0 ────────────────┼───────────────── worker 1 ────────────────┤
//!   ├─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┼─ strip ──┤   a log each
//! ```
//! As long as a level is not the next one, all of a worker's requests for it go to one more log, the far log: many levels do not
//! make many small logs. What low children ask of the next level has logs of its own, one for each strip, ahead of those of all
//! levels: it mostly comes in order, since the nodes of a diagram are in the order of their low children.
//!
//! The nodes of one strip are mostly few enough to be read at random, where those of the whole level are not.
//!
//! Children lie at about the same place on their level as their parents on theirs, so the descendants of a request mostly stay with
//! its worker. An id that is not on the level itself but on the next one goes by its place there.
//!
//! The logs of a queue, where each of `1 << shift` workers has two strips:
//!
//! ```text
//!   lows: a log for each strip │ level 0: worker 0: strip, strip, far │ worker 1: strip, strip, far │ … │ level 1: …
//! ```

use std::{iter, ops::Range, sync::Arc};

use crate::{disk::lane::Lane, sweep::division::Division};

/// How the requests of every level are divided.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    division: Division,
    /// Each worker has `1 << strip_bits` strips on a level, with a log each, and one more log if there are several strips.
    strip_bits: u32,
    /// How each level is cut; empty where a level has only one log.
    levels: Arc<[Cut]>,
}

impl Slices {
    /// Slices of `levels`, given as (first id, number of ids) of each operand, for the workers of `division`.
    pub fn of<const N: usize>(
        levels: impl Iterator<Item = [(u64, u64); N]>,
        division: Division,
        strip_bits: u32,
    ) -> Self {
        let strips = (division.workers() as u64) << strip_bits;
        if strips == 1 {
            return Self { division, strip_bits, levels: Arc::default() };
        }
        let mut levels = levels.peekable();
        let cut = || {
            let here = levels.next()?;
            Some(Cut::of(&here, levels.peek().unwrap_or(&[(0, 0); N]), strips))
        };
        Self { division, strip_bits, levels: iter::from_fn(cut).collect() }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.division.workers()
    }

    /// Slots are dealt out to the workers in turn: one in `1 << shift` consecutive slots is a worker's.
    pub fn shift(&self) -> u32 {
        self.division.shift
    }

    /// The binary logarithm of the number of strips of a worker.
    pub fn strip_bits(&self) -> u32 {
        self.strip_bits
    }

    /// The number of logs for `levels` levels and the workers of `division`, each with `1 << strip_bits` strips on a level.
    pub fn count(division: Division, strip_bits: u32, levels: usize) -> usize {
        (division.workers() << strip_bits) + division.logs(levels).start * logs_of(strip_bits)
    }

    /// The number of logs for `levels` levels.
    pub fn all_logs(&self, levels: usize) -> usize {
        Self::count(self.division, self.strip_bits, levels)
    }

    /// The logs of a queue for `level`.
    pub fn logs(&self, level: usize) -> Range<usize> {
        self.all_logs(level)..self.all_logs(level + 1)
    }

    /// The logs of a queue for the strips of `worker` on `level`.
    pub fn strips_of(&self, level: usize, worker: usize) -> Range<usize> {
        let first = self.all_strips() + self.division.log_of_worker(level, worker) * logs_of(self.strip_bits);
        first..first + (1 << self.strip_bits)
    }

    /// The number of strips of all workers on a level.
    fn all_strips(&self) -> usize {
        self.division.workers() << self.strip_bits
    }

    /// The logs of a queue for what low children ask of the next level.
    pub fn lows(&self) -> Range<usize> {
        0..self.all_strips()
    }

    /// Those of the [`lows`](Self::lows) for the strips of `worker`.
    pub fn lows_of(&self, worker: usize) -> Range<usize> {
        worker << self.strip_bits..(worker + 1) << self.strip_bits
    }

    /// The log of a queue for the requests of `worker` on `level` while that is not the next level; `None` where there is one
    /// strip.
    pub fn far_log(&self, level: usize, worker: usize) -> Option<usize> {
        (self.strip_bits > 0).then(|| self.strips_of(level, worker).end)
    }

    /// The lane by which `level` is cut, and the ids that `worker` has there in its strip number `strip`; `None` where the level is
    /// cut by all lanes.
    pub fn ids_of(&self, level: usize, worker: usize, strip: usize) -> Option<(usize, Range<u64>)> {
        let cut = self.levels.get(level).filter(|cut| cut.here.count > 0)?;
        Some((cut.lane, cut.here.ids((worker << self.strip_bits) + strip)))
    }

    /// The log of a queue for a request with these `ids` on `level`; `near` if that is the next level or the one at hand.
    #[inline(always)]
    pub fn log_of<I: Lane>(&self, level: usize, ids: &[I], near: bool) -> usize {
        if self.levels.is_empty() {
            return self.log_of_strip(level, 0);
        }
        let strip = self.strip_of(level, ids);
        if near || self.strip_bits == 0 {
            self.log_of_strip(level, strip)
        } else {
            self.strips_of(level, strip >> self.strip_bits).end
        }
    }

    /// The log of a queue for a strip of `level`, numbered among those of all workers.
    #[inline(always)]
    pub fn log_of_strip(&self, level: usize, strip: usize) -> usize {
        self.strips_of(level, strip >> self.strip_bits).start + (strip & ((1 << self.strip_bits) - 1))
    }

    /// The strip of the first of `requests` on `level`, numbered among those of all workers, and how many requests from there on
    /// are in the same strip: mostly many are.
    #[inline]
    pub fn run_of<I: Lane, const N: usize>(&self, level: usize, requests: &[[I; N]]) -> (usize, usize) {
        let (Some(first), Some(cut)) = (requests.first(), self.levels.get(level)) else { return (0, requests.len()) };
        let strip = self.strip_of(level, &first[..N - 1]);
        // One of the lanes in any case, which the compiler does not know.
        let lane = cut.lane % N;
        let [here, below] = [cut.here, cut.below].map(|span| {
            let ids = span.ids(strip);
            (I::of(ids.start), I::of(ids.end - ids.start))
        });
        let is_outside = |request: &[I; N]| {
            let id = request[lane];
            (id.minus(here.0) >= here.1) & (id.minus(below.0) >= below.1)
        };
        // Mostly none is outside, and to see that takes no branch for each request.
        if !requests.iter().fold(false, |any, request| any | is_outside(request)) {
            return (strip, requests.len());
        }
        let ends = |request: &[I; N]| is_outside(request) && self.strip_of(level, &request[..N - 1]) != strip;
        (strip, requests.iter().position(ends).unwrap_or(requests.len()))
    }

    /// The strip of a request with these `ids` on `level`, numbered among those of all workers.
    #[inline(always)]
    fn strip_of<I: Lane>(&self, level: usize, ids: &[I]) -> usize {
        let cut = &self.levels[level];
        let id = ids[cut.lane].get();
        if let Some(strip) = cut.here.strip_of(id).or_else(|| cut.below.strip_of(id)) {
            return strip;
        }
        // Sixteen neighbouring ids hash alike, since they are read together. The factor is 2^64 divided by the golden ratio: it
        // scatters ids that have low bits in common.
        let all = ids.iter().fold(0u64, |all, id| all.rotate_left(23) ^ (id.get() >> 4));
        (((all.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * self.all_strips() as u64) >> 32) as usize
    }
}

/// Logs of a worker on a level: one for each strip, and one more if there are several.
const fn logs_of(strip_bits: u32) -> usize {
    if strip_bits == 0 { 1 } else { (1 << strip_bits) + 1 }
}

/// How the requests of a level are cut into strips: by one id's place among those of the level, or of the next one, or, if it is on
/// neither, by a hash of all ids.
#[derive(Clone, Copy, Debug, Default)]
struct Cut {
    lane: usize,
    here: Span,
    below: Span,
}

impl Cut {
    /// Cuts a level by the operand with the most ids on it. `here` and `below` give the first id and the number of ids of each
    /// operand on this level and on the next.
    fn of<const N: usize>(here: &[(u64, u64); N], below: &[(u64, u64); N], strips: u64) -> Self {
        let lane = (0..N).max_by_key(|&lane| (here[lane].1, std::cmp::Reverse(lane))).unwrap_or(0);
        match Span::of(here[lane], strips) {
            Some(here) => Self { lane, here, below: Span::of(below[lane], strips).unwrap_or_default() },
            None => Self::default(),
        }
    }
}

/// Consecutive ids, divided into strips of `each` ids; the last strips may have fewer. Or no ids.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first: u64,
    count: u64,
    /// Ids in a strip.
    each: u64,
    /// 2^64 - 1 divided by `each`.
    inverse: u64,
}

impl Span {
    /// The span of `count` ids from `first` on; `None` if these are too few for `strips` strips.
    fn of((first, count): (u64, u64), strips: u64) -> Option<Self> {
        let each = count.div_ceil(strips);
        (count >= LEAST * strips).then(|| Self { first, count, each, inverse: u64::MAX / each })
    }

    /// The strip of `id`, if it is in the span.
    #[inline(always)]
    fn strip_of(&self, id: u64) -> Option<usize> {
        let offset = id.wrapping_sub(self.first);
        (offset < self.count).then(|| {
            // Multiplying is cheaper than dividing; the result is too small by one at most.
            let strip = ((u128::from(offset) * u128::from(self.inverse)) >> 64) as u64;
            (strip + u64::from(offset - strip * self.each >= self.each)) as usize
        })
    }

    /// The ids of a strip.
    #[inline(always)]
    fn ids(&self, strip: usize) -> Range<u64> {
        let start = |strip: u64| self.first + (strip * self.each).min(self.count);
        start(strip as u64)..start(strip as u64 + 1)
    }
}

/// Ids a strip that a level must have to be cut by them.
const LEAST: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_in_its_slice_however_many_there_are() {
        for (count, strips) in [(64, 1), (129, 2), (193, 3), (1 << 33, 2), ((1 << 40) + 7, 3), (u64::MAX >> 3, 64)] {
            let span = Span::of((5, count), strips).expect("enough for each");
            assert!(span.strip_of(4).is_none() && span.strip_of(5 + count).is_none());
            let mut next = 5;
            for strip in 0..strips as usize {
                let ids = span.ids(strip);
                assert_eq!(ids.start, next);
                next = ids.end;
                for id in [ids.start, ids.start + (ids.end - ids.start) / 3, ids.end - 1] {
                    assert_eq!(span.strip_of(id), Some(strip), "{id} of {count} in {strips}");
                }
            }
            assert_eq!(next, 5 + count);
            assert!(Span::of((5, LEAST * strips - 1), strips).is_none());
        }
    }

    #[test]
    fn slices_give_every_log_as_many_ids_in_a_row() {
        let cases = [(2, 0), (3, 0), (1, 5), (2, 3), (5, 1), (1000, 0)];
        // With one id more than 64 for each strip, each gets 65, so that the last of a thousand strips have none.
        for ((workers, strips), few) in cases.into_iter().flat_map(|case| [(case, false), (case, true)]) {
            let logs = (workers as u64) << strips;
            let (count, each) = if few { (64 * logs + 1, 65) } else { (70 * logs - 1, 70) };
            // The second lane has most ids on the level, so it is the one that tells on the next level, too.
            let (here, below) = (1000 * logs, 500 * logs);
            let levels = [[(0, 0), (0, 0)], [(0, 9), (here, count)], [(0, 2 * count), (below, count)]];
            let slices = Slices::of(levels.into_iter(), Division::new(workers), strips);
            // The log as (worker, strip); far requests have the number after the last strip.
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
                    // Only the strip's ids of the level itself are read.
                    assert!(lane == 1 && ids.contains(&(id - first + here)), "{id} is not in {ids:?}");
                    assert_eq!(log(id, false), (worker, if strips > 0 { 1 << strips } else { strip }));
                    assert_eq!(slices.far_log(1, worker).is_some(), strips > 0);
                }
            }
            // Requests of one strip in a row go together; before the logs of all levels there is one for each strip.
            let ids = (here..here + count).chain([3, 3, 5000 * logs, below + 1]).chain(below..below + count);
            let mut left: Vec<_> = ids.map(|id| [7, id, 0]).collect();
            assert_eq!(slices.lows().end, slices.logs(0).start);
            let mut runs = 0;
            while !left.is_empty() {
                let (strip, run) = slices.run_of(1, &left);
                let others = left.split_off(run);
                assert!(
                    left.iter()
                        .all(|[lane, id, _]| slices.log_of(1, &[*lane, *id], true) == slices.log_of_strip(1, strip))
                );
                assert!(slices.lows_of(strip >> strips).contains(&strip));
                (left, runs) = (others, runs + 1);
            }
            assert!(runs <= 2 * logs + 3, "{runs} runs for {logs} logs");
            assert_eq!(slices.all_logs(2), slices.logs(1).end);
            // Ids on neither level are hashed.
            assert!((0..1000).all(|id| log(id, true).0 < workers && log(id, true).1 < 1 << strips));
            assert!((0..1000).any(|id| log(id, true) != log(0, true)));
        }
    }
}

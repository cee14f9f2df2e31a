//! `Pile`: the sorted requests of one worker on a level. That worker takes them from the front; a worker that has none left takes
//! the second half of the rest, so that it reads an operand in order, too.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::disk::{lane::Lane, sorter::Sorter};

/// Requests taken from the front at a time; more where the next ones have the same ids.
const TAKEN: usize = 1024;

/// Sorted requests, and the range that nobody has taken. Requests with the same ids are taken together.
pub struct Pile {
    sorter: Sorter,
    left: Mutex<Range<usize>>,
}

impl Pile {
    /// A pile of the `count` requests that `sorter` keeps.
    pub fn new(sorter: Sorter, count: usize) -> Self {
        Self { sorter, left: Mutex::new(0..count) }
    }

    /// The sorter, to be used again.
    pub fn into_sorter(self) -> Sorter {
        self.sorter
    }

    /// Some requests from the front.
    pub fn take_first<I: Lane, const N: usize>(&self) -> Option<&[[I; N]]> {
        self.take(|left, begins| {
            let at = (left.start + TAKEN..left.end).find(begins).unwrap_or(left.end);
            (left.start..at, at..left.end)
        })
    }

    /// About half of the requests that are left, from the back; all of them where few are left.
    pub fn take_half<I: Lane, const N: usize>(&self) -> Option<&[[I; N]]> {
        self.take(|left, begins| {
            let last = left.end - left.len().min(TAKEN.max(left.len() / 2));
            let at = (left.start + 1..=last).rev().find(begins).unwrap_or(left.start);
            (at..left.end, left.start..at)
        })
    }

    /// Takes the first of the two ranges that `cut` makes of the requests left, and leaves the second. `cut` is given the range of
    /// those left, and a test whether the request at an index has other ids than the one before.
    fn take<I: Lane, const N: usize>(
        &self,
        cut: impl Fn(&Range<usize>, &dyn Fn(&usize) -> bool) -> (Range<usize>, Range<usize>),
    ) -> Option<&[[I; N]]> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let requests = self.sorter.records(left.end);
        let begins = |&at: &usize| requests[at][..N - 1] != requests[at - 1][..N - 1];
        let (taken, rest) = cut(&left, &begins);
        *left = rest;
        Some(&requests[taken]).filter(|taken| !taken.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::disk::space::testing;

    /// Requests in reverse order; `runs` are the numbers of requests with the same id.
    fn requests(runs: impl Iterator<Item = u32>) -> Vec<[u32; 2]> {
        let sorted = (0..).zip(runs).flat_map(|(id, count)| (0..count).map(move |slot| [id, slot]));
        let mut requests: Vec<_> = sorted.collect();
        requests.reverse();
        requests
    }

    #[test]
    fn each_request_is_taken_once_and_those_that_agree_together() {
        let space = testing::space(1 << 24);
        let long = TAKEN as u32 * 3;
        let short = vec![3; 9 * TAKEN];
        let cases: [&[u32]; 6] = [&[], &[1], &[long], &[1, long, 1], &[long, 1, long, 7], &short];
        for runs in cases {
            let all = requests(runs.iter().copied());
            for backwards in 0..4 {
                let mut sorter = Sorter::default();
                sorter.keep(&all[..], 1, &space).expect("room");
                let pile = Pile::new(sorter, all.len());
                let mut taken = Vec::new();
                for turn in 0.. {
                    let half = turn % 4 < backwards;
                    let some = if half { pile.take_half() } else { pile.take_first() };
                    let Some(some): Option<&[[u32; 2]]> = some else { break };
                    let [first, last] = [some[0], some[some.len() - 1]].map(|[id, _]| id as usize);
                    // A whole number of runs.
                    assert_eq!(some.len() as u32, runs[first..=last].iter().sum::<u32>());
                    let longest = runs[first].max(runs[last]) as usize;
                    let left = all.len() - taken.len();
                    let most = if half { TAKEN.max(left / 2) } else { TAKEN } + longest;
                    assert!(some.len() < most, "{} at once of {left}", some.len());
                    taken.extend_from_slice(some);
                }
                taken.sort_unstable();
                assert!(taken.iter().eq(all.iter().rev()), "{runs:?}");
            }
        }
    }

    #[test]
    fn several_threads_take_everything_once() {
        let space = testing::space(1 << 24);
        let all = requests((0..40_000).map(|at| at % 5));
        let mut sorter = Sorter::default();
        sorter.keep(&all[..], 1, &space).expect("room");
        let pile = Pile::new(sorter, all.len());
        let take_all =
            |take: &dyn Fn() -> Option<Vec<[u32; 2]>>| std::iter::from_fn(take).flatten().collect::<Vec<_>>();
        let mut taken = thread::scope(|scope| {
            let others = [0; 3].map(|_| scope.spawn(|| take_all(&|| pile.take_half().map(<[_]>::to_vec))));
            let mut taken = take_all(&|| pile.take_first().map(<[_]>::to_vec));
            taken.extend(others.into_iter().flat_map(|other| other.join().expect("no panic")));
            taken
        });
        taken.sort_unstable();
        assert!(taken.iter().eq(all.iter().rev()));
    }
}

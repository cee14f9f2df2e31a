//! Which variables a renaming moves past others, and how to move these one by one.
//!
//! ```text
//!   variables   a b c d e      a, b, c and e stay in their order; d moves to the front
//!   names       1 2 3 0 4
//!   places      · a b c d e    before: a place for each, and a free one where each that moves will be
//!               d a b c · e    after
//! ```

use crate::model::LARGEST_VARIABLE;

/// A renaming by moves.
pub struct Moves {
    /// The place of each variable before the moves, top-down.
    pub before: Vec<u32>,
    /// The moves, each from a place to a place.
    pub steps: Vec<(u32, u32)>,
    /// The names at the occupied places after the moves, top-down.
    pub after: Vec<u32>,
}

/// What a place is for: a variable that moves away, one with this name that moves here, or one that stays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    From(usize),
    To(u32, usize),
    Stays(usize),
}

impl Moves {
    /// Moves that give the variables of a diagram, top-down, these `names`, which are all different; `stays` tells which variables
    /// do not move, and their names ascend. `None` where that takes more places than there are variables.
    pub fn of(names: &[u32], stays: &[bool]) -> Option<Self> {
        let moving = stays.iter().filter(|stays| !**stays).count();
        if names.len() + moving > LARGEST_VARIABLE as usize {
            return None;
        }
        // Each place with the number of staying variables above it.
        let mut places = Vec::with_capacity(names.len() + moving);
        let mut staying = Vec::with_capacity(names.len() - moving);
        for (at, &name) in names.iter().enumerate() {
            places.push((staying.len(), if stays[at] { Place::Stays(at) } else { Place::From(at) }));
            staying.extend(stays[at].then_some(name));
        }
        for (at, &name) in names.iter().enumerate().filter(|(at, _)| !stays[*at]) {
            places.push((staying.partition_point(|&other| other < name), Place::To(name, at)));
        }
        places.sort_unstable();
        let (mut before, mut to) = (vec![0; names.len()], vec![None; names.len()]);
        let mut after = Vec::with_capacity(names.len());
        for (place, (_, what)) in (0..).zip(places) {
            match what {
                Place::From(at) => before[at] = place,
                Place::To(name, at) => {
                    to[at] = Some(place);
                    after.push(name);
                }
                Place::Stays(at) => {
                    before[at] = place;
                    after.push(names[at]);
                }
            }
        }
        let steps = before.iter().zip(to).filter_map(|(&from, to)| Some((from, to?))).collect();
        Some(Self { before, steps, after })
    }
}

/// Which of `names`, all different, are in a longest ascending subsequence.
pub fn longest_ascending(names: &[u32]) -> Vec<bool> {
    // For every length the subsequence whose last name is smallest, and for every name the one before it.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::with_capacity(names.len()));
    for (at, name) in names.iter().enumerate() {
        let len = ends.partition_point(|&end| names[end] < *name);
        before.push(len.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(len) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut longest = vec![false; names.len()];
    let mut last = ends.last().copied();
    while let Some(at) = last {
        longest[at] = true;
        last = before[at];
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of `len` names.
    fn orders(len: u32) -> Vec<Vec<u32>> {
        let Some(last) = len.checked_sub(1) else { return vec![Vec::new()] };
        let with_last = |order: Vec<u32>| {
            (0..=order.len()).map(move |at| [&order[..at], &[last], &order[at..]].concat()).collect::<Vec<_>>()
        };
        orders(last).into_iter().flat_map(with_last).collect()
    }

    #[test]
    fn moves_bring_every_variable_to_its_name_and_every_other_stays_in_order() {
        let mut moved = 0;
        for len in 0..8 {
            for order in orders(len) {
                let names: Vec<u32> = order.iter().map(|name| 3 * name + 5).collect();
                let Some(Moves { before, steps, after }) = Moves::of(&names, &longest_ascending(&names)) else {
                    continue;
                };
                moved += usize::from(!steps.is_empty());
                assert!(before.is_sorted() && after.is_sorted(), "{names:?}");
                let mut places: Vec<(u32, u32)> = before.into_iter().zip(names.iter().copied()).collect();
                for (from, to) in steps {
                    assert!(places.iter().all(|(place, _)| *place != to), "{names:?}: a place that is taken");
                    places.iter_mut().find(|(place, _)| *place == from).expect("one that moves").0 = to;
                }
                places.sort_unstable();
                assert!(places.iter().map(|(_, name)| *name).eq(after), "{names:?}");
            }
        }
        assert!(moved > 100, "{moved}");
    }

    #[test]
    fn the_longest_ascending_subsequence_is_as_long_as_a_search_of_all_finds() {
        for order in orders(7) {
            let slowly = (0u32..1 << 7)
                .filter(|set| {
                    let some: Vec<u32> = (0..7).filter(|at| set >> at & 1 == 1).map(|at| order[at]).collect();
                    some.is_sorted()
                })
                .map(u32::count_ones)
                .max();
            let longest = longest_ascending(&order);
            let some: Vec<u32> = order.iter().zip(&longest).filter(|(_, is)| **is).map(|(name, _)| *name).collect();
            assert!(some.is_sorted());
            assert_eq!(Some(some.len() as u32), slowly, "{order:?}");
        }
    }
}

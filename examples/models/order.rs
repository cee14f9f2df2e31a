//! An order of variables in which those of a clause are close to each other.

use std::mem;

use super::dimacs::Clause;

/// A round brings the reach of all clauses down by more than one part in this many, or is the last.
const LEAST: u64 = 256;

/// The place of each of `variables` variables, by FORCE: again and again, each goes to the middle of the clauses that it
/// is in, while the clauses together reach less far. Starts with the order of the numbers, or with that in which a walk
/// through the clauses meets them: where clauses are local but numbered at random, the middles alone come to no end.
///
/// After: F. Aloul, I. Markov, K. Sakallah, "FORCE: A Fast and Easy-To-Implement Variable-Ordering Heuristic", 2003.
pub fn force(clauses: &[Clause], variables: u32) -> Vec<u32> {
    let given: Vec<u32> = (0..variables).collect();
    let met = places_in(walk_through(clauses, &given));
    let with_reach = |places: Vec<u32>| (reach_of(clauses, &places), places);
    // Of two that reach as far, that of the numbers is the least.
    let (mut reach, mut places) = with_reach(met).min(with_reach(given));
    loop {
        let (less, moved) = with_reach(moved(clauses, &places));
        if less >= reach - reach / LEAST {
            return places;
        }
        (reach, places) = (less, moved);
    }
}

/// All variables in the order in which a walk through clauses meets them, from one end of what belongs together to the
/// other; `given` are all variables in any order.
fn walk_through(clauses: &[Clause], given: &[u32]) -> Vec<u32> {
    let mut having = vec![Vec::new(); given.len()];
    for (at, clause) in clauses.iter().enumerate() {
        for &(variable, _) in clause {
            having[variable as usize].push(at);
        }
    }
    // Breadth-first, from the first of `starts` that has not been met, whenever nothing else is left.
    let walk = |starts: &[u32]| {
        let (mut is_met, mut is_done) = (vec![false; given.len()], vec![false; clauses.len()]);
        let (mut met, mut left) = (Vec::with_capacity(given.len()), 0);
        let mut is_new = |variable: &u32| !mem::replace(&mut is_met[*variable as usize], true);
        for start in starts {
            met.extend(Some(*start).filter(&mut is_new));
            while let Some(&variable) = met.get(left) {
                left += 1;
                for &clause in &having[variable as usize] {
                    if !mem::replace(&mut is_done[clause], true) {
                        met.extend(clauses[clause].iter().map(|literal| literal.0).filter(&mut is_new));
                    }
                }
            }
        }
        met
    };
    // The last variable that a walk meets is at an end.
    let mut met = walk(given);
    met.reverse();
    walk(&met)
}

/// The place of each variable where they come in this `order`.
fn places_in(order: Vec<u32>) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, variable) in (0..).zip(order) {
        places[variable as usize] = place;
    }
    places
}

/// The levels that all clauses together reach over.
fn reach_of(clauses: &[Clause], places: &[u32]) -> u64 {
    let reach = |clause: &Clause| {
        let places = || clause.iter().map(|&(variable, _)| places[variable as usize]);
        Some(u64::from(places().max()? - places().min()?))
    };
    clauses.iter().filter_map(reach).sum()
}

/// The places of all variables when each has gone to the middle of its clauses.
fn moved(clauses: &[Clause], places: &[u32]) -> Vec<u32> {
    // For each variable the sum of the middles of its clauses, and their number.
    let mut pulls = vec![(0.0, 0.0); places.len()];
    for clause in clauses {
        let sum: f64 = clause.iter().map(|&(variable, _)| f64::from(places[variable as usize])).sum();
        for &(variable, _) in clause {
            let pull = &mut pulls[variable as usize];
            *pull = (pull.0 + sum / clause.len() as f64, pull.1 + 1.0);
        }
    }
    let wanted = |&(variable, (sum, count)): &(u32, (f64, f64))| {
        if count > 0.0 { sum / count } else { f64::from(places[variable as usize]) }
    };
    let mut order: Vec<_> = (0..).zip(pulls).collect();
    order.sort_by(|a, b| wanted(a).total_cmp(&wanted(b)));
    places_in(order.into_iter().map(|(variable, _)| variable).collect())
}

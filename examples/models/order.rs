//! An order of variables in which those of a clause are close to each other.

use super::dimacs::Clause;

/// The place of each of `variables` variables, by FORCE: again and again, each goes to the middle of the clauses that it
/// is in, until the clauses together reach no less far. Starts with the order of the numbers.
///
/// After: F. Aloul, I. Markov, K. Sakallah, "FORCE: A Fast and Easy-To-Implement Variable-Ordering Heuristic", 2003.
pub fn force(clauses: &[Clause], variables: u32) -> Vec<u32> {
    let mut places: Vec<u32> = (0..variables).collect();
    let mut reach = reach_of(clauses, &places);
    loop {
        let moved = moved(clauses, &places);
        let moved_reach = reach_of(clauses, &moved);
        if moved_reach >= reach {
            return places;
        }
        (places, reach) = (moved, moved_reach);
    }
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
    let mut moved = vec![0; places.len()];
    (0..).zip(order).for_each(|(place, (variable, _))| moved[variable as usize] = place);
    moved
}

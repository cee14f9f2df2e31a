//! Rounds in which neighbours among the variables change places.
//!
//! ```text
//!   names       2 3 0 1
//!   round 1     2 0 3 1      every pair that is in the wrong order, from the top, each variable in one pair at most
//!   round 2     0 2 1 3
//!   round 3     0 1 2 3
//! ```

/// Rounds after which the names are in order. A round is the levels, counted from the top, that change places with the one below.
#[derive(Debug)]
pub struct Rounds {
    /// The names of the variables, top-down, before the next round.
    names: Vec<u32>,
}

impl Rounds {
    /// Rounds for the variables of a diagram, top-down, with these `names`; `None` where there are more than `most`.
    pub fn of(names: &[u32], most: usize) -> Option<Self> {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_unstable_by_key(|&at| names[at]);
        // A round moves a variable by one place at most.
        if order.iter().enumerate().any(|(to, at)| at.abs_diff(to) > most) {
            return None;
        }
        let all = || Self { names: names.to_vec() };
        all().nth(most).is_none().then(all)
    }
}

impl Iterator for Rounds {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let (mut round, mut level) = (Vec::new(), 1);
        while level < self.names.len() {
            if self.names[level - 1] > self.names[level] {
                self.names.swap(level - 1, level);
                round.push(level - 1);
                level += 1;
            }
            level += 1;
        }
        Some(round).filter(|round| !round.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn after_all_rounds_the_names_are_in_order_and_nobody_is_in_two_pairs() {
        let mut random = Rng::with_seed(1);
        for turn in 0..2000 {
            let len = turn % 12;
            let mut names: Vec<u32> = (0..len).map(|at| 3 * at).collect();
            random.shuffle(&mut names);
            let all = Rounds::of(&names, 2 * names.len()).expect("as many as there are variables, twice, will do");
            let rounds: Vec<_> = all.collect();
            for most in 0..2 * names.len() {
                assert_eq!(Rounds::of(&names, most).is_some(), rounds.len() <= most, "{names:?}");
            }
            for round in rounds {
                assert!(!round.is_empty() && round.windows(2).all(|two| two[0] + 1 < two[1]), "{round:?}");
                for level in round {
                    assert!(names[level] > names[level + 1]);
                    names.swap(level, level + 1);
                }
            }
            assert!(names.is_sorted());
        }
    }
}

//! Ways to rename variables that change their order.

use super::{
    moves::{Moves, longest_ascending},
    rounds::Rounds,
};

/// How to bring the variables of a diagram into the order of their new names.
pub enum Way {
    /// Neighbours change places, round by round.
    Rounds(Rounds),
    /// One after another moves past others.
    Moves(Moves),
    /// All at once, by nested sweeps.
    Nested,
}

impl Way {
    /// The way that probably takes least time for variables that are to get these `names`, top-down and all different.
    ///
    /// A round counts as much as a nested sweep for one variable, and three quarters of a move. There is a nested sweep for each
    /// variable that comes to lie below one that was below it.
    pub fn of(names: &[u32]) -> Self {
        let stays = longest_ascending(names);
        let (moving, passed) = (stays.iter().filter(|stays| !**stays).count(), passed(names));
        if let Some(rounds) = Rounds::of(names, moving.min(passed)) {
            return Self::Rounds(rounds);
        }
        let moves = if 2 * moving > passed { None } else { Moves::of(names, &stays) };
        moves.map_or(Self::Nested, Self::Moves)
    }
}

/// The number of variables that come to lie below one that was below them.
fn passed(names: &[u32]) -> usize {
    let (mut least, mut passed) = (u32::MAX, 0);
    for &name in names.iter().rev() {
        passed += usize::from(least < name);
        least = least.min(name);
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_that_with_least_to_do() {
        let way = |name: &dyn Fn(u32) -> u32| {
            let names: Vec<u32> = (0..32).map(name).collect();
            match Way::of(&names) {
                Way::Rounds(rounds) => ("rounds", rounds.count()),
                Way::Moves(moves) => ("moves", moves.steps.len()),
                Way::Nested => ("nested", 0),
            }
        };
        assert_eq!(way(&|variable| variable), ("rounds", 0));
        assert_eq!(way(&|variable| variable ^ 1), ("rounds", 1));
        assert_eq!(way(&|variable| variable ^ 2), ("rounds", 3));
        assert_eq!(way(&|variable| if variable < 2 { 1 - variable } else { variable }), ("rounds", 1));
        assert_eq!(way(&|variable| (variable + 1) % 32), ("moves", 1));
        assert_eq!(way(&|variable| (variable + 2) % 32), ("moves", 2));
        assert_eq!(way(&|variable| 31 - variable), ("nested", 0));
    }
}

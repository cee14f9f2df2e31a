//! `validate`: whether a diagram keeps every invariant, for one that was read from a named file or has been kept for long.
//!
//! One pass over the nodes checks levels, arcs and their order ([`file::check`](crate::file::check)); a walk checks where the low
//! arcs end; and one expand sweep from the root, which counts the nodes it meets, checks that it meets them all. A diagram that
//! passes is the canonical one of its function: the levels below any node are a diagram of the same kind, so by induction no two
//! nodes stand for one function, and the order of nodes leaves no choice.

use super::{run::Run, search::find, spec::Spec};
use crate::{
    disk::lane::Lane,
    error::Result,
    file::{
        check::{broken, check_file},
        node_file::NodeFile,
        walk::Walk,
    },
    model::{FALSE, TERMINALS},
};

/// Checks every invariant of `file`.
///
/// # Errors
/// `BrokenInvariant`, and those of the disk and the budget.
pub fn validate(file: &NodeFile, run: &mut Run<'_>) -> Result<()> {
    check_file(file, run.space)?;
    check_paths(file, run)
}

/// Checks invariants 5 and 6 of a file that keeps the others.
///
/// # Errors
/// `BrokenInvariant`, and those of the disk and the budget.
pub fn check_paths(file: &NodeFile, run: &mut Run<'_>) -> Result<()> {
    let root = file.root();
    let (mut id, mut walk) = (root, Walk::of(file));
    while id >= TERMINALS {
        [id, _] = walk.children(id)?;
    }
    if id != FALSE {
        return broken(6, root, "true at the end of its low arcs");
    }
    if root == FALSE {
        return Ok(());
    }
    let before = run.counters.unreduced;
    find(&Visit, &[file], run)?;
    if run.counters.unreduced - before == file.node_count() {
        Ok(())
    } else {
        broken(5, root, "nodes beside it that it does not lead to")
    }
}

/// A search that never finds anything: it meets every node and writes none.
struct Visit;

impl Spec<2> for Visit {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut [I; 2]) -> Option<bool> {
        (request[0].get() < TERMINALS).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        disk::space::{Space, testing},
        error::Error,
        file::writer::NodeWriter,
        sweep::{desk::Desks, team::Team},
    };

    /// A file of `levels`, pairs of a variable and its nodes, whatever they break.
    fn file_of(levels: &[(u32, &[[u64; 2]])], space: &Space) -> NodeFile {
        let mut writer = NodeWriter::<u64>::new(space).expect("room");
        for (variable, nodes) in levels {
            for &[low, high] in *nodes {
                writer.push(low, high, space).expect("room");
            }
            writer.end_level(*variable);
        }
        writer.seal(space).expect("room")
    }

    #[test]
    fn a_file_that_breaks_an_invariant_is_refused_by_its_number() {
        let spaces = [1 << 30, 1].map(|narrow_ids| testing::space_with(|limits| limits.narrow_ids = narrow_ids));
        for (expected, levels) in [
            (None, &[][..]),
            (None, &[(9, &[[0, 1], [1, 0]][..]), (3, &[[2, 3]])]),
            (Some(2), &[(9, &[[0, 1], [1, 0]]), (3, &[[2, 4]])]),
            (Some(3), &[(9, &[[0, 1], [1, 1]]), (3, &[[2, 3]])]),
            (Some(3), &[(9, &[[0, 1], [0, 1]]), (3, &[[2, 3]])]),
            (Some(4), &[(9, &[[1, 0], [0, 1]]), (3, &[[2, 3]])]),
            (Some(5), &[(9, &[[0, 1], [1, 0]])]),
            (Some(5), &[(9, &[[0, 1], [1, 0]]), (3, &[[0, 3]])]),
            (Some(6), &[(9, &[[0, 1], [1, 0]]), (3, &[[3, 2]])]),
        ] {
            for (space, other) in [(&spaces[0], &spaces[1]), (&spaces[1], &spaces[0])] {
                let file = file_of(levels, space);
                let found = [space, other].map(|space| {
                    match validate(
                        &file,
                        &mut Run::new("validate", space, &Team::default(), Desks::new(1).turn(false), None),
                    ) {
                        Ok(()) => None,
                        Err(Error::BrokenInvariant { invariant, .. }) => Some(invariant),
                        Err(other) => panic!("{other}"),
                    }
                });
                // Under other limits the ids have the wrong width.
                let elsewhere = if levels.is_empty() { None } else { Some(7) };
                assert_eq!(found, [expected, elsewhere], "{levels:?}");
            }
        }
    }
}

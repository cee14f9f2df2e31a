//! Whether nodes and levels keep the invariants that [`model`](crate::model) numbers.
//!
//! Nodes that are not trusted, because they come from a named file or have been on a disk for long, are shown to these checks in
//! the order in which they are stored. Two invariants need more than that, 5 a sweep and 6 a walk: see `sweep::validate`.

use twox_hash::XxHash3_128;

use super::node_file::{NodeFile, Width};
use crate::{
    disk::space::Space,
    error::{Error, Result},
    model::{LARGEST_VARIABLE, TERMINALS},
};

/// The error of a broken invariant.
pub fn broken<T>(invariant: u8, node: u64, what: &'static str) -> Result<T> {
    Err(Error::BrokenInvariant { invariant, node, what })
}

/// Checks a level table: pairs of a variable and a number of nodes, bottom-up, for `nodes` nodes in all.
///
/// # Errors
/// `BrokenInvariant` 1, 2 or 5.
pub fn check_levels(levels: impl IntoIterator<Item = (u64, u64)>, nodes: u64) -> Result<()> {
    let (mut first, mut above, mut top) = (TERMINALS, u64::from(LARGEST_VARIABLE) + 1, 1);
    for (variable, count) in levels {
        if variable >= above {
            return broken(2, first, "a variable that is out of order or out of range");
        }
        (above, top) = (variable, count);
        match first.checked_add(count) {
            Some(end) if count > 0 && end - TERMINALS <= nodes => first = end,
            _ => return broken(1, first, "a level that is empty or has more nodes than there are"),
        }
    }
    if first - TERMINALS != nodes {
        return broken(1, first, "no level");
    }
    if top == 1 { Ok(()) } else { broken(5, first - 1, "another root beside it") }
}

/// Checks nodes that are shown level by level, in the order of their ids.
#[derive(Debug)]
pub struct NodeCheck {
    /// The first id of the level at hand.
    first: u64,
    /// The id of the next node.
    next: u64,
    /// The children of the node before it; on a new level, a pair that comes before all others.
    last: [u64; 2],
}

impl NodeCheck {
    /// Before the first level.
    pub fn new() -> Self {
        Self { first: TERMINALS, next: TERMINALS, last: [0, 0] }
    }

    /// Goes up to the next level.
    pub fn begin_level(&mut self) {
        (self.first, self.last) = (self.next, [0, 0]);
    }

    /// Checks the next node of the level.
    ///
    /// # Errors
    /// `BrokenInvariant` 2, 3 or 4.
    #[inline(always)]
    pub fn node(&mut self, children: [u64; 2]) -> Result<()> {
        let [low, high] = children;
        if low.max(high) >= self.first || low == high || children <= self.last {
            return self.refuse(children);
        }
        self.last = children;
        self.next += 1;
        Ok(())
    }

    #[cold]
    fn refuse(&self, children: [u64; 2]) -> Result<()> {
        let [low, high] = children;
        let (invariant, what) = if low.max(high) >= self.first {
            (2, "a child that is not below it")
        } else if low == high {
            (3, "two equal children")
        } else if children == self.last {
            (3, "the children of the node before it")
        } else {
            (4, "smaller children than the node before it")
        };
        broken(invariant, self.next, what)
    }
}

/// Checks all of a sealed file but invariants 5 and 6, in one pass over it.
///
/// # Errors
/// `BrokenInvariant`, and `Io` where nodes cannot be read.
pub fn check_file(file: &NodeFile, space: &Space) -> Result<()> {
    let (levels, nodes) = (file.levels(), file.node_count());
    if nodes == 0 {
        return Ok(());
    }
    if (file.width() == Width::Narrow) != (nodes < space.limits.narrow_ids) {
        return broken(7, file.root(), "an id of another width");
    }
    check_levels((1..).zip(file.variables()).map(|(rank, variable)| (variable.into(), levels.width(rank))), nodes)?;

    let mut check = NodeCheck::new();
    let (mut id, mut rank) = (0, 0);
    let mut step = |children: [u64; 2]| {
        if id == levels.range(rank).end {
            rank += 1;
            check.begin_level();
        }
        id += 1;
        match rank {
            0 if children != [id - 1; 2] => broken(1, id - 1, "children, being a terminal"),
            0 => Ok(()),
            _ => check.node(children),
        }
    };
    let mut hash = XxHash3_128::new();
    file.visit_words(|words| {
        hash.write(bytemuck::cast_slice(words));
        match file.width() {
            Width::Narrow => {
                let nodes = bytemuck::cast_slice::<_, [u32; 2]>(words);
                nodes.iter().try_for_each(|node| step(node.map(u64::from)))
            }
            Width::Wide => bytemuck::cast_slice::<_, [u64; 2]>(words).iter().try_for_each(|&node| step(node)),
        }
    })?;
    if file.hash_with(hash) == file.hash() { Ok(()) } else { broken(8, file.root(), "another hash than its bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invariant(outcome: &Result<()>) -> Option<(u8, u64)> {
        match outcome {
            Ok(()) => None,
            Err(Error::BrokenInvariant { invariant, node, .. }) => Some((*invariant, *node)),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn every_fault_of_a_level_table_is_named() {
        let largest = u64::from(LARGEST_VARIABLE);
        for (levels, nodes, expected) in [
            (vec![], 0, None),
            (vec![(largest, 1)], 1, None),
            (vec![(7, 5), (3, 2), (0, 1)], 8, None),
            (vec![], 1, Some((1, 2))),
            (vec![(7, 1)], 2, Some((1, 3))),
            (vec![(7, 2)], 1, Some((1, 2))),
            (vec![(7, 0), (6, 1)], 1, Some((1, 2))),
            (vec![(7, 1), (6, u64::MAX)], u64::MAX, Some((1, 3))),
            (vec![(largest + 1, 1)], 1, Some((2, 2))),
            (vec![(7, 5), (7, 1)], 6, Some((2, 7))),
            (vec![(7, 5), (8, 1)], 6, Some((2, 7))),
            (vec![(7, 2)], 2, Some((5, 3))),
        ] {
            assert_eq!(invariant(&check_levels(levels.clone(), nodes)), expected, "{levels:?}");
        }
    }

    #[test]
    fn every_fault_of_a_node_is_named() {
        for (levels, expected) in [
            (vec![vec![[0, 1], [1, 0]], vec![[0, 2], [0, 3], [2, 1]]], None),
            (vec![vec![[0, 2]]], Some((2, 2))),
            (vec![vec![[0, 1]], vec![[0, 2], [3, 0]]], Some((2, 4))),
            (vec![vec![[0, 1]], vec![[u64::MAX, 0]]], Some((2, 3))),
            (vec![vec![[0, 0]]], Some((3, 2))),
            (vec![vec![[0, 1]], vec![[2, 2]]], Some((3, 3))),
            (vec![vec![[0, 1], [0, 1]]], Some((3, 3))),
            (vec![vec![[1, 0], [0, 1]]], Some((4, 3))),
        ] {
            let mut check = NodeCheck::new();
            let outcome = levels.iter().try_for_each(|level: &Vec<[u64; 2]>| {
                check.begin_level();
                level.iter().try_for_each(|&node| check.node(node))
            });
            assert_eq!(invariant(&outcome), expected, "{levels:?}");
        }
    }
}

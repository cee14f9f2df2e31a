//! `Cubes`: the paths to true one after another, and assignments as paths that stop at every variable of a domain.
//!
//! ```text
//!   path     x0=0     x3=1     x7=0  ─► true            next: drop what is done with from the end (x7, x3),
//!   others  node 9    done     done                     turn the last literal whose other child still waits (x0=1),
//!                                                       and go down from that child (node 9) to true
//! ```
//! A reduced diagram has no dead ends: every node but the terminal false leads to true. So the way down only avoids that
//! terminal, and nothing of a diagram is remembered but one path.

use std::{fmt, iter::FusedIterator};

use super::Bdd;
use crate::{
    error::Result,
    file::walk::Walk,
    model::{Cube, TERMINALS, value_in},
};

/// The cubes of a function in lexicographic order; see [`Bdd::cubes`] and [`Bdd::assignments`].
///
/// Holds the diagram, one path (16 to 32 bytes a literal), the domain (4 to 8 bytes a variable), and, if the diagram is on disk,
/// up to 2 MiB of it. Like the cubes it gives, these are the caller's and not charged to the store's budget.
///
/// An item is an error where the disk failed; none comes after it.
pub struct Cubes {
    bdd: Bdd,
    walk: Walk,
    /// Whether the high child comes first where both children lead to true.
    high_first: HighFirst,
    /// The variables that every cube names; `None` where it names those on its path.
    domain: Option<Vec<u32>>,
    path: Cube,
    /// For every literal of `path`, the child it does not lead to; false if nothing more comes from that child.
    others: Vec<u64>,
    /// The node where the next cube goes on after `path`; `None` when there is no next cube.
    ahead: Option<u64>,
}

/// Bytes of a diagram on disk that are kept: the next cube mostly goes on from low on the path.
const KEPT: usize = 2 << 20;

/// Chooses between the children of a node.
pub(super) type HighFirst = fn([u64; 2]) -> bool;

impl Cubes {
    pub(super) fn new(bdd: &Bdd, domain: Option<Vec<u32>>, high_first: HighFirst) -> Self {
        let (bdd, walk) = (bdd.clone(), Walk::keeping(KEPT, &bdd.file));
        let (path, others) = (Vec::new(), Vec::new());
        let mut cubes = Self { bdd, walk, high_first, domain, path, others, ahead: None };
        cubes.ahead = Some(cubes.bdd.file.root()).filter(|&root| root != cubes.dead());
        cubes
    }

    /// Goes on to the first cube that does not come before `first`, in which variables that it does not name are false. Low
    /// children come first.
    pub(super) fn seek(&mut self, first: &[(u32, bool)]) -> Result<()> {
        let Some(mut id) = self.ahead.take() else { return Ok(()) };
        while let Some(variable) = self.next_variable(id) {
            let value = value_in(first, variable).unwrap_or(false);
            let children = self.cofactors(id, variable)?;
            self.path.push((variable, value));
            self.others.push(if value { self.dead() } else { children[1] });
            id = children[usize::from(value)];
            if id == self.dead() {
                self.ahead = self.turn();
                return Ok(());
            }
        }
        self.ahead = Some(id);
        Ok(())
    }

    /// The id of the terminal where the function is false.
    fn dead(&self) -> u64 {
        u64::from(self.bdd.complement)
    }

    /// Extends `path` from `id` to true.
    fn descend(&mut self, mut id: u64) -> Result<()> {
        while let Some(variable) = self.next_variable(id) {
            let children = self.cofactors(id, variable)?;
            let value = match children.map(|child| child == self.dead()) {
                [true, _] => true,
                [_, true] => false,
                _ => (self.high_first)(children),
            };
            self.path.push((variable, value));
            self.others.push(children[usize::from(!value)]);
            id = children[usize::from(value)];
        }
        Ok(())
    }

    /// The next variable of `path`, which has come to `id`.
    fn next_variable(&self, id: u64) -> Option<u32> {
        match &self.domain {
            Some(domain) => domain.get(self.path.len()).copied(),
            None => self.variable(id),
        }
    }

    /// The variable of a node, `None` of a terminal.
    fn variable(&self, id: u64) -> Option<u32> {
        let file = &self.bdd.file;
        (id >= TERMINALS).then(|| file.variable_of(id))
    }

    /// The cofactors of `id` where `variable` is false and where it is true; both are `id` where it does not test that variable.
    fn cofactors(&mut self, id: u64, variable: u32) -> Result<[u64; 2]> {
        if self.variable(id) != Some(variable) {
            return Ok([id, id]);
        }
        self.walk.children(id)
    }

    /// Turns the last literal of `path` whose other child still waits; returns that child.
    fn turn(&mut self) -> Option<u64> {
        let dead = self.dead();
        let last = self.others.iter().rposition(|&other| other != dead)?;
        self.path.truncate(last + 1);
        self.others.truncate(last + 1);
        self.path[last].1 = !self.path[last].1;
        Some(std::mem::replace(&mut self.others[last], dead))
    }
}

impl Iterator for Cubes {
    type Item = Result<Cube>;

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.ahead.take()?;
        if let Err(error) = self.descend(id) {
            return Some(Err(error));
        }
        let cube = self.path.clone();
        self.ahead = self.turn();
        Some(Ok(cube))
    }
}

impl FusedIterator for Cubes {}

impl fmt::Debug for Cubes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cubes").field("bdd", &self.bdd).field("path", &self.path).finish_non_exhaustive()
    }
}

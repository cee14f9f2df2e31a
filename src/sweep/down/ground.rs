//! What the workers of an expand sweep share: operands, levels, and how these are divided.

use std::sync::Arc;

use super::slices::Slices;
use crate::{
    disk::{lane::Lane, queue::LevelQueue, space::Space},
    error::Result,
    file::{level_map::LevelMap, node_file::NodeFile},
    sweep::division::Division,
};

/// How far a sweep goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until it has made more than this many nodes: the caller then gives the result up.
    Beyond(u64),
    /// Until any slot leads to true: a search. No arcs are written.
    True,
}

impl Until {
    /// To the end: no sweep makes so many nodes.
    pub const DONE: Self = Self::Beyond(u64::MAX);
}

/// What the workers of a sweep share and do not change.
pub struct Ground<'a, S, const N: usize> {
    /// The operation.
    pub spec: &'a S,
    /// Memory and disk.
    pub space: &'a Space,
    /// The diagrams that it reads.
    pub operands: &'a [&'a NodeFile],
    /// For each operand, a map from its ids to levels of the sweep; terminals are below all levels.
    pub maps: &'a [Arc<LevelMap>],
    /// The variables of all operands, top-down.
    pub variables: &'a [u32],
    /// When it ends.
    pub until: Until,
}

impl<S, const N: usize> Clone for Ground<'_, S, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, const N: usize> Copy for Ground<'_, S, N> {}

impl<S, const N: usize> Ground<'_, S, N> {
    /// How every level is divided among the workers of `division`, each with `1 << strip_bits` strips.
    ///
    /// A level is cut by the ids of an operand that is too wide there to be read at random, if there is one, so that each strip
    /// reads only a part of it.
    pub fn slices(&self, division: Division, strip_bits: u32) -> Slices {
        let window = window_of::<N>(self.space) as u64;
        let mut ranks: [_; N] =
            std::array::from_fn(|at| self.operands.get(at).map_or(0, |file| file.levels().ranks() - 1));
        let levels = self.variables.iter().map(|variable| {
            let lanes: [_; N] = std::array::from_fn(|at| {
                let (Some(file), rank) = (self.operands.get(at), &mut ranks[at]) else { return (0, 0, false) };
                if *rank == 0 || file.variable(*rank) != *variable {
                    return (0, 0, false);
                }
                let (first, width) = (file.levels().first(*rank), file.levels().width(*rank));
                *rank -= 1;
                // A file that is several operands at once stands for sets of its ids, the largest first: the first of a set is
                // seldom among the lower ids, so cuts by it would be uneven.
                let several = self.operands.iter().filter(|other| other.is(file)).count() > 1;
                let count = if several { 0 } else { width };
                (first, count, at > 0 && file.window_bytes(count) > window)
            });
            let any_deferred = lanes.iter().any(|lane| lane.2);
            lanes.map(|(first, count, deferred)| (first, if deferred || !any_deferred { count } else { 0 }))
        });
        Slices::of(levels, division, strip_bits)
    }

    /// Nodes of all operands, each file counted once.
    pub fn nodes(&self) -> u64 {
        distinct(self.operands).map(NodeFile::node_count).sum()
    }

    /// Whether most nodes of the operands are on levels too small to be shared.
    pub fn is_mostly_small(&self) -> bool {
        let levels = distinct(self.operands).map(NodeFile::levels);
        let widths = levels.flat_map(|levels| (1..levels.ranks()).map(|rank| levels.width(rank)));
        let small: u64 = widths.filter(|&width| width <= self.space.limits.alone).sum();
        2 * small > self.nodes()
    }

    /// The binary logarithm of the number of strips that each of `workers` workers needs for every strip to be read at random.
    pub fn window_strip_bits(&self, workers: usize) -> u32 {
        let widest = |file: &&NodeFile| {
            let widest = (1..file.levels().ranks()).map(|rank| file.levels().width(rank)).max();
            file.window_bytes(widest.unwrap_or(0))
        };
        let bytes = self.operands.iter().skip(1).map(widest).max().unwrap_or(0);
        let windows = bytes.div_ceil((workers * window_of::<N>(self.space)).max(1) as u64);
        windows.max(1).next_power_of_two().ilog2()
    }

    /// A queue for all levels.
    pub fn queue<I: Lane>(&self, slices: &Slices) -> Result<LevelQueue<I, N>> {
        LevelQueue::new(slices.all_logs(self.variables.len()), self.space)
    }
}

/// The files among `operands`, each once.
pub fn distinct<'a>(operands: &'a [&'a NodeFile]) -> impl Iterator<Item = &'a NodeFile> {
    let first = |at: &usize| !operands[..*at].iter().any(|other| other.is(operands[*at]));
    (0..operands.len()).filter(first).map(|at| operands[at])
}

/// Bytes of the window on each operand that is read at random.
pub fn window_of<const N: usize>(space: &Space) -> usize {
    space.limits.window / (N - 2).max(1)
}

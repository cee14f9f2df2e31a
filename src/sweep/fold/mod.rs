//! `fold`: a top-down sweep that carries values along the arcs; what arrives at a terminal is the answer.
//!
//! ```text
//!              the diagram, level by level from the top
//!                    │ children
//!   ┌─► LevelQueue ──┴─► scatter ─► merge what arrived at a node ─┬─► along its two arcs ─► the terminal: arrive
//!   │     values         or sort                   ╎              │
//!   └──────────────────────────────────────────────╎──────────────┘
//!                                                  ╎ where a path is asked for
//!                                               trail ─ ─ ─ ─► trace: the way back
//! ```
//! A [`Load`] says what is carried: numbers ([`count`], [`taken`], [`sample`]), which may be weights ([`weights`]), or costs
//! ([`optimum`]). [`optimum`] and [`sample`] end in paths, and [`taken`] asks of every arc what comes after it, so they keep a
//! trail of the arcs by which the values came, and [`trace`] follows it from the terminal up.
//!
//! Where the next level fits an array, its values go there at once; where a whole small diagram does, all values do.
//!
//! Cost: the value of an arc that skips levels, or leads to a level that fits no array, is pushed, sorted or scattered, and popped
//! once; O(sort(f)) transfers. Memory: the budget's share for the queue, and two levels' arrays.
//!
//! After: S. C. Sølvsten et al., "Efficient Binary Decision Diagram Manipulation in External Memory", 2021 (counting).

pub mod arithmetic;
pub mod count;
mod exact;
pub mod float;
pub mod literals;
pub mod optimum;
pub mod real;
mod residues;
pub mod sample;
mod scaled;
mod taken;
mod trace;
pub mod weighted;
pub mod weights;

use std::mem;

use super::run::Run;
use crate::{
    disk::{limits::SMALL_NODES, queue::LevelQueue, sorter::Sorter, space::Space, spool::Spool, words::Words},
    error::Result,
    file::{level_map::LevelMap, node_file::NodeFile, reader::LevelReader},
    model::TERMINALS,
    progress::Sweep,
};

/// What a fold carries: records of the id of a node and `N - 1` lanes of value.
pub trait Load<const N: usize> {
    /// The name of the sweep, for progress.
    const SWEEP: Sweep;
    /// How many lanes the values that arrive on a level are sorted by. The id is the first; more only where the result depends on
    /// the order in which the values of one node are merged, or a trail is kept. Where it does not, nothing is sorted if a level's
    /// values fit the budget.
    const KEYS: usize;

    /// The value that the root starts with; its id is filled in.
    fn root(&self) -> [u64; N];

    /// Notes the first value that arrives at a node.
    fn open(&mut self, _first: &[u64; N], _space: &Space) -> Result<()> {
        Ok(())
    }

    /// Merges another value that arrives at the same node into `whole`.
    fn merge(&mut self, whole: &mut [u64; N], next: &[u64; N], space: &Space) -> Result<()>;

    /// The value that a node which has gathered `whole` sends along `arc`; the child's id is filled in.
    fn send(&mut self, whole: &[u64; N], arc: Arc) -> [u64; N];

    /// Takes a value that arrives at the terminal.
    fn arrive(&mut self, value: &[u64; N], space: &Space) -> Result<()>;

    /// Whether the sweep can end, since its result is of no use.
    fn in_vain(&self) -> bool {
        false
    }
}

/// An arc of a diagram.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    /// Whether it is the high arc of its node.
    pub high: bool,
    /// The rank of the node it leaves.
    pub from: usize,
    /// The rank of its child, 0 for a terminal.
    pub to: usize,
}

impl Arc {
    /// The levels it skips.
    pub fn skipped(self) -> u32 {
        (self.from - 1 - self.to) as u32
    }
}

/// Carries `load` from the root of a diagram that is no constant to `terminal` and returns it; `None` where the sweep was in vain.
///
/// # Errors
/// Those of the disk, of the budget, and of the load.
pub fn fold<C: Load<N>, const N: usize>(
    file: &NodeFile,
    terminal: bool,
    load: C,
    run: &mut Run<'_>,
) -> Result<Option<C>> {
    let _sweep = run.begin(C::SWEEP);
    let (space, top) = (run.space, file.levels().ranks() - 1);
    // The values of all nodes are in one array then.
    let small = C::KEYS == 1 && file.node_count() <= SMALL_NODES.min(space.limits.small);
    let mut sweep = Fold {
        file,
        ranks: LevelMap::new(file.levels(), |rank| rank as u32),
        load,
        queue: LevelQueue::new(if small { 0 } else { top }, space)?,
        terminal: terminal.into(),
        below: Level::new(run.desks[0].take_array()),
    };
    let mut level = Level::new(run.desks[0].take_array());
    sweep.begin(small, space)?;
    let mut reader = LevelReader::in_order(file);
    for rank in (1..=top).rev() {
        reader.enter(rank);
        if small {
            sweep.send_level(rank, &mut reader, space)?;
        } else {
            sweep.pass_level(rank, &mut level, &mut run.desks[0].sorter, &mut reader, space)?;
        }
        if sweep.load.in_vain() {
            break;
        }
        run.report(C::SWEEP, file.variable(rank), 0)?;
    }
    run.desks[0].give_back(sweep.below.words);
    run.desks[0].give_back(level.words);
    Ok(Some(sweep.load).filter(|load| !load.in_vain()))
}

/// The sweep between two levels.
struct Fold<'a, C, const N: usize> {
    file: &'a NodeFile,
    /// The rank of every id.
    ranks: LevelMap,
    load: C,
    /// Values on their way down.
    queue: LevelQueue<u64, N>,
    terminal: u64,
    /// The values for the next level, where these are in an array; in a small diagram those for all levels.
    below: Level<N>,
}

/// The values gathered at the nodes of a level, in an array.
struct Level<const N: usize> {
    words: Words,
    /// The first id of the level.
    first: u64,
    /// How many ids the array holds; 0 where the values are in the queue.
    width: u64,
}

impl<const N: usize> Level<N> {
    fn new(words: Words) -> Self {
        Self { words, first: 0, width: 0 }
    }

    /// Makes the array hold no values, for `width` nodes from `first` on.
    fn clear(&mut self, first: u64, width: u64) {
        (self.first, self.width) = (first, width);
        self.words.zeroes(width as usize * N);
    }

    /// The value gathered at every node. The id 0, which no node has, marks a node where nothing has arrived.
    fn wholes(&mut self) -> &mut [[u64; N]] {
        bytemuck::cast_slice_mut(&mut self.words)
    }
}

impl<C: Load<N>, const N: usize> Fold<'_, C, N> {
    /// Gives the root its value.
    fn begin(&mut self, small: bool, space: &Space) -> Result<()> {
        let mut root = self.load.root();
        root[0] = self.file.root();
        if small {
            self.below.clear(TERMINALS, self.file.node_count());
            return add(&mut self.load, &mut self.below.wholes()[(root[0] - TERMINALS) as usize], &root, space);
        }
        self.make_room(self.file.levels().ranks() - 1, space);
        self.queue.push(0, root, space)
    }

    /// Sends on the values gathered on the level of `rank` of a small diagram.
    fn send_level(&mut self, rank: usize, reader: &mut LevelReader<'_>, space: &Space) -> Result<()> {
        self.file.levels().range(rank).try_for_each(|id| {
            let whole = self.below.wholes()[(id - TERMINALS) as usize];
            self.send(&whole, rank, reader, space)
        })
    }

    /// Merges the values that have come to the level of `rank`, and sends them on; `level` lends the array of the level above.
    fn pass_level(
        &mut self,
        rank: usize,
        level: &mut Level<N>,
        sorter: &mut Sorter,
        reader: &mut LevelReader<'_>,
        space: &Space,
    ) -> Result<()> {
        let values = self.queue.take(self.file.levels().ranks() - 1 - rank, space)?;
        mem::swap(level, &mut self.below);
        self.make_room(rank - 1, space);
        if level.width > 0 {
            self.scatter(values, rank, level.wholes(), reader, space)
        } else {
            self.gather(values, rank, sorter, reader, space)
        }
    }

    /// Makes an array for the values of the level of `rank`, if they are not to be sorted and it fits.
    fn make_room(&mut self, rank: usize, space: &Space) {
        let (levels, cell) = (self.file.levels(), size_of::<[u64; N]>() as u64);
        let fits = levels.width(rank).saturating_mul(cell) <= space.limits.dense as u64;
        let width = if C::KEYS == 1 && rank > 0 && fits { levels.width(rank) } else { 0 };
        self.below.clear(levels.first(rank), width);
    }

    /// Merges the queued `values` of a level into the array of those gathered there, and sends all on.
    fn scatter(
        &mut self,
        mut values: Spool<u64, N>,
        rank: usize,
        wholes: &mut [[u64; N]],
        reader: &mut LevelReader<'_>,
        space: &Space,
    ) -> Result<()> {
        let first = self.file.levels().first(rank);
        values.drain(space, |block| {
            block
                .iter()
                .try_for_each(|value| add(&mut self.load, &mut wholes[(value[0] - first) as usize], value, space))
        })?;
        wholes.iter().filter(|whole| whole[0] > 0).try_for_each(|whole| self.send(whole, rank, reader, space))
    }

    /// Merges the values of a level by sorting them, and sends each node's on.
    fn gather(
        &mut self,
        mut values: Spool<u64, N>,
        rank: usize,
        sorter: &mut Sorter,
        reader: &mut LevelReader<'_>,
        space: &Space,
    ) -> Result<()> {
        let mut whole: Option<[u64; N]> = None;
        sorter.sort(&mut values, C::KEYS, space, &mut |values| {
            for &value in values {
                match &mut whole {
                    Some(whole) if whole[0] == value[0] => self.load.merge(whole, &value, space)?,
                    _ => {
                        if let Some(whole) = whole.replace(value) {
                            self.send(&whole, rank, reader, space)?;
                        }
                        self.load.open(&value, space)?;
                    }
                }
            }
            Ok(())
        })?;
        if let Some(whole) = whole {
            self.send(&whole, rank, reader, space)?;
        }
        Ok(())
    }

    /// Sends the value gathered at a node of `rank` along its two arcs.
    #[inline(always)]
    fn send(&mut self, whole: &[u64; N], rank: usize, reader: &mut LevelReader<'_>, space: &Space) -> Result<()> {
        let [low, high] = reader.children::<u64>(whole[0])?;
        self.send_along(whole, low, false, rank, space)?;
        self.send_along(whole, high, true, rank, space)
    }

    #[inline(always)]
    fn send_along(&mut self, whole: &[u64; N], child: u64, high: bool, from: usize, space: &Space) -> Result<()> {
        if child == 1 - self.terminal {
            return Ok(());
        }
        let to = self.ranks.of(child) as usize;
        let mut value = self.load.send(whole, Arc { high, from, to });
        value[0] = child;
        if child == self.terminal {
            self.load.arrive(&value, space)
        } else if child.wrapping_sub(self.below.first) < self.below.width {
            let at = (child - self.below.first) as usize;
            add(&mut self.load, &mut self.below.wholes()[at], &value, space)
        } else {
            self.queue.push(self.file.levels().ranks() - 1 - to, value, space)
        }
    }
}

/// Merges `value` into the one gathered at its node, if there is one.
#[inline(always)]
fn add<C: Load<N>, const N: usize>(load: &mut C, whole: &mut [u64; N], value: &[u64; N], space: &Space) -> Result<()> {
    if whole[0] == 0 {
        *whole = *value;
        load.open(value, space)
    } else {
        load.merge(whole, value, space)
    }
}

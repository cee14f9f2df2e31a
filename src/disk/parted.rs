//! Records that are too many to be sorted at once, in a log for each of a few parts of the key range; the parts come in order.
//!
//! ```text
//!   some records ─► where their keys lie ─┬─ many in one cell ─► a log for that cell
//!                                         ├─ few in each ──────► a log for several cells
//!                                         └─ most agree ───────► a log for those, which are in order then
//! ```
//! After: P. Sanders, S. Winkel, "Super Scalar Sample Sort", 2004 (splitters from a sample, and buckets for what is equal).

use std::sync::atomic::Ordering::Relaxed;

use super::{
    cells::{Cells, KeyRange},
    lane::Lane,
    pool::Share,
    source::Source,
    space::Space,
    spool::Spool,
};
use crate::error::Result;

/// About the largest number of logs; there are no more than twice as many.
const PARTS: u64 = 32;
/// The number of cells that the key range is cut into: a part is one cell or several neighbours.
const CELLS: usize = 1 << 12;

/// The logs of the parts, and how a record finds its log.
pub struct Parted<I, const N: usize> {
    cells: Cells,
    /// The log of each cell.
    log_of: Vec<u8>,
    /// The logs, each with the lane by which its records may still differ.
    logs: Vec<(usize, Spool<I, N>)>,
    /// The record with which most records agree, if there is one: then those before it in its part, those that agree, and those
    /// after them have a log each.
    common: [I; N],
    /// The number of lanes in which they agree.
    keys: usize,
    /// The cell of these records.
    split: usize,
}

impl<I: Lane, const N: usize> Parted<I, N> {
    /// Distributes the records of `source`, which agree in the lanes before `lane`, to be ordered by their first `keys` lanes.
    pub fn of_all(source: impl Source<I, N>, lane: usize, keys: usize, space: &Space) -> Result<Self> {
        let mut sample = source.sample(space)?;
        let common = common(&mut sample, lane, keys);
        let some: Vec<_> = sample.iter().map(|record| record[lane]).collect();
        let mut parted = Self::new(&source.range(lane, space)?, lane, &some, source.count(), space);
        if let Some(common) = common {
            parted.set_apart(common, keys);
        }
        source.drain(lane, space, |_, record| parted.append(*record, space))?;
        Ok(parted)
    }

    /// Empty logs for about `count` records that lie in `range` by `lane` and agree in the lanes before it; a single log if these
    /// can be in memory at once. `some` is a sample of their values in `lane`, empty if there is none.
    ///
    /// A cell with many of `some` has a log of its own: where most records are in one cell, as where most nodes of a level have an
    /// id in common, it takes no more than a pass or two to separate it from all others.
    pub fn new(range: &KeyRange, lane: usize, some: &[I], count: u64, space: &Space) -> Self {
        let most = space.limits.most_sorted::<I, N>().max(1);
        if count <= most {
            let cells = Cells::new(range, lane, 1);
            return Self::with_logs(cells, vec![0], vec![lane]);
        }
        space.scratch.meter.parted_levels.fetch_add(1, Relaxed);
        let cells = Cells::new(range, lane, CELLS);
        let mut shown = vec![u64::from(some.is_empty()); cells.count];
        for &key in some {
            shown[cells.of(key)] += 1;
        }
        let all = shown.iter().sum::<u64>();
        let full = (all * most / (2 * count)).max(all / PARTS);
        // For each log, the number of its cells and the part of the sample that is in them.
        let (mut logs, mut log_of): (Vec<(usize, u64)>, _) = (Vec::new(), Vec::with_capacity(cells.count));
        for more in shown {
            match logs.last_mut() {
                Some((in_log, sum)) if *sum + more <= full => (*in_log, *sum) = (*in_log + 1, *sum + more),
                _ => logs.push((1, more)),
            }
            log_of.push((logs.len() - 1) as u8);
        }
        let lane_of = |in_log| if in_log == 1 { cells.next_lane() } else { lane };
        Self::with_logs(cells, log_of, logs.into_iter().map(|(in_log, _)| lane_of(in_log)).collect())
    }

    fn with_logs(cells: Cells, log_of: Vec<u8>, lanes: Vec<usize>) -> Self {
        let logs = lanes.into_iter().map(|lane| (lane, Spool::new(Share::Arcs))).collect();
        Self { cells, log_of, logs, common: [I::zeroed(); N], keys: 0, split: usize::MAX }
    }

    /// The same parts with empty logs.
    #[must_use]
    pub fn empty(&self) -> Self {
        debug_assert_eq!(self.split, usize::MAX, "no part is set apart");
        Self::with_logs(self.cells, self.log_of.clone(), self.logs.iter().map(|(lane, _)| *lane).collect())
    }

    /// Puts the records of each part of `other`, which has the same parts, behind those of that part here.
    pub fn join(&mut self, other: Self) {
        self.logs.iter_mut().zip(other.logs).for_each(|((_, log), (_, other))| log.join(other));
    }

    /// Gives the records that agree with `common` in the lanes below `keys` a log of their own.
    fn set_apart(&mut self, common: [I; N], keys: usize) {
        self.split = self.cells.of(common[self.cells.lane]);
        (self.common, self.keys) = (common, keys);
        let before = usize::from(self.log_of[self.split]);
        debug_assert!(
            self.split == 0 || self.log_of[self.split - 1] < self.log_of[self.split],
            "more than a log's worth"
        );
        self.log_of[self.split + 1..].iter_mut().for_each(|log| *log += 2);
        let after = (self.logs[before].0, Spool::new(Share::Arcs));
        self.logs.insert(before + 1, after);
        self.logs.insert(before + 1, (keys, Spool::new(Share::Arcs)));
    }

    /// Adds a record.
    #[inline(always)]
    pub fn append(&mut self, record: [I; N], space: &Space) -> Result<()> {
        let cell = self.cells.of(record[self.cells.lane]);
        let mut log = usize::from(self.log_of[cell]);
        if cell == self.split {
            let (own, common) = (&record[..self.keys], &self.common[..self.keys]);
            log += usize::from(own >= common) + usize::from(own > common);
        }
        self.logs[log].1.append(record, space)
    }

    /// The logs in order, each with the lane by which its records may still differ.
    pub fn into_logs(self) -> impl Iterator<Item = (usize, Spool<I, N>)> {
        self.logs.into_iter()
    }
}

/// The record with which more than half of `sample` agree in the lanes from `lane` to `keys`, if there is one.
fn common<I: Lane, const N: usize>(sample: &mut [[I; N]], lane: usize, keys: usize) -> Option<[I; N]> {
    sample.sort_unstable_by(|a, b| a[lane..keys].cmp(&b[lane..keys]));
    let middle = sample[sample.len() / 2];
    let agree = sample.iter().filter(|record| record[lane..keys] == middle[lane..keys]).count();
    (2 * agree > sample.len()).then_some(middle)
}

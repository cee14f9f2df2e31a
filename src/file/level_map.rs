//! A fast way from an id to its level.

use super::levels::Levels;

/// A number for each level of a table, to be looked up by ids.
///
/// An entry stands for `1 << shift` neighbouring ids: in a large diagram, most entries lie within one level.
#[derive(Debug, Default)]
pub struct LevelMap {
    /// The number of the level that all ids of the entry lie on, or `SEVERAL` plus the rank of the first of them.
    entries: Vec<u32>,
    shift: u32,
    /// The number of the level of each of the first ids. There a diagram has its smallest levels, several of them in an entry, and
    /// most arcs lead there.
    first: Vec<u32>,
    /// For every rank, where its ids end, and its number.
    ranks: Vec<(u64, u32)>,
}

/// There are at most this many entries, so that they stay in the second-level cache.
const ENTRIES: u64 = 1 << 16;
/// Numbers are below this.
const SEVERAL: u32 = 1 << 31;

impl LevelMap {
    /// Bytes of a map for each level, beside half a MiB at most.
    pub const BYTES_A_LEVEL: usize = size_of::<(u64, u32)>();

    /// The map of `levels` in which each rank has the number that `number` gives it.
    pub fn new(levels: &Levels, mut number: impl FnMut(usize) -> u32) -> Self {
        let shift = (0..u64::BITS).find(|shift| levels.end() >> shift < ENTRIES).unwrap_or(0);
        if shift == 0 {
            let mut entries = Vec::with_capacity(levels.end() as usize);
            for rank in 0..levels.ranks() {
                entries.resize(levels.range(rank).end as usize, number(rank));
            }
            return Self { entries, ..Self::default() };
        }
        let ranks: Vec<_> = (0..levels.ranks()).map(|rank| (levels.range(rank).end, number(rank))).collect();
        let mut first = Vec::with_capacity(ENTRIES as usize);
        for &(end, number) in &ranks {
            first.resize(end.min(ENTRIES) as usize, number);
        }
        let mut entries = Vec::with_capacity((levels.end() >> shift) as usize + 1);
        for (rank, &(end, number)) in ranks.iter().enumerate() {
            // Entries of lower ranks are there already, even the one that this rank shares with them.
            let whole = (end >> shift) as usize;
            entries.resize(whole.max(entries.len()), number);
            if entries.len() == whole && end > (whole as u64) << shift {
                entries.push(SEVERAL + rank as u32);
            }
        }
        Self { entries, shift, first, ranks }
    }

    /// The number of the level of `id`, which must lie on one.
    #[inline(always)]
    pub fn of(&self, id: u64) -> u32 {
        let entry = self.entries[(id >> self.shift) as usize];
        if entry < SEVERAL { entry } else { self.search(id, (entry - SEVERAL) as usize) }
    }

    #[inline(never)]
    fn search(&self, id: u64, first: usize) -> u32 {
        if let Some(&number) = self.first.get(id as usize) {
            return number;
        }
        let ranks = &self.ranks[first..];
        ranks[ranks.partition_point(|(end, _)| *end <= id)].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_the_number_of_the_level_that_a_search_finds() {
        for counts in [&[][..], &[1], &[1, 1, 1], &[100, 1, 7, 64, 3, 1], &[3 << 16, 1, 1 << 16, 9, 2, 1 << 15]] {
            let mut levels = Levels::new(2);
            for &count in counts {
                levels.push(count);
            }
            let map = LevelMap::new(&levels, |rank| 7 * rank as u32);
            assert!((0..levels.end()).all(|id| map.of(id) == 7 * levels.rank_of(id) as u32), "{counts:?}");
        }
    }
}

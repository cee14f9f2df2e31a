//! The level table: which ids lie on which level.

/// Levels in the order of their ids, and a fast way from an id to its level.
///
/// Ranks number the levels from 1 in the order they were added; rank 0 stands for the reserved ids below them (the terminals
/// of a diagram). A node file adds its levels bottom-up, an unreduced one top-down.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The first id of each rank, and one past the last id of all.
    first: Vec<u64>,
    /// The rank of the first id of every `1 << shift` ids.
    index: Vec<u32>,
    shift: u32,
}

/// The index holds at most this many entries, so that it stays in the second-level cache.
const ENTRIES: u64 = 1 << 16;

impl Levels {
    /// No levels yet, above `reserved` ids.
    pub fn new(reserved: u64) -> Self {
        Self { first: vec![0, reserved], index: Vec::new(), shift: 0 }
    }

    /// Adds a level of `count > 0` nodes.
    pub fn push(&mut self, count: u64) {
        let end = self.end() + count;
        self.first.push(end);
    }

    /// Drops the levels from `rank` on.
    pub fn truncate(&mut self, rank: usize) {
        self.first.truncate(rank + 1);
    }

    /// Makes `rank_of` work, until levels are added or dropped.
    pub fn seal(&mut self) {
        self.first.shrink_to_fit();
        let end = self.end();
        self.shift = 3;
        while end >> self.shift >= ENTRIES {
            self.shift += 1;
        }
        self.index.clear();
        self.index.reserve_exact((end >> self.shift) as usize + 1);
        let mut rank = 0;
        for entry in 0..=end >> self.shift {
            while rank + 1 < self.ranks() && self.first[rank + 1] <= entry << self.shift {
                rank += 1;
            }
            self.index.push(rank as u32);
        }
    }

    /// Ranks there are, the reserved one included.
    pub fn ranks(&self) -> usize {
        self.first.len() - 1
    }

    /// The first id of a rank and one past its last.
    pub fn range(&self, rank: usize) -> (u64, u64) {
        (self.first[rank], self.first[rank + 1])
    }

    /// The first id of a rank.
    #[inline(always)]
    pub fn first(&self, rank: usize) -> u64 {
        self.first[rank]
    }

    /// One past the last id.
    pub fn end(&self) -> u64 {
        self.first[self.first.len() - 1]
    }

    /// The rank of an id below `end`.
    #[inline(always)]
    pub fn rank_of(&self, id: u64) -> usize {
        let mut rank = self.rank_or_below(id);
        while self.first[rank + 1] <= id {
            rank += 1;
        }
        rank
    }

    /// Bytes of memory the table holds.
    pub fn bytes(&self) -> usize {
        self.first.capacity() * 8 + self.index.capacity() * 4
    }

    /// The rank of an id below `end`, or one a little before it.
    #[inline(always)]
    pub fn rank_or_below(&self, id: u64) -> usize {
        self.index[(id >> self.shift) as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_found_on_its_level() {
        for counts in [vec![], vec![1], vec![1, 1, 1], vec![100, 1, 7, 64, 3, 1], vec![3 << 16, 1, 1 << 16, 9]] {
            let mut levels = Levels::new(2);
            for &count in &counts {
                levels.push(count);
            }
            levels.seal();
            assert_eq!(levels.end(), 2 + counts.iter().sum::<u64>());
            for rank in 0..levels.ranks() {
                let (first, end) = levels.range(rank);
                assert!((first..end).all(|id| levels.rank_of(id) == rank));
            }
        }
    }
}

//! The level table: which ids lie on which level.

use std::ops::Range;

/// Levels in the order of their ids.
///
/// Ranks number the levels from 1 in the order they were added; rank 0 stands for the reserved ids below them (the terminals
/// of a diagram). A node file adds its levels bottom-up, an unreduced one top-down.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The first id of each rank, and one past the last id of all.
    first: Vec<u64>,
}

impl Levels {
    /// A table without levels, above `reserved` ids.
    pub fn new(reserved: u64) -> Self {
        let mut first = Vec::with_capacity(ROOM);
        first.extend([0, reserved]);
        Self { first }
    }

    /// Adds a level of `count > 0` nodes.
    pub fn push(&mut self, count: u64) {
        let end = self.end() + count;
        self.first.push(end);
    }

    /// Adds ids that no node has, so that the next level begins at a multiple of `1 << shift`.
    pub fn align(&mut self, shift: u32) {
        if let Some(end) = self.first.last_mut() {
            *end = end.next_multiple_of(1 << shift);
        }
    }

    /// Makes room for `levels` more levels.
    pub fn reserve(&mut self, levels: usize) {
        self.first.reserve(levels);
    }

    /// Drops the levels from `rank` on.
    pub fn truncate(&mut self, rank: usize) {
        self.first.truncate(rank + 1);
    }

    /// Holds little more memory than it must, until levels are added.
    pub fn seal(&mut self) {
        seal(&mut self.first);
    }

    /// The number of ranks, the reserved one included.
    pub fn ranks(&self) -> usize {
        self.first.len() - 1
    }

    /// The ids of a rank.
    pub fn range(&self, rank: usize) -> Range<u64> {
        self.first[rank]..self.first[rank + 1]
    }

    /// The number of ids of a rank.
    pub fn width(&self, rank: usize) -> u64 {
        self.first[rank + 1] - self.first[rank]
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

    /// The rank of an id below `end`, by binary search; a sweep that looks up many makes a
    /// [`LevelMap`](super::level_map::LevelMap).
    pub fn rank_of(&self, id: u64) -> usize {
        self.first.partition_point(|&first| first <= id) - 1
    }

    /// The first id of every rank but the reserved one, as it goes into a hash.
    pub fn firsts(&self) -> impl Iterator<Item = [u8; 8]> {
        self.first[1..self.ranks()].iter().map(|first| first.to_le_bytes())
    }

    /// Bytes of memory the table holds.
    pub fn bytes(&self) -> usize {
        self.first.capacity() * 8
    }
}

/// Gives back memory that `table` does not need, if it is more than `WORTH` bytes.
pub fn seal<T>(table: &mut Vec<T>) {
    if (table.capacity() - table.len()) * size_of::<T>() > WORTH {
        table.shrink_to_fit();
    }
}

/// The number of ids that a new table has room for.
const ROOM: usize = 16;

/// Up to this many spare bytes are not worth giving back.
const WORTH: usize = 64;

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
            assert_eq!(levels.end(), 2 + counts.iter().sum::<u64>());
            for rank in 0..levels.ranks() {
                assert!(levels.range(rank).all(|id| levels.rank_of(id) == rank));
            }
        }
    }
}

//! Holes: what is free of a file, in pieces of any length, and found by length.

use std::collections::{BTreeMap, BTreeSet};

/// Free pieces; no two of them touch.
#[derive(Debug, Default)]
pub struct Holes {
    /// The length of each piece, by where it begins.
    lengths: BTreeMap<u64, u64>,
    /// (length, where it begins) of each.
    by_length: BTreeSet<(u64, u64)>,
}

impl Holes {
    /// Takes `length` out of the shortest piece that is long enough, if there is one; gives where that begins.
    pub fn take(&mut self, length: u64) -> Option<u64> {
        let &(whole, start) = self.by_length.range((length, 0)..).next()?;
        self.remove(start, whole);
        if whole > length {
            self.insert(start + length, whole - length);
        }
        Some(start)
    }

    /// Gives back a piece that has been taken, or a new one.
    pub fn give(&mut self, mut start: u64, mut length: u64) {
        if let Some((&before, &its)) = self.lengths.range(..start).next_back().filter(|&(at, its)| at + its == start) {
            self.remove(before, its);
            (start, length) = (before, its + length);
        }
        if let Some(&its) = self.lengths.get(&(start + length)) {
            self.remove(start + length, its);
            length += its;
        }
        self.insert(start, length);
    }

    fn insert(&mut self, start: u64, length: u64) {
        self.lengths.insert(start, length);
        self.by_length.insert((length, start));
    }

    fn remove(&mut self, start: u64, length: u64) {
        self.lengths.remove(&start);
        self.by_length.remove(&(length, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obviously right twin: a flag for every byte.
    #[test]
    fn pieces_are_free_once_and_grow_together_again() {
        const END: u64 = 300;
        let (mut holes, mut state, mut taken) = (Holes::default(), 7u64, Vec::new());
        holes.give(0, END);
        let mut free = [true; END as usize];
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (length, which) = (1 + (state >> 33) % 20, (state >> 40) as usize);
            if state >> 63 == 0 && !taken.is_empty() {
                let (start, length) = taken.swap_remove(which % taken.len());
                holes.give(start, length);
                free[start as usize..][..length as usize].fill(true);
            } else if let Some(start) = holes.take(length) {
                let piece = &mut free[start as usize..][..length as usize];
                assert!(piece.iter().all(|&free| free));
                piece.fill(false);
                taken.push((start, length));
            } else {
                assert!(free.chunk_by(|a, b| a == b).all(|run| !run[0] || run.len() < length as usize));
            }
        }
        for (start, length) in taken {
            holes.give(start, length);
        }
        assert_eq!((holes.take(END), holes.take(1)), (Some(0), None));
    }
}

//! Siblings: the nodes of a level, to be sorted by their children.

use crate::{
    disk::{
        cells::KeyRange,
        lane::Lane,
        source::{SAMPLE, Source, step},
        space::Space,
    },
    error::Result,
};

/// The nodes of a level as (low, high, node), straight from the array of their children: all, or those whose children differ.
pub struct Siblings<'a, I, const ALL: bool> {
    pairs: &'a [[I; 2]],
    /// How many nodes are shown.
    count: usize,
}

/// Leaving nodes out costs a branch for each, and pays where more than one node in this many is left out.
const SPARSE: usize = 8;

impl<'a, I: Lane> Siblings<'a, I, true> {
    /// All nodes with these children.
    pub fn all(pairs: &'a [[I; 2]]) -> Self {
        Self { pairs, count: pairs.len() }
    }
}

impl<'a, I: Lane> Siblings<'a, I, false> {
    /// The nodes whose children differ, if that leaves out many. Those left out then have their id in `ids`: that of their child.
    pub fn differing(pairs: &'a [[I; 2]], ids: &mut [I]) -> Option<Self> {
        let count = pairs.iter().filter(|[low, high]| low != high).count();
        let sparse = (pairs.len() - count) * SPARSE > pairs.len();
        sparse.then(|| {
            // The nodes to be sorted get an id here too, which is overwritten before it is read.
            ids.iter_mut().zip(pairs).for_each(|(id, [low, _])| *id = *low);
            Self { pairs, count }
        })
    }
}

impl<I: Lane, const ALL: bool> Siblings<'_, I, ALL> {
    fn nodes(&self) -> impl Iterator<Item = (u64, &[I; 2])> {
        (0..).zip(self.pairs).filter(|(_, [low, high])| ALL || low != high)
    }
}

impl<I: Lane, const ALL: bool> Source<I, 3> for Siblings<'_, I, ALL> {
    fn count(&self) -> u64 {
        self.count as u64
    }

    fn keys(&self, lane: usize, _: &Space, show: impl FnMut(I)) -> Result<()> {
        self.nodes().map(|(_, pair)| pair[lane]).for_each(show);
        Ok(())
    }

    fn range(&self, lane: usize, _: &Space) -> Result<KeyRange> {
        Ok(KeyRange::of(self.pairs.iter().map(|pair| pair[lane])))
    }

    fn sample(&self, _: &Space) -> Result<Vec<[I; 3]>> {
        let some = self.nodes().step_by(step(self.count, SAMPLE));
        Ok(some.map(|(_, &[low, high])| [low, high, I::zeroed()]).collect())
    }

    fn drain(self, lane: usize, _: &Space, mut show: impl FnMut(I, &[I; 3]) -> Result<()>) -> Result<()> {
        self.nodes().try_for_each(|(node, pair)| show(pair[lane], &[pair[0], pair[1], I::of(node)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    #[test]
    fn nodes_with_equal_children_are_left_out_where_they_are_many() -> Result<()> {
        let space = testing::space(1 << 24);
        for every in 2..20 {
            let pairs: Vec<_> = (0..1000).map(|node| [node, if node % every == 0 { node } else { 1000 }]).collect();
            let mut ids = vec![u32::MAX; pairs.len()];
            let Some(siblings) = Siblings::differing(&pairs, &mut ids) else {
                assert!(every >= SPARSE as u32);
                assert!(ids.iter().all(|id| *id == u32::MAX));
                continue;
            };
            assert!(every <= SPARSE as u32);
            let (count, mut shown) = (Source::count(&siblings), Vec::new());
            siblings.drain(1, &space, |key, &[low, high, node]| {
                assert_eq!((key, [low, high]), (high, pairs[node as usize]));
                shown.push(node);
                Ok(())
            })?;
            assert_eq!(shown.len() as u64, count);
            assert!(shown.iter().copied().eq((0..1000).filter(|node| node % every != 0)));
            assert!((0..1000).step_by(every as usize).all(|node| ids[node] == node as u32));
        }
        Ok(())
    }
}

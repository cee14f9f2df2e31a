//! Numbering the nodes of a level on the way up: equal ones become one, with the next id in the order of (low, high).
//!
//! ```text
//!   alone    children ─► order ──────────────────────────► merge ─► written ─► ids
//!   shared   children of a worker ─► order ─╲ ╱─ low range ─► merge ─► new nodes ─┬─► where each begins ─┬─► ids
//!            children of a worker ─► order ─╱ ╲─ high range ► merge ─► new nodes ─┘                      └─► written in order
//! ```
//! To order means to mark what is mostly bare (see [`ordered`](super::ordered)), and to sort all else.

use super::{
    marks::CHUNK,
    merge::{Last, Piece, merge},
    ordered::{Numbered, Ordered},
    run::Desk,
    siblings::Siblings,
    team::{Parts, Team},
};
use crate::{
    disk::{cells, dense::Dense, lane::Lane, parted::Parted, pool::Share, space::Space, spool::Spool},
    error::Result,
    file::writer::NodeWriter,
    model::FALSE,
};

/// The nodes of a level that one worker has.
pub struct Nodes<'a, I: Lane> {
    /// How many there are.
    width: u64,
    /// Low and high child of each.
    pub children: Dense<'a, I>,
    /// The id of what takes its place.
    pub ids: Dense<'a, I>,
    /// Where the worker works.
    pub desk: &'a mut Desk,
    /// The same in order, if they are; the desk's sorter, whose array they have, sorts nothing before they have their ids.
    ordered: Option<Ordered<I>>,
    /// What of these is numbered.
    numbered: Vec<Numbered>,
}

impl<'a, I: Lane> Nodes<'a, I> {
    /// So many nodes with these children, and room for their ids.
    pub fn new(width: u64, children: Dense<'a, I>, ids: Dense<'a, I>, desk: &'a mut Desk) -> Self {
        Self { width, children, ids, desk, ordered: None, numbered: Vec::new() }
    }

    /// Whether so many nodes can be brought in order at once.
    pub fn can_order(width: u64, space: &Space) -> bool {
        Dense::<I>::fits(2 * width, space) && width <= space.limits.most_sorted::<I, 3>()
    }

    /// Brings them, those of one of some `workers`, in order, which can be.
    pub fn order(&mut self, workers: usize, space: &Space) -> Result<()> {
        let pairs = self.children.pairs().expect("nodes that can be brought in order have their children in an array");
        self.ordered = Some(Ordered::new(pairs, workers, &mut self.desk.sorter, space)?);
        Ok(())
    }

    /// Puts the ids of nodes that were numbered in order.
    pub fn put_ids(&mut self) {
        let Some(ordered) = self.ordered.take() else { return };
        let (Dense::Array(children), Dense::Array(ids)) = (&self.children, &mut self.ids) else {
            unreachable!("nodes that can be ordered have their ids in an array")
        };
        let words = ordered.put_ids(&self.numbered, children.pairs(), ids.values_mut());
        self.desk.sorter.give_back(words);
    }
}

/// Numbers the nodes of `level`, those of each worker in turn. Where all are in order, each worker still has to put its ids, and
/// this gives the new nodes, to be written one after the other.
pub fn number<I: Lane>(
    level: &mut [Nodes<'_, I>],
    writer: &mut NodeWriter<I>,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    if level.iter().all(|nodes| nodes.ordered.is_some()) {
        return number_ordered(level, writer.end(), team, space);
    }
    if let [nodes] = level {
        number_alone(nodes, writer, space)?;
    } else {
        number_spooled(level, writer, space)?;
    }
    Ok(Vec::new())
}

/// Writes the nodes of one worker, who has all of a level, and gives each its id.
pub fn number_alone<I: Lane>(nodes: &mut Nodes<'_, I>, writer: &mut NodeWriter<I>, space: &Space) -> Result<()> {
    let Nodes { children: Dense::Array(children), ids: Dense::Array(ids), desk, .. } = nodes else {
        return number_spooled(std::slice::from_mut(nodes), writer, space);
    };
    let (pairs, ids) = (children.pairs(), ids.values_mut());
    if let Some(mut ordered) = Ordered::marked(pairs, 1, &mut desk.sorter, space)? {
        let all = ordered.all(writer.end());
        merge(vec![ordered.piece()], writer, space)?;
        desk.sorter.give_back(ordered.put_ids(&[all], pairs, ids));
        return Ok(());
    }
    let differing = Siblings::differing(pairs, ids);
    let mut merge = merging(writer, space, move |node, id| {
        ids[node as usize] = id;
        Ok(())
    });
    match differing {
        Some(siblings) => desk.sorter.sort(siblings, 2, space, &mut merge),
        None => desk.sorter.sort(Siblings::all(pairs), 2, space, &mut merge),
    }
}

/// Numbers nodes of which the children are too many for an array and come in order but once.
fn number_spooled<I: Lane>(level: &mut [Nodes<'_, I>], writer: &mut NodeWriter<I>, space: &Space) -> Result<()> {
    let (parts, mut width, mut range, mut lows) = (Parts::new(level.len()), 0, cells::Range::default(), Vec::new());
    for nodes in &*level {
        width += nodes.width;
        range.join(&nodes.children.range());
        lows.extend(nodes.children.some_even()?);
    }
    let mut siblings = Parted::new(&range, 0, &lows, width, space);
    for (own, nodes) in (0..).zip(level.iter_mut()) {
        let mut children = std::mem::replace(&mut nodes.children, Dense::none(Vec::new())).descend()?;
        while let Some((first, values)) = children.part()? {
            for (node, &[low, high]) in (first / 2..).zip(values.as_chunks().0) {
                siblings.append([low, high, I::of(node << parts.shift | own)], space)?;
            }
        }
        nodes.children = Dense::none(children.into_words());
    }
    let (mut sorters, mut ids): (Vec<_>, Vec<_>) =
        level.iter_mut().map(|nodes| (&mut nodes.desk.sorter, &mut nodes.ids)).unzip();
    let mut merge = merging(writer, space, |node, id| ids[parts.owner(node)].put(node >> parts.shift, id));
    sorters[0].sort_parted(siblings, 2, space, &mut merge)
}

/// Has every worker merge the nodes of all in one range; `end` is the id of the first new node.
fn number_ordered<I: Lane>(
    level: &mut [Nodes<'_, I>],
    end: u64,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    let pieces: Vec<_> =
        level.iter_mut().map(|nodes| nodes.ordered.as_mut().expect("all are in order").piece()).collect();
    let cuts = cuts(&pieces);
    let mut ranges: Vec<_> = pieces.iter().map(|_| Vec::with_capacity(pieces.len())).collect();
    for mut rest in pieces {
        for (range, cut) in ranges.iter_mut().zip(&cuts) {
            let (piece, later) = rest.split_at(*cut);
            range.push(piece);
            rest = later;
        }
        ranges[cuts.len()].push(rest);
    }
    let lengths_of = |range: &Vec<Piece<'_, I>>| range.iter().map(Piece::lengths).collect();
    let lengths: Vec<Vec<_>> = ranges.iter().map(lengths_of).collect();
    let fresh = team.each(ranges, |range| {
        let mut fresh = Spool::new(Share::Arcs);
        merge(range, &mut fresh, space)?;
        Ok(fresh)
    })?;
    let ends = fresh.iter().scan(end, |end, fresh| Some(std::mem::replace(end, *end + fresh.count())));
    for (base, lengths) in ends.zip(lengths) {
        for (nodes, [others, chunks]) in level.iter_mut().zip(lengths) {
            let [first, chunk] = nodes.numbered.last().map_or([0; 2], |last| [last.others.end, last.chunks.end]);
            nodes.numbered.push(Numbered { others: first..first + others, chunks: chunk..chunk + chunks, base });
        }
    }
    Ok(fresh)
}

/// Where `pieces` are cut such that there is about as much to do in each of as many ranges: where low children are marked, between
/// chunks of marks, though many have one low child.
fn cuts<I: Lane>(pieces: &[Piece<'_, I>]) -> Vec<I::Pair> {
    let mut samples: Vec<_> = pieces.iter().flat_map(Piece::sample).collect();
    samples.sort_unstable();
    let mut all = 0;
    for (_, work) in &mut samples {
        all += *work;
        *work = all;
    }
    let (marked, ranges) = (pieces.iter().any(|piece| piece.lows.chunks() > 0), pieces.len() as u64);
    let cut = |range: u64| {
        let (children, _) = samples[samples.partition_point(|(_, work)| work * ranges < range * all)];
        match I::apart(children) {
            [low, _] if marked => I::of(low.get() / CHUNK as u64 * CHUNK as u64).before(I::of(FALSE)),
            _ => children,
        }
    };
    (1..ranges).map(cut).collect()
}

/// Writes one node for all siblings it is shown that agree, unless their children are equal, and `put`s its id at each.
fn merging<I: Lane>(
    writer: &mut NodeWriter<I>,
    space: &Space,
    mut put: impl FnMut(u64, I) -> Result<()>,
) -> impl FnMut(&[[I; 3]]) -> Result<()> {
    let mut last = Last::new(writer.end());
    move |siblings| last.write(siblings, writer, space, &mut put)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{dense::Array, space::testing};

    /// Numbers without a pattern.
    struct Random(u32);

    impl Random {
        fn below(&mut self, end: u32) -> u32 {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) % end
        }

        /// The children of some nodes: low ones from `first` on, among so many, and false high ones in so many of 32 nodes.
        fn nodes(&mut self, len: usize, first: u64, children: u32, bare: u32) -> Vec<[u64; 2]> {
            let child = |first: u64, random: &mut Self| first + u64::from(random.below(children));
            let node = |_| match (self.below(20), self.below(32) < bare) {
                (0, _) => [u64::from(self.below(2)), u64::from(self.below(2))],
                (1, false) => [first + 7; 2],
                (_, true) => [child(first, self), 0],
                (_, false) => [child(first, self), child(2, self)],
            };
            (0..len).map(node).collect()
        }
    }

    /// The first id that is free.
    const fn end<I: Lane>() -> u64 {
        I::MARK >> 3
    }

    /// The new nodes of a level, and the ids of all.
    fn slowly<I: Lane>(level: &[Vec<[u64; 2]>]) -> (Vec<[u64; 2]>, Vec<Vec<u64>>) {
        let mut fresh: Vec<_> = level.iter().flatten().copied().filter(|[low, high]| low != high).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let id = |node: &[u64; 2]| fresh.binary_search(node).map_or(node[0], |at| end::<I>() + at as u64);
        let ids = level.iter().map(|nodes| nodes.iter().map(id).collect()).collect();
        (fresh, ids)
    }

    fn nodes_of<'a, I: Lane>(children: &[[u64; 2]], desk: &'a mut Desk) -> Nodes<'a, I> {
        let len = children.len();
        let mut array = Array::of(Vec::new(), 2 * len);
        array.pairs_mut().iter_mut().zip(children).for_each(|(pair, children)| *pair = children.map(I::of));
        let ids = Array::of(vec![u64::MAX; (len * I::WORDS).div_ceil(2)], len);
        Nodes::new(len as u64, Dense::Array(array), Dense::Array(ids), desk)
    }

    fn ids_of<I: Lane>(nodes: &Nodes<'_, I>) -> Vec<u64> {
        let Dense::Array(ids) = &nodes.ids else { unreachable!("an array stays one") };
        ids.values().iter().map(|id| id.get()).collect()
    }

    /// Checks the nodes of a level against [`slowly`]; answers for how many workers bare ones were marked.
    fn check<I: Lane>(level: &[Vec<[u64; 2]>], team: &Team, space: &Space) -> Result<usize> {
        let (fresh, ids) = slowly::<I>(level);
        let mut desks: Vec<_> = level.iter().map(|_| Desk::default()).collect();
        let mut nodes: Vec<_> =
            level.iter().zip(&mut desks).map(|(children, desk)| nodes_of::<I>(children, desk)).collect();
        nodes.iter_mut().try_for_each(|nodes| nodes.order(level.len(), space))?;
        let marked = nodes.iter().filter(|nodes| nodes.ordered.as_ref().is_some_and(Ordered::has_marks)).count();
        let mut seen = Vec::new();
        for mut some in number_ordered(&mut nodes, end::<I>(), team, space)? {
            some.drain(space, |nodes| {
                seen.extend(nodes.iter().map(|node| node.map(I::get)));
                Ok(())
            })?;
        }
        assert_eq!(seen, fresh);
        nodes.iter_mut().for_each(Nodes::put_ids);
        assert_eq!(nodes.iter().map(ids_of).collect::<Vec<_>>(), ids);
        Ok(marked)
    }

    #[test]
    fn nodes_of_every_kind_are_numbered_as_if_they_were_sorted() -> Result<()> {
        let (mut random, mut marked) = (Random(1), [0; 5]);
        let teams: Vec<_> = (1..=4).map(Team::new).collect::<Result<_>>()?;
        let lengths = [0, 64, 1100, 2000, 3000, 4000];
        for sort in [2000, 1 << 24] {
            let space = testing::space_with(|limits| (limits.sort, limits.block, limits.arcs) = (sort, 4096, 0));
            for turn in 0..1000 {
                let workers = 1 + turn % 4;
                let nodes = |random: &mut Random| {
                    let len = lengths[random.below(6) as usize].min(if sort == 2000 { 100 } else { 4000 });
                    // As many low children as nodes, a few, or many more, and near to or far from those of others.
                    let children = [len as u32 + 1, 5, 6 * len as u32 + 1, 50_000][random.below(4) as usize];
                    let first = 2 + [0, 1, 1000, 1 << 27][random.below(4) as usize] + u64::from(random.below(100));
                    let bare = [16, 30, 30, 32][random.below(4) as usize];
                    random.nodes(len, first, children, bare)
                };
                let mut level: Vec<_> = (0..workers).map(|_| nodes(&mut random)).collect();
                // There is no level without nodes.
                level[0].push([0, 0]);
                let team = &teams[workers - 1];
                let some = if turn % 3 == 0 {
                    check::<u64>(&level, team, &space)?
                } else {
                    check::<u32>(&level, team, &space)?
                };
                marked[some] += 1;
            }
        }
        assert!(marked.iter().all(|turns| *turns > 0), "some, all and none are marked: {marked:?}");
        Ok(())
    }

    #[test]
    fn nodes_that_are_not_like_the_sample_are_sorted() -> Result<()> {
        let (space, len) = (testing::space(1 << 24), 3000u64);
        let step = len.div_ceil(512) | 1;
        let node = |at| if at % step == 0 { [2 + at, 0] } else { [2 + at, 3 + at] };
        let level = [(0..len).map(node).collect()];
        assert_eq!(check::<u32>(&level, &Team::default(), &space)?, 0);
        let bare = [(0..len).map(|at| [2 + at, 0]).collect()];
        assert_eq!(check::<u32>(&bare, &Team::default(), &space)?, 1);
        Ok(())
    }

    #[test]
    fn one_worker_numbers_alone_as_several_do() -> Result<()> {
        let (space, mut random) = (testing::space(1 << 24), Random(2));
        for (len, bare) in [(0, 0), (10, 30), (500, 0), (500, 30), (5000, 16), (5000, 30), (5000, 32)] {
            let level = [random.nodes(len, 2, 2 + len as u32, bare)];
            let (fresh, ids) = slowly::<u32>(&level);
            let (mut desk, mut writer) = (Desk::default(), NodeWriter::<u32>::new(&space)?);
            let first = writer.end();
            let mut nodes = nodes_of(&level[0], &mut desk);
            number_alone(&mut nodes, &mut writer, &space)?;
            assert_eq!(writer.end() - first, fresh.len() as u64);
            let end = end::<u32>();
            let ids = ids[0].iter().map(|&id| if id < end { id } else { id - end + first });
            assert!(ids_of(&nodes).into_iter().eq(ids));
        }
        Ok(())
    }
}

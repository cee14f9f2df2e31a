//! Numbering the nodes of a level on the way up: equal ones become one, with the next id in the order of (low, high).
//!
//! ```text
//!   alone    children ─► order ──────────────────────────► merge ─► written ─► ids
//!   shared   children of a worker ─► order ─╲ ╱─ low range ─► merge ─► new nodes ─┬─► where each begins ─┬─► ids
//!            children of a worker ─► order ─╱ ╲─ high range ► merge ─► new nodes ─┘                      └─► written in order
//! ```
//! "Order" marks the nodes where most are bare (see [`ordered`](super::ordered)), and sorts them elsewhere. There are more ranges
//! than workers, and, where bare nodes are marked, more runs of others to sort: a worker that is free takes the next.
//!
//! Where some worker has too many nodes for that, the nodes of all workers go to logs, each for a range of low children and small
//! enough to be sorted. A worker that is free takes the next log, and sends the ids back to the workers that have the nodes.

use std::sync::Arc;

use super::{
    fresh::Last,
    merge::{Piece, merge},
    nodes::Nodes,
    ordered::Ordered,
    siblings::Siblings,
};
use crate::{
    disk::{cells, dense::Dense, lane::Lane, parted::Parted, pool::Share, sorter::Sorter, space::Space, spool::Spool},
    error::Result,
    file::writer::NodeWriter,
    model::FALSE,
    sweep::{division::Division, marks::CHUNK, team::Team},
};

/// Numbers the nodes of `level`. One worker writes the new nodes itself; those of several are returned as logs, to be written one
/// after the other.
pub fn number<I: Lane>(
    level: &mut [Nodes<'_, I>],
    writer: &mut NodeWriter<I>,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    if let [nodes] = level {
        return number_alone(nodes, writer, space).map(|()| Vec::new());
    }
    if let Some(ordered) = level.iter_mut().map(Nodes::ordered).collect() {
        return number_ordered(ordered, writer.end(), team, space);
    }
    number_all_parted(level, writer.end(), team, space)
}

/// Shared work is cut into this many pieces for each worker.
const TURNS: usize = 2;
/// The smallest pieces of shared work: nodes to sort (`RUN`), and marks to number, or other work counted in these (`RANGE`).
const RUN: usize = 1024;
const RANGE: u64 = 2048;

/// Numbers the nodes of a level that one worker has alone, and writes the new ones.
pub fn number_alone<I: Lane>(nodes: &mut Nodes<'_, I>, writer: &mut NodeWriter<I>, space: &Space) -> Result<()> {
    if let Some(mut ordered) = Ordered::marked(&mut nodes.children, &mut nodes.desk.sorter, space)? {
        let sorter = &mut nodes.desk.sorter;
        ordered.take_unsorted(usize::MAX).try_for_each(|others| sorter.order(others, 2, space))?;
        let (piece, base) = (ordered.piece(), writer.end());
        let lengths = piece.lengths();
        let places = merge(vec![piece], writer, space)?;
        ordered.note_range(lengths, base, 0);
        ordered.note_places(Arc::new(places));
        nodes.order = Some(ordered);
        return Ok(());
    }
    let (Dense::Array(children), Dense::Array(ids), desk) = nodes.with_ids()? else {
        return number_parted(nodes, writer, space);
    };
    let (pairs, ids) = (children.pairs(), ids.values_mut());
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

/// Numbers the nodes of one worker where their children do not fit an array and can be read in order only once.
fn number_parted<I: Lane>(nodes: &mut Nodes<'_, I>, writer: &mut NodeWriter<I>, space: &Space) -> Result<()> {
    let mut siblings = parts_for(std::slice::from_mut(nodes), space)?;
    nodes.part_into(&mut siblings, |node| node)?;
    let (_, ids, desk) = nodes.with_ids()?;
    desk.sorter.sort_parted(siblings, 2, space, &mut merging(writer, space, |node, id| ids.put(node, id)))
}

/// Numbers the nodes of all workers part by part, where those of some worker are not in order. `end` is the id of the first new
/// node; returns the new nodes, a log for each part.
fn number_all_parted<I: Lane>(
    level: &mut [Nodes<'_, I>],
    end: u64,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    let (division, workers) = (Division::new(level.len()), level.len());
    let mut all = parts_for(level, space)?;
    let tasks = (0..).zip(&mut *level).map(|(own, nodes)| (own, nodes, all.empty())).collect();
    let each = team.each(tasks, |(own, nodes, mut siblings)| {
        nodes.part_into(&mut siblings, |node| node << division.shift | own)?;
        Ok(siblings)
    })?;
    for siblings in each {
        all.join(siblings);
    }
    let sorters = level.iter_mut().map(|nodes| &mut nodes.desk.sorter).collect();
    let merged = team.share(sorters, all.into_logs().collect(), |sorter, (lane, mut siblings)| {
        let mut ids: Vec<_> = (0..workers).map(|_| Spool::new(Share::Arcs)).collect();
        let (mut fresh, mut last) = (Spool::new(Share::Arcs), Last::new(I::MARK));
        let mut put = |node, id| ids[division.owner(node)].append([I::of(node >> division.shift), id], space);
        sorter.sort_from(lane, &mut siblings, 2, space, &mut |some| last.write(some, &mut fresh, space, &mut put))?;
        Ok((fresh, ids))
    })?;
    // For each worker, the ids of its nodes in every part, with the id of the part's first new node.
    let mut ids_of: Vec<_> = (0..workers).map(|_| Vec::with_capacity(merged.len())).collect();
    let (mut base, mut all_fresh) = (end, Vec::with_capacity(merged.len()));
    for (fresh, ids) in merged {
        ids_of.iter_mut().zip(ids).for_each(|(all, ids)| all.push((base, ids)));
        base += fresh.count();
        all_fresh.push(fresh);
    }
    team.each(level.iter_mut().zip(ids_of).collect(), |(nodes, parts)| {
        parts.into_iter().try_for_each(|(base, ids)| nodes.put_all(base, ids))
    })?;
    Ok(all_fresh)
}

/// Empty parts, by ranges of low children, for all nodes of `level`. Makes room for an id of each node.
fn parts_for<I: Lane>(level: &mut [Nodes<'_, I>], space: &Space) -> Result<Parted<I, 3>> {
    let (mut width, mut range, mut lows) = (0, cells::KeyRange::default(), Vec::new());
    for nodes in level {
        width += nodes.width;
        let (children, ..) = nodes.with_ids()?;
        range.join(&children.range());
        lows.extend(children.some_even()?);
    }
    Ok(Parted::new(&range, 0, &lows, width, space))
}

/// Numbers the nodes of all workers, which are in order, by merging them range by range. `end` is the id of the first new node;
/// returns the new nodes, a log for each range. Others that are not sorted yet are sorted first, by all workers, since mostly one
/// worker has most of them.
fn number_ordered<I: Lane>(
    mut all: Vec<(&mut Ordered<I>, &mut Sorter)>,
    end: u64,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    order_others(&mut all, team, space)?;
    let pieces: Vec<_> = all.iter_mut().map(|(ordered, _)| ordered.piece()).collect();
    let (workers, cuts) = (pieces.len(), cuts(&pieces, TURNS * pieces.len()));
    let mut ranges: Vec<_> = (0..=cuts.len()).map(|_| Vec::with_capacity(workers)).collect();
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
    let merged = team.share(vec![(); workers], ranges, |(), range| {
        let mut fresh = Spool::new(Share::Arcs);
        let places = merge(range, &mut fresh, space)?;
        Ok((fresh, places))
    })?;
    let all_places = merged.iter().map(|(_, places)| places.len()).sum();
    let (mut base, mut places, mut all_fresh) = (end, Vec::with_capacity(all_places), Vec::with_capacity(merged.len()));
    for ((fresh, some), lengths) in merged.into_iter().zip(lengths) {
        for ((ordered, _), lengths) in all.iter_mut().zip(lengths) {
            ordered.note_range(lengths, base, places.len());
        }
        base += fresh.count();
        places.extend(some);
        all_fresh.push(fresh);
    }
    let places = Arc::new(places);
    for (ordered, _) in all {
        ordered.note_places(places.clone());
    }
    Ok(all_fresh)
}

/// Sorts the others that are not sorted yet, in runs shared among the workers.
fn order_others<I: Lane>(all: &mut [(&mut Ordered<I>, &mut Sorter)], team: &Team, space: &Space) -> Result<()> {
    let unsorted: usize = all.iter().map(|(ordered, _)| ordered.unsorted()).sum();
    let run = unsorted.div_ceil(TURNS * all.len()).max(RUN);
    let (sorters, runs): (Vec<_>, Vec<_>) =
        all.iter_mut().map(|(ordered, sorter)| (sorter, ordered.take_unsorted(run).collect::<Vec<_>>())).unzip();
    let runs = runs.into_iter().flatten().collect();
    team.share(sorters, runs, |sorter, run| sorter.order(run, 2, space)).map(drop)
}

/// Where to cut `pieces` into at most `ranges` ranges with about as much work in each, fewer where there is less than `RANGE` for
/// each. Where low children are marked, cuts are between chunks of marks, even if many nodes have one low child.
fn cuts<I: Lane>(pieces: &[Piece<'_, I>], ranges: usize) -> Vec<I::Pair> {
    let mut samples: Vec<_> = pieces.iter().flat_map(Piece::sample).collect();
    samples.sort_unstable();
    let mut all = 0;
    for (_, work) in &mut samples {
        all += *work;
        *work = all;
    }
    let (marked, ranges) = (pieces.iter().any(|piece| piece.lows.chunks() > 0), (ranges as u64).min(1 + all / RANGE));
    let cut = |range: u64| {
        let (children, _) = samples[samples.partition_point(|(_, work)| work * ranges < range * all)];
        match I::apart(children) {
            // No mark is at or before false, so this splits no chunk.
            [low, _] if marked && low.get() != FALSE => {
                I::of(low.get() / CHUNK as u64 * CHUNK as u64).before(I::of(FALSE))
            }
            _ => children,
        }
    };
    (1..ranges).map(cut).collect()
}

/// Writes each distinct node among the siblings it is shown once, unless its children are equal, and `put`s the id at each sibling.
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
    use std::time::Duration;

    use fastrand::Rng;

    use super::*;
    use crate::disk::{space::testing, words::Words};
    use crate::sweep::desk::Desk;

    /// The children of `len` nodes: low ones among `children` ids from `first` on; high ones are false in `bare` of 32 nodes.
    fn nodes(random: &mut Rng, len: usize, first: u64, children: u32, bare: u32) -> Vec<[u64; 2]> {
        let child = |first: u64, random: &mut Rng| first + u64::from(random.u32(..children));
        let node = |_| match (random.u32(..20), random.u32(..32) < bare) {
            (0, _) => [random.u64(..2), random.u64(..2)],
            (1, false) => [first + 7; 2],
            (_, true) => [child(first, random), 0],
            (_, false) => [child(first, random), child(2, random)],
        };
        (0..len).map(node).collect()
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

    fn nodes_of<'a, I: Lane>(children: &[[u64; 2]], desk: &'a mut Desk, space: &'a Space) -> Result<Nodes<'a, I>> {
        let len = children.len() as u64;
        let mut dense = Dense::zeroes(Words::default(), 2 * len, space)?;
        for (at, &child) in (0..).zip(children.as_flattened()) {
            dense.put(at, I::of(child))?;
        }
        desk.give_back(vec![u64::MAX; children.len() + 1].into());
        // The sorter's array holds garbage, as after earlier use.
        desk.sorter.give_back(vec![0x0123_4567_89ab_cdef; 5 * children.len()].into());
        Ok(Nodes::new(len, dense, desk, space))
    }

    fn ids_of<I: Lane>(nodes: Nodes<'_, I>) -> Result<Vec<u64>> {
        let mut ids = Vec::new();
        nodes.show_ids(|some| {
            ids.extend(some.iter().rev().map(|id| id.get()));
            Ok(())
        })?;
        ids.reverse();
        Ok(ids)
    }

    /// Checks the nodes of a level against [`slowly`]; answers for how many workers bare ones were marked.
    fn check<I: Lane>(level: &[Vec<[u64; 2]>], team: &Team, space: &Space) -> Result<usize> {
        let mut desks: Vec<_> = level.iter().map(|_| Desk::default()).collect();
        let mut nodes = Vec::new();
        for (children, desk) in level.iter().zip(&mut desks) {
            let mut some = nodes_of::<I>(children, desk, space)?;
            some.order()?;
            nodes.push(some);
        }
        let is_marked = |nodes: &&Nodes<'_, I>| nodes.order.as_ref().is_some_and(Ordered::has_marks);
        let marked = nodes.iter().filter(is_marked).count();
        let ordered = nodes.iter_mut().map(Nodes::ordered).collect::<Option<_>>();
        let numbered = number_ordered(ordered.expect("room for the order"), end::<I>(), team, space)?;
        compare(numbered, nodes, slowly::<I>(level), space)?;
        Ok(marked)
    }

    /// Compares the new nodes of a level, and the ids of all, with the expected ones.
    fn compare<I: Lane>(
        numbered: Vec<Spool<I, 2>>,
        nodes: Vec<Nodes<'_, I>>,
        (fresh, ids): (Vec<[u64; 2]>, Vec<Vec<u64>>),
        space: &Space,
    ) -> Result<()> {
        let mut seen = Vec::new();
        for mut some in numbered {
            some.drain(space, |nodes| {
                seen.extend(nodes.iter().map(|node| node.map(I::get)));
                Ok(())
            })?;
        }
        assert!(seen == fresh, "the new nodes");
        assert!(nodes.into_iter().map(ids_of).collect::<Result<Vec<_>>>()? == ids, "the ids");
        Ok(())
    }

    /// Checks the nodes of a level, which are numbered part by part, against [`slowly`].
    fn check_parted<I: Lane>(level: &[Vec<[u64; 2]>], team: &Team, space: &Space) -> Result<()> {
        let mut desks: Vec<_> = level.iter().map(|_| Desk::default()).collect();
        let nodes = level.iter().zip(&mut desks).map(|(children, desk)| nodes_of::<I>(children, desk, space));
        let mut nodes = nodes.collect::<Result<Vec<_>>>()?;
        // One may be in order, and the others not.
        nodes[0].order()?;
        let numbered = number_all_parted(&mut nodes, end::<I>(), team, space)?;
        compare(numbered, nodes, slowly::<I>(level), space)
    }

    #[test]
    fn nodes_that_nobody_can_order_are_numbered_part_by_part() -> Result<()> {
        let mut random = Rng::with_seed(4);
        let teams: Vec<_> = (2..=4).map(|threads| Team::new(threads, Duration::ZERO)).collect::<Result<_>>()?;
        for turn in 0..120 {
            let team = &teams[turn % 3];
            let mut level = crowded(&mut random, team.size(), 9);
            level[0].truncate([0, 10, 2000][random.usize(..3)]);
            // In one part, in a few, and in parts of parts; children and ids in arrays, in parts of these, and in parts of parts.
            let (sort, dense) = ([1 << 20, 20_000, 1000][random.usize(..3)], [1 << 20, 2000, 100][random.usize(..3)]);
            let space = testing::space_with(|limits| {
                (limits.sort, limits.dense, limits.block, limits.arcs) = (sort, dense, 4096, 0);
            });
            if turn % 2 == 0 {
                check_parted::<u64>(&level, team, &space)?;
            } else {
                check_parted::<u32>(&level, team, &space)?;
            }
        }
        Ok(())
    }

    #[test]
    fn nodes_of_every_kind_are_numbered_as_if_they_were_sorted() -> Result<()> {
        let (mut random, mut marked) = (Rng::with_seed(1), [0; 5]);
        let teams: Vec<_> = (1..=4).map(|threads| Team::new(threads, Duration::ZERO)).collect::<Result<_>>()?;
        let lengths = [0, 64, 1100, 2000, 3000, 4000];
        for sort in [2000, 1 << 24] {
            let space = testing::space_with(|limits| (limits.sort, limits.block, limits.arcs) = (sort, 4096, 0));
            for turn in 0..1000 {
                let workers = 1 + turn % 4;
                let nodes = |random: &mut Rng| {
                    let len = lengths[random.usize(..6)].min(if sort == 2000 { 60 } else { 4000 });
                    // As many low children as nodes, a few, or many more, and near to or far from those of others.
                    let children = [len as u32 + 1, 5, 6 * len as u32 + 1, 50_000][random.usize(..4)];
                    let first = 2 + [0, 1, 1000, 1 << 27][random.usize(..4)] + random.u64(..100);
                    let bare = [16, 30, 30, 32][random.usize(..4)];
                    nodes(random, len, first, children, bare)
                };
                let mut level: Vec<_> = (0..workers).map(|_| nodes(&mut random)).collect();
                // There is no level without nodes; on some, many share a low child.
                level[0].push([0, 0]);
                if turn % 8 == 1 && level[0].len() > 1100 {
                    let low = level[0].iter().map(|[low, _]| *low).max().unwrap_or(0);
                    let share = 100 + 100 * random.u64(..4);
                    for nodes in &mut level {
                        nodes.extend((0..share).map(|at| [low, 1 + at]));
                    }
                }
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

    /// 4000 bare nodes with a low child each, and `others` other nodes with the low child `low`.
    fn crowd(low: u64, others: u64) -> [Vec<[u64; 2]>; 2] {
        [(0..4000).map(|at| [2 + at, 0]).collect(), (0..others).map(|at| [low, 3 + at]).collect()]
    }

    #[test]
    fn a_low_child_may_have_any_number_of_nodes() -> Result<()> {
        let (space, team) = (testing::space(1 << 28), Team::new(2, Duration::ZERO)?);
        for others in [0, 1, 2, 3, 4, 5, 60, 300, 800] {
            for low in [2, 3, 40, 62, 63, 64, 100, 4001] {
                let level = crowd(low, others);
                assert_eq!(check::<u32>(&level, &team, &space)?, 1, "of one worker");
                assert_eq!(check::<u64>(&[level.concat()], &team, &space)?, 1, "together");
                // A worker has others only, and marks where the first has none.
                let [bare, others] = level;
                let far = (9000..13_000).map(|at| [at, 0]).chain(others).collect();
                assert_eq!(check::<u32>(&[bare, far], &team, &space)?, 2, "beside bare ones");
            }
        }
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

    /// Checks the numbers that one worker gives, with `dense` bytes for an array of children; answers whether bare nodes were
    /// marked.
    fn check_alone(nodes: &[[u64; 2]], dense: usize) -> Result<bool> {
        let (fresh, ids) = slowly::<u32>(&[nodes.to_vec()]);
        let space = testing::space_with(|limits| (limits.block, limits.dense) = (4096, dense));
        let (mut desk, mut writer) = (Desk::default(), NodeWriter::<u32>::new(&space)?);
        let first = writer.end();
        let mut nodes = nodes_of(nodes, &mut desk, &space)?;
        number_alone(&mut nodes, &mut writer, &space)?;
        assert_eq!(writer.end() - first, fresh.len() as u64);
        let (is_marked, end) = (nodes.order.is_some(), end::<u32>());
        let ids = ids[0].iter().map(|&id| if id < end { id } else { id - end + first });
        assert!(ids_of(nodes)?.into_iter().eq(ids));
        Ok(is_marked)
    }

    #[test]
    fn one_worker_numbers_alone_as_several_do_with_children_in_an_array_or_in_parts() -> Result<()> {
        let mut random = Rng::with_seed(2);
        for (len, bare) in [(0, 0), (10, 30), (500, 0), (500, 30), (5000, 16), (5000, 30), (5000, 32)] {
            let nodes = nodes(&mut random, len, 2, 2 + len as u32, bare);
            // All in an array, in a few parts, and in parts of parts.
            for dense in [1 << 24, 2 * len, 50] {
                let marked = len == 5000 && bare >= 30 && dense > 50;
                assert_eq!(check_alone(&nodes, dense)?, marked, "{len} nodes, {bare} of 32 bare, {dense}");
            }
        }
        Ok(())
    }

    #[test]
    fn one_worker_alone_numbers_any_number_of_nodes_of_a_low_child() -> Result<()> {
        for others in [0, 2, 3, 4, 300, 800] {
            for dense in [1 << 24, 8000] {
                assert!(check_alone(&crowd(40, others).concat(), dense)?);
            }
        }
        Ok(())
    }

    /// The nodes of `workers` workers: bare ones whose low children begin at a different id for each worker, with gaps; some low
    /// children have up to `crowd` others each, which any worker may have, and so may nodes of false and true.
    fn crowded(random: &mut Rng, workers: usize, crowd: u64) -> Vec<Vec<[u64; 2]>> {
        let len = 1200 + random.u64(..1500);
        let first = 2 + [0, 60, 62, 126, 1000][random.usize(..5)];
        let gap = [0, 1, 64, 640, 1 << 20][random.usize(..5)];
        let step = [1, 1, 2, 7][random.usize(..4)];
        let mut level: Vec<Vec<_>> = (0..workers as u64)
            .map(|worker| {
                // Some have the same low children, some lie behind others, some have no marks.
                let start = first + random.u64(..=worker) * (len * step / 2 + gap);
                let count = if worker > 0 && random.u32(..5) == 0 { random.u64(..50) } else { len };
                (0..count).map(|_| [start + step * random.u64(..len), 0]).collect()
            })
            .collect();
        let lows: Vec<_> = level.iter().flatten().map(|[low, _]| *low).collect();
        for _ in 0..random.u64(..12) {
            // A low child with a bare node, or one beside it, or a terminal.
            let low = match random.u32(..6) {
                0 => random.u64(..2),
                1 => lows[random.usize(..lows.len())] + random.u64(..3),
                _ => lows[random.usize(..lows.len())],
            };
            for high in 1..=random.u64(..=crowd) {
                // Some have it twice.
                for _ in 0..=random.u32(..3) / 2 {
                    level[random.usize(..workers)].push([low, high]);
                }
            }
        }
        for nodes in &mut level {
            nodes.extend((0..random.u64(..20)).map(|_| [random.u64(..2), random.u64(..2)]));
            random.shuffle(nodes);
        }
        level
    }

    #[test]
    fn crowded_chunks_of_many_workers_are_numbered_as_if_they_were_sorted() -> Result<()> {
        let (mut random, space, mut marked) = (Rng::with_seed(3), testing::space(1 << 28), [0; 6]);
        let teams: Vec<_> = (1..=5).map(|threads| Team::new(threads, Duration::ZERO)).collect::<Result<_>>()?;
        for turn in 0..300 {
            let workers = 1 + turn % 5;
            let crowd = [4, 7, 9, 16, 40][random.usize(..5)];
            let level = crowded(&mut random, workers, crowd);
            let some = if turn % 2 == 0 {
                check::<u64>(&level, &teams[workers - 1], &space)?
            } else {
                check::<u32>(&level, &teams[workers - 1], &space)?
            };
            marked[some] += 1;
            // In an array, and in parts.
            let all = level.concat();
            check_alone(&all, 1 << 24)?;
            check_alone(&all, 4 * all.len())?;
        }
        assert!(marked[1..].iter().all(|turns| *turns > 0), "one to five are marked: {marked:?}");
        Ok(())
    }
}

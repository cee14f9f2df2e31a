//! Numbering the nodes of a level on the way up: equal ones become one, with the next id in the order of (low, high).
//!
//! ```text
//!   alone    children ─► sort ───────────────────────────────────► written ─► ids
//!   shared   children of a worker ─► sort ─╲ ╱─ low range ─► merge ─► new nodes ─┬─► where each begins ─┬─► ids
//!            children of a worker ─► sort ─╱ ╲─ high range ► merge ─► new nodes ─┘                      └─► written in order
//! ```

use std::{hint::select_unpredictable, ops::Range};

use super::{
    run::Desk,
    siblings::Siblings,
    team::{Parts, Team},
};
use crate::{
    disk::{
        cells,
        dense::Dense,
        lane::Lane,
        parted::Parted,
        pool::Share,
        sorter::{BATCH, first_two},
        source::some_of,
        space::Space,
        spool::Spool,
    },
    error::Result,
    file::writer::NodeWriter,
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
    /// Whether they are sorted: the sorter has (low, high, node) of each, and sorts nothing else before they have their ids.
    sorted: bool,
    /// Ranges of those that have their ids, and what the marked ones there count from.
    numbered: Vec<(Range<usize>, u64)>,
}

impl<'a, I: Lane> Nodes<'a, I> {
    /// So many nodes with these children, and room for their ids.
    pub fn new(width: u64, children: Dense<'a, I>, ids: Dense<'a, I>, desk: &'a mut Desk) -> Self {
        Self { width, children, ids, desk, sorted: false, numbered: Vec::new() }
    }

    /// Whether so many nodes can be sorted at once.
    pub fn can_sort(width: u64, space: &Space) -> bool {
        Dense::<I>::fits(2 * width, space) && width <= space.limits.most_sorted::<I, 3>()
    }

    /// Sorts them, which can be.
    pub fn sort(&mut self, space: &Space) -> Result<()> {
        let pairs = self.children.pairs().expect("nodes that can be sorted have their children in an array");
        self.sorted = true;
        self.desk.sorter.keep(Siblings::all(pairs), 2, space)
    }

    /// The nodes as (low, high, node) in order, once they are sorted.
    fn run(&mut self) -> &mut [[I; 3]] {
        self.desk.sorter.records_mut(self.width as usize)
    }

    /// Puts the ids of nodes that were numbered where they are sorted.
    pub fn put_ids(&mut self) -> Result<()> {
        for (range, base) in std::mem::take(&mut self.numbered) {
            for &[id, _, node] in &self.desk.sorter.records::<I, 3>(range.end)[range] {
                let id = if id.get() < I::MARK { id } else { I::of(id.get() - I::MARK + base) };
                self.ids.put(node.get(), id)?;
            }
        }
        Ok(())
    }
}

/// Numbers the nodes of `level`, those of each worker in turn. Where all are sorted, each worker still has to put its ids, and
/// this gives the new nodes, to be written one after the other.
pub fn number<I: Lane>(
    level: &mut [Nodes<'_, I>],
    writer: &mut NodeWriter<I>,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    if level.iter().all(|nodes| nodes.sorted) {
        return number_sorted(level, writer.end(), team, space);
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
fn number_sorted<I: Lane>(
    level: &mut [Nodes<'_, I>],
    end: u64,
    team: &Team,
    space: &Space,
) -> Result<Vec<Spool<I, 2>>> {
    let mut runs: Vec<_> = level.iter_mut().map(Nodes::run).collect();
    let ranges = ranges(&runs);
    let fresh = team.each(pieces(&mut runs, &ranges), |pieces| merge_all(pieces, space))?;
    let ends = fresh.iter().scan(end, |end, fresh| Some(std::mem::replace(end, *end + fresh.count())));
    let bases: Vec<_> = ends.collect();
    for (nodes, ranges) in level.iter_mut().zip(ranges) {
        nodes.numbered = ranges.into_iter().zip(bases.iter().copied()).collect();
    }
    Ok(fresh)
}

/// Parts every run into as many ranges as there are runs: such that about as many nodes are in each range of all runs.
fn ranges<I: Lane>(runs: &[&mut [[I; 3]]]) -> Vec<Vec<Range<usize>>> {
    let samples = |run: &&mut [[I; 3]]| some_of(run, SAMPLES).map(first_two).collect::<Vec<_>>();
    let mut samples = runs.iter().flat_map(samples).collect::<Vec<_>>();
    samples.sort_unstable();
    let cuts: Vec<_> = (1..runs.len()).map(|at| samples[at * samples.len() / runs.len()]).collect();
    let ranges = |run: &&mut [[I; 3]]| {
        let ends = cuts.iter().map(|cut| run.partition_point(|node| first_two(node) < *cut)).chain([run.len()]);
        ends.scan(0, |start, end| Some(std::mem::replace(start, end)..end)).collect()
    };
    runs.iter().map(ranges).collect()
}

/// For each range its piece of every run.
fn pieces<'a, I>(runs: &'a mut [&mut [[I; 3]]], ranges: &[Vec<Range<usize>>]) -> Vec<Vec<&'a mut [[I; 3]]>> {
    let mut pieces: Vec<Vec<_>> = runs.iter().map(|_| Vec::with_capacity(runs.len())).collect();
    for (run, ranges) in runs.iter_mut().zip(ranges) {
        let mut rest = &mut **run;
        for (pieces, range) in pieces.iter_mut().zip(ranges) {
            let (piece, later) = rest.split_at_mut(range.len());
            pieces.push(piece);
            rest = later;
        }
    }
    pieces
}

/// One node for all in `runs` that agree, unless their children are equal; in place of the low child, each gets its id, which
/// is marked where it counts from the first of these.
///
/// Several in a row mostly come from one run: those up to the next one of any other go at once.
fn merge_all<I: Lane>(mut runs: Vec<&mut [[I; 3]]>, space: &Space) -> Result<Spool<I, 2>> {
    const ROOM: usize = 2 * BATCH;
    let mut fresh = Spool::new(Share::Arcs);
    let (mut last, mut nodes) = (Last::new(I::MARK), [[I::zeroed(); 2]; ROOM]);
    let mut heads: Vec<_> = runs.iter().map(|run| head(run)).collect();
    loop {
        let (next, bound) = next_of::<I>(&heads);
        let run = std::mem::take(&mut runs[next]);
        if run.is_empty() {
            break;
        }
        let mut taken = 0;
        for node in run.iter_mut().take(BATCH) {
            let children = first_two(node);
            if children > bound {
                break;
            }
            node[0] = last.id_of(children, &mut nodes);
            taken += 1;
        }
        runs[next] = &mut run[taken..];
        heads[next] = head(runs[next]);
        if last.fresh > BATCH {
            fresh.append_all(&nodes[..last.fresh], space)?;
            last.fresh = 0;
        }
    }
    fresh.append_all(&nodes[..last.fresh], space)?;
    Ok(fresh)
}

/// Which run has the least of `heads`, one that is done if all are, and the least of the others.
#[inline(always)]
fn next_of<I: Lane>(heads: &[I::Pair]) -> (usize, I::Pair) {
    let none = I::MAX.before(I::MAX);
    let (mut next, mut least, mut bound) = (0, none, none);
    for (run, &head) in heads.iter().enumerate() {
        if head < least {
            (next, least, bound) = (run, head, least);
        } else {
            bound = bound.min(head);
        }
    }
    (next, bound)
}

/// The children of the first node of a run; where there is none, more than any.
#[inline(always)]
fn head<I: Lane>(run: &[[I; 3]]) -> I::Pair {
    run.first().map_or(I::MAX.before(I::MAX), first_two)
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

/// The node that was numbered last, where nodes come in order.
#[derive(Clone, Copy)]
pub struct Last<I: Lane> {
    children: I::Pair,
    /// The id of the next new node.
    end: u64,
    /// How many new nodes there are.
    fresh: usize,
}

impl<I: Lane> Last<I> {
    /// None yet; `end` is the id of the first.
    pub fn new(end: u64) -> Self {
        Self { children: I::MAX.before(I::MAX), end, fresh: 0 }
    }

    /// Writes one node for all of `siblings`, which come next, that agree, unless their children are equal, and `put`s its id at
    /// each.
    #[inline(always)]
    pub fn write(
        &mut self,
        mut siblings: &[[I; 3]],
        writer: &mut NodeWriter<I>,
        space: &Space,
        put: &mut impl FnMut(u64, I) -> Result<()>,
    ) -> Result<()> {
        while !siblings.is_empty() {
            let room = writer.room(space)?;
            let (now, later) = siblings.split_at(siblings.len().min(room.len()));
            let mut numbered = Last { fresh: 0, ..*self };
            for sibling in now {
                put(sibling[2].get(), numbered.id_of(first_two(sibling), room))?;
            }
            writer.advance(numbered.fresh);
            (*self, siblings) = (numbered, later);
        }
        Ok(())
    }

    /// The id of a node with these children: that of the last one if they agree, that of the child if both are equal. A new node
    /// goes to `nodes`, where there must be room, behind those that are fresh.
    ///
    /// Which of these it is is anybody's guess, so that there is no branch for it: it is written down in any case, and counts or
    /// does not.
    #[inline(always)]
    fn id_of(&mut self, children: I::Pair, nodes: &mut [[I; 2]]) -> I {
        let [low, high] = I::apart(children);
        let new = low != high && children != self.children;
        self.children = children;
        nodes[self.fresh] = [low, high];
        self.fresh += usize::from(new);
        self.end += u64::from(new);
        select_unpredictable(low != high, I::of(self.end - 1), low)
    }
}

/// So many nodes of a run tell how all lie.
const SAMPLES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    /// Nodes in order; with few `children` many agree, or have equal ones.
    fn run_of(run: usize, len: usize, children: u32) -> Vec<[u32; 3]> {
        let mut state = run as u32 + 1;
        let mut child = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % children
        };
        let mut nodes: Vec<_> = (0..len as u32).map(|node| [child(), child(), node]).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The new nodes among those of all runs.
    fn merge_slowly(runs: &[Vec<[u32; 3]>]) -> Vec<[u32; 2]> {
        let all = runs.iter().flatten().map(|&[low, high, _]| [low, high]).filter(|[low, high]| low != high);
        let mut fresh: Vec<_> = all.collect();
        fresh.sort_unstable();
        fresh.dedup();
        fresh
    }

    #[test]
    fn runs_of_every_length_are_merged_as_if_they_were_one() -> Result<()> {
        let space = testing::space(1 << 24);
        let lengths = [0, 1, 2, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH, 5 * BATCH + 3];
        for count in 1..=4 {
            for turn in 0..lengths.len() * lengths.len() {
                for children in [2, 30, 1 << 20] {
                    let length = |run| lengths[(turn + run * (turn / lengths.len() + 1)) % lengths.len()];
                    let before: Vec<_> = (0..count).map(|run| run_of(run, length(run), children)).collect();
                    let mut runs = before.clone();
                    let mut merged = merge_all(runs.iter_mut().map(|run| &mut run[..]).collect(), &space)?;
                    let mut fresh = Vec::new();
                    merged.drain(&space, |nodes| {
                        fresh.extend_from_slice(nodes);
                        Ok(())
                    })?;
                    assert_eq!(fresh, merge_slowly(&before), "{count} runs, {turn}");
                    for (&[low, high, node], &[id, _, same]) in before.iter().flatten().zip(runs.iter().flatten()) {
                        let place = fresh.binary_search(&[low, high]).map(|at| u32::MARK as u32 + at as u32);
                        assert_eq!((id, same), (place.unwrap_or(low), node), "{count} runs, {turn}");
                    }
                }
            }
        }
        Ok(())
    }
}

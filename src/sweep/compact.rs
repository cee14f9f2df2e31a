//! `compact`: copies the nodes of a diagram's lower levels that can be reached.
//!
//! Where an operation changes nothing any more, its requests are nodes of the operand, and the nodes below them are part of the
//! result already: in order, and each once. So nothing is sorted or reduced.
//!
//! ```text
//!   requests ─► marks ◄── children of marked nodes ── operand, top-down
//!                 │
//!                 └─► a node's id: how many marks come before it ─► marked nodes ── operand, bottom-up ─► written
//! ```
//! Cost: two passes over the nodes that can be reached, O(scan), and over the marks of all. Memory: five eighths of a byte for each
//! node of the operand, in place of the arrays in which levels are sorted and collected, which are not needed meanwhile.

use super::{
    desk::Desk,
    marks::{CHUNK, Marks, ones},
    run::Run,
};
use crate::{
    disk::{lane::Lane, limits::Limits, pool::Share, spool::Spool},
    error::Result,
    file::{node_file::NodeFile, reader::LevelReader, writer::NodeWriter},
    model::TERMINALS,
    progress::Sweep,
};

/// Whether to compact is worth it for `requests` requests for the level of rank `top`: reading the marks of that level and all
/// below counts for a thousandth of a request each.
pub fn pays(file: &NodeFile, top: usize, requests: u64) -> bool {
    requests > file.levels().range(top).end / 1024
}

/// The number of desks whose arrays must be given up to make room for these marks.
pub fn desks_for(file: &NodeFile, top: usize, limits: &Limits) -> usize {
    let desk = (limits.sort + 2 * limits.dense).max(1) as u64;
    Marks::bytes(file.levels().range(top).end).div_ceil(desk) as usize
}

/// Copies the part of `file` that `requests` lead to. These have a node of rank `top` or below in `lane`, and in the last lane the
/// slot that asks. The marks must fit. The sweep has `made` nodes above, for progress. Returns the nodes, and for every request the
/// slot and the id to which it leads.
pub fn compact<I: Lane, const N: usize>(
    file: &NodeFile,
    top: usize,
    lane: usize,
    requests: &Spool<I, N>,
    made: u64,
    run: &mut Run<'_>,
) -> Result<(NodeWriter<I>, Spool<I, 2>)> {
    let space = run.space;
    let ids = file.levels().range(top).end;
    let fits_one = Marks::bytes(ids) <= space.limits.dense as u64;
    if !fits_one {
        run.desks.iter_mut().for_each(Desk::clear);
    }
    let mut words = run.desks[0].take_array();
    let mut marks = Marks::new(&mut words, ids);
    // They keep their ids.
    (0..TERMINALS).for_each(|terminal| marks.set(terminal));
    mark_reached(file, top, lane, requests, &mut marks, made, run)?;
    let below = write_marked(file, top, &mut marks, run)?;
    run.counters.requests += requests.count();
    let mut arrivals = Spool::new(Share::Arcs);
    requests.visit(space, |block| {
        let mut arrivals_of = block.iter().map(|request| [request[N - 1], I::of(marks.before(request[lane].get()))]);
        arrivals_of.try_for_each(|arrival| arrivals.append(arrival, space))
    })?;
    if fits_one {
        run.desks[0].give_back(words);
    }
    Ok((below, arrivals))
}

/// Marks the nodes of `file` that `requests` lead to, top-down.
fn mark_reached<I: Lane, const N: usize>(
    file: &NodeFile,
    top: usize,
    lane: usize,
    requests: &Spool<I, N>,
    marks: &mut Marks<'_>,
    made: u64,
    run: &mut Run<'_>,
) -> Result<()> {
    let space = run.space;
    requests.visit(space, |block| {
        for request in block {
            marks.set(request[lane].get());
        }
        Ok(())
    })?;
    let mut reader = LevelReader::in_order(file);
    for rank in (1..=top).rev() {
        reader.enter(rank);
        marks.each::<I>(&mut reader, |marks, nodes, bits| {
            for at in ones(bits) {
                nodes[at].iter().for_each(|child| marks.set(child.get()));
            }
            Ok(())
        })?;
        run.report(Sweep::Expand, file.variable(rank), made)?;
    }
    Ok(())
}

/// Writes the marked nodes of `file`, bottom-up; the id of each is how many marks come before it.
fn write_marked<I: Lane>(
    file: &NodeFile,
    top: usize,
    marks: &mut Marks<'_>,
    run: &mut Run<'_>,
) -> Result<NodeWriter<I>> {
    let space = run.space;
    // Below the first id without a mark all nodes keep their ids and their children.
    let intact = marks.count_up();
    let mut below = NodeWriter::new(space)?;
    below.reserve_levels(top);
    let mut reader = LevelReader::in_order(file);
    for rank in 1..=top {
        reader.enter(rank);
        marks.each::<I>(&mut reader, |marks, nodes, bits| {
            if below.end() + nodes.len() as u64 <= intact {
                return below.push_all(nodes, space);
            }
            let (mut kept, mut count) = ([[I::zeroed(); 2]; CHUNK], 0);
            for at in ones(bits) {
                kept[count % CHUNK] = nodes[at].map(|child| I::of(marks.before(child.get())));
                count += 1;
            }
            below.push_all(&kept[..count], space)
        })?;
        below.end_level(file.variable(rank));
        run.report(Sweep::Reduce, file.variable(rank), below.nodes())?;
    }
    Ok(below)
}

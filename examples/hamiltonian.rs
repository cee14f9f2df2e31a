//! Hamiltonian cycles of the n×n grid: closed tours from square to neighbouring square that visit each just once.
//!
//! `cargo run --release --example hamiltonian -- 8`
//!
//! Every edge is a variable, in the order of squares row by row: first the edge from a square to the right, then the
//! edge down. The edges are decided one after another, and a [`Frontier`] is all that matters of the decisions so far.
//! So each level of the diagram has one node for every possible frontier. The frontiers are found from the top down;
//! then the nodes are added from the bottom up.
//!
//! After D. E. Knuth, *The Art of Computer Programming*, volume 4A, 7.1.4. Beside the budget, n = 12 takes 100 MiB of
//! RAM (`/usr/bin/time -v`).

use std::{collections::HashMap, error::Error, io::Write, process::ExitCode};

use clap::{Parser, value_parser};
use strata_bdd::{Bdd, BuilderNode, Result, Store};

#[path = "shared/end.rs"]
mod end;
#[path = "shared/store.rs"]
mod store;

/// Hamiltonian cycles of the N×N grid.
#[derive(Parser)]
#[command(name = "hamiltonian", version)]
struct Options {
    /// Rows and columns, 2 to 12.
    #[arg(value_name = "N", value_parser = value_parser!(u8).range(2..=12))]
    n: u8,
    #[command(flatten)]
    store: store::StoreOptions,
}

/// For every square: the square itself while no chosen edge meets it; the other end of its path once one edge does;
/// [`DONE`] once two edges do.
type Frontier = Vec<u8>;
const DONE: u8 = u8::MAX;

fn main() -> ExitCode {
    end::end(count(&Options::parse()))
}

/// Counts the cycles and prints the result.
fn count(options: &Options) -> Result<(), Box<dyn Error>> {
    let (store, edges) = (options.store.open(None)?, edges(options.n));
    let cycles = cycles(&edges, &store)?;
    let (count, nodes) = (cycles.sat_count(edges.len() as u32)?, cycles.node_count());
    Ok(writeln!(std::io::stdout(), "cycles: {count}\nnodes: {nodes}\n{}", store::work(&store))?)
}

/// The edges in the order of their variables, each as its two squares.
fn edges(n: u8) -> Vec<(u8, u8)> {
    let all = (0..n * n).flat_map(|square| [(square, square + 1), (square, square + n)]);
    all.filter(|&(from, to)| to < n * n && (to == from + n || to % n > 0)).collect()
}

/// The sets of `edges` that are a cycle through all squares. The last edge is in every such set, since its second
/// square has only two edges.
fn cycles(edges: &[(u8, u8)], store: &Store) -> Result<Bdd> {
    // For each level, the high and the low child of every node: numbers on the level below, `None` where no cycle can
    // follow.
    let mut levels: Vec<Vec<[Option<usize>; 2]>> = Vec::new();
    let mut above: Vec<Frontier> = vec![(0..=edges[edges.len() - 1].1).collect()];
    for (&edge, next) in edges.iter().zip(&edges[1..]) {
        let mut below: HashMap<Frontier, usize> = HashMap::new();
        let mut number = |frontier: Frontier| {
            let (done, new) = (frontier[usize::from(edge.0)] == DONE, below.len());
            (done || next.0 == edge.0).then(|| *below.entry(frontier).or_insert(new))
        };
        let children = |frontier| [join(&frontier, edge).and_then(&mut number), number(frontier)];
        levels.push(above.into_iter().map(children).collect());
        above = vec![Frontier::new(); below.len()];
        for (frontier, number) in below {
            above[number] = frontier;
        }
    }

    let (mut builder, last) = (store.builder()?, levels.len() as u32);
    let mut below: Vec<_> = above.iter().map(|_| builder.add_node(last, false, true)).collect::<Result<_>>()?;
    for (variable, level) in (0..last).zip(&levels).rev() {
        let node = |child: Option<usize>| child.map_or(BuilderNode::from(false), |number| below[number]);
        let nodes = level.iter().map(|&[high, low]| builder.add_node(variable, node(low), node(high)));
        below = nodes.collect::<Result<_>>()?;
    }
    builder.build()
}

/// The frontier after an edge is chosen; `None` where three edges would meet, or a cycle would close too early.
fn join(frontier: &Frontier, (from, to): (u8, u8)) -> Option<Frontier> {
    let (start, end) = (frontier[usize::from(from)], frontier[usize::from(to)]);
    if start == DONE || end == DONE || start == to {
        return None;
    }
    let mut joined = frontier.clone();
    for (square, value) in [(from, DONE), (to, DONE), (start, end), (end, start)] {
        joined[usize::from(square)] = value;
    }
    Some(joined)
}

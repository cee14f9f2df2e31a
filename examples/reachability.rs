//! The reachable states of N dining philosophers, and those among them without a successor.
//!
//! `cargo run --release --example reachability -- 20`
//!
//! The philosophers sit around a table, with a fork between every two neighbours. A philosopher takes the fork on the
//! left, then the one on the right, eats, and puts both down; one philosopher at a time takes a step. The state of
//! philosopher i is two bits, "holds the left fork" and "holds the right fork": current variables 4i and 4i + 2. The
//! next variables follow their current ones, so that the diagram of "nothing changes" stays small. The search is
//! breadth-first: every step takes the successors of the states that the step before found new.
//!
//! There are (1 + √2)^N + (1 − √2)^N reachable states: those in which the right neighbour of a philosopher who eats
//! holds no fork. In one of them, the deadlock, all philosophers hold their left fork and wait.
//!
//! After E. W. Dijkstra, *Hierarchical Ordering of Sequential Processes*, 1971, and J. R. Burch et al., *Symbolic Model
//! Checking: 10^20 States and Beyond*, 1992.

use std::{error::Error, io::Write, process::ExitCode};

use clap::{Parser, value_parser};
use strata_bdd::{Bdd, Result, Store, VariablePairs};

#[path = "shared/end.rs"]
mod end;
#[path = "shared/store.rs"]
mod store;

/// Reachable states and deadlocks of N dining philosophers.
#[derive(Parser)]
#[command(name = "reachability", version)]
struct Options {
    /// Philosophers, 2 to 100.
    #[arg(value_name = "N", value_parser = value_parser!(u32).range(2..=100))]
    n: u32,
    #[command(flatten)]
    store: store::StoreOptions,
}

fn main() -> ExitCode {
    end::end(explore(&Options::parse()))
}

/// Searches all states; prints the number of new states of every step, and the totals.
fn explore(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let store = options.store.open(None)?;
    let bits = 2 * options.n;
    let pairs = VariablePairs::interleaved(bits)?;
    let relation = relation(options.n, &store)?;

    let mut new = store.cube((0..bits).map(|bit| (2 * bit, false)))?;
    let mut reached = new.clone();
    for step in 0.. {
        writeln!(out, "step {step}: {} states", new.sat_count(bits)?)?;
        new = (new.rel_next(&relation, &pairs)? & !&reached)?;
        if new.is_false() {
            break;
        }
        reached = (reached | &new)?;
    }
    let stuck = reached.diff(&reached.rel_prev(&relation, &pairs)?)?;
    writeln!(out, "reachable: {} states, {} nodes", reached.sat_count(bits)?, reached.node_count())?;
    writeln!(out, "deadlocks: {}\nrelation: {} nodes", stuck.sat_count(bits)?, relation.node_count())?;
    writeln!(out, "{}", store::work(&store))?;
    Ok(())
}

/// The transition relation: all steps that one of `n` philosophers can take.
fn relation(n: u32, store: &Store) -> Result<Bdd> {
    // Of the philosophers so far: that one takes a step and the others do nothing, and that all do nothing.
    let (mut steps, mut idle) = (store.constant(false), store.constant(true));
    for i in 0..n {
        let (left, right) = (4 * i, 4 * i + 2);
        let (left_taken, right_taken) = (4 * ((i + n - 1) % n) + 2, 4 * ((i + 1) % n));
        // Each cube has what must hold before the step, and the next values of both bits.
        let take_left =
            store.cube([(left, false), (right, false), (left_taken, false), (left + 1, true), (right + 1, false)])?;
        let take_right =
            store.cube([(left, true), (right, false), (right_taken, false), (left + 1, true), (right + 1, true)])?;
        let put_down = store.cube([(left, true), (right, true), (left + 1, false), (right + 1, false)])?;
        let step = ((take_left | take_right)? | put_down)?;
        let stay = (same(left, store)? & same(right, store)?)?;
        steps = ((steps & &stay)? | (&idle & step)?)?;
        idle = (idle & stay)?;
    }
    Ok(steps)
}

/// Says that the bit of `variable` does not change.
fn same(variable: u32, store: &Store) -> Result<Bdd> {
    store.variable(variable)?.xnor(&store.variable(variable + 1)?)
}

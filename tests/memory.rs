//! The promise that all of this is for: memory stays within the budget, however large the diagrams.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    env, fs,
    process::{Command, Stdio},
    thread,
};

use common::functions::random_function;
use strata_bdd::{Config, Error, Result, Store};

/// What a process of its own is to do, if it is one: variables of an operand, bytes of the budget, threads, and in tenths how many of
/// the small diagrams that there is room for it holds meanwhile.
const WORK: &str = "STRATA_TEST_WORK";

/// The most memory that this process has had, in bytes.
fn peak_rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    1024 * peak.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap()
}

#[test]
#[ignore = "does its work only in a process of its own"]
fn some_work_in_a_process_of_its_own() -> Result<()> {
    let Ok(work) = env::var(WORK) else { return Ok(()) };
    let work: Vec<usize> = work.split(' ').map(|number| number.parse().unwrap()).collect();
    let [variables, memory, threads, held] = work[..] else { panic!("four numbers, not {work:?}") };
    let store = Store::new(Config { memory, threads, ..Config::default() })?;
    let mut small = Vec::new();
    if held > 0 {
        let error = loop {
            match store.cube([(small.len() as u32, true)]) {
                Ok(variable) => small.push(variable),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::BudgetExceeded { .. }), "{error}");
    }
    small.truncate(small.len() * held / 10);
    // Two functions of which every node meets most of the other's on the next level.
    let [f, g] = [1, 2].map(|seed| random_function(&store, seed, variables as u32));
    let (f, g) = (f.replace(|variable| 2 * variable)?, g.replace(|variable| 2 * variable + 1)?);
    // There are few enough nodes that as many run side by side as there are threads.
    let work = || {
        let differ = f.xor(&g)?;
        differ.exists([variables as u32])?;
        Ok::<_, Error>(differ.node_count())
    };
    let nodes = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work()?;
        for other in others {
            assert_eq!(other.join().unwrap()?, own);
        }
        Ok::<_, Error>(own)
    })?;
    eprintln!("{nodes} {} {}", store.stats().spilled_bytes, peak_rss());
    Ok(())
}

/// Nodes of the largest diagram, bytes spilled, and the peak of a process's memory in bytes.
fn work(variables: u32, memory: u64, threads: usize, held: u32) -> [u64; 3] {
    let mut process = Command::new(env::current_exe().unwrap());
    process.args(["--exact", "some_work_in_a_process_of_its_own", "--ignored", "--nocapture"]);
    process.env(WORK, format!("{variables} {memory} {threads} {held}")).stdin(Stdio::null());
    // What many threads have given back is then free for all of them; glibc keeps it for each by itself, beside the budget.
    if threads > 2 {
        process.env("MALLOC_ARENA_MAX", "1");
    }
    let output = process.output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{report}");
    let figures: Vec<u64> = report.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    figures.try_into().unwrap()
}

#[test]
fn memory_stays_within_the_budget_and_a_little_beyond_where_a_diagram_alone_is_larger() {
    for (variables, memory, threads, held) in [
        (14, 16 << 20, 1, 0),
        (14, 16 << 20, 1, 8),
        (14, 16 << 20, 2, 0),
        (15, 16 << 20, 2, 0),
        (15, 64 << 20, 1, 0),
        (15, 64 << 20, 2, 0),
        (15, 64 << 20, 4, 0),
    ] {
        let [nodes, spilled, peak] = work(variables, memory, threads, held);
        assert!(8 * nodes > memory && spilled > 0, "{nodes} nodes, {spilled} bytes spilled");
        assert!(peak <= memory + (20 << 20), "{peak} bytes of memory by {threads} threads within {memory}");
    }
}

//! The memory of a process stays within the budget of its store, however large the diagrams.
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

/// The environment variable that gives a child process its work as four numbers: the variables of an operand; the bytes
/// of the budget; the threads; and how many small diagrams the process holds meanwhile, in tenths of those for which
/// there is room.
const WORK: &str = "STRATA_TEST_WORK";

/// The peak resident set of this process so far, in bytes.
fn peak_rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    1024 * peak.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap()
}

#[test]
#[ignore = "runs in a child process that another test starts"]
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
    // The variables of both functions alternate, so that a node of one function meets most nodes of the other on the
    // next level.
    let [f, g] = [1, 2].map(|seed| random_function(&store, seed, variables as u32));
    let (f, g) = (f.replace(|variable| 2 * variable)?, g.replace(|variable| 2 * variable + 1)?);
    // The operands have so few nodes that operations on them may run side by side, one on each thread.
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

/// Runs the work in a child process. Gives the nodes of the largest diagram, the bytes spilled, and the peak resident
/// set in bytes.
fn work(variables: u32, memory: u64, threads: usize, held: u32) -> [u64; 3] {
    let mut process = Command::new(env::current_exe().unwrap());
    process.args(["--exact", "some_work_in_a_process_of_its_own", "--ignored", "--nocapture"]);
    process.env(WORK, format!("{variables} {memory} {threads} {held}")).stdin(Stdio::null());
    // glibc keeps freed memory apart for each thread, which the budget does not count. With a single arena, memory that
    // one thread frees is there for all.
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
fn memory_exceeds_the_budget_by_at_most_20_mib_where_a_diagram_alone_is_larger() {
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

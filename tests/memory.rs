//! The promise that all of this is for: memory stays within the budget, however large the diagrams.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    env, fs,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use common::functions::random_function;
use strata_bdd::{Config, Error, Result, Store};

/// What a process of its own is to do, if it is one: variables of an operand, bytes of the budget, and threads.
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
    let [variables, memory, threads] = work[..] else { panic!("three numbers, not {work:?}") };
    let store = Store::new(Config { memory, threads, ..Config::default() })?;
    // Two functions of which every node meets most of the other's on the next level.
    let interleaved = |variables| {
        let [f, g] = [1, 2].map(|seed| random_function(&store, seed, variables));
        Ok::<_, Error>((f.replace(|variable| 2 * variable)?, g.replace(|variable| 2 * variable + 1)?))
    };
    let (large, small) = (interleaved(variables as u32)?, interleaved(variables as u32 - 2)?);
    let done = AtomicBool::new(false);
    let (differ, beside) = thread::scope(|scope| {
        // Small ones run beside large ones, or take turns with them.
        let beside = scope.spawn(|| {
            let mut count = 0;
            while !done.load(Relaxed) {
                small.0.xor(&small.1)?.restrict([(3, true)])?;
                count += 1;
            }
            Ok::<u64, Error>(count)
        });
        let differ = large.0.xor(&large.1).and_then(|differ| {
            differ.exists([variables as u32])?;
            Ok(differ)
        });
        done.store(true, Relaxed);
        (differ, beside.join().unwrap())
    });
    assert!(beside? > 0);
    eprintln!("{} {} {}", differ?.node_count(), store.stats().spilled_bytes, peak_rss());
    Ok(())
}

/// Nodes of the largest diagram, bytes spilled, and the peak of a process's memory in bytes.
fn work(variables: u32, memory: u64, threads: usize) -> [u64; 3] {
    let mut process = Command::new(env::current_exe().unwrap());
    process.args(["--exact", "some_work_in_a_process_of_its_own", "--ignored", "--nocapture"]);
    process.env(WORK, format!("{variables} {memory} {threads}")).stdin(Stdio::null());
    let output = process.output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{report}");
    let figures: Vec<u64> = report.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    figures.try_into().unwrap()
}

#[test]
fn memory_stays_within_the_budget_and_a_little_beyond_where_a_diagram_alone_is_larger() {
    for (variables, memory) in [(14, 16 << 20), (15, 64 << 20)] {
        for threads in [1, 2] {
            let [nodes, spilled, peak] = work(variables, memory, threads);
            assert!(8 * nodes > memory && spilled > 0, "{nodes} nodes, {spilled} bytes spilled");
            assert!(peak <= memory + (20 << 20), "{peak} bytes of memory by {threads} threads within {memory}");
        }
    }
}

//! `queens count`: the number of solutions, and what the count took.

use std::time::{Duration, Instant};

use indicatif::HumanBytes;
use serde_json::{Map, json};
use strata_bdd::Times;

use crate::{
    Failure,
    options::CountOptions,
    output::Output,
    recipe::{Board, board},
};

/// Counts the solutions and prints the result.
pub fn count(options: &CountOptions) -> Result<(), Failure> {
    let n = options.board.n;
    let output = Output::new(&options.output, n);
    let store = options.board.store.open(output.callback())?;

    let start = Instant::now();
    let board = board(n, options.order, &store, |row, nodes| output.row(row, nodes))?;
    let build_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let solutions = board.bdd.sat_count(n * n)?;
    let count_seconds = start.elapsed().as_secs_f64();

    let (nodes, stats) = (board.bdd.node_count(), store.stats());
    let Board { largest, widest, .. } = board;
    if options.output.json {
        let mut result = json!({
            "n": n,
            "solutions": solutions.to_string(),
            "nodes": nodes,
            "content_hash": format!("{:032x}", board.bdd.content_hash()),
            "largest_nodes": largest,
            "widest_level": widest,
            "processed_requests": stats.processed_requests,
            "build_seconds": build_seconds,
            "count_seconds": count_seconds,
            "spilled_bytes": stats.spilled_bytes,
            "peak_temp_bytes": stats.peak_temp_bytes,
            "memory_budget": store.config().memory,
            "threads": store.config().threads,
        });
        if options.times {
            let seconds = times(&stats.times).map(|(name, time)| (name.to_string(), json!(time.as_secs_f64())));
            result["times"] = seconds.into_iter().collect::<Map<_, _>>().into();
        }
        return output.result(result);
    }
    output.result(format_args!(
        "solutions: {solutions}\nnodes: {nodes}\nlargest diagram: {largest} nodes\nwidest level: {widest} nodes\n\
         requests: {}\ntime: {build_seconds:.3} s to build, {count_seconds:.3} s to count",
        stats.processed_requests
    ))?;
    if stats.spilled_bytes > 0 {
        let (spilled, peak) = (HumanBytes(stats.spilled_bytes), HumanBytes(stats.peak_temp_bytes));
        output.result(format_args!("temporary files: {spilled} written, {peak} at the peak"))?;
    }
    if options.times {
        let [expand, reduce, fold, sort, disk] = times(&stats.times).map(|(name, time)| format!("{name} {time:.3?}"));
        output.result(format_args!("{expand}, {reduce}, {fold}; in them {sort}, {disk}"))?;
    }
    Ok(())
}

/// The times by their names in the output.
fn times(times: &Times) -> [(&'static str, Duration); 5] {
    [
        ("expand", times.expand),
        ("reduce", times.reduce),
        ("count", times.fold),
        ("sort", times.sort),
        ("wait for disk", times.disk),
    ]
}

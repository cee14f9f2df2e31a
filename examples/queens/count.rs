//! `queens count`: the number of solutions, and what it took.

use std::time::Instant;

use indicatif::HumanBytes;
use serde_json::json;

use crate::{Failure, options::CountOptions, output::Output, recipe::board};

/// Counts the solutions and prints the result.
pub fn count(options: &CountOptions) -> Result<(), Failure> {
    let n = options.n;
    let output = Output::new(&options.output, n);
    let store = options.store.open(output.callback())?;

    let start = Instant::now();
    let board = board(n, &store, |row, nodes| output.row(row, nodes))?;
    let build_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let solutions = board.bdd.sat_count(n * n)?;
    let count_seconds = start.elapsed().as_secs_f64();

    let (nodes, largest, stats) = (board.bdd.node_count(), board.largest, store.stats());
    if options.output.json {
        return output.result(json!({
            "n": n,
            "solutions": solutions.to_string(),
            "nodes": nodes,
            "content_hash": format!("{:032x}", board.bdd.content_hash()),
            "largest_nodes": largest,
            "processed_requests": stats.processed_requests,
            "build_seconds": build_seconds,
            "count_seconds": count_seconds,
            "spilled_bytes": stats.spilled_bytes,
            "peak_temp_bytes": stats.peak_temp_bytes,
            "memory_budget": store.config().memory,
            "threads": store.config().threads,
        }));
    }
    output.result(format_args!(
        "solutions: {solutions}\nnodes: {nodes}\nlargest diagram: {largest} nodes\nrequests: {}\n\
         time: {build_seconds:.3} s to build, {count_seconds:.3} s to count",
        stats.processed_requests
    ))?;
    if stats.spilled_bytes > 0 {
        let (spilled, peak) = (HumanBytes(stats.spilled_bytes), HumanBytes(stats.peak_temp_bytes));
        output.result(format_args!("temporary files: {spilled} written, {peak} at the peak"))?;
    }
    Ok(())
}

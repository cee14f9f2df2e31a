//! One run, in a process of its own.

use rustix::process::{Signal, set_parent_process_death_signal};
use serde_json::json;

use super::args::Args;
use crate::{Failure, peers::measure, recipe};

/// Counts the solutions under the first of the settings and prints what it took.
pub fn run(args: &Args) -> Result<(), Failure> {
    // Without the parent, nobody would read the result.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let (n, settings) = (args.n(), args.settings());
    let store = settings.first().ok_or("no settings")?.open(args.temp_dir.clone())?;
    let board = recipe::board(n, recipe::Order::Linear, &store, |_, _| Ok(()))?;
    let solutions = board.bdd.sat_count(n * n)?;
    let stats = store.stats();
    let report = json!({
        "solutions": solutions.to_string(),
        "processed_requests": stats.processed_requests,
        "spilled_bytes": stats.spilled_bytes,
        "peak_temp_bytes": stats.peak_temp_bytes,
        "peak_rss_kib": measure::peak_rss_kib("self"),
    });
    println!("{report}");
    Ok(())
}

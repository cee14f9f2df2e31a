//! A child process measured from outside: its CPU time, wall time and peak RSS, without those of other processes.

use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde_json::Value;

/// Unit of the times in `/proc/PID/stat`: `USER_HZ`, part of the kernel's interface and 100 on all common platforms.
const TICKS_PER_SECOND: f64 = 100.0;
const POLL: Duration = Duration::from_millis(5);

/// What one run took.
pub struct Sample {
    /// User and system CPU seconds of all threads.
    pub cpu: f64,
    /// Seconds from start to exit.
    #[allow(dead_code, reason = "one bench reads it, another times operations within the run")]
    pub wall: f64,
    /// Peak resident set, MiB.
    pub peak_rss: f64,
    /// The JSON object the program printed.
    pub report: Value,
}

/// Runs `command` to its end; it must print one JSON object.
#[allow(dead_code, reason = "one bench has to stop runs")]
pub fn run(command: &mut Command) -> Result<Sample, Box<dyn Error>> {
    run_while(|| true, command)?.ok_or_else(|| "stopped".into())
}

/// Like [`run`], but stops the child and gives `None` once `go_on` is false, which is asked every few milliseconds.
pub fn run_while(go_on: impl Fn() -> bool, command: &mut Command) -> Result<Option<Sample>, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let pid = child.id().to_string();
    let mut peak_kib = 0;
    // An exited child that is not reaped yet keeps its final times in /proc.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    while waitid(WaitId::Pid(Pid::from_child(&child)), options)?.is_none() {
        if !go_on() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        peak_kib = peak_kib.max(peak_rss_kib(&pid).unwrap_or(0));
        thread::sleep(POLL);
    }
    let wall = start.elapsed().as_secs_f64();
    let times = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // `PID (name) state …`: after the name, which may contain anything, utime and stime are the fields 12 and 13.
    let (_, fields) = times.rsplit_once(')').ok_or("no process name in /proc/PID/stat")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>()?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(output.status.to_string().into());
    }
    let report: Value = serde_json::from_slice(&output.stdout)?;
    // A child that is a bench also reports its peak RSS as its last act; that of the example is known from polling
    // alone.
    let reported_kib = report["peak_rss_kib"].as_u64().map_or(Ok(0), u32::try_from)?;
    peak_kib = peak_kib.max(reported_kib);
    Ok(Some(Sample { cpu: f64::from(ticks) / TICKS_PER_SECOND, wall, peak_rss: f64::from(peak_kib) / 1024.0, report }))
}

/// The median of a figure over the `samples` that have it; `None` if none has.
pub fn median(samples: &[Sample], of: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    middle(samples.iter().filter_map(of).collect())
}

/// The median of `values`; `None` if there are none.
pub fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some(f64::midpoint(values[last / 2], values[last.div_ceil(2)]))
}

/// The peak resident set of process `pid`, or of this process for `self`, so far; `None` once the process has exited.
pub fn peak_rss_kib(pid: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

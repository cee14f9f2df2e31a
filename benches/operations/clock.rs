//! What one operation takes of this process, and its answer.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::Failure;

/// The operations of a process, for its report.
#[derive(Default)]
pub struct Report {
    operations: Vec<Value>,
}

impl Report {
    /// Runs `operation`, takes its times and remembers what `answer` says of its result.
    pub fn time<T>(
        &mut self,
        name: &str,
        operation: impl FnOnce() -> Result<T, Failure>,
        answer: impl FnOnce(&T) -> Result<String, Failure>,
    ) -> Result<T, Failure> {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let result = operation()?;
        let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
        self.operations.push(json!({ "name": name, "cpu": cpu, "wall": wall, "answer": answer(&result)? }));
        Ok(result)
    }

    /// Adds to the last operation what was largest in it.
    pub fn peak(&mut self, text: &str) {
        if let Some(operation) = self.operations.last_mut() {
            operation["peak"] = text.into();
        }
    }

    /// Prints the report, which the parent process reads. `peak_rss_kib` is the peak RSS of the process so far.
    pub fn print(self, peak_rss_kib: Option<u32>) {
        println!("{}", json!({ "operations": self.operations, "peak_rss_kib": peak_rss_kib }));
    }
}

/// User and system CPU seconds of all threads of this process so far.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

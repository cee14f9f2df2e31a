//! What is measured of a run.

use crate::peers::measure::Sample;

/// A figure, where it comes from and how it is shown.
#[derive(Clone, Copy)]
pub struct Figure {
    /// The heading in the CSV file, with the unit of measurement.
    pub column: &'static str,
    /// The heading in tables and plots, with the unit that is shown.
    pub heading: &'static str,
    /// The size of the unit that is shown, in units of measurement.
    unit: f64,
    /// Digits after the point.
    digits: usize,
    /// The figure of a run; `None` where the run did not report it.
    pub of: fn(&Sample) -> Option<f64>,
}

const MIB: f64 = (1 << 20) as f64;

/// Wall time from start to exit of the process.
pub const WALL: Figure =
    Figure { column: "wall_seconds", heading: "wall s", unit: 1.0, digits: 2, of: |sample| Some(sample.wall) };

/// User and system time of all threads.
const CPU: Figure =
    Figure { column: "cpu_seconds", heading: "CPU s", unit: 1.0, digits: 2, of: |sample| Some(sample.cpu) };

/// All bytes that were written to temporary files.
pub const SPILLED: Figure = Figure {
    column: "spilled_bytes",
    heading: "spilled MiB",
    unit: MIB,
    digits: 0,
    of: |sample| sample.report["spilled_bytes"].as_f64(),
};

/// The most bytes that temporary files held at a time.
pub const PEAK_TEMP: Figure = Figure {
    column: "peak_temp_bytes",
    heading: "peak temporary MiB",
    unit: MIB,
    digits: 0,
    of: |sample| sample.report["peak_temp_bytes"].as_f64(),
};

/// The peak resident set of the process.
const PEAK_RSS: Figure = Figure {
    column: "peak_rss_bytes",
    heading: "peak RSS MiB",
    unit: MIB,
    digits: 0,
    of: |sample| Some(sample.peak_rss * MIB),
};

/// The CPU time of the process, divided by the requests that expand sweeps took from their queues.
const PER_REQUEST: Figure = Figure {
    column: "cpu_nanoseconds_per_request",
    heading: "CPU ns per request",
    unit: 1.0,
    digits: 0,
    of: |sample| Some(sample.cpu * 1e9 / sample.report["processed_requests"].as_f64().filter(|&count| count > 0.0)?),
};

/// All figures, in the order of the table's columns.
pub const ALL: [Figure; 6] = [WALL, CPU, SPILLED, PEAK_TEMP, PEAK_RSS, PER_REQUEST];

impl Figure {
    /// `value` in the unit that is shown.
    pub fn scaled(&self, value: f64) -> f64 {
        value / self.unit
    }

    /// `value` as text, in the unit that is shown.
    pub fn shown(&self, value: f64) -> String {
        format!("{:.*}", self.digits, self.scaled(value))
    }
}

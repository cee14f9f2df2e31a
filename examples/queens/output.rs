//! What the user sees: results on standard output, progress on standard error.

use std::{
    fmt::Display,
    io::{self, Write},
    ops::ControlFlow,
    sync::Arc,
};

use indicatif::{ProgressBar, ProgressStyle};
use strata_bdd::{Progress, ProgressCallback, Sweep};

use crate::{Failure, options::OutputOptions};

/// Where results and progress go.
pub struct Output {
    /// Whether standard output is for the result alone.
    json: bool,
    progress: bool,
    /// Hidden where no progress was asked for, or standard error is no terminal. A bar clears itself when it is
    /// dropped.
    bar: ProgressBar,
    /// Rows of the board.
    rows: u32,
}

impl Output {
    /// The output that `options` ask for, on work with a board of `rows` rows.
    pub fn new(options: &OutputOptions, rows: u32) -> Self {
        let bar = if options.progress { ProgressBar::new(u64::from(rows * rows)) } else { ProgressBar::hidden() };
        let style =
            ProgressStyle::with_template("{prefix} rows {wide_bar} {msg}").expect("the template is well formed");
        let bar = bar.with_style(style).with_prefix(format!("0/{rows}"));
        Self { json: options.json, progress: options.progress, bar, rows }
    }

    /// A callback that moves the bar through the levels of every sweep, from the top down or from the bottom up. `None`
    /// if the bar is hidden.
    pub fn callback(&self) -> Option<ProgressCallback> {
        if self.bar.is_hidden() {
            return None;
        }
        let (bar, levels) = (self.bar.clone(), self.rows * self.rows);
        Some(Arc::new(move |&Progress { operation, sweep, variable, nodes, .. }: &Progress| {
            let work = format!("{operation}, {sweep}");
            bar.set_message(if nodes == 0 { work } else { format!("{work}: {nodes} nodes") });
            let upward = matches!(sweep, Sweep::Build | Sweep::Copy | Sweep::Reduce | Sweep::Trace);
            bar.set_position(if upward { levels - variable } else { variable + 1 }.into());
            ControlFlow::Continue(())
        }))
    }

    /// Prints a finished row to standard output. If that is for the result alone, prints the row to standard error
    /// where progress was asked for and no bar shows it.
    pub fn row(&self, row: u32, nodes: u64) -> Result<(), Failure> {
        let line = format!("row {row}: {nodes} nodes");
        self.bar.set_prefix(format!("{}/{}", row + 1, self.rows));
        if !self.json {
            self.result(line)?;
        } else if self.progress && self.bar.is_hidden() {
            let _ = writeln!(io::stderr(), "{line}");
        }
        Ok(())
    }

    /// Prints `text` while the bar is out of the way.
    pub fn result(&self, text: impl Display) -> Result<(), Failure> {
        self.bar.suspend(|| print(text))
    }
}

/// Prints `text` and a line break to standard output, without delay.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::Output)
}

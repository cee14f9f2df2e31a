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
    /// Hidden where nobody asked for it or standard error is no terminal. It clears itself when it is dropped.
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

    /// Moves the bar through the levels of every sweep: downwards, but for reduce, which comes back up.
    pub fn callback(&self) -> Option<ProgressCallback> {
        if self.bar.is_hidden() {
            return None;
        }
        let (bar, levels) = (self.bar.clone(), self.rows * self.rows);
        Some(Arc::new(move |&Progress { sweep, variable, nodes, .. }: &Progress| {
            bar.set_message(if nodes == 0 { sweep.to_string() } else { format!("{sweep}: {nodes} nodes") });
            bar.set_position(if sweep == Sweep::Reduce { levels - variable } else { variable + 1 }.into());
            ControlFlow::Continue(())
        }))
    }

    /// Tells of a finished row, once: on standard output, or on standard error where that is the only sign of progress.
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

    /// Prints `text` without a bar across it.
    pub fn result(&self, text: impl Display) -> Result<(), Failure> {
        self.bar.suspend(|| print(text))
    }
}

/// Prints `text` and a line break to standard output at once.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::Output)
}

//! What the user types.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{recipe::Order, store::StoreOptions};

/// N queens on an N×N board, by binary decision diagrams that outgrow RAM.
#[derive(Parser)]
#[command(name = "queens", version)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Count the solutions.
    Count(CountOptions),
    /// List the solutions in lexicographic order, one a line.
    ///
    /// A line is the row of the queen in each column, from the left column to the right, separated by blanks. Rows are numbered
    /// from 0.
    List(ListOptions),
    /// Count the solutions, also up to rotation and reflection.
    Unique(UniqueOptions),
    /// Draw solutions at random, each as likely as any other.
    ///
    /// A line is the row of the queen in each column, as in `list`.
    Sample(SampleOptions),
    /// Find one solution, fast.
    ///
    /// Prints a single line: the row of the queen in each column, from the left column to the right, separated by blanks. Rows
    /// are numbered from 0. There is no solution for N = 2 and N = 3: exit code 1.
    One(OneOptions),
    /// Count the solutions by backtracking, without diagrams: an independent check, and a yardstick.
    Baseline(BaselineOptions),
}

/// A board, and where the diagrams of its solutions live.
#[derive(Args)]
pub struct BoardOptions {
    /// Rows, columns and queens, 1 to 64.
    #[arg(value_name = "N", value_parser = up_to(64, "; a board takes N·N variables and N·N chains of up to 4·N nodes"))]
    #[arg(allow_negative_numbers = true)]
    pub n: u32,
    #[command(flatten)]
    pub store: StoreOptions,
}

#[derive(Args)]
pub struct CountOptions {
    #[command(flatten)]
    pub board: BoardOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    /// How the rows are put together.
    #[arg(long, value_enum, default_value_t = Order::Linear)]
    pub order: Order,
    /// Show where time went: the sweeps, and in them sorting and waiting for the disk.
    #[arg(long)]
    pub times: bool,
}

#[derive(Args)]
pub struct UniqueOptions {
    #[command(flatten)]
    pub board: BoardOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

#[derive(Args)]
pub struct ListOptions {
    #[command(flatten)]
    pub board: BoardOptions,
    #[command(flatten)]
    pub lines: LineOptions,
    /// List the first K solutions only.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub limit: Option<u64>,
    /// How to find them: restrict the diagram column by column, or iterate over its assignments.
    #[arg(long, value_enum, default_value_t = Via::Restrict)]
    pub via: Via,
}

/// Two ways to the same list.
#[derive(Clone, Copy, ValueEnum)]
pub enum Via {
    /// Backtracking: one `restrict` for every queen tried.
    Restrict,
    /// The library's iterator over assignments.
    Iterate,
}

#[derive(Args)]
pub struct SampleOptions {
    #[command(flatten)]
    pub board: BoardOptions,
    /// How many to draw.
    #[arg(long, value_name = "K", default_value_t = 1, allow_negative_numbers = true)]
    pub count: usize,
    /// The seed: the same seed draws the same solutions, whatever the budget.
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub lines: LineOptions,
}

/// How solutions are printed, a line each.
#[derive(Args)]
pub struct LineOptions {
    /// Draw every board too, below its line: a line per row, Q for a queen.
    #[arg(long = "board")]
    pub draw: bool,
    /// Show on standard error how far the diagram has come.
    #[arg(long)]
    progress: bool,
}

impl LineOptions {
    /// The options of an output that prints nothing but solutions to standard output.
    pub fn output(&self) -> OutputOptions {
        OutputOptions { progress: self.progress, json: true }
    }
}

#[derive(Args)]
pub struct OneOptions {
    /// Rows, columns and queens, 1 to 1000000.
    #[arg(value_name = "N", value_parser = up_to(1_000_000, ""), allow_negative_numbers = true)]
    pub n: u32,
    /// The seed of the random permutations: the same seed finds the same solution.
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Draw the board too, below the rows: a line per row, Q for a queen.
    #[arg(long, conflicts_with = "json")]
    pub board: bool,
    /// Print the result as one line of JSON, and nothing else, to standard output.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct BaselineOptions {
    /// Rows, columns and queens, 1 to 20.
    #[arg(value_name = "N", value_parser = up_to(20, "; each queen more takes some seven times as long"))]
    #[arg(allow_negative_numbers = true)]
    pub n: u32,
    /// Count each solution with its mirror image: half the work.
    #[arg(long)]
    pub symmetry: bool,
    /// Print the result as one line of JSON, and nothing else, to standard output.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct OutputOptions {
    /// Show on standard error how far the work has come: a bar on a terminal; elsewhere, with --json, a line per row.
    #[arg(long)]
    pub progress: bool,
    /// Print the result as one line of JSON, and nothing else, to standard output.
    #[arg(long)]
    pub json: bool,
}

/// Reads a whole number from 1 to `largest`; `reason` ends the message about any other.
fn up_to(largest: u32, reason: &'static str) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (1..=largest).contains(number));
        number.ok_or_else(|| format!("give a whole number from 1 to {largest}{reason}"))
    }
}

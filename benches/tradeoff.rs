//! N-Queens by the classic recipe under every combination of settings: which ones suit this machine?
//!
//! `cargo bench --bench tradeoff -- [--n 12] [--memory 16MiB,64MiB,256MiB,1GiB] [--threads 1] [--block default,64KiB]`
//! `[--compress true,false] [--runs 1] [--limit 600] [--out target/tradeoff] [--temp-dir DIR]`
//!
//! Prints a table and leaves in the folder of `--out`: `tradeoff.csv`, a line for every run, written when the run ends;
//! `wall.svg`, the time against memory; `disk.svg`, temporary disk and bytes spilled against memory.
//!
//! Every run is a process of its own, this executable again. The runs alternate between the combinations, the largest
//! budgets first. A run that would likely not end within the limit is not started; a run that does not is stopped. If
//! the user interrupts, all runs end, and what was measured until then is shown. Times and peak RSS are read from
//! `/proc`, so this needs Linux.
//!
//! Without `--bench` (`cargo test --benches`), the default is a single run of a small board.

use std::{
    cmp::Reverse,
    env,
    error::Error,
    fs,
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use peers::{machine, measure::Sample};
use tradeoff::{
    args::Args,
    child,
    clock::Clock,
    csv::Csv,
    figure::{PEAK_TEMP, SPILLED, WALL},
    plot, row,
    row::Row,
};

#[path = "../examples/shared/abreast.rs"]
mod abreast;
#[path = "../examples/shared/halves.rs"]
mod halves;
#[path = "../examples/queens/recipe.rs"]
mod recipe;
#[path = "../examples/shared/size.rs"]
mod size;

#[path = "peers"]
mod peers {
    pub mod machine;
    pub mod measure;
    pub mod solutions;
}

mod tradeoff {
    pub mod args;
    pub mod child;
    pub mod clock;
    pub mod csv;
    pub mod figure;
    pub mod plot;
    pub mod row;
    pub mod setting;
}

type Failure = Box<dyn Error>;

/// The exit code that shells give a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// How often the progress bar shows the time anew.
const TICK: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let args = Args::read();
    let outcome = if args.child { child::run(&args).map(|()| ExitCode::SUCCESS) } else { measure(&args) };
    outcome.unwrap_or_else(|failure| {
        let _ = writeln!(io::stderr(), "error: {failure}");
        ExitCode::FAILURE
    })
}

/// Runs all combinations and shows what they took.
fn measure(args: &Args) -> Result<ExitCode, Failure> {
    let out = args.out();
    fs::create_dir_all(&out).map_err(|error| format!("cannot make the folder {}: {error}", out.display()))?;
    let mut csv = Csv::create(&out.join("tradeoff.csv"))?;
    let mut stdout = io::stdout();
    let clock = Clock::start(args.limit)?;
    let folder = args.temp_dir.display();
    writeln!(stdout, "{}; N = {}, temporary files in {folder}\n", machine::heading("tradeoff", &[])?, args.n())?;

    let mut rows: Vec<Row> = args.settings().into_iter().map(Row::new).collect();
    run_all(&mut rows, args, &clock, &mut csv)?;

    let caption = |text| format!("{} queens: {text}", args.n());
    let temporary = [(caption("temporary disk at the peak"), PEAK_TEMP), (caption("bytes spilled"), SPILLED)];
    plot::draw(&out.join("wall.svg"), &[(caption("wall time"), WALL)], &rows)?;
    plot::draw(&out.join("disk.svg"), &temporary, &rows)?;
    writeln!(stdout, "{}", row::markdown(&rows, args.runs))?;
    writeln!(stdout, "\n`tradeoff.csv`, `wall.svg` and `disk.svg` are in {}.", out.display())?;
    if clock.interrupted() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(if rows.iter().any(|row| row.failure.is_some()) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs the combinations in turn, as often as asked and as the clock allows.
fn run_all(rows: &mut [Row], args: &Args, clock: &Clock, csv: &mut Csv) -> Result<(), Failure> {
    let executable = env::current_exe()?;
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} {msg}")?;
    // The largest budgets come first: other runs are not likely to take less time.
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&at| Reverse(rows[at].setting.memory));
    // The bar is hidden where standard error is no terminal, and clears itself when it is dropped.
    let bar = ProgressBar::new(order.len() as u64 * u64::from(args.runs)).with_style(style);
    bar.enable_steady_tick(TICK);
    for (run, &at) in (1..=args.runs).flat_map(|run| order.iter().map(move |at| (run, at))) {
        let setting = rows[at].setting;
        bar.set_message(setting.to_string());
        let starts = rows[at].failure.is_none() && row::likely_time(rows, at) < clock.left();
        let sample = if starts { rows[at].run(&executable, args, clock) } else { None };
        if sample.is_none() && clock.interrupted() {
            break;
        }
        if let Some(Sample { wall, cpu, .. }) = sample {
            bar.suspend(|| writeln!(io::stderr(), "{setting}: {wall:.2} s, {cpu:.2} s CPU"))?;
        }
        csv.line(args.n(), &setting, run, sample)?;
        bar.inc(1);
    }
    Ok(())
}

//! N-Queens by the classic recipe, end to end: ours against two packages that keep everything in RAM.
//!
//! `cargo bench --bench peers -- [--quick] [--n 12,13] [--runs 3] [--memory 4GiB,128MiB] [--threads 1,2] [--only oxidd]
//! [--order balanced] [--limit 600] [--peer-cache 22]`
//!
//! The variable of square (i, j) is N·i+j. S(i, j) says that a queen is on (i, j) and none on a square that this queen
//! attacks. R(i) is the disjunction of S(i, 0), …, S(i, N-1), joined by halves: the left half with the right half, each
//! joined in the same way. The board is the conjunction of all R(i), joined one after another. With several threads,
//! ours and `OxiDD` make several R(i) at the same time, one on each thread.
//!
//! Every run is a process of its own, and the runs of a board size alternate between the programs. "Ours" is the
//! example `queens`; the peers are this executable again. Times and peak RSS are read from `/proc`, so this needs
//! Linux.
//!
//! The rows of ours under the first budget have targets, each with "met" or "MISSED": the CPU or wall time as a part of
//! that of the fastest peer, the speed-up by threads, and the CPU time and the bytes of a request. These are the bytes
//! written to temporary files. From N=14 on, a run of a peer takes minutes, or more memory than there is, so use
//! `--only ours`. TUNING.md has N=14 in a memory cgroup.
//!
//! Without `--bench` (`cargo test --benches`), the default is a single run of a small board.

use std::env;
use std::error::Error;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::{Parser, ValueEnum, value_parser};
use peers::{
    machine,
    measure::{self, Sample},
    program::Program,
    solutions::SOLUTIONS,
};
use serde_json::{Value, json};

#[path = "../examples/shared/abreast.rs"]
mod abreast;
#[path = "../examples/shared/halves.rs"]
mod halves;

mod peers {
    pub mod lib_bdd;
    pub mod literals;
    pub mod machine;
    pub mod measure;
    pub mod oxidd;
    pub mod program;
    pub mod solutions;
}

const HEADINGS: [&str; 16] = [
    "program",
    "N",
    "threads",
    "runs",
    "CPU s",
    "wall s",
    "peak RSS MiB",
    "solutions",
    "ours’ CPU ÷ its",
    "ours’ wall ÷ its",
    "speed-up",
    "CPU ns/request",
    "bytes/request",
    "spilled MiB",
    "peak temp MiB",
    "target",
];

/// With one thread, ours should take this many times less CPU time than the fastest peer.
const CPU: f64 = 8.0;
/// With several threads, ours should take this many times less wall time than the fastest peer.
const WALL: f64 = 10.0;
/// The smallest board on which ours is compared with the peers.
const COMPARABLE: u16 = 12;
/// Several threads should be this many times faster than one.
const SPEED_UP: f64 = 1.7;
/// The smallest board on which several threads are compared with one.
const LARGE: u16 = 13;
/// The most CPU time that a request should take with one thread, in nanoseconds.
const NANOSECONDS: f64 = 30.0;
/// The most bytes that a request should write to temporary files.
const BYTES: f64 = 40.0;

/// The order in which the peers join the rows.
const LINEAR: &str = "linear";

#[derive(Parser)]
struct Args {
    /// N = 11 and 12 only
    #[arg(long)]
    quick: bool,
    /// Board sizes [default: 11,12,13]
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u16).range(4..17))]
    n: Vec<u16>,
    /// Runs of each program; medians are printed [default: 3]
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// These programs only
    #[arg(long, value_delimiter = ',')]
    only: Vec<Program>,
    /// Memory budgets of ours, each a row of the table; the first one is what the peers are compared with
    #[arg(long, value_delimiter = ',', default_value = "4GiB")]
    memory: Vec<String>,
    /// How ours puts the rows together, `linear` or `balanced`; the peers do it one after another
    #[arg(long, default_value = LINEAR)]
    order: String,
    /// Start no run after that many seconds
    #[arg(long)]
    limit: Option<f64>,
    /// Threads of ours and of `OxiDD`, each a row of the table; CPU time is compared with that of the first number of ours,
    /// wall time with that of the last
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<u32>,
    /// Entries of `OxiDD`'s apply cache, as a power of two [default: the fastest by measurement]
    #[arg(long)]
    peer_cache: Option<u32>,
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the child that runs this peer
    #[arg(long, hide = true)]
    child: Option<Program>,
}

/// One row of the table.
struct Row {
    program: Program,
    name: String,
    n: u16,
    threads: u32,
    /// Arguments of the child process.
    args: Vec<String>,
    samples: Vec<Sample>,
    failure: Option<String>,
}

impl Row {
    fn new(program: Program, n: u16, threads: u32, memory: &str, args: &Args) -> Self {
        let (order, cache) = (&args.order, args.peer_cache.unwrap_or_else(|| peers::oxidd::fastest_cache(n)));
        let args = match program {
            Program::Ours => format!("count {n} --memory {memory} --threads {threads} --order {order} --json"),
            Program::Oxidd => format!("--child oxidd --n {n} --threads {threads} --peer-cache {cache}"),
            Program::LibBdd => format!("--child lib-bdd --n {n}"),
        };
        let args = args.split_whitespace().map(String::from).collect();
        Self { program, name: program.title(memory), n, threads, args, samples: Vec::new(), failure: None }
    }

    /// Runs the program once more and checks its answer.
    fn run(&mut self, executable: &str) {
        let checked = measure::run(Command::new(executable).args(&self.args)).and_then(|sample| {
            eprintln!("{} N={}: {:.2} s CPU, {}", self.name, self.n, sample.cpu, sample.report);
            let solutions = &sample.report["solutions"];
            let right = solutions.as_str() == Some(&SOLUTIONS[usize::from(self.n)].to_string());
            if right { Ok(sample) } else { Err(format!("WRONG: {solutions}").into()) }
        });
        match checked {
            Ok(sample) => self.samples.push(sample),
            Err(failure) => self.failure = Some(failure.to_string()),
        }
    }

    fn median(&self, of: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        measure::median(&self.samples, of)
    }

    fn cpu(&self) -> Option<f64> {
        self.median(|sample| Some(sample.cpu))
    }

    fn wall(&self) -> Option<f64> {
        self.median(|sample| Some(sample.wall))
    }

    /// `figure` divided by the requests that the program reports.
    fn per_request(&self, figure: Option<f64>) -> Option<f64> {
        figure.zip(self.reported("processed_requests")).map(|(figure, requests)| figure / requests)
    }

    fn reported(&self, key: &str) -> Option<f64> {
        self.median(|sample| sample.report[key].as_f64())
    }

    /// The wall time of the same row with one thread, found in `rows`, divided by that of this row.
    fn speed_up(&self, rows: &[Row]) -> Option<f64> {
        let same = |row: &&Row| (row.n, &row.name, row.threads) == (self.n, &self.name, 1);
        ratio(rows.iter().find(same).and_then(Row::wall), self.wall())
    }

    /// The targets of this row, which is ours, and whether each is met. The peers in `rows` are compared with only if
    /// all programs follow the same recipe.
    fn targets(&self, rows: &[Row], same_recipe: bool) -> String {
        let peers = || rows.iter().filter(|row| row.program != Program::Ours && row.n == self.n);
        let least = |figures: Vec<f64>| figures.into_iter().min_by(f64::total_cmp);
        let (comparable, large) = (same_recipe && self.n >= COMPARABLE, self.n >= LARGE);
        let cpu = ratio(self.cpu(), least(peers().filter_map(Row::cpu).collect())).filter(|_| comparable);
        let wall = ratio(self.wall(), least(peers().filter_map(Row::wall).collect())).filter(|_| comparable);
        let speed_up = self.speed_up(rows).filter(|_| large);
        let nanoseconds = self.per_request(self.cpu()).map(|seconds| seconds * 1e9);
        let (alone, bytes) = (self.threads == 1, self.per_request(self.reported("spilled_bytes")));
        let all = [
            (format!("CPU ≤ 1/{CPU}"), alone, cpu.map(|cpu| cpu * CPU <= 1.0)),
            (format!("wall ≤ 1/{WALL}"), !alone, wall.map(|wall| wall * WALL <= 1.0)),
            (format!("speed-up ≥ {SPEED_UP}"), !alone, speed_up.map(|speed_up| speed_up >= SPEED_UP)),
            (format!("≤ {NANOSECONDS} ns"), alone, nanoseconds.map(|nanoseconds| nanoseconds <= NANOSECONDS)),
            (format!("≤ {BYTES} bytes"), alone, bytes.map(|bytes| bytes <= BYTES)),
        ];
        let verdict = |met| if met { "met" } else { "MISSED" };
        let said = all.iter().filter(|(_, asked, _)| *asked);
        said.filter_map(|(text, _, met)| Some(format!("{text}: {}", verdict((*met)?)))).collect::<Vec<_>>().join("; ")
    }

    /// The row in Markdown, with our CPU and wall time divided by its own. `targets` may be empty.
    fn markdown(&self, [our_cpu, our_wall]: [Option<f64>; 2], speed_up: Option<f64>, targets: String) -> String {
        let reported = |key: &str| self.reported(key);
        let number = |value: Option<f64>, digits| value.map_or("–".into(), |value| format!("{value:.digits$}"));
        let mib = |bytes: Option<f64>| number(bytes.map(|bytes| bytes / f64::from(1 << 20)), 0);
        let solutions = match (&self.failure, self.samples.is_empty()) {
            (Some(failure), _) => failure.clone(),
            (None, true) => "–".into(),
            (None, false) => format!("{} ok", SOLUTIONS[usize::from(self.n)]),
        };
        let cells: [String; HEADINGS.len()] = [
            self.name.clone(),
            self.n.to_string(),
            self.threads.to_string(),
            self.samples.len().to_string(),
            number(self.cpu(), 2),
            number(self.wall(), 2),
            number(self.median(|sample| Some(sample.peak_rss)), 0),
            solutions,
            number(ratio(our_cpu, self.cpu()), 2),
            number(ratio(our_wall, self.wall()), 2),
            number(speed_up.filter(|_| self.threads > 1), 2),
            number(self.per_request(self.cpu()).map(|seconds| seconds * 1e9), 0),
            number(self.per_request(reported("spilled_bytes")), 1),
            mib(reported("spilled_bytes")),
            mib(reported("peak_temp_bytes")),
            targets,
        ];
        format!("| {} |", cells.join(" | "))
    }
}

/// `a` divided by `b`; `None` if either is missing or `b` is not above zero.
fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b.filter(|&b| b > 0.0)).map(|(a, b)| a / b)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args = Args::parse();
    if let Some(peer) = args.child {
        return child(peer, *args.n.first().ok_or("no board size")?, &args);
    }
    let (sizes, runs) = match (args.quick, args.bench) {
        _ if !args.n.is_empty() => (args.n.clone(), 3),
        (true, _) => (vec![11, 12], 3),
        (false, true) => (vec![11, 12, 13], 3),
        (false, false) => (vec![6], 1),
    };
    let runs = args.runs.unwrap_or(runs);
    let wanted = |program: &Program| args.only.is_empty() || args.only.contains(program);
    let peers = env::current_exe()?.to_str().ok_or("the path of this executable is not UTF-8")?.to_owned();
    let queens = if wanted(&Program::Ours) { build_queens()? } else { String::new() };

    println!("{}\n", machine::heading("peers", &["oxidd", "biodivine-lib-bdd"])?);
    let mut rows = Vec::new();
    let start = Instant::now();
    for &n in &sizes {
        let mut of_size: Vec<Row> = Vec::new();
        for program in Program::value_variants().iter().copied().filter(wanted) {
            let row = |threads, memory: &str| Row::new(program, n, threads, memory, &args);
            let rows_of = |memory| args.threads.iter().map(move |&threads| row(threads, memory));
            match program {
                Program::Ours => of_size.extend(args.memory.iter().flat_map(|memory| rows_of(memory))),
                Program::Oxidd => of_size.extend(rows_of("")),
                Program::LibBdd => of_size.push(row(1, "")),
            }
        }
        for _ in 0..runs {
            for row in of_size.iter_mut().filter(|row| row.failure.is_none()) {
                if args.limit.is_none_or(|limit| start.elapsed().as_secs_f64() < limit) {
                    row.run(if row.program == Program::Ours { &queens } else { &peers });
                }
            }
        }
        rows.append(&mut of_size);
    }

    println!("| {} |", HEADINGS.join(" | "));
    println!("|---{}|", "|--:".repeat(HEADINGS.len() - 1));
    for row in &rows {
        let of = |threads: Option<&u32>| {
            let ours = |other: &&Row| other.program == Program::Ours && other.n == row.n;
            rows.iter().find(|other| ours(other) && Some(&other.threads) == threads)
        };
        let ours = [of(args.threads.first()).and_then(Row::cpu), of(args.threads.last()).and_then(Row::wall)];
        let first = Program::Ours.title(&args.memory[0]);
        // Targets are for measurements, not for a trial.
        let targets =
            if args.bench && row.name == first { row.targets(&rows, args.order == LINEAR) } else { String::new() };
        println!("{}", row.markdown(ours, row.speed_up(&rows), targets));
    }
    let left_out = |row: &&Row| row.failure.is_none() && row.samples.len() < runs as usize;
    for row in rows.iter().filter(left_out) {
        println!("\nTime limit: {} of {runs} runs of {} at N={}.", row.samples.len(), row.name, row.n);
    }
    Ok(if rows.iter().any(|row| row.failure.is_some()) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Solves the board with this peer and prints what it found.
fn child(peer: Program, n: u16, args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let solutions = match peer {
        Program::Oxidd => {
            let cache = args.peer_cache.ok_or("no cache")?;
            let built = peers::oxidd::board(n, n, args.threads[0], cache);
            let (_manager, board) = built.map_err(|_| "the node store is full")?;
            peers::oxidd::count(&board, u32::from(n * n))
        }
        Program::LibBdd => peers::lib_bdd::board(n, n).cardinality(),
        Program::Ours => return Err("ours is the example `queens`".into()),
    };
    let peak_rss_kib = measure::peak_rss_kib("self");
    println!("{}", json!({ "solutions": solutions.to_string(), "peak_rss_kib": peak_rss_kib }));
    Ok(ExitCode::SUCCESS)
}

/// Builds the example `queens`, which `cargo bench` does not, and returns the path of its executable.
fn build_queens() -> Result<String, Box<dyn Error>> {
    let output = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["build", "--example", "queens", "--message-format", "json-render-diagnostics"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .args((!cfg!(debug_assertions)).then_some("--release"))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the example `queens` does not build".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    let executable = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "queens").then(|| message["executable"].as_str().map(String::from))?
    });
    executable.ok_or_else(|| "cargo names no executable of the example `queens`".into())
}

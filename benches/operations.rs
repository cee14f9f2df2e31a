//! Single operations, reachability and listing, end to end: ours beside packages that keep everything in RAM.
//!
//! `cargo bench --bench operations -- [--n 12] [--runs 3] [--memory 4GiB,128MiB] [--only queens,hanoi] [--quick]`
//!
//! * `queens`: N-Queens by the recipe of the bench `peers`, up to the row after which the diagram is largest. One
//!   variable is fixed (in the middle, at the bottom, at the top), one is quantified; the same for one variable of
//!   every row in turn; and the assignments are counted.
//! * `equality`: the diagram of `queens` built twice and compared; ours in two stores with different budgets.
//! * `compose`: in the first four rows of 10 queens, "this square or the next, not both" in place of each square but
//!   the last.
//! * `hanoi`, `philosophers`, `tiles`: all states of a system of guarded commands. First a breadth-first search from
//!   the states that the step before found new, by one relation over interleaved variables. Then, in the same store,
//!   every command by itself on all states so far, in rounds until a round finds nothing new. There are many steps with
//!   small sets, some with larger ones, and few with large ones. Building the relations is not part of the time.
//! * `list`: all solutions of 8 and 10 queens, by restricting and by an iterator over assignments, ours at 64 MiB.
//!
//! Every run is a process of its own, in which each operation runs once, and the runs alternate between the programs.
//! CPU is user and system time of all threads during the operation alone; peak RSS is that of the whole process. The
//! answers of the programs are compared. The first row of ours has a target, with "met" or "MISSED".
//!
//! Without `--bench` (`cargo test --benches`), the default is a single run of small cases.

use std::{env, error::Error, hint::black_box, process::ExitCode};

use biodivine_lib_bdd::BddValuation;
use clap::{Parser, ValueEnum, value_parser};
use operations::{
    clock::Report,
    job::{self, Job},
    list,
    model::{self, Model, Package, Reached},
    ours::{self, Ours},
    oxidd::{Oxidd, room},
    queens::{self, Board},
};
use peers::{
    machine, measure,
    oxidd::{Squares, fastest_cache},
    program::{Program, name_of},
};

#[path = "../examples/shared/abreast.rs"]
mod abreast;
#[path = "../examples/shared/halves.rs"]
mod halves;
#[path = "../examples/shared/size.rs"]
mod size;

#[path = "peers"]
mod peers {
    pub mod lib_bdd;
    pub mod literals;
    pub mod machine;
    pub mod measure;
    pub mod oxidd;
    pub mod program;
}

mod operations {
    pub mod clock;
    pub mod job;
    pub mod lib_bdd;
    pub mod list;
    pub mod model;
    pub mod ours;
    pub mod oxidd;
    pub mod queens;
}

type Failure = Box<dyn Error>;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    Queens,
    Equality,
    Compose,
    Hanoi,
    Philosophers,
    Tiles,
    List,
}

#[derive(Parser)]
struct Args {
    /// Small cases
    #[arg(long)]
    quick: bool,
    /// Board size of `queens` and `equality` [default: 12; 6 if quick]
    #[arg(long, value_parser = value_parser!(u16).range(4..15))]
    n: Option<u16>,
    /// Runs of each program; medians are printed [default: 3; 1 if quick]
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// These parts only
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Memory budgets of ours; the first one is what the peers are compared with
    #[arg(long, value_delimiter = ',', default_value = "4GiB,128MiB")]
    memory: Vec<String>,
    /// Entries of `OxiDD`'s apply cache in a search, as a power of two [default: the fastest by measurement]
    #[arg(long)]
    peer_cache: Option<u32>,
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the child that runs this program
    #[arg(long, hide = true)]
    child: Option<Program>,
    /// Rows of the board that the child fills
    #[arg(long, hide = true, default_value_t = 1)]
    rows: u16,
}

impl Args {
    fn small(&self) -> bool {
        self.quick || !self.bench
    }

    fn n(&self) -> u16 {
        self.n.unwrap_or(if self.small() { 6 } else { 12 })
    }

    /// The binary logarithm of the fastest size of the apply cache, or of the smallest of several equally fast ones, by
    /// measurement. With 2^16 entries, the philosophers take `OxiDD` much longer (`--peer-cache 16`): the cache seems
    /// to hold too little of the step before.
    fn peer_cache(&self, part: Part) -> u32 {
        self.peer_cache.unwrap_or(if part == Part::Philosophers { 18 } else { 16 })
    }

    /// The sizes of the boards whose solutions are listed.
    fn lists(&self) -> [u16; 2] {
        if self.small() { [5, 6] } else { [8, 10] }
    }

    /// The budget of a child.
    fn budget(&self) -> Result<usize, Failure> {
        Ok(size::memory_size(&self.memory[0])?)
    }

    /// The size of the board that is composed, and the number of its rows that are filled.
    fn composed(&self) -> [u16; 2] {
        if self.small() { [5, 2] } else { [10, 4] }
    }

    fn model(&self, part: Part) -> Model {
        match (part, self.small()) {
            (Part::Hanoi, true) => model::hanoi(4),
            (Part::Hanoi, false) => model::hanoi(10),
            (Part::Philosophers, true) => model::philosophers(5),
            (Part::Philosophers, false) => model::philosophers(100),
            (_, true) => model::tiles(2, 3),
            (_, false) => model::tiles(3, 3),
        }
    }
}

/// What an operation of ours should take.
#[derive(Clone, Copy)]
enum Target {
    /// CPU time, as a multiple of that of the fastest peer.
    Times(f64),
    /// Wall time in seconds.
    Seconds(f64),
}

impl Target {
    fn of(part: Part, operation: &str) -> Option<Self> {
        match part {
            Part::Queens => Some(Self::Times(1.0 / 3.0)),
            Part::Equality => Some(Self::Seconds(0.001)),
            Part::Hanoi | Part::Philosophers | Part::Tiles => Some(Self::Times(3.0)),
            Part::Compose => None,
            Part::List => match operation {
                "list 8 queens by restricting" => Some(Self::Seconds(0.5)),
                "list 8 queens by enumerating" => Some(Self::Seconds(0.01)),
                "list 10 queens by restricting" => Some(Self::Seconds(10.0)),
                _ => None,
            },
        }
    }

    /// Whether `ours` meets the target, beside `peers`.
    fn verdict(self, operation: &str, ours: &Job, peers: &[Job]) -> String {
        let (value, limit, text) = match self {
            Self::Times(limit) => {
                let fastest = peers.iter().filter_map(|peer| peer.cpu(operation)).min_by(f64::total_cmp);
                let ratio = ours.cpu(operation).zip(fastest).map(|(ours, fastest)| ours / fastest);
                (ratio, limit, format!("≤ {limit:.2} × the fastest"))
            }
            Self::Seconds(limit) => (ours.wall(operation), limit, format!("≤ {} ms", limit * 1e3)),
        };
        match value {
            None => format!("{text}: –"),
            Some(value) if value <= limit => format!("{text}: met"),
            Some(_) => format!("{text}: MISSED"),
        }
    }
}

/// The job of one program at one part.
fn job(part: Part, program: Program, memory: &str, args: &Args, rows: u16) -> Job {
    let line = format!(
        "--child {} --only {} --memory {memory} --n {} --rows {rows} --peer-cache {} {}",
        name_of(&program),
        name_of(&part),
        args.n(),
        args.peer_cache(part),
        if args.small() { "--quick" } else { "--bench" },
    );
    Job::new(program.title(memory), &line)
}

fn main() -> Result<ExitCode, Failure> {
    let args = Args::parse();
    if let (Some(program), Some(&part)) = (args.child, args.only.first()) {
        return child(program, part, &args);
    }
    let executable = env::current_exe()?.to_str().ok_or("the path of this executable is not UTF-8")?.to_owned();
    let wanted = |part: &Part| args.only.is_empty() || args.only.contains(part);
    let runs = args.runs.unwrap_or(if args.small() { 1 } else { 3 });
    let rows = if wanted(&Part::Queens) || wanted(&Part::Equality) { largest(args.n(), args.budget()?)? } else { 1 };
    println!("{}\n", heading(&args, rows)?);

    job::print_head();
    let mut failed = false;
    for part in Part::value_variants().iter().copied().filter(wanted) {
        let mut jobs = jobs(part, &args, rows);
        job::run(&mut jobs, runs, &executable);
        let peers = &jobs[jobs.iter().take_while(|job| job.name.starts_with("ours")).count()..];
        failed |= !job::print_rows(&jobs, |at, operation| {
            // Targets are for the full cases and the first budget.
            let target = Target::of(part, operation).filter(|_| at == 0 && !args.small())?;
            Some(target.verdict(operation, &jobs[0], peers))
        });
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The jobs of a part, ours first.
fn jobs(part: Part, args: &Args, rows: u16) -> Vec<Job> {
    let (budgets, peers): (&[String], &[Program]) = match part {
        Part::Queens => (&args.memory, &[Program::Oxidd, Program::LibBdd]),
        Part::Compose | Part::Hanoi | Part::Philosophers | Part::Tiles => (&args.memory, &[Program::Oxidd]),
        Part::Equality => (&args.memory[..1], &[Program::Oxidd, Program::LibBdd]),
        Part::List => (&["64MiB".to_owned()], &[Program::Oxidd, Program::LibBdd]),
    };
    let ours = budgets.iter().map(|memory| job(part, Program::Ours, memory, args, rows));
    let peers = peers.iter().map(|&peer| job(part, peer, &args.memory[0], args, rows));
    ours.chain(peers).collect()
}

/// The row after which the diagram of `n` queens is largest, counted from 1.
fn largest(n: u16, memory: usize) -> Result<u16, Failure> {
    let mut nodes = Vec::new();
    ours::board(n, n, &ours::store(memory)?, |count| nodes.push(count))?;
    let (at, _) = nodes.iter().enumerate().max_by_key(|(_, count)| **count).ok_or("no rows")?;
    Ok(at as u16 + 1)
}

/// Runs one part with one program and prints what it took.
fn child(program: Program, part: Part, args: &Args) -> Result<ExitCode, Failure> {
    let (n, rows, mut report) = (args.n(), args.rows, Report::default());
    match (part, program) {
        (Part::Queens, Program::Ours) => {
            let store = ours::store(args.budget()?)?;
            queens::ask(&ours::board(n, rows, &store, |_| ())?, n, &mut report)?;
        }
        (Part::Queens, Program::Oxidd) => {
            let (_store, board) = room(peers::oxidd::board(n, rows, 1, peers::oxidd::fastest_cache(n)))?;
            queens::ask(&board, n, &mut report)?;
        }
        (Part::Queens, Program::LibBdd) => queens::ask(&peers::lib_bdd::board(n, rows), n, &mut report)?,
        (Part::Equality, Program::Ours) => {
            let stores = [ours::store(args.budget()?)?, ours::store(128 << 20)?];
            let [a, b] = stores.map(|store| ours::board(n, rows, &store, |_| ()));
            compare(&a?, &b?, &mut report)?;
        }
        (Part::Equality, Program::Oxidd) => {
            let squares = room(Squares::new(n, 1, fastest_cache(n)))?;
            compare(&room(squares.board(rows))?, &room(squares.board(rows))?, &mut report)?;
        }
        (Part::Equality, Program::LibBdd) => {
            let [a, b] = [(); 2].map(|()| peers::lib_bdd::board(n, rows));
            compare(&a, &b, &mut report)?;
        }
        (Part::Compose, Program::Ours) => {
            let (store, [n, rows]) = (ours::store(args.budget()?)?, args.composed());
            let board = ours::board(n, rows, &store, |_| ())?;
            compose(&board, |board| ours::compose_neighbours(board, n * n), &mut report)?;
        }
        (Part::Compose, _) => {
            let [n, rows] = args.composed();
            let (_store, board) = room(peers::oxidd::board(n, rows, 1, fastest_cache(n)))?;
            compose(&board, |board| operations::oxidd::compose_neighbours(board, n * n), &mut report)?;
        }
        (Part::List, Program::Ours) => {
            let store = ours::store(args.budget()?)?;
            for n in args.lists() {
                let board = build(n, || ours::board(n, n, &store, |_| ()), &mut report)?;
                list::time(n, "restricting", || list::backtrack(n, &board, 0), &mut report)?;
                list::time(n, "enumerating", || list::enumerate(n, &board), &mut report)?;
            }
        }
        (Part::List, Program::Oxidd) => {
            for n in args.lists() {
                let squares = room(Squares::new(n, 1, fastest_cache(n)))?;
                let board = build(n, || room(squares.board(n)), &mut report)?;
                list::time(n, "restricting", || list::backtrack(n, &board, 0), &mut report)?;
            }
        }
        (Part::List, Program::LibBdd) => {
            for n in args.lists() {
                let board = build(n, || Ok(peers::lib_bdd::board(n, n)), &mut report)?;
                list::time(n, "restricting", || list::backtrack(n, &board, 0), &mut report)?;
                let queens = |solution: &BddValuation| solution.as_vector().iter().filter(|&&value| value).count();
                let solutions = || board.sat_valuations().filter(|solution| queens(solution) == usize::from(n));
                let enumerate = || Ok(solutions().count() as u64);
                list::time(n, "enumerating", enumerate, &mut report)?;
            }
        }
        (_, Program::Ours) => {
            let package = Ours { store: ours::store(args.budget()?)? };
            reach(&args.model(part), &package, |set| Some(set.node_count()), &mut report)?;
        }
        (_, _) => {
            let model = args.model(part);
            reach(&model, &Oxidd::new(model.bits, 1 << args.peer_cache(part)), |_| None, &mut report)?;
        }
    }
    report.print(measure::peak_rss_kib("self"));
    Ok(ExitCode::SUCCESS)
}

/// Compares two equal boards that were built apart.
fn compare<B: Board + PartialEq>(a: &B, b: &B, report: &mut Report) -> Result<(), Failure> {
    let equal = || Ok(black_box(a) == black_box(b));
    report.time("== of two built apart", equal, |equal| Ok(format!("{equal}, {} nodes", a.inner_nodes()))).map(drop)
}

/// Measures `composed`, which replaces all squares of `board` but one by functions.
fn compose<B: Board>(
    board: &B,
    composed: impl FnOnce(&B) -> Result<B, Failure>,
    report: &mut Report,
) -> Result<(), Failure> {
    let nodes = |result: &B| Ok(format!("{} nodes of {}", result.inner_nodes(), board.inner_nodes()));
    report.time("compose_all, x ^ next for each square", || composed(board), nodes).map(drop)
}

/// Builds the diagram of all solutions of `n` queens.
fn build<B: Board>(n: u16, board: impl FnOnce() -> Result<B, Failure>, report: &mut Report) -> Result<B, Failure> {
    report.time(&format!("build {n} queens"), board, |board| Ok(format!("{} nodes", board.inner_nodes())))
}

/// Searches `model` with `package`, breadth first by one relation and command by command. `nodes` gives the nodes of a
/// set, where the package knows them without a count.
fn reach<P: Package>(
    model: &Model,
    package: &P,
    nodes: impl Fn(&P::Set) -> Option<u64>,
    report: &mut Report,
) -> Result<(), Failure> {
    let (start, relation, commands) = (model.start(package)?, model.relation(package)?, model.ready(package)?);
    let together = package.ready(relation.clone(), 0..model.bits)?;
    let answer = |found: &Reached<P::Set>, unit| {
        let states = package.states(&found.states, model.bits)?;
        Ok(format!("{states:.6e} states, {} {unit}", found.steps))
    };
    let mut peak = None;
    let search = || model::search(package, &start, &together, |set| peak = peak.max(nodes(set)));
    let by_steps = report.time(&model.name, search, |found| answer(found, "steps"))?;
    if let (Some(sets), Some(relation)) = (peak, nodes(&relation)) {
        report.peak(&format!("sets {sets} nodes, relation {relation}"));
    }
    let mut peak = None;
    let chain = || model::chain(package, &start, &commands, |set| peak = peak.max(nodes(set)));
    let by_rounds =
        report.time(&format!("{}, command by command", model.name), chain, |found| answer(found, "rounds"))?;
    if let Some(sets) = peak {
        report.peak(&format!("sets {sets} nodes"));
    }
    let agree = by_steps.states == by_rounds.states;
    if agree { Ok(()) } else { Err(format!("{}: the two searches end in different states", model.name).into()) }
}

/// The machine, the versions of the peers, and the rows of the board in this run.
fn heading(args: &Args, rows: u16) -> Result<String, Failure> {
    let queens = if rows > 1 { format!("; {0} queens: rows 1 to {rows} of {0}", args.n()) } else { String::new() };
    Ok(format!("{}{queens}", machine::heading("operations", &["oxidd", "biodivine-lib-bdd"])?))
}

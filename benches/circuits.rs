//! Many small diagrams, built gate by gate: ours beside packages that keep everything in RAM.
//!
//! `cargo bench --bench circuits -- [--only adder,multiplier,queens] [--bits 8,10,11] [--runs 3] [--memory 4GiB,16MiB]`
//!
//! * `adder`: all sums and the carry of a 128-bit ripple-carry adder, five gates a bit. The variables of both operands
//!   are interleaved, which keeps the diagram of every signal linear in the bits below it. Two orders are measured.
//!   With the least significant bits on top, hardly any two signals share nodes; with the most significant bits on top,
//!   the diagram of every carry is a part of the next one.
//! * `multiplier`: all bits of the product, by an array multiplier: partial products, and a row of full adders for
//!   each. The variables of one operand lie above those of the other, in both the least significant bit on top.
//! * `queens`: all solutions of 4 to 8 queens by the recipe of the bench `peers`.
//!
//! A circuit is a list of gates, the same for all programs. Every diagram but those of outputs is dropped after its
//! last use. The outputs are evaluated at 1000 inputs and compared with integer arithmetic, outside of the measured
//! time; a wrong output is a failure.
//!
//! Every run is a process of its own, and the runs alternate between the programs. In its store, a process builds a
//! multiplier once, an adder 5 times and a board 20 times. The median of these leaves out the first time, when memory
//! is fresh, which takes longer than a small diagram. Between two of them, `OxiDD` drops its garbage and its cache,
//! outside of the measured time; otherwise its cache would have the results of the second time. That scatters its
//! nodes, which would slow a multiplier down.
//!
//! CPU is user and system time of all threads during the operation alone; peak RSS is that of the whole process. Nodes
//! are those of all outputs, each counted by itself. Every row of ours has a target, with "met" or "MISSED".
//!
//! Without `--bench` (`cargo test --benches`), a single run of small cases.

use std::{env, error::Error, ops::RangeInclusive, process::ExitCode};

use biodivine_lib_bdd::{BddVariable, BddVariableSet};
use circuits::{
    arithmetic::{self, Circuit, Top},
    check::check,
    netlist::Function,
    oxidd, queens,
};
use clap::{Parser, ValueEnum, value_parser};
use operations::{
    clock::Report,
    job::{self, Job},
    ours,
    oxidd::room,
    queens::Board,
};
use peers::{
    lib_bdd, machine, measure,
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
#[allow(dead_code, reason = "shared with the benches `peers` and `operations`")]
mod peers {
    pub mod lib_bdd;
    pub mod literals;
    pub mod machine;
    pub mod measure;
    pub mod oxidd;
    pub mod program;
}

#[path = "operations"]
#[allow(dead_code, reason = "shared with the bench `operations`")]
mod operations {
    pub mod clock;
    pub mod job;
    pub mod lib_bdd;
    pub mod model;
    pub mod ours;
    pub mod oxidd;
    pub mod queens;
}

mod circuits {
    pub mod arithmetic;
    pub mod check;
    pub mod lib_bdd;
    pub mod netlist;
    pub mod ours;
    pub mod oxidd;
    pub mod queens;
}

type Failure = Box<dyn Error>;

/// The most CPU time that ours should take, in that of `OxiDD`.
const TARGET: f64 = 2.0;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    Adder,
    Multiplier,
    Queens,
}

#[derive(Parser)]
struct Args {
    /// These parts only
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Bits of the multipliers' operands [default: 8,10,11]
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u32).range(2..17))]
    bits: Vec<u32>,
    /// Runs of each program; medians are printed [default: 3]
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Memory budgets of ours, each a row of the table; the first one is what the peers are compared with
    #[arg(long, value_delimiter = ',', default_value = "4GiB,16MiB")]
    memory: Vec<String>,
    /// Entries of `OxiDD`'s apply cache for a circuit or a board, as a power of two [default: the fastest by measurement]
    #[arg(long)]
    peer_cache: Option<u32>,
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the child that runs this program
    #[arg(long, hide = true)]
    child: Option<Program>,
    /// Bits of the child's adder
    #[arg(long, hide = true, default_value_t = 4)]
    adder_bits: u32,
    /// Which bits of the child's adder are on top
    #[arg(long, hide = true, default_value = "least")]
    top: Top,
}

/// What one process does.
#[derive(Clone, Copy)]
enum Case {
    Adder(u32, Top),
    Multiplier(u32),
    Queens,
}

impl Args {
    /// The cases of a part.
    fn cases(&self, part: Part) -> Vec<Case> {
        match part {
            Part::Adder => [Top::Least, Top::Most].map(|top| Case::Adder(if self.bench { 128 } else { 4 }, top)).into(),
            Part::Multiplier => {
                let default: &[u32] = if self.bench { &[8, 10, 11] } else { &[3] };
                let bits = if self.bits.is_empty() { default } else { &self.bits };
                bits.iter().map(|&bits| Case::Multiplier(bits)).collect()
            }
            Part::Queens => vec![Case::Queens],
        }
    }

    /// The only case of a child.
    fn case(&self) -> Result<Case, Failure> {
        Ok(match self.only.first().ok_or("no part")? {
            Part::Adder => Case::Adder(self.adder_bits, self.top),
            Part::Multiplier => Case::Multiplier(*self.bits.first().ok_or("no number of bits")?),
            Part::Queens => Case::Queens,
        })
    }

    /// Sizes of the boards.
    fn boards(&self) -> RangeInclusive<u16> {
        if self.bench { 4..=8 } else { 4..=4 }
    }

    /// The budget of a child.
    fn budget(&self) -> Result<usize, Failure> {
        Ok(size::memory_size(&self.memory[0])?)
    }
}

impl Case {
    /// The arguments that give a child this case.
    fn flags(self) -> String {
        match self {
            Case::Adder(bits, top) => format!("--only adder --adder-bits {bits} --top {}", name_of(&top)),
            Case::Multiplier(bits) => format!("--only multiplier --bits {bits}"),
            Case::Queens => "--only queens".into(),
        }
    }
}

fn main() -> Result<ExitCode, Failure> {
    let args = Args::parse();
    if let Some(program) = args.child {
        return child(program, &args);
    }
    let executable = env::current_exe()?.to_str().ok_or("the path of this executable is not UTF-8")?.to_owned();
    let wanted = |part: &&Part| args.only.is_empty() || args.only.contains(part);
    let runs = args.runs.unwrap_or(if args.bench { 3 } else { 1 });
    println!("{}\n", machine::heading("circuits", &["oxidd", "biodivine-lib-bdd"])?);

    job::print_head();
    let mut well = true;
    for case in Part::value_variants().iter().filter(wanted).flat_map(|&part| args.cases(part)) {
        let mut jobs = jobs(case, &args);
        job::run(&mut jobs, runs, &executable);
        // The target is for the full cases, but under any budget.
        let target = |at: usize, operation: &str| {
            let (oxidd, is_ours) = (&jobs[args.memory.len()], at < args.memory.len());
            (args.bench && is_ours).then(|| verdict(operation, &jobs[at], oxidd))
        };
        well &= job::print_rows(&jobs, target);
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All programs at a case: ours under each budget, `OxiDD`, and lib-bdd.
fn jobs(case: Case, args: &Args) -> Vec<Job> {
    let mode = if args.bench { "--bench" } else { "" };
    let cache = args.peer_cache.map_or(String::new(), |power| format!("--peer-cache {power}"));
    let job = |program: Program, memory: &str| {
        let line = format!("--child {} {} --memory {memory} {cache} {mode}", name_of(&program), case.flags());
        Job::new(program.title(memory), &line)
    };
    let ours = args.memory.iter().map(|memory| job(Program::Ours, memory));
    let peers = [Program::Oxidd, Program::LibBdd].map(|peer| job(peer, &args.memory[0]));
    ours.chain(peers).collect()
}

/// Whether `ours` meets the target.
fn verdict(operation: &str, ours: &Job, oxidd: &Job) -> String {
    let met = match ours.cpu(operation).zip(oxidd.cpu(operation)) {
        None => "–",
        Some((ours, oxidd)) if ours <= TARGET * oxidd => "met",
        Some(_) => "MISSED",
    };
    format!("≤ {TARGET} × OxiDD: {met}")
}

/// Runs one case with one program and prints what it took.
fn child(program: Program, args: &Args) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    // The caches are the smallest of the fastest by measurement, for 128-bit adders and for multipliers of 8, 10 and 11
    // bits.
    let cache = |fastest: u32| 1 << args.peer_cache.unwrap_or(fastest);
    match args.case()? {
        Case::Adder(bits, top) => build(&arithmetic::adder(bits, top), program, cache(10), args, &mut report)?,
        Case::Multiplier(bits) => {
            build(&arithmetic::multiplier(bits), program, cache(2 * bits.max(6) - 4), args, &mut report)?;
        }
        Case::Queens => count(program, args, &mut report)?,
    }
    report.print(measure::peak_rss_kib("self"));
    Ok(ExitCode::SUCCESS)
}

/// Builds the outputs of `circuit` and checks them; `cache` is the number of entries of `OxiDD`'s cache.
fn build(circuit: &Circuit, program: Program, cache: usize, args: &Args, report: &mut Report) -> Result<(), Failure> {
    let variables = 2 * circuit.operands[0].len() as u16;
    match program {
        Program::Ours => {
            let store = ours::store(args.budget()?)?;
            time(circuit, |variable| Ok(store.variable(variable)?), || (), report)
        }
        Program::Oxidd => {
            let manager = oxidd::store(variables.into(), cache);
            time(circuit, |variable| oxidd::variable(&manager, variable), || oxidd::forget(&manager), report)
        }
        Program::LibBdd => {
            let set = BddVariableSet::new_anonymous(variables);
            time(circuit, |variable| Ok(set.mk_var(BddVariable::from_index(variable as usize))), || (), report)
        }
    }
}

/// Builds and checks with the package in which `variable` makes variables. `forget` runs after each time that the
/// circuit is built.
fn time<F: Function>(
    circuit: &Circuit,
    variable: impl Fn(u32) -> Result<F, Failure>,
    forget: impl Fn(),
    report: &mut Report,
) -> Result<(), Failure> {
    for _ in 0..circuit.times {
        let outputs = report.time(
            &circuit.name,
            || circuit.netlist.evaluate(&variable),
            |outputs| {
                check(circuit, outputs)?;
                Ok(format!("{} nodes", outputs.iter().map(Board::inner_nodes).sum::<u64>()))
            },
        )?;
        let largest = outputs.iter().map(Board::inner_nodes).max().unwrap_or(0);
        report.peak(&format!("{} gates, an output of {largest} nodes", circuit.netlist.size()));
        drop(outputs);
        forget();
    }
    Ok(())
}

/// Counts the solutions of all boards.
fn count(program: Program, args: &Args, report: &mut Report) -> Result<(), Failure> {
    match program {
        Program::Ours => {
            let store = ours::store(args.budget()?)?;
            args.boards().try_for_each(|n| queens::count(n, || ours::board(n, n, &store, |_| ()), || (), report))
        }
        Program::Oxidd => args.boards().try_for_each(|n| {
            let squares = room(Squares::new(n, 1, args.peer_cache.unwrap_or(fastest_cache(n))))?;
            queens::count(n, || room(squares.board(n)), || oxidd::forget(&squares.manager), report)
        }),
        Program::LibBdd => args.boards().try_for_each(|n| queens::count(n, || Ok(lib_bdd::board(n, n)), || (), report)),
    }
}

//! Operations that several threads call on one store at once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Condvar, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use rayon::{ThreadPoolBuilder, prelude::*};

use common::{functions::random_function, limits, tight, tightest};
use strata_bdd::{
    Bdd, Comparison, Config, ProgressCallback, Result, Store,
    testing::{Limits, Testing},
};

/// How long a test waits for an event before it fails.
const PATIENCE: Duration = Duration::from_mins(1);

fn store_of(threads: usize, limits: Limits, progress: ProgressCallback) -> Store {
    let testing = Testing { limits: Some(limits), backend: None };
    Store::new(Config { threads, testing, progress: Some(progress), ..Config::default() }).unwrap()
}

/// Waits until `it` is true, but no longer than [`PATIENCE`]. Answers whether it became true.
fn waits_until(it: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !it() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
    it()
}

type Operation = fn(&Bdd, &Bdd) -> Result<Bdd>;

/// Operations with sweeps of many kinds, on functions of the variables 0 to 9.
const OPERATIONS: [(&str, Operation); 14] = [
    ("apply", |f, g| f.xor(g)),
    ("apply to what is given away", |f, g| f.clone() & g.clone()),
    ("ite", |f, g| f.ite(g, &f.negated().xor(g)?)),
    ("restrict", |f, _| f.restrict([(2, true), (7, false)])),
    ("exists", |f, _| f.exists([1, 3, 8])),
    ("unique", |f, _| f.unique([1, 3, 4, 6, 8])),
    ("and_exists", |f, g| f.and_exists(g, [0, 5, 9])),
    ("compose", |f, g| f.compose(5, g)),
    ("compose_all", |f, g| f.compose_all([(5, g), (2, &f.negated())])),
    ("compose_all at once", |f, _| {
        let x = |variable| f.store().variable(variable);
        f.compose_all([(0, &x(0)?.xor(&x(8)?)?), (3, &x(3)?.and(&x(1)?)?), (6, &x(6)?.xor(&x(7)?)?)])
    }),
    ("constrain", |f, g| f.constrain(g)),
    ("simplify", |f, g| f.simplify(g)),
    ("disjoint", |f, g| Ok(if f.disjoint(&g.diff(f)?)? { f.clone() } else { g.clone() })),
    ("sat_count", |f, g| {
        f.path_count()?;
        Ok(if f.sat_count(10)? == g.sat_count(10)? { f.clone() } else { g.clone() })
    }),
];

/// A barrier for two threads, which can be used again and again.
#[derive(Default)]
struct Meeting {
    /// The number of times that a thread has come.
    came: Mutex<u64>,
    both: Condvar,
}

impl Meeting {
    /// Waits for the other thread. Answers whether the other thread came within [`PATIENCE`].
    fn wait(&self) -> bool {
        let mut came = self.came.lock().unwrap();
        *came += 1;
        let enough = came.next_multiple_of(2);
        self.both.notify_all();
        let (_came, waited) = self.both.wait_timeout_while(came, PATIENCE, |came| *came < enough).unwrap();
        !waited.timed_out()
    }
}

#[test]
fn small_operations_of_two_threads_run_side_by_side() -> Result<()> {
    for (small, nested_only) in [(1 << 14, false), (0, false), (0, true)] {
        for (name, operation) in OPERATIONS {
            // After every level of every sweep, each thread waits for the other.
            let (armed, meeting) = (Arc::new(AtomicBool::new(false)), Arc::new(Meeting::default()));
            let (listens, meets) = (armed.clone(), meeting.clone());
            let progress: ProgressCallback = Arc::new(move |_| {
                let goes_on = !listens.load(SeqCst) || meets.wait();
                if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            let changed = limits(|limits| (limits.small, limits.nested_only) = (small, nested_only));
            let store = store_of(2, changed, progress);
            let [f, g] = [1, 2].map(|seed| random_function(&store, seed, 10));
            let right = operation(&f, &g)?;
            armed.store(true, SeqCst);
            let made = thread::scope(|scope| {
                [0; 2].map(|_| scope.spawn(|| operation(&f, &g))).map(|made| made.join().unwrap())
            });
            for made in made {
                assert!(made.unwrap_or_else(|error| panic!("{name}: {error}")) == right, "{name}");
            }
            assert!(*meeting.came.lock().unwrap() > 0, "{name}");
        }
    }
    Ok(())
}

#[test]
fn operations_on_many_nodes_and_those_of_a_store_with_one_thread_take_turns() {
    for (threads, beside) in [(2, 100), (1, 1 << 17)] {
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (within, widest) = (inside.clone(), most.clone());
        let progress: ProgressCallback = Arc::new(move |_| {
            widest.fetch_max(within.fetch_add(1, SeqCst) + 1, SeqCst);
            thread::sleep(Duration::from_millis(1));
            within.fetch_sub(1, SeqCst);
            ControlFlow::Continue(())
        });
        let store = store_of(threads, limits(|limits| limits.beside = beside), progress);
        let [f, g] = [1, 2].map(|seed| random_function(&store, seed, 10));
        most.store(0, SeqCst);
        thread::scope(|scope| {
            let made = [0; 3].map(|_| scope.spawn(|| f.xor(&g)));
            assert!(made.map(|made| made.join().unwrap().unwrap()).windows(2).all(|made| made[0] == made[1]));
        });
        assert_eq!((inside.load(SeqCst), most.load(SeqCst)), (0, 1), "{threads} threads");
    }
}

#[test]
fn a_guest_that_runs_out_of_tables_begins_again_once_it_has_the_turn() -> Result<()> {
    for given_away in [false, true] {
        // The operation that has the turn stays in its callback until the guest has given up its first attempt.
        let (store_in_callback, stays, is_there) =
            (Arc::new(OnceLock::<Store>::new()), Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (seen, staying, there) = (store_in_callback.clone(), stays.clone(), is_there.clone());
        let progress: ProgressCallback = Arc::new(move |_| {
            there.store(true, SeqCst);
            let given_up = || seen.get().unwrap().operations().last().unwrap().operation == "apply";
            let gone_on = !staying.load(SeqCst) || waits_until(given_up);
            staying.store(false, SeqCst);
            if gone_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let store = store_of(2, limits(|limits| (limits.tables, limits.common) = (2 << 20, 0)), progress);
        assert!(store_in_callback.set(store.clone()).is_ok());
        let cube = |odd: u32| store.cube((0..1000).map(|at| (2 * at + odd, true)).chain([(0, true)]));
        let (f, g) = (cube(0)?, cube(1)?);
        let right = f.and(&g)?;
        let few = random_function(&store, 1, 10);
        let half = few.restrict([(0, true)])?;
        stays.store(true, SeqCst);
        is_there.store(false, SeqCst);
        let (host, guest) = thread::scope(|scope| {
            let host = scope.spawn(|| few.restrict([(0, true)]));
            assert!(waits_until(|| is_there.load(SeqCst)));
            let guest = if given_away { f.clone() & g.clone() } else { f.and(&g) };
            (host.join().unwrap(), guest)
        });
        assert!(host? == half && guest? == right);
        let names: Vec<_> = store.operations().iter().rev().map(|operation| operation.operation).take(3).collect();
        assert_eq!(names, ["apply", "restrict", "apply"]);
    }
    Ok(())
}

#[test]
fn a_sum_of_few_terms_does_not_wait_for_a_call_that_takes_much_of_the_tables() -> Result<()> {
    let (is_there, may_go) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (there, go) = (is_there.clone(), may_go.clone());
    let progress: ProgressCallback = Arc::new(move |progress| {
        let held = progress.operation == "swap";
        there.fetch_or(held, SeqCst);
        if !held || waits_until(|| go.load(SeqCst)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let store = Store::new(Config { memory: 16 << 20, threads: 2, progress: Some(progress), ..Config::default() })?;
    let many = store.parity(0..8000)?;
    let (swapped, few) = thread::scope(|scope| {
        let swapped = scope.spawn(|| many.replace(|variable| variable ^ 1));
        assert!(waits_until(|| is_there.load(SeqCst)));
        // The weights alone let a great number of sums be open.
        let few = store.linear([(0, 1_000_000), (1, 999_999), (2, 7)], Comparison::AtMost, 1_500_000);
        may_go.store(true, SeqCst);
        (swapped.join().unwrap(), few)
    });
    assert!(swapped? == many);
    assert_eq!(few?.sat_count(3)?, 6u8.into());
    Ok(())
}

/// The hashes of the results of all operations, one after another, on functions that grow out of `f` and `g`.
fn chain(f: &Bdd, g: &Bdd) -> Result<Vec<u128>> {
    let mut hashes = Vec::new();
    let (mut f, mut g) = (f.clone(), g.clone());
    for (_, operation) in OPERATIONS {
        let made = operation(&f, &g)?;
        hashes.push(made.content_hash());
        let next = f.xor(&made)?;
        if !next.is_constant() {
            (f, g) = (g, next);
        }
    }
    Ok(hashes)
}

#[test]
fn results_of_several_threads_at_once_are_the_same_to_the_byte() -> Result<()> {
    let alone = store_of(1, limits(|_| ()), Arc::new(|_| ControlFlow::Continue(())));
    let pairs = [(1, 2), (3, 4), (5, 6), (7, 8)];
    let operands = |store: &Store| pairs.map(|(f, g)| [f, g].map(|seed| random_function(store, seed, 10)));
    let right = operands(&alone).iter().map(|[f, g]| chain(f, g)).collect::<Result<Vec<_>>>()?;
    // With `shared`, an operation that is alone shares its levels. With few nodes allowed beside another operation,
    // some operations are no guests. With few tables, some guests run out of tables.
    let shared = |limits| Limits { alone: 5, ..limits };
    let few_tables = |limits: Limits| Limits { tables: 100 << 10, common: 0, ..limits };
    let divisions = [
        limits(|_| ()),
        shared(limits(|_| ())),
        shared(limits(|limits| limits.beside = 500)),
        few_tables(limits(|_| ())),
        tight(),
        shared(tight()),
        few_tables(shared(tight())),
        tightest(),
    ];
    let overlaps = Arc::new(AtomicUsize::new(0));
    for (at, limits) in divisions.into_iter().enumerate() {
        for threads in [2, 3] {
            let (inside, overlaps) = (AtomicUsize::new(0), overlaps.clone());
            let progress: ProgressCallback = Arc::new(move |_| {
                overlaps.fetch_add(inside.fetch_add(1, SeqCst), SeqCst);
                thread::yield_now();
                inside.fetch_sub(1, SeqCst);
                ControlFlow::Continue(())
            });
            let store = store_of(threads, limits.clone(), progress);
            let operands = operands(&store);
            let made = thread::scope(|scope| {
                let made = operands.each_ref().map(|[f, g]| scope.spawn(move || chain(f, g)));
                made.map(|made| made.join().unwrap())
            });
            for (made, right) in made.into_iter().zip(&right) {
                assert!(made? == *right, "division {at}, {threads} threads");
            }
            drop(operands);
            assert_eq!(store.stats().temp_bytes, 0);
        }
    }
    assert!(overlaps.load(SeqCst) > 0, "no two operations ran side by side");
    Ok(())
}

/// While a rayon thread waits, the thread takes up other work of its pool: perhaps an operation that waits for what the
/// first operation holds.
#[test]
fn operations_called_from_a_rayon_pool_do_not_deadlock() -> Result<()> {
    let store = store_of(2, limits(|limits| limits.alone = 5), Arc::new(|_| ControlFlow::Continue(())));
    let [f, g] = [1, 2].map(|seed| random_function(&store, seed, 10));
    let right = f.xor(&g)?;
    let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let made: Result<Vec<_>> = pool.install(|| (0..100).into_par_iter().map(|_| f.xor(&g)).collect());
    assert!(made?.iter().all(|made| *made == right));
    Ok(())
}

//! Random functions and circuits, against `biodivine-lib-bdd` and under forced limits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    hash::{BuildHasher, RandomState},
    num::NonZero,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use biodivine_lib_bdd as peer;
use common::{
    default_store,
    disk::Disk,
    functions::{Algebra, hidden_weighted_bit, product, random_function, random_tree},
    limits,
    peer::Peer,
    roomy_store, shared_store_with, smallest_store, store_on, store_with,
};
use fastrand::Rng;
use num_bigint::BigUint;
use strata_bdd::{Bdd, BinaryOp, BuilderNode, Config, Result, Store, testing::Limits};

/// The functions over `variables` variables that the same work gives in both packages.
struct Compared {
    ours: Vec<Bdd>,
    theirs: Vec<peer::Bdd>,
    variables: u32,
}

impl Compared {
    /// Checks that the counts and sizes in both packages are the same, and that functions which are equal in one
    /// package are equal in the other.
    fn check(&self) {
        assert_eq!(self.ours.len(), self.theirs.len());
        for (number, (f, g)) in self.ours.iter().zip(&self.theirs).enumerate() {
            let inner_nodes = g.size().saturating_sub(2) as u64;
            assert_eq!(f.node_count(), inner_nodes, "function {number}");
            let [solutions, paths] = [g.exact_cardinality(), g.exact_clause_cardinality()].map(|n| n.to_bytes_le());
            assert_eq!(f.sat_count(self.variables).unwrap(), BigUint::from_bytes_le(&solutions), "function {number}");
            assert_eq!(f.path_count().unwrap(), BigUint::from_bytes_le(&paths), "function {number}");
        }
        for (number, pair) in self.ours.iter().zip(&self.theirs).enumerate() {
            for (other, other_pair) in self.ours.iter().zip(&self.theirs).enumerate().take(number) {
                assert_eq!(pair.0 == other_pair.0, pair.1 == other_pair.1, "functions {number} and {other}");
            }
        }
    }
}

const TREE_VARIABLES: u32 = 12;

/// The variables and operators of trees: over few variables, where equal functions are frequent, and over more.
const TREE_SIZES: [(u32, u32); 5] = [(3, 8), (4, 12), (8, 60), (TREE_VARIABLES, 100), (TREE_VARIABLES, 400)];

/// The functions of random trees, `rounds` for each size.
fn trees<A: Algebra>(algebra: &A, rounds: usize) -> Vec<A::Function> {
    let mut random = Rng::with_seed(20);
    TREE_SIZES
        .into_iter()
        .flat_map(|size| std::iter::repeat_n(size, rounds))
        .map(|(variables, operators)| random_tree(algebra, &mut random, variables, operators))
        .collect()
}

const CIRCUIT_VARIABLES: u32 = 20;

/// Functions of up to tens of thousands of nodes, with levels too wide for most of the forced limits.
fn circuits<A: Algebra>(algebra: &A, bits: u32) -> Vec<A::Function> {
    let mut functions = product(algebra, bits);
    let hidden = hidden_weighted_bit(algebra, CIRCUIT_VARIABLES);
    let [a, b] = [bits, bits + 2].map(|bit| functions[bit as usize].clone());
    for op in [BinaryOp::AND, BinaryOp::IMP, BinaryOp::XOR] {
        functions.push(algebra.op(op, &a, &b));
        functions.push(algebra.op(op, &b, &hidden));
    }
    functions.push(algebra.ite(&a, &b, &hidden));
    functions.push(algebra.ite(&hidden, &algebra.not(&a), &b));
    functions.push(hidden);
    functions
}

/// The results of some work, and what shows whether forced limits had an effect.
struct Trace {
    store: Store,
    results: Vec<Bdd>,
    /// The bytes of every read.
    reads: Vec<usize>,
    /// The number of external sorts.
    sorts: u64,
}

impl Trace {
    /// The trace of `work` in a store with `limits`.
    fn of(limits: Limits, work: impl Fn(&Store) -> Vec<Bdd>) -> Self {
        let disk = Disk::new();
        let store = store_on(&disk, limits, 1);
        let results = work(&store);
        Self { store, results, reads: disk.reads(), sorts: disk.calls("sort in") }
    }

    fn largest(&self) -> &Bdd {
        self.results.iter().max_by_key(|f| f.node_count()).unwrap()
    }

    fn spilled(&self) -> bool {
        self.store.stats().spilled_bytes > 0
    }

    fn parted(&self) -> bool {
        self.store.stats().parted_levels > 0
    }

    fn sorted_outside(&self) -> bool {
        self.sorts > 0
    }

    fn diagrams_on_disk(&self) -> bool {
        self.largest().disk_bytes() > 0
    }

    /// Whether there were many reads of a full window, to a node of 16 bytes, and none of more than a window or an
    /// extent of a log, plus the rest of the first and of the last block.
    fn read_in_pieces(&self) -> bool {
        let Limits { window, block, .. } = *self.store.config().testing.limits.as_ref().unwrap();
        let full = self.reads.iter().filter(|&&bytes| bytes + 16 > window).count();
        full > 100 && self.reads.iter().all(|&bytes| bytes <= window.max(8 * block) + 2 * block)
    }

    fn all_at_once(&self) -> bool {
        self.spilled() && self.parted() && self.diagrams_on_disk() && self.read_in_pieces()
    }
}

/// The smallest limits under which some work takes little time.
#[derive(Clone, Copy)]
struct Least {
    block: usize,
    /// `None` where no queue is long enough to be worth spilling.
    queue: Option<usize>,
    sort: usize,
    window: usize,
}

/// Trees are small enough that sorting two records at a time and reading one node at a time takes little time.
const TREES: Least = Least { block: 256, queue: None, sort: 0, window: 0 };
const CIRCUITS: Least = Least { block: 256, queue: Some(8 << 10), sort: 16 << 10, window: 1024 };
const CIRCUITS_IN_PAGES: Least = Least { block: 4096, queue: Some(64 << 10), sort: 16 << 10, window: 4096 };

impl Least {
    /// All limits at their least.
    fn all(self) -> Limits {
        let Self { block, queue, sort, window } = self;
        let roomy = limits(|_| ());
        let queue = queue.unwrap_or(roomy.queue);
        Limits { block, queue, arcs: 0, diagrams: 0, sort, dense: sort, window, ..roomy }
    }
}

/// A way to force limits: its name, the limits, and a check that the limits had an effect.
type Way = (&'static str, Limits, fn(&Trace) -> bool);

/// Each limit alone at its least, then all of them.
fn every_way(least: Least) -> Vec<Way> {
    let way = |adjust: &dyn Fn(&mut Limits)| {
        limits(|limits| {
            limits.block = least.block;
            adjust(limits);
        })
    };
    let mut ways: Vec<Way> = vec![
        ("diagrams in files", way(&|l| l.diagrams = 0), Trace::diagrams_on_disk),
        ("arcs on disk", way(&|l| l.arcs = 0), Trace::spilled),
        (
            "little memory, common to all",
            way(&|l| (l.queue, l.arcs, l.diagrams, l.common) = (0, 0, 0, 8 * l.block)),
            Trace::spilled,
        ),
        ("levels parted to be sorted", way(&|l| l.sort = least.sort), Trace::parted),
        ("levels parted into arrays", way(&|l| l.dense = least.sort), Trace::parted),
        ("levels sorted outside memory", way(&|l| (l.dense, l.parts) = (least.sort / 8, 5)), Trace::sorted_outside),
        ("operands resolved one by one", way(&|l| (l.diagrams, l.window) = (0, least.window)), Trace::read_in_pieces),
        ("all at once", least.all(), Trace::all_at_once),
        ("all at once, not packed", Limits { compress: false, ..least.all() }, Trace::all_at_once),
    ];
    ways.extend(
        least.queue.map(|queue| ("a small queue", way(&|l| l.queue = queue), Trace::spilled as fn(&Trace) -> bool)),
    );
    ways
}

/// Checks that `work` gives the same results in every way as with the default settings.
fn check_every_way(least: Least, work: impl Fn(&Store) -> Vec<Bdd>) {
    let expected = work(&default_store());
    for (name, limits, shows) in every_way(least) {
        let trace = Trace::of(limits, &work);

        check_same(&trace.results, &expected, name);
        assert!(shows(&trace), "the limits had no effect: {name}, {:?}", trace.store.stats());
    }
}

/// Checks that the functions in `found` and `expected` are equal one by one, with equal hashes and counts.
fn check_same(found: &[Bdd], expected: &[Bdd], name: &str) {
    let hasher = RandomState::new();
    assert_eq!(found.len(), expected.len());
    for (number, (f, g)) in found.iter().zip(expected).enumerate() {
        assert_eq!(f, g, "function {number}: {name}");
        assert_eq!(hasher.hash_one(f), hasher.hash_one(g), "function {number}: {name}");
        check_same_facts(f, g, &format!("function {number}: {name}"));
    }
}

/// Checks that `f` and `g` have the same size, support and counts.
fn check_same_facts(f: &Bdd, g: &Bdd, name: &str) {
    assert_eq!(f.node_count(), g.node_count(), "{name}");
    assert_eq!(f.width(), g.width(), "{name}");
    assert_eq!(f.support(), g.support(), "{name}");
    assert_eq!(f.sat_count(CIRCUIT_VARIABLES).unwrap(), g.sat_count(CIRCUIT_VARIABLES).unwrap(), "{name}");
    assert_eq!(f.path_count().unwrap(), g.path_count().unwrap(), "{name}");
}

/// Does `work` where diagrams of `narrow_ids` nodes and more have wide ids, in a roomy store and in one with all limits
/// at their least. Checks that both stores give the same diagrams, with the size, support and counts of the default
/// settings.
fn check_wide_ids(narrow_ids: u64, least: Least, work: impl Fn(&Store) -> Vec<Bdd>) {
    let name = format!("narrow ids below {narrow_ids}");
    let roomy = Trace::of(limits(|l| l.narrow_ids = narrow_ids), &work);
    let forced = Trace::of(Limits { narrow_ids, ..least.all() }, &work);
    check_same(&forced.results, &roomy.results, &name);
    for (number, (f, g)) in forced.results.iter().zip(work(&default_store())).enumerate() {
        check_same_facts(f, &g, &format!("function {number}: {name}"));
    }
    assert!(forced.all_at_once(), "{name}: {:?}", forced.store.stats());
    // The bytes of a file show the width of its ids: 8 or 16 bytes for each node and terminal.
    for f in forced.results.iter().filter(|f| f.disk_bytes() > 0) {
        let ids = f.node_count() + 2;
        assert_eq!(f.disk_bytes(), ids * if f.node_count() < narrow_ids { 8 } else { 16 }, "{name}");
    }
    assert!(forced.largest().disk_bytes() > narrow_ids * 16, "{name}");
}

#[test]
fn random_trees_give_the_same_functions_as_in_another_package() {
    for store in [default_store(), roomy_store()] {
        let ours = trees(&store, 60);
        let theirs = trees(&Peer::new(TREE_VARIABLES), 60);
        Compared { ours, theirs, variables: TREE_VARIABLES }.check();
    }
}

#[test]
fn circuits_give_the_same_functions_as_in_another_package() {
    let ours = circuits(&default_store(), 9);
    let theirs = circuits(&Peer::new(CIRCUIT_VARIABLES), 9);
    assert!(ours.iter().any(|f| f.node_count() > 30_000));
    Compared { ours, theirs, variables: CIRCUIT_VARIABLES }.check();
}

#[test]
fn random_trees_are_the_same_with_no_memory_for_anything() {
    check_every_way(TREES, |store| trees(store, 1));
}

#[test]
fn circuits_are_the_same_with_little_memory_for_anything() {
    check_every_way(CIRCUITS, |store| circuits(store, 8));
}

#[test]
fn circuits_are_the_same_in_blocks_of_a_page() {
    check_every_way(CIRCUITS_IN_PAGES, |store| circuits(store, 8));
}

#[test]
fn random_trees_are_the_same_with_wide_ids() {
    check_wide_ids(4, TREES, |store| trees(store, 1));
}

#[test]
fn circuits_are_the_same_with_wide_ids() {
    for (narrow_ids, least) in [(64, CIRCUITS_IN_PAGES), (1000, CIRCUITS)] {
        let least = Least { sort: 32 << 10, ..least };
        check_wide_ids(narrow_ids, least, |store| circuits(store, 8));
    }
}

#[test]
fn functions_are_the_same_whatever_the_number_of_threads() {
    let roomy = limits(|_| ());
    let wide = limits(|limits| limits.narrow_ids = 1000);
    for (threads, limits) in
        [(2, roomy.clone()), (3, roomy), (2, CIRCUITS_IN_PAGES.all()), (4, wide.clone()), (2, wide)]
    {
        let name = format!("{threads} threads, {limits:?}");
        let (alone, shared) = (store_with(limits.clone()), shared_store_with(threads, &limits));
        check_same(&circuits(&shared, 7), &circuits(&alone, 7), &name);
        check_same(&trees(&shared, 5), &trees(&alone, 5), &name);
        assert!(shared.stats().shared_levels > 1000, "{name}: {:?}", shared.stats());
        assert_eq!(alone.stats().shared_levels, 0);
    }
}

#[test]
fn functions_are_the_same_where_other_threads_keep_the_processors_busy() {
    let (done, end) = (AtomicBool::new(false), Instant::now() + Duration::from_mins(1));
    thread::scope(|scope| {
        for _ in 0..2 * thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while !done.load(Relaxed) && Instant::now() < end {
                    std::hint::spin_loop();
                }
            });
        }
        for threads in [2, 3] {
            let limits = limits(|limits| limits.late = 8);
            let (alone, shared) = (store_with(limits.clone()), shared_store_with(threads, &limits));
            check_same(&circuits(&shared, 7), &circuits(&alone, 7), &format!("{threads} threads"));
            check_same(&product(&shared, 9), &product(&alone, 9), &format!("{threads} threads"));
        }
        done.store(true, Relaxed);
    });
}

/// A regression test. For the width of ids, the sweep once counted the nodes before reduction, and the file its nodes
/// and terminals. So for two sizes the width, and with it the bytes, depended on how a diagram was made.
#[test]
fn a_diagram_at_the_edge_of_the_narrow_width_is_the_same_however_it_is_made() -> Result<()> {
    for narrow_ids in 3..16 {
        let store = store_with(limits(|limits| limits.narrow_ids = narrow_ids));
        let x: Vec<Bdd> = (0..8).map(|variable| store.variable(variable).unwrap()).collect();
        let one_by_one = x.iter().try_fold(store.constant(true), |all, x| all.and(x))?;
        let halves = [&x[..4], &x[4..]].map(|half| half.iter().try_fold(store.constant(true), |all, x| all.and(x)));
        let [upper, lower] = halves;
        let by_halves = upper?.and(&lower?)?;
        let mut builder = store.builder()?;
        let mut chain = BuilderNode::from(true);
        for variable in (0..8).rev() {
            chain = builder.add_node(variable, false, chain)?;
        }
        let built = builder.build()?;
        assert_eq!(one_by_one, built, "{narrow_ids}");
        assert_eq!(by_halves, built, "{narrow_ids}");
    }
    Ok(())
}

/// A block of 256 bytes holds 32 nodes or terminals, so a diagram of 30 nodes fills its blocks exactly, one of 62
/// nodes, and so on.
#[test]
fn diagrams_of_every_size_around_a_block_are_the_same_on_disk() -> Result<()> {
    let (roomy, forced) = (default_store(), store_with(limits(|limits| (limits.block, limits.diagrams) = (256, 0))));
    let [mut expected, mut found] = [&roomy, &forced].map(|store| store.variable(99).unwrap());
    for variable in (0..99).rev() {
        expected = roomy.variable(variable)?.and(&expected)?;
        found = forced.variable(variable)?.and(&found)?;
        let nodes = u64::from(100 - variable);
        assert_eq!(found, expected);
        assert_eq!(found.node_count(), nodes);
        assert_eq!(found.sat_count(100)?, BigUint::from(1u8) << variable);
        assert_eq!(found.path_count()?, 1u8.into());
        assert_eq!(found.disk_bytes(), (nodes + 2) * 8);
        assert_eq!(forced.stats().temp_bytes, found.disk_bytes());
    }
    Ok(())
}

#[test]
fn diagrams_that_outgrow_the_smallest_budget_are_the_same_as_in_a_large_one() -> Result<()> {
    let work = |store: &Store| -> Result<Vec<Bdd>> {
        let [f, g, h] = [1, 2, 3].map(|seed| random_function(store, seed, CIRCUIT_VARIABLES));
        let [and, xor, ite] = [f.and(&g)?, g.xor(&h)?, f.ite(&g, &h)?];
        Ok(vec![and.imp(&ite)?, f, g, h, and, xor, ite])
    };
    let (small, large) = (smallest_store(), default_store());
    let plain = Store::new(Config { memory: strata_bdd::SMALLEST_MEMORY, compress: false, ..Config::default() })?;
    let found = work(&small)?;
    check_same(&work(&plain)?, &found, "the smallest budget, not packed");
    let [packed, unpacked] = [&small, &plain].map(|store| store.stats().spilled_bytes);
    assert!(packed < unpacked / 4 * 3, "{packed} bytes packed, {unpacked} not");
    check_same(&found, &work(&large)?, "the smallest budget");
    assert!(small.stats().spilled_bytes > 1 << 20, "{:?}", small.stats());
    assert!(found.iter().any(|f| f.disk_bytes() > 0) && found.iter().any(|f| f.disk_bytes() == 0));
    assert_eq!(large.stats().spilled_bytes, 0);
    Ok(())
}

/// Reads of logs are announced, but for the first run of a log and for logs of few runs.
#[test]
fn reads_of_logs_and_of_whole_diagrams_are_announced() -> Result<()> {
    let forced = limits(|limits| (limits.block, limits.queue, limits.arcs, limits.sort) = (4096, 0, 0, 64 << 10));
    let disk = Disk::new();
    let store = store_on(&disk, forced, 1);
    let [f, g] = [1, 2].map(|seed| random_function(&store, seed, CIRCUIT_VARIABLES));
    let before = (disk.calls("read"), disk.announced());
    f.xor(&g)?;
    let (reads, announced) = (disk.calls("read") - before.0, disk.announced() - before.1);
    assert!(reads > 100, "{reads} reads are too few to tell");
    assert!(announced > reads / 2 && announced <= reads, "{announced} of {reads} reads announced");
    // A diagram that is read from one end to the other.
    let disk = Disk::new();
    let store = store_on(&disk, limits(|limits| (limits.block, limits.diagrams) = (4096, 0)), 1);
    let long = store.at_most(40, 0..2000)?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = (disk.calls("read"), disk.announced());
    long.save(folder.path().join("long"))?;
    let (reads, announced) = (disk.calls("read") - before.0, disk.announced() - before.1);
    assert!(reads > 100 && announced + 2 >= reads, "{announced} of {reads} reads announced");
    Ok(())
}

#[test]
fn a_sweep_reads_a_diagram_about_once() -> Result<()> {
    for window in [8 << 10, 32 << 10, 1 << 20] {
        let forced = limits(|limits| (limits.block, limits.diagrams, limits.window) = (512, 0, window));
        let disk = Disk::new();
        let store = store_on(&disk, forced, 1);
        let f = hidden_weighted_bit(&store, 28);
        // Neither operand has a level above the other's for itself.
        let g = store.variable(0)?.or(&store.variable(27)?)?;
        for work in [&|| f.sat_count(28).map(drop), &|| f.and(&g).map(drop)] as [&dyn Fn() -> Result<()>; 2] {
            let before = disk.reads().len();
            work()?;
            let (bytes, read) = (f.disk_bytes(), disk.reads()[before..].iter().sum::<usize>() as u64);
            assert!(bytes > 64 << 10 && read < bytes * 3 / 2, "{read} of {bytes} bytes with a window of {window}");
        }
    }
    Ok(())
}

/// If operands were read at random, those larger than the window would be read again for most requests.
#[test]
fn operands_beyond_the_window_are_read_in_order() -> Result<()> {
    const WINDOW: usize = 1024;
    let variables = 14;
    let forced = limits(|limits| (limits.block, limits.diagrams, limits.window) = (256, 0, WINDOW));
    let disk = Disk::new();
    let store = store_on(&disk, forced, 1);
    let operands = [1, 2, 3].map(|seed| random_function(&store, seed, variables));
    let [f, g, h] = &operands;
    let bytes: u64 = operands.iter().map(Bdd::disk_bytes).sum();
    assert!(operands.iter().all(|f| f.width() * 8 > 2 * WINDOW as u64));
    // Two operands share the window, and every level begins with an empty one.
    let in_order = 2 * bytes / WINDOW as u64 + 3 * u64::from(variables);
    for operation in [&|| f.xor(g), &|| f.ite(g, h)] as [&dyn Fn() -> Result<Bdd>; 2] {
        let before = (disk.calls("read"), store.stats().processed_requests);
        operation()?;
        let reads = disk.calls("read") - before.0;
        let requests = store.stats().processed_requests - before.1;
        assert!(reads <= in_order, "{reads} reads where {in_order} do");
        assert!(requests > 8 * in_order, "{requests} requests are too few to tell the ways apart");
    }
    Ok(())
}

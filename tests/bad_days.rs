//! Disks that fail, settings and operands that are refused, and callbacks that stop, panic or call operations.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    collections::BTreeSet,
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use common::{
    default_store,
    disk::{ALTER, Disk, FORGET, LOSE},
    functions::{hidden_weighted_bit, product, queen_in, random_function},
    limits, store_on, tight, tightest,
};
use fastrand::Rng;
use num_bigint::BigUint;
use strata_bdd::{
    Bdd, BddBuilder, BinaryOp, BuilderNode, Comparison, Config, Cube, Error, Progress, ProgressCallback, Result,
    SMALLEST_MEMORY, Store, Sweep, VariablePairs,
    testing::{Backend, Limits, Testing},
};

const VARIABLES: u32 = 14;

/// A store on a disk that can fail, operands in that store, and their counts of solutions.
struct Day {
    disk: Arc<Disk>,
    store: Store,
    operands: [Bdd; 3],
    counts: [BigUint; 3],
}

impl Day {
    fn new(limits: Limits) -> Self {
        Self::of(1, limits)
    }

    /// A store with `threads` threads.
    fn of(threads: usize, limits: Limits) -> Self {
        let in_memory = limits.diagrams > 0;
        let day = Self::with(threads, limits, |store| {
            let product = product(store, 6);
            [product[5].clone(), product[7].clone(), hidden_weighted_bit(store, VARIABLES)]
        });
        assert!(day.operands.iter().all(|f| (f.disk_bytes() == 0) == in_memory));
        day
    }

    /// A store with nothing on the disk.
    fn bare(limits: Limits) -> Self {
        Self::with(1, limits, |store| [true, true, false].map(|value| store.constant(value)))
    }

    fn with(threads: usize, limits: Limits, operands: impl Fn(&Store) -> [Bdd; 3]) -> Self {
        let disk = Disk::new();
        let store = store_on(&disk, limits, threads);
        let operands = operands(&store);
        let counts = operands.each_ref().map(|f| f.sat_count(VARIABLES).unwrap());
        Self { disk, store, operands, counts }
    }

    /// Does `work` without a fault, then with one call of `action` that fails: the first, the second, and so on, or
    /// about `days` of all calls, spread evenly. Checks the error of every failure, and that a failure leaves nothing
    /// behind and the operands as before.
    fn check<T: PartialEq + std::fmt::Debug>(
        &self,
        action: &'static str,
        days: u64,
        work: impl Fn(&Self) -> Result<T>,
    ) {
        let expected = work(self).unwrap();
        let temp_bytes = self.store.stats().temp_bytes;
        let calls_before = self.disk.calls(action);
        drop(work(self));
        let calls = self.disk.calls(action) - calls_before;
        assert!(calls > 0, "the work never asked to {action}");
        let mut failures = 0;
        for k in (1..calls).step_by(calls.div_ceil(days) as usize).chain([calls]) {
            self.disk.fail(action, k);
            let outcome = work(self);
            assert!(self.disk.heal(), "call {k} to {action} never came");
            match outcome {
                Err(error) => {
                    failures += 1;
                    self.check_error(&error, action);
                }
                // A fault may do no harm: a lost folder of a sort without files, or bytes that nothing uses.
                Ok(result) => {
                    assert!([ALTER, FORGET, LOSE].contains(&action), "call {k} to {action} failed unnoticed");
                    assert_eq!(result, expected);
                }
            }
            assert_eq!(self.store.stats().temp_bytes, temp_bytes, "after call {k} to {action}");
            assert_eq!(self.disk.names(), 0, "after call {k} to {action}");
            self.check_operands();
            assert_eq!(work(self).unwrap(), expected, "after call {k} to {action}");
        }
        assert!(failures > 0, "no failure to {action}");
        // A fault after the last call never comes.
        self.disk.fail(action, calls + 1);
        assert_eq!(work(self).unwrap(), expected);
        assert!(!self.disk.heal());
    }

    /// Several operations one after another, the first cube of the result, and an evaluation on the way.
    fn walks(&self) -> Result<(Bdd, Option<Cube>, bool)> {
        let [f, g, _] = &self.operands;
        let restricted = f.xor(g)?.restrict([(3, true), (6, false)])?;
        let composed = restricted.compose(5, g)?.unique([4])?.constrain(g)?.replace(|variable| variable ^ 1)?;
        let first = composed.cubes().next().transpose()?;
        Ok((composed, first, restricted.eval(|variable| variable % 2 == 0)?))
    }

    /// Checks that the operands have the same counts as at first.
    fn check_operands(&self) {
        for (f, count) in self.operands.iter().zip(&self.counts) {
            assert_eq!(&f.sat_count(VARIABLES).unwrap(), count);
        }
    }

    fn check_error(&self, error: &Error, failed: &str) {
        let Error::Io { action, folder, source } = error else { panic!("{failed}: {error:?}") };
        let expected = match failed {
            LOSE => ("sort in", io::ErrorKind::NotFound),
            ALTER | FORGET => ("read", io::ErrorKind::InvalidData),
            _ => (failed, io::ErrorKind::StorageFull),
        };
        assert_eq!((*action, source.kind()), expected);
        assert_eq!(folder, self.disk.folder());
    }

    fn check_apply(&self, action: &'static str) {
        self.check(action, 400, |day| day.operands[1].xor(&day.operands[2]));
    }

    fn check_ite(&self, action: &'static str) {
        self.check(action, 100, |day| day.operands[0].ite(&day.operands[1], &day.operands[2]));
    }

    fn check_count(&self, action: &'static str) {
        self.check(action, 40, |day| Ok((day.operands[1].sat_count(VARIABLES)?, day.operands[2].path_count()?)));
    }
}

#[test]
fn a_file_that_cannot_be_created_fails_the_operation_and_nothing_else() {
    // Diagrams are in memory; if they were on disk, the store would have its file already.
    let day = Day::new(Limits { diagrams: 1 << 20, ..tight() });
    day.check_apply("create");
    day.check_ite("create");
}

/// With several threads, the k-th call is another in every run, and may never come.
#[test]
fn a_disk_that_fails_one_of_several_threads_fails_the_operation_and_nothing_else() {
    let day = Day::of(2, Limits { alone: 0, ..tight() });
    let work = |day: &Day| day.operands[1].xor(&day.operands[2]);
    let expected = work(&day).unwrap();
    assert!(day.store.stats().shared_levels > 0);
    let temp_bytes = day.store.stats().temp_bytes;
    for action in ["write", "read", ALTER, FORGET] {
        let before = day.disk.calls(action);
        drop(work(&day).unwrap());
        let calls = day.disk.calls(action) - before;
        let mut failures = 0;
        for k in (1..=calls).step_by(calls.div_ceil(25) as usize) {
            day.disk.fail(action, k);
            let outcome = work(&day);
            match (outcome, day.disk.heal()) {
                (Err(error), true) => {
                    failures += 1;
                    day.check_error(&error, action);
                }
                // A fault in bytes that nothing uses does no harm.
                (Ok(result), came) if !came || [ALTER, FORGET].contains(&action) => assert_eq!(result, expected),
                (outcome, came) => panic!("call {k} to {action} came: {came}, and then {outcome:?}"),
            }
            assert_eq!(day.store.stats().temp_bytes, temp_bytes, "after call {k} to {action}");
            day.check_operands();
        }
        assert!(failures > 0, "no failure to {action}");
    }
    assert_eq!(work(&day).unwrap(), expected);
}

#[test]
fn a_block_that_cannot_be_written_fails_the_operation_and_nothing_else() {
    let day = Day::new(tight());
    day.check_apply("write");
    day.check_ite("write");
}

#[test]
fn a_block_that_cannot_be_read_fails_the_operation_and_nothing_else() {
    let day = Day::new(tight());
    day.check_apply("read");
    day.check_ite("read");
    day.check_count("read");
}

#[test]
fn bytes_that_differ_from_those_that_were_written_fail_the_operation_and_nothing_else() {
    for limits in [tight(), tightest(), Limits { compress: false, ..tight() }] {
        let day = Day::new(limits);
        for fault in [ALTER, FORGET] {
            day.check(fault, 100, |day| day.operands[1].xor(&day.operands[2])?.sat_count(VARIABLES));
            day.check(fault, 100, Day::walks);
        }
    }
}

#[test]
fn every_operation_reports_a_failed_disk_and_leaves_its_operands_as_before() {
    type Work = fn(&Day) -> Result<Bdd>;
    let works: [(&str, Work); 12] = [
        ("restrict", |day| day.operands[2].restrict([(1, true), (9, false)])),
        ("exists", |day| day.operands[1].exists([2, 3, 8])),
        ("forall", |day| day.operands[2].forall([5])),
        ("unique", |day| day.operands[2].unique([1, 4])),
        ("and_exists", |day| day.operands[1].and_exists(&day.operands[2], [0, 6])),
        ("relation", |day| {
            let pairs = VariablePairs::interleaved(VARIABLES / 2)?;
            let states = day.operands[2].exists_where(|variable| pairs.is_next(variable))?;
            states.rel_next(&day.operands[1], &pairs)?.rel_prev(&day.operands[1], &pairs)
        }),
        ("replace", |day| day.operands[1].replace(|variable| variable ^ 1)),
        ("replace the first", |day| day.operands[1].replace(|variable| if variable == 0 { 20 } else { variable })),
        ("compose", |day| day.operands[2].compose(3, &day.operands[1])),
        ("compose_all", |day| {
            let [f, g, h] = &day.operands;
            h.compose_all([(0, f), (1, g), (2, &h.negated())])
        }),
        ("constrain", |day| day.operands[1].constrain(&day.operands[2])),
        ("simplify", |day| day.operands[1].simplify(&day.operands[2])),
    ];
    let in_memory = Limits { diagrams: 1 << 20, ..tight() };
    let days: [(Limits, &[&str]); 4] = [
        (tight(), &["write", "read"]),
        (Limits { small: 1 << 20, ..tight() }, &["write", "read"]),
        (Limits { nested_only: true, ..tight() }, &["write", "read"]),
        (in_memory, &["create"]),
    ];
    for (limits, actions) in days {
        let day = Day::new(limits);
        for action in actions {
            for (_, work) in works {
                day.check(action, 8, work);
            }
            day.check(action, 8, |day| day.operands[1].imp(&day.operands[2])?.implies(&day.operands[0]));
            day.check(action, 8, |day| {
                let (f, domain) = (&day.operands[2], 0..VARIABLES);
                let weight = |variable, value| if value { f64::from(variable) } else { 0.5 };
                let counted = f.weighted_count(weight, domain.clone())?;
                let best = f.opt_max(i64::from, domain.clone())?;
                Ok((counted, best, f.literal_counts(domain.clone())?, f.sample(3, 1, domain)?))
            });
        }
    }
}

/// Limits under which levels go through the external sorter: there are too few logs to part a level into what fits an
/// array.
fn merging() -> Limits {
    Limits { dense: 48, parts: 5, ..tightest() }
}

#[test]
fn a_folder_that_cannot_be_made_for_a_sort_fails_the_operation_and_nothing_else() {
    let day = Day::new(merging());
    day.check_apply("sort in");
    day.check_ite("sort in");
}

#[test]
fn a_failure_during_a_sort_on_disk_leaves_nothing_behind() {
    let day = Day::new(tightest());
    let f = product(&day.store, 6).swap_remove(6);
    for action in ["write", "read"] {
        day.check(action, 6, |day| day.operands[1].xor(&day.operands[2]));
        // Weights with many ties, and more samples than the memory for sorting holds.
        day.check(action, 60, |_| f.opt_min(|variable| i64::from(variable % 3) - 1, 0..VARIABLES));
        day.check(action, 60, |_| f.sample(1000, 3, 0..VARIABLES));
    }
}

#[test]
fn a_folder_that_is_lost_during_a_sort_fails_the_operation_and_nothing_else() {
    let day = Day::new(merging());
    day.check_apply(LOSE);
    day.check_ite(LOSE);
}

/// A chain of one node a level, above a few levels of up to 128 nodes. `add` adds a node to the builder.
fn comb(
    store: &Store,
    mut add: impl FnMut(&mut BddBuilder, u32, [BuilderNode; 2]) -> Result<BuilderNode>,
) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut layer: Vec<BuilderNode> = (0..256u32).map(|at| (at * at % 31 % 3 == 1).into()).collect();
    for variable in (200..208).rev() {
        layer = layer.chunks(2).map(|pair| add(&mut builder, variable, [pair[0], pair[1]])).collect::<Result<_>>()?;
    }
    let mut chain = layer[0];
    for variable in (0..200).rev() {
        chain = add(&mut builder, variable, [chain, (variable % 3 == 0).into()])?;
    }
    builder.build()
}

/// A chain of one node a level, with high arcs to random levels below.
fn leaping_chain(store: &Store, levels: u32, seed: u64) -> Result<Bdd> {
    let (mut random, mut builder) = (Rng::with_seed(seed), store.builder()?);
    let mut nodes: Vec<BuilderNode> = vec![false.into(), true.into()];
    for variable in (0..levels).rev() {
        let [low, high] = [nodes[nodes.len() - 1], nodes[random.usize(..nodes.len() - 1)]];
        nodes.push(builder.add_node(variable, low, high)?);
    }
    builder.build()
}

#[test]
fn a_failure_where_short_logs_of_many_levels_are_gathered_fails_the_operation_and_nothing_else() {
    let day = Day::new(tight());
    let [f, g] = [1, 2].map(|seed| leaping_chain(&day.store, 250, seed).unwrap());
    for action in ["write", "read", ALTER] {
        day.check(action, 40, |_| f.xor(&g));
    }
}

#[test]
fn a_failure_where_nodes_are_marked_level_by_level_from_disk_fails_the_operation_and_nothing_else() {
    let day = Day::new(limits(|limits| {
        (limits.queue, limits.arcs, limits.diagrams, limits.block) = (64 << 10, 0, 0, 4096);
        // There is room for the children of five hundred nodes, and for sorting some ten thousand records.
        (limits.sort, limits.dense) = (256 << 10, 4 << 10);
    }));
    let some: Bdd =
        (0..5).try_fold(day.store.constant(true), |some, row| some.and(&queen_in(&day.store, 9, row)?)).unwrap();
    let next = queen_in(&day.store, 9, 5).unwrap();
    for action in ["write", "read", ALTER] {
        day.check(action, 400, |_| some.and(&next));
    }
}

#[test]
fn a_builder_reports_a_failed_disk_and_leaves_nothing_behind() {
    let day = Day::bare(tight());
    for action in ["create", "write", "read"] {
        day.check(action, 400, |day| {
            let whole = comb(&day.store, |builder, variable, [low, high]| builder.add_node(variable, low, high));
            // Drops the diagram: nothing is on disk then, and the next round needs a file.
            whole.map(|diagram| diagram.content_hash())
        });
    }
}

#[test]
fn a_node_that_could_not_be_written_can_be_added_again() -> Result<()> {
    let day = Day::bare(tight());
    let plain = || {
        let whole = comb(&day.store, |builder, variable, [low, high]| builder.add_node(variable, low, high));
        whole.map(|diagram| diagram.content_hash())
    };
    let expected = plain()?;
    for action in ["create", "write"] {
        let before = day.disk.calls(action);
        plain()?;
        let calls = day.disk.calls(action) - before;
        let mut second_tries = 0;
        for k in 1..=calls {
            day.disk.fail(action, k);
            let outcome = comb(&day.store, |builder, variable, [low, high]| {
                builder.add_node(variable, low, high).or_else(|error| {
                    day.check_error(&error, action);
                    second_tries += 1;
                    builder.add_node(variable, low, high)
                })
            });
            assert!(day.disk.heal());
            match outcome {
                Ok(found) => assert_eq!(found.content_hash(), expected, "call {k} to {action}"),
                Err(error) => day.check_error(&error, action),
            }
        }
        assert!(second_tries > 0, "no node failed to {action}");
    }
    Ok(())
}

#[test]
fn a_disk_that_stays_full_stops_what_needs_it_and_nothing_else() -> Result<()> {
    let day = Day::new(tight());
    let [f, g, h] = &day.operands;
    let expected = f.ite(g, h)?;
    let temp_bytes = day.store.stats().temp_bytes;
    day.disk.fail_from("write", 3);
    for _ in 0..5 {
        day.check_error(&f.ite(g, h).unwrap_err(), "write");
        assert_eq!(day.store.stats().temp_bytes, temp_bytes);
    }
    day.check_operands();
    assert!(day.disk.heal());
    assert_eq!(f.ite(g, h)?, expected);
    Ok(())
}

#[test]
fn the_message_of_a_bad_disk_says_what_happened_where_and_what_to_do() {
    let day = Day::new(tight());
    let folder = day.disk.folder().display().to_string();
    for (fault, parts) in [
        ("write", ["write", folder.as_str(), "a bad day", "free some space"]),
        (ALTER, ["read", folder.as_str(), "other bytes than were written", "look after the disk"]),
    ] {
        day.disk.fail(fault, 1);
        let message = day.operands[0].xor(&day.operands[1]).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message:?} does not say all of {parts:?}");
    }
}

#[test]
fn a_store_on_a_disk_that_takes_no_file_is_refused() {
    let disk = Disk::new();
    disk.fail("create", 1);
    let testing = Testing { limits: None, backend: Some(disk.clone()) };
    let refused = Store::new(Config { testing, ..Config::default() });
    assert!(
        matches!(&refused, Err(Error::Io { action: "create", folder, .. }) if folder == disk.folder()),
        "{refused:?}"
    );
}

#[test]
fn a_budget_below_the_smallest_is_refused() {
    for memory in [0, 1, SMALLEST_MEMORY - 1] {
        let refused = Store::new(Config { memory, ..Config::default() });
        assert!(
            matches!(refused, Err(Error::BudgetTooSmall { given, minimum: SMALLEST_MEMORY }) if given == memory),
            "{refused:?}"
        );
    }
    assert_eq!(SMALLEST_MEMORY, 16 << 20);
    assert!(Store::new(Config { memory: SMALLEST_MEMORY, ..Config::default() }).is_ok());
}

#[test]
fn a_store_without_threads_is_refused() {
    let refused = Store::new(Config { threads: 0, ..Config::default() });
    assert!(matches!(refused, Err(Error::NoThreads)), "{refused:?}");
}

#[test]
fn a_scratch_folder_that_is_missing_or_no_folder_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let (missing, file) = (home.path().join("missing"), home.path().join("file"));
    std::fs::write(&file, "no folder").unwrap();
    for (scratch, kind) in [(missing, io::ErrorKind::NotFound), (file, io::ErrorKind::NotADirectory)] {
        let refused = Store::new(Config { scratch: scratch.clone(), ..Config::default() });
        assert!(
            matches!(&refused, Err(Error::Io { action: "create", folder, source }) if *folder == scratch && source.kind() == kind),
            "{refused:?}"
        );
    }
    // A relative path is meant from where the process is now, wherever it goes.
    let refused = Store::new(Config { scratch: "no/such/folder".into(), ..Config::default() });
    let expected = std::env::current_dir().unwrap().join("no/such/folder");
    assert!(matches!(&refused, Err(Error::Io { folder, .. }) if *folder == expected), "{refused:?}");
}

#[test]
fn operands_of_different_stores_are_refused() -> Result<()> {
    let (store, elsewhere) = (default_store(), default_store());
    let [x, y] = [0, 1].map(|variable| store.variable(variable).unwrap());
    let strangers =
        [elsewhere.variable(0)?, elsewhere.variable(1)?, elsewhere.constant(true), elsewhere.constant(false)];
    for stranger in &strangers {
        for op in BinaryOp::all() {
            for refused in [x.apply(op, stranger), stranger.apply(op, &x)] {
                assert!(matches!(refused, Err(Error::DifferentStores)), "{op:?}: {refused:?}");
            }
        }
        let constant = store.constant(true);
        for own in [&x, &y, &constant] {
            for refused in
                [own.ite(&x, stranger), own.ite(stranger, &x), stranger.ite(own, &y), stranger.ite(stranger, own)]
            {
                assert!(matches!(refused, Err(Error::DifferentStores)), "{refused:?}");
            }
        }
    }
    // A clone of a store is the same store.
    let clone = store.clone();
    assert_eq!(x.and(&clone.variable(1)?)?, x.and(&y)?);
    Ok(())
}

/// A roomy store with a progress callback.
fn store_told(callback: impl Fn(&Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Store {
    store_with_told(limits(|_| ()), callback)
}

/// A store with `limits` and a progress callback.
fn store_with_told(limits: Limits, callback: impl Fn(&Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Store {
    let progress: Option<ProgressCallback> = Some(Arc::new(callback));
    let testing = Testing { limits: Some(limits), ..Testing::default() };
    Store::new(Config { progress, testing, ..Config::default() }).unwrap()
}

/// The progress that was reported to a callback.
type Heard = Arc<Mutex<Vec<Progress>>>;

/// A callback that lets every operation go on, and the list of what was reported to it.
fn ear() -> (Heard, impl Fn(&Progress) -> ControlFlow<()> + Send + Sync + 'static) {
    let heard = Heard::default();
    let told = heard.clone();
    let listen = move |progress: &Progress| {
        told.lock().unwrap().push(*progress);
        ControlFlow::Continue(())
    };
    (heard, listen)
}

#[test]
fn a_callback_is_told_of_every_level_of_every_sweep() -> Result<()> {
    let (heard, listen) = ear();
    let store = store_told(listen);
    let told = || -> Vec<(Sweep, u32, u64)> {
        heard.lock().unwrap().drain(..).map(|heard| (heard.sweep, heard.variable, heard.nodes)).collect()
    };
    let upper = store.variable(2)?.and(&store.variable(40)?)?;
    let lower = store.variable(40)?.xor(&store.variable(900)?)?;
    told();

    let f = upper.or(&lower)?;
    let sweeps = told();
    let levels: Vec<_> = sweeps.iter().map(|&(sweep, variable, _)| (sweep, variable)).collect();
    let [down, up] = [[2, 40, 900], [900, 40, 2]];
    let expected = [down.map(|variable| (Sweep::Expand, variable)), up.map(|variable| (Sweep::Reduce, variable))];
    assert_eq!(levels, expected.concat());
    assert_eq!(sweeps.last().unwrap().2, f.node_count());
    assert!(sweeps[..3].is_sorted_by_key(|level| level.2) && sweeps[3..].is_sorted_by_key(|level| level.2));

    f.sat_count(3)?;
    let levels: Vec<_> = told().iter().map(|&(sweep, variable, _)| (sweep, variable)).collect();
    assert_eq!(levels, [2, 40, 900].map(|variable| (Sweep::Count, variable)));
    Ok(())
}

#[test]
fn a_callback_is_told_of_the_operation_as_it_is_listed_and_an_error_names_it() -> Result<()> {
    let (heard, listen) = ear();
    let stop = Arc::new(AtomicBool::new(false));
    let stops = stop.clone();
    let store = store_with_told(limits(|limits| limits.small = 0), move |progress| {
        let goes_on = listen(progress);
        if stops.load(Relaxed) { ControlFlow::Break(()) } else { goes_on }
    });
    let (f, g) = (random_function(&store, 5, 12), random_function(&store, 6, 12));
    let elsewhere = random_function(&default_store(), 7, 12);
    let works: [&dyn Fn() -> Result<()>; 8] = [
        &|| f.and(&g).map(drop),
        &|| f.restrict([(3, true)]).map(drop),
        &|| f.sat_count(12).map(drop),
        &|| f.opt_min(|_| 1, 0..12).map(drop),
        &|| f.validate(),
        &|| f.essential().map(drop),
        &|| f.literal_counts(0..12).map(drop),
        &|| store.import(&elsewhere).map(drop),
    ];
    for work in works {
        heard.lock().unwrap().clear();
        work()?;
        let listed = store.operations().pop().unwrap();
        let told = heard.lock().unwrap().clone();
        assert!(told.iter().all(|told| told.operation == listed.operation), "{told:?} of {listed:?}");
        assert_eq!(told.len() as u64, listed.levels);

        // The same once more, stopped at its first level.
        heard.lock().unwrap().clear();
        stop.store(true, Relaxed);
        let stopped = work().unwrap_err();
        stop.store(false, Relaxed);
        let Progress { operation, sweep, variable, .. } = heard.lock().unwrap()[0];
        assert!(stopped.to_string().contains(&format!("stopped {operation} in its {sweep} sweep")), "{stopped}");
        let same = Error::Stopped { operation, sweep, variable };
        assert_eq!(stopped.to_string(), same.to_string());
    }
    Ok(())
}

#[test]
fn a_callback_stops_constraints_and_builders() -> Result<()> {
    let (heard, listen) = ear();
    let patient = Arc::new(AtomicBool::new(false));
    let patience = patient.clone();
    let store = store_told(move |progress| {
        let goes_on = listen(progress);
        if progress.variable > 70 || patience.load(Relaxed) { goes_on } else { ControlFlow::Break(()) }
    });
    let stopped = store.at_most(10, 0..100).unwrap_err();
    assert!(matches!(stopped, Error::Stopped { operation: "builder", sweep: Sweep::Build, variable: 70 }), "{stopped}");
    let told: Vec<_> = heard.lock().unwrap().drain(..).map(|heard| (heard.sweep, heard.variable)).collect();
    assert_eq!(told, (70..100).rev().map(|variable| (Sweep::Build, variable)).collect::<Vec<_>>());

    // A builder that was stopped is as before.
    let mut builder = store.builder()?;
    let lowest = builder.add_node(70, false, true)?;
    assert!(matches!(builder.add_node(3, false, lowest), Err(Error::Stopped { variable: 70, .. })));
    patient.store(true, Relaxed);
    builder.add_node(3, false, lowest)?;
    assert_eq!(builder.build()?, store.variable(3)?.and(&store.variable(70)?)?);

    // Many sums of subsets, none of which is the bound: no node is ever added.
    patient.store(false, Relaxed);
    let weights = (0..70).map(|variable| (variable, 3i64.pow(variable % 30) * 2));
    let stopped = store.linear(weights.chain([(80, 5)]), Comparison::Equal, 1_000_000_001).unwrap_err();
    assert!(matches!(stopped, Error::Stopped { sweep: Sweep::Search, .. }), "{stopped}");
    assert_eq!(store.stats().temp_bytes, 0);
    Ok(())
}

#[test]
fn a_callback_is_told_of_levels_that_are_lifted_or_copied() -> Result<()> {
    const CHANGED: u32 = 9;
    let (heard, listen) = ear();
    let store = store_with_told(limits(|limits| limits.small = 0), listen);
    let f = random_function(&store, 5, 18);
    let before = store.stats().processed_requests;
    heard.lock().unwrap().clear();
    let g = f.restrict([(CHANGED, true)])?;
    // There are few requests: the levels above the changed one are lifted, and those below are copied.
    assert!(store.stats().processed_requests - before < 1 << 11 && g.node_count() > 10_000);
    let levels = |sweep| -> Vec<u32> {
        heard.lock().unwrap().iter().filter(|heard| heard.sweep == sweep).map(|heard| heard.variable).collect()
    };
    assert_eq!(levels(Sweep::Expand), (0..18).collect::<Vec<_>>());
    assert_eq!(levels(Sweep::Reduce), (0..18).rev().filter(|&variable| variable != CHANGED).collect::<Vec<_>>());
    Ok(())
}

/// Where threads share levels, some ids have no node; these ids are not counted.
#[test]
fn a_callback_is_told_of_the_same_nodes_however_a_sweep_is_done() -> Result<()> {
    let told = |adjust: fn(&mut Limits), threads| -> Result<Vec<Progress>> {
        let (heard, listen) = ear();
        let testing = Testing { limits: Some(limits(adjust)), ..Testing::default() };
        let store = Store::new(Config { progress: Some(Arc::new(listen)), threads, testing, ..Config::default() })?;
        let (f, g) = (random_function(&store, 1, 12), random_function(&store, 2, 12));
        heard.lock().unwrap().clear();
        f.xor(&g)?;
        assert_eq!(threads > 1, store.stats().shared_levels > 0);
        Ok(heard.lock().unwrap().clone())
    };
    let small = told(|limits| limits.small = 1 << 20, 1)?;
    assert_eq!(small.len(), 24);
    assert_eq!(told(|_| (), 1)?, small);
    for threads in 2..4 {
        assert_eq!(told(|limits| limits.alone = 5, threads)?, small);
    }
    Ok(())
}

#[test]
fn operations_inside_a_callback_are_refused_and_the_one_outside_goes_on() -> Result<()> {
    // The operands that the callback uses, and what came of its operations.
    let operands: Arc<OnceLock<[Bdd; 3]>> = Arc::default();
    let outcomes: Arc<Mutex<Vec<(&'static str, bool)>>> = Arc::default();
    let (inside, record) = (operands.clone(), outcomes.clone());
    let store = store_told(move |_| {
        let Some([x, y, z]) = inside.get() else { return ControlFlow::Continue(()) };
        let refused = |what, outcome: Option<Error>| {
            record.lock().unwrap().push((what, matches!(outcome, Some(Error::InsideCallback))));
        };
        refused("apply", x.xor(y).err());
        refused("ite", x.ite(y, z).err());
        refused("sat_count", x.sat_count(3).err());
        refused("path_count", x.path_count().err());
        refused("cube", x.store().cube([(7, true)]).err());
        // Operations on another store are refused, too.
        refused("elsewhere", default_store().cube([(7, true)]).err());
        refused("import", default_store().import(x).err());
        ControlFlow::Continue(())
    });
    let [x, y, z] = [0, 1, 2].map(|variable| store.variable(variable).unwrap());
    operands.set([x.clone(), y.clone(), z.clone()]).unwrap();
    let f = x.ite(&y, &z)?;
    assert_eq!(f.sat_count(3)?, 4u8.into());
    let outcomes = outcomes.lock().unwrap();
    let asked: BTreeSet<_> = outcomes.iter().map(|outcome| outcome.0).collect();
    assert_eq!(asked, ["apply", "cube", "elsewhere", "import", "ite", "path_count", "sat_count"].into());
    assert!(outcomes.iter().all(|outcome| outcome.1), "{outcomes:?}");
    Ok(())
}

#[test]
fn a_call_inside_a_callback_is_refused_while_one_on_another_thread_waits_for_its_operation() -> Result<()> {
    type Made = Result<Bdd>;
    type Calls = (Made, Mutex<Option<thread::JoinHandle<Made>>>);
    // Swaps neighbours among so many variables that only one such call goes on at a time.
    let swap = |f: &Bdd| f.replace(|variable| variable ^ 1);
    let operand: Arc<OnceLock<Bdd>> = Arc::default();
    let calls: Arc<OnceLock<Calls>> = Arc::default();
    let (inside, made) = (operand.clone(), calls.clone());
    let store = store_told(move |_| {
        if let (Some(f), None) = (inside.get(), made.get()) {
            let waiting = f.clone();
            let other = thread::spawn(move || swap(&waiting));
            thread::sleep(Duration::from_millis(50));
            assert!(made.set((swap(f), Mutex::new(Some(other)))).is_ok());
        }
        ControlFlow::Continue(())
    });
    let f = store.parity(0..8000)?;
    assert!(operand.set(f.clone()).is_ok());
    f.exists([17])?;
    let (refused, other) = calls.get().unwrap();
    assert!(matches!(refused, Err(Error::InsideCallback)));
    assert!(other.lock().unwrap().take().unwrap().join().unwrap()? == f);
    Ok(())
}

#[test]
fn a_callback_that_panics_spoils_only_its_own_operation() -> Result<()> {
    let armed = Arc::new(AtomicBool::new(false));
    let trigger = armed.clone();
    let disk = Disk::new();
    let store = Store::new(Config {
        progress: Some(Arc::new(move |progress| {
            assert!(progress.variable != 5 || !trigger.load(Relaxed), "a bad callback");
            ControlFlow::Continue(())
        })),
        testing: Testing { limits: Some(tightest()), backend: Some(disk.clone()) },
        ..Config::default()
    })?;
    let operands = product(&store, 6);
    let expected = operands[5].xor(&operands[7])?;
    let temp_bytes = store.stats().temp_bytes;
    armed.store(true, Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| operands[5].xor(&operands[7]))).is_err());
    armed.store(false, Relaxed);
    assert_eq!(store.stats().temp_bytes, temp_bytes);
    assert_eq!(operands[5].xor(&operands[7])?, expected);
    assert_eq!(disk.names(), 0);
    Ok(())
}

#[test]
fn an_operation_can_be_stopped_at_every_level() -> Result<()> {
    let forced = [(1, tightest()), (2, Limits { alone: 0, ..tight() }), (1, limits(|_| ()))];
    for (threads, limits) in forced {
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let (levels, disk) = (left.clone(), Disk::new());
        let store = Store::new(Config {
            threads,
            progress: Some(Arc::new(move |_| {
                if levels.fetch_sub(1, Relaxed) > 1 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })),
            testing: Testing { limits: Some(limits), backend: Some(disk.clone()) },
            ..Config::default()
        })?;
        let (operands, elsewhere) = (product(&store, 6), random_function(&default_store(), 3, 12));
        let work = || -> Result<_> {
            drop((store.import(&elsewhere)?, operands[4].essential()?, operands[4].literal_counts(0..12)?));
            let f = operands[5].xor(&operands[7])?;
            let some = f.exists([2, 3, 7, 11])?.restrict([(4, true)])?;
            Ok((f.sat_count(12)?, f.opt_max(|_| 1i64, 0..12)?, f.sample(3, 1, 0..12)?, f.and_exists(&some, [0, 5])?, f))
        };
        let expected = work()?;
        let (start, temp_bytes) = (left.load(Relaxed), store.stats().temp_bytes);
        drop(work()?);
        let told = start - left.load(Relaxed);
        assert!(told > 100, "{told} levels");
        for level in (1..=told).step_by(5) {
            left.store(level, Relaxed);
            assert!(matches!(work(), Err(Error::Stopped { .. })), "level {level} of {told}");
            assert_eq!((left.load(Relaxed), disk.names()), (0, 0), "level {level} of {told}");
            assert_eq!(store.stats().temp_bytes, temp_bytes, "level {level} of {told}");
            left.store(u64::MAX, Relaxed);
            assert_eq!(work()?, expected, "level {level} of {told}");
        }
    }
    Ok(())
}

#[test]
fn after_a_node_that_could_not_be_written_one_below_it_can_be_added() -> Result<()> {
    let day = Day::new(tight());
    // That every even variable is false. Where a node could not be written, a node for the odd variable below is added
    // first.
    for k in 1..10 {
        day.disk.fail("write", k);
        let mut builder = day.store.builder()?;
        let mut chain = BuilderNode::from(true);
        let mut odd = None;
        for variable in (0..1000).rev().step_by(2).map(|odd| odd - 1) {
            let added = builder.add_node(variable, chain, false);
            chain = if let Err(error) = added {
                day.check_error(&error, "write");
                odd = Some(variable + 1);
                let lower = builder.add_node(variable + 1, chain, false)?;
                builder.add_node(variable, lower, false)?
            } else {
                added?
            };
        }
        assert!(day.disk.heal());
        let f = builder.build()?;
        let odd = odd.expect("a write that failed");
        assert_eq!(f.node_count(), 501, "write {k}");
        assert!(f.support().contains(&odd), "write {k}");
        assert_eq!(f.sat_count(501)?, 1u8.into(), "write {k}");
        assert_eq!(f.and(&day.store.variable(odd)?)?.as_constant(), Some(false), "write {k}");
    }
    Ok(())
}

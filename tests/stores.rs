//! Several stores, several threads, and what a store leaves in the scratch folder.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    path::Path,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use common::{
    default_store,
    disk::Disk,
    functions::{hidden_weighted_bit, product, queens, random_function, random_tree},
    smallest_store, store_on, store_with, tight, tightest,
};
use fastrand::Rng;
use strata_bdd::{
    Bdd, BddBuilder, BinaryOp, BuilderNode, Comparison, Config, Error, Result, Stats, Store,
    testing::{Limits, Testing},
};

/// A store with the tightest limits, whose scratch folder is `folder`.
fn store_in(folder: &Path) -> Store {
    let testing = Testing { limits: Some(tightest()), backend: None };
    Store::new(Config { scratch: folder.into(), testing, ..Config::default() }).unwrap()
}

fn names_in(folder: &Path) -> Vec<std::ffi::OsString> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn stores_diagrams_and_builders_may_be_sent_to_other_threads() {
    fn goes_anywhere<T: Send + Sync + 'static>() {}
    goes_anywhere::<Bdd>();
    goes_anywhere::<Store>();
    goes_anywhere::<BddBuilder>();
    goes_anywhere::<BuilderNode>();
    goes_anywhere::<Config>();
    goes_anywhere::<Stats>();
    goes_anywhere::<Error>();
}

#[test]
fn equal_functions_of_several_stores_are_equal_and_hash_alike() {
    let stores = [default_store(), default_store(), smallest_store(), store_with(tightest())];
    let hasher = RandomState::new();
    let functions: Vec<Vec<Bdd>> = stores
        .iter()
        .map(|store| {
            let mut random = Rng::with_seed(77);
            (0..100).map(|_| random_tree(store, &mut random, 6, 25)).collect()
        })
        .collect();
    for (at, f) in functions[0].iter().enumerate() {
        for g in functions.iter().map(|same| &same[at]) {
            assert_eq!(f, g);
            assert_eq!(hasher.hash_one(f), hasher.hash_one(g));
            assert_ne!(f, &!g);
        }
    }
    for store in &stores {
        assert_eq!(store.constant(true), stores[0].constant(true));
        assert_ne!(store.constant(true), stores[0].constant(false));
    }
    // Functions are equal exactly where no assignment tells them apart.
    for (f, g) in functions[0].iter().flat_map(|f| functions[0].iter().map(move |g| (f, g))) {
        assert_eq!(f == g, f.xor(g).unwrap().as_constant() == Some(false));
    }
}

#[test]
#[allow(clippy::mutable_key_type, reason = "the hash of a diagram is that of its bytes, which never change")]
fn diagrams_are_keys_of_a_map_whichever_store_they_are_of() {
    let (store, other) = (default_store(), store_with(tightest()));
    let numbers: HashMap<Bdd, usize> = product(&store, 6).into_iter().zip(0..).collect();
    for (number, f) in product(&other, 6).iter().enumerate() {
        assert_eq!(numbers.get(f), Some(&number));
        assert_eq!(numbers.get(&!f), None);
    }
}

/// A node of these takes 8 bytes, and blocks in RAM are whole.
#[test]
fn a_store_tells_the_memory_that_its_diagrams_hold() {
    let store = default_store();
    let idle = store.stats();
    assert_eq!(idle.memory_bytes, 0);
    let f = random_function(&store, 1, 18);
    let held = store.stats();
    assert!(f.disk_bytes() == 0 && f.node_count() > 30_000);
    assert!(held.memory_bytes > 8 * f.node_count(), "{held:?}, {} nodes", f.node_count());
    assert!(held.memory_bytes < 10 * f.node_count(), "{held:?}, {} nodes", f.node_count());
    let tables = idle.table_bytes_left - held.table_bytes_left;
    assert!((18 * 12..4096).contains(&tables), "{tables}");
    let small: Vec<_> = (0..100).map(|seed| random_function(&store, seed, 3)).collect();
    let more = store.stats();
    assert!(held.table_bytes_left - more.table_bytes_left >= 100 * 300, "{more:?}");
    drop((f, small));
    let after = store.stats();
    assert_eq!((after.memory_bytes, after.table_bytes_left), (0, idle.table_bytes_left));
}

/// The work of thread number `turn` on the operands that all threads share.
fn results(operands: &[Bdd], turn: usize) -> Result<Vec<Bdd>> {
    let ops: Vec<BinaryOp> = BinaryOp::all().filter(|op| op.depends() == [true, true]).collect();
    let mut results = Vec::new();
    for step in 0..12 {
        let at = |shift: usize| &operands[(step + turn * shift) % operands.len()];
        results.push(at(1).apply(ops[(step + turn) % ops.len()], at(2))?);
        results.push(at(2).ite(at(1), at(3))?);
        results.push(hidden_weighted_bit(at(1).store(), 5 + turn as u32));
    }
    Ok(results)
}

#[test]
fn threads_that_work_on_the_same_diagrams_at_once_get_the_right_results() {
    for (name, store) in [("roomy", default_store()), ("tight", store_with(tightest()))] {
        let alone = default_store();
        let expected: Vec<Vec<Bdd>> = (1..=4).map(|turn| results(&product(&alone, 5), turn).unwrap()).collect();
        let operands = product(&store, 5);
        let counts: Vec<_> = operands.iter().map(|f| f.sat_count(10).unwrap()).collect();
        let start = Barrier::new(4);
        let found: Vec<Vec<Bdd>> = thread::scope(|scope| {
            let work = |turn| {
                let (operands, start) = (&operands, &start);
                scope.spawn(move || {
                    start.wait();
                    results(operands, turn).unwrap()
                })
            };
            let threads: Vec<_> = (1..=4).map(work).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(found, expected, "{name}");
        drop(found);
        let kept: u64 = operands.iter().map(Bdd::disk_bytes).sum();
        assert_eq!(store.stats().temp_bytes, kept, "{name}");
        for (f, count) in operands.iter().zip(&counts) {
            assert_eq!(&f.sat_count(10).unwrap(), count, "{name}");
        }
    }
}

/// Every thread that shares levels has a queue, with logs for every thread: so many logs a level must fit the tables,
/// which cannot go to disk.
#[test]
fn many_threads_have_room_for_the_tables_of_thousands_of_levels() -> Result<()> {
    let differ = |threads| {
        let limits = Limits { alone: 0, late: 0, small: 0, ..Limits::of(64 << 20) };
        let testing = Testing { limits: Some(limits), backend: None };
        let store = Store::new(Config { memory: 64 << 20, threads, testing, ..Config::default() })?;
        let cube = store.cube((100..3100).map(|variable| (variable, true)))?;
        let (f, g) = (random_function(&store, 1, 15), random_function(&store, 2, 15));
        let differ = f.and(&cube)?.xor(&g.and(&cube)?)?;
        Ok::<_, Error>((differ.content_hash(), store.stats().shared_levels))
    };
    let ((by_one, _), (by_many, shared)) = (differ(1)?, differ(8)?);
    assert_eq!(by_many, by_one);
    assert!(shared > 0);
    Ok(())
}

#[test]
fn calls_of_several_threads_that_take_many_tables_have_the_room_that_one_has() -> Result<()> {
    type Call<'a> = &'a (dyn Fn() -> Result<Bdd> + Sync);
    let store = Store::new(Config { memory: 16 << 20, threads: 2, ..Config::default() })?;
    let (all, last) = (store.parity(0..8000)?, store.variable(7999)?);
    let weights: Vec<_> = (0..40u32).map(|at| (at, i64::from(at.wrapping_mul(2_654_435_761) >> 18) + 1)).collect();
    let calls: [(&str, Call<'_>); 4] = [
        ("replace", &|| all.replace(|variable| variable ^ 1)),
        ("compose_all", &|| all.compose_all((0..4000).map(|at| (2 * at, &last)))),
        ("linear", &|| store.linear(weights.iter().copied(), Comparison::AtMost, 160_000)),
        ("many terms", &|| store.linear((0..8000).map(|at| (at, 1 + i64::from(at % 2))), Comparison::AtMost, 3)),
    ];
    for (name, call) in calls {
        let (right, start) = (call()?, Barrier::new(8));
        thread::scope(|scope| {
            let made = [(); 8].map(|()| {
                scope.spawn(|| {
                    start.wait();
                    call()
                })
            });
            for made in made {
                assert!(made.join().unwrap().unwrap_or_else(|error| panic!("{name}: {error}")) == right, "{name}");
            }
        });
    }
    Ok(())
}

#[test]
fn a_store_starts_no_more_threads_than_it_has_a_use_for() -> Result<()> {
    let store = Store::new(Config { memory: 24 << 20, threads: usize::MAX, ..Config::default() })?;
    assert_eq!(store.config().threads, 3);
    Ok(())
}

#[test]
fn threads_with_a_store_each_do_not_disturb_each_other() {
    let home = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for (n, solutions) in [(5, 10u8), (6, 4), (5, 10), (6, 4)] {
            let folder = home.path();
            scope.spawn(move || {
                let store = store_in(folder);
                let (board, _) = queens(&store, n).unwrap();
                assert_eq!(board.sat_count(n * n).unwrap(), solutions.into());
                assert_eq!(store.stats().temp_bytes, board.disk_bytes());
                assert!(store.stats().spilled_bytes > 0);
            });
        }
    });
    assert!(names_in(home.path()).is_empty());
}

#[test]
fn a_diagram_can_be_dropped_on_another_thread() {
    let store = store_with(tightest());
    let f = product(&store, 6).swap_remove(6);
    assert!(f.disk_bytes() > 0);
    assert_eq!(store.stats().temp_bytes, f.disk_bytes());
    thread::spawn(move || drop(f)).join().unwrap();
    assert_eq!(store.stats().temp_bytes, 0);
}

#[test]
fn a_diagram_on_disk_gives_its_bytes_back_with_its_last_handle() -> Result<()> {
    let store = store_with(tightest());
    let f = hidden_weighted_bit(&store, 12);
    let g = product(&store, 6).swap_remove(6);
    let [f_bytes, g_bytes] = [f.disk_bytes(), g.disk_bytes()];
    // 8 bytes for each node and for each terminal.
    assert_eq!([f_bytes, g_bytes], [&f, &g].map(|diagram| 8 * (diagram.node_count() + 2)));
    assert_eq!(store.stats().temp_bytes, f_bytes + g_bytes);

    let clone = f.clone();
    let negation = !&f;
    assert_eq!(store.stats().temp_bytes, f_bytes + g_bytes, "a clone or a negation takes disk space of its own");
    drop(f);
    drop(clone);
    assert_eq!(store.stats().temp_bytes, f_bytes + g_bytes);
    drop(negation);
    assert_eq!(store.stats().temp_bytes, g_bytes);

    let both = g.and(&store.variable(3)?)?;
    assert_eq!(store.stats().temp_bytes, g_bytes + both.disk_bytes());
    drop(g);
    assert_eq!(store.stats().temp_bytes, both.disk_bytes());
    let peak = store.stats().peak_temp_bytes;
    drop(both);
    let stats = store.stats();
    assert_eq!(stats.temp_bytes, 0);
    assert_eq!(stats.peak_temp_bytes, peak);
    assert!(peak >= f_bytes + g_bytes);
    Ok(())
}

#[test]
fn an_operand_given_away_frees_its_disk_space_early_unless_another_handle_holds_it() -> Result<()> {
    let peak = |given: usize| -> Result<_> {
        // Queues and arcs stay in memory, so only diagrams take disk space.
        let store = store_with(Limits { queue: 1 << 20, arcs: 1 << 20, ..tight() });
        let [f, g] = [0, 1].map(|first| store.exactly(10, (first..40).step_by(2)));
        let (f, g) = (f?, g?);
        let counts = [f.sat_count(40)?, g.sat_count(40)?];
        let held = (f.clone(), g.clone());
        let result = match given {
            0 => &f ^ &g,
            1 => {
                drop(held.0);
                f ^ &g
            }
            2 => {
                drop(held);
                f ^ g
            }
            _ => {
                let result = f ^ g;
                assert_eq!([held.0.sat_count(40)?, held.1.sat_count(40)?], counts);
                result
            }
        }?;
        Ok((result.content_hash(), store.stats().peak_temp_bytes))
    };
    let [lent, first, both, held] = [peak(0)?, peak(1)?, peak(2)?, peak(3)?];
    assert!([first.0, both.0, held.0].iter().all(|hash| *hash == lent.0));
    assert!(both.1 < first.1 && first.1 < lent.1 && lent.1 == held.1, "{lent:?} {first:?} {both:?} {held:?}");
    Ok(())
}

#[test]
fn a_file_takes_little_more_than_twice_what_it_holds_and_is_gone_with_the_last_diagram() -> Result<()> {
    let disk = Disk::new();
    let (limits, home) = (tightest(), tempfile::tempdir().unwrap());
    let extent = 8 * limits.block as u64;
    let store = store_on(&disk, limits, 1);
    let check = |diagrams: &[Bdd]| {
        let (file, held) = (disk.file_bytes(), store.stats().temp_bytes);
        assert_eq!(held, diagrams.iter().map(Bdd::disk_bytes).sum::<u64>());
        // A partly filled extent takes as much as a full one, and a file keeps an eighth of what it holds, and some
        // extents, free.
        let most = 2 * (held + diagrams.len() as u64 * extent) + held / 8 + 16 * extent;
        assert!(file >= held && file <= most, "{file} for {held}");
    };
    let mut diagrams = Vec::new();
    for seed in 1..9 {
        diagrams.push(random_function(&store, seed, 12));
    }
    // The diagrams made last are dropped first, then those made first, then again the last ones.
    for at in [7, 6, 0, 0, 0, 2, 1] {
        drop(diagrams.remove(at));
        let seen = diagrams[0].xor(&diagrams[diagrams.len() - 1])?;
        diagrams.push(seen);
        check(&diagrams);
        diagrams.pop();
        let walk = diagrams[0].cubes();
        assert!(walk.take(3).all(|cube| cube.is_ok()));
        assert!(disk.file_bytes() >= store.stats().temp_bytes);
    }
    let path = home.path().join("kept.bdd");
    diagrams[0].save(&path)?;
    let peak = store.stats().peak_temp_bytes;
    drop(diagrams);
    assert_eq!((disk.file_bytes(), store.stats().temp_bytes), (0, 0));

    let opened = store.open(&path)?;
    check(std::slice::from_ref(&opened));
    let mut builder = store.builder()?;
    let mut chain = BuilderNode::from(true);
    for variable in (0..500).rev() {
        chain = builder.add_node(variable, false, chain)?;
    }
    assert!(disk.file_bytes() > opened.disk_bytes());
    drop(opened);
    drop(builder);
    assert_eq!((disk.file_bytes(), store.stats().temp_bytes), (0, 0));
    assert_eq!(store.stats().peak_temp_bytes, peak);
    Ok(())
}

#[test]
fn no_name_stays_in_the_scratch_folder_while_diagrams_live_or_after() {
    let home = tempfile::tempdir().unwrap();
    let store = store_in(home.path());
    let circuits = product(&store, 6);
    let stats = store.stats();
    assert!(stats.parted_levels > 0 && stats.temp_bytes > 0, "{stats:?}");
    assert_eq!(names_in(home.path()), Vec::<std::ffi::OsString>::new(), "with diagrams alive");
    drop(circuits);
    let mut builder = store.builder().unwrap();
    let mut chain = BuilderNode::from(true);
    for variable in (0..500).rev() {
        chain = builder.add_node(variable, false, chain).unwrap();
    }
    assert!(store.stats().temp_bytes > 0);
    assert_eq!(names_in(home.path()), Vec::<std::ffi::OsString>::new(), "with a builder half-way");
    drop(builder);
    drop(store);
    assert_eq!(names_in(home.path()), Vec::<std::ffi::OsString>::new(), "after all");
}

#[test]
fn temporary_files_go_where_the_settings_say() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("scratch");
    std::fs::create_dir(&folder).unwrap();
    let store = store_in(&folder);
    assert_eq!(store.config().scratch, folder);
    let operands = || -> Result<_> { Ok([store.exactly(10, 0..30)?, store.exactly(12, 0..30)?]) };
    let [f, g] = operands().unwrap();
    std::fs::remove_dir(&folder).unwrap();
    // An open file works without its folder. Once nothing is in the file, the store drops it, and a new file cannot be
    // made.
    assert_eq!(f.xor(&g).unwrap().xor(&g).unwrap(), f);
    drop((f, g));
    let refused = operands();
    assert!(matches!(&refused, Err(Error::Io { folder: named, .. }) if *named == folder), "{refused:?}");
    std::fs::create_dir(&folder).unwrap();
    let [f, g] = operands().unwrap();
    assert_eq!(f.xor(&g).unwrap().xor(&g).unwrap(), f);
}

#[test]
fn a_diagram_keeps_its_store_alive() -> Result<()> {
    let home = tempfile::tempdir().unwrap();
    let [f, g] = {
        let store = store_in(home.path());
        [6, 7].map(|bit| product(&store, 6).swap_remove(bit))
    };
    assert_eq!(f.xor(&g)?.xor(&g)?, f);
    assert_eq!(f.store().stats().temp_bytes, f.disk_bytes() + g.disk_bytes());
    Ok(())
}

#[test]
fn every_store_has_counters_of_its_own() {
    let (busy, idle) = (store_with(tightest()), store_with(tightest()));
    let untouched = idle.stats();
    let Stats { processed_requests, spilled_bytes, temp_bytes, peak_temp_bytes, parted_levels, .. } = untouched;
    assert_eq!([processed_requests, spilled_bytes, temp_bytes, peak_temp_bytes, parted_levels], [0; 5]);
    let functions = product(&busy, 6);
    let stats = busy.stats();
    assert!(stats.processed_requests > 0 && stats.spilled_bytes > 0 && stats.parted_levels > 0, "{stats:?}");
    assert_eq!(stats.temp_bytes, functions.iter().map(Bdd::disk_bytes).sum::<u64>());
    assert!(stats.peak_temp_bytes >= stats.temp_bytes);
    assert_eq!(idle.stats(), untouched);
    // A clone is the same store, with the same counters.
    assert_eq!(busy.clone().stats(), busy.stats());
}

#[test]
fn small_diagrams_never_touch_the_disk() -> Result<()> {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(Config { scratch: home.path().into(), ..Config::default() })?;
    let (board, _) = queens(&store, 6)?;
    // The folder is gone: from now on, an attempt to create a file would be an error.
    home.close().unwrap();
    let (again, _) = queens(&store, 7)?;
    assert_eq!(board.sat_count(36)?, 4u8.into());
    assert_eq!(again.sat_count(49)?, 40u8.into());
    assert_eq!(store.stats().peak_temp_bytes, 0);
    Ok(())
}

#[test]
fn small_diagrams_need_no_files_however_many_there_are() -> Result<()> {
    let store = smallest_store();
    let mut held = Vec::new();
    let refused = loop {
        match store.cube([(held.len() as u32, true)]) {
            Ok(variable) => held.push(variable),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::BudgetExceeded { .. }), "{refused}");
    assert!((20_000..60_000).contains(&held.len()), "{}", held.len());
    assert_eq!(store.stats().peak_temp_bytes, 0);
    // A diagram of a single variable takes no room of its own.
    assert_eq!(store.variable(77)?, held[77]);
    // Once some diagrams are dropped, there is room again.
    held.truncate(held.len() - 100);
    assert_eq!(held[0].and(&held[1])?.node_count(), 2);
    Ok(())
}

#[test]
fn a_store_remembers_what_its_last_operations_took() -> Result<()> {
    let store = store_with(tightest());
    let functions = product(&store, 6);
    let before = store.stats();
    let start = Instant::now();
    let f = functions[5].xor(&functions[7])?;
    let last = store.operations().pop().expect("an operation was done");
    let (stats, levels) = (store.stats(), f.support().len() as u64);
    assert_eq!((last.operation, last.sweeps, last.levels), ("apply", 2, 2 * levels));
    assert_eq!(last.requests, stats.processed_requests - before.processed_requests);
    assert_eq!(last.spilled_bytes, stats.spilled_bytes - before.spilled_bytes);
    assert!(last.requests > levels && last.spilled_bytes > 0);
    assert!(last.time > Duration::ZERO && last.time < start.elapsed());
    // A fold makes no requests. A store remembers its last 64 operations.
    f.sat_count(12)?;
    let remembered = store.operations();
    let counted = remembered.last().expect("an operation was done");
    assert_eq!((counted.operation, counted.requests, counted.levels), ("sat_count", 0, levels));
    assert_eq!((remembered.len(), remembered[62]), (64, last));
    // Forgotten operations have numbers, too.
    let first = remembered[0].number;
    assert!(first > 0 && remembered.iter().map(|done| done.number).eq(first..first + 64));
    Ok(())
}

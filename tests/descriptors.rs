//! The limit of open files, in a process of its own: it is one for all threads.

mod common;

use common::{functions::random_function, store_with, tight, tightest};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use strata_bdd::{Bdd, Result, Store, testing::Limits};

/// So many different diagrams, each on disk.
fn diagrams(count: u32, store: &Store) -> Result<Vec<Bdd>> {
    (0..count).map(|at| store.exactly(10, at..at + 40)).collect()
}

#[test]
fn a_store_takes_one_file_however_many_diagrams_are_on_disk_and_a_sort_those_that_the_system_allows() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(24), maximum }).expect("less than before");
    let store = store_with(tight());
    let kept = diagrams(400, &store)?;
    assert!(kept.iter().all(|diagram| diagram.disk_bytes() > 0));
    for (at, diagram) in (0..).zip(&kept) {
        assert_eq!(diagram.sat_count(440)?, kept[0].sat_count(440)?);
        assert!(diagram.disjoint(&store.exactly(11, at..at + 40)?)?);
    }
    assert_eq!(diagrams(5, &store)?, kept[..5]);
    // There are files for the rest of the program, which may save what it has.
    let folder = tempfile::tempdir().expect("room");
    let path = folder.path().join("kept.bdd");
    kept[7].save(&path)?;
    let others: Vec<_> = (0..8).map(|_| std::fs::File::open(&path)).collect::<Result<_, _>>().expect("some are left");
    drop(others);
    assert_eq!(store.open(&path)?, kept[7]);
    assert_eq!(getrlimit(Resource::Nofile).current, Some(24));

    // An external sort has a file for each segment.
    let sorting = store_with(Limits { parts: 1, ..tightest() });
    let [f, g] = [1, 2].map(|seed| random_function(&sorting, seed, 12));
    assert_eq!(f.xor(&g)?.xor(&g)?, f);
    assert_eq!(getrlimit(Resource::Nofile).current, maximum);

    // What the system does not allow is an error that says what to do, and all that was there stays good.
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), maximum: Some(3) }).expect("less than before");
    let error = store_error(&folder);
    assert!(error.contains("ulimit -n"), "{error}");
    assert_eq!(kept[0].sat_count(440)?, kept[399].sat_count(440)?);
    assert_eq!(diagrams(5, &store)?, kept[..5]);
    Ok(())
}

/// What a new store says that has no file.
fn store_error(folder: &tempfile::TempDir) -> String {
    let config = strata_bdd::Config { scratch: folder.path().into(), ..strata_bdd::Config::default() };
    Store::new(config).expect_err("no file is left").to_string()
}

//! The limit of open files, in a process of its own: it is one for all threads.

mod common;

use common::{store_with, tight};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use strata_bdd::{Bdd, Error, Result, Store};

/// So many different diagrams, each on disk.
fn diagrams(count: u32, store: &Store) -> Result<Vec<Bdd>> {
    (0..count).map(|at| store.exactly(10, at..at + 40)).collect()
}

#[test]
fn more_diagrams_are_on_disk_than_the_process_may_have_files_open_at_first() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum }).expect("less than before");
    let store = store_with(tight());
    let kept = diagrams(200, &store)?;
    assert!(store.stats().spilled_bytes > 0);
    for (at, diagram) in (0..).zip(&kept) {
        assert_eq!(diagram.sat_count(240)?, kept[0].sat_count(240)?);
        assert!(diagram.disjoint(&store.exactly(11, at..at + 40)?)?);
    }

    // What the system does not allow is an error that says what to do, and all that was there stays good.
    setrlimit(Resource::Nofile, Rlimit { current: Some(300), maximum: Some(300) }).expect("less than before");
    let error = diagrams(400, &store).expect_err("files for all");
    assert!(matches!(error, Error::Io { action: "create", .. }) && error.to_string().contains("ulimit -n"), "{error}");
    assert_eq!(kept[0].sat_count(240)?, kept[199].sat_count(240)?);
    assert_eq!(diagrams(5, &store)?, kept[..5]);

    // Even then there are some files for the rest of the program, which may save what it has.
    let folder = tempfile::tempdir().expect("room");
    let mut held = Vec::new();
    let error = loop {
        match store.exactly(10, held.len() as u32..held.len() as u32 + 40) {
            Ok(diagram) => held.push(diagram),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("ulimit -n"), "{error}");
    let path = folder.path().join("kept.bdd");
    kept[7].save(&path)?;
    let others: Vec<_> = (0..20).map(|_| std::fs::File::open(&path)).collect::<Result<_, _>>().expect("some are left");
    drop((held, others));
    assert_eq!(store.open(&path)?, kept[7]);
    Ok(())
}

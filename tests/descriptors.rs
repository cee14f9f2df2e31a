//! Stores under a limit on open files. The limit holds for a whole process, so this test is alone in its file.

mod common;

use common::{functions::random_function, store_with, tight, tightest};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use strata_bdd::{Bdd, Result, Store, testing::Limits};

/// `count` different diagrams, so large that tight limits put each on disk.
fn diagrams(count: u32, store: &Store) -> Result<Vec<Bdd>> {
    (0..count).map(|at| store.exactly(10, at..at + 40)).collect()
}

#[test]
fn a_store_opens_one_file_for_all_diagrams_and_an_external_sort_raises_the_limit_on_open_files() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(24), maximum }).expect("the new limit is lower");
    let store = store_with(tight());
    let kept = diagrams(400, &store)?;
    assert!(kept.iter().all(|diagram| diagram.disk_bytes() > 0));
    for (at, diagram) in (0..).zip(&kept) {
        assert_eq!(diagram.sat_count(440)?, kept[0].sat_count(440)?);
        assert!(diagram.disjoint(&store.exactly(11, at..at + 40)?)?);
    }
    assert_eq!(diagrams(5, &store)?, kept[..5]);
    // The limit leaves files for the rest of the program, which can still save and open diagrams.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("kept.bdd");
    kept[7].save(&path)?;
    let others: Vec<_> =
        (0..8).map(|_| std::fs::File::open(&path)).collect::<Result<_, _>>().expect("the limit leaves some files");
    drop(others);
    assert_eq!(store.open(&path)?, kept[7]);
    assert_eq!(getrlimit(Resource::Nofile).current, Some(24));

    // An external sort opens a file for each segment, so it raises the limit to the maximum that the system allows.
    let sorting = store_with(Limits { parts: 1, ..tightest() });
    let [f, g] = [1, 2].map(|seed| random_function(&sorting, seed, 12));
    assert_eq!(f.xor(&g)?.xor(&g)?, f);
    assert_eq!(getrlimit(Resource::Nofile).current, maximum);

    // Where the system allows no more files, a new store is an error that says what to do. The first store works as
    // before.
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), maximum: Some(3) }).expect("the new limit is lower");
    let error = store_error(&folder);
    assert!(error.contains("ulimit -n"), "{error}");
    assert_eq!(kept[0].sat_count(440)?, kept[399].sat_count(440)?);
    assert_eq!(diagrams(5, &store)?, kept[..5]);
    Ok(())
}

/// The message of the error of a new store that cannot open a file.
fn store_error(folder: &tempfile::TempDir) -> String {
    let config = strata_bdd::Config { scratch: folder.path().into(), ..strata_bdd::Config::default() };
    Store::new(config).expect_err("no file is left").to_string()
}

//! What the integration tests share: stores with forced limits, functions to work on, truth tables, another package,
//! examples as programs, and a disk that fails on demand.
#![allow(dead_code, reason = "every test file takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

pub mod disk;
pub mod functions;
pub mod peer;
pub mod program;
pub mod table;

use std::{fmt::Debug, sync::Arc};

use strata_bdd::{
    Config, Result, Store,
    testing::{Backend, Limits, Testing},
};

/// A store with default settings.
pub fn default_store() -> Store {
    Store::new(Config::default()).unwrap()
}

/// A store with the smallest budget that the library accepts.
pub fn smallest_store() -> Store {
    Store::new(Config { memory: strata_bdd::SMALLEST_MEMORY, ..Config::default() }).unwrap()
}

/// A store with `limits` and one thread.
pub fn store_with(limits: Limits) -> Store {
    threaded_store_with(1, limits)
}

/// A store with `limits` and `threads` threads, whose files are on `disk`.
pub fn store_on(disk: &Arc<impl Backend + 'static>, limits: Limits, threads: usize) -> Store {
    let testing = Testing { limits: Some(limits), backend: Some(disk.clone()) };
    Store::new(Config { threads, testing, ..Config::default() }).unwrap()
}

/// A store with `limits` and `threads` threads, whose files are in the system's temporary folder.
pub fn threaded_store_with(threads: usize, limits: Limits) -> Store {
    let testing = Testing { limits: Some(limits), backend: None };
    Store::new(Config { threads, testing, ..Config::default() }).unwrap()
}

/// A store with `limits` and `threads` threads, which share every level, however few its records.
pub fn shared_store_with(threads: usize, limits: &Limits) -> Store {
    threaded_store_with(threads, Limits { alone: 0, ..limits.clone() })
}

/// Twelve variables, some with gaps between them. The last is the largest variable there can be.
pub const TWELVE: [u32; 12] = [0, 1, 2, 5, 40, 41, 100, 133, 1000, 1001, 70_000, 16_777_215];

/// A store that has room for everything and does small operations by sweeps, like large ones.
pub fn roomy_store() -> Store {
    store_with(limits(|_| ()))
}

/// The division of a budget of 256 MiB, changed by `adjust`. Small operations are done by sweeps, like large ones; no
/// share borrows from another; and threads go on sharing levels however late the other threads start.
pub fn limits(adjust: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits { small: 0, common: 0, late: 0, ..Limits::of(1 << 28) };
    adjust(&mut limits);
    limits
}

/// Limits under which a diagram of some hundred nodes is on disk, and an operation on it makes every kind of call that
/// can fail, but for sorting: a level fits the arrays in which it is sorted. So operations are fast.
pub fn tight() -> Limits {
    Limits { sort: 1 << 20, dense: 1 << 20, ..tightest() }
}

/// Limits like [`tightest`], with a larger queue: a diagram of some hundred nodes spills everything that can be
/// spilled.
pub fn spilling() -> Limits {
    Limits { queue: 32 << 10, ..tightest() }
}

/// Limits like [`tight`], but levels also exceed the arrays in which they are sorted.
pub fn tightest() -> Limits {
    limits(|limits| {
        (limits.block, limits.window) = (256, 256);
        (limits.queue, limits.arcs, limits.diagrams) = (8 << 10, 0, 0);
        (limits.sort, limits.dense) = (1024, 2048);
    })
}

/// The result of `work` with the default settings. Checks that `work` gives the same with the smallest budget, and
/// under several forced limits with 1 to `threads` threads that share every level.
pub fn under_every_budget<T: PartialEq + Debug>(threads: usize, work: impl Fn(&Store) -> Result<T>) -> Result<T> {
    let expected = work(&default_store())?;
    for limits in [
        spilling(),
        Limits { sort: 1 << 20, ..spilling() },
        Limits { queue: 1 << 24, ..spilling() },
        Limits { small: 1 << 20, ..spilling() },
        limits(|limits| limits.narrow_ids = 64),
    ] {
        for threads in 1..=threads {
            assert_eq!(work(&shared_store_with(threads, &limits))?, expected, "{threads} threads, {limits:?}");
        }
    }
    assert_eq!(work(&smallest_store())?, expected);
    Ok(expected)
}

//! What the integration tests share: stores with forced limits, functions to work on, and a disk with bad days.
#![allow(dead_code, reason = "every test file takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

pub mod disk;
pub mod functions;
pub mod peer;
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

/// A store with the smallest budget there is.
pub fn smallest_store() -> Store {
    Store::new(Config { memory: strata_bdd::SMALLEST_MEMORY, ..Config::default() }).unwrap()
}

/// A store whose budget is divided as `limits` say.
pub fn store_with(limits: Limits) -> Store {
    threaded_store_with(1, limits)
}

/// The same on `disk`, with so many threads.
pub fn store_on(disk: &Arc<impl Backend + 'static>, limits: Limits, threads: usize) -> Store {
    let testing = Testing { limits: Some(limits), backend: Some(disk.clone()) };
    Store::new(Config { threads, testing, ..Config::default() }).unwrap()
}

/// The same in a folder that the system chooses.
pub fn threaded_store_with(threads: usize, limits: Limits) -> Store {
    let testing = Testing { limits: Some(limits), backend: None };
    Store::new(Config { threads, testing, ..Config::default() }).unwrap()
}

/// The same with threads that share every level.
pub fn shared_store_with(threads: usize, limits: &Limits) -> Store {
    threaded_store_with(threads, Limits { alone: 0, ..limits.clone() })
}

/// Up to twelve variables with gaps between them, up to the largest there is.
pub const TWELVE: [u32; 12] = [0, 1, 2, 5, 40, 41, 100, 133, 1000, 1001, 70_000, 16_777_215];

/// A roomy store where small operations are done in the way of large ones.
pub fn roomy_store() -> Store {
    store_with(limits(|_| ()))
}

/// The division of a roomy budget, changed by `adjust`; small operations are done in the way of large ones, and
/// levels are shared however late the other threads come.
pub fn limits(adjust: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits { small: 0, common: 0, late: 0, ..Limits::of(1 << 28) };
    adjust(&mut limits);
    limits
}

/// Limits under which a diagram of some hundred nodes is on disk, and does everything that can fail: in an instant but for
/// sorting outside memory.
pub fn tight() -> Limits {
    Limits { sort: 1 << 20, dense: 1 << 20, ..tightest() }
}

/// Limits under which a diagram of some hundred nodes spills everything that can be spilled.
pub fn spilling() -> Limits {
    Limits { queue: 32 << 10, ..tightest() }
}

/// The same as `tight` with sorting outside memory.
pub fn tightest() -> Limits {
    limits(|limits| {
        (limits.block, limits.window) = (256, 256);
        (limits.queue, limits.arcs, limits.diagrams) = (8 << 10, 0, 0);
        (limits.sort, limits.dense) = (1024, 2048);
    })
}

/// What `work` gives with the default settings: the same as with the smallest budget and under other divisions of one, each with up
/// to so many threads that share every level.
pub fn under_every_budget<T: PartialEq + Debug>(threads: usize, work: impl Fn(&Store) -> Result<T>) -> Result<T> {
    let expected = work(&default_store())?;
    for limits in [
        spilling(),
        Limits { sort: 1 << 20, ..spilling() },
        Limits { queue: 1 << 24, ..spilling() },
        limits(|limits| limits.narrow_ids = 64),
    ] {
        for threads in 1..=threads {
            assert_eq!(work(&shared_store_with(threads, &limits))?, expected, "{threads} threads, {limits:?}");
        }
    }
    assert_eq!(work(&smallest_store())?, expected);
    Ok(expected)
}

//! The settings of a store.

use std::{
    env, fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{Access, access};

use super::callback::ProgressCallback;
use crate::disk::{backend::Backend, limits::Limits};

/// The settings of a [`Store`](super::Store). TUNING.md says what each trades. End with `..Config::default()` even where you name all
/// of them: there is one more, for tests.
///
/// ```
/// use strata_bdd::{Config, Store};
///
/// let store = Store::new(Config { memory: 64 << 20, ..Config::default() })?;
/// # Ok::<(), strata_bdd::Error>(())
/// ```
#[derive(Clone)]
pub struct Config {
    /// The memory budget in bytes: what sweeps, tables and the diagrams you hold take in all. Default 1 GiB, at least 16 MiB. A
    /// larger budget spills less. The process takes some MiB more, for memory that the budget does not count.
    pub memory: usize,
    /// The folder for unnamed temporary files. Default: what the environment's `TMPDIR` says, or else `/var/tmp`, or, where that is
    /// missing or read-only, `/tmp`. A fast disk with room for a few times the largest diagram is best; a folder in RAM (tmpfs, as
    /// `/tmp` is on many systems) would count against the machine's memory instead. A relative path is meant from the folder that
    /// is the current one when the store is made, and an empty path is that folder. Where one level is so large that it goes
    /// through the external sorter, the limit of open files is raised for the whole process, as far as the system allows.
    pub scratch: PathBuf,
    /// Threads that share the larger levels of a sweep. Also how many small operations may run side by side, if you call them from
    /// several threads. Default 1; more than there are processors only cost time. Each needs memory of its own, so a store has no
    /// more than one for every 8 MiB of the budget, nor than 1,024; [`Store::config`](super::Store::config) says how many. Results
    /// are the same, to the byte, whatever their number, but for those of [`simplify`](crate::Bdd::simplify). A process that forks
    /// has no such threads in the child: there a store of several waits for ever, so make it after the fork.
    pub threads: usize,
    /// Whether records are packed on their way to temporary files: down to half as many bytes, for some CPU time. Default true.
    /// Diagrams, which are read at random, are written as they are.
    pub compress: bool,
    /// Called after every level of every sweep, of every builder and of what is imported, saved or opened, and now and then by the
    /// search of `linear`, on the thread that called the operation: so on several threads at once where several call operations. It
    /// may stop the operation, which then answers [`Error::Stopped`](crate::Error::Stopped) and drops what it had made. Default:
    /// nobody. It may look at [`Store::stats`](super::Store::stats); what it calls that sweeps, imports, makes a cube or a clause,
    /// or ends a level of a builder, answers [`Error::InsideCallback`](crate::Error::InsideCallback). It must not wait for another
    /// thread that runs an operation, which may wait for this one. Walks (`eval`, `sat_min`, `cubes`, `nodes`) and `to_dot` report
    /// nothing and may be called from inside, and so may `save`, which then reports nothing. `cube` and `clause` never do.
    pub progress: Option<ProgressCallback>,
    /// Another division of the budget or another file system, for tests of the engine.
    #[doc(hidden)]
    pub testing: Testing,
}

/// Settings that tests force.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Testing {
    /// Used instead of the division that the budget gives.
    pub limits: Option<Limits>,
    /// Used instead of files in the scratch folder.
    pub backend: Option<Arc<dyn Backend>>,
}

/// The smallest memory budget: 16 MiB.
pub const SMALLEST_MEMORY: usize = 16 << 20;

impl Default for Config {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            scratch: scratch_folder(),
            threads: 1,
            compress: true,
            progress: None,
            testing: Testing::default(),
        }
    }
}

/// The folder for temporary files where nobody names one: of those that a system has, the one for large files, on a disk, while
/// `/tmp` may be kept in RAM (systemd, `file-hierarchy(7)`).
fn scratch_folder() -> PathBuf {
    if let Some(folder) = env::var_os("TMPDIR").filter(|folder| !folder.is_empty()) {
        return folder.into();
    }
    let for_large_files = Path::new("/var/tmp");
    let has_room = access(for_large_files, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    if has_room { for_large_files } else { Path::new("/tmp") }.into()
}

/// More threads than this would take long to start, and share nothing: each level would be cut into millions of logs.
const MOST_THREADS: usize = 1024;

impl Config {
    /// The threads that a store starts: those asked for, as far as each has memory of its own.
    pub(super) fn useful_threads(&self) -> usize {
        self.threads.min(self.memory / (SMALLEST_MEMORY / 2)).min(MOST_THREADS)
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("memory", &self.memory)
            .field("scratch", &self.scratch)
            .field("threads", &self.threads)
            .field("compress", &self.compress)
            .field("progress", &self.progress.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_starts_no_more_threads_than_it_has_a_use_for() {
        let cases =
            [(16 << 20, 1, 1), (16 << 20, 9, 2), (80 << 20, 9, 9), (80 << 20, 99, 10), (usize::MAX, usize::MAX, 1024)];
        for (memory, threads, started) in cases {
            assert_eq!(Config { memory, threads, ..Config::default() }.useful_threads(), started);
        }
    }
}

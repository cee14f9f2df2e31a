//! `Store`: the budget, the scratch folder, and where operations run.

use std::{
    cell::Cell,
    collections::VecDeque,
    fmt,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::{
    disk::{
        backend::{Backend, Os},
        clock::Phase,
        limits::Limits,
        meter::Meter,
        pool::Pool,
        space::Space,
    },
    error::{Error, Result},
    file::node_file::NodeFile,
    sweep::{
        desk::{Desks, Turn},
        run::{Counters, Listener, Progress, Run, tell},
        team::Team,
    },
};

/// Whom a sweep tells how far it has come, and who may stop it.
///
/// ```
/// use std::{ops::ControlFlow, sync::Arc, time::{Duration, Instant}};
/// use strata_bdd::{Config, Error, Store};
///
/// let end = Instant::now() + Duration::from_secs(60);
/// let progress: strata_bdd::ProgressCallback = Arc::new(move |progress| {
///     if Instant::now() < end && progress.nodes < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// });
/// let store = Store::new(Config { progress: Some(progress), ..Config::default() })?;
/// let (x, y) = (store.variable(0)?, store.variable(1)?);
/// assert!(matches!(x.xor(&y), Err(Error::Stopped { .. })));
/// assert_eq!(x.and(&y)?.sat_count(2)?, 1u8.into());
/// # Ok::<(), strata_bdd::Error>(())
/// ```
pub type ProgressCallback = Arc<dyn Fn(&Progress) -> ControlFlow<()> + Send + Sync>;

/// The settings of a [`Store`]. TUNING.md says what each trades.
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
    /// larger budget spills less. The process takes some MiB more, for what no budget sees.
    pub memory: usize,
    /// The folder for unnamed temporary files. Default: the system's temporary folder. A fast disk with room for a few times
    /// the largest diagram is best; a folder in RAM (tmpfs, as `/tmp` is on some systems) would count against the machine's memory
    /// instead.
    pub scratch: PathBuf,
    /// Threads that share the larger levels of a sweep. Also how many small operations may run side by side, if you call them from
    /// several threads. Default 1. Each needs memory of its own, so a store has no more than one
    /// for every 8 MiB of the budget; [`Store::config`] says how many. Results are the same, to the byte, whatever their number.
    pub threads: usize,
    /// Whether records are packed on their way to temporary files: down to half as many bytes, for time of the processor.
    /// Default true. Diagrams, which are read at random, are written as they are.
    pub compress: bool,
    /// Called after every level of every sweep, and of what a builder is given, and now and then by the search of `linear`, on the
    /// thread that called the operation: so on several at once where several do. It may stop the operation, which then answers
    /// [`Error::Stopped`]; what that had made is gone. Default: nobody. It may look at [`Store::stats`]; whatever sweeps, or writes
    /// nodes, answers [`Error::InsideCallback`] there. Walks (`eval`, `sat_min`, `cubes`), `cube`, `save` and `to_dot` report nothing.
    pub progress: Option<ProgressCallback>,
    /// Another division of the budget or another file system, for tests of the engine.
    #[doc(hidden)]
    pub testing: Testing,
}

/// What tests force.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Testing {
    /// Instead of the division that the budget gives.
    pub limits: Option<Limits>,
    /// Instead of the scratch folder.
    pub backend: Option<Arc<dyn Backend>>,
}

/// The smallest memory budget: 16 MiB.
pub const SMALLEST_MEMORY: usize = 16 << 20;

impl Default for Config {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            scratch: std::env::temp_dir(),
            threads: 1,
            compress: true,
            progress: None,
            testing: Testing::default(),
        }
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

/// A home for diagrams: an ordinary value, cheap to clone, of which there may be several.
///
/// Diagrams of one store can be used together, from any thread. Up to as many small operations run side by side as the store has
/// threads: those on no more than 131,072 nodes in all. A larger one waits for its turn; so does what draws samples, looks for an
/// optimum, or opens or validates a diagram. When who has the turn has a level to share, no other begins, and as soon as those
/// beside it are done, it has all threads to its end; called from a thread of a `rayon` pool, it shares nothing. Use several
/// stores to run several large operations at once, each within a budget of its own.
///
/// ```
/// use std::thread;
/// use strata_bdd::{Config, Store};
///
/// let store = Store::new(Config { threads: 2, ..Config::default() })?;
/// let (x, y) = (store.variable(0)?, store.variable(1)?);
/// let [both, one] = thread::scope(|scope| {
///     [scope.spawn(|| x.and(&y)), scope.spawn(|| x.xor(&y))].map(|made| made.join().expect("no panic"))
/// });
/// assert_eq!(both?.or(&one?)?, x.or(&y)?);
/// # Ok::<(), strata_bdd::Error>(())
/// ```
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    pool: Pool,
    limits: Arc<Limits>,
    backend: Arc<dyn Backend>,
    meter: Arc<Meter>,
    team: Team,
    desks: Desks,
    empty: Arc<NodeFile>,
    processed_requests: AtomicU64,
    operations: Mutex<VecDeque<OperationStats>>,
}

/// What a store has done so far, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Requests that expand sweeps took from their queues.
    pub processed_requests: u64,
    /// Bytes written to temporary files.
    pub spilled_bytes: u64,
    /// Bytes of temporary files there are now.
    pub temp_bytes: u64,
    /// The most bytes of temporary files there were at any time.
    pub peak_temp_bytes: u64,
    /// How often a level did not fit the share in which it is sorted, or collected, and was parted over logs. One level may count
    /// several times.
    pub external_sorts: u64,
    /// Levels that several threads shared on their way down, and so on the way up.
    pub shared_levels: u64,
    /// What time went to.
    pub times: Times,
}

/// What the sweeps of a store spent time on, the sum of those that run side by side. What is sorted and what is waited for is part of
/// the sweeps as well; where several threads share a level, these two are sums over all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// Expand sweeps.
    pub expand: Duration,
    /// Reduce sweeps.
    pub reduce: Duration,
    /// All other sweeps: counting, optima, samples.
    pub fold: Duration,
    /// Bringing levels of more than 4,096 records into order.
    pub sort: Duration,
    /// Reading and writing temporary files, but for what the external sorter does.
    pub disk: Duration,
}

/// What one operation took; see [`Store::operations`]. One that ran beside another and had to begin again, since there were too few
/// tables for both, is there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationStats {
    /// The operation, by the name of the method or of one that does the same: "apply" for all binary operators, "exists" for
    /// `forall`, "disjoint" for `implies`. "search" is the part of a quantification that comes before it, "substitute" what `replace`
    /// and `compose_all` do by nested sweeps; else they are "compose", or "restrict" for constants.
    pub operation: &'static str,
    /// Sweeps: expand, reduce and fold.
    pub sweeps: u64,
    /// Levels that these sweeps went through.
    pub levels: u64,
    /// Requests that its expand sweeps took from their queues. An operation on small diagrams, which has no queues, counts those that
    /// it does not decide at once.
    pub requests: u64,
    /// Bytes written to temporary files meanwhile, also by what runs beside it.
    pub spilled_bytes: u64,
    /// Time from its beginning, after it has waited for its turn, to its end.
    pub time: Duration,
}

/// How many operations a store remembers.
const REMEMBERED: usize = 64;

thread_local! {
    /// Whether this thread is inside a progress callback.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("config", self.config()).field("stats", &self.stats()).finish_non_exhaustive()
    }
}

impl Store {
    /// A store with the settings of `config`.
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] below 16 MiB, [`Error::NoThreads`] for none, [`Error::NotEnoughThreads`] when the system does not
    /// give so many, and [`Error::Io`] when no temporary file can be made in the scratch folder.
    pub fn new(config: Config) -> Result<Self> {
        if config.memory < SMALLEST_MEMORY {
            return Err(Error::BudgetTooSmall { given: config.memory, minimum: SMALLEST_MEMORY });
        }
        if config.threads == 0 {
            return Err(Error::NoThreads);
        }
        let limits = config.testing.limits.clone().unwrap_or_else(|| Limits::of(config.memory));
        let limits = Limits { compress: config.compress && limits.compress, ..limits };
        let backend = config.testing.backend.clone().unwrap_or_else(|| Arc::new(Os::new(config.scratch.clone())));
        backend.create().map_err(backend.fail("create"))?;
        let threads = config.threads.min(config.memory / (SMALLEST_MEMORY / 2));
        let (team, config) = (Team::new(threads, limits.late)?, Config { threads, ..config });
        let limits = limits.for_each_of(team.size());
        let pool = Pool::new(&limits);
        let desks = Desks::new(team.size());
        let inner = Inner {
            config,
            pool,
            limits: Arc::new(limits),
            backend,
            meter: Arc::default(),
            team,
            desks,
            empty: Arc::new(NodeFile::empty()),
            processed_requests: AtomicU64::new(0),
            operations: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The settings of this store, with as many threads as it has.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// What this store has done so far, and what it holds.
    pub fn stats(&self) -> Stats {
        let Inner { meter, processed_requests, .. } = &*self.inner;
        Stats {
            processed_requests: processed_requests.load(Relaxed),
            spilled_bytes: meter.spilled_bytes.load(Relaxed),
            temp_bytes: meter.temp_bytes.load(Relaxed),
            peak_temp_bytes: meter.peak_temp_bytes.load(Relaxed),
            external_sorts: meter.external_sorts.load(Relaxed),
            shared_levels: meter.shared_levels.load(Relaxed),
            times: Times {
                expand: meter.clock.spent(Phase::Expand),
                reduce: meter.clock.spent(Phase::Reduce),
                fold: meter.clock.spent(Phase::Fold),
                sort: meter.clock.spent(Phase::Sort),
                disk: meter.clock.spent(Phase::Disk),
            },
        }
    }

    /// What the last operations took that needed a sweep, at most 64 of them, the newest last.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(0)?.and(&store.variable(1)?)?;
    /// let last = store.operations().pop().expect("a conjunction was computed");
    /// assert_eq!((last.operation, last.sweeps, last.requests), ("apply", 2, 2));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn operations(&self) -> Vec<OperationStats> {
        self.inner.operations.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// The diagram without nodes.
    pub(crate) fn empty(&self) -> Arc<NodeFile> {
        self.inner.empty.clone()
    }

    /// Whether both are the same store.
    pub(crate) fn is(&self, other: &Store) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A space of its own scratch area.
    pub(crate) fn space(&self) -> Space {
        let Inner { pool, limits, backend, meter, .. } = &*self.inner;
        Space::new(pool.clone(), limits.clone(), backend.clone(), meter.clone())
    }

    /// Runs one operation, when it is its turn.
    pub(crate) fn run<T>(&self, name: &'static str, operation: impl FnOnce(&mut Run<'_>) -> Result<T>) -> Result<T> {
        outside_callback()?;
        self.run_at(self.inner.desks.turn(false), name, operation)
    }

    /// The same for an operation on so many `nodes`, which does not wait for its turn where these are few and there is a desk.
    ///
    /// It begins again, when it is its turn, where there are too few tables for it beside others.
    pub(crate) fn run_beside<T>(
        &self,
        name: &'static str,
        nodes: u64,
        mut operation: impl FnMut(&mut Run<'_>) -> Result<T>,
    ) -> Result<T> {
        outside_callback()?;
        let turn = self.inner.desks.turn(nodes <= self.inner.limits.beside);
        let guest = turn.is_guest();
        match self.run_at(turn, name, &mut operation) {
            Err(Error::BudgetExceeded { .. }) if guest => self.run(name, operation),
            outcome => outcome,
        }
    }

    fn run_at<T>(
        &self,
        desks: Turn<'_>,
        name: &'static str,
        operation: impl FnOnce(&mut Run<'_>) -> Result<T>,
    ) -> Result<T> {
        let space = self.space();
        let space = if desks.is_guest() { space.of_guest() } else { space };
        let listener = self.listener();
        let progress = listener.as_ref().map(|listener| listener as Listener<'_>);
        let mut run = Run::new(&space, &self.inner.team, desks, progress);
        let (start, spilled) = (Instant::now(), self.inner.meter.spilled_bytes.load(Relaxed));
        let outcome = operation(&mut run);
        let Counters { requests, sweeps, levels, .. } = run.counters;
        self.inner.processed_requests.fetch_add(requests, Relaxed);
        let spilled_bytes = self.inner.meter.spilled_bytes.load(Relaxed) - spilled;
        let time = start.elapsed();
        self.remember(OperationStats { operation: name, sweeps, levels, requests, spilled_bytes, time });
        outcome
    }

    /// Reports `progress` that is made outside of all operations.
    ///
    /// # Errors
    /// `Stopped` when whoever is told says so, `InsideCallback` when a callback makes it.
    pub(crate) fn report(&self, progress: &Progress) -> Result<()> {
        outside_callback()?;
        tell(self.listener().as_ref().map(|listener| listener as Listener<'_>), progress)
    }

    /// The progress callback, if there is one, which may call no operation.
    fn listener(&self) -> Option<impl Fn(&Progress) -> ControlFlow<()>> {
        self.inner.config.progress.as_deref().map(|callback| {
            move |progress: &Progress| {
                let _inside = InCallback::enter();
                callback(progress)
            }
        })
    }

    fn remember(&self, stats: OperationStats) {
        let mut operations = self.inner.operations.lock().unwrap_or_else(PoisonError::into_inner);
        if operations.len() == REMEMBERED {
            operations.pop_front();
        }
        operations.push_back(stats);
    }
}

/// Checks that this thread is not inside a progress callback.
pub(crate) fn outside_callback() -> Result<()> {
    if IN_CALLBACK.get() { Err(Error::InsideCallback) } else { Ok(()) }
}

/// Marks this thread as inside a callback until it is dropped.
struct InCallback;

impl InCallback {
    fn enter() -> Self {
        IN_CALLBACK.set(true);
        Self
    }
}

impl Drop for InCallback {
    fn drop(&mut self) {
        IN_CALLBACK.set(false);
    }
}

//! `Store`: the budget, the scratch folder, and where operations run.

mod callback;
mod config;
mod stats;

pub use callback::ProgressCallback;
pub(crate) use callback::outside_callback;
pub use config::{Config, SMALLEST_MEMORY, Testing};
pub use stats::{OperationStats, Stats, Times};

use std::{
    collections::VecDeque,
    fmt,
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use callback::InCallback;
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};

use crate::{
    disk::{
        backend::Os,
        clock::Phase,
        limits::Limits,
        pool::{Pool, Share},
        scratch::Scratch,
        space::Space,
    },
    error::{Error, Result},
    progress::Progress,
    sweep::{
        desk::{Desks, Turn},
        run::{Counters, Listener, Run, tell},
        team::Team,
    },
};

/// A home for diagrams: an ordinary value, cheap to clone, of which there may be several.
///
/// Diagrams of one store can be used together, from any thread. Up to as many small operations run side by side as the store has
/// threads: those on no more than 131,072 nodes in all. A larger one waits for its turn; so does what draws samples, looks for an
/// optimum, or opens or validates a diagram. `replace`, `compose_all` and constraints on sums that take so much of the tables
/// that several at once might have no room go one after the other. A large operation that comes to a level worth sharing lets no
/// other begin, gets all threads once those beside it are done, and keeps them to its end; called from a thread of a `rayon`
/// pool, it shares nothing. Use several stores to run several large operations at once, each within a budget of its own.
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
    scratch: Arc<Scratch>,
    limits: Arc<Limits>,
    team: Team,
    desks: Desks,
    /// Locked by a call that takes much of the tables before it has its turn, until it ends.
    wide: ReentrantMutex<()>,
    processed_requests: AtomicU64,
    operations: Mutex<VecDeque<OperationStats>>,
}

/// How many operations a store remembers.
const REMEMBERED: usize = 64;

/// A call that takes more than one part in this many of the tables is wide.
const WIDE: usize = 64;

/// While a wide call has it, no other thread is in one; `None` for any other call.
pub(crate) type Wide<'a> = Option<ReentrantMutexGuard<'a, ()>>;

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
    /// start that many, and [`Error::Io`] when no temporary file can be made in the scratch folder.
    pub fn new(config: Config) -> Result<Self> {
        if config.memory < SMALLEST_MEMORY {
            return Err(Error::BudgetTooSmall { given: config.memory, minimum: SMALLEST_MEMORY });
        }
        if config.threads == 0 {
            return Err(Error::NoThreads);
        }
        let threads = config.useful_threads();
        let limits = config.testing.limits.clone();
        let limits = limits.unwrap_or_else(|| Limits::of_workers(config.memory, threads));
        let limits = Limits { compress: config.compress && limits.compress, ..limits };
        let backend = config.testing.backend.clone().unwrap_or_else(|| Arc::new(Os::new(config.scratch.clone())));
        backend.create().map_err(backend.fail("create"))?;
        let (team, config) =
            (Team::new(threads, Duration::from_millis(limits.late.into()))?, Config { threads, ..config });
        let limits = limits.for_each_of(team.size());
        let pool = Pool::new(&limits);
        let desks = Desks::new(team.size());
        let inner = Inner {
            config,
            scratch: Scratch::new(pool.largest(), backend, Arc::default()),
            pool,
            limits: Arc::new(limits),
            team,
            desks,
            wide: ReentrantMutex::new(()),
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
        let Inner { scratch, processed_requests, pool, .. } = &*self.inner;
        let meter = &scratch.meter;
        Stats {
            processed_requests: processed_requests.load(Relaxed),
            memory_bytes: pool.used() as u64,
            table_bytes_left: pool.room(Share::Tables) as u64,
            spilled_bytes: meter.spilled_bytes.load(Relaxed),
            temp_bytes: meter.temp_bytes.load(Relaxed),
            peak_temp_bytes: meter.peak_placed_bytes.load(Relaxed),
            parted_levels: meter.parted_levels.load(Relaxed),
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

    /// Figures of the last operations that needed a sweep, and imports, at most 64 of them, the newest last.
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

    /// Whether both are the same store.
    pub(crate) fn is(&self, other: &Store) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A space for an operation.
    pub(crate) fn space(&self) -> Space {
        let Inner { pool, scratch, limits, .. } = &*self.inner;
        Space::new(pool.clone(), limits.clone(), scratch.clone())
    }

    /// Runs one operation, when it is its turn.
    pub(crate) fn run<T>(&self, name: &'static str, operation: impl FnOnce(&mut Run<'_>) -> Result<T>) -> Result<T> {
        outside_callback()?;
        self.run_at(self.inner.desks.turn(false), name, operation)
    }

    /// Runs one operation on `nodes` nodes, which does not wait for its turn where these are few and a desk is free.
    ///
    /// Where the tables have no room for it beside others, it begins again when it is its turn.
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
        let space = Space { guest: desks.is_guest(), ..self.space() };
        let _visit = self.inner.scratch.visit(space.guest);
        let listener = self.listener();
        let progress = listener.as_ref().map(|listener| listener as Listener<'_>);
        let mut run = Run::new(name, &space, &self.inner.team, desks, progress);
        let (start, spilled) = (Instant::now(), self.inner.scratch.meter.spilled_bytes.load(Relaxed));
        let outcome = operation(&mut run);
        let Counters { requests, sweeps, levels, .. } = run.counters;
        self.inner.processed_requests.fetch_add(requests, Relaxed);
        let spilled_bytes = self.inner.scratch.meter.spilled_bytes.load(Relaxed) - spilled;
        let time = start.elapsed();
        self.remember(|number| OperationStats {
            number,
            operation: name,
            sweeps,
            levels,
            requests,
            spilled_bytes,
            time,
        });
        outcome
    }

    /// Waits, where a call is to hold `bytes` of the tables while it waits for turns, and these are many, until no other thread is
    /// in such a call: one after the other may have room where together they have none. The same thread may be in several.
    ///
    /// # Errors
    /// `InsideCallback` when a callback is where this is called from: the other call may wait for the operation of that callback.
    pub(crate) fn wide(&self, bytes: usize) -> Result<Wide<'_>> {
        if bytes <= self.inner.limits.tables / WIDE {
            return Ok(None);
        }
        outside_callback()?;
        Ok(Some(self.inner.wide.lock()))
    }

    /// Reports `progress` made outside of all operations.
    ///
    /// # Errors
    /// `Stopped` when the callback says so, `InsideCallback` when a callback is where this is called from.
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

    fn remember(&self, stats: impl FnOnce(u64) -> OperationStats) {
        let mut operations = self.inner.operations.lock().unwrap_or_else(PoisonError::into_inner);
        let number = operations.back().map_or(0, |last| last.number + 1);
        if operations.len() == REMEMBERED {
            operations.pop_front();
        }
        operations.push_back(stats(number));
    }
}

//! What the sweeps of one operation work with, count and report.

use std::ops::ControlFlow;

use super::{desk::Turn, team::Team};
use crate::{
    disk::{
        clock::{Phase, Timer},
        space::Space,
    },
    error::{Error, Result},
    progress::{Progress, Sweep},
};

/// What the sweeps of an operation count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Requests taken from the queue.
    pub requests: u64,
    /// Nodes of unreduced diagrams.
    pub unreduced: u64,
    /// Sweeps begun.
    pub sweeps: u64,
    /// Levels that sweeps have done.
    pub levels: u64,
}

/// Is told of progress, and says whether to go on.
pub type Listener<'a> = &'a dyn Fn(&Progress) -> ControlFlow<()>;

/// A sweep that has begun.
pub struct Begun<'a> {
    _span: tracing::span::EnteredSpan,
    _timer: Timer<'a>,
}

/// Everything one operation works with.
pub struct Run<'a> {
    /// Memory, scratch area and meter.
    pub space: &'a Space,
    /// The threads of the store.
    pub team: &'a Team,
    /// The desks of the operation; work that is not shared is done at the first.
    pub desks: Turn<'a>,
    /// What has been counted.
    pub counters: Counters,
    /// The name of the operation.
    pub operation: &'static str,
    /// Whom to tell of progress.
    pub progress: Option<Listener<'a>>,
}

impl<'a> Run<'a> {
    /// A run of `operation` in `space` of `team` at `desks`.
    pub fn new(
        operation: &'static str,
        space: &'a Space,
        team: &'a Team,
        desks: Turn<'a>,
        progress: Option<Listener<'a>>,
    ) -> Self {
        Self { space, team, desks, counters: Counters::default(), operation, progress }
    }

    /// Counts a sweep, and times it until the result is dropped.
    pub fn begin(&mut self, sweep: Sweep) -> Begun<'a> {
        self.counters.sweeps += 1;
        let phase = match sweep {
            Sweep::Expand => Phase::Expand,
            Sweep::Reduce => Phase::Reduce,
            _ => Phase::Fold,
        };
        Begun {
            _span: tracing::debug_span!("sweep", %sweep).entered(),
            _timer: self.space.scratch.meter.clock.start(phase),
        }
    }

    /// Reports a finished level.
    ///
    /// # Errors
    /// `Stopped` when whoever is told says so.
    #[inline(always)]
    pub fn report(&mut self, sweep: Sweep, variable: u32, nodes: u64) -> Result<()> {
        self.counters.levels += 1;
        if self.progress.is_some() || tracing::level_filters::LevelFilter::current() >= tracing::Level::TRACE {
            return tell(self.progress, &Progress { operation: self.operation, sweep, variable, nodes });
        }
        Ok(())
    }
}

/// Tells `listener` of a finished level.
///
/// # Errors
/// `Stopped` when whoever is told says so.
#[cold]
pub fn tell(listener: Option<Listener<'_>>, level: &Progress) -> Result<()> {
    let &Progress { operation, sweep, variable, nodes } = level;
    tracing::trace!(operation, %sweep, variable, nodes, "level");
    let goes_on = listener.is_none_or(|listener| listener(level).is_continue());
    if goes_on { Ok(()) } else { Err(Error::Stopped { operation, sweep, variable }) }
}

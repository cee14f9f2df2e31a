//! The progress callback, from inside of which nothing may sweep.

use std::{cell::Cell, ops::ControlFlow, sync::Arc};

use crate::{
    error::{Error, Result},
    progress::Progress,
};

/// The function that a sweep tells how far it has come, and that may stop it.
///
/// ```
/// use std::{ops::ControlFlow, sync::{Arc, Mutex}, time::{Duration, Instant}};
/// use strata_bdd::{Config, Error, Store};
///
/// // Each task of the program sets its own deadline.
/// let deadline = Arc::new(Mutex::new(Instant::now()));
/// let end = deadline.clone();
/// let progress: strata_bdd::ProgressCallback = Arc::new(move |progress| {
///     let in_time = end.lock().is_ok_and(|end| Instant::now() < *end);
///     if in_time && progress.nodes < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// });
/// let store = Store::new(Config { progress: Some(progress), ..Config::default() })?;
/// let (x, y) = (store.variable(0)?, store.variable(1)?);
/// *deadline.lock().expect("nobody panics") = Instant::now() + Duration::from_secs(60);
/// assert!(matches!(x.xor(&y), Err(Error::Stopped { .. })));
/// assert_eq!(x.and(&y)?.sat_count(2)?, 1u8.into());
/// # Ok::<(), strata_bdd::Error>(())
/// ```
pub type ProgressCallback = Arc<dyn Fn(&Progress) -> ControlFlow<()> + Send + Sync>;

thread_local! {
    /// Whether this thread is inside a progress callback.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Checks that this thread is not inside a progress callback.
pub(crate) fn outside_callback() -> Result<()> {
    if IN_CALLBACK.get() { Err(Error::InsideCallback) } else { Ok(()) }
}

/// Marks this thread as inside a callback until it is dropped.
pub(super) struct InCallback;

impl InCallback {
    /// Marks this thread.
    pub fn enter() -> Self {
        IN_CALLBACK.set(true);
        Self
    }
}

impl Drop for InCallback {
    fn drop(&mut self) {
        IN_CALLBACK.set(false);
    }
}

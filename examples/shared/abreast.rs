//! Making several values at once.

use std::{ops::Range, panic::resume_unwind, thread};

/// The results of `make` for `items`, in order. The first is made on this thread, every other on a thread of its own.
pub fn abreast<T: Send, E: Send>(
    items: Range<u32>,
    make: impl Fn(u32) -> Result<T, E> + Copy + Send,
) -> Result<Vec<T>, E> {
    thread::scope(|scope| {
        let others: Vec<_> = items.clone().skip(1).map(|item| scope.spawn(move || make(item))).collect();
        let first = items.take(1).map(make).collect::<Vec<_>>();
        let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        first.into_iter().chain(others).collect()
    })
}

//! Desks: what workers work at, and whose turn it is.
//!
//! ```text
//!   an operation ─► its turn: a desk ─► a level to be shared: all desks that are free
//!   a small one, while another has the turn ─► a guest: a desk that is free, and no more
//! ```
//! So operations that are called from several threads run side by side while they are small, and a large one has all threads of
//! its store.

use std::{
    any::Any,
    ops::{Deref, DerefMut},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use smallvec::{SmallVec, smallvec};

use crate::disk::sorter::Sorter;

/// The arrays that one worker of a sweep works with, kept from one to the next so that no page is fresh twice.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Desk {
    /// Sorts levels.
    pub sorter: Sorter,
    /// The children of one level's nodes.
    pub children: Vec<u64>,
    /// The ids of one level's nodes.
    pub ids: Vec<u64>,
    /// What requests are worked on in, for every kind of request.
    pub batches: Kept,
}

impl Desk {
    /// Gives all memory back to the system.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// One of every type that has been needed.
#[derive(Debug, Default)]
pub struct Kept(Vec<Box<dyn Any + Send>>);

impl Kept {
    /// The one of type `T`, as it was left.
    pub fn get<T: Any + Send + Default>(&mut self) -> &mut T {
        let at = self.0.iter().position(|kept| kept.is::<T>()).unwrap_or_else(|| {
            self.0.push(Box::<T>::default());
            self.0.len() - 1
        });
        self.0[at].downcast_mut().expect("the type that was looked for")
    }
}

/// The desks of a store.
#[derive(Debug)]
pub struct Desks {
    state: Mutex<State>,
    /// A desk is free, or the turn.
    freed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The one that was left last comes first: its arrays may still be in the cache.
    free: Vec<Desk>,
    /// Whether somebody has the turn.
    taken: bool,
    /// How many wait.
    waiting: usize,
}

impl Desks {
    /// So many desks.
    pub fn new(count: usize) -> Self {
        let free = (0..count).map(|_| Desk::default()).collect();
        Self { state: Mutex::new(State { free, taken: false, waiting: 0 }), freed: Condvar::new() }
    }

    /// Waits for the turn; or, where somebody has it and a guest would do, for a desk.
    pub fn turn(&self, guest_would_do: bool) -> Turn<'_> {
        let mut state = self.lock();
        loop {
            let guest = state.taken;
            if (guest_would_do || !guest)
                && let Some(desk) = state.free.pop()
            {
                state.taken = true;
                return Turn { home: self, desks: smallvec![desk], guest };
            }
            state.waiting += 1;
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The desks that one operation has, until this is dropped: one at least.
#[derive(Debug)]
pub struct Turn<'a> {
    home: &'a Desks,
    desks: SmallVec<[Desk; 1]>,
    guest: bool,
}

impl Turn<'_> {
    /// Whether another had the turn when this began.
    pub fn is_guest(&self) -> bool {
        self.guest
    }

    /// Takes the desks that are free as well, unless it is a guest's; gives how many it has then.
    pub fn take_free(&mut self) -> usize {
        if !self.guest {
            self.desks.extend(self.home.lock().free.drain(..).rev());
        }
        self.desks.len()
    }
}

impl Deref for Turn<'_> {
    type Target = [Desk];

    fn deref(&self) -> &[Desk] {
        &self.desks
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut [Desk] {
        &mut self.desks
    }
}

/// Nothing on a desk outlives an operation, so one that panicked leaves nothing to repair.
impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.home.lock();
        state.free.extend(self.desks.drain(..).rev());
        state.taken &= self.guest;
        if state.waiting > 0 {
            self.home.freed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering::SeqCst},
        thread,
    };

    use super::*;

    #[test]
    fn one_has_the_turn_and_guests_have_a_desk_each() {
        let desks = Desks::new(3);
        let mut host = desks.turn(true);
        let mut guest = desks.turn(true);
        assert_eq!((host.is_guest(), guest.is_guest()), (false, true));
        // The third desk is the host's if it wants it, and no guest's.
        assert_eq!((guest.take_free(), host.take_free(), host.take_free()), (1, 2, 2));
        drop(host);
        let mut next = desks.turn(false);
        assert_eq!((next.is_guest(), next.take_free()), (false, 2));
        drop(guest);
        assert_eq!(next.take_free(), 3);
        drop(next);
        assert_eq!(desks.lock().free.len(), 3);
    }

    #[test]
    fn nobody_waits_for_ever_and_never_do_two_have_the_turn() {
        let desks = Desks::new(2);
        let (hosts, busy, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for own in 0..5 {
                let (desks, hosts, busy, done) = (&desks, &hosts, &busy, &done);
                scope.spawn(move || {
                    for at in 0..400 {
                        let mut turn = desks.turn(own > 1);
                        assert!(own > 1 || !turn.is_guest(), "it wanted the turn");
                        assert!(turn.is_guest() || hosts.fetch_add(1, SeqCst) == 0, "two have the turn");
                        let held = if at % 3 == 0 { turn.take_free() } else { turn.len() };
                        assert!(busy.fetch_add(held, SeqCst) + held <= 2, "more desks than there are");
                        thread::yield_now();
                        busy.fetch_sub(held, SeqCst);
                        if !turn.is_guest() {
                            hosts.fetch_sub(1, SeqCst);
                        }
                        done.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        let state = desks.lock();
        assert_eq!((done.into_inner(), state.free.len(), state.taken, state.waiting), (2000, 2, false, 0));
    }
}

//! Desks: what workers work at, and whose turn it is.
//!
//! ```text
//!   an operation ─► its turn: a desk ─► a level to be shared: all desks that are free
//!   a small one, while another has the turn or waits for it ─► a guest: a desk, and no more until nobody has the turn
//! ```
//! So operations that are called from several threads run side by side while they are small, and a large one has all threads of
//! its store. Who waits for the turn has it in the order of coming, and the last desk is kept for whoever is next.

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
    /// How many have come for the turn and would not do without, and how many of them have had it.
    came: u64,
    served: u64,
    /// How many wait, for the turn or for a desk.
    waiting: usize,
}

impl State {
    /// Whether the turn is free, and nobody waits for it.
    fn is_idle(&self) -> bool {
        !self.taken && self.came == self.served
    }
}

impl Desks {
    /// So many desks.
    pub fn new(count: usize) -> Self {
        let free = (0..count).map(|_| Desk::default()).collect();
        Self { state: Mutex::new(State { free, taken: false, came: 0, served: 0, waiting: 0 }), freed: Condvar::new() }
    }

    /// Waits for the turn; or, where a guest would do and the turn is not idle, for a desk.
    pub fn turn(&self, guest_would_do: bool) -> Turn<'_> {
        let mut state = self.lock();
        let ticket = state.came;
        state.came += u64::from(!guest_would_do);
        loop {
            let guest = guest_would_do && !state.is_idle();
            let may = if guest {
                state.taken || state.free.len() > 1
            } else {
                !state.taken && (guest_would_do || state.served == ticket)
            };
            if may && let Some(desk) = state.free.pop() {
                state.taken |= !guest;
                state.served += u64::from(!guest_would_do);
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

    /// Takes the desks that are free as well, and the turn, if that is idle, where it has not; gives how many desks it has then.
    ///
    /// A thread of a `rayon` pool that waits for others takes up other work of its pool meanwhile, which may be to wait for these
    /// very desks. So there it does with the desk it has.
    pub fn take_free(&mut self) -> usize {
        let mut state = self.home.lock();
        let has_turn = !self.guest || state.is_idle();
        if has_turn && rayon::current_thread_index().is_none() {
            (self.guest, state.taken) = (false, true);
            self.desks.extend(state.free.drain(..).rev());
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
        drop(next);
        // Whose turn it is, when it is nobody's.
        assert_eq!((guest.take_free(), guest.is_guest()), (3, false));
        drop(guest);
        let state = desks.lock();
        assert_eq!((state.free.len(), state.is_idle()), (3, true));
    }

    #[test]
    fn who_waits_for_the_turn_comes_before_those_who_come_later() {
        for count in [1, 2] {
            let desks = Desks::new(count);
            let host = desks.turn(true);
            let order = Mutex::new(Vec::new());
            thread::scope(|scope| {
                for own in 0..2 {
                    let (desks, order) = (&desks, &order);
                    scope.spawn(move || {
                        let turn = desks.turn(false);
                        order.lock().expect("no panic").push(own);
                        drop(turn);
                    });
                    while desks.lock().waiting <= own {
                        thread::yield_now();
                    }
                }
                drop(host);
                // A small one is a guest as long as they wait, and leaves them a desk.
                let small = desks.turn(true);
                assert!(small.is_guest() || order.lock().expect("no panic").len() == 2);
            });
            assert_eq!(order.into_inner().expect("no panic"), [0, 1]);
        }
    }

    #[test]
    fn a_thread_of_another_pool_does_with_one_desk() {
        let desks = Desks::new(2);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        assert_eq!(pool.install(|| desks.turn(false).take_free()), 1);
        assert_eq!(desks.turn(false).take_free(), 2);
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
                        let held = if at % 3 == 0 { turn.take_free() } else { turn.len() };
                        assert!(turn.is_guest() || hosts.fetch_add(1, SeqCst) == 0, "two have the turn");
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

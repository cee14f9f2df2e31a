//! Desks: the arrays that workers use, and which operation may run.
//!
//! ```text
//!   an operation ─► its turn: a desk ─► a level to be shared: all desks
//! a small one, while another has the turn or waits for it already ─► a guest: one desk
//! ```
//! So small operations that are called from several threads run side by side, and a large one has all threads of its store. A guest
//! takes the turn, and more desks, only if it has a level to share while nobody else has the turn or waits for it.
//!
//! Large operations begin in the order in which they came, and so do small ones. A small one overtakes large ones if it leaves a
//! desk to the first of them. Once the operation that has the turn has asked for more desks, no other begins: desks that become
//! free are for it.

use std::{
    any::Any,
    collections::VecDeque,
    ops::{Deref, DerefMut},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use smallvec::{SmallVec, smallvec};

use crate::disk::{sorter::Sorter, words::Words};

/// The arrays that one worker of a sweep uses, kept from one sweep to the next: touching fresh pages is slow.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Desk {
    /// Sorts levels.
    pub sorter: Sorter,
    /// Arrays for the values of a level (children of its nodes, ids, marks, what a fold brings) that hold none at the moment.
    arrays: Vec<Words>,
    /// Batches, one for every kind of request, and the arrays of small operations.
    pub kept: Kept,
}

impl Desk {
    /// An array for the values of a level, with whatever its last user has left in it.
    pub fn take_array(&mut self) -> Words {
        self.arrays.pop().unwrap_or_default()
    }

    /// Takes back an array that is not needed any more.
    pub fn give_back(&mut self, array: Words) {
        if !array.has_no_room() {
            self.arrays.push(array);
        }
    }

    /// Gives all memory of large arrays back to the system.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// One value of every type that has been asked for.
#[derive(Debug, Default)]
pub struct Kept(Vec<Box<dyn Any + Send>>);

impl Kept {
    /// The value of type `T`, as it was left.
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
    count: usize,
    state: Mutex<State>,
    /// Notified when a waiting operation may begin.
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The last is the one freed last, and taken first: its arrays may still be in the cache.
    free: Vec<Desk>,
    /// Whether some operation has the turn.
    taken: bool,
    /// Whether that operation has asked for more desks than were free.
    wanted: bool,
    /// The number of the next operation to come.
    next: u64,
    /// Numbers of waiting operations, in the order in which they came: those that need the turn, and those for which being a guest
    /// would do.
    lines: [VecDeque<u64>; 2],
}

impl State {
    /// How many operations wait.
    fn waiting(&self) -> usize {
        self.lines.iter().map(VecDeque::len).sum()
    }

    /// Whether the turn is free, and no operation that came before `number` waits for it.
    fn is_idle(&self, number: u64) -> bool {
        !self.taken && self.lines[0].front().is_none_or(|&first| first > number)
    }

    /// A desk for operation `number`, and whether as a guest; `None` unless it is the first of its line and may begin.
    fn serve(&mut self, guest_would_do: bool, number: u64) -> Option<(Desk, bool)> {
        let (own, other) = (usize::from(guest_would_do), usize::from(!guest_would_do));
        let guest = guest_would_do && !self.is_idle(number);
        // The first of the other line came before: leave it a desk if the turn is free.
        let before = self.lines[other].front().is_some_and(|&first| first < number);
        let spare = usize::from(!self.taken && before);
        if self.lines[own].front() != Some(&number) || self.taken && (!guest || self.wanted) || self.free.len() <= spare
        {
            return None;
        }
        self.lines[own].pop_front();
        self.taken |= !guest;
        Some((self.free.pop()?, guest))
    }
}

impl Desks {
    /// `count` desks, all free.
    pub fn new(count: usize) -> Self {
        let free = (0..count).map(|_| Desk::default()).collect();
        Self { count, state: Mutex::new(State { free, ..State::default() }), freed: Condvar::new() }
    }

    /// Waits for the turn; with `guest_would_do`, only for a desk where another operation has the turn or came for it before.
    pub fn turn(&self, guest_would_do: bool) -> Turn<'_> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.lines[usize::from(guest_would_do)].push_back(number);
        loop {
            if let Some((desk, guest)) = state.serve(guest_would_do, number) {
                self.wake(&state);
                return Turn { home: self, desks: smallvec![desk], guest };
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes waiting operations to look whether they may begin.
    fn wake(&self, state: &State) {
        if state.waiting() > 0 {
            self.freed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The desks of one operation, at least one, until this is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    home: &'a Desks,
    desks: SmallVec<[Desk; 1]>,
    guest: bool,
}

impl Turn<'_> {
    /// Whether another operation has the turn, or had it when this one began.
    pub fn is_guest(&self) -> bool {
        self.guest
    }

    /// Takes all free desks, unless this is a guest and the turn is not free; a guest then takes the turn as well. Returns how many
    /// desks it has.
    ///
    /// A thread of a `rayon` pool that waits for others does other work of its pool meanwhile, which may be to wait for these very
    /// desks. So on such a thread an operation keeps to the one desk it has.
    pub fn take_free(&mut self) -> usize {
        let mut state = self.home.lock();
        let has_turn = !self.guest || state.is_idle(u64::MAX);
        if has_turn && rayon::current_thread_index().is_none() {
            (self.guest, state.taken) = (false, true);
            self.desks.extend(state.free.drain(..).rev());
            state.wanted = self.desks.len() < self.home.count;
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

/// Nothing on a desk outlives an operation, so an operation that panicked leaves nothing to repair.
impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.home.lock();
        state.free.extend(self.desks.drain(..).rev());
        if !self.guest {
            (state.taken, state.wanted) = (false, false);
        }
        self.home.wake(&state);
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
        // A guest takes the turn when it is free.
        assert_eq!((guest.take_free(), guest.is_guest()), (3, false));
        drop(guest);
        let state = desks.lock();
        assert_eq!((state.free.len(), state.is_idle(u64::MAX)), (3, true));
    }

    /// The order in which operations begin, `small` or not, that all come while another has the turn, which then leaves.
    fn order_of(count: usize, small: [bool; 4]) -> Vec<usize> {
        let desks = Desks::new(count);
        let mut host = desks.turn(false);
        // No operation is a guest from now on, and all desks come back at once.
        host.take_free();
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for (own, small) in small.into_iter().enumerate() {
                let (desks, order) = (&desks, &order);
                scope.spawn(move || {
                    let turn = desks.turn(small);
                    order.lock().expect("no panic").push(own);
                    drop(turn);
                });
                while desks.lock().waiting() <= own {
                    thread::yield_now();
                }
            }
            drop(host);
        });
        order.into_inner().expect("no panic")
    }

    #[test]
    fn who_came_before_others_of_its_size_begins_before_them_and_on_one_desk_before_all() {
        for bits in 0..16 {
            let small = [0, 1, 2, 3].map(|at| bits >> at & 1 == 1);
            assert_eq!(order_of(1, small), [0, 1, 2, 3], "{small:?}");
        }
        assert_eq!(order_of(2, [false; 4]), [0, 1, 2, 3]);
    }

    #[test]
    fn nobody_begins_beside_one_that_has_asked_for_more_desks() {
        let desks = Desks::new(3);
        let (mut host, guest) = (desks.turn(false), desks.turn(true));
        assert_eq!(host.take_free(), 2);
        thread::scope(|scope| {
            let late = scope.spawn(|| desks.turn(true).is_guest());
            while desks.lock().waiting() == 0 {
                thread::yield_now();
            }
            drop(guest);
            assert_eq!(host.take_free(), 3);
            drop(host);
            assert!(!late.join().expect("no panic"));
        });
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
        assert_eq!((done.into_inner(), state.free.len(), state.taken, state.waiting()), (2000, 2, false, 0));
    }
}

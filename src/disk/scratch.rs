//! Extents of one unnamed file: where what spills lives, the records of operations (but for those of the external sorter) and the
//! nodes of diagrams.
//!
//! New blocks of a file cost a system more than blocks that are overwritten, and to free them costs again. So the file stays from one
//! operation to the next, and an operation writes where an earlier one is done.

use std::{
    io::{Error as IoError, ErrorKind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    backend::{self, Backend, ScratchFile},
    clock::Phase,
    meter::{Claim, Meter},
};
use crate::error::{Error, Result};

/// A file in extents of one length, which are written, read and used again; it is gone when the area and its extents are.
///
/// Between operations, the free extents that have a place on the disk are few more than those held; the file is gone when none is
/// held.
#[derive(Debug)]
pub struct Scratch {
    /// Where the file comes from.
    pub backend: Arc<dyn Backend>,
    /// What is counted.
    pub meter: Arc<Meter>,
    /// Bytes of an extent.
    length: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: Option<Arc<dyn ScratchFile>>,
    /// Every extent of the file.
    extents: Vec<Usage>,
    /// Extents that nobody holds: those that have a place on the disk, and those whose place was given back to the system.
    free: Vec<u32>,
    empty: Vec<u32>,
    /// The number of the extent taken last.
    taken: u64,
    /// The number of operations that run.
    visits: usize,
    claim: Claim,
}

/// How an extent is used.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// The number of its holders.
    holders: u32,
    /// Bytes written since it was taken, and bytes that have a place on the disk.
    written: u32,
    placed: u32,
}

/// An extent of the file; its place is free for others when all who hold it have let it go.
#[derive(Debug)]
pub struct Extent {
    area: Arc<Scratch>,
    /// Its index in the file.
    place: u32,
    /// Its number among all extents that were taken, which no other has.
    number: u64,
}

/// An operation that runs in an area.
#[derive(Debug)]
pub struct Visit {
    area: Arc<Scratch>,
    /// Whether the operation began as a guest.
    guest: bool,
}

/// The number of surplus free extents before any is given back, so that not every diagram dropped costs a system call.
const SLACK: usize = 16;

/// Bytes of a page: where a part of one is written, the system may have to read the rest of it first.
const PAGE: usize = 4096;

impl Scratch {
    /// An empty area of extents of `length` bytes; no file is made before the first is taken.
    pub fn new(length: usize, backend: Arc<dyn Backend>, meter: Arc<Meter>) -> Arc<Self> {
        let claim = Claim::new(meter.clone());
        let (extents, free, empty) = (Vec::new(), Vec::new(), Vec::new());
        let state = State { file: None, extents, free, empty, taken: 0, visits: 0, claim };
        Arc::new(Self { backend, meter, length, state: Mutex::new(state) })
    }

    /// Registers an operation that may take extents. When it ends, surplus free extents are given back to the system, unless it is
    /// a `guest` beside another operation, which may use them.
    pub fn visit(self: &Arc<Self>, guest: bool) -> Visit {
        self.lock().visits += 1;
        Visit { area: self.clone(), guest }
    }

    /// An extent that nobody else holds.
    pub fn take(self: &Arc<Self>) -> Result<Extent> {
        let mut state = self.lock();
        if state.file.is_none() {
            state.file = Some(self.backend.create().map_err(self.backend.fail("create"))?.into());
            // Bytes that an earlier file left at the same place of the disk have other numbers.
            state.taken = backend::salt();
        }
        let free = state.free.pop();
        let place = if let Some(place) = free.or_else(|| state.empty.pop()) {
            place
        } else {
            let place = u32::try_from(state.extents.len());
            let place = place.map_err(|_| self.backend.fail("write")(IoError::from(ErrorKind::FileTooLarge)))?;
            state.extents.push(Usage::default());
            place
        };
        let usage = &mut state.extents[place as usize];
        (usage.holders, usage.written) = (1, 0);
        state.taken = state.taken.wrapping_add(1);
        Ok(Extent { area: self.clone(), place, number: state.taken })
    }

    /// Drops `extents`; gives surplus free extents back to the system unless an operation runs, which may use them.
    pub fn let_go(&self, extents: Vec<Extent>) {
        drop(extents);
        if self.lock().visits == 0 {
            self.trim();
        }
    }

    /// Gives back to the system the place of free extents in excess of those held, first of those that have been free for longest.
    fn trim(&self) {
        let mut state = self.lock();
        let held = state.held();
        if held == 0 {
            let file = state.clear();
            drop(state);
            // Closing the file may take long, so the lock is free by now.
            drop(file);
        } else if state.free.len() > held + held / 8 + SLACK {
            let more = state.free.len() - held;
            let mut more: Vec<_> = state.free.drain(..more).collect();
            let file = state.file();
            drop(state);
            more.sort_unstable();
            for run in more.chunk_by(|a, b| a + 1 == *b) {
                file.discard(u64::from(run[0]) * self.length as u64, (run.len() * self.length) as u64);
            }
            // Meanwhile these extents counted as held, so the file is still the same.
            self.lock().vacate(more);
            self.trim();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The number of extents that are held.
    fn held(&self) -> usize {
        self.extents.len() - self.free.len() - self.empty.len()
    }

    /// Forgets all extents, of which none is held; gives the file.
    fn clear(&mut self) -> Option<Arc<dyn ScratchFile>> {
        let placed = self.extents.drain(..).map(|usage| u64::from(usage.placed)).sum();
        self.claim.displace(placed);
        self.free.clear();
        self.empty.clear();
        self.file.take()
    }

    /// Notes that the extents at `places` have no place on the disk any more.
    fn vacate(&mut self, places: Vec<u32>) {
        for &place in &places {
            let placed = std::mem::take(&mut self.extents[place as usize].placed);
            self.claim.displace(placed.into());
        }
        self.empty.extend(places);
    }

    fn file(&self) -> Arc<dyn ScratchFile> {
        self.file.clone().expect("an extent exists only after its file")
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let left = {
            let mut state = self.area.lock();
            state.visits -= 1;
            state.visits
        };
        if left == 0 || !self.guest {
            self.area.trim();
        }
    }
}

impl Extent {
    /// Bytes it has room for.
    pub fn length(&self) -> usize {
        self.area.length
    }

    /// The number of a place in this extent, unlike that of any place in any extent ever taken: what was written under it was
    /// written here, since the extent was taken.
    pub fn number_of(&self, offset: usize) -> u64 {
        self.number.wrapping_mul(self.area.length as u64).wrapping_add(offset as u64)
    }

    /// Whether both are the same extent, taken once.
    pub fn is(&self, other: &Self) -> bool {
        self.number == other.number
    }

    /// `end`, rounded up to the end of its page.
    pub fn page_end(&self, end: usize) -> usize {
        end.next_multiple_of(PAGE).min(self.length())
    }

    /// Writes `bytes` from `offset` on.
    pub fn write(&self, bytes: &[u8], offset: usize) -> Result<()> {
        let _waiting = self.area.meter.clock.start(Phase::Disk);
        self.file_to_write(offset + bytes.len())
            .write_at(bytes, self.start() + offset as u64)
            .map_err(self.area.backend.fail("write"))?;
        self.area.meter.spilled(bytes.len() as u64);
        Ok(())
    }

    /// Reads bytes back, from `offset` on.
    pub fn read(&self, bytes: &mut [u8], offset: usize) -> Result<()> {
        let _waiting = self.area.meter.clock.start(Phase::Disk);
        self.file().read_at(bytes, self.start() + offset as u64).map_err(self.area.backend.fail("read"))
    }

    /// Says that bytes from `offset` on will be read soon.
    pub fn will_read(&self, offset: usize, len: usize) {
        self.file().will_read(self.start() + offset as u64, len as u64);
    }

    /// The error where other bytes were read than had been written.
    pub fn damaged(&self) -> Error {
        self.area.backend.damaged()
    }

    fn start(&self) -> u64 {
        u64::from(self.place) * self.area.length as u64
    }

    fn file(&self) -> Arc<dyn ScratchFile> {
        self.area.lock().file()
    }

    /// The file, to be written up to `end` of this extent; counts these bytes.
    fn file_to_write(&self, end: usize) -> Arc<dyn ScratchFile> {
        let mut state = self.area.lock();
        let State { extents, claim, .. } = &mut *state;
        let Usage { written, placed, .. } = &mut extents[self.place as usize];
        let end = end as u32;
        claim.hold(end.saturating_sub(*written).into());
        claim.place(end.saturating_sub(*placed).into());
        (*written, *placed) = (end.max(*written), end.max(*placed));
        state.file()
    }
}

impl Clone for Extent {
    fn clone(&self) -> Self {
        self.area.lock().extents[self.place as usize].holders += 1;
        Self { area: self.area.clone(), ..*self }
    }
}

impl Drop for Extent {
    fn drop(&mut self) {
        let mut state = self.area.lock();
        let usage = &mut state.extents[self.place as usize];
        usage.holders -= 1;
        if let Usage { holders: 0, written, .. } = *usage {
            state.free.push(self.place);
            state.claim.let_go(written.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::disk::backend::Os;

    const LENGTH: usize = 2 * PAGE;

    fn area() -> Arc<Scratch> {
        Scratch::new(LENGTH, Arc::new(Os::new(std::env::temp_dir())), Arc::default())
    }

    fn take(count: usize, area: &Arc<Scratch>) -> Vec<Extent> {
        (0..count).map(|_| area.take().expect("room on disk")).collect()
    }

    /// Fills `extents` so that all differ.
    fn fill(extents: &[Extent], first: u8) {
        for (at, extent) in (0..first).rev().chain(first..=u8::MAX).cycle().zip(extents) {
            extent.write(&[at; LENGTH], 0).expect("room on disk");
        }
    }

    /// Checks that `extents` are as they were filled.
    fn check(extents: &[Extent], first: u8) {
        for (at, extent) in (0..first).rev().chain(first..=u8::MAX).cycle().zip(extents) {
            let mut bytes = [0; LENGTH];
            extent.read(&mut bytes, 0).expect("what was written");
            assert!(bytes == [at; LENGTH], "other bytes than were written");
        }
    }

    /// The number of extents that the file has, of those that are free, and of those without a place; there is a file if it has
    /// any.
    fn size(area: &Scratch) -> (usize, usize, usize) {
        let state = area.lock();
        assert_eq!(state.file.is_some(), !state.extents.is_empty());
        (state.extents.len(), state.free.len(), state.empty.len())
    }

    #[test]
    fn the_file_grows_when_nothing_is_free_and_what_is_written_again_is_read_back() {
        let area = area();
        let _visit = area.visit(false);
        let mut held = take(10, &area);
        for round in 0..5u8 {
            fill(&held, round);
            check(&held, round);
            let numbers: Vec<_> = held.iter().map(|extent| extent.number_of(0)).collect();
            let clone = held[3].clone();
            held.drain(..7);
            assert_eq!(size(&area), (10, 6, 0), "the one with a clone is held");
            drop(clone);
            held.extend(take(7, &area));
            assert_eq!(size(&area), (10, 0, 0));
            assert!(held[3..].iter().all(|extent| !numbers.contains(&extent.number_of(0))));
        }
    }

    #[test]
    fn between_operations_few_more_are_free_than_held_and_of_nothing_there_is_no_file() {
        let area = area();
        let placed = || area.meter.placed_bytes.load(Relaxed) / LENGTH as u64;
        let visit = area.visit(false);
        let mut held = take(1000, &area);
        fill(&held, 1);
        held.drain(..700);
        assert_eq!((size(&area), placed()), ((1000, 700, 0), 1000), "the operation may take them again");
        let (guest, other) = (area.visit(true), area.visit(false));
        drop(guest);
        assert_eq!((size(&area), placed()), ((1000, 700, 0), 1000));
        drop(visit);
        assert_eq!((size(&area), placed()), ((1000, 300, 400), 600));
        area.let_go(held.split_off(200));
        assert_eq!(size(&area), (1000, 400, 400));
        drop(other);
        assert_eq!((size(&area), placed()), ((1000, 200, 600), 400));
        // Extents that have a place come first.
        fill(&held, 1);
        let visit = area.visit(false);
        let more = take(600, &area);
        assert_eq!(size(&area), (1000, 0, 200));
        fill(&more, 2);
        assert_eq!(placed(), 800);
        check(&more, 2);
        check(&held, 1);
        drop(more);
        drop(visit);
        assert_eq!((size(&area), placed()), ((1000, 200, 600), 400));
        // Not all that are dropped are given back at once.
        for _ in 0..10 {
            area.let_go(held.split_off(held.len() - 1));
        }
        assert_eq!(size(&area), (1000, 210, 600));
        area.let_go(held.split_off(1));
        assert_eq!((size(&area), placed()), ((1000, 1, 998), 2));
        area.let_go(held);
        assert_eq!((size(&area), placed()), ((0, 0, 0), 0));
        assert_eq!(area.meter.peak_placed_bytes.load(Relaxed), 1000 * LENGTH as u64);
        assert_eq!(take(1, &area)[0].place, 0);
    }

    #[test]
    fn threads_that_take_write_and_let_go_find_what_they_wrote() {
        let area = area();
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let area = &area;
                scope.spawn(move || {
                    let mut kept = Vec::new();
                    for round in 0..60u8 {
                        let visit = area.visit(thread > 1);
                        let mark = thread << 6 | round;
                        let some = take(40, area);
                        fill(&some, mark);
                        check(&some, mark);
                        kept.extend(some.into_iter().take(2));
                        drop(visit);
                        if round % 16 == 15 {
                            area.let_go(std::mem::take(&mut kept));
                        }
                    }
                    area.let_go(kept);
                });
            }
        });
        assert_eq!(size(&area), (0, 0, 0));
        assert_eq!([&area.meter.placed_bytes, &area.meter.temp_bytes].map(|bytes| bytes.load(Relaxed)), [0; 2]);
    }

    #[test]
    fn what_is_written_in_extents_that_are_held_is_counted_once() {
        let area = area();
        let counted = || (area.meter.temp_bytes.load(Relaxed), area.meter.spilled_bytes.load(Relaxed));
        let held = take(2, &area);
        assert_eq!(counted(), (0, 0));
        assert_eq!([0, 10, PAGE, PAGE + 1].map(|end| held[0].page_end(end)), [0, PAGE, PAGE, LENGTH]);
        held[0].write(&[1; PAGE], 0).expect("room on disk");
        held[1].write(&[1; 10], PAGE).expect("room on disk");
        assert_eq!(counted(), (2 * PAGE as u64 + 10, PAGE as u64 + 10));
        held[1].write(&[1; PAGE], 0).expect("room on disk");
        held[0].write(&[1; PAGE], 0).expect("room on disk");
        assert_eq!(counted(), (2 * PAGE as u64 + 10, 3 * PAGE as u64 + 10));
        let clone = held[1].clone();
        area.let_go(held);
        assert_eq!(counted().0, PAGE as u64 + 10);
        drop(clone);
        assert_eq!(counted().0, 0);
        assert_eq!(area.meter.peak_placed_bytes.load(Relaxed), 2 * PAGE as u64 + 10);
    }
}

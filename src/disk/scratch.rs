//! Extents of one unnamed file: where everything that spills lives, the records of operations and the nodes of diagrams.
//!
//! New blocks of a file cost a system more than blocks that are written again, and to free them costs as much once more. So the
//! file stays from one operation to the next, and one writes where another is done.

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
/// Between operations no more extents keep their place on the disk than are held; the file is gone when none is.
#[derive(Debug)]
pub struct Scratch {
    /// Where the file comes from, and what is counted.
    pub backend: Arc<dyn Backend>,
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
    /// Those that nobody holds, and those of them whose place was given back to the system.
    free: Vec<u32>,
    empty: Vec<u32>,
    /// The number of the last one that was taken.
    taken: u64,
    /// Operations that run.
    visits: usize,
    /// What is written in extents that somebody holds.
    claim: Claim,
}

/// How many hold an extent, and how many bytes of it are written since it was taken.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    holders: u32,
    written: u32,
}

/// An extent of the file; its place is free for others when all who hold it have let it go.
#[derive(Debug)]
pub struct Extent {
    area: Arc<Scratch>,
    /// Which one it is.
    place: u32,
    /// Which it is of all that were taken.
    number: u64,
}

/// An operation that runs in an area: until all of them are done, it gives nothing back to the system.
#[derive(Debug)]
pub struct Visit(Arc<Scratch>);

/// Writes end where a page of so many bytes does: where a part of one is written, the system may have to read the rest of it first.
const PAGE: usize = 4096;

impl Scratch {
    /// An empty area of extents of so many bytes; no file is made before the first is taken.
    pub fn new(length: usize, backend: Arc<dyn Backend>, meter: Arc<Meter>) -> Arc<Self> {
        let claim = Claim::new(meter.clone());
        let (extents, free, empty) = (Vec::new(), Vec::new(), Vec::new());
        let state = State { file: None, extents, free, empty, taken: 0, visits: 0, claim };
        Arc::new(Self { backend, meter, length, state: Mutex::new(state) })
    }

    /// An operation begins that may take extents.
    pub fn visit(self: &Arc<Self>) -> Visit {
        self.lock().visits += 1;
        Visit(self.clone())
    }

    /// An extent that nobody else holds.
    pub fn take(self: &Arc<Self>) -> Result<Extent> {
        let mut state = self.lock();
        if state.file.is_none() {
            state.file = Some(self.backend.create().map_err(self.backend.fail("create"))?.into());
            // What a file before had at the same place of the disk has other numbers.
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
        state.extents[place as usize] = Usage { holders: 1, written: 0 };
        state.taken = state.taken.wrapping_add(1);
        Ok(Extent { area: self.clone(), place, number: state.taken })
    }

    /// Lets go of `extents`; what that leaves free is given back to the system unless an operation runs, which may use it.
    pub fn let_go(&self, extents: Vec<Extent>) {
        drop(extents);
        let mut state = self.lock();
        if state.visits == 0 {
            state.trim(self.length);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Gives back to the system what is more than is held, first of all what has been free for longest.
    fn trim(&mut self, length: usize) {
        let held = self.extents.len() - self.free.len() - self.empty.len();
        let Some(file) = self.file.take_if(|_| held == 0 || self.free.len() > held) else { return };
        if held == 0 {
            self.extents.clear();
            self.free.clear();
            self.empty.clear();
            return;
        }
        let mut more: Vec<_> = self.free.drain(..self.free.len() - held).collect();
        more.sort_unstable();
        for run in more.chunk_by(|a, b| a + 1 == *b) {
            file.discard(u64::from(run[0]) * length as u64, (run.len() * length) as u64);
        }
        self.empty.extend(more);
        self.file = Some(file);
    }

    fn file(&self) -> Arc<dyn ScratchFile> {
        self.file.clone().expect("an extent exists only after its file")
    }
}

impl Visit {
    /// Where it runs.
    pub fn area(&self) -> &Arc<Scratch> {
        &self.0
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.visits -= 1;
        state.trim(self.0.length);
    }
}

impl Extent {
    /// Bytes it has room for.
    pub fn length(&self) -> usize {
        self.area.length
    }

    /// Another number for every place in every extent that was ever taken: what has it was written there, and not before.
    pub fn number_of(&self, offset: usize) -> u64 {
        self.number.wrapping_mul(self.area.length as u64).wrapping_add(offset as u64)
    }

    /// Whether it is the same one.
    pub fn is(&self, other: &Self) -> bool {
        self.number == other.number
    }

    /// Writes the first `len` of `bytes` from `offset` on; those that follow up to the end of a page are written with them, and mean
    /// nothing.
    pub fn write(&self, bytes: &[u8], len: usize, offset: usize) -> Result<()> {
        let end = (offset + len).next_multiple_of(PAGE).min(self.length()).min(offset + bytes.len());
        let bytes = &bytes[..end - offset];
        let _waiting = self.area.meter.clock.start(Phase::Disk);
        self.file_to_write(end)
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

    /// What to say when what was read is not what was written.
    pub fn damaged(&self) -> Error {
        self.area.backend.damaged()
    }

    fn start(&self) -> u64 {
        u64::from(self.place) * self.area.length as u64
    }

    fn file(&self) -> Arc<dyn ScratchFile> {
        self.area.lock().file()
    }

    /// The same for what is written up to `end`, which is counted.
    fn file_to_write(&self, end: usize) -> Arc<dyn ScratchFile> {
        let mut state = self.area.lock();
        let written = &mut state.extents[self.place as usize].written;
        let more = (end as u32).saturating_sub(*written);
        *written += more;
        state.claim.grow(more.into());
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
        if let Usage { holders: 0, written } = *usage {
            state.free.push(self.place);
            state.claim.shrink(written.into());
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

    /// Extents that the file has, those that are free, and those that have no place; there is a file if it has any.
    fn size(area: &Scratch) -> (usize, usize, usize) {
        let state = area.lock();
        assert_eq!(state.file.is_some(), !state.extents.is_empty());
        (state.extents.len(), state.free.len(), state.empty.len())
    }

    #[test]
    fn the_file_grows_when_nothing_is_free_and_what_is_written_again_is_read_back() {
        let area = area();
        let _visit = area.visit();
        let mut held = take(10, &area);
        for round in 0..5u8 {
            for (at, extent) in (round..).zip(&held) {
                extent.write(&[at; LENGTH], LENGTH, 0).expect("room on disk");
            }
            for (at, extent) in (round..).zip(&held) {
                let mut bytes = [0; LENGTH];
                extent.read(&mut bytes, 0).expect("what was written");
                assert_eq!(bytes, [at; LENGTH]);
            }
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
    fn between_operations_no_more_is_free_than_held_and_of_nothing_there_is_no_file() {
        let area = area();
        let visit = area.visit();
        let mut held = take(100, &area);
        held.drain(..70);
        assert_eq!(size(&area), (100, 70, 0), "the operation may take them again");
        let other = area.visit();
        drop(visit);
        assert_eq!(size(&area), (100, 30, 40));
        area.let_go(held.split_off(20));
        assert_eq!(size(&area), (100, 40, 40));
        drop(other);
        assert_eq!(size(&area), (100, 20, 60));
        // What has a place comes first, then what needs no longer file.
        let visit = area.visit();
        let more = take(60, &area);
        assert_eq!(size(&area), (100, 0, 20));
        for extent in &more {
            extent.write(&[1; LENGTH], LENGTH, 0).expect("room on disk");
        }
        drop(more);
        drop(visit);
        assert_eq!(size(&area), (100, 20, 60));
        area.let_go(held.split_off(1));
        assert_eq!(size(&area), (100, 1, 98));
        area.let_go(held);
        assert_eq!(size(&area), (0, 0, 0));
        assert_eq!(take(1, &area)[0].place, 0);
    }

    #[test]
    fn what_is_written_in_extents_that_are_held_is_counted_once() {
        let area = area();
        let counted = || (area.meter.temp_bytes.load(Relaxed), area.meter.spilled_bytes.load(Relaxed));
        let held = take(2, &area);
        assert_eq!(counted(), (0, 0));
        // Up to the end of a page, where there are bytes for it.
        held[0].write(&[1; LENGTH], 10, 0).expect("room on disk");
        held[1].write(&[1; 10], 10, PAGE).expect("room on disk");
        assert_eq!(counted(), (2 * PAGE as u64 + 10, PAGE as u64 + 10));
        held[1].write(&[1; PAGE], PAGE, 0).expect("room on disk");
        held[0].write(&[1; LENGTH], 20, 0).expect("room on disk");
        assert_eq!(counted(), (2 * PAGE as u64 + 10, 3 * PAGE as u64 + 10));
        let clone = held[1].clone();
        area.let_go(held);
        assert_eq!(counted().0, PAGE as u64 + 10);
        drop(clone);
        assert_eq!(counted().0, 0);
        assert_eq!(area.meter.peak_temp_bytes.load(Relaxed), 2 * PAGE as u64 + 10);
    }
}

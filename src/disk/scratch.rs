//! Extents of one unnamed file: where the spilled records of an operation live.

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
#[derive(Debug)]
pub struct Scratch {
    backend: Arc<dyn Backend>,
    meter: Arc<Meter>,
    /// Bytes of an extent.
    length: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: Option<Arc<dyn ScratchFile>>,
    /// Of every extent how many hold it.
    holders: Vec<u32>,
    /// Those that nobody holds.
    free: Vec<u32>,
    /// The number of the last one that was taken.
    taken: u64,
    claim: Claim,
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

/// Writes end where a page of so many bytes does: where a part of one is written, the system may have to read the rest of it first.
const PAGE: usize = 4096;

impl Scratch {
    /// An empty area of extents of so many bytes; no file is made before the first is taken.
    pub fn new(length: usize, backend: Arc<dyn Backend>, meter: Arc<Meter>) -> Arc<Self> {
        let claim = Claim::new(meter.clone());
        let state = State { file: None, holders: Vec::new(), free: Vec::new(), taken: 0, claim };
        Arc::new(Self { backend, meter, length, state: Mutex::new(state) })
    }

    /// An extent that nobody else holds.
    pub fn take(self: &Arc<Self>) -> Result<Extent> {
        let mut state = self.lock();
        if state.file.is_none() {
            state.file = Some(self.backend.create().map_err(self.backend.fail("create"))?.into());
            // What a sweep before wrote to the same place of the disk has other numbers.
            state.taken = backend::salt();
        }
        let place = if let Some(place) = state.free.pop() {
            place
        } else {
            let place = u32::try_from(state.holders.len());
            let place = place.map_err(|_| self.backend.fail("write")(IoError::from(ErrorKind::FileTooLarge)))?;
            state.holders.push(0);
            state.claim.grow(self.length as u64);
            place
        };
        state.holders[place as usize] = 1;
        state.taken = state.taken.wrapping_add(1);
        Ok(Extent { area: self.clone(), place, number: state.taken })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Writes the first `len` of `bytes`, which are an extent, from `offset` on; what follows up to the end of a page is written with
    /// them, and means nothing.
    pub fn write(&self, bytes: &[u8], len: usize, offset: usize) -> Result<()> {
        let end = (offset + len).next_multiple_of(PAGE).min(self.length());
        let bytes = &bytes[..end - offset];
        let _waiting = self.area.meter.clock.start(Phase::Disk);
        self.file().write_at(bytes, self.start() + offset as u64).map_err(self.area.backend.fail("write"))?;
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
        self.area.lock().file.clone().expect("an extent exists only after its file")
    }
}

impl Clone for Extent {
    fn clone(&self) -> Self {
        self.area.lock().holders[self.place as usize] += 1;
        Self { area: self.area.clone(), ..*self }
    }
}

impl Drop for Extent {
    fn drop(&mut self) {
        let mut state = self.area.lock();
        let holders = &mut state.holders[self.place as usize];
        *holders -= 1;
        if *holders == 0 {
            state.free.push(self.place);
        }
    }
}

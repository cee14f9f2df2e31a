//! Slots of one unnamed file: where the spilled records of a sweep live.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    backend::{Backend, ScratchFile},
    clock::Phase,
    holes::Holes,
    meter::{Claim, Meter},
};
use crate::error::{Error, Result};

/// A file of slots that are written, read and used again; the file is gone when the area and its slots are.
#[derive(Debug)]
pub struct Scratch {
    backend: Arc<dyn Backend>,
    meter: Arc<Meter>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: Option<Arc<dyn ScratchFile>>,
    /// What is free of it, and how long it is.
    holes: Holes,
    end: u64,
    claim: Claim,
}

/// Some written bytes; their place is free for others when it is dropped.
#[derive(Debug)]
pub struct Slot {
    start: u64,
    length: u64,
    area: Arc<Scratch>,
}

/// Slots are so many pages of this many bytes: where a part of one is written, the system may have to read the others first.
const PAGE: usize = 4096;

impl Scratch {
    /// An empty area; no file is made before the first write.
    pub fn new(backend: Arc<dyn Backend>, meter: Arc<Meter>) -> Arc<Self> {
        let state = State { file: None, holes: Holes::default(), end: 0, claim: Claim::new(meter.clone()) };
        Arc::new(Self { backend, meter, state: Mutex::new(state) })
    }

    fn fail(&self, action: &'static str) -> impl Fn(std::io::Error) -> Error {
        let folder = self.backend.folder().to_owned();
        move |source| Error::Io { action, folder: folder.clone(), source }
    }

    /// A slot that holds the first `len` of `bytes`; what follows up to the end of a page is written with them, and means nothing.
    pub fn write(self: &Arc<Self>, bytes: &[u8], len: usize) -> Result<Slot> {
        let bytes = &bytes[..len.next_multiple_of(PAGE).min(bytes.len())];
        let slot = self.reserve(len.next_multiple_of(PAGE) as u64)?;
        let _waiting = self.meter.clock.start(Phase::Disk);
        slot.file().write_at(bytes, slot.start).map_err(self.fail("write"))?;
        self.meter.spilled(bytes.len() as u64);
        Ok(slot)
    }

    /// A place of so many bytes.
    fn reserve(self: &Arc<Self>, length: u64) -> Result<Slot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.file.is_none() {
            state.file = Some(self.backend.create().map_err(self.fail("create"))?.into());
        }
        let start = state.holes.take(length).unwrap_or_else(|| {
            state.claim.grow(length);
            state.end += length;
            state.end - length
        });
        Ok(Slot { start, length, area: self.clone() })
    }
}

impl Slot {
    /// Reads bytes back, from `offset` within the slot.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let _waiting = self.area.meter.clock.start(Phase::Disk);
        self.file().read_at(bytes, self.start + offset as u64).map_err(self.area.fail("read"))
    }

    /// Says that bytes from `offset` within the slot will be read soon.
    pub fn will_read(&self, offset: usize, len: usize) {
        self.file().will_read(self.start + offset as u64, len as u64);
    }

    /// What to say when what was read is not what was written.
    pub fn damaged(&self) -> Error {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, "other bytes than were written");
        self.area.fail("read")(source)
    }

    fn file(&self) -> Arc<dyn ScratchFile> {
        let state = self.area.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.clone().expect("a slot exists only after its file")
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.area.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.holes.give(self.start, self.length);
    }
}

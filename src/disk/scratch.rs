//! Slots of one unnamed file: where the spilled blocks of a sweep live.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    backend::{Backend, ScratchFile},
    clock::Phase,
    meter::{Claim, Meter},
};
use crate::error::{Error, Result};

/// A file of equal slots that are written, read and used again; the file is gone when the area and its slots are.
#[derive(Debug)]
pub struct Scratch {
    backend: Arc<dyn Backend>,
    meter: Arc<Meter>,
    slot_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: Option<Arc<dyn ScratchFile>>,
    free: Vec<u64>,
    slots: u64,
    claim: Claim,
}

/// One written slot; free for others when dropped.
#[derive(Debug)]
pub struct Slot {
    index: u64,
    area: Arc<Scratch>,
}

impl Scratch {
    /// An area of slots of `slot_bytes`; no file is made before the first write.
    pub fn new(backend: Arc<dyn Backend>, meter: Arc<Meter>, slot_bytes: usize) -> Arc<Self> {
        let state = State { file: None, free: Vec::new(), slots: 0, claim: Claim::new(meter.clone()) };
        Arc::new(Self { backend, meter, slot_bytes, state: Mutex::new(state) })
    }

    fn fail(&self, action: &'static str) -> impl Fn(std::io::Error) -> Error {
        let folder = self.backend.folder().to_owned();
        move |source| Error::Io { action, folder: folder.clone(), source }
    }

    /// A slot of one's own, each byte to be written once.
    pub fn reserve(self: &Arc<Self>) -> Result<Slot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.file.is_none() {
            state.file = Some(self.backend.create().map_err(self.fail("create"))?.into());
        }
        let index = state.free.pop().unwrap_or_else(|| {
            state.claim.grow(self.slot_bytes as u64);
            state.slots += 1;
            state.slots - 1
        });
        Ok(Slot { index, area: self.clone() })
    }

    /// Bytes of a slot.
    pub fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }
}

impl Slot {
    /// Writes bytes at `offset` within the slot.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        let area = &self.area;
        debug_assert!(offset + bytes.len() <= area.slot_bytes);
        let _waiting = area.meter.clock.start(Phase::Disk);
        self.file().write_at(bytes, self.place(offset)).map_err(area.fail("write"))?;
        area.meter.spilled(bytes.len() as u64);
        Ok(())
    }

    /// Reads bytes back, from `offset` within the slot.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let _waiting = self.area.meter.clock.start(Phase::Disk);
        self.file().read_at(bytes, self.place(offset)).map_err(self.area.fail("read"))
    }

    /// Says that bytes from `offset` within the slot will be read soon.
    pub fn will_read(&self, offset: usize, len: usize) {
        self.file().will_read(self.place(offset), len as u64);
    }

    /// What to say when what was read is not what was written.
    pub fn damaged(&self) -> Error {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, "other bytes than were written");
        self.area.fail("read")(source)
    }

    /// Where `offset` within the slot is in the file.
    fn place(&self, offset: usize) -> u64 {
        self.index * self.area.slot_bytes as u64 + offset as u64
    }

    fn file(&self) -> Arc<dyn ScratchFile> {
        let state = self.area.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.clone().expect("a slot exists only after its file")
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.area.state.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.index);
    }
}

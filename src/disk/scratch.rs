//! Slots of one unnamed file: where the spilled blocks of a sweep live.

use std::sync::{Arc, Mutex, PoisonError};

use super::backend::{Backend, ScratchFile};
use super::meter::{Claim, Meter};
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

    /// Writes at most a slot's worth of bytes.
    pub fn write(self: &Arc<Self>, bytes: &[u8]) -> Result<Slot> {
        debug_assert!(bytes.len() <= self.slot_bytes);
        let (slot, file) = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.file.is_none() {
                state.file = Some(self.backend.create().map_err(self.fail("create"))?.into());
            }
            let file = state.file.clone().expect("it was just made");
            let index = state.free.pop().unwrap_or_else(|| {
                state.claim.grow(self.slot_bytes as u64);
                state.slots += 1;
                state.slots - 1
            });
            (Slot { index, area: self.clone() }, file)
        };
        file.write_at(bytes, slot.index * self.slot_bytes as u64).map_err(self.fail("write"))?;
        self.meter.spilled(bytes.len() as u64);
        Ok(slot)
    }
}

impl Slot {
    /// Reads the first bytes of the slot back.
    pub fn read(&self, bytes: &mut [u8]) -> Result<()> {
        let area = &self.area;
        let file = area.state.lock().unwrap_or_else(PoisonError::into_inner).file.clone();
        let file = file.expect("a slot exists only after its file");
        file.read_at(bytes, self.index * area.slot_bytes as u64).map_err(area.fail("read"))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.area.state.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.index);
    }
}

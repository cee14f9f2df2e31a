//! A disk for tests: it counts the calls of each action, and fails at the call that a test chooses.

use std::{
    collections::BTreeSet,
    io::{self, Read, Write},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use strata_bdd::testing::{Backend, NewFile, OldFile, Os, ScratchFile};
use tempfile::TempDir;

/// The actions that can fail. First those on temporary files, named as in `Error::Io`; then the three faults that no
/// call reports; then those on the user's files, which begin with `save:` or `open:`.
pub const ACTIONS: [&str; 14] = [
    "create",
    "write",
    "read",
    "sort in",
    ALTER,
    FORGET,
    LOSE,
    "save: create",
    "save: write",
    "save: sync",
    "save: rename",
    "save: sync the folder of",
    "open: open",
    "open: read",
];

/// A read succeeds, but one bit of the bytes is flipped.
pub const ALTER: &str = "alter what is read";

/// A write succeeds, but the file keeps its old bytes; or gets zeroes, if any of its pages is new.
pub const FORGET: &str = "forget what is written";

/// The folder for a sort is made, but removed again before a file is written to it.
pub const LOSE: &str = "lose a folder";

/// The operating system's files, with counters and a planned fault.
#[derive(Debug)]
pub struct Disk {
    os: Os,
    home: TempDir,
    plan: Arc<Plan>,
}

/// What a disk has counted so far, and the planned fault.
#[derive(Debug, Default)]
struct Plan {
    calls: [AtomicU64; ACTIONS.len()],
    /// The bytes of each read.
    reads: Mutex<Vec<usize>>,
    /// The number of calls of `will_read`.
    announced: AtomicU64,
    /// The pages of all temporary files that exist.
    pages: AtomicU64,
    /// The planned fault, if there is one.
    bad_day: Mutex<Option<BadDay>>,
}

/// A fault. It comes at the `left`-th call of `action` from now, and if `lasting` at every later call; `left` is 0 once
/// the fault has come.
#[derive(Clone, Copy, Debug)]
struct BadDay {
    action: &'static str,
    left: u64,
    lasting: bool,
}

impl Disk {
    /// A disk in a temporary folder of its own, without a planned fault.
    pub fn new() -> Arc<Self> {
        let home = tempfile::tempdir().unwrap();
        Arc::new(Self { os: Os::new(home.path().into()), home, plan: Arc::default() })
    }

    /// The number of names in the scratch folder. Only the folder of an external sort has a name, while the sort lasts.
    pub fn names(&self) -> usize {
        std::fs::read_dir(self.home.path()).unwrap().count()
    }

    /// Plans a fault: the `k`-th call of `action` from now, counted from 1, fails.
    pub fn fail(&self, action: &'static str, k: u64) {
        *self.plan.bad_day.lock().unwrap() = Some(BadDay { action, left: k, lasting: false });
    }

    /// Plans a fault: the `k`-th call of `action` from now, counted from 1, and all later ones fail.
    pub fn fail_from(&self, action: &'static str, k: u64) {
        *self.plan.bad_day.lock().unwrap() = Some(BadDay { action, left: k, lasting: true });
    }

    /// Removes the planned fault. Answers whether the fault has come; true if there was none.
    pub fn heal(&self) -> bool {
        self.plan.bad_day.lock().unwrap().take().is_none_or(|day| day.left == 0)
    }

    /// The number of calls of `action` so far.
    pub fn calls(&self, action: &str) -> u64 {
        self.plan.calls[number(action)].load(Relaxed)
    }

    /// The number of calls of `will_read` so far.
    pub fn announced(&self) -> u64 {
        self.plan.announced.load(Relaxed)
    }

    /// The bytes of disk that all temporary files take now, in whole pages.
    pub fn file_bytes(&self) -> u64 {
        PAGE * self.plan.pages.load(Relaxed)
    }

    /// The bytes of every read so far.
    pub fn reads(&self) -> Vec<usize> {
        self.plan.reads.lock().unwrap().clone()
    }
}

impl Plan {
    fn ask(&self, action: &'static str) -> io::Result<()> {
        self.calls[number(action)].fetch_add(1, Relaxed);
        let mut bad_day = self.bad_day.lock().unwrap();
        let Some(day) = bad_day.as_mut().filter(|day| day.action == action) else { return Ok(()) };
        let was = day.left;
        day.left = was.saturating_sub(1);
        let fails = was == 1 || was == 0 && day.lasting;
        if fails { Err(io::Error::new(io::ErrorKind::StorageFull, "a bad day")) } else { Ok(()) }
    }
}

fn number(action: &str) -> usize {
    ACTIONS.iter().position(|&known| known == action).expect("one of ACTIONS")
}

impl Backend for Disk {
    fn folder(&self) -> &Path {
        self.os.folder()
    }

    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        self.plan.ask("create")?;
        Ok(Box::new(File { inner: self.os.create()?, pages: Mutex::default(), plan: self.plan.clone() }))
    }

    fn sort_folder(&self) -> io::Result<TempDir> {
        self.plan.ask("sort in")?;
        let folder = self.os.sort_folder()?;
        if self.plan.ask(LOSE).is_err() {
            std::fs::remove_dir(folder.path())?;
        }
        Ok(folder)
    }

    fn create_beside(&self, target: &Path) -> io::Result<Box<dyn NewFile>> {
        self.plan.ask("save: create")?;
        Ok(Box::new(New { inner: self.os.create_beside(target)?, plan: self.plan.clone() }))
    }

    fn open(&self, path: &Path) -> io::Result<OldFile> {
        self.plan.ask("open: open")?;
        let (inner, len) = self.os.open(path)?;
        Ok((Box::new(Old { inner, plan: self.plan.clone() }), len))
    }
}

/// A new file of the user, whose calls are counted and can fail.
#[derive(Debug)]
struct New {
    inner: Box<dyn NewFile>,
    plan: Arc<Plan>,
}

impl Write for New {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.plan.ask("save: write")?;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl NewFile for New {
    fn sync(&mut self) -> io::Result<()> {
        self.plan.ask("save: sync")?;
        self.inner.sync()
    }

    fn rename(&mut self) -> io::Result<()> {
        self.plan.ask("save: rename")?;
        self.inner.rename()
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        self.plan.ask("save: sync the folder of")?;
        self.inner.sync_folder()
    }
}

/// A file of the user to read, whose calls are counted and can fail.
struct Old {
    inner: Box<dyn Read>,
    plan: Arc<Plan>,
}

impl Read for Old {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.plan.ask("open: read")?;
        self.inner.read(bytes)
    }
}

/// The bytes of a page, the unit in which disk space is counted.
const PAGE: u64 = 256;

/// A temporary file, whose calls are counted and can fail.
#[derive(Debug)]
struct File {
    inner: Box<dyn ScratchFile>,
    /// The numbers of the pages that were written and not discarded.
    pages: Mutex<BTreeSet<u64>>,
    plan: Arc<Plan>,
}

impl File {
    /// Applies `change` to the pages, and corrects the number of pages of the disk.
    fn count(&self, change: impl FnOnce(&mut BTreeSet<u64>)) {
        let mut pages = self.pages.lock().unwrap();
        let before = pages.len() as u64;
        change(&mut pages);
        self.plan.pages.fetch_add((pages.len() as u64).wrapping_sub(before), Relaxed);
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.count(BTreeSet::clear);
    }
}

impl ScratchFile for File {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.plan.ask("write")?;
        let forgotten = self.plan.ask(FORGET).is_err();
        let mut fresh = false;
        self.count(|pages| {
            let all = offset / PAGE..(offset + bytes.len() as u64).div_ceil(PAGE);
            fresh = all.clone().any(|page| !pages.contains(&page));
            pages.extend(all);
        });
        match (forgotten, fresh) {
            (true, true) => return self.inner.write_at(&vec![0; bytes.len()], offset),
            (true, false) => return Ok(()),
            _ => {}
        }
        self.inner.write_at(bytes, offset)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.plan.ask("read")?;
        self.plan.reads.lock().unwrap().push(bytes.len());
        self.inner.read_at(bytes, offset)?;
        if self.plan.ask(ALTER).is_err() {
            let some = bytes.len() / 3;
            bytes[some] ^= 16;
        }
        Ok(())
    }

    fn will_read(&self, offset: u64, len: u64) {
        self.plan.announced.fetch_add(1, Relaxed);
        self.inner.will_read(offset, len);
    }

    fn discard(&self, offset: u64, len: u64) {
        self.count(|pages| pages.retain(|page| !(offset..offset + len).contains(&(page * PAGE))));
        self.inner.discard(offset, len);
    }
}

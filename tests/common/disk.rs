//! A disk that counts what is asked of it and fails when it is told to.

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

/// What can be asked of a disk, in the words of `Error::Io`; not to alter or forget what it holds, nor to lose a folder to sort
/// in; and what can be asked of the user's files.
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

/// The bytes are read, but one bit of them is another one.
pub const ALTER: &str = "alter what is read";

/// The bytes are said to be written, but what was there before still is, or zeroes are.
pub const FORGET: &str = "forget what is written";

/// The folder is made, but it is gone when the first file shall be written to it.
pub const LOSE: &str = "lose a folder";

/// The operating system's files, until a day comes that is bad.
#[derive(Debug)]
pub struct Disk {
    os: Os,
    home: TempDir,
    plan: Arc<Plan>,
}

/// The calls so far, and the one that fails.
#[derive(Debug, Default)]
struct Plan {
    calls: [AtomicU64; ACTIONS.len()],
    /// Bytes of each read.
    reads: Mutex<Vec<usize>>,
    /// How often something was announced that would be read.
    announced: AtomicU64,
    /// The pages of all files there are.
    pages: AtomicU64,
    /// The action that fails, and how many calls of it succeed before.
    bad_day: Mutex<Option<BadDay>>,
}

/// When a disk fails.
#[derive(Clone, Copy, Debug)]
struct BadDay {
    action: &'static str,
    left: u64,
    lasting: bool,
}

impl Disk {
    /// A disk in a folder of its own, good until told otherwise.
    pub fn new() -> Arc<Self> {
        let home = tempfile::tempdir().unwrap();
        Arc::new(Self { os: Os::new(home.path().into()), home, plan: Arc::default() })
    }

    /// Names in the scratch folder; those of a sort come and go, all other files have none.
    pub fn names(&self) -> usize {
        std::fs::read_dir(self.home.path()).unwrap().count()
    }

    /// From now on, the `k`-th call (from 1) of `action` fails, once.
    pub fn fail(&self, action: &'static str, k: u64) {
        *self.plan.bad_day.lock().unwrap() = Some(BadDay { action, left: k, lasting: false });
    }

    /// From now on, the `k`-th call (from 1) of `action` and all after it fail.
    pub fn fail_from(&self, action: &'static str, k: u64) {
        *self.plan.bad_day.lock().unwrap() = Some(BadDay { action, left: k, lasting: true });
    }

    /// Ends the bad days; answers whether one came.
    pub fn heal(&self) -> bool {
        self.plan.bad_day.lock().unwrap().take().is_none_or(|day| day.left == 0)
    }

    /// How often `action` was asked for.
    pub fn calls(&self, action: &str) -> u64 {
        self.plan.calls[number(action)].load(Relaxed)
    }

    /// How often a read was announced so far.
    pub fn announced(&self) -> u64 {
        self.plan.announced.load(Relaxed)
    }

    /// Bytes of the disk that all temporary files have now.
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
    ACTIONS.iter().position(|&known| known == action).expect("an action")
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

/// A new file of the user's on such a disk.
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

/// A file of the user's on such a disk, to read.
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

/// Bytes of a page.
const PAGE: u64 = 256;

/// A file on such a disk.
#[derive(Debug)]
struct File {
    inner: Box<dyn ScratchFile>,
    /// Those that have been written and not discarded.
    pages: Mutex<BTreeSet<u64>>,
    plan: Arc<Plan>,
}

impl File {
    /// Has `change` change the pages.
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

//! Saving, opening, copying and validating diagrams.

use std::path::Path;

use super::Bdd;
use crate::{
    error::{Error, Result},
    file::{saved, writer},
    progress::{Progress, Sweep},
    store::Store,
    sweep::validate::{check_paths, validate},
};

impl Bdd {
    /// Saves the diagram in a file at `path`, for [`Store::open`] in this or another program.
    ///
    /// The file appears whole or not at all: it is written beside `path` with a checksum, synced to the disk and then renamed,
    /// which replaces an older file in one instant. The new file has the permissions of the older one, and its owner and group if
    /// the process may set these; if it may not set the group, no group may read the file. A symbolic link is replaced, not
    /// followed; a link to anything but a regular file is refused. A process that is killed meanwhile leaves a file `.strata-….tmp`
    /// beside `path`; so does one that the system kills (by `SIGXFSZ`) for a file larger than its limit (`ulimit -f`). The same
    /// function saved in any store under any budget gives the same bytes.
    ///
    /// One pass over the nodes, 8 bytes each (16 beyond 2^30 nodes), and 16 bytes a level; two blocks of memory.
    ///
    /// # Errors
    /// [`Error::SaveFailed`], after which `path` is as it was, except where the last step failed, syncing the folder: then the new
    /// file is there already and might not survive a power cut. [`Error::Io`] where the nodes cannot be read from the scratch
    /// folder, and [`Error::Stopped`], which leave it as it was.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("differ.strata");
    /// let store = Store::new(Config::default())?;
    /// let differ = store.variable(0)?.xor(&store.variable(7)?)?;
    /// differ.save(&path)?;
    ///
    /// let another = Store::new(Config { memory: 16 << 20, ..Config::default() })?;
    /// assert_eq!(another.open(&path)?, differ);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let _save = tracing::debug_span!("save").entered();
        let told = |variable, nodes| {
            match self.store.report(&Progress { operation: "save", sweep: Sweep::Copy, variable, nodes }) {
                // A callback may save what it holds; nobody is told of that.
                Err(Error::InsideCallback) => Ok(()),
                told => told,
            }
        };
        saved::save(&self.file, self.complement, path.as_ref(), &self.store.space(), told)
    }

    /// Checks that the diagram keeps every invariant of the format, and that its bytes have not changed since it was made.
    ///
    /// On a machine that works no diagram breaks one, and what is read from the scratch disk is always checked: this is for those
    /// who doubt their memory, and for tests. One pass over the nodes, a walk along one path, and one expand sweep: O(sort(f))
    /// transfers, nothing beyond the budget.
    ///
    /// # Errors
    /// [`Error::BrokenInvariant`], and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// store.variable(0)?.xor(&store.variable(7)?)?.validate()?;
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn validate(&self) -> Result<()> {
        self.store.run("validate", |run| validate(&self.file, run))
    }
}

impl Store {
    /// Opens the diagram that [`Bdd::save`] wrote to `path`.
    ///
    /// The file is read once and copied into the store, to RAM or to the scratch folder like every other diagram; what
    /// happens to the file afterwards does not matter. It is not trusted: checksum and every invariant are checked, so a file
    /// that was changed by accident or on purpose is refused, or else is the canonical diagram of some function.
    ///
    /// One pass over the file and one expand sweep: O(sort(f)) transfers, nothing beyond the budget.
    ///
    /// # Errors
    /// [`Error::OpenFailed`] when it cannot be read; [`Error::NotADiagram`], [`Error::UnknownVersion`],
    /// [`Error::OtherByteOrder`] and [`Error::UnknownWidth`] when it is another kind of file; [`Error::Damaged`] and
    /// [`Error::NotCanonical`] when it is not as it was written; those of the scratch folder and the budget, and
    /// [`Error::Stopped`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Error, Store};
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("x3.strata");
    /// let store = Store::new(Config::default())?;
    /// store.variable(3)?.negated().save(&path)?;
    /// assert_eq!(store.open(&path)?, !&store.variable(3)?);
    ///
    /// std::fs::write(&path, "not a diagram").expect("a disk");
    /// assert!(matches!(store.open(&path), Err(Error::NotADiagram { .. })));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Bdd> {
        let _open = tracing::debug_span!("open").entered();
        let path = path.as_ref();
        let load = self.run("open", |run| {
            let space = run.space;
            let (file, complement) =
                saved::load(path, space, |variable, nodes| run.report(Sweep::Copy, variable, nodes))?;
            check_paths(&file, run)?;
            Ok(Bdd::new(self.clone(), file, complement))
        });
        load.map_err(|error| match error {
            Error::BrokenInvariant { invariant, node, what } => {
                Error::NotCanonical { path: path.into(), invariant, node, what }
            }
            other => other,
        })
    }

    /// The function of `bdd`, which may belong to another store, in this one; its own diagram stays as it is.
    ///
    /// One pass over the nodes; a few blocks of memory beside the budget where the diagram is on disk in the other store. A diagram
    /// of this store is not copied.
    ///
    /// # Errors
    /// Those of the disks and the budget, and [`Error::Stopped`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let large = Store::new(Config { memory: 1 << 30, ..Config::default() })?;
    /// let differ = large.variable(0)?.xor(&large.variable(7)?)?;
    ///
    /// let small = Store::new(Config { memory: 16 << 20, ..Config::default() })?;
    /// assert_eq!(small.import(&differ)?.and(&small.variable(7)?)?.sat_count(8)?, 64u32.into());
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn import(&self, bdd: &Bdd) -> Result<Bdd> {
        if self.is(bdd.store()) {
            return Ok(bdd.clone());
        }
        let _import = tracing::debug_span!("import").entered();
        let copy = self.run_beside("import", bdd.node_count(), |run| {
            writer::copy(&bdd.file, run.space, |variable, nodes| run.report(Sweep::Copy, variable, nodes))
        })?;
        Ok(Bdd::new(self.clone(), copy, bdd.complement))
    }
}

//! The seam between the library and the file system: everything that can fail on a bad day goes through here, so that a test double
//! can fail the k-th call. The segments of the external sorter are an exception: only their folder comes from here.

use std::{
    env, fmt,
    fs::File,
    hash::{BuildHasher, RandomState},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::named::{self, NewFile, OldFile};
use crate::error::Error;

/// Where files come from: temporary files, and named files of the user.
pub trait Backend: Send + Sync + fmt::Debug {
    /// The scratch folder, for messages.
    fn folder(&self) -> &Path;

    /// A new, empty, unnamed file; it is gone when it is dropped, even after a kill.
    fn create(&self) -> io::Result<Box<dyn ScratchFile>>;

    /// A new folder of its own for one external sort.
    fn sort_folder(&self) -> io::Result<TempDir>;

    /// A new, empty file beside `target`, which takes the name of `target` once it is complete.
    fn create_beside(&self, target: &Path) -> io::Result<Box<dyn NewFile>>;

    /// The regular file at `path`, to read once.
    fn open(&self, path: &Path) -> io::Result<OldFile>;
}

impl dyn Backend {
    /// Turns an I/O error in the scratch folder into the library's error.
    pub fn fail(&self, action: &'static str) -> impl Fn(io::Error) -> Error {
        move |source| Error::Io { action, folder: self.folder().to_owned(), source }
    }

    /// The error of a read from the scratch folder that gives other bytes than were written.
    pub fn damaged(&self) -> Error {
        self.fail("read")(io::Error::new(io::ErrorKind::InvalidData, "other bytes than were written"))
    }
}

/// An unnamed temporary file.
pub trait ScratchFile: Send + Sync + fmt::Debug {
    /// Writes all of `bytes` at `offset` (bytes).
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Fills all of `bytes` from `offset` (bytes).
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Says that `len` bytes from `offset` will be read soon, so that they may be fetched meanwhile.
    fn will_read(&self, _offset: u64, _len: u64) {}

    /// Says that `len` bytes from `offset` will not be read any more, so that their disk space may be given back.
    fn discard(&self, _offset: u64, _len: u64) {}
}

/// A new seed for checksums: what was written before has another one, and does not pass for what is written from now on.
pub fn salt() -> u64 {
    RandomState::new().hash_one(())
}

/// The operating system's own files; temporary ones lie in one folder.
#[derive(Debug)]
pub struct Os {
    folder: PathBuf,
}

impl Os {
    /// Temporary files in `folder`, which must exist. If the current folder is known, it stays the same when the process goes to
    /// another one.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder: env::current_dir().unwrap_or_default().join(folder) }
    }
}

impl Backend for Os {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(Unnamed::new(tempfile::tempfile_in(&self.folder)?)))
    }

    fn sort_folder(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(&self.folder)
    }

    fn create_beside(&self, target: &Path) -> io::Result<Box<dyn NewFile>> {
        Ok(Box::new(named::Beside::new(target)?))
    }

    fn open(&self, path: &Path) -> io::Result<OldFile> {
        named::open(path)
    }
}

/// A file that nobody else can open, write or truncate.
#[derive(Debug)]
struct Unnamed(File);

impl Unnamed {
    /// Wraps `file`. Neighbouring bytes in it are mostly unrelated, so the system is told not to read ahead on its own.
    fn new(file: File) -> Self {
        hints::at_random(&file);
        Self(file)
    }
}

/// Hints to the system: a file is read in no particular order, and some bytes will be read soon. Where it ignores a hint, it reads
/// when it has to.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod hints {
    use std::{fs::File, num::NonZeroU64};

    use rustix::fs::{Advice, fadvise};

    pub fn at_random(file: &File) {
        let _ = fadvise(file, 0, None, Advice::Random);
    }

    pub fn soon(file: &File, offset: u64, len: u64) {
        let _ = NonZeroU64::new(len).map(|len| fadvise(file, offset, Some(len), Advice::WillNeed));
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
mod hints {
    use std::fs::File;

    pub fn at_random(_: &File) {}

    pub fn soon(_: &File, _: u64, _: u64) {}
}

impl ScratchFile for Unnamed {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(bytes, offset)
    }

    fn will_read(&self, offset: u64, len: u64) {
        hints::soon(&self.0, offset, len);
    }

    // Where the system cannot punch holes, the file keeps its disk space until it is dropped.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn discard(&self, offset: u64, len: u64) {
        use rustix::fs::{FallocateFlags, fallocate};
        let holes = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let _ = rustix::io::retry_on_intr(|| fallocate(&self.0, holes, offset, len));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn what_is_discarded_takes_no_place_and_what_is_beside_it_stays() -> io::Result<()> {
        const LEN: usize = 1 << 20;
        let file = Unnamed::new(tempfile::tempfile()?);
        let bytes: Vec<u8> = (0..3 * LEN).map(|at| (at % 251) as u8).collect();
        file.write_at(&bytes, 0)?;
        file.0.sync_all()?;
        let before = file.0.metadata()?.blocks();
        file.discard(LEN as u64, LEN as u64);
        let metadata = file.0.metadata()?;
        assert!(metadata.len() == 3 * LEN as u64 && before - metadata.blocks() >= (LEN / 512) as u64, "no hole");
        let mut read = vec![1; 3 * LEN];
        file.read_at(&mut read, 0)?;
        assert!(read[..LEN] == bytes[..LEN] && read[2 * LEN..] == bytes[2 * LEN..]);
        assert!(read[LEN..2 * LEN].iter().all(|byte| *byte == 0));
        Ok(())
    }
}

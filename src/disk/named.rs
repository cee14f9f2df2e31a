//! Named files of the user: written under another name beside their place and renamed into it, or read once.

use std::{
    fmt,
    fs::{self, File, Metadata, Permissions},
    io::{self, Read, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, fchown},
    },
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// A file being written, which gets its final name only once it is complete. Dropped before that, it is gone.
pub trait NewFile: Write + fmt::Debug {
    /// Waits until what was written is on the disk.
    fn sync(&mut self) -> io::Result<()>;

    /// Gives the file its final name; a file that had that name is gone in the same instant.
    fn rename(&mut self) -> io::Result<()>;

    /// Waits until the name is on the disk.
    fn sync_folder(&mut self) -> io::Result<()>;
}

/// A file that is read once, and its length in bytes.
pub type OldFile = (Box<dyn Read>, u64);

/// A new file of the operating system.
#[derive(Debug)]
pub(super) struct Beside {
    target: PathBuf,
    folder: File,
    /// `None` once it has its name.
    file: Option<NamedTempFile>,
}

impl Beside {
    /// A file in the folder of `target`.
    pub fn new(target: &Path) -> io::Result<Self> {
        if target == Path::new("") {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no name"));
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        // Before the new file is made, whose error would name it and not the folder; and opening a pipe would wait for a writer.
        if !fs::metadata(folder)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        check_name(target)?;
        let there = fs::metadata(target).ok();
        there.as_ref().map(check_regular).transpose()?;
        let mode = there.as_ref().map_or(0o666, |there| there.mode() & 0o777);
        let mut builder = tempfile::Builder::new();
        let permissions = Permissions::from_mode(mode);
        let file = builder.prefix(".strata-").suffix(".tmp").permissions(permissions).tempfile_in(folder)?;
        if let Some(there) = there {
            share_like(&there, mode, file.as_file())?;
        }
        Ok(Self { target: target.into(), folder: File::open(folder)?, file: Some(file) })
    }

    fn unnamed(&mut self) -> io::Result<&mut NamedTempFile> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file has its name already"))
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not by the named file itself, whose errors name it and not its target.
        self.unnamed()?.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unnamed()?.as_file_mut().flush()
    }
}

impl NewFile for Beside {
    fn sync(&mut self) -> io::Result<()> {
        self.unnamed()?.as_file().sync_all()
    }

    fn rename(&mut self) -> io::Result<()> {
        self.unnamed()?;
        // Where it fails, the error holds the file, which is deleted with it.
        self.file.take().map_or(Ok(()), |file| file.persist(&self.target).map(drop).map_err(io::Error::from))
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        self.folder.sync_all()
    }
}

/// The operating system's own file at `path`, to read.
pub(super) fn open(path: &Path) -> io::Result<OldFile> {
    // Opening a pipe would wait for a writer, so this comes first.
    check_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let len = check_regular(&file.metadata()?)?.len();
    Ok((Box::new(file), len))
}

/// Fails where the name shows that no file can be renamed to `target`: better before all is written than after.
fn check_name(target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // `name/` and `name/.` are folders, even where nothing has that name.
    let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let ends = target.as_os_str().as_bytes().ends_with(name.as_bytes());
    if ends { Ok(()) } else { Err(io::ErrorKind::IsADirectory.into()) }
}

/// Makes `file` accessible to those who have access to the file `there`, whose permissions are `mode`, and to nobody else.
fn share_like(there: &Metadata, mut mode: u32, file: &File) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (there.uid(), there.gid())
        && fchown(file, Some(there.uid()), Some(there.gid())).is_err()
        && fchown(file, None, Some(there.gid())).is_err()
    {
        // `file` belongs to another group than the file `there`, and that group gets no access.
        mode &= !0o070;
    }
    // The user's mask has been applied already. Permissions are set only where they differ: some file systems have none.
    if file.metadata()?.mode() & 0o777 == mode { Ok(()) } else { file.set_permissions(Permissions::from_mode(mode)) }
}

/// Refuses folders, pipes and devices.
fn check_regular(metadata: &Metadata) -> io::Result<&Metadata> {
    if metadata.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else if metadata.is_file() {
        Ok(metadata)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_made_in_the_folder_of_its_target() {
        let home = tempfile::tempdir().expect("a folder");
        let long = "x".repeat(255);
        for (target, folder) in [(Path::new("x"), Path::new(".")), (&home.path().join(long), home.path())] {
            let mut new = Beside::new(target).expect("a file");
            let path = new.unnamed().expect("no name yet").path().to_owned();
            assert_eq!(path.parent().map(fs::canonicalize).transpose().ok(), fs::canonicalize(folder).map(Some).ok());
            drop(new);
            assert!(!path.exists());
        }
    }

    #[test]
    fn a_file_that_has_its_name_is_not_written_any_more() {
        let home = tempfile::tempdir().expect("a folder");
        let target = home.path().join("x");
        let mut new = Beside::new(&target).expect("a file");
        new.write_all(b"whole").expect("room");
        assert!(!target.exists());
        new.rename().expect("a name");
        assert!(new.write_all(b", and more").is_err() && new.sync().is_err() && new.rename().is_err());
        new.sync_folder().expect("a folder that syncs");
        drop(new);
        assert_eq!(fs::read(&target).expect("a file"), b"whole");
    }

    #[test]
    fn a_file_that_does_not_get_its_name_is_gone() {
        let home = tempfile::tempdir().expect("a folder");
        let target = home.path().join("x");
        let mut new = Beside::new(&target).expect("a file");
        new.write_all(b"whole").expect("room");
        fs::create_dir(&target).expect("a folder in its place");
        assert!(new.rename().is_err());
        let names = fs::read_dir(home.path()).expect("a folder");
        assert_eq!(names.map(|entry| entry.expect("a name").path()).collect::<Vec<_>>(), [target]);
    }
}

//! The limit of open files: every diagram on disk is one, and every segment of an external sort.
//!
//! Most systems start a program with a low limit that it may raise by itself, for the sake of old programs that cannot name more
//! files than that. It is left alone as long as it does, and until there is an external sort. Of what the system allows, some files
//! are left to the rest of the program: it cannot save a diagram without, or read a file, to get out of a scrape.

use std::{fs::File, io, os::fd::AsRawFd};

use rustix::{
    io::Errno,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};

use crate::error::too_many_files;

/// What `open` opens, unless that leaves too few files to others. Where it leaves room for fewer than are open, the limit becomes the
/// largest that the system allows.
pub fn open_within(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    match open() {
        Ok(file) => {
            // The system gives the lowest number that is free.
            let number = u64::from(file.as_raw_fd().unsigned_abs());
            let limit = || getrlimit(Resource::Nofile).current;
            if limit().is_some_and(|limit| number >= limit / 2) {
                raise();
            }
            if limit().is_some_and(|limit| number >= limit - left_to_others(limit)) {
                return Err(Errno::MFILE.into());
            }
            Ok(file)
        }
        Err(error) if too_many_files(&error) && raise() => open(),
        failed => failed,
    }
}

/// How many files of so many are left to the rest of the program.
fn left_to_others(limit: u64) -> u64 {
    (limit / 8).min(64)
}

/// Raises the limit as far as the system allows; answers whether there is more room then.
pub fn raise() -> bool {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    current != maximum && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok()
}

//! The limit of open files: every diagram on disk is one, and every segment of an external sort.
//!
//! Most systems start a program with a low limit that it may raise by itself, for the sake of old programs that cannot name more
//! files than that. It is left alone as long as it does, and until there is an external sort. Of what the system allows, diagrams leave
//! some to the rest of the program: it could not save one without, or read a file, to get out of a scrape.

use std::{fs::File, io, os::fd::AsRawFd};

use rustix::{
    io::Errno,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};

use crate::error::too_many_files;

/// What `open` opens. Where that leaves room for fewer files than are open, the limit becomes the largest that the system allows.
pub fn open_within(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    match open() {
        Ok(file) => {
            if limit().is_some_and(|limit| files_before(&file) >= limit / 2) {
                raise();
            }
            Ok(file)
        }
        Err(error) if too_many_files(&error) && raise() => open(),
        failed => failed,
    }
}

/// The same for a file that is kept, unless that leaves too few to others.
pub fn open_to_keep(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    let file = open_within(open)?;
    let leaves_some = limit().is_none_or(|limit| files_before(&file) < limit - left_to_others(limit));
    if leaves_some { Ok(file) } else { Err(Errno::MFILE.into()) }
}

/// How many files were open before this one: the system gives the lowest number that is free.
fn files_before(file: &File) -> u64 {
    file.as_raw_fd().unsigned_abs().into()
}

/// How many may be open; none if there is no limit.
fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
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

//! The limit of open files: every diagram on disk is one, and every segment of an external sort.
//!
//! Most systems start a program with a low limit that it may raise by itself, for the sake of old programs that cannot name more
//! files than that. It is left alone as long as it does, and until there is an external sort.

use std::{fs::File, io, os::fd::AsRawFd};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::too_many_files;

/// What `open` opens. Where that leaves room for fewer files than are open, the limit becomes the largest that the system allows.
pub fn open_within(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    match open() {
        Ok(file) => {
            let limit = getrlimit(Resource::Nofile).current;
            // The system gives the lowest number that is free.
            if limit.is_some_and(|limit| u64::from(file.as_raw_fd().unsigned_abs()) >= limit / 2) {
                raise();
            }
            Ok(file)
        }
        Err(error) if too_many_files(&error) && raise() => open(),
        failed => failed,
    }
}

/// Raises the limit as far as the system allows; answers whether there is more room then.
pub fn raise() -> bool {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    current != maximum && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok()
}

//! How a program ends.

use std::{
    error::Error,
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

/// Prints an error to standard error and gives the exit code: 2 for a bad argument, as clap does, and 1 for any other
/// error. A reader that closes the output is no error.
pub fn end(outcome: Result<(), impl Into<Box<dyn Error>>>) -> ExitCode {
    let Err(error) = outcome.map_err(Into::into) else { return ExitCode::SUCCESS };
    let (mut cause, mut code) = (Some(&*error), ExitCode::FAILURE);
    while let Some(error) = cause {
        if error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        if let Some(strata_bdd::Error::BudgetTooSmall { .. }) = error.downcast_ref() {
            code = ExitCode::from(2);
        }
        cause = error.source();
    }
    // The programs themselves write to standard output alone; every other I/O error comes wrapped in an error of the
    // library.
    let what = if error.is::<io::Error>() { "cannot write to standard output: " } else { "" };
    _ = writeln!(io::stderr(), "error: {what}{error}");
    code
}

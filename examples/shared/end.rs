//! How a program ends.

use std::{
    error::Error,
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

/// Says on standard error why there is no result. Exit code 2 is a bad argument, as clap has it, and 1 bad luck; whoever reads the
/// output and has seen enough is neither.
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
    // What these programs write is their output; all else is the library's.
    let what = if error.is::<io::Error>() { "cannot write to standard output: " } else { "" };
    _ = writeln!(io::stderr(), "error: {what}{error}");
    code
}

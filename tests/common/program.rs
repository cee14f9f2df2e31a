//! Runs examples as a user does: a process with arguments, two output streams and an exit code.
//!
//! `cargo test` builds the examples; `cargo test --test NAME` alone does not.

use std::{
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// The path of an example's executable. Cargo puts examples beside the folder of the tests.
pub fn executable(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let profile = test.ancestors().nth(2).expect("cargo puts tests in <profile>/deps");
    let path = profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing; `cargo build --profile test --examples` makes it", path.display());
    path
}

/// The command that runs the example `name` with `arguments`, a list separated by blanks.
pub fn command(name: &str, arguments: &str) -> Command {
    let mut command = Command::new(executable(name));
    command.args(arguments.split_whitespace()).stdin(Stdio::null());
    command
}

/// Runs `command` to its end.
pub fn run(mut command: Command) -> Output {
    command.output().expect("the example starts")
}

/// What a process wrote to one of its output streams.
pub fn text(stream: &[u8]) -> &str {
    std::str::from_utf8(stream).expect("the example writes UTF-8")
}

/// The standard output of a run that must succeed.
pub fn stdout(command: Command) -> String {
    let shown = format!("{command:?}");
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{shown}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

//! Small boards, counted again and again.

use crate::{Failure, operations::clock::Report, operations::queens::Board};

/// How often a process counts the solutions of one board.
const TIMES: u32 = 20;

/// Counts the solutions on the board that `build` makes, and drops the board, [`TIMES`] times. `forget` runs after
/// each, outside of the measured time.
pub fn count<B: Board>(
    n: u16,
    build: impl Fn() -> Result<B, Failure>,
    forget: impl Fn(),
    report: &mut Report,
) -> Result<(), Failure> {
    for _ in 0..TIMES {
        report.time(&format!("{n} queens"), || build()?.count(n * n), |count| Ok(format!("{count} solutions")))?;
        forget();
    }
    Ok(())
}

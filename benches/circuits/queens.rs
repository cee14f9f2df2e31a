//! Small boards, counted again and again.

use crate::{Failure, operations::clock::Report, operations::queens::Board};

/// Counts in one process.
const TIMES: u32 = 20;

/// Counts the solutions on the board that `build` makes, which is dropped each time. `forget` runs between the counts, outside
/// of the time.
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

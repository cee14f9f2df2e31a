//! Joining many diagrams.

use std::ops::Range;

/// Joins what `each` gives for one or more `numbers`: the first half with the second, each joined in the same way. If
/// values were joined one after another, each would meet all values before it.
pub fn in_halves<T, E>(
    numbers: Range<u32>,
    each: &impl Fn(u32) -> Result<T, E>,
    join: &impl Fn(T, T) -> Result<T, E>,
) -> Result<T, E> {
    if numbers.len() == 1 {
        return each(numbers.start);
    }
    let middle = u32::midpoint(numbers.start, numbers.end);
    let first = in_halves(numbers.start..middle, each, join)?;
    join(first, in_halves(middle..numbers.end, each, join)?)
}

//! How the squares of a row are put together.

use std::ops::Range;

/// What `square` gives for each of some `columns`, joined: the left half with the right half, each put together in the same way. Of one
/// after another, each would join all of those before it.
pub fn in_halves<T, E>(
    columns: Range<u16>,
    square: &impl Fn(u16) -> Result<T, E>,
    join: &impl Fn(T, T) -> Result<T, E>,
) -> Result<T, E> {
    if columns.len() == 1 {
        return square(columns.start);
    }
    let middle = u16::midpoint(columns.start, columns.end);
    let left = in_halves(columns.start..middle, square, join)?;
    join(left, in_halves(middle..columns.end, square, join)?)
}

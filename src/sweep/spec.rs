//! What an operation is to the engine.

use crate::disk::lane::Lane;

/// An operation that builds a diagram top-down from requests: tuples of ids, one per operand.
///
/// A request travels as a record of `N` lanes, the ids of its `N - 1` operands first and the slot of the arc that asks last.
pub trait Spec<const N: usize> {
    /// The value of a request that is decided, `None` for one that must be expanded.
    ///
    /// An undecided request may be rewritten into one with the same value, so that equal requests meet: an operand that no
    /// longer matters becomes a terminal. The slot is left alone.
    fn decide<I: Lane>(&self, request: &mut [I; N]) -> Option<bool>;
}

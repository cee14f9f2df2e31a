//! What an operation is to the engine.

use crate::disk::lane::Lane;

/// An operation that builds a diagram top-down from requests: tuples of ids, one per operand.
///
/// A request travels as a record of `N` lanes, the ids of its `N - 1` operands first and the slot of the arc that asks last.
pub trait Spec<const N: usize>: Sync {
    /// What there is to know of a level where requests do not just become nodes.
    type Rule: Copy;

    /// The value of a request that is decided, `None` for one that must be expanded.
    ///
    /// An undecided request may be rewritten into one with the same value, so that equal requests meet: an operand that no
    /// longer matters becomes a terminal. The slot is left alone.
    fn decide<I: Lane>(&self, request: &mut [I; N]) -> Option<bool>;

    /// The rule of the level of `variable`; asked a few times a level.
    fn rule(&self, _variable: u32) -> Option<Self::Rule> {
        None
    }

    /// The request for what the operation makes of node `id` of its first operand, if it changes nothing above the first level
    /// that has a rule: levels there need not be expanded, for each of their nodes has one request and no other.
    fn request_below<I: Lane>(&self, _id: I, _slot: I) -> Option<[I; N]> {
        None
    }

    /// The operand whose node this undecided request stands for as it is, if there is one; asked below the last level that has a
    /// rule. All that follows from such a request stands for nodes of that operand, too, and the engine copies these instead of
    /// expanding. A nest never sees levels that are copied, so it must cover none below the last one that has a rule.
    fn same_as_operand<I: Lane>(&self, _request: &[I; N]) -> Option<usize> {
        None
    }

    /// Changes the cofactors of a request on a level that has a rule. Answers whether one request, left in `low`, takes the
    /// place of both, so that there is no node.
    fn change<I: Lane>(&self, _rule: Self::Rule, _low: &mut [I; N], _high: &mut [I; N]) -> bool {
        false
    }
}

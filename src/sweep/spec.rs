//! `Spec`: what the sweeps need to know of an operation.

use crate::disk::lane::Lane;

/// An operation that builds a diagram top-down from requests: tuples of ids, one per operand.
///
/// A request travels as a record of `N` lanes: first the ids of its `N - 1` operands, last the slot of the arc that asks. With more
/// than four operands, all but the first must be in RAM.
///
/// On upper levels that have no rule, and where only the first operand has nodes, each of these has exactly one request: with that
/// node for each lane of its operand, and the roots of the others. So the engine need not expand these levels
/// ([`lift`](super::lift)).
pub trait Spec<const N: usize>: Sync {
    /// What is special about a level on which requests do not all become nodes.
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

    /// The operand of which the result of this undecided request is a node, unchanged, if there is one; asked below the last level
    /// that has a rule. The results of all requests below are nodes of that operand, too, so the engine copies these instead of
    /// expanding. A nest never sees levels that are copied, so it must cover none below the last one that has a rule.
    fn same_as_operand<I: Lane>(&self, _request: &[I; N]) -> Option<usize> {
        None
    }

    /// Changes the cofactors of a request on a level that has a rule. Answers whether one request, left in `low`, takes the place
    /// of both: then there is no node, or where many ask for it, one with two equal children, which reduce drops. So a nest that
    /// covers the level must settle such a node as its child.
    fn change<I: Lane>(&self, _rule: Self::Rule, _low: &mut [I; N], _high: &mut [I; N]) -> bool {
        false
    }
}

//! `identity`: the function itself, or its negation; it makes a diagram canonical whose levels are not in order.

use super::spec::Spec;
use crate::{disk::lane::Lane, model::value};

/// A request of `identity`: a node and the slot.
pub type Request<I> = [I; 2];

/// The function itself, or the negation.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Whether the result is the negation.
    pub complement: bool,
    /// Whether the sweep may copy nodes instead of expanding them. Not where the levels are not in order, as a builder's, and not
    /// where a nest must see all levels.
    pub as_is: bool,
}

impl Spec<2> for Identity {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.complement)
    }

    fn same_as_operand<I: Lane>(&self, _: &Request<I>) -> Option<usize> {
        (self.as_is && !self.complement).then_some(0)
    }
}

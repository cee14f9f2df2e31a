//! `negate`: some variables negated, the request being a node.

use crate::{disk::lane::Lane, model::value, sweep::spec::Spec};

/// A request of `negate`: a node and the slot.
pub type Request<I> = [I; 2];

/// The negations of some variables in their places: the two arcs of every node that tests one change places.
#[derive(Clone, Debug)]
pub struct Negate {
    /// In ascending order.
    pub variables: Vec<u32>,
    /// Whether the result is the negation.
    pub complement: bool,
}

impl Spec<2> for Negate {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.complement)
    }

    fn rule(&self, variable: u32) -> Option<()> {
        self.variables.binary_search(&variable).ok().map(|_| ())
    }

    fn request_below<I: Lane>(&self, id: I, slot: I) -> Option<Request<I>> {
        Some([id, slot])
    }

    fn same_as_operand<I: Lane>(&self, _: &Request<I>) -> Option<usize> {
        (!self.complement).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        std::mem::swap(low, high);
        false
    }
}

//! `copy`: the identity, which makes a canonical diagram of one whose levels are not in order.

use crate::{disk::lane::Lane, model::value, sweep::spec::Spec};

/// A request of `copy`: a node and the slot.
pub type Request<I> = [I; 2];

/// The identity, or the negation. It copies no operand as it is: a builder's levels are not in order, and a nest is to see all.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// Whether the result is the negation.
    pub complement: bool,
}

impl Spec<2> for Copy {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.complement)
    }
}

//! `restrict`: some variables take fixed values, the request being a node.

use crate::{
    disk::lane::Lane,
    model::{value, value_in},
    sweep::spec::Spec,
};

/// A request of `restrict`: a node and the slot.
pub type Request<I> = [I; 2];

/// Some variables fixed: where one of them is tested, a request goes on to the child that its value chooses.
#[derive(Clone, Debug)]
pub struct Restrict {
    /// In ascending order of variables.
    pub literals: Vec<(u32, bool)>,
    /// Whether the result is the negation.
    pub complement: bool,
}

impl Spec<2> for Restrict {
    /// The value of the level's variable.
    type Rule = bool;

    fn request_below<I: Lane>(&self, id: I, slot: I) -> Option<Request<I>> {
        Some([id, slot])
    }

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.complement)
    }

    fn rule(&self, variable: u32) -> Option<bool> {
        value_in(&self.literals, variable)
    }

    fn same_as_operand<I: Lane>(&self, _: &Request<I>) -> Option<usize> {
        (!self.complement).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, value: bool, low: &mut Request<I>, high: &mut Request<I>) -> bool {
        *low = if value { *high } else { *low };
        true
    }
}

//! `restrict`: some variables take fixed values or the values of their negations, the request being a node.

use crate::{
    disk::lane::Lane,
    model::{value, value_in},
    sweep::spec::Spec,
};

/// A request of `restrict`: a node and the slot.
pub type Request<I> = [I; 2];

/// What takes the place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// A constant: a request for a node that tests the variable goes on to the child that the value chooses.
    Value(bool),
    /// Its negation: the two arcs of such a node change places.
    Negation,
}

/// Some variables fixed or negated.
#[derive(Clone, Debug)]
pub struct Restrict {
    /// Changes by ascending variable.
    pub changes: Vec<(u32, Instead)>,
    /// Whether the result is the negation.
    pub complement: bool,
}

impl Spec<2> for Restrict {
    type Rule = Instead;

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.complement)
    }

    fn rule(&self, variable: u32) -> Option<Instead> {
        value_in(&self.changes, variable)
    }

    fn same_as_operand<I: Lane>(&self, _: &Request<I>) -> Option<usize> {
        (!self.complement).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, instead: Instead, low: &mut Request<I>, high: &mut Request<I>) -> bool {
        match instead {
            Instead::Value(value) => {
                *low = if value { *high } else { *low };
                true
            }
            Instead::Negation => {
                std::mem::swap(low, high);
                false
            }
        }
    }
}

//! `vector`: functions in the place of many variables at once, the request being a pair of nodes.
//!
//! The second operand is a relation, true where each of these variables has the value of its function. A variable lies below all that
//! its function depends on, so that its value is known where it is tested: one of the relation's two children is false there, and
//! the request goes on with the other.

use crate::{
    disk::lane::Lane,
    model::{FALSE, TRUE, value},
    sweep::spec::Spec,
};

/// A request of `vector`: a node of the diagram, a node of the relation, and the slot.
pub type Request<I> = [I; 3];

/// A function with some variables fixed by a relation, which is true exactly once for each assignment to the others.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The variables that are replaced, in ascending order.
    pub variables: Vec<u32>,
    /// Whether the relation is complemented.
    pub complement: bool,
    /// Whether the result is the negation.
    pub result: bool,
}

impl Spec<3> for Vector {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.result)
    }

    fn rule(&self, variable: u32) -> Option<()> {
        self.variables.binary_search(&variable).ok().map(|_| ())
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        (!self.result && value(request[1].get()).is_some()).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        let falsity = if self.complement { TRUE } else { FALSE };
        debug_assert!((low[1].get() == falsity) != (high[1].get() == falsity), "one value that is known");
        if low[1].get() == falsity {
            (low[0], low[1]) = (high[0], high[1]);
        }
        true
    }
}

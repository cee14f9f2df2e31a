//! `constrain`: a function where another, the care set, is true, the request being a pair of nodes.
//!
//! Where one branch of the care set is empty, the request goes on with the other. If the care set is a relation that is true just
//! once for each assignment to the other variables, this gives variables the values of functions.
//!
//! After: O. Coudert, J. C. Madre, "A Unified Framework for the Formal Verification of Sequential Circuits", 1990.

use crate::{disk::lane::Lane, model::value, sweep::spec::Spec};

/// A request of `constrain`: a node of the function, a node of the care set that is not empty, and the slot.
pub type Request<I> = [I; 3];

/// The generalised cofactor.
#[derive(Clone, Copy)]
pub struct Constrain<'a> {
    /// Whether a branch of the care set may be empty on the level of a variable.
    pub decides: &'a (dyn Fn(u32) -> bool + Sync),
    /// Whether the care set is complemented.
    pub complement: bool,
    /// Whether the result is the negation of the stored function.
    pub result: bool,
}

impl Constrain<'_> {
    fn empty(&self, care: u64) -> bool {
        value(care) == Some(self.complement)
    }
}

impl Spec<3> for Constrain<'_> {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.result)
    }

    fn rule(&self, variable: u32) -> Option<()> {
        (self.decides)(variable).then_some(())
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        (!self.result && value(request[1].get()).is_some()).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        if self.empty(low[1].get()) {
            *low = *high;
            return true;
        }
        self.empty(high[1].get())
    }
}

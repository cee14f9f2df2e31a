//! `constrain`: a function where another is true, the request being a pair of nodes.
//!
//! After: O. Coudert, J. C. Madre, "A Unified Framework for the Formal Verification of Sequential Circuits", 1990.

use crate::{disk::lane::Lane, model::value, sweep::spec::Spec};

/// A request of `constrain`: a node of the function, a node of the care set, and the slot.
pub type Request<I> = [I; 3];

/// The generalised cofactor: where one branch of the care set is empty, the node is replaced by the other branch.
#[derive(Clone, Copy, Debug)]
pub struct Constrain {
    /// Whether the care set is complemented.
    pub complement: bool,
    /// Whether the result is the negation of the stored function.
    pub result: bool,
}

impl Constrain {
    fn empty(self, care: u64) -> bool {
        value(care) == Some(self.complement)
    }
}

impl Spec<3> for Constrain {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        value(request[0].get()).map(|value| value != self.result)
    }

    fn rule(&self, _: u32) -> Option<()> {
        Some(())
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

//! `difference`: where a function changes with one variable, the request being a pair of nodes of one diagram.

use crate::{
    disk::lane::Lane,
    model::{FALSE, TERMINALS, TRUE},
    sweep::spec::Spec,
};

/// A request of `difference`: the node with the variable false, the node with it true, and the slot.
pub type Request<I> = [I; 3];

/// "Exclusive or" of a function's two cofactors by one variable.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// The variable.
    pub variable: u32,
    /// The first id of its level: a node with a smaller id does not depend on it.
    pub first: u64,
    /// Whether the result is the negation.
    pub complement: bool,
}

impl Spec<3> for Difference {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let [a, b] = [request[0].get().max(request[1].get()), request[0].get().min(request[1].get())];
        if a == b && a < self.first {
            return Some(self.complement);
        }
        if a < TERMINALS {
            return Some(((a == TRUE) != (b == TRUE)) != self.complement);
        }
        (request[0], request[1]) = (I::of(a), I::of(b));
        None
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        (!self.complement && request[1].get() == FALSE).then_some(0)
    }

    fn rule(&self, variable: u32) -> Option<()> {
        (self.variable == variable).then_some(())
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        low[1] = high[1];
        true
    }
}

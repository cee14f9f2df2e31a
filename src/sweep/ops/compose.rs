//! `compose`: a function in place of a variable, the request being a triple of nodes.

use crate::{
    disk::lane::Lane,
    model::{FALSE, value},
    sweep::spec::Spec,
};

/// A request of `compose`: the node with the variable true, the node with it false, the node of the function, and the slot. Where
/// the function is known, below the level of the variable, it is true.
pub type Request<I> = [I; 4];

/// If-then-else of a function and the two cofactors of another, which are found on the way down.
#[derive(Clone, Copy, Debug)]
pub struct Compose {
    /// The variable that is replaced.
    pub variable: u32,
    /// The first id of its level: a node with a smaller id does not depend on it.
    pub first: u64,
    /// Whether the function that takes its place is complemented.
    pub complement: bool,
    /// Whether the result is the negation.
    pub result: bool,
}

impl Spec<4> for Compose {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let same = request[0] == request[1] && request[0].get() < self.first;
        let condition = value(request[2].get()).map(|condition| condition != self.complement);
        match condition {
            // Above the level of the variable, and on it, it matters which cofactor a node comes from.
            Some(false) if request[1].get() >= self.first => {
                request[0] = I::of(FALSE);
                return None;
            }
            Some(false) => request[0] = request[1],
            None if !same => return None,
            Some(true) | None => {}
        }
        // The other cofactor no longer matters, nor does the function where both are the same.
        (request[1], request[2]) = (I::of(FALSE), I::of(u64::from(!self.complement)));
        value(request[0].get()).map(|value| value != self.result)
    }

    fn rule(&self, variable: u32) -> Option<()> {
        (self.variable == variable).then_some(())
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        (!self.result && value(request[2].get()).is_some()).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        (low[0], high[1]) = (high[0], low[1]);
        // The function may depend on the variable itself.
        low[2] == high[2]
    }
}

//! `ite`: if-then-else, the request being a triple of nodes.

use crate::{
    disk::lane::Lane,
    model::{FALSE, value},
    sweep::spec::Spec,
};

/// A request of `ite`: the nodes of condition, then and else, and the slot.
pub type Request<I> = [I; 4];

/// If-then-else, with a complement for each operand and for the result.
#[derive(Clone, Copy, Debug)]
pub struct Ite {
    /// Whether condition, then and else are complemented.
    pub complement: [bool; 3],
    /// Whether the result is.
    pub result: bool,
}

impl Spec<4> for Ite {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let [c, t, e] =
            [0, 1, 2].map(|operand| value(request[operand].get()).map(|value| value != self.complement[operand]));
        let value = match (c, t, e) {
            (Some(true), Some(value), _) | (Some(false), _, Some(value)) => Some(value),
            (_, Some(t), Some(e)) if t == e => Some(t),
            _ => None,
        };
        // The branch not taken no longer matters.
        match c {
            Some(true) => request[2] = I::of(FALSE),
            Some(false) => request[1] = I::of(FALSE),
            None => {}
        }
        value.map(|value| value != self.result)
    }
}

//! `apply`: a binary operator, the request being a pair of nodes.
//!
//! After: R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986; L. Arge, "The I/O-Complexity of
//! Ordered Binary-Decision Diagram Manipulation", 1995.

use super::spec::Spec;
use crate::{
    disk::lane::Lane,
    model::{TERMINALS, TRUE, op::BinaryOp},
};

/// A request of `apply`: the node of each operand, and the slot.
pub type Request<I> = [I; 3];

/// A binary operator that depends on both operands.
#[derive(Clone, Copy, Debug)]
pub struct Apply {
    op: BinaryOp,
    /// For false and for true, of each operand the terminal that decides so whatever the other is; `NONE` where none does.
    deciding: [[u64; 2]; 2],
}

/// The id of no node.
const NONE: u64 = u64::MAX;

impl Apply {
    /// The spec of `op`.
    pub fn new(op: BinaryOp) -> Self {
        let operands = [[false, true].map(|a| op.with_first(a)), [false, true].map(|b| op.with_second(b))];
        let deciding =
            |values: u8| operands.map(|left| (0..).zip(left).find(|of| of.1 == values).map_or(NONE, |of| of.0));
        Self { op, deciding: [deciding(0b00), deciding(0b11)] }
    }
}

/// What is left of an operator that gives the value of the other operand.
const SAME: u8 = 0b10;

impl Spec<3> for Apply {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let [a, b] = [request[0].get(), request[1].get()];
        // Which of the two decides, and whether the other is a terminal, is anybody's guess: one branch for either value.
        #[expect(clippy::needless_bitwise_bool, reason = "no branch more")]
        let decides = |[first, second]: [u64; 2]| (a == first) | (b == second);
        if decides(self.deciding[0]) {
            return Some(false);
        }
        if decides(self.deciding[1]) {
            return Some(true);
        }
        (a.max(b) < TERMINALS).then(|| self.op.eval(a == TRUE, b == TRUE))
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        let [a, b] = [request[0].get(), request[1].get()];
        if b < TERMINALS {
            return (self.op.with_second(b == TRUE) == SAME).then_some(0);
        }
        (a < TERMINALS && self.op.with_first(a == TRUE) == SAME).then_some(1)
    }
}

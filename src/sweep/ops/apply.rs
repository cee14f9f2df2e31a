//! `apply`: a binary operator, the request being a pair of nodes.
//!
//! After: R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986; L. Arge, "The I/O-Complexity of
//! Ordered Binary-Decision Diagram Manipulation", 1995.

use crate::{
    disk::lane::Lane,
    model::{TERMINALS, TRUE, op::BinaryOp},
    sweep::spec::Spec,
};

/// A request of `apply`: the node of each operand, and the slot.
pub type Request<I> = [I; 3];

/// A binary operator that depends on both operands.
#[derive(Clone, Copy, Debug)]
pub struct Apply {
    op: BinaryOp,
    /// For each operand the terminal that decides whatever the other operand is, `NONE` if neither does.
    deciding: [u64; 2],
    /// The value that it decides on, the same for both operands.
    decided: bool,
}

/// The id of no node.
const NONE: u64 = u64::MAX;

impl Apply {
    /// The spec of `op`.
    pub fn new(op: BinaryOp) -> Self {
        let operands = [[false, true].map(|a| op.with_first(a)), [false, true].map(|b| op.with_second(b))];
        let decides = |value: bool| {
            let all = if value { 0b11 } else { 0b00 };
            operands.map(|left| (0..).zip(left).find(|of| of.1 == all).map_or(NONE, |of| of.0))
        };
        let decided = decides(true) != [NONE; 2];
        Self { op, deciding: decides(decided), decided }
    }
}

/// The table of an operator with one operand fixed that gives the value of the other.
const SAME: u8 = 0b10;

impl Spec<3> for Apply {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let [a, b] = [request[0].get(), request[1].get()];
        // Which of the two decides, and whether the other is a terminal, cannot be predicted: one branch for both.
        #[expect(clippy::needless_bitwise_bool, reason = "no branch more")]
        if (a == self.deciding[0]) | (b == self.deciding[1]) {
            return Some(self.decided);
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

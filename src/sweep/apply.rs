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
}

impl Apply {
    /// The spec of `op`.
    pub fn new(op: BinaryOp) -> Self {
        Self { op }
    }
}

/// What is left of an operator that gives the value of the other operand.
const SAME: u8 = 0b10;

impl Spec<3> for Apply {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let [a, b] = [request[0].get(), request[1].get()];
        // The operator with its terminal operands filled in: what is left of its truth table, one bit per value of the other.
        let left = match (a < TERMINALS, b < TERMINALS) {
            (false, false) => return None,
            (true, false) => self.op.with_first(a == TRUE),
            (false, true) => self.op.with_second(b == TRUE),
            (true, true) => return Some(self.op.eval(a == TRUE, b == TRUE)),
        };
        match left {
            0b00 => Some(false),
            0b11 => Some(true),
            _ => None,
        }
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

//! The sixteen binary operators.

use std::fmt;

/// A binary Boolean operator, given by its truth table.
///
/// ```
/// use strata_bdd::BinaryOp;
///
/// assert!(BinaryOp::IMP.eval(false, false));
/// assert_eq!(BinaryOp::from_fn(|a, b| a && !b), BinaryOp::DIFF);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BinaryOp {
    /// Bit `2a + b` is the value at `(a, b)`.
    table: u8,
}

impl BinaryOp {
    /// Both.
    pub const AND: Self = Self { table: 0b1000 };
    /// At least one.
    pub const OR: Self = Self { table: 0b1110 };
    /// Exactly one.
    pub const XOR: Self = Self { table: 0b0110 };
    /// Not both.
    pub const NAND: Self = Self { table: 0b0111 };
    /// None.
    pub const NOR: Self = Self { table: 0b0001 };
    /// Both or none (equivalence).
    pub const XNOR: Self = Self { table: 0b1001 };
    /// The first implies the second.
    pub const IMP: Self = Self { table: 0b1011 };
    /// The second implies the first.
    pub const INVIMP: Self = Self { table: 0b1101 };
    /// The first without the second.
    pub const DIFF: Self = Self { table: 0b0100 };
    /// The second without the first (strictly less).
    pub const LESS: Self = Self { table: 0b0010 };

    /// All sixteen, in the order of their truth tables read as numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|table| Self { table })
    }

    /// The operator that computes `value`.
    pub fn from_fn(value: impl Fn(bool, bool) -> bool) -> Self {
        let bit = |at: u8| u8::from(value(at & 2 != 0, at & 1 != 0)) << at;
        Self { table: (0..4).map(bit).sum() }
    }

    /// The value at `(a, b)`.
    #[inline]
    pub fn eval(self, a: bool, b: bool) -> bool {
        self.table >> (2 * u8::from(a) + u8::from(b)) & 1 == 1
    }

    /// Whether the value depends on the first and on the second operand.
    pub fn depends(self) -> [bool; 2] {
        let differs = |a: [bool; 2], b: [bool; 2]| self.eval(a[0], a[1]) != self.eval(b[0], b[1]);
        [false, true]
            .map(|other| [differs([false, other], [true, other]), differs([other, false], [other, true])])
            .into_iter()
            .reduce(|a, b| [a[0] || b[0], a[1] || b[1]])
            .unwrap_or_default()
    }

    /// The values with the first operand fixed: bit `b` is the value at `(a, b)`.
    #[inline(always)]
    pub(crate) fn with_first(self, a: bool) -> u8 {
        self.table >> (2 * u8::from(a)) & 3
    }

    /// The values with the second operand fixed: bit `a` is the value at `(a, b)`.
    #[inline(always)]
    pub(crate) fn with_second(self, b: bool) -> u8 {
        let column = self.table >> u8::from(b);
        column & 1 | column >> 1 & 2
    }
}

impl fmt::Debug for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BinaryOp({:04b})", self.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_operators_are_what_their_names_say() {
        type Value = fn(bool, bool) -> bool;
        let named: [(BinaryOp, Value); 10] = [
            (BinaryOp::AND, |a, b| a && b),
            (BinaryOp::OR, |a, b| a || b),
            (BinaryOp::XOR, |a, b| a != b),
            (BinaryOp::NAND, |a, b| !(a && b)),
            (BinaryOp::NOR, |a, b| !(a || b)),
            (BinaryOp::XNOR, |a, b| a == b),
            (BinaryOp::IMP, |a, b| !a || b),
            (BinaryOp::INVIMP, |a, b| a || !b),
            (BinaryOp::DIFF, |a, b| a && !b),
            (BinaryOp::LESS, |a, b| !a && b),
        ];
        for (op, value) in named {
            assert_eq!(op, BinaryOp::from_fn(value));
            assert_eq!(op.depends(), [true, true]);
        }
        assert_eq!(BinaryOp::from_fn(|a, _| a).depends(), [true, false]);
        assert_eq!(BinaryOp::from_fn(|_, b| !b).depends(), [false, true]);
        assert_eq!(BinaryOp::all().filter(|op| op.depends() == [true, true]).count(), 10);
    }

    #[test]
    fn rows_and_columns_agree_with_the_table() {
        for op in BinaryOp::all() {
            for a in [false, true] {
                for b in [false, true] {
                    assert_eq!(op.with_first(a) >> u8::from(b) & 1 == 1, op.eval(a, b));
                    assert_eq!(op.with_second(b) >> u8::from(a) & 1 == 1, op.eval(a, b));
                }
            }
        }
    }
}

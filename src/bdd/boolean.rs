//! The Boolean operators: apply, if-then-else, and the operators of the language.

use std::{
    ops::{BitAnd, BitOr, BitXor, Not},
    sync::Arc,
};

use super::Bdd;
use crate::{
    error::Result,
    model::op::BinaryOp,
    sweep::{apply::Apply, build::build, ite::Ite},
};

impl Bdd {
    /// `op` of this function and `other`.
    ///
    /// One expand and one reduce sweep: O(sort(r)) transfers, nothing beyond the budget. Constant time when `op` ignores an
    /// operand, an operand is constant, or both are the same function or each other's negation.
    ///
    /// # Errors
    /// [`Error::DifferentStores`](crate::Error::DifferentStores), and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{BinaryOp, Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(x.apply(BinaryOp::IMP, &y)?, (!&x).or(&y)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn apply(&self, op: BinaryOp, other: &Self) -> Result<Self> {
        self.same_store(other)?;
        let value = |a: bool, b: bool| op.eval(a != self.complement, b != other.complement);
        // The stored functions are both false on the path of low arcs, so this is the result's value there.
        let complement = value(false, false);
        if self.is_constant() || other.is_constant() || self.file.hash() == other.file.hash() {
            let (file, at_one) = match (self.is_constant(), other.is_constant()) {
                (true, _) => (&other.file, value(false, true)),
                (_, true) => (&self.file, value(true, false)),
                _ => (&self.file, value(true, true)),
            };
            return Ok(self.of_file(file, complement, at_one));
        }
        match op.depends() {
            [true, true] => {}
            [true, false] => return Ok(self.of_file(&self.file, complement, value(true, false))),
            [false, true] => return Ok(self.of_file(&other.file, complement, value(false, true))),
            [false, false] => return Ok(self.store.constant(complement)),
        }
        // The larger operand is read in order, the smaller at random.
        let (first, second, swapped) = if self.file.node_count() < other.file.node_count() {
            (&other.file, &self.file, true)
        } else {
            (&self.file, &other.file, false)
        };
        let stored = BinaryOp::from_fn(|a, b| complement != if swapped { value(b, a) } else { value(a, b) });
        let file = self.store.run("apply", |run| build(&Apply::new(stored), &[first, second], run))?;
        Ok(Self::new(self.store.clone(), Arc::new(file), complement))
    }

    /// Conjunction; see [`Bdd::apply`].
    pub fn and(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::AND, other)
    }

    /// Disjunction; see [`Bdd::apply`].
    pub fn or(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::OR, other)
    }

    /// Exclusive disjunction; see [`Bdd::apply`].
    pub fn xor(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::XOR, other)
    }

    /// Negated conjunction; see [`Bdd::apply`].
    pub fn nand(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::NAND, other)
    }

    /// Negated disjunction; see [`Bdd::apply`].
    pub fn nor(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::NOR, other)
    }

    /// Equivalence; see [`Bdd::apply`].
    pub fn xnor(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::XNOR, other)
    }

    /// Implication; see [`Bdd::apply`].
    pub fn imp(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::IMP, other)
    }

    /// This function without `other`; see [`Bdd::apply`].
    pub fn diff(&self, other: &Self) -> Result<Self> {
        self.apply(BinaryOp::DIFF, other)
    }

    /// Negation, in constant time.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self::new(self.store.clone(), self.file.clone(), !self.complement)
    }

    /// `then` where this function is true, `otherwise` where it is false.
    ///
    /// One expand and one reduce sweep over triples of nodes; falls back to [`Bdd::apply`] or less where operands agree.
    ///
    /// # Errors
    /// [`Error::DifferentStores`](crate::Error::DifferentStores), and those of the disk and the budget.
    pub fn ite(&self, then: &Self, otherwise: &Self) -> Result<Self> {
        self.same_store(then)?;
        self.same_store(otherwise)?;
        match self.as_constant() {
            Some(true) => return Ok(then.clone()),
            Some(false) => return Ok(otherwise.clone()),
            None if then == otherwise => return Ok(then.clone()),
            None => {}
        }
        match (self.fixes(then, true), self.fixes(otherwise, false)) {
            (Some(true), _) => return self.or(otherwise),
            (Some(false), _) => return self.apply(BinaryOp::LESS, otherwise),
            (_, Some(true)) => return self.imp(then),
            (_, Some(false)) => return self.and(then),
            (None, None) => {}
        }
        let complement = [self.complement, then.complement, otherwise.complement];
        let result = if self.complement { then.complement } else { otherwise.complement };
        let spec = Ite { complement, result };
        let file = self.store.run("ite", |run| build(&spec, &[&self.file, &then.file, &otherwise.file], run))?;
        Ok(Self::new(self.store.clone(), Arc::new(file), result))
    }

    /// The value of `branch` wherever this function has `value`, if that is plain to see.
    fn fixes(&self, branch: &Self, value: bool) -> Option<bool> {
        let same = self.file.hash() == branch.file.hash();
        branch.as_constant().or(same.then_some(value == (self.complement == branch.complement)))
    }
}

impl BitAnd for &Bdd {
    type Output = Result<Bdd>;

    fn bitand(self, other: Self) -> Self::Output {
        self.and(other)
    }
}

impl BitOr for &Bdd {
    type Output = Result<Bdd>;

    fn bitor(self, other: Self) -> Self::Output {
        self.or(other)
    }
}

impl BitXor for &Bdd {
    type Output = Result<Bdd>;

    fn bitxor(self, other: Self) -> Self::Output {
        self.xor(other)
    }
}

impl Not for &Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        self.negated()
    }
}

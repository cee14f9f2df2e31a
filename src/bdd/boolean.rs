//! The Boolean operators: apply, if-then-else, and the operators of the language.

use std::ops::{BitAnd, BitOr, BitXor, ControlFlow, Not};

use super::{Bdd, unlimited};
use crate::{
    error::Result,
    model::op::BinaryOp,
    sweep::{
        build::{build, build_within},
        ops::{apply::Apply, ite::Ite},
    },
};

impl Bdd {
    /// `op` of this function and `other`.
    ///
    /// One expand and one reduce sweep: O(sort(r)) transfers, nothing beyond the budget. It takes less where only the larger
    /// operand has nodes above some level, or only one of them below some level, and there is room: as for
    /// [`restrict`](Self::restrict), these levels are only reduced, or copied. Constant time when `op` ignores an operand, an
    /// operand is constant, or both are the same function or each other's negation.
    ///
    /// Operands are kept. The operators `f & g`, `f | g` and `f ^ g` on handles give them away, which takes less room unless
    /// another operation runs beside, or most nodes are on levels that are only reduced; write `f & !g` for [`diff`](Self::diff)
    /// and `!f | g` for [`imp`](Self::imp).
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
        self.apply_within(op, other, u64::MAX).map(unlimited)
    }

    /// [`apply`](Self::apply); `None` as soon as it turns out to take more than `most` nodes before they are reduced: the result
    /// has no more, unless it is known without a sweep, as where an operand is constant. To join what may be joined in any order,
    /// for example, while nothing gets too large.
    ///
    /// Costs no more than [`apply`](Self::apply), and where it is given up no more than the expand sweep so far.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    ///
    /// ```
    /// # use strata_bdd::{BinaryOp, Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (few, many) = (store.at_most(10, 0..100)?, store.at_least(5, 0..100)?);
    /// let both = few.apply_within(BinaryOp::AND, &many, 2000)?.expect("so many are enough");
    /// assert_eq!(both, few.and(&many)?);
    /// assert_eq!(few.apply_within(BinaryOp::AND, &many, 100)?, None);
    /// assert_eq!(few.apply_within(BinaryOp::AND, &few, 100)?, Some(few));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn apply_within(&self, op: BinaryOp, other: &Self, most: u64) -> Result<Option<Self>> {
        let plan = match self.plan(op, other)? {
            ControlFlow::Break(known) => return Ok(Some(known)),
            ControlFlow::Continue(plan) => plan,
        };
        let operands = plan.ordered([&self.file, &other.file]);
        self.made_within("apply", &[other], plan.complement, |run| build_within(&plan.spec, &operands, most, run))
    }

    /// `op` of this function and `other`, which are given away: each is freed as soon as it has been read, unless another handle
    /// holds it.
    pub(super) fn apply_to(self, op: BinaryOp, other: Self) -> Result<Self> {
        let plan = match self.plan(op, &other)? {
            ControlFlow::Break(known) => return Ok(known),
            ControlFlow::Continue(plan) => plan,
        };
        let nodes = self.node_count() + other.node_count();
        let (store, mut operands) = (self.store, Vec::from(plan.ordered([self.file, other.file])));
        let file = store.run_beside("apply", nodes, |run| build(&plan.spec, &mut operands, run))?;
        Ok(Self::new(store, file, plan.complement))
    }

    /// The plan for applying `op`, or the result where no sweep is needed.
    fn plan(&self, op: BinaryOp, other: &Self) -> Result<ControlFlow<Self, Plan>> {
        self.same_store(other)?;
        let value = |a: bool, b: bool| op.eval(a != self.complement, b != other.complement);
        // The stored functions are both false on the path of low arcs, so this is the result's value there.
        let complement = value(false, false);
        if self.is_trivial_with(other) {
            let (file, at_one) = match (self.is_constant(), other.is_constant()) {
                (true, _) => (&other.file, value(false, true)),
                (_, true) => (&self.file, value(true, false)),
                _ => (&self.file, value(true, true)),
            };
            return Ok(ControlFlow::Break(self.of_file(file, complement, at_one)));
        }
        Ok(ControlFlow::Break(match op.depends() {
            [true, true] => {
                // The larger operand is read in order, the smaller at random.
                let swapped = self.file.node_count() < other.file.node_count();
                let stored = |a, b| complement != if swapped { value(b, a) } else { value(a, b) };
                let spec = Apply::new(BinaryOp::from_fn(stored));
                return Ok(ControlFlow::Continue(Plan { spec, swapped, complement }));
            }
            [true, false] => self.of_file(&self.file, complement, value(true, false)),
            [false, true] => self.of_file(&other.file, complement, value(false, true)),
            [false, false] => self.store.constant(complement),
        }))
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

    /// The diagram of the implication; see [`Bdd::apply`]. To ask whether it is true everywhere, [`Bdd::implies`] is cheaper.
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
        let operands = [&self.file, &then.file, &otherwise.file];
        self.made("ite", &[then, otherwise], result, |run| build(&spec, &operands, run))
    }

    /// The value of `branch` wherever this function has `value`, if that is known without a sweep.
    fn fixes(&self, branch: &Self, value: bool) -> Option<bool> {
        let same = self.file.hash() == branch.file.hash();
        branch.as_constant().or(same.then_some(value == (self.complement == branch.complement)))
    }
}

/// How to apply an operator.
struct Plan {
    spec: Apply,
    /// Whether the second operand comes first.
    swapped: bool,
    /// Whether the result is the negation of the diagram.
    complement: bool,
}

impl Plan {
    /// The operands in the order of the sweep.
    fn ordered<T>(&self, [a, b]: [T; 2]) -> [T; 2] {
        if self.swapped { [b, a] } else { [a, b] }
    }
}

/// An operator of the language: on references, which keep the operands, and on handles, which give them away.
macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl $trait for &Bdd {
            type Output = Result<Bdd>;

            fn $method(self, other: Self) -> Self::Output {
                self.apply(BinaryOp::$op, other)
            }
        }

        impl $trait for Bdd {
            type Output = Result<Bdd>;

            /// Each operand is freed as soon as it has been read, even if the operation then fails, unless another handle holds it.
            fn $method(self, other: Self) -> Self::Output {
                self.apply_to(BinaryOp::$op, other)
            }
        }

        impl $trait<Bdd> for &Bdd {
            type Output = Result<Bdd>;

            /// The second operand is freed as soon as it has been read, even if the operation then fails, unless another handle
            /// holds it.
            fn $method(self, other: Bdd) -> Self::Output {
                self.clone().apply_to(BinaryOp::$op, other)
            }
        }

        impl $trait<&Bdd> for Bdd {
            type Output = Result<Bdd>;

            /// The first operand is freed as soon as it has been read, even if the operation then fails, unless another handle
            /// holds it.
            fn $method(self, other: &Bdd) -> Self::Output {
                self.apply_to(BinaryOp::$op, other.clone())
            }
        }
    };
}

operator!(BitAnd, bitand, AND);
operator!(BitOr, bitor, OR);
operator!(BitXor, bitxor, XOR);

impl Not for &Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        self.negated()
    }
}

impl Not for Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        Self { complement: !self.complement, ..self }
    }
}

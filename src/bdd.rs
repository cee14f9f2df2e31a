//! `Bdd`: the handle users hold.

use std::{
    fmt,
    ops::{BitAnd, BitOr, BitXor, Not},
    sync::Arc,
};

use num_bigint::BigUint;

use crate::{
    error::{Error, Result},
    file::node_file::NodeFile,
    model::{LARGEST_VARIABLE, op::BinaryOp},
    store::Store,
    sweep::{
        apply::Apply,
        build::build,
        fold::{Count, count},
        ite::Ite,
    },
};

/// A Boolean function as a reduced ordered binary decision diagram.
///
/// A handle: cloning is cheap, and when the last handle of a diagram is dropped its memory and its disk are free at once.
/// Two diagrams of one function are the same bytes, so `==` takes constant time; it compares a 128-bit hash of those bytes,
/// and diagrams of different stores can be compared too.
///
/// Costs are given in nodes of the operands (`f`, `g`) and requests (`r`, pairs of nodes that meet, at most `f · g`).
#[derive(Clone)]
pub struct Bdd {
    store: Store,
    file: Arc<NodeFile>,
    /// Whether the function is the negation of what the file holds.
    complement: bool,
}

impl Store {
    /// The constant `value`.
    pub fn constant(&self, value: bool) -> Bdd {
        Bdd::new(self.clone(), self.empty(), value)
    }
}

impl Bdd {
    pub(crate) fn new(store: Store, file: Arc<NodeFile>, complement: bool) -> Self {
        Self { store, file, complement }
    }

    /// The store this diagram lives in.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// `op` of this function and `other`.
    ///
    /// One expand and one reduce sweep: O(sort(r)) transfers, nothing beyond the budget. Constant time when `op` ignores an
    /// operand, an operand is constant, or both are the same function or each other's negation.
    ///
    /// # Errors
    /// [`Error::DifferentStores`], and those of the disk and the budget.
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
        let file = self.store.run(|run| build(&Apply::new(stored), &[first, second], run))?;
        Ok(Self::new(self.store.clone(), Arc::new(file), complement))
    }

    /// The function that is `at_zero` where `file`'s is false and `at_one` where it is true.
    fn of_file(&self, file: &Arc<NodeFile>, at_zero: bool, at_one: bool) -> Self {
        if at_zero == at_one {
            return self.store.constant(at_zero);
        }
        Self::new(self.store.clone(), file.clone(), at_zero)
    }

    fn same_store(&self, other: &Self) -> Result<()> {
        if self.store.is(&other.store) { Ok(()) } else { Err(Error::DifferentStores) }
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
    /// [`Error::DifferentStores`], and those of the disk and the budget.
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
        let file = self.store.run(|run| build(&spec, &[&self.file, &then.file, &otherwise.file], run))?;
        Ok(Self::new(self.store.clone(), Arc::new(file), result))
    }

    /// The value of `branch` wherever this function has `value`, if that is plain to see.
    fn fixes(&self, branch: &Self, value: bool) -> Option<bool> {
        let same = self.file.hash() == branch.file.hash();
        branch.as_constant().or(same.then_some(value == (self.complement == branch.complement)))
    }

    /// Whether this is a constant.
    pub fn is_constant(&self) -> bool {
        self.file.node_count() == 0
    }

    /// The value of a constant, `None` for every other function.
    pub fn as_constant(&self) -> Option<bool> {
        self.is_constant().then_some(self.complement)
    }

    /// Inner nodes, terminals not counted; 0 for a constant. Constant time.
    pub fn node_count(&self) -> u64 {
        self.file.node_count()
    }

    /// The variables the function depends on, in ascending order. O(levels).
    pub fn support(&self) -> Vec<u32> {
        self.file.levels().variables().iter().rev().copied().collect()
    }

    /// Nodes on the widest level.
    pub fn width(&self) -> u64 {
        let levels = self.file.levels();
        let widths = (1..levels.ranks()).map(|rank| levels.range(rank).1 - levels.range(rank).0);
        widths.max().unwrap_or(0)
    }

    /// A hash of the diagram's bytes and complement: the same for the same function under every budget, in every store and
    /// in every run of this version.
    pub fn content_hash(&self) -> u128 {
        self.file.hash() ^ u128::from(self.complement)
    }

    /// Bytes of this diagram on disk; 0 while it lives in RAM.
    pub fn disk_bytes(&self) -> u64 {
        self.file.disk_bytes()
    }

    /// The number of assignments to `variables` variables for which the function is true, exactly.
    ///
    /// The variables the function depends on must be among them, whatever their numbers; each of the others doubles the
    /// count. One top-down sweep: O(sort(f)) transfers while counts fit 64 bits, once more for every 244 levels otherwise.
    ///
    /// # Errors
    /// [`Error::TooFewVariables`] when the function depends on more, [`Error::VariableOutOfRange`] beyond 2^24 of them, and
    /// those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// assert_eq!(store.variable(0)?.sat_count(40)?, (1u64 << 39).into());
    /// assert_eq!(store.constant(false).sat_count(0)?, 0u8.into());
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_count(&self, variables: u32) -> Result<BigUint> {
        let support = self.file.levels().variables().len() as u64;
        if u64::from(variables) < support {
            return Err(Error::TooFewVariables { given: variables.into(), support });
        }
        if variables > LARGEST_VARIABLE + 1 {
            return Err(Error::VariableOutOfRange { variable: variables - 1, largest: LARGEST_VARIABLE });
        }
        let over_support = self.store.run(|run| count(&self.file, Count::Assignments, !self.complement, run))?;
        Ok(over_support << (u64::from(variables) - support))
    }

    /// The number of paths from the root to true, exactly. The constant true has one, the empty path.
    ///
    /// One top-down sweep, like [`Bdd::sat_count`].
    ///
    /// # Errors
    /// Those of the disk and the budget.
    pub fn path_count(&self) -> Result<BigUint> {
        self.store.run(|run| count(&self.file, Count::Paths, !self.complement, run))
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Self) -> bool {
        self.complement == other.complement && self.file.hash() == other.file.hash()
    }
}

impl Eq for Bdd {}

impl std::hash::Hash for Bdd {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.file.hash(), self.complement).hash(state);
    }
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bdd")
            .field("nodes", &self.node_count())
            .field("complement", &self.complement)
            .field("hash", &format_args!("{:032x}", self.file.hash()))
            .finish_non_exhaustive()
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

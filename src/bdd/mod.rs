//! `Bdd`: the handle users hold.

mod boolean;
mod compare;
mod compose;
mod compose_all;
mod count;
mod cubes;
mod domain;
mod keep;
mod many;
mod moves;
mod nodes;
mod optimum;
mod quantify;
mod relation;
mod rename;
mod restrict;
mod rounds;
mod sample;
mod satisfy;
mod simplify;
mod spacing;
mod text;
mod vector;
mod ways;
mod weighted;

pub use cubes::Cubes;
pub use many::Operand;
pub use nodes::{Node, Nodes};
pub use optimum::Weight;

use std::fmt;

use crate::{
    disk::charge::Charge,
    error::{Error, Result},
    file::node_file::NodeFile,
    model::check_variable,
    store::{Store, Wide},
    sweep::run::Run,
};

/// Bytes that a variable takes in the lists of a renaming or a composition, beside what sweeps need.
const VARIABLE_BYTES: usize = 160;

/// The room of lists, as long as they are there.
type Lists<'a> = (Charge, Wide<'a>);

/// A Boolean function as a reduced ordered binary decision diagram.
///
/// A handle: cloning is cheap. When the last handle of a diagram is dropped, its memory and disk space are free at once for the
/// store to use again; TUNING.md says what the system gets back. Diagrams of equal functions have the same bytes, so `==` takes
/// constant time: it compares a 128-bit hash of those bytes (XXH3), and so does whatever ends early on equal operands. Two
/// different functions have the same hash by chance once in 2^128. The hash is not made to resist a search for two such functions:
/// where somebody might look for them on purpose, do not take `==` for a proof. Diagrams of different stores can be compared too.
///
/// Beside the errors that it names, whatever sweeps answers [`Error::Stopped`] when the progress callback says so, and
/// [`Error::InsideCallback`] when it is called from there.
///
/// Costs are given in nodes of the operands (`f`, `g`) and requests (`r`, pairs of nodes that meet, at most `f · g`). A transfer
/// reads or writes one block of 32 to 128 KiB on disk. sort(n) is the number of transfers that it takes to sort n records: each
/// record is written and read once or twice, or never while all fit the budget.
#[derive(Clone)]
pub struct Bdd {
    store: Store,
    pub(crate) file: NodeFile,
    /// Whether the function is the negation of what the file holds.
    complement: bool,
}

impl Store {
    /// The constant `value`.
    pub fn constant(&self, value: bool) -> Bdd {
        Bdd::new(self.clone(), NodeFile::empty(), value)
    }

    /// The function whose value is that of `variable`. Constant time; all variables share one node, so each takes no more memory
    /// than its handle.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`] beyond 2^24 − 1.
    pub fn variable(&self, variable: u32) -> Result<Bdd> {
        check_variable(variable)?;
        Ok(Bdd::new(self.clone(), NodeFile::of_variable(variable), false))
    }

    /// The function that is true where `variable` has the value `value`.
    ///
    /// # Errors
    /// Those of [`variable`](Self::variable).
    pub fn literal(&self, variable: u32, value: bool) -> Result<Bdd> {
        let variable = self.variable(variable)?;
        Ok(if value { variable } else { variable.negated() })
    }
}

impl Bdd {
    pub(crate) fn new(store: Store, file: NodeFile, complement: bool) -> Self {
        Self { store, file, complement }
    }

    /// The store this diagram lives in.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The function that is `at_zero` where `file`'s is false and `at_one` where it is true.
    fn of_file(&self, file: &NodeFile, at_zero: bool, at_one: bool) -> Self {
        if at_zero == at_one {
            return self.store.constant(at_zero);
        }
        Self::new(self.store.clone(), file.clone(), at_zero)
    }

    /// Runs `operation` on this function and `others`; returns the function whose diagram it makes, or the negation if
    /// `complement`.
    fn made(
        &self,
        name: &'static str,
        others: &[&Self],
        complement: bool,
        mut operation: impl FnMut(&mut Run<'_>) -> Result<NodeFile>,
    ) -> Result<Self> {
        self.made_within(name, others, complement, |run| operation(run).map(Some)).map(unlimited)
    }

    /// The same with an operation that may be given up.
    fn made_within(
        &self,
        name: &'static str,
        others: &[&Self],
        complement: bool,
        operation: impl FnMut(&mut Run<'_>) -> Result<Option<NodeFile>>,
    ) -> Result<Option<Self>> {
        let nodes = self.node_count() + others.iter().map(|other| other.node_count()).sum::<u64>();
        let file = self.store.run_beside(name, nodes, operation)?;
        Ok(file.map(|file| Self::new(self.store.clone(), file, complement)))
    }

    /// Charges lists of `bytes` bytes while operations run; `what` names them in the error. Where they are long, this waits until
    /// no other thread is in a call that takes much of the tables.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] when there is no room for them, and those of [`Store::wide`].
    fn charge_lists(&self, bytes: usize, what: &'static str) -> Result<Lists<'_>> {
        let wide = self.store.wide(bytes)?;
        Ok((self.store.space().pool.charge(bytes, what)?, wide))
    }

    fn same_store(&self, other: &Self) -> Result<()> {
        if self.store.is(&other.store) { Ok(()) } else { Err(Error::DifferentStores) }
    }

    /// Whether every operator on this function and `other` is known without a sweep: one of them is constant, or both are the same
    /// or each other's negation.
    fn is_trivial_with(&self, other: &Self) -> bool {
        self.is_constant() || other.is_constant() || self.file.hash() == other.file.hash()
    }

    /// This function and `other`, the larger first, since a sweep reads its first operand in order.
    fn larger_first<'a>(&'a self, other: &'a Self) -> [&'a Self; 2] {
        if self.node_count() < other.node_count() { [other, self] } else { [self, other] }
    }

    /// Whether this is a constant.
    pub fn is_constant(&self) -> bool {
        self.file.node_count() == 0
    }

    /// The value of a constant, `None` for every other function.
    pub fn as_constant(&self) -> Option<bool> {
        self.is_constant().then_some(self.complement)
    }

    /// Whether the function is false everywhere. Constant time.
    pub fn is_false(&self) -> bool {
        self.as_constant() == Some(false)
    }

    /// Whether the function is true everywhere. Constant time.
    pub fn is_true(&self) -> bool {
        self.as_constant() == Some(true)
    }

    /// The variable that this function is, if it is one.
    fn variable(&self) -> Option<u32> {
        self.literal_of().filter(|_| !self.complement)
    }

    /// The variable that this function or its negation is, if one of them is.
    fn literal_of(&self) -> Option<u32> {
        self.top_variable().filter(|_| self.node_count() == 1)
    }

    /// Inner nodes, terminals not counted; 0 for a constant. Constant time.
    pub fn node_count(&self) -> u64 {
        self.file.node_count()
    }

    /// The variables the function depends on, in ascending order. O(levels).
    pub fn support(&self) -> Vec<u32> {
        self.file.variables().rev().collect()
    }

    /// The smallest variable the function depends on, the one its root tests; `None` for a constant. Constant time.
    pub fn top_variable(&self) -> Option<u32> {
        self.file.variables().next_back()
    }

    /// Nodes on the widest level; 0 for a constant. O(levels), without a sweep.
    pub fn width(&self) -> u64 {
        self.widths().map(|(_, width)| width).max().unwrap_or(0)
    }

    /// The variables the function depends on, in ascending order, each with the number of nodes that test it. O(levels), without a
    /// sweep.
    pub fn level_widths(&self) -> Vec<(u32, u64)> {
        self.widths().collect()
    }

    fn widths(&self) -> impl Iterator<Item = (u32, u64)> {
        let (file, levels) = (&self.file, self.file.levels());
        (1..levels.ranks()).rev().map(|rank| (file.variable(rank), levels.width(rank)))
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
}

/// What an operation has made that is given up only beyond a limit, and had none.
fn unlimited<T>(made: Option<T>) -> T {
    made.expect("an operation without a limit is not given up")
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

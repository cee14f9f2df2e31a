//! `OxiDD`.

use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef, Subst,
    bdd::{BDDFunction, BDDManagerRef, new_manager},
    util::{AllocResult, OptBool},
};

use crate::{
    Failure,
    operations::{model::Package, queens::Board},
    peers::oxidd::count,
};

/// The nodes that the store of a search holds: more than any search makes, so that no garbage collection costs time.
const STORE: usize = 1 << 24;

impl Board for BDDFunction {
    fn restrict(&self, literals: &[(u16, bool)]) -> Result<Self, Failure> {
        let cube = self.with_manager_shared(|manager, _| {
            // From the last literal up, so that each makes one node.
            literals.iter().rev().try_fold(Self::t(manager), |cube, &(variable, value)| {
                literal(manager, variable.into(), value)?.and(&cube)
            })
        });
        room(BooleanFunction::restrict(self, &room(cube)?))
    }

    fn exists(&self, variable: u16) -> Result<Self, Failure> {
        let variable = self.with_manager_shared(|manager, _| Self::var(manager, variable.into()));
        room(BooleanFunctionQuant::exists(self, &room(variable)?))
    }

    fn count(&self, variables: u16) -> Result<f64, Failure> {
        Ok(count(self, variables.into()))
    }

    fn solutions(&self, n: u16, columns: u16) -> Result<f64, Failure> {
        // Each variable that is fixed doubles the count.
        Ok(count(self, u32::from(n * n)) / f64::exp2((n * columns).into()))
    }

    fn first(&self) -> Result<usize, Failure> {
        let cube = self.pick_cube(|_, _, _| false).unwrap_or_default();
        Ok(cube.into_iter().filter(|value| *value == OptBool::True).count())
    }

    fn inner_nodes(&self) -> u64 {
        self.node_count() as u64 - 2
    }
}

/// The function that is true where `variable` has this value.
fn literal(manager: &<BDDFunction as Function>::Manager<'_>, variable: u32, value: bool) -> AllocResult<BDDFunction> {
    if value { BDDFunction::var(manager, variable) } else { BDDFunction::not_var(manager, variable) }
}

/// The result in `made`, if there was room for it.
pub fn room<T>(made: AllocResult<T>) -> Result<T, Failure> {
    made.map_err(|_| "the node store is full".into())
}

/// `board` with "this square or the next, not both" in place of every square but the last.
pub fn compose_neighbours(board: &BDDFunction, squares: u16) -> Result<BDDFunction, Failure> {
    let last = u32::from(squares) - 1;
    let functions = board.with_manager_shared(|manager, _| {
        let square = |variable| BDDFunction::var(manager, variable);
        (0..last).map(|at| square(at)?.xor(&square(at + 1)?)).collect::<AllocResult<Vec<_>>>()
    });
    room(board.substitute(&Subst::new((0..last).collect::<Vec<_>>(), room(functions)?)))
}

/// A store, and sets of states in it.
pub struct Oxidd {
    manager: BDDManagerRef,
}

impl Oxidd {
    /// A store for states of `bits` bits, whose cache has `cache` entries.
    pub fn new(bits: u32, cache: usize) -> Self {
        let manager = new_manager(STORE, cache, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(2 * bits));
        Self { manager }
    }
}

/// A relation that is ready to take steps.
pub struct Ready {
    relation: BDDFunction,
    /// The conjunction of the current variables of the bits that are written.
    current: BDDFunction,
    /// Current variables in place of next ones: a single substitution, whose cached results serve every step.
    renaming: Subst<BDDFunction, Vec<u32>, Vec<BDDFunction>>,
}

impl Package for Oxidd {
    type Set = BDDFunction;
    type Ready = Ready;

    fn literal(&self, variable: u32, value: bool) -> Result<BDDFunction, Failure> {
        room(self.manager.with_manager_shared(|manager| literal(manager, variable, value)))
    }

    fn constant(&self, value: bool) -> BDDFunction {
        self.manager
            .with_manager_shared(|manager| if value { BDDFunction::t(manager) } else { BDDFunction::f(manager) })
    }

    fn and(&self, a: &BDDFunction, b: &BDDFunction) -> Result<BDDFunction, Failure> {
        room(a.and(b))
    }

    fn or(&self, a: &BDDFunction, b: &BDDFunction) -> Result<BDDFunction, Failure> {
        room(a.or(b))
    }

    fn without(&self, a: &BDDFunction, b: &BDDFunction) -> Result<BDDFunction, Failure> {
        room(b.imp_strict(a))
    }

    fn equal(&self, a: &BDDFunction, b: &BDDFunction) -> Result<BDDFunction, Failure> {
        room(a.equiv(b))
    }

    fn ready(&self, relation: BDDFunction, written: impl Iterator<Item = u32>) -> Result<Ready, Failure> {
        let written: Vec<u32> = written.collect();
        let current = |bit: &u32| self.literal(2 * bit, true);
        let variables = written.iter().map(current).collect::<Result<Vec<_>, _>>()?;
        let all = self.constant(true);
        let current = room(variables.iter().rev().try_fold(all, |all, variable| variable.and(&all)))?;
        let renaming = Subst::new(written.iter().map(|bit| 2 * bit + 1).collect(), variables);
        Ok(Ready { relation, current, renaming })
    }

    fn successors(&self, states: &BDDFunction, step: &Ready) -> Result<BDDFunction, Failure> {
        let next = room(states.apply_exists(BooleanOperator::And, &step.relation, &step.current))?;
        room(next.substitute(&step.renaming))
    }

    fn is_empty(&self, set: &BDDFunction) -> bool {
        !set.satisfiable()
    }

    fn states(&self, set: &BDDFunction, bits: u32) -> Result<f64, Failure> {
        // Each next variable doubles the count.
        Ok(count(set, 2 * bits) / f64::exp2(bits.into()))
    }
}

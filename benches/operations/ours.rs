//! This library.

use strata_bdd::{Bdd, Config, Store, VariablePairs};

use crate::{
    Failure,
    halves::in_halves,
    operations::{model::Package, queens::Board},
    peers::literals::literals,
};

/// A store with the budget `memory`, in bytes.
pub fn store(memory: usize) -> Result<Store, Failure> {
    Ok(Store::new(Config { memory, ..Config::default() })?)
}

/// The placements in the first `rows` rows of a board of `n`; `row_done` is told the nodes after each row.
pub fn board(n: u16, rows: u16, store: &Store, mut row_done: impl FnMut(u64)) -> Result<Bdd, Failure> {
    let mut board = store.constant(true);
    let square = |i, j| store.cube(literals(n, i, j).map(|(variable, value)| (variable.into(), value)));
    for i in 0..rows {
        board = board.and(&in_halves(0..n.into(), &|j| square(i, j as u16), &|left: Bdd, right| left.or(&right))?)?;
        row_done(board.node_count());
    }
    Ok(board)
}

impl Board for Bdd {
    fn restrict(&self, literals: &[(u16, bool)]) -> Result<Self, Failure> {
        Ok(self.restrict(literals.iter().map(|&(variable, value)| (variable.into(), value)))?)
    }

    fn exists(&self, variable: u16) -> Result<Self, Failure> {
        Ok(self.exists([variable.into()])?)
    }

    fn count(&self, variables: u16) -> Result<f64, Failure> {
        Ok(self.sat_count(variables.into())?.to_string().parse()?)
    }

    fn solutions(&self, _: u16, _: u16) -> Result<f64, Failure> {
        Ok(self.path_count()?.to_string().parse()?)
    }

    fn first(&self) -> Result<usize, Failure> {
        Ok(self.cube_min()?.unwrap_or_default().into_iter().filter(|literal| literal.1).count())
    }

    fn inner_nodes(&self) -> u64 {
        self.node_count()
    }
}

/// `board` with "this square or the next, not both" in place of every square but the last.
pub fn compose_neighbours(board: &Bdd, squares: u16) -> Result<Bdd, Failure> {
    let square = |variable: u16| board.store().variable(variable.into());
    let differ = |at| Ok((at, square(at)?.xor(&square(at + 1)?)?));
    let functions = (0..squares - 1).map(differ).collect::<Result<Vec<_>, Failure>>()?;
    Ok(board.compose_all(functions.iter().map(|(at, function)| ((*at).into(), function)))?)
}

/// Sets of states in a store.
pub struct Ours {
    /// The store of the sets.
    pub store: Store,
}

impl Package for Ours {
    type Set = Bdd;
    type Ready = (Bdd, VariablePairs);

    fn literal(&self, variable: u32, value: bool) -> Result<Bdd, Failure> {
        Ok(self.store.literal(variable, value)?)
    }

    fn constant(&self, value: bool) -> Bdd {
        self.store.constant(value)
    }

    fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Failure> {
        Ok(a.and(b)?)
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Failure> {
        Ok(a.or(b)?)
    }

    fn without(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Failure> {
        Ok(a.diff(b)?)
    }

    fn equal(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Failure> {
        Ok(a.xnor(b)?)
    }

    fn ready(&self, relation: Bdd, written: impl Iterator<Item = u32>) -> Result<Self::Ready, Failure> {
        Ok((relation, VariablePairs::new(written.map(|bit| (2 * bit, 2 * bit + 1)))?))
    }

    fn successors(&self, states: &Bdd, (relation, pairs): &Self::Ready) -> Result<Bdd, Failure> {
        Ok(states.rel_next(relation, pairs)?)
    }

    fn is_empty(&self, set: &Bdd) -> bool {
        set.is_false()
    }

    fn states(&self, set: &Bdd, bits: u32) -> Result<f64, Failure> {
        Ok(set.sat_count(bits)?.to_string().parse()?)
    }
}

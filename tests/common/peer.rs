//! The package `biodivine-lib-bdd`, to compare the library with.

use biodivine_lib_bdd as peer;
use strata_bdd::BinaryOp;

use super::functions::Algebra;

/// The functions of `biodivine-lib-bdd` over some number of variables.
pub struct Peer {
    variables: peer::BddVariableSet,
}

impl Peer {
    /// Functions over `variables` variables, numbered from 0.
    pub fn new(variables: u32) -> Self {
        Self { variables: peer::BddVariableSet::new_anonymous(variables as u16) }
    }

    /// The variables, in order.
    pub fn variables(&self) -> Vec<peer::BddVariable> {
        self.variables.variables()
    }
}

impl Algebra for Peer {
    type Function = peer::Bdd;

    fn value(&self, value: bool) -> peer::Bdd {
        if value { self.variables.mk_true() } else { self.variables.mk_false() }
    }

    fn var(&self, variable: u32) -> peer::Bdd {
        self.variables.mk_var(self.variables.variables()[variable as usize])
    }

    fn op(&self, op: BinaryOp, a: &peer::Bdd, b: &peer::Bdd) -> peer::Bdd {
        peer::Bdd::binary_op(a, b, |a, b| {
            let possible = |value: Option<bool>| value.map_or(vec![false, true], |value| vec![value]);
            let mut values = possible(a).into_iter().flat_map(|a| possible(b).into_iter().map(move |b| op.eval(a, b)));
            let first = values.next()?;
            values.all(|value| value == first).then_some(first)
        })
    }

    fn not(&self, a: &peer::Bdd) -> peer::Bdd {
        a.not()
    }

    fn ite(&self, a: &peer::Bdd, b: &peer::Bdd, c: &peer::Bdd) -> peer::Bdd {
        peer::Bdd::if_then_else(a, b, c)
    }
}

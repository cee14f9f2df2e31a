//! `biodivine-lib-bdd`.

use biodivine_lib_bdd::{Bdd, BddVariable};

use crate::{Failure, operations::queens::Board};

impl Board for Bdd {
    fn restrict(&self, literals: &[(u16, bool)]) -> Result<Self, Failure> {
        let literal = |&(variable, value): &(u16, bool)| (BddVariable::from_index(variable.into()), value);
        Ok(match literals {
            [one] => {
                let (variable, value) = literal(one);
                self.var_restrict(variable, value)
            }
            _ => Bdd::restrict(self, &literals.iter().map(literal).collect::<Vec<_>>()),
        })
    }

    fn exists(&self, variable: u16) -> Result<Self, Failure> {
        Ok(self.var_exists(BddVariable::from_index(variable.into())))
    }

    fn count(&self, _: u16) -> Result<f64, Failure> {
        Ok(self.cardinality())
    }

    fn solutions(&self, n: u16, columns: u16) -> Result<f64, Failure> {
        // Each variable that is fixed doubles the count.
        Ok(self.cardinality() / f64::exp2((n * columns).into()))
    }

    fn first(&self) -> Result<usize, Failure> {
        Ok(self.first_valuation().map_or(0, |first| first.into_vector().into_iter().filter(|&value| value).count()))
    }

    fn inner_nodes(&self) -> u64 {
        self.size() as u64 - 2
    }
}

//! `biodivine-lib-bdd`.

use biodivine_lib_bdd::{Bdd, BddVariable};

use crate::{Failure, operations::queens::Board};

impl Board for Bdd {
    fn restrict(&self, variable: u16, value: bool) -> Result<Self, Failure> {
        Ok(self.var_restrict(BddVariable::from_index(variable.into()), value))
    }

    fn exists(&self, variable: u16) -> Result<Self, Failure> {
        Ok(self.var_exists(BddVariable::from_index(variable.into())))
    }

    fn count(&self, _: u16) -> Result<f64, Failure> {
        Ok(self.cardinality())
    }

    fn inner_nodes(&self) -> u64 {
        self.size() as u64 - 2
    }
}

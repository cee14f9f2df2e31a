//! `biodivine-lib-bdd`.

use biodivine_lib_bdd::{Bdd, BddValuation};

use super::netlist::Function;
use crate::Failure;

impl Function for Bdd {
    fn and(&self, other: &Self) -> Result<Self, Failure> {
        Ok(self.and(other))
    }

    fn or(&self, other: &Self) -> Result<Self, Failure> {
        Ok(self.or(other))
    }

    fn xor(&self, other: &Self) -> Result<Self, Failure> {
        Ok(self.xor(other))
    }

    fn eval(&self, assignment: &[bool]) -> Result<bool, Failure> {
        Ok(self.eval_in(&BddValuation::new(assignment.to_vec())))
    }
}

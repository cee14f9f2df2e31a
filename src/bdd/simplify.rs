//! Simplifying by a care set.

use std::{collections::BTreeSet, sync::Arc};

use super::Bdd;
use crate::{
    error::{Error, Result},
    sweep::{build::build, constrain::Constrain},
};

impl Bdd {
    /// The generalised cofactor: a function that agrees with this one wherever `care` is true, and elsewhere has the value at the
    /// nearest point where it is (the first variable weighs most). It may be larger than this function, and depend on more.
    ///
    /// One expand and one reduce sweep over pairs of nodes. With a cube as care set this is [`Bdd::restrict`].
    ///
    /// # Errors
    /// [`Error::NothingToCareFor`] when `care` is false, [`Error::DifferentStores`], and those of the disk and the budget.
    pub fn constrain(&self, care: &Self) -> Result<Self> {
        self.same_store(care)?;
        match care.as_constant() {
            Some(true) => return Ok(self.clone()),
            Some(false) => return Err(Error::NothingToCareFor),
            None if self.is_constant() => return Ok(self.clone()),
            None if self.file.hash() == care.file.hash() => {
                return Ok(self.store.constant(self.complement == care.complement));
            }
            None => {}
        }
        // Nearest to the point where all variables are false is the first there is.
        let nearest = care.cube_min()?.unwrap_or_default();
        let result = self.eval(|variable| nearest.binary_search(&(variable, true)).is_ok())?;
        let spec = Constrain { complement: care.complement, result: self.complement != result };
        let file = self.store.run("constrain", |run| build(&spec, &[&self.file, &care.file], run))?;
        Ok(Self::new(self.store.clone(), Arc::new(file), result))
    }

    /// A function that agrees with this one wherever `care` is true, depends on no other variables, and has at most as many
    /// nodes.
    ///
    /// The care set is first projected on the variables of this function, so that [`Bdd::constrain`] brings in no others; this
    /// is the idea of Coudert and Madre's "restrict", who project at every node. Where the outcome is larger than this function,
    /// this function is given.
    ///
    /// One [`Bdd::exists`] on the care set, where that depends on other variables, and one [`Bdd::constrain`].
    ///
    /// # Errors
    /// As [`Bdd::constrain`].
    pub fn simplify(&self, care: &Self) -> Result<Self> {
        self.same_store(care)?;
        if self.is_constant() || care.is_constant() {
            return self.constrain(care);
        }
        let own: BTreeSet<u32> = self.file.variables().collect();
        let projected = care.exists_where(|variable| !own.contains(&variable))?;
        let simple = self.constrain(&projected)?;
        Ok(if simple.node_count() < self.node_count() { simple } else { self.clone() })
    }
}

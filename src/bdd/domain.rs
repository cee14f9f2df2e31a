//! The variables that an answer is given over.

use super::Bdd;
use crate::{
    disk::charge::Charge,
    error::{Error, Result},
    model::check_variable,
};

impl Bdd {
    /// `variables`, if they are in ascending order and all that the function depends on are among them.
    pub(super) fn domain(&self, variables: impl IntoIterator<Item = u32>) -> Result<Vec<u32>> {
        let domain: Vec<u32> = in_order(variables).collect::<Result<_>>()?;
        self.check_domain(&domain)?;
        Ok(domain)
    }

    fn check_domain(&self, domain: &[u32]) -> Result<()> {
        let missing = self.file.variables().rev().find(|variable| domain.binary_search(variable).is_err());
        missing.map_or(Ok(()), |variable| Err(Error::OutsideDomain { variable }))
    }
}

/// Each of `variables`; an error where it is out of range, or not larger than the one before.
pub(super) fn in_order(variables: impl IntoIterator<Item = u32>) -> impl Iterator<Item = Result<u32>> {
    let mut before = None;
    variables.into_iter().map(move |variable| {
        check_variable(variable)?;
        match before.replace(variable) {
            Some(previous) if previous >= variable => Err(Error::DomainOrder { variable, previous }),
            _ => Ok(variable),
        }
    })
}

/// A domain, and where the variables of a diagram's levels stand in it.
pub(super) struct Domain {
    /// In ascending order.
    pub variables: Vec<u32>,
    /// The place of each level's variable in the domain, by rank from 1.
    places: Vec<u32>,
    _charge: Charge,
}

impl Domain {
    /// The domain `variables` of `f`.
    pub fn of(f: &Bdd, variables: impl IntoIterator<Item = u32>) -> Result<Self> {
        let mut charge = f.store.space().pool.account("a domain of so many variables");
        let variables = charge.collect(in_order(variables))?;
        f.check_domain(&variables)?;
        charge.grow(size_of::<u32>() * f.file.variables().len())?;
        let place = |variable| variables.partition_point(|&smaller| smaller < variable) as u32;
        let places = f.file.variables().map(place).collect();
        Ok(Self { variables, places, _charge: charge })
    }

    /// The place of the variable of the level of `rank`.
    pub fn place(&self, rank: usize) -> usize {
        self.places[rank - 1] as usize
    }
}

//! Simplifying by a care set.

use super::{Bdd, unlimited};
use crate::{
    error::{Error, Result},
    file::node_file::NodeFile,
    sweep::{
        build::{SOME_NODES, build_within, most_nodes},
        ops::{constrain::Constrain, simplify::Simplify},
    },
};

impl Bdd {
    /// The generalised cofactor: a function that agrees with this one wherever `care` is true, and elsewhere has the value of this
    /// one at the nearest point of `care` (the first variable weighs most). It may be larger than this function, and depend on more
    /// variables.
    ///
    /// One expand and one reduce sweep over pairs of nodes, less where `care` has no nodes, as for [`Bdd::restrict`]; with a cube
    /// as care set it is that.
    ///
    /// # Errors
    /// [`Error::NothingToCareFor`] when `care` is false, [`Error::DifferentStores`], and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// // Where both are equal, the first says all.
    /// assert_eq!(x.and(&y)?.constrain(&x.xnor(&y)?)?, x);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn constrain(&self, care: &Self) -> Result<Self> {
        self.constrain_within(care, u64::MAX).map(unlimited)
    }

    /// [`Bdd::constrain`], given up if it takes more than `most` nodes before they are reduced.
    fn constrain_within(&self, care: &Self, most: u64) -> Result<Option<Self>> {
        self.same_store(care)?;
        match care.as_constant() {
            Some(true) => return Ok(Some(self.clone())),
            Some(false) => return Err(Error::NothingToCareFor),
            None if self.is_constant() => return Ok(Some(self.clone())),
            None if self.file.hash() == care.file.hash() => {
                return Ok(Some(self.store.constant(self.complement == care.complement)));
            }
            None => {}
        }
        // The point of `care` that is nearest to the one where all variables are false is the first.
        let nearest = care.cube_min()?.unwrap_or_default();
        let result = self.eval(|variable| nearest.binary_search(&(variable, true)).is_ok())?;
        let decides = |variable| care.file.has_variable(variable);
        let spec = Constrain { decides: &decides, complement: care.complement, result: self.complement != result };
        let operands = [&self.file, &care.file];
        self.made_within("constrain", &[care], result, |run| build_within(&spec, &operands, most, run))
    }

    /// A function that agrees with this one wherever `care` is true, depends on no other variables, and has at most as many
    /// nodes: Coudert and Madre's "restrict".
    ///
    /// On paths where this function does not test a variable, the care set is combined over it by "or". That takes one expand and
    /// one reduce sweep, over a node of this function and sets of up to three nodes of the care set, or seven where that is in RAM.
    /// If sets would be larger, or many more than nodes, this is given up: the care set as a whole is projected on the variables of
    /// this function by [`Bdd::exists`], and one [`Bdd::constrain`] follows, which is given up in its turn where it comes to more
    /// than four times the nodes of both, and some thousands. If no outcome is smaller than this function, this function is
    /// returned. So the result may depend on the budget, on what else is held within it, and on what runs beside.
    ///
    /// # Errors
    /// As [`Bdd::constrain`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y, z) = (store.variable(0)?, store.variable(1)?, store.variable(2)?);
    /// // Nobody cares for what it is where x and y differ.
    /// let simple = x.and(&y)?.or(&z)?.simplify(&x.xnor(&y)?)?;
    /// assert_eq!(simple, x.or(&z)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn simplify(&self, care: &Self) -> Result<Self> {
        self.same_store(care)?;
        if self.is_constant() || care.is_constant() {
            return self.constrain(care);
        }
        let in_memory = care.disk_bytes() == 0;
        let simple = if in_memory { self.simplified::<9, 8>(care)? } else { self.simplified::<5, 4>(care)? };
        let is_own = |simple: &Self| simple.file.variables().all(|variable| self.file.has_variable(variable));
        let simple = match simple.filter(is_own) {
            None => {
                let care = care.exists_where(|variable| !self.file.has_variable(variable))?;
                self.constrain_within(&care, MOST_TIMES * (self.node_count() + care.node_count()) + SOME_NODES)?
            }
            simple => simple,
        };
        Ok(simple.filter(|simple| simple.node_count() < self.node_count()).unwrap_or_else(|| self.clone()))
    }

    /// A function that agrees wherever `care` is true, by sets of nodes of the care set, unless these become too many; it may depend
    /// on more variables.
    fn simplified<const N: usize, const K: usize>(&self, care: &Self) -> Result<Option<Self>> {
        let tested = |variable| care.file.has_variable(variable);
        let mut spec = Simplify::new(&tested, care.complement);
        spec.result = spec.at_zero::<N>(&self.file, &care.file)?;
        let files: [&NodeFile; K] = std::array::from_fn(|lane| if lane == 0 { &self.file } else { &care.file });
        let most = most_nodes(self.node_count() + care.node_count(), &self.store.space().limits);
        let result = self.complement != spec.result;
        self.made_within("simplify", &[care], result, |run| build_within::<_, N>(&spec, &files, most, run))
    }
}

/// The last attempt to simplify may make this many times the nodes of its operands before they are reduced, and some more: what
/// comes of a larger diagram is hardly ever smaller than the function.
const MOST_TIMES: u64 = 4;

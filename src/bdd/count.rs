//! Counting, by folds.

use num_bigint::BigUint;

use super::{Bdd, domain::Domain};
use crate::{
    error::{Error, Result},
    model::LARGEST_VARIABLE,
    sweep::fold::{
        count::{Count, approximate, count},
        literals::literal_counts,
        real::Real,
    },
};

impl Bdd {
    /// The number of assignments to `variables` variables for which the function is true, exactly.
    ///
    /// The variables that the function depends on must be among them, whatever their numbers: the one assignment to a single
    /// variable for which variable 5 is true is counted by `sat_count(1)`, the 32 over variables 0 to 5 by `sat_count(6)`. Each
    /// variable that it does not depend on doubles the count.
    ///
    /// One top-down sweep, O(sort(f)) transfers, while counts fit 64 bits. If they do not, a second sweep counts where the function
    /// is false, which may fit. If that does not fit either, it takes one more sweep for up to 244 levels, and for more levels one
    /// in floating point and one for every 915 bits, of one bit more than the count has. A number that travels takes 16 bytes in 64
    /// bits, then 40, 72 beyond 244 bits and 128 beyond 488: [`Bdd::sat_count_ln`] is faster, most where a level of these does not
    /// fit the memory.
    ///
    /// # Errors
    /// [`Error::TooFewVariables`] when the function depends on more, [`Error::TooManyVariables`] beyond 2^24 of them, and
    /// those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// assert_eq!(store.variable(0)?.sat_count(40)?, (1u64 << 39).into());
    /// assert_eq!(store.constant(false).sat_count(0)?, 0u8.into());
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_count(&self, variables: u32) -> Result<BigUint> {
        let free = self.free_variables(variables)?;
        let over_support = self.store.run_beside("sat_count", self.node_count(), |run| {
            count(&self.file, Count::Assignments, !self.complement, run)
        })?;
        Ok(over_support << free)
    }

    /// How many of the assignments to the variables of `domain` for which the function is true give each variable the value false,
    /// and how many true, exactly; in the order of the domain. The two numbers of any variable add up to [`Bdd::sat_count`].
    ///
    /// The share of all solutions in which a variable is true is what feature models call its commonality, and the chance that it
    /// is true if all solutions are equally likely.
    ///
    /// One top-down sweep and one back, O(sort(f)) transfers, while the number of solutions, or of assignments that are none, fits
    /// 64 bits, and more beyond, like [`Bdd::sat_count`], and time in the number of levels and the square of the number of bits to
    /// put the counts together, of which the progress callback is not told. Memory: beside the sweeps',
    /// up to 240 bytes for each level and 32 for each level and 61 bits of the number of solutions; and the result, outside the
    /// budget, two numbers as long as that of all solutions for each variable of the domain.
    ///
    /// # Errors
    /// [`Error::DomainOrder`] when the domain does not ascend, [`Error::OutsideDomain`] when the function depends on a variable
    /// that is not in it, [`Error::VariableOutOfRange`], and those of the disk and the budget.
    ///
    /// After: A. Darwiche, *A Differential Approach to Inference in Bayesian Networks*, 2003.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// // Of six solutions, two have variable 3 false and four have it true; variable 4 halves them.
    /// let f = store.variable(3)?.or(&store.variable(5)?)?;
    /// let counts = f.literal_counts([3, 4, 5])?;
    /// assert_eq!(counts, [[2u8, 4], [3, 3], [2, 4]].map(|pair| pair.map(Into::into)));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn literal_counts(&self, domain: impl IntoIterator<Item = u32>) -> Result<Vec<[BigUint; 2]>> {
        let domain = Domain::of(self, domain)?;
        let levels = match self.as_constant() {
            Some(_) => Vec::new(),
            None => self.store.run_beside("literal_counts", self.node_count(), |run| {
                literal_counts(&self.file, !self.complement, run)
            })?,
        };
        let free = domain.variables.len() - levels.len();
        // Of the assignments to the variables of the levels.
        let all = levels.first().map_or_else(|| BigUint::from(u8::from(self.is_true())), |[low, high]| low + high);
        let half = all << free >> 1u8;
        let at_places = levels.into_iter().enumerate().rev().map(|(below, level)| (domain.place(below + 1), level));
        let mut at_places = at_places.peekable();
        let counts = (0..domain.variables.len()).map(|place| match at_places.next_if(|&(at, _)| at == place) {
            Some((_, level)) => level.map(|count| count << free),
            None => [half.clone(), half.clone()],
        });
        Ok(counts.collect())
    }

    /// The natural logarithm of [`Bdd::sat_count`], −∞ for false: for counts of millions of digits, and quick.
    ///
    /// One top-down sweep, O(sort(f)) transfers, whatever the size of the count. The count behind it is too small by less than one
    /// part in 2^61 for each node, and its logarithm is rounded a few times in `f64`.
    ///
    /// # Errors
    /// As for [`Bdd::sat_count`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let x = store.variable(0)?;
    /// let expected = 9999.0 * 2f64.ln();
    /// assert!((x.sat_count_ln(10_000)? - expected).abs() < 1e-12 * expected);
    /// assert_eq!(x.sat_count_ln(1)?, 0.0);
    /// assert_eq!(store.constant(false).sat_count_ln(1)?, f64::NEG_INFINITY);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_count_ln(&self, variables: u32) -> Result<f64> {
        Ok(self.approximate_count("sat_count_ln", variables)?.ln())
    }

    /// [`Bdd::sat_count`] in floating point, infinite from 2^1024 on.
    ///
    /// Exact up to 2^53 over the variables that the function depends on; beyond that the count is too small by less than one part
    /// in 2^61 for each node, and is then rounded to `f64` once. Cost as for [`Bdd::sat_count_ln`].
    ///
    /// # Errors
    /// As for [`Bdd::sat_count`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// assert_eq!(store.variable(0)?.sat_count_f64(101)?, 2f64.powi(100));
    /// assert_eq!(store.variable(0)?.sat_count_f64(10_000)?, f64::INFINITY);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_count_f64(&self, variables: u32) -> Result<f64> {
        Ok(self.approximate_count("sat_count_f64", variables)?.to_f64())
    }

    fn approximate_count(&self, name: &'static str, variables: u32) -> Result<Real> {
        let free = self.free_variables(variables)?;
        let over_support = self.store.run_beside(name, self.node_count(), |run| {
            approximate(&self.file, Count::Assignments, !self.complement, run)
        })?;
        Ok(over_support * Real::power_of_two(free.cast_signed()))
    }

    /// How many of `variables` variables the function does not depend on.
    fn free_variables(&self, variables: u32) -> Result<u64> {
        let support = (self.file.levels().ranks() - 1) as u64;
        if u64::from(variables) < support {
            return Err(Error::TooFewVariables { given: variables.into(), support });
        }
        let most = u64::from(LARGEST_VARIABLE) + 1;
        if u64::from(variables) > most {
            return Err(Error::TooManyVariables { given: variables.into(), most });
        }
        Ok(u64::from(variables) - support)
    }

    /// The number of paths from the root to true, exactly. The constant true has one, the empty path.
    ///
    /// One top-down sweep while counts fit 64 bits, and more beyond, like [`Bdd::sat_count`].
    ///
    /// # Errors
    /// Those of the disk and the budget.
    pub fn path_count(&self) -> Result<BigUint> {
        self.store
            .run_beside("path_count", self.node_count(), |run| count(&self.file, Count::Paths, !self.complement, run))
    }
}

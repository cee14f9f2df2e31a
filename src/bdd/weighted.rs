//! Counting with weights, by a fold.

use super::{Bdd, domain::Domain};
use crate::{
    error::{Error, Result},
    sweep::fold::{
        real::Real,
        weighted::{Weights, both, weigh},
    },
};

impl Bdd {
    /// The sum, over all assignments to the variables of `domain` for which the function is true, of the product of the weights of
    /// the assigned values. With `weight(x, true)` the probability of `x`, and `weight(x, false)` 1 minus that, it is the
    /// probability that the function is true; with all weights 1 it is [`Bdd::sat_count_f64`].
    ///
    /// `weight` is called once for each variable of the domain, in order, and each value, false first. Weights may be zero, or
    /// negative as in encodings where terms cancel each other out.
    ///
    /// Sums and products are computed with 64 bits, and none overflows or underflows; the result is rounded to `f64`, infinite
    /// beyond the largest and 0 below the smallest. Nothing else is lost where weights are whole numbers whose magnitudes would
    /// give less than 2^64. Otherwise, if no weight is negative, the sum is too small by less than one part in 2^62 for each node
    /// and two for each variable of the domain. If some are negative, the error has the same bound relative to the sum that the
    /// magnitudes would give, which may be much larger than the sum itself. Every budget and number of threads gives the same bits.
    ///
    /// One top-down sweep, O(sort(f)) transfers; 4 bytes for each variable of the domain and 36 for each level beside the sweep's
    /// own memory. An arc that skips levels takes time in the logarithm of their number.
    ///
    /// # Errors
    /// [`Error::DomainOrder`] when the domain does not ascend, [`Error::OutsideDomain`] when the function depends on a variable
    /// that is not in it, [`Error::VariableOutOfRange`], [`Error::WeightNotFinite`], and those of the disk and the budget.
    ///
    /// After: M. Chavira, A. Darwiche, *On Probabilistic Inference by Weighted Model Counting*, 2008.
    ///
    /// [`Error::VariableOutOfRange`]: crate::Error::VariableOutOfRange
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// // Two lines side by side, of which each works with probability 3/4, and one behind them.
    /// let works = (&store.variable(3)?.or(&store.variable(4)?)? & &store.variable(5)?)?;
    /// let weight = |line, works| match line {
    ///     5 => [0.5, 0.5][usize::from(works)],
    ///     _ => [0.25, 0.75][usize::from(works)],
    /// };
    /// assert_eq!(works.weighted_count(weight, [3, 4, 5])?, 15.0 / 32.0);
    /// assert_eq!(works.weighted_count(|_, _| 1.0, 0..10)?, works.sat_count_f64(10)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn weighted_count(
        &self,
        weight: impl FnMut(u32, bool) -> f64,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<f64> {
        Ok(self.weighed("weighted_count", weight, domain)?.to_f64())
    }

    /// The natural logarithm of [`Bdd::weighted_count`], for sums that no `f64` holds: −∞ for zero, and NaN for a negative sum.
    ///
    /// The sum has the same error bound, and its logarithm is rounded a few times in `f64`. Cost as for [`Bdd::weighted_count`].
    ///
    /// # Errors
    /// As for [`Bdd::weighted_count`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let x = store.variable(0)?;
    /// let expected = 9999.0 * 3f64.ln();
    /// assert!((x.weighted_count_ln(|_, value| [2.0, 1.0][usize::from(value)], 0..10_000)? - expected).abs() < 1e-12 * expected);
    /// assert_eq!(store.constant(false).weighted_count_ln(|_, _| 1.0, [0])?, f64::NEG_INFINITY);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn weighted_count_ln(
        &self,
        weight: impl FnMut(u32, bool) -> f64,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<f64> {
        Ok(self.weighed("weighted_count_ln", weight, domain)?.ln())
    }

    fn weighed(
        &self,
        name: &'static str,
        mut weight: impl FnMut(u32, bool) -> f64,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<Real> {
        let domain = Domain::of(self, domain)?;
        let depth = self.file.levels().ranks() - 1;
        let bytes = depth * Weights::LEVEL_BYTES;
        let _charge = self.store.space().pool.charge(bytes, "the weights of so many variables")?;
        let (mut levels, mut free) = (Vec::with_capacity(depth), Real::ONE);
        for &variable in &domain.variables {
            let weights = [weight(variable, false), weight(variable, true)];
            if !weights.iter().all(|weight| weight.is_finite()) {
                return Err(Error::WeightNotFinite { variable });
            }
            if self.file.rank(variable).is_some() {
                levels.push(weights);
            } else {
                free = free * both(weights);
            }
        }
        if let Some(value) = self.as_constant() {
            return Ok(if value { free } else { Real::ZERO });
        }
        let weights = Weights::new(levels);
        let over_levels =
            self.store.run_beside(name, self.node_count(), |run| weigh(&self.file, !self.complement, &weights, run))?;
        Ok(over_levels * free)
    }
}

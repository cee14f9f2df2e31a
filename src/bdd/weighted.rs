//! Counting with weights, by folds.

use num_bigint::BigInt;

use super::{Bdd, domain::Domain};
use crate::{
    disk::charge::Charge,
    error::{Error, Result},
    sweep::fold::{
        real::{Real, Reals},
        weighted::{WHAT, marginals, weigh, weigh_exactly},
        weights::{Weights, level_bytes},
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
    /// One top-down sweep, O(sort(f)) transfers; 4 bytes for each variable of the domain and 68 for each level beside the sweep's
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

    /// [`Bdd::weighted_count`] for whole weights, exactly. To weigh by decimal fractions of `d` digits, give 10^`d` times each, and
    /// divide the result by 10^(`d` · the number of variables in the domain).
    ///
    /// `weight` is called as by [`Bdd::weighted_count`]. Where the sums of the magnitudes of each level's two weights multiply to
    /// less than 2^242, one top-down sweep, O(sort(f)) transfers. Otherwise one in floating point, and one for every 915 bits of
    /// the sum that the magnitudes would give: for weights of six digits, some 20 bits for each level. 4 bytes for each
    /// variable of the domain and up to 500 for each level beside the sweeps' own memory; and the result, outside the budget.
    ///
    /// # Errors
    /// [`Error::DomainOrder`] when the domain does not ascend, [`Error::OutsideDomain`] when the function depends on a variable
    /// that is not in it, [`Error::VariableOutOfRange`], and those of the disk and the budget.
    ///
    /// [`Error::VariableOutOfRange`]: crate::Error::VariableOutOfRange
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let some = store.clause((0..100).map(|variable| (variable, true)))?;
    /// // Each works with a probability of 99.9 %: none does in one of 10^300 cases.
    /// let cases = some.weighted_count_exact(|_, works| [1, 999][usize::from(works)], 0..100)?;
    /// assert_eq!(cases + 1, strata_bdd::BigInt::from(10).pow(300));
    ///
    /// // How many solutions have so many true variables: digits in base 2^62, while all of these are smaller.
    /// let by_size = store.parity(0..6)?.weighted_count_exact(|_, value| [1, 1 << 62][usize::from(value)], 0..6)?;
    /// let of_size = |size: u32| (&by_size >> (62 * size)) % (1i64 << 62);
    /// assert_eq!([0, 1, 2, 3, 4, 5, 6].map(of_size), [0, 6, 0, 20, 0, 6, 0].map(strata_bdd::BigInt::from));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn weighted_count_exact(
        &self,
        mut weight: impl FnMut(u32, bool) -> i64,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<BigInt> {
        let domain = Domain::of(self, domain)?;
        let depth = self.file.levels().ranks() - 1;
        let _charge = self.store.space().pool.charge(depth * size_of::<[i64; 2]>(), WHAT)?;
        let (mut levels, mut free) = (Vec::with_capacity(depth), Product::default());
        for &variable in &domain.variables {
            let weights = [weight(variable, false), weight(variable, true)];
            if self.file.has_variable(variable) {
                levels.push(weights);
            } else {
                free.push(weights.map(i128::from).iter().sum());
            }
        }
        if let Some(value) = self.as_constant() {
            return Ok(if value { free.value() } else { BigInt::ZERO });
        }
        let over_levels = self.store.run_beside("weighted_count_exact", self.node_count(), |run| {
            weigh_exactly(&self.file, !self.complement, &levels, run)
        })?;
        Ok(over_levels * free.value())
    }

    /// For each variable of `domain`, in order, the probability that it is true if the function is, where the probability of an
    /// assignment is in proportion to the product of the weights of its values: of the sum that [`Bdd::weighted_count`] gives, the
    /// share of the assignments in which the variable is true. `None` where that sum is zero, as for false.
    ///
    /// These are the posterior marginals of a Bayesian network, or of a fault tree given that the top event happens. All of them
    /// come from one sweep down and one back. [`Bdd::literal_counts`] gives exact numbers where all weights are 1.
    ///
    /// `weight` is called as by [`Bdd::weighted_count`], but no weight may be below zero. Each probability is off by less than
    /// 2^-61 for each node, and twice that for each variable of the domain, and by 2^-51 for roundings in `f64`: one that is close
    /// to 0 may have few right digits, where [`Bdd::weighted_count`] of the conjunction with the variable has all. Every budget and
    /// number of threads gives the same bits.
    ///
    /// One top-down sweep and one back, O(sort(f)) transfers; 4 bytes for each variable of the domain and 100 for each level beside
    /// the sweeps' own memory; and the result, outside the budget.
    ///
    /// # Errors
    /// As for [`Bdd::weighted_count`], and [`Error::WeightNegative`].
    ///
    /// After: A. Darwiche, *A Differential Approach to Inference in Bayesian Networks*, 2003.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// // It rains one day in four, and the sprinkler runs every second day; variable 9 has nothing to do with wet grass.
    /// let wet = store.variable(0)?.or(&store.variable(1)?)?;
    /// let chance = [0.25, 0.5];
    /// let weight = |variable, value| match chance.get(variable as usize) {
    ///     Some(chance) => [1.0 - chance, *chance][usize::from(value)],
    ///     None => 1.0,
    /// };
    /// // The grass is wet five days in eight: on two of them it rained, on four the sprinkler ran.
    /// assert_eq!(wet.marginals(weight, [0, 1, 9])?, Some(vec![2.0 / 5.0, 4.0 / 5.0, 0.5]));
    /// assert_eq!(store.constant(false).marginals(weight, [0])?, None);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn marginals(
        &self,
        mut weight: impl FnMut(u32, bool) -> f64,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<Option<Vec<f64>>> {
        let domain = Domain::of(self, domain)?;
        let (mut shares, mut nothing, mut negative) = (vec![0.0; domain.variables.len()], self.is_false(), None);
        let weight = |variable, value| {
            let weight = weight(variable, value);
            negative = negative.or((weight < 0.0).then_some(variable));
            weight
        };
        let (weights, _charge) = self.weights(&domain, weight, |place, weights| match both(weights) {
            Real::ZERO => nothing = true,
            sum => shares[place] = Real::of(weights[1]).over(sum),
        })?;
        if let Some(variable) = negative {
            return Err(Error::WeightNegative { variable });
        }
        if nothing || self.is_constant() {
            return Ok((!nothing).then_some(shares));
        }
        let of_levels = self
            .store
            .run_beside("marginals", self.node_count(), |run| marginals(&self.file, !self.complement, &weights, run))?;
        Ok(of_levels.map(|of_levels| {
            for (below, share) in of_levels.into_iter().enumerate() {
                shares[domain.place(below + 1)] = share;
            }
            shares
        }))
    }

    fn weighed(
        &self,
        name: &'static str,
        weight: impl FnMut(u32, bool) -> f64,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<Real> {
        let (domain, mut free) = (Domain::of(self, domain)?, Real::ONE);
        let (weights, _charge) = self.weights(&domain, weight, |_, weights| free = free * both(weights))?;
        if let Some(value) = self.as_constant() {
            return Ok(if value { free } else { Real::ZERO });
        }
        let over_levels =
            self.store.run_beside(name, self.node_count(), |run| weigh(&self.file, !self.complement, &weights, run))?;
        Ok(over_levels * free)
    }

    /// The weights of the levels; `free` is told the weights of each other variable of the domain, with its place there.
    fn weights(
        &self,
        domain: &Domain,
        mut weight: impl FnMut(u32, bool) -> f64,
        mut free: impl FnMut(usize, [f64; 2]),
    ) -> Result<(Weights<'static, Reals>, Charge)> {
        let depth = self.file.levels().ranks() - 1;
        let charge = self.store.space().pool.charge(depth * level_bytes(2), WHAT)?;
        let mut levels = Vec::with_capacity(4 * depth);
        for (place, &variable) in domain.variables.iter().enumerate() {
            let weights = [weight(variable, false), weight(variable, true)];
            if !weights.iter().all(|weight| weight.is_finite()) {
                return Err(Error::WeightNotFinite { variable });
            }
            if self.file.has_variable(variable) {
                levels.extend(weights.into_iter().flat_map(|weight| Real::of(weight).lanes()));
            } else {
                free(place, weights);
            }
        }
        Ok((Weights::new(&Reals, levels, 2).expect("real numbers do not overflow"), charge))
    }
}

/// The sum of a variable's two weights.
fn both([of_false, of_true]: [f64; 2]) -> Real {
    Real::of(of_false) + Real::of(of_true)
}

/// A product of many numbers. Those of as many numbers each are multiplied first: to multiply a long product by one number after
/// another takes the square of their number.
#[derive(Default)]
struct Product {
    /// Products, and the binary logarithms of how many numbers each is of; the longest first.
    parts: Vec<(u32, BigInt)>,
}

impl Product {
    /// Multiplies by `number`.
    fn push(&mut self, number: i128) {
        let mut last = (0, BigInt::from(number));
        while let Some((numbers, before)) = self.parts.pop_if(|before| before.0 == last.0) {
            last = (numbers + 1, before * last.1);
        }
        self.parts.push(last);
    }

    fn value(self) -> BigInt {
        self.parts.into_iter().rev().map(|part| part.1).product()
    }
}

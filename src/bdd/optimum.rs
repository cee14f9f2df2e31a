//! The cheapest and the dearest assignment, by a fold.

use self::sealed::Cost;
use super::{Bdd, domain::Domain};
use crate::{
    error::{Error, Result},
    model::Cube,
    sweep::fold::{
        float::{parts, power_of_two},
        optimum::cheapest,
    },
};

/// What a variable costs where it is true: a whole number (`i64`) or a floating-point number (`f64`).
pub trait Weight: sealed::Weight {
    /// A sum of weights: `i128` of `i64`, `f64` of `f64`.
    type Cost: sealed::Cost;
}

impl Weight for i64 {
    type Cost = i128;
}

impl Weight for f64 {
    type Cost = f64;
}

mod sealed {
    use super::{parts, power_of_two};

    pub trait Weight: Copy {
        /// The exponent of a power of two, the unit, of which all `weights`, which are finite, are multiples.
        fn unit(weights: impl Iterator<Item = Self>) -> i32;

        /// Whether it is finite.
        fn is_finite(self) -> bool;

        /// This weight in units of 2^`unit`; `None` from 2^126 units on.
        fn in_units(self, unit: i32) -> Option<i128>;
    }

    pub trait Cost {
        /// The sum of `units` units of 2^`unit`.
        fn of_units(units: i128, unit: i32) -> Self;
    }

    impl Cost for i128 {
        fn of_units(units: i128, _: i32) -> Self {
            units
        }
    }

    impl Cost for f64 {
        fn of_units(units: i128, unit: i32) -> Self {
            units as f64 * power_of_two(unit)
        }
    }

    impl Weight for i64 {
        fn unit(_: impl Iterator<Item = Self>) -> i32 {
            0
        }

        fn is_finite(self) -> bool {
            true
        }

        fn in_units(self, _: i32) -> Option<i128> {
            Some(self.into())
        }
    }

    impl Weight for f64 {
        fn unit(weights: impl Iterator<Item = Self>) -> i32 {
            weights.map(parts).filter(|(odd, _)| *odd != 0).map(|(_, exponent)| exponent).min().unwrap_or(0)
        }

        fn is_finite(self) -> bool {
            f64::is_finite(self)
        }

        fn in_units(self, unit: i32) -> Option<i128> {
            let (odd, exponent) = parts(self);
            if odd == 0 {
                return Some(0);
            }
            let shift = (exponent - unit).cast_unsigned();
            let magnitude = (shift <= 62 + odd.leading_zeros()).then(|| i128::from(odd) << shift)?;
            Some(if self.is_sign_negative() { -magnitude } else { magnitude })
        }
    }
}

impl Bdd {
    /// The cheapest assignment to the variables of `domain` for which the function is true, as (cost, assignment): the cost is the
    /// sum of the weights of the variables that are true. `None` for false.
    ///
    /// Of several such assignments it is the first in lexicographic order, false before true, the smallest variable first.
    ///
    /// `weight` is called once for each variable of the domain, in order; weights may be negative. Sums are exact: those of `i64`
    /// are `i128`; those of `f64` are counted in units of the largest power of two that divides all weights, and all magnitudes
    /// together must be below 2^126 units. They are where the largest of a thousand weights is at most 2^63 times the smallest, and
    /// weights with few digits may be farther apart. The cost returned is rounded once, and infinite beyond the largest `f64`.
    ///
    /// One top-down sweep, and one back over the arcs that the cheapest ways take, both O(sort(f)) transfers; 20 bytes for each
    /// variable of the domain and 4 for each level beside the sweeps' own memory and the assignment.
    ///
    /// # Errors
    /// [`Error::DomainOrder`] when the domain does not ascend, [`Error::OutsideDomain`] when the function depends on a variable
    /// that is not in it, [`Error::VariableOutOfRange`], [`Error::WeightNotFinite`], [`Error::WeightsTooFarApart`], and those of the
    /// disk and the budget.
    ///
    /// After: D. E. Knuth, *The Art of Computer Programming*, volume 4A, section 7.1.4, algorithm B.
    ///
    /// [`Error::VariableOutOfRange`]: crate::Error::VariableOutOfRange
    ///
    /// ```
    /// # use strata_bdd::{Comparison, Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(3)?.or(&store.variable(5)?)?;
    /// let weight = |variable| [7, -2, 6i64][variable as usize - 3];
    /// assert_eq!(f.opt_min(weight, [3, 4, 5])?, Some((4, vec![(3, false), (4, true), (5, true)])));
    /// assert_eq!(f.opt_max(weight, [3, 4, 5])?, Some((13, vec![(3, true), (4, false), (5, true)])));
    /// assert_eq!(store.constant(false).opt_min(weight, [3, 4, 5])?, None);
    ///
    /// // All that cost no more than one above the least.
    /// let terms = [3, 4, 5].map(|variable| (variable, weight(variable)));
    /// let good = f.and(&store.linear(terms, Comparison::AtMost, 4 + 1)?)?;
    /// assert_eq!(good.assignments([3, 4, 5])?.count(), 2);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn opt_min<W: Weight>(
        &self,
        weight: impl FnMut(u32) -> W,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<Option<(W::Cost, Cube)>> {
        self.optimum("opt_min", 1, weight, domain)
    }

    /// The dearest assignment, otherwise like [`Bdd::opt_min`]; of several it is again the first in lexicographic order, false
    /// before true.
    ///
    /// # Errors
    /// As for [`Bdd::opt_min`].
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// // The most probable solution: what true adds is the logarithm of its odds. (Variables that are certain are fixed before.)
    /// let store = Store::new(Config::default())?;
    /// let f = store.exactly(1, 0..3)?;
    /// let chance = |variable| [0.2, 0.9, 0.6][variable as usize];
    /// let best = f.opt_max(|variable| f64::ln(chance(variable) / (1.0 - chance(variable))), 0..3)?.expect("it is not false");
    /// assert_eq!(best.1, [(0, false), (1, true), (2, false)]);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn opt_max<W: Weight>(
        &self,
        weight: impl FnMut(u32) -> W,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<Option<(W::Cost, Cube)>> {
        self.optimum("opt_max", -1, weight, domain)
    }

    /// The smallest sum of `sign` times the weights, times `sign`.
    fn optimum<W: Weight>(
        &self,
        name: &'static str,
        sign: i128,
        mut weight: impl FnMut(u32) -> W,
        domain: impl IntoIterator<Item = u32>,
    ) -> Result<Option<(W::Cost, Cube)>> {
        let domain = Domain::of(self, domain)?;
        let bytes = domain.variables.len() * size_of::<W>();
        let _charge = self.store.space().pool.charge(bytes, "the weights of so many variables")?;
        let weights: Vec<W> = domain.variables.iter().map(|&variable| weight(variable)).collect();
        if let Some((&variable, _)) = domain.variables.iter().zip(&weights).find(|(_, weight)| !weight.is_finite()) {
            return Err(Error::WeightNotFinite { variable });
        }
        let unit = W::unit(weights.iter().copied());
        let add = |sum: u128, weight: &W| {
            let units = weight.in_units(unit)?.unsigned_abs();
            Some(sum + units).filter(|sum| *sum < 1 << 126)
        };
        weights.iter().try_fold(0, add).ok_or(Error::WeightsTooFarApart)?;
        if self.is_false() {
            return Ok(None);
        }
        let cost = |place: usize| sign * weights[place].in_units(unit).expect("all together are fewer");
        // Every variable with its cheaper value; a path adds penalties.
        let mut best: Cube =
            domain.variables.iter().zip(0..).map(|(&variable, place)| (variable, cost(place) < 0)).collect();
        let mut sum: i128 = (0..weights.len()).map(|place| cost(place).min(0)).sum();
        if !self.is_constant() {
            let cost = |rank| cost(domain.place(rank));
            let cheapest = self.store.run(name, |run| cheapest(&self.file, !self.complement, cost, run))?;
            sum += cheapest.penalty.cast_signed();
            for (rank, value) in cheapest.path {
                best[domain.place(rank)].1 = value;
            }
        }
        Ok(Some((W::Cost::of_units(sign * sum, unit), best)))
    }
}

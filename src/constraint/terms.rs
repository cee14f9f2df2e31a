//! The terms of a weighted sum, and the bounds that decide whatever the terms are.

use crate::{disk::charge::Charge, error::Result, model::check_variable};

/// One variable with its weight, and what is known of all sums of this and later terms.
///
/// Sums are those of at most 2^59 weights, more than an address space holds, so they stay below 2^122.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub variable: u32,
    pub weight: i128,
    /// The smallest sum.
    pub min: i128,
    /// The largest sum.
    pub max: i128,
    /// A divisor of every sum; 0 at the end, where 0 is the only sum.
    pub divisor: i128,
}

/// Bounds that make the same function of the terms from here on.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    pub first: i128,
    pub last: i128,
    /// The function: [`FALSE`], [`TRUE`] or the number of a node.
    pub node: usize,
}

pub const FALSE: usize = 0;
pub const TRUE: usize = 1;

/// Beyond every sum, and still without overflow when a sum is added.
const FAR: i128 = 1 << 126;

/// The end of all terms.
const END: Term = Term { variable: u32::MAX, weight: 0, min: 0, max: 0, divisor: 0 };

impl Term {
    /// The interval of `bound` if it decides already: it is clear whether the sum of this and all later terms is `bound`, or, if
    /// `fewer`, at most `bound`.
    pub fn plain(&self, bound: i128, fewer: bool) -> Option<Interval> {
        let &Self { min, max, divisor, .. } = self;
        if bound < min {
            return Some(Interval { first: -FAR, last: min - 1, node: FALSE });
        }
        if fewer {
            return (bound >= max).then_some(Interval { first: max, last: FAR, node: TRUE });
        }
        if bound > max {
            return Some(Interval { first: max + 1, last: FAR, node: FALSE });
        }
        if divisor == 0 {
            return Some(Interval { first: 0, last: 0, node: TRUE });
        }
        let multiple = bound - bound.rem_euclid(divisor);
        (multiple != bound).then_some(Interval { first: multiple + 1, last: multiple + divisor - 1, node: FALSE })
    }
}

/// The variables and weights of `terms`, by ascending variable.
pub fn read(terms: impl Iterator<Item = (u32, i64)>, charge: &mut Charge) -> Result<Vec<(u32, i64)>> {
    let mut given = charge.collect(terms.map(|term| check_variable(term.0).map(|()| term)))?;
    given.sort_unstable_by_key(|term| term.0);
    Ok(given)
}

/// The terms `given` without those of weight 0, and the end.
pub fn sum_up(given: &[(u32, i64)], charge: &mut Charge) -> Result<Vec<Term>> {
    let of_one_variable = || given.chunk_by(|a, b| a.0 == b.0);
    let room = of_one_variable().count() + 1;
    charge.grow(room * size_of::<Term>())?;

    let mut terms = Vec::with_capacity(room);
    let mut below = END;
    terms.push(below);
    for same in of_one_variable().rev() {
        let weight: i128 = same.iter().map(|&(_, weight)| i128::from(weight)).sum();
        if weight != 0 {
            below = Term {
                variable: same[0].0,
                weight,
                min: below.min + weight.min(0),
                max: below.max + weight.max(0),
                divisor: greatest_common_divisor(weight.abs(), below.divisor),
            };
            terms.push(below);
        }
    }
    terms.reverse();
    Ok(terms)
}

/// Divides all terms by the largest common divisor of the weights; returns the bound that the divided sums must meet for the
/// original ones to meet `bound`.
pub fn divide(terms: &mut [Term], bound: i128) -> i128 {
    let by = terms[0].divisor;
    if by > 1 {
        for Term { weight, min, max, divisor, .. } in terms {
            for of_all in [weight, min, max, divisor] {
                *of_all /= by;
            }
        }
    }
    bound.div_euclid(by)
}

fn greatest_common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

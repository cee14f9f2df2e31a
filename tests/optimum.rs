//! The cheapest and the dearest assignments, against a search through all assignments.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::float_cmp, reason = "sums are exact, so they are equal or wrong")]

mod common;

use common::{
    default_store,
    functions::{bits, chain, hidden_weighted_bit, of_table, product, queens, random_function},
    smallest_store, spilling, store_with, under_every_budget,
};
use fastrand::Rng;
use strata_bdd::{Bdd, Cube, Error, Result, Weight, testing::Limits};

/// The answer of `opt_min`: the cost and the values. Checks that the answer names the variables of the domain.
fn least<W: Weight>(
    f: &Bdd,
    weight: impl FnMut(u32) -> W,
    domain: impl IntoIterator<Item = u32> + Clone,
) -> Result<Option<(W::Cost, Vec<bool>)>> {
    Ok(f.opt_min(weight, domain.clone())?.map(|answer| plain(answer, domain)))
}

/// The answer of `opt_max` in the same form, with the same check.
fn most<W: Weight>(
    f: &Bdd,
    weight: impl FnMut(u32) -> W,
    domain: impl IntoIterator<Item = u32> + Clone,
) -> Result<Option<(W::Cost, Vec<bool>)>> {
    Ok(f.opt_max(weight, domain.clone())?.map(|answer| plain(answer, domain)))
}

fn plain<C>((cost, cube): (C, Cube), domain: impl IntoIterator<Item = u32>) -> (C, Vec<bool>) {
    assert!(cube.iter().map(|literal| literal.0).eq(domain));
    (cost, cube.into_iter().map(|literal| literal.1).collect())
}

/// The bits of `at` as values, the highest bit first: if `at` ascends, the values ascend lexicographically.
fn spelled(at: u32, variables: usize) -> Vec<bool> {
    (0..variables).rev().map(|bit| at >> bit & 1 == 1).collect()
}

/// The lexicographically first of the best assignments, found by trying all. `better(a, b)` says whether cost `a` is
/// better than cost `b`.
fn brute_force<C: Copy>(
    variables: usize,
    is_true: impl Fn(&[bool]) -> bool,
    cost: impl Fn(&[bool]) -> C,
    better: impl Fn(C, C) -> bool,
) -> Option<(C, Vec<bool>)> {
    let mut best: Option<(C, Vec<bool>)> = None;
    for values in (0..1 << variables).map(|at| spelled(at, variables)).filter(|values| is_true(values)) {
        let cost = cost(&values);
        if best.as_ref().is_none_or(|&(least, _)| better(cost, least)) {
            best = Some((cost, values));
        }
    }
    best
}

fn sum(weights: &[i64], values: &[bool]) -> i128 {
    weights.iter().zip(values).filter(|pair| *pair.1).map(|pair| i128::from(*pair.0)).sum()
}

/// The function that gives the variables of `domain` their weights.
fn weight_of<'a, W: Copy>(weights: &'a [W], domain: &'a [u32]) -> impl Fn(u32) -> W + Copy + 'a {
    |variable| weights[domain.iter().position(|&other| other == variable).unwrap()]
}

#[test]
fn of_equally_good_assignments_the_lexicographically_first_is_given() -> Result<()> {
    for support in [[0, 1, 2], [3, 40, (1 << 24) - 1]] {
        let store = default_store();
        for table in 0..256u32 {
            let f = of_table(&store, &bits(table, 3), &support)?;
            for number in 0..125i64 {
                let weights = [number / 25 - 2, number / 5 % 5 - 2, number % 5 - 2];
                let weight = weight_of(&weights, &support);
                let is_true =
                    |values: &[bool]| table >> values.iter().fold(0, |at, &value| 2 * at + u32::from(value)) & 1 == 1;
                let cost = |values: &[bool]| sum(&weights, values);
                let first = brute_force(3, is_true, cost, |a, b| a < b);
                assert_eq!(least(&f, weight, support)?, first, "{table} {weights:?}");
                let first = brute_force(3, is_true, cost, |a, b| a > b);
                assert_eq!(most(&f, weight, support)?, first, "{table} {weights:?}");
                let floating = |variable| weight(variable) as f64 / 4.0;
                let first = first.map(|(cost, values)| (cost as f64 / 4.0, values));
                assert_eq!(most(&f, floating, support)?, first);
            }
        }
    }
    Ok(())
}

/// Checks `opt_min` and `opt_max` with `weights` against all assignments to `domain`, which must be small.
fn check(f: &Bdd, weights: &[i64], domain: &[u32]) -> Result<()> {
    let is_true = |values: &[bool]| {
        f.eval(|variable| values[domain.iter().position(|&other| other == variable).unwrap()]).unwrap()
    };
    let weight = weight_of(weights, domain);
    let cost = |values: &[bool]| sum(weights, values);
    let domain = domain.iter().copied();
    assert_eq!(least(f, weight, domain.clone())?, brute_force(domain.len(), is_true, cost, |a, b| a < b));
    assert_eq!(most(f, weight, domain.clone())?, brute_force(domain.len(), is_true, cost, |a, b| a > b));
    Ok(())
}

#[test]
fn variables_that_no_level_tests_take_their_better_value() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(3);
    let domain = [0, 2, 3, 7, 8, 9, 20, 1 << 20];
    for round in 0..200 {
        // A function of some of the variables.
        let support: Vec<u32> = domain.into_iter().filter(|_| random.bool()).collect();
        let support = if support.is_empty() { vec![3] } else { support };
        let table: Vec<bool> = (0..1 << support.len()).map(|_| random.u32(..3) == 0).collect();
        let mut f = of_table(&store, &table, &support)?;
        if round % 2 == 0 {
            f = f.negated();
        }
        let weights: Vec<i64> = domain.iter().map(|_| random.i64(0..7) - 3).collect();
        check(&f, &weights, &domain)?;
        check(&f, &[0; 8], &domain)?;
    }
    Ok(())
}

#[test]
fn for_constants_every_variable_takes_its_better_value() -> Result<()> {
    let store = default_store();
    let weight = |variable: u32| i64::from(variable) - 3;
    let constant = store.constant(true);
    assert_eq!(least(&constant, weight, [1, 3, 9])?, Some((-2, vec![true, false, false])));
    assert_eq!(most(&constant, weight, [1, 3, 9])?, Some((6, vec![false, false, true])));
    assert_eq!(least(&constant, weight, [])?, Some((0, vec![])));
    assert_eq!(least(&store.constant(false), weight, [1, 3, 9])?, None);
    assert_eq!(most(&store.constant(false), weight, [])?, None);
    Ok(())
}

#[test]
fn the_largest_and_the_smallest_weights_do_not_overflow() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(8);
    let f = random_function(&store, 5, 9);
    let domain: Vec<u32> = (0..10).collect();
    for _ in 0..50 {
        let weights: Vec<i64> =
            domain.iter().map(|_| [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, -1][random.usize(..5)]).collect();
        check(&f, &weights, &domain)?;
        check(&f.negated(), &weights, &domain)?;
    }
    // Sums over millions of variables.
    let x = store.variable(77)?;
    let (cost, values) = least(&x, |_| i64::MIN, 0..1 << 22)?.unwrap();
    assert_eq!(cost, i128::from(i64::MIN) << 22);
    assert!(values.into_iter().all(|value| value));
    let (cost, values) = most(&x, |_| i64::MIN, 0..1 << 22)?.unwrap();
    assert_eq!((cost, values.iter().filter(|&&value| value).count()), (i64::MIN.into(), 1));
    assert_eq!(least(&x, |_| -f64::MAX, 0..1 << 22)?.unwrap().0, f64::NEG_INFINITY);
    Ok(())
}

#[test]
fn sums_of_floating_point_weights_do_not_lose_small_ones() -> Result<()> {
    let store = default_store();
    let f = product(&store, 4).swap_remove(3);
    let domain: Vec<u32> = (0..8).collect();
    let mut random = Rng::with_seed(12);
    for _ in 0..100 {
        // Multiples of 2^-40 below 2^13: sums in `f64` would lose the last bits, in whatever order.
        let weights: Vec<i64> = domain
            .iter()
            .map(|_| (i64::from(random.u32(..)) << 28 | 1) * (random.i64(0..3) - 1) + random.i64(0..3))
            .map(|weight| weight >> 7)
            .collect();
        let unit = 2f64.powi(-40);
        let exact = least(&f, weight_of(&weights, &domain), domain.iter().copied())?.unwrap();
        let floating: Vec<f64> = weights.iter().map(|&weight| weight as f64 * unit).collect();
        assert!(floating.iter().zip(&weights).all(|(a, &b)| (a / unit) as i64 == b));
        let found = least(&f, weight_of(&floating, &domain), domain.iter().copied())?.unwrap();
        assert_eq!(found, (exact.0 as f64 * unit, exact.1));
    }
    Ok(())
}

#[test]
fn sums_of_floating_point_weights_of_all_magnitudes_are_exact() -> Result<()> {
    let store = default_store();
    let either = store.variable(0)?.or(&store.variable(1)?)?;
    let both = [0, 1];
    for (weights, cost, values) in [
        ([1.0, 1.0 + f64::EPSILON], 1.0, [true, false]),
        ([f64::MIN_POSITIVE, f64::from_bits(1)], f64::from_bits(1), [false, true]),
        ([f64::from_bits(2), f64::from_bits(3)], f64::from_bits(2), [true, false]),
        ([0.0, -0.0], 0.0, [false, true]),
        ([0.0, f64::MAX], 0.0, [true, false]),
        ([-2f64.powi(124), 1.0], -2f64.powi(124), [true, false]),
        ([2f64.powi(1023), 2f64.powi(900)], 2f64.powi(900), [false, true]),
        ([2f64.powi(50) + 0.25, 2f64.powi(-2)], 0.25, [false, true]),
        ([1e32, 1.0], 1.0, [false, true]),
    ] {
        let found = least(&either, weight_of(&weights, &both), both)?;
        assert_eq!(found, Some((cost, values.to_vec())), "{weights:?}");
        let negative = weights.map(|weight: f64| -weight);
        let found = most(&either, weight_of(&negative, &both), both)?;
        assert_eq!(found, Some((-cost, values.to_vec())), "{weights:?}");
    }
    // The cost is more than the largest `f64`.
    let and = store.variable(0)?.and(&store.variable(1)?)?;
    assert_eq!(least(&and, |_| f64::MAX, both)?.unwrap().0, f64::INFINITY);
    assert_eq!(most(&and, |variable| [f64::MAX, -f64::MAX][variable as usize], both)?.unwrap().0, 0.0);
    Ok(())
}

#[test]
fn weights_whose_sums_would_not_be_exact_are_refused() -> Result<()> {
    let store = default_store();
    let either = store.variable(0)?.or(&store.variable(1)?)?;
    let (all, past) = (2f64.powi(125), 2f64.powi(126));
    for weights in [[f64::MAX, 1.0], [-1e300, 1e-300], [past, 1.0], [all, all + 2f64.powi(100)], [all, -all]] {
        let mut weights = weights.to_vec();
        weights.push(1.0);
        let refused = least(&either, weight_of(&weights, &[0, 1, 2]), 0..3);
        assert!(matches!(refused, Err(Error::WeightsTooFarApart)), "{weights:?}: {refused:?}");
    }
    // The weights are as far apart as they may be.
    assert_eq!(least(&either, |variable| [all, 1.0][variable as usize], 0..2)?, Some((1.0, vec![false, true])));
    Ok(())
}

#[test]
fn weights_that_are_no_numbers_are_refused() -> Result<()> {
    let store = default_store();
    let x = store.variable(5)?;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let weight = |variable| if variable == 7 { bad } else { 1.0 };
        for f in [x.clone(), store.constant(false), store.constant(true)] {
            for refused in [least(&f, weight, [5, 7]), most(&f, weight, [5, 7])] {
                assert!(matches!(refused, Err(Error::WeightNotFinite { variable: 7 })), "{refused:?}");
            }
        }
        // A weight outside of the domain is not asked for.
        assert_eq!(least(&x, weight, [5])?, Some((1.0, vec![true])));
    }
    Ok(())
}

#[test]
fn no_more_of_a_domain_is_read_than_the_budget_has_room_for() -> Result<()> {
    let x = smallest_store().variable(0)?;
    let (mut read, all) = (0, 0..1 << 24);
    let counted = all.clone().inspect(|_| read += 1).filter(|_| true);
    assert!(matches!(x.opt_min(|_| 1, counted), Err(Error::BudgetExceeded { .. })));
    assert!((500_000..3_000_000).contains(&read), "{read}");
    assert!(matches!(x.opt_min(|_| 1, all.clone()), Err(Error::BudgetExceeded { .. })));
    assert!(matches!(x.weighted_count(|_, _| 1.0, all), Err(Error::BudgetExceeded { .. })));
    Ok(())
}

#[test]
fn optima_over_thousands_of_levels_are_right_in_every_store() -> Result<()> {
    for store in [default_store(), smallest_store(), store_with(Limits { queue: 1 << 20, ..spilling() })] {
        let f = chain(&store, 2500)?;
        // Of each step, the cheaper of the first two variables is to be true, and the third one where its weight is
        // negative.
        let weight = |variable: u32| match variable % 3 {
            0 => i64::from(variable % 7) + 1,
            1 => i64::from(variable % 5) + 1,
            _ => i64::from(variable % 2) * -4,
        };
        let (cost, values) = least(&f, weight, 0..7500)?.unwrap();
        let mut expected = (0, Vec::new());
        for step in 0..2500 {
            let [first, second, third] = [0, 1, 2].map(|at| weight(3 * step + at));
            expected.1.extend([first < second, first >= second, third < 0]);
            expected.0 += i128::from(first.min(second) + third);
        }
        assert_eq!((cost, values), expected);
        // Where all weights are zero, the first of all solutions is given: the second variable of each step alone is
        // true.
        let (cost, values) = most(&f, |_| 0i64, 0..7500)?.unwrap();
        assert_eq!(cost, 0);
        assert_eq!(values, [false, true, false].repeat(2500));
    }
    Ok(())
}

/// Optima of `functions`, with many ties and with few.
fn optima(functions: &[Bdd]) -> Result<Vec<(i128, Vec<bool>)>> {
    let mut found = Vec::new();
    for f in functions {
        for few in [3, 1000] {
            let weight = |variable: u32| i64::from(variable * variable * 31 % 101 % few) - i64::from(few) / 3;
            found.extend(least(f, weight, 0..64)?);
            found.extend(most(&f.negated(), weight, 0..64)?);
        }
        found.extend(least(f, |_| 0i64, 0..64)?);
    }
    Ok(found)
}

#[test]
fn optima_are_the_same_under_every_budget() -> Result<()> {
    under_every_budget(1, |store| {
        optima(&[product(store, 6).swap_remove(6), hidden_weighted_bit(store, 14), queens(store, 6)?.0])
    })?;
    Ok(())
}

//! Weighted counts, against sums over all assignments and against known results.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::float_cmp, reason = "what is said to be exact is compared exactly")]

mod common;

use std::f64::consts::LN_2;

use common::{
    default_store,
    functions::{bits, chain, hidden_weighted_bit, of_table, product, queens, random_function},
    smallest_store, spilling, store_with, under_every_budget,
};
use fastrand::Rng;
use num_bigint::{BigInt, BigUint};
use strata_bdd::{Bdd, Config, Error, Result, Store, testing::Limits};

/// The weight function over `domain`: `weights[i]` are the weights of the values false and true of `domain[i]`.
fn weight_of<'a>(weights: &'a [[f64; 2]], domain: &'a [u32]) -> impl Fn(u32, bool) -> f64 + Copy + 'a {
    |variable, value| weights[domain.binary_search(&variable).unwrap()][usize::from(value)]
}

/// The weighted count as a sum over all assignments, and the same sum over the absolute values of all terms.
fn brute_force(f: &Bdd, weights: &[[f64; 2]], domain: &[u32]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for at in 0..1 << domain.len() {
        let value = |place: usize| at >> place & 1 == 1;
        if f.eval(|variable| value(domain.binary_search(&variable).unwrap())).unwrap() {
            let weight: f64 = (0..domain.len()).map(|place| weights[place][usize::from(value(place))]).product();
            sums[0] += weight;
            sums[1] += weight.abs();
        }
    }
    sums
}

/// Checks the weighted count of `f` and its logarithm against all assignments, without any tolerance if `exact`.
fn check(f: &Bdd, weights: &[[f64; 2]], domain: &[u32], exact: bool) -> Result<()> {
    let [expected, magnitude] = brute_force(f, weights, domain);
    let found = f.weighted_count(weight_of(weights, domain), domain.iter().copied())?;
    let off = (found - expected).abs();
    assert!(off <= if exact { 0.0 } else { 1e-14 * magnitude }, "{found} and not {expected}: {weights:?}");
    let logarithm = f.weighted_count_ln(weight_of(weights, domain), domain.iter().copied())?;
    let same = logarithm == found.ln() || logarithm.is_nan() && found < 0.0;
    assert!(same || (logarithm - found.ln()).abs() < 1e-15 * found.ln().abs().max(1.0), "{logarithm}: {found}");
    if exact {
        let whole =
            f.weighted_count_exact(|x, value| weight_of(weights, domain)(x, value) as i64, domain.iter().copied())?;
        assert_eq!(whole, BigInt::from(expected as i128));
    }
    Ok(())
}

/// Checks the marginals of `f` against its conjunctions with each variable; no weight is below zero.
fn check_marginals(f: &Bdd, weights: &[[f64; 2]], domain: &[u32]) -> Result<()> {
    let weight = weight_of(weights, domain);
    let found = f.marginals(weight, domain.iter().copied())?;
    let all = f.weighted_count(weight, domain.iter().copied())?;
    assert_eq!(found.is_none(), all == 0.0, "{weights:?}");
    for (&variable, share) in domain.iter().zip(found.unwrap_or_default()) {
        let with = f.and(&f.store().variable(variable)?)?.weighted_count(weight, domain.iter().copied())?;
        assert!((share - with / all).abs() <= 4.0 * f64::EPSILON, "{share} and not {with} / {all}: {weights:?}");
    }
    Ok(())
}

#[test]
fn every_function_of_three_variables_weighs_what_its_assignments_do() -> Result<()> {
    // The support alone; and supports in a domain with other variables above, between and below the levels.
    let spread = [0, 3, 4, 6, 7, 40, (1 << 24) - 1];
    let mut random = Rng::with_seed(1);
    for (support, domain) in [([0, 1, 2], &[0, 1, 2][..]), ([3, 7, 40], &spread), ([0, 7, 40], &spread)] {
        let store = default_store();
        for table in 0..256u32 {
            let f = of_table(&store, &bits(table, 3), &support)?;
            for round in 0..8 {
                // Small whole numbers: many are zero, and many sums cancel out.
                let mut pair = || [(); 2].map(|()| f64::from(random.i8(-2..=2)));
                let weights: Vec<_> = domain.iter().map(|_| pair()).collect();
                check(&f, &weights, domain, true)?;
                let mut pair = || [(); 2].map(|()| if round == 0 { random.f64() } else { random.f64() - 0.5 });
                let weights: Vec<_> = domain.iter().map(|_| pair()).collect();
                check(&f, &weights, domain, false)?;
                let mut pair = || [(); 2].map(|()| if round == 0 { random.f64() } else { f64::from(random.u8(..3)) });
                let weights: Vec<_> = domain.iter().map(|_| pair()).collect();
                check_marginals(&f, &weights, domain)?;
            }
        }
    }
    Ok(())
}

#[test]
fn larger_functions_weigh_what_their_assignments_do() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(2);
    let domain: Vec<u32> = (0..12).collect();
    for f in product(&store, 5).into_iter().chain([hidden_weighted_bit(&store, 12), random_function(&store, 3, 11)]) {
        let weights: Vec<_> = domain.iter().map(|_| [random.f64(), random.f64() - 0.5]).collect();
        check(&f, &weights, &domain, false)?;
        check(&f.negated(), &weights, &domain, false)?;
        let weights: Vec<_> = domain.iter().map(|_| [random.f64(), random.f64().powi(20)]).collect();
        check_marginals(&f, &weights, &domain)?;
        check_marginals(&f.negated(), &weights, &domain)?;
        let weights: Vec<_> =
            domain.iter().map(|_| [f64::from(random.i8(-3..=3)), f64::from(random.i8(0..9))]).collect();
        check(&f, &weights, &domain, true)?;
    }
    Ok(())
}

#[test]
fn where_every_value_weighs_1_the_weight_is_the_count() -> Result<()> {
    let store = default_store();
    for f in product(&store, 6).iter().chain(&[hidden_weighted_bit(&store, 16), chain(&store, 300)?]) {
        for f in [f, &f.negated()] {
            for variables in [900, 1024, 3000] {
                let domain = 0..variables;
                let found = f.weighted_count(|_, _| 1.0, domain.clone())?;
                assert_eq!(found.to_bits(), f.sat_count_f64(variables)?.to_bits());
                let found = f.weighted_count_ln(|_, _| 1.0, domain)?;
                assert_eq!(found.to_bits(), f.sat_count_ln(variables)?.to_bits());
            }
        }
    }
    Ok(())
}

#[test]
fn probabilities_of_a_function_and_its_negation_add_up_to_1() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(4);
    for f in product(&store, 6).iter().chain(&[hidden_weighted_bit(&store, 20), random_function(&store, 2, 13)]) {
        // Multiples of 2^-40, so that `1.0 - chance` is exact; some are close to 0.
        let chances: Vec<f64> =
            (0..40).map(|_| (random.f64().powi(20) * 2f64.powi(40)).floor() * 2f64.powi(-40)).collect();
        let chance = |variable: u32, value| {
            let chance = chances[variable as usize];
            if value { chance } else { 1.0 - chance }
        };
        let [p, q] = [f.weighted_count(chance, 0..40)?, f.negated().weighted_count(chance, 0..40)?];
        assert!(p >= 0.0 && q >= 0.0 && (p + q - 1.0).abs() <= f64::EPSILON, "{p} and {q}");
        // Variables outside the support make no difference.
        let over_support = f.weighted_count(chance, f.support())?;
        assert!((p - over_support).abs() <= f64::EPSILON * p);
    }
    Ok(())
}

#[test]
fn a_very_small_probability_is_exact() -> Result<()> {
    let store = default_store();
    let rare = store.cube((0..20).map(|variable| (variable, true)))?;
    let chance = |_, value: bool| if value { 2f64.powi(-10) } else { 1.0 - 2f64.powi(-10) };
    for f in
        [rare.clone(), rare.negated().negated(), store.clause((0..20).map(|variable| (variable, false)))?.negated()]
    {
        assert_eq!(f.weighted_count(chance, 0..20)?, 2f64.powi(-200));
        assert_eq!(f.weighted_count_ln(chance, 0..20)?, -200.0 * LN_2);
    }
    Ok(())
}

#[test]
fn the_probability_that_a_bridge_network_works_is_the_known_polynomial() -> Result<()> {
    // Lines 0 and 1 leave the source, lines 3 and 4 reach the target, and line 2 joins the middle.
    let (store, domain) = (default_store(), [0, 1, 2, 3, 4]);
    let paths = [&[0, 3][..], &[1, 4], &[0, 2, 4], &[1, 2, 3]];
    let path = |lines: &[u32]| store.cube(lines.iter().map(|&line| (line, true)));
    let works = paths.iter().try_fold(store.constant(false), |works, lines| works.or(&path(lines)?))?;
    for p in [0.0, 0.1, 0.5, 0.9, 0.99, 1.0f64] {
        let found = works.weighted_count(|_, works| if works { p } else { 1.0 - p }, domain)?;
        let known = 2.0 * p.powi(2) + 2.0 * p.powi(3) - 5.0 * p.powi(4) + 2.0 * p.powi(5);
        assert!((found - known).abs() < 1e-15, "{found} and not {known}");
        check(&works, &[[1.0 - p, p]; 5], &domain, p == 0.0 || p == 0.5 || p == 1.0)?;
    }
    check(&works, &[[0.2, 0.8], [0.4, 0.6], [0.9, 0.1], [0.05, 0.95], [0.5, 0.5]], &domain, false)
}

#[test]
fn constants_and_single_nodes_weigh_what_their_variables_do() -> Result<()> {
    let store = default_store();
    let weight = |variable: u32, value| f64::from(variable) + if value { 0.5 } else { -2.0 };
    let domain = [1, 3, 9];
    let [first, third, ninth] = [0.5, 4.5, 16.5];
    assert_eq!(store.constant(true).weighted_count(weight, domain)?, first * third * ninth);
    assert_eq!(store.constant(true).weighted_count(weight, [])?, 1.0);
    assert_eq!(store.constant(true).weighted_count_ln(weight, [])?, 0.0);
    for domain in [&domain[..], &[]] {
        assert_eq!(store.constant(false).weighted_count(weight, domain.iter().copied())?, 0.0);
        assert_eq!(store.constant(false).weighted_count_ln(weight, domain.iter().copied())?, f64::NEG_INFINITY);
    }
    let x = store.variable(3)?;
    assert_eq!(x.weighted_count(weight, domain)?, first * 3.5 * ninth);
    assert_eq!(x.negated().weighted_count(weight, domain)?, first * 1.0 * ninth);
    assert_eq!(x.weighted_count(weight, [3])?, 3.5);
    assert_eq!(x.weighted_count(|_, value| f64::from(u8::from(!value)), [3])?, 0.0);
    assert!(x.weighted_count_ln(|_, _| -1.0, [3])?.is_nan());
    Ok(())
}

#[test]
fn weights_are_asked_for_in_order_and_once() -> Result<()> {
    let f = default_store().variable(5)?;
    let mut asked = Vec::new();
    let weight = |variable, value| {
        asked.push((variable, value));
        1.0
    };
    f.weighted_count(weight, [2, 5, 8])?;
    assert_eq!(asked, [(2, false), (2, true), (5, false), (5, true), (8, false), (8, true)]);
    Ok(())
}

#[test]
fn both_values_of_a_free_auxiliary_variable_with_a_negative_weight_cancel_out() -> Result<()> {
    // z must be true where some x is true. Elsewhere both values of z are allowed, and false weighs −1.
    let store = default_store();
    let some = store.clause((0..10).map(|variable| (variable, true)))?;
    let loose = store.variable(50)?.or(&some.negated())?;
    let weight = |variable, value: bool| if variable == 50 && !value { -1.0 } else { 1.0 };
    // Where all x are false, both values of z cancel out; at the 1023 other points z is true.
    assert_eq!(loose.weighted_count(weight, (0..10).chain([50]))?, 1023.0);
    Ok(())
}

#[test]
fn weights_that_are_no_numbers_are_refused() -> Result<()> {
    let store = default_store();
    let x = store.variable(5)?;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for of in [false, true] {
            let weight = |variable, value| if variable == 7 && value == of { bad } else { 1.0 };
            for f in [x.clone(), store.constant(false), store.constant(true)] {
                for refused in [f.weighted_count(weight, [5, 7]), f.weighted_count_ln(weight, [5, 7])] {
                    assert!(matches!(refused, Err(Error::WeightNotFinite { variable: 7 })), "{refused:?}");
                }
                let refused = f.marginals(weight, [5, 7]);
                assert!(matches!(refused, Err(Error::WeightNotFinite { variable: 7 })), "{refused:?}");
            }
            // A weight outside of the domain is not asked for.
            assert_eq!(x.weighted_count(weight, [5])?, 1.0);
        }
    }
    Ok(())
}

/// The exact weighted count as a sum over all assignments.
fn whole_sum(f: &Bdd, weights: &[[i64; 2]]) -> BigInt {
    let all = 0..1u32 << weights.len();
    let solutions = all.filter(|at| f.eval(|variable| at >> variable & 1 == 1).unwrap());
    let weigh =
        |at: u32| (0..weights.len()).map(|place| BigInt::from(weights[place][(at >> place & 1) as usize])).product();
    solutions.map(|at| -> BigInt { weigh(at) }).sum()
}

#[test]
fn whole_weights_of_any_size_and_sign_are_added_up_exactly() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(11);
    for f in product(&store, 5).into_iter().chain([hidden_weighted_bit(&store, 10), random_function(&store, 3, 10)]) {
        // With 63 bits each, ten variables have more bits than one sweep has residues for.
        for bits in [1, 8, 20, 24, 25, 40, 63, 64] {
            let mut number = || match random.u8(..10) {
                0 => [i64::MIN, i64::MAX, 0, -1][random.usize(..4)] >> (64 - bits),
                _ => random.i64(..) >> (64 - bits),
            };
            let weights: Vec<[i64; 2]> = (0..10).map(|_| [number(), number()]).collect();
            let weight = |variable: u32, value| weights[variable as usize][usize::from(value)];
            for f in [f.clone(), f.negated()] {
                assert_eq!(f.weighted_count_exact(weight, 0..10)?, whole_sum(&f, &weights), "{bits}: {weights:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn exact_weights_of_thousands_of_digits_are_known_products() -> Result<()> {
    for store in [default_store(), smallest_store(), store_with(Limits { queue: 1 << 20, ..spilling() })] {
        // A step weighs (5 · 7 + 3 · (4 + 7)) · (2 − 9).
        let weight = |variable: u32, value| [[5, 3], [4, 7], [2, -9]][variable as usize % 3][usize::from(value)];
        for steps in [1, 27, 28, 29, 1000, 1001] {
            let f = chain(&store, steps)?;
            let found = f.weighted_count_exact(weight, 0..3 * steps)?;
            assert_eq!(found, BigInt::from(-7 * (5 * 7 + 3 * 11)).pow(steps), "{steps}");
            // Variables without a level.
            let found = f.weighted_count_exact(weight, 0..3 * steps + 3000)?;
            let more = BigInt::from(8 * 11 * -7).pow(1000);
            assert_eq!(found, BigInt::from(-7 * (5 * 7 + 3 * 11)).pow(steps) * more, "{steps}");
        }
        let count = |f: &Bdd| f.weighted_count_exact(|_, _| 1, 0..3600);
        for f in [chain(&store, 1200)?, store.exactly(200, 0..400)?, store.constant(true), store.constant(false)] {
            assert_eq!(count(&f)?, f.sat_count(3600)?.into());
            assert_eq!(count(&f.negated())?, f.negated().sat_count(3600)?.into());
        }
        assert_eq!(store.stats().temp_bytes, 0);
    }
    Ok(())
}

#[test]
fn an_exact_weighted_count_is_as_many_sweeps_as_its_bits_need() -> Result<()> {
    let store = default_store();
    for (levels, weight, sweeps) in
        [(60, 1, 1), (60, -1, 1), (60, 8, 1), (241, 1, 1), (243, 1, 2), (243, -4, 2), (1000, 1, 3)]
    {
        let f = store.parity(0..levels)?;
        let found = f.weighted_count_exact(|_, _| weight, 0..levels)?;
        assert_eq!(found, BigInt::from(weight).pow(levels) << (levels - 1));
        assert_eq!(store.operations().pop().unwrap().sweeps, sweeps, "{levels} levels of {weight}");
    }
    Ok(())
}

#[test]
fn weights_below_zero_are_no_probabilities() -> Result<()> {
    let store = default_store();
    let x = store.variable(5)?;
    for f in [x.clone(), store.constant(false), store.constant(true)] {
        for (of, other) in [(false, 1.0), (true, 3.0), (true, 2.0)] {
            let weight = |variable, value| if variable == 7 { [other, -2.0][usize::from(value == of)] } else { 1.0 };
            let refused = f.marginals(weight, [5, 7]);
            assert!(matches!(refused, Err(Error::WeightNegative { variable: 7 })), "{refused:?}");
        }
        let asked = f.marginals(|_, value| if value { 3.0 } else { -0.0 }, [5, 7])?;
        assert_eq!(asked, (!f.is_false()).then_some(vec![1.0, 1.0]));
    }
    Ok(())
}

#[test]
fn marginals_of_constants_are_the_weights_shares() -> Result<()> {
    let store = default_store();
    let weight = |variable: u32, value| [3.0, f64::from(variable)][usize::from(value)];
    assert_eq!(store.constant(true).marginals(weight, [0, 1, 9])?, Some(vec![0.0, 0.25, 0.75]));
    assert_eq!(store.constant(true).marginals(weight, [])?, Some(Vec::new()));
    assert_eq!(store.constant(false).marginals(weight, [])?, None);
    // Nothing has a weight where both values of one variable have none, whether it is tested or not.
    for none in [0, 1, 9] {
        let weight = |variable, _| if variable == none { 0.0 } else { 1.0 };
        for f in [store.constant(true), store.variable(0)?, store.variable(0)?.or(&store.variable(9)?)?] {
            assert_eq!(f.marginals(weight, [0, 1, 9])?, None);
        }
    }
    assert!(store.variable(3)?.marginals(weight, [2]).is_err_and(|error| matches!(error, Error::OutsideDomain { .. })));
    Ok(())
}

#[test]
fn where_all_weigh_the_same_marginals_are_shares_of_solutions() -> Result<()> {
    // Of weights beyond `f64`, too: some 2^±(900 · 3750) half-way, and in all.
    for (store, scale) in
        [(default_store(), 1.0), (smallest_store(), 2f64.powi(900)), (default_store(), 2f64.powi(-900))]
    {
        for f in [chain(&store, 1250)?, product(&store, 6).swap_remove(6)] {
            let counts = f.literal_counts(0..4000)?;
            let found = f.marginals(|variable, _| if variable < 1875 { scale } else { scale.recip() }, 0..4000)?;
            let constant = f.marginals(|_, _| scale, 0..4000)?;
            for ((found, constant), [low, high]) in found.unwrap().into_iter().zip(constant.unwrap()).zip(counts) {
                let units = high.clone() * (1u64 << 52) / (low + high);
                let expected = units.to_string().parse::<f64>().unwrap() * f64::EPSILON;
                assert!((found - expected).abs() <= 8.0 * f64::EPSILON, "{found} and not {expected}");
                assert_eq!(found, constant);
            }
        }
    }
    Ok(())
}

#[test]
fn counts_are_exact_even_if_products_on_the_way_exceed_f64() -> Result<()> {
    for store in [default_store(), smallest_store(), store_with(Limits { queue: 1 << 20, ..spilling() })] {
        let f = chain(&store, 2500)?;
        // After half of the variables, the product is some 2^±(900 · 3750).
        for sign in [1, -1] {
            let weight = |variable: u32, value| {
                let up = (variable < 3750) == (sign > 0);
                let scale = 2f64.powi(if up { 900 } else { -900 });
                // A step weighs (2 · 1 + 1 · 2) · (1/8 + 1/8) = 1, but for the scale.
                scale * [[2.0, 1.0], [1.0, 1.0], [0.125, 0.125]][variable as usize % 3][usize::from(value)]
            };
            assert_eq!(f.weighted_count(weight, 0..7500)?, 1.0);
            assert_eq!(f.weighted_count_ln(weight, 0..7500)?, 0.0);
        }
        // Results that are beyond `f64`.
        for (weight, expected) in [(1e300, f64::INFINITY), (1e-300, 0.0), (0.0, 0.0)] {
            let found = f.weighted_count(|_, _| weight, 0..7500)?;
            assert_eq!(found, expected);
            let found = f.weighted_count_ln(|_, _| weight, 0..7500)?;
            let expected = 7500.0 * weight.ln() + 2500.0 * 6f64.ln();
            assert!(found == expected || (found - expected).abs() < 1e-14 * expected.abs(), "{found} {expected}");
        }
        // The values of one variable weigh 1 and −1: variable 3000 is tested, variable 3002 is not.
        for none in [3000, 3002] {
            let weight = |variable, value| if variable == none && value { -1.0 } else { 1.0 };
            let found = f.weighted_count(weight, 0..7500)?;
            assert_eq!(found == 0.0, none == 3002, "{found}");
        }
    }
    Ok(())
}

#[test]
fn a_count_that_is_not_exact_is_within_the_promised_error() -> Result<()> {
    let store = default_store();
    // A step weighs (1 · 3 + 2 · 4) · (1 + 2) = 33.
    let weight = |variable: u32, value| [[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]][variable as usize % 3][usize::from(value)];
    for steps in 1..200 {
        let f = chain(&store, steps)?;
        let exact = BigUint::from(33u8).pow(steps).to_string().parse::<f64>().unwrap();
        let found = f.weighted_count(weight, 0..3 * steps)?;
        let parts = f.node_count() as f64 + 2.0 * f64::from(3 * steps);
        assert!(found <= exact && found >= exact * (1.0 - parts * 2f64.powi(-62) - f64::EPSILON), "{found}: {exact}");
        assert!(found == exact || steps > 12, "33^12 is below 2^64");
    }
    Ok(())
}

#[test]
fn an_arc_that_skips_thousands_of_levels_weighs_what_these_levels_do() -> Result<()> {
    // f is x(0) ∨ (x(1) ∧ … ∧ x(4999)): the high arc of the root skips all other levels.
    let store = default_store();
    let f = store.variable(0)?.or(&store.cube((1..5000).map(|variable| (variable, true)))?)?;
    let weight = |variable: u32, value| match (variable, value) {
        (0, _) => 1.0,
        (_, true) => {
            if variable.is_multiple_of(2) {
                2f64.powi(800)
            } else {
                2f64.powi(-800)
            }
        }
        _ => 0.0,
    };
    assert_eq!(f.weighted_count(weight, 0..5000)?, 2f64.powi(-800) * 2.0);
    // Both paths to true weigh the same. If the values of one skipped variable cancel out, only the longer path is
    // left.
    for none in [1, 2, 1234, 2500, 4999] {
        let cancelled = |variable, value: bool| {
            if variable == none && !value { -weight(variable, true) } else { weight(variable, value) }
        };
        assert_eq!(f.weighted_count(cancelled, 0..5000)?, 2f64.powi(-800));
    }
    Ok(())
}

/// The bits of weighted counts of `functions`, with weights of many magnitudes and of both signs.
fn count_bits(functions: &[Bdd]) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    for f in functions {
        for below in [0.0, 0.5] {
            let weight = |variable: u32, value| {
                let mut random = Rng::with_seed(u64::from(2 * variable) + u64::from(value));
                (random.f64() - below) * 2f64.powi(random.i32(-40..40))
            };
            found.push(f.weighted_count(weight, 0..64)?.to_bits());
            found.push(f.negated().weighted_count(weight, 0..64)?.to_bits());
            found.push(f.weighted_count_ln(weight, 0..64)?.to_bits());
            if below == 0.0 {
                found.extend(f.marginals(weight, 0..64)?.unwrap().into_iter().map(f64::to_bits));
            }
        }
    }
    Ok(found)
}

#[test]
fn weighted_counts_have_the_same_bits_under_every_budget_and_number_of_threads() -> Result<()> {
    let work = |store: &Store| -> Result<_> {
        let functions = [
            product(store, 6).swap_remove(6),
            hidden_weighted_bit(store, 14),
            queens(store, 6)?.0,
            random_function(store, 9, 14),
        ];
        let before = store.stats().spilled_bytes;
        let bits = count_bits(&functions)?;
        let spilled = store.stats().spilled_bytes > before;
        match &store.config().testing.limits {
            Some(limits) => assert!(spilled || limits.queue >= 1 << 24),
            None => assert!(!spilled),
        }
        Ok(bits)
    };
    let huge = Store::new(Config { memory: 4 << 30, threads: 2, ..Config::default() })?;
    assert_eq!(work(&huge)?, under_every_budget(2, work)?);
    Ok(())
}

#[test]
fn a_weighted_count_is_one_sweep() -> Result<()> {
    let store = default_store();
    let f = product(&store, 5).swap_remove(5);
    f.weighted_count(|_, _| 0.5, 0..10)?;
    let last = store.operations().pop().unwrap();
    assert_eq!((last.operation, last.sweeps, last.levels), ("weighted_count", 1, f.support().len() as u64));
    Ok(())
}

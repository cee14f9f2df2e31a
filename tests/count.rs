//! Counts in floating point against exact counts, exact counts of many bits, and counts of literals against those of what each
//! literal leaves.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::float_cmp, reason = "what is said to be exact is compared exactly")]

mod common;

use std::f64::consts::LN_2;

use common::{
    default_store,
    functions::{bits, hidden_weighted_bit, of_table, product, random_function},
    limits, smallest_store, store_with, under_every_budget,
};
use num_bigint::BigUint;
use strata_bdd::{Bdd, BuilderNode, Error, Result, Store};

fn ln(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    u64::try_from(number >> shift).map_or(f64::NAN, |leading| (leading as f64).ln() + shift as f64 * LN_2)
}

/// Checks `sat_count_f64` and `sat_count_ln` against the exact count.
fn check(f: &Bdd, variables: u32) -> Result<()> {
    let exact = f.sat_count(variables)?;
    let rounded = exact.to_string().parse::<f64>().unwrap();
    let bound = f.node_count() as f64 * 2f64.powi(-61) + 2f64.powi(-53);
    let found = f.sat_count_f64(variables)?;
    assert!(found == rounded || (found / rounded - 1.0).abs() <= bound, "{found} and not {exact}");
    if exact.bits() <= 53 {
        assert_eq!(found, rounded);
    }
    let found = f.sat_count_ln(variables)?;
    let logarithm = ln(&exact);
    let bound = f.node_count() as f64 * 2f64.powi(-61) + 4.0 * f64::EPSILON * logarithm.abs();
    assert!(found == logarithm || (found - logarithm).abs() <= bound, "{found} and not {logarithm}");
    Ok(())
}

#[test]
fn counts_of_small_functions_are_exact_in_floating_point_too() -> Result<()> {
    let store = default_store();
    for table in 1..256u32 {
        let f = of_table(&store, &bits(table, 3), &[3, 4, 1000])?;
        assert_eq!(f.sat_count_f64(3)?, f64::from(table.count_ones()));
        assert_eq!(f.sat_count_f64(103)?, f64::from(table.count_ones()) * 2f64.powi(100));
        for variables in [3, 4, 50, 1000, 1026, 1027] {
            check(&f, variables)?;
        }
    }
    Ok(())
}

#[test]
fn an_exact_count_is_as_many_sweeps_as_its_bits_need() -> Result<()> {
    let store = default_store();
    // In 64 bits for either terminal; then, beyond 244 levels, in floating point; then 915 bits at a time.
    for (levels, sweeps) in
        [(64, 1), (65, 3), (244, 3), (245, 4), (487, 4), (488, 4), (489, 4), (914, 4), (915, 5), (1829, 5), (1830, 6)]
    {
        let f = store.parity(0..levels)?;
        assert_eq!(f.sat_count(levels)?, BigUint::from(1u8) << (levels - 1));
        assert_eq!(store.operations().pop().unwrap().sweeps, sweeps, "{levels} levels");
    }
    Ok(())
}

#[test]
fn counts_of_larger_functions_are_within_the_promised_error() -> Result<()> {
    let store = default_store();
    for f in product(&store, 7).iter().chain(&[hidden_weighted_bit(&store, 20), random_function(&store, 2, 13)]) {
        check(f, 20)?;
        check(&f.negated(), 20)?;
        check(f, 3000)?;
    }
    Ok(())
}

#[test]
fn counts_and_logarithms_of_constants_are_right_up_to_the_most_variables() -> Result<()> {
    let store = default_store();
    for variables in [0, 1, 1 << 24] {
        assert_eq!(store.constant(false).sat_count_ln(variables)?, f64::NEG_INFINITY);
        assert_eq!(store.constant(false).sat_count_f64(variables)?, 0.0);
        assert_eq!(store.constant(true).sat_count_ln(variables)?, f64::from(variables) * LN_2);
    }
    assert_eq!(store.constant(true).sat_count_f64(1023)?, 2f64.powi(1023));
    assert_eq!(store.constant(true).sat_count_f64(1024)?, f64::INFINITY);
    assert_eq!(store.constant(true).sat_count_f64(1 << 24)?, f64::INFINITY);
    let x = store.variable((1 << 24) - 1)?;
    assert_eq!(x.sat_count_ln(1 << 24)?, f64::from((1 << 24) - 1) * LN_2);
    Ok(())
}

#[test]
fn too_few_variables_or_too_many_are_refused() -> Result<()> {
    let store = default_store();
    let f = store.variable(3)?.xor(&store.variable(9)?)?;
    for refused in [f.sat_count_ln(1), f.sat_count_f64(1)] {
        assert!(matches!(refused, Err(Error::TooFewVariables { given: 1, support: 2 })), "{refused:?}");
    }
    for refused in [f.sat_count_ln((1 << 24) + 1), f.sat_count_f64((1 << 24) + 1)] {
        assert!(matches!(refused, Err(Error::TooManyVariables { most: 0x0100_0000, .. })), "{refused:?}");
    }
    Ok(())
}

/// `given` variables that must all be true, and below them `steps` pairs of variables of which at least one must be
/// true.
fn chain(store: &Store, given: u32, steps: u32) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut below = BuilderNode::from(true);
    for step in (0..steps).rev() {
        let second = builder.add_node(given + 2 * step + 1, false, below)?;
        below = builder.add_node(given + 2 * step, second, below)?;
    }
    for variable in (0..given).rev() {
        below = builder.add_node(variable, false, below)?;
    }
    builder.build()
}

#[test]
fn counts_over_thousands_of_levels_are_exact_however_many_bits_they_have() -> Result<()> {
    for store in [default_store(), smallest_store()] {
        for (given, steps) in [(0, 121), (0, 122), (2000, 60), (2000, 600), (3000, 1), (1, 1500)] {
            let f = chain(&store, given, steps)?;
            let expected = BigUint::from(3u8).pow(steps);
            let levels = given + 2 * steps;
            assert_eq!(f.sat_count(levels)?, expected);
            assert_eq!(f.negated().sat_count(levels)?, (BigUint::from(1u8) << levels) - &expected);
            assert_eq!(f.path_count()?, BigUint::from(2u8).pow(steps));
            check(&f, levels)?;
            check(&f.negated(), levels)?;
            let logarithm = f64::from(steps) * 3f64.ln();
            assert!((f.sat_count_ln(levels)? - logarithm).abs() < 1e-12 * logarithm);
        }
    }
    Ok(())
}

/// The counts of literals over `variables` variables, each by fixing it.
fn counts_by_fixing(f: &Bdd, variables: u32) -> Result<Vec<[BigUint; 2]>> {
    let count = |literal| f.restrict([literal])?.sat_count(variables - 1);
    (0..variables).map(|variable| Ok([count((variable, false))?, count((variable, true))?])).collect()
}

#[test]
fn counts_of_literals_are_those_of_what_fixing_them_leaves() -> Result<()> {
    let functions = |store: &Store| -> Result<[Bdd; 5]> {
        let operands = product(store, 5);
        Ok([
            hidden_weighted_bit(store, 13),
            random_function(store, 4, 12),
            operands[4].xor(&operands[7])?,
            // More than 64 bits for a function and its negation; and for one of the two.
            chain(store, 3, 40)?.xor(&chain(store, 0, 50)?)?,
            chain(store, 90, 5)?,
        ])
    };
    let counts = under_every_budget(1, |store| {
        let counts = |f: &Bdd| Ok([f.literal_counts(0..101)?, f.negated().literal_counts(0..101)?]);
        functions(store)?.iter().map(counts).collect::<Result<Vec<_>>>()
    })?;
    for (f, [counts, of_negation]) in functions(&default_store())?.iter().zip(counts) {
        assert_eq!(counts, counts_by_fixing(f, 101)?);
        assert_eq!(of_negation, counts_by_fixing(&f.negated(), 101)?);
    }
    Ok(())
}

#[test]
fn counts_of_literals_over_thousands_of_levels_are_exact() -> Result<()> {
    for store in [default_store(), smallest_store()] {
        for (given, steps) in [(2, 121), (5, 122), (1000, 60), (1, 700)] {
            let f = chain(&store, given, steps)?;
            let (all, levels) = (BigUint::from(3u8).pow(steps), given + 2 * steps);
            let (third, half) = (&all / 3u8, BigUint::from(1u8) << (levels - 1));
            let counts = f.literal_counts(0..levels)?;
            let of_negation = f.negated().literal_counts(0..levels)?;
            for (variable, (counts, of_negation)) in (0..).zip(counts.into_iter().zip(of_negation)) {
                let low = if variable < given { BigUint::ZERO } else { third.clone() };
                assert_eq!(counts, [low.clone(), &all - low], "{variable}");
                assert_eq!(of_negation, counts.map(|count| &half - count), "{variable}");
            }
        }
    }
    Ok(())
}

#[test]
fn approximations_are_the_same_under_every_budget() -> Result<()> {
    let work = |store: &Store| -> Result<Vec<u64>> {
        let functions = [random_function(store, 9, 12), chain(store, 0, 60)?.xor(&random_function(store, 9, 10))?];
        let both = |f: &Bdd| Ok([f.sat_count_ln(120)?.to_bits(), f.sat_count_f64(120)?.to_bits()]);
        Ok(functions.iter().map(both).collect::<Result<Vec<_>>>()?.concat())
    };
    let expected = work(&default_store())?;
    let spilling = limits(|limits| {
        (limits.block, limits.queue, limits.diagrams) = (256, 64 << 10, 0);
        (limits.sort, limits.dense, limits.window) = (16 << 10, 16 << 10, 256);
    });
    assert_eq!(work(&store_with(spilling))?, expected);
    assert_eq!(work(&smallest_store())?, expected);
    Ok(())
}

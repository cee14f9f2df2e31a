//! Cubes and clauses: against their definition, against operators, at extremes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{Random, default_store, smallest_store};
use strata_bdd::{Error, Result};

const LARGEST: u32 = (1 << 24) - 1;

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last as u32 + 1) as usize);
    }
}

#[test]
fn a_literal_is_its_variable_or_the_negation() -> Result<()> {
    let store = default_store();
    for variable in [0, 1, 1000, LARGEST] {
        assert_eq!(store.literal(variable, true)?, store.variable(variable)?);
        assert_eq!(store.literal(variable, false)?, store.variable(variable)?.negated());
    }
    Ok(())
}

#[test]
fn cubes_and_clauses_are_what_operators_make_in_any_order() -> Result<()> {
    let store = default_store();
    let mut random = Random::new(1);
    for signs in 0..64 {
        let mut literals: Vec<_> =
            (0..).zip([0, 3, 4, 9, 4000, LARGEST]).map(|(at, variable)| (variable, signs >> at & 1 == 1)).collect();
        shuffle(&mut literals, &mut random);
        for len in 0..=literals.len() {
            let (mut all, mut any) = (store.constant(true), store.constant(false));
            for &(variable, value) in &literals[..len] {
                let literal = store.literal(variable, value)?;
                (all, any) = (all.and(&literal)?, any.or(&literal)?);
            }
            // Each of them twice.
            let twice = || literals[..len].iter().chain(&literals[..len]).copied();
            assert_eq!(store.cube(twice())?, all);
            assert_eq!(store.clause(twice())?, any);
        }
    }
    Ok(())
}

#[test]
fn a_variable_with_both_values_decides_cube_and_clause() -> Result<()> {
    let store = default_store();
    let both = [(7, true), (2, false), (9, true), (7, false), (7, true)];
    assert_eq!(store.cube(both)?, store.constant(false));
    assert_eq!(store.clause(both)?, store.constant(true));
    Ok(())
}

#[test]
fn too_many_literals_are_an_error_and_leave_the_budget_free() -> Result<()> {
    let store = smallest_store();
    for _ in 0..3 {
        // Nobody's list of literals is endless, but who knows.
        let failed = store.cube(std::iter::repeat((0, true)));
        assert!(
            matches!(failed, Err(Error::BudgetExceeded { needed, available, .. }) if needed > available),
            "{failed:?}"
        );
    }
    assert_eq!(store.cube((0..20_000).map(|v| (LARGEST - v, true)))?.node_count(), 20_000);
    Ok(())
}

#[test]
fn a_variable_out_of_range_is_named() {
    let store = default_store();
    let failures = [
        store.literal(LARGEST + 1, true),
        // However the rest would decide.
        store.cube([(0, true), (0, false), (LARGEST + 1, true)]),
        store.clause([(LARGEST + 1, true), (0, true), (0, false)]),
    ];
    for failure in failures {
        assert!(matches!(failure, Err(Error::VariableOutOfRange { .. })), "{failure:?}");
    }
}

#[test]
fn nothing_given_is_true_of_all_and_false_of_any() -> Result<()> {
    let store = default_store();
    assert_eq!(store.cube([])?, store.constant(true));
    assert_eq!(store.clause([])?, store.constant(false));
    Ok(())
}

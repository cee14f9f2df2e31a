//! Random assignments: each is true and as likely as any other, and every budget draws the same.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::collections::HashMap;

use common::{
    default_store,
    functions::{chain, hidden_weighted_bit, of_table, parity, product, queens},
    smallest_store, spilling, store_with, under_every_budget,
};
use fastrand::Rng;
use strata_bdd::{Bdd, Error, Result, testing::Limits};

/// How often each assignment is in `samples`.
fn tally(samples: Vec<Vec<bool>>) -> HashMap<Vec<bool>, u64> {
    let mut tally = HashMap::new();
    for sample in samples {
        *tally.entry(sample).or_default() += 1;
    }
    tally
}

/// Pearson's χ² of counts with equal expectations: the difference from its mean, in standard deviations.
fn deviation(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let chi_squared: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi_squared - freedom) / (2.0 * freedom).sqrt()
}

fn is_true(f: &Bdd, sample: &[bool], domain: &[u32]) -> bool {
    f.eval(|variable| sample[domain.binary_search(&variable).unwrap()]).unwrap()
}

#[test]
fn all_solutions_of_small_functions_are_equally_likely() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(4);
    let mut deviations = Vec::new();
    for round in 0..300 {
        let domain = [0, 1, 5, 6, 1000, (1 << 24) - 1];
        let support: Vec<u32> = domain.into_iter().filter(|_| random.u32(..4) > 0).collect();
        let support = if support.is_empty() { vec![5] } else { support };
        let table: Vec<bool> = (0..1 << support.len()).map(|_| random.u32(..3) == 0).collect();
        let mut f = of_table(&store, &table, &support)?;
        if round % 2 == 0 {
            f = f.negated();
        }
        let solutions = u64::try_from(f.sat_count(6)?).unwrap();
        let tally = tally(f.sample(100 * solutions as usize, round, domain)?);
        assert_eq!(tally.len() as u64, solutions, "every solution is drawn, and nothing else");
        assert!(tally.keys().all(|sample| is_true(&f, sample, &domain)));
        if solutions > 1 {
            deviations.push(deviation(&tally.into_values().collect::<Vec<_>>()));
        }
    }
    // The seeds are fixed, so the bounds hold in every run or in none.
    let most = deviations.iter().copied().fold(f64::MIN, f64::max);
    let mean = deviations.iter().sum::<f64>() / deviations.len() as f64;
    assert!(most < 6.0 && mean.abs() < 0.2, "{most} {mean}");
    Ok(())
}

#[test]
fn placements_of_queens_are_equally_likely() -> Result<()> {
    let (board, _) = queens(&default_store(), 7)?;
    let tally = tally(board.sample(8000, 7, 0..49)?);
    assert_eq!(tally.len(), 40);
    let deviation = deviation(&tally.into_values().collect::<Vec<_>>());
    assert!(deviation.abs() < 3.0, "{deviation}");
    Ok(())
}

#[test]
fn every_variable_is_true_as_often_as_in_all_solutions() -> Result<()> {
    let store = default_store();
    let f = hidden_weighted_bit(&store, 14);
    let samples = f.sample(20_000, 99, 0..14)?;
    let all = f.sat_count_f64(14)?;
    for variable in 0..14 {
        let share = f.and(&store.variable(variable)?)?.sat_count_f64(14)? / all;
        let found = samples.iter().filter(|sample| sample[variable as usize]).count() as f64 / 20_000.0;
        let deviation = (share * (1.0 - share) / 20_000.0).sqrt();
        assert!((found - share).abs() < 4.0 * deviation, "{variable}: {found} and not {share}");
    }
    Ok(())
}

#[test]
fn true_gives_all_assignments_equally_often_and_false_gives_none() -> Result<()> {
    let store = default_store();
    let domain = [2, 3, 9];
    let tally = tally(store.constant(true).sample(8000, 1, domain)?);
    assert_eq!(tally.len(), 8);
    assert!(deviation(&tally.into_values().collect::<Vec<_>>()).abs() < 3.0);
    assert_eq!(store.constant(true).sample(3, 1, [])?, vec![vec![]; 3]);
    assert!(store.constant(false).sample(3, 1, domain)?.is_empty());
    assert!(store.constant(false).sample(3, 1, [])?.is_empty());
    assert!(store.variable(3)?.sample(0, 1, domain)?.is_empty());
    Ok(())
}

#[test]
fn a_sample_depends_on_its_seed_and_number_alone() -> Result<()> {
    let f = product(&default_store(), 5).swap_remove(5);
    let samples = f.sample(500, 42, 0..10)?;
    assert_eq!(f.sample(500, 42, 0..10)?, samples);
    assert_eq!(f.sample(77, 42, 0..10)?, samples[..77]);
    let wider = f.sample(500, 42, (0..10).chain([70, 71]))?;
    assert!(wider.iter().zip(&samples).all(|(wide, sample)| wide[..10] == sample[..]));
    assert_eq!(tally(wider.iter().map(|wide| wide[10..].to_vec()).collect()).len(), 4);
    assert_ne!(f.sample(500, 43, 0..10)?, samples);
    Ok(())
}

#[test]
fn more_samples_than_memory_can_hold_are_an_error() -> Result<()> {
    let f = default_store().variable(1)?;
    assert!(matches!(f.sample(usize::MAX, 0, [1]), Err(Error::TooManySamples { count: usize::MAX })));
    Ok(())
}

#[test]
fn samples_over_thousands_of_levels_are_uniform_and_the_same_in_every_store() -> Result<()> {
    let mut expected = None;
    for store in [default_store(), smallest_store(), store_with(Limits { queue: 1 << 20, ..spilling() })] {
        let f = chain(&store, 2500)?;
        let samples = f.sample(30, 5, 0..7500)?;
        let mut outcomes = [0; 8];
        for step in samples.iter().flat_map(|sample| sample.chunks(3)) {
            outcomes[step.iter().fold(0, |at, &value| 2 * at + usize::from(value))] += 1;
        }
        assert_eq!(outcomes[..2], [0, 0]);
        assert!(deviation(&outcomes[2..]).abs() < 3.0, "{outcomes:?}");
        assert_eq!(expected.get_or_insert(samples.clone()), &samples);
    }
    Ok(())
}

#[test]
fn samples_of_2_to_the_4999_solutions_have_as_many_ones_as_zeroes() -> Result<()> {
    let f = parity(&smallest_store(), 0..5000)?;
    let samples = f.sample(40, 8, 0..5000)?;
    let ones = |sample: &Vec<bool>| sample.iter().filter(|&&value| value).count() as u64;
    assert!(samples.iter().all(|sample| ones(sample) % 2 == 1));
    let ones: u64 = samples.iter().map(ones).sum();
    assert!(deviation(&[ones, 40 * 5000 - ones]) < 3.0, "{ones}");
    assert_eq!(tally(samples).len(), 40);
    Ok(())
}

#[test]
fn samples_are_the_same_under_every_budget() -> Result<()> {
    under_every_budget(1, |store| {
        [product(store, 6).swap_remove(6), hidden_weighted_bit(store, 14).negated(), queens(store, 6)?.0]
            .iter()
            .map(|f| f.sample(300, 11, 0..40))
            .collect::<Result<Vec<_>>>()
    })?;
    Ok(())
}

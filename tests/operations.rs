//! Operations of one and two operands beyond the Boolean ones, against truth tables and under every division of the budget.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{Random, default_store, limits, smallest_store, store_with, table::Table};
use strata_bdd::{Bdd, Error, Result, Store};

/// Neighbours, and variables with gaps up to the largest there is.
const THREE: [[u32; 3]; 2] = [[0, 1, 2], [40, 1000, (1 << 24) - 1]];

/// Up to twelve variables with gaps between them.
const TWELVE: [u32; 12] = [0, 1, 2, 5, 40, 41, 100, 133, 1000, 1001, 70_000, 16_777_215];

/// Checks one operation of a diagram and of its table.
type Check = fn(&Case<'_>) -> Result<()>;

/// Two functions in both forms, and a choice of their variables.
struct Case<'a> {
    store: &'a Store,
    f: (Bdd, Table),
    g: (Bdd, Table),
    /// Some variables, in any order.
    some: Vec<u32>,
    /// As many values.
    values: Vec<bool>,
}

impl Case<'_> {
    fn expect(&self, result: &Bdd, table: &Table) {
        assert_eq!(result, &table.build(self.store), "of {:?} and {:?}, {:?}", self.f.1, self.g.1, self.some);
    }
}

/// A case of every operation.
const CHECKS: [Check; 6] = [restrict, cofactor, exists, forall, unique, and_exists];

fn restrict(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let literals: Vec<_> = case.some.iter().copied().zip(case.values.iter().copied()).collect();
    let fixed = |variable| literals.iter().find(|literal| literal.0 == variable).map(|literal| literal.1);
    let expected = table.map(|f, point| f.at(|variable| fixed(variable).unwrap_or_else(|| point(variable))));
    case.expect(&f.restrict(literals.clone())?, &expected);
    Ok(())
}

fn cofactor(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let top = f.support().first().copied();
    for value in [false, true] {
        let expected =
            table.map(|f, point| f.at(|variable| if Some(variable) == top { value } else { point(variable) }));
        case.expect(&f.cofactor(value)?, &expected);
    }
    Ok(())
}

fn exists(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let expected = table.map(|f, point| f.at_all(&case.some, point).contains(&true));
    case.expect(&f.exists(case.some.iter().copied())?, &expected);
    case.expect(&f.exists_where(|variable| case.some.contains(&variable))?, &expected);
    Ok(())
}

fn forall(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let expected = table.map(|f, point| !f.at_all(&case.some, point).contains(&false));
    case.expect(&f.forall(case.some.iter().copied())?, &expected);
    case.expect(&f.forall_where(|variable| case.some.contains(&variable))?, &expected);
    Ok(())
}

fn unique(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let expected =
        table.map(|f, point| f.at_all(&case.some, point).into_iter().filter(|&value| value).count() % 2 == 1);
    case.expect(&f.unique(case.some.iter().copied())?, &expected);
    Ok(())
}

fn and_exists(case: &Case<'_>) -> Result<()> {
    let ((f, f_table), (g, g_table)) = (&case.f, &case.g);
    let both = f_table.map(|f, point| f.at(point) && g_table.at(point));
    let expected = both.map(|both, point| both.at_all(&case.some, point).contains(&true));
    case.expect(&f.and_exists(g, case.some.iter().copied())?, &expected);
    Ok(())
}

#[test]
fn every_function_of_three_variables_is_treated_right() -> Result<()> {
    for variables in THREE {
        let store = default_store();
        let mut random = Random::new(3);
        for number in 0..256 {
            let [f, g] = [number, random.below(256)].map(|number| {
                let table = Table::of_number(&variables, number);
                (table.build(&store), table)
            });
            for choice in 0..8 {
                let some: Vec<u32> = (0..3).filter(|at| choice >> at & 1 == 1).map(|at| variables[at]).collect();
                for values in 0..1 << some.len() {
                    let values = (0..some.len()).map(|at| values >> at & 1 == 1).collect();
                    let case = Case { store: &store, f: f.clone(), g: g.clone(), some: some.clone(), values };
                    CHECKS.iter().try_for_each(|check| check(&case))?;
                }
            }
        }
    }
    Ok(())
}

/// A random function of some of `variables`: dense, sparse, or with few paths.
fn random_function(variables: &[u32], random: &mut Random) -> Table {
    let table = Table::random(variables, random);
    match random.below(4) {
        0 => table,
        1 => table.map(|f, point| f.at(point) && point(variables[0]) != point(variables[variables.len() / 2])),
        2 => {
            let other = Table::random(variables, random);
            table.map(|f, point| f.at(point) && other.at(point) && point(variables[variables.len() - 1]))
        }
        _ => {
            let kept: Vec<bool> = variables.iter().map(|_| random.below(3) > 0).collect();
            table.map(|f, point| f.at(|variable| kept[variables.binary_search(&variable).unwrap()] && point(variable)))
        }
    }
}

fn random_cases(store: &Store, seed: u64, rounds: u32) -> Result<()> {
    let mut random = Random::new(seed);
    for round in 0..rounds {
        let variables = &TWELVE[..3 + (round % 10) as usize];
        let [f, g] = [(); 2].map(|()| {
            let table = random_function(variables, &mut random);
            let bdd = table.build(store);
            if random.coin() { (bdd.negated(), table.map(|f, point| !f.at(point))) } else { (bdd, table) }
        });
        let share = 1 + random.below(3);
        let some: Vec<u32> = variables.iter().copied().filter(|_| random.below(4) < share).collect();
        let values = some.iter().map(|_| random.coin()).collect();
        let case = Case { store, f, g, some, values };
        CHECKS.iter().try_for_each(|check| check(&case))?;
    }
    Ok(())
}

#[test]
fn random_functions_of_up_to_twelve_variables_are_treated_right() -> Result<()> {
    random_cases(&default_store(), 11, 60)?;
    random_cases(&smallest_store(), 12, 20)
}

#[test]
fn every_way_of_spilling_gives_the_same() -> Result<()> {
    // Queues and arcs on disk, levels through the external sorter, operands read in order, wide ids.
    random_cases(&store_with(limits(|limits| (limits.block, limits.queue, limits.arcs) = (4096, 20_000, 0))), 13, 20)?;
    random_cases(&store_with(limits(|limits| (limits.sort, limits.dense) = (600, 100))), 14, 10)?;
    random_cases(&store_with(limits(|limits| (limits.diagrams, limits.window) = (0, 0))), 15, 20)?;
    random_cases(&store_with(limits(|limits| limits.narrow_ids = 20)), 16, 20)
}

#[test]
fn variables_beyond_the_largest_and_contradictions_are_errors() -> Result<()> {
    let store = default_store();
    let f = store.variable(1)?.and(&store.variable(2)?)?;
    assert!(matches!(f.restrict([(1, true), (1, false)]), Err(Error::Contradiction { variable: 1 })));
    assert!(matches!(f.restrict([(1 << 24, true)]), Err(Error::VariableOutOfRange { .. })));
    assert!(matches!(f.exists([1 << 24]), Err(Error::VariableOutOfRange { .. })));
    assert!(matches!(f.and_exists(&f, [1 << 24]), Err(Error::VariableOutOfRange { .. })));
    assert!(matches!(f.and_exists(&default_store().variable(0)?, [1]), Err(Error::DifferentStores)));
    Ok(())
}

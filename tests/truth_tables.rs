//! Every function of few variables, against its truth table.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

use common::{
    default_store,
    functions::{bits, of_table},
    roomy_store,
};
use fastrand::Rng;
use num_bigint::BigUint;
use strata_bdd::{Bdd, BinaryOp, Result, Store};

/// The truth table of a function of three variables: bit `i` is the value where the values of the variables are the
/// bits of `i`, the top variable being the highest bit.
type Table = u8;

/// Three neighbours, and variables with gaps, up to the largest there is.
const VARIABLES: [[u32; 3]; 3] = [[0, 1, 2], [0, 40, 1000], [40, 1000, (1 << 24) - 1]];

/// A store that does small operations in plain arrays, and one that does them by sweeps.
fn stores() -> [Store; 2] {
    [default_store(), roomy_store()]
}

/// The 256 functions of three variables, in the order of their tables.
fn all_functions(store: &Store, variables: [u32; 3]) -> Vec<Bdd> {
    (0..=Table::MAX).map(|table| of_table(store, &bits(table.into(), 3), &variables).unwrap()).collect()
}

/// The table of `op` of the functions with tables `a` and `b`.
fn table_of(op: BinaryOp, a: Table, b: Table) -> Table {
    let bit = |at: u32| u8::from(op.eval(a >> at & 1 == 1, b >> at & 1 == 1)) << at;
    (0..Table::BITS).map(bit).sum()
}

/// The nodes of the reduced diagram of a table, found without a diagram.
#[derive(Default)]
struct Naive<'a> {
    /// For every level, the subfunctions that depend on its variable: each is a node.
    nodes: Vec<HashSet<&'a [bool]>>,
}

impl<'a> Naive<'a> {
    fn of(table: &'a [bool]) -> Self {
        let mut naive = Self { nodes: vec![HashSet::new(); table.len().ilog2() as usize] };
        naive.visit(table, 0);
        naive
    }

    fn visit(&mut self, table: &'a [bool], level: usize) {
        if level < self.nodes.len() {
            let (low, high) = table.split_at(table.len() / 2);
            if low != high {
                self.nodes[level].insert(table);
            }
            self.visit(low, level + 1);
            self.visit(high, level + 1);
        }
    }

    fn paths(table: &[bool]) -> u64 {
        let (low, high) = table.split_at(table.len() / 2);
        match table {
            [value] => u64::from(*value),
            _ if low == high => Self::paths(low),
            _ => Self::paths(low) + Self::paths(high),
        }
    }
}

#[test]
fn builder_and_operators_make_the_same_256_functions() -> Result<()> {
    for (variables, store) in VARIABLES.into_iter().flat_map(|variables| stores().map(|store| (variables, store))) {
        let literals = variables.map(|variable| store.variable(variable).unwrap());
        for (table, built) in all_functions(&store, variables).iter().enumerate() {
            let mut sum = store.constant(false);
            for minterm in (0..8).filter(|at| table >> at & 1 == 1) {
                let mut product = store.constant(true);
                for (level, literal) in literals.iter().enumerate() {
                    let positive = minterm >> (2 - level) & 1 == 1;
                    product = product.and(&if positive { literal.clone() } else { !literal })?;
                }
                sum = sum.or(&product)?;
            }
            assert_eq!(&sum, built, "table {table:08b} over {variables:?}");
        }
    }
    Ok(())
}

#[test]
#[allow(clippy::mutable_key_type, reason = "the hash of a diagram is that of its bytes, which never change")]
fn diagrams_are_equal_exactly_where_tables_are() {
    for store in stores() {
        let hasher = RandomState::new();
        let functions = all_functions(&store, VARIABLES[1]);
        let again = all_functions(&store, VARIABLES[1]);
        for (a, f) in functions.iter().enumerate() {
            for (b, g) in again.iter().enumerate() {
                assert_eq!(f == g, a == b, "tables {a:08b} and {b:08b}");
            }
            assert_eq!(hasher.hash_one(f), hasher.hash_one(&again[a]));
        }
        let different: HashSet<Bdd> = functions.into_iter().chain(again).collect();
        assert_eq!(different.len(), 256);
    }
}

#[test]
fn the_same_table_over_other_variables_is_another_function() {
    for store in stores() {
        let [near, far] = [[0, 40, 1000], [0, 40, 1001]].map(|variables| all_functions(&store, variables));
        for (table, (f, g)) in near.iter().zip(&far).enumerate() {
            let depends_on_last = (table & 0b0101_0101) != (table >> 1 & 0b0101_0101);
            assert_eq!(f != g, depends_on_last, "table {table:08b}");
        }
    }
}

#[test]
fn every_operator_is_right_for_every_pair_of_functions() -> Result<()> {
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[2]);
        for op in BinaryOp::all() {
            for (a, f) in (0..=Table::MAX).zip(&functions) {
                for (b, g) in (0..=Table::MAX).zip(&functions) {
                    let result = f.apply(op, g)?;
                    assert_eq!(result, functions[usize::from(table_of(op, a, b))], "{op:?} of {a:08b} and {b:08b}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn operands_over_different_variables_meet_in_the_right_order() -> Result<()> {
    // There are five variables; each operand has three of them, so that it may skip some that the other has.
    for store in stores() {
        let variables = [3, 7, 8, 500, (1 << 24) - 1];
        let mut random = Rng::with_seed(11);
        for _ in 0..4000 {
            let [first, second] = [(); 2].map(|()| {
                let mut kept: Vec<usize> = (0..5).collect();
                kept.remove(random.usize(..5));
                kept.remove(random.usize(..4));
                let table = bits(random.u32(..), 3);
                let over_all: Vec<bool> = (0..32)
                    .map(|at| table[kept.iter().fold(0, |index, &level| 2 * index + (at >> (4 - level) & 1))])
                    .collect();
                let kept: Vec<u32> = kept.iter().map(|&level| variables[level]).collect();
                (of_table(&store, &table, &kept).unwrap(), over_all)
            });
            for op in BinaryOp::all() {
                let table: Vec<bool> = first.1.iter().zip(&second.1).map(|(&a, &b)| op.eval(a, b)).collect();
                let expected = of_table(&store, &table, &variables)?;
                assert_eq!(first.0.apply(op, &second.0)?, expected, "{op:?} of {:?} and {:?}", first.1, second.1);
            }
        }
    }
    Ok(())
}

#[test]
fn named_operators_and_symbols_are_the_operators_they_name() -> Result<()> {
    type Operation = fn(&Bdd, &Bdd) -> Result<Bdd>;
    type Value = fn(bool, bool) -> bool;
    let named: [(Operation, Value); 14] = [
        (Bdd::and, |a, b| a && b),
        (Bdd::or, |a, b| a || b),
        (Bdd::xor, |a, b| a != b),
        (Bdd::nand, |a, b| !(a && b)),
        (Bdd::nor, |a, b| !(a || b)),
        (Bdd::xnor, |a, b| a == b),
        (Bdd::imp, |a, b| !a || b),
        (Bdd::diff, |a, b| a && !b),
        (|f, g| f & g, |a, b| a && b),
        (|f, g| f | g, |a, b| a || b),
        (|f, g| f ^ g, |a, b| a != b),
        (|f, g| f.clone() & g.clone(), |a, b| a && b),
        (|f, g| f.clone() | g, |a, b| a || b),
        (|f, g| f ^ g.clone(), |a, b| a != b),
    ];
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[0]);
        for (number, (operation, value)) in named.into_iter().enumerate() {
            let op = BinaryOp::from_fn(value);
            for (a, f) in (0..=Table::MAX).zip(&functions).step_by(5) {
                for (b, g) in (0..=Table::MAX).zip(&functions).step_by(3) {
                    let expected = &functions[usize::from(table_of(op, a, b))];
                    assert_eq!(&operation(f, g)?, expected, "operation {number} of {a:08b} and {b:08b}");
                }
            }
        }
    }
    Ok(())
}

/// Checks if-then-else of the functions with the three tables.
fn check_ite(functions: &[Bdd], [f, g, h]: [Table; 3]) {
    let [condition, then, otherwise] = [f, g, h].map(|table| &functions[usize::from(table)]);
    let expected = &functions[usize::from(f & g | !f & h)];
    assert_eq!(&condition.ite(then, otherwise).unwrap(), expected, "{f:08b} ? {g:08b} : {h:08b}");
}

#[test]
fn if_then_else_is_right_for_every_triple_of_functions_of_two_variables() {
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[1]);
        // First the functions that do not depend on the last variable, then those that do not depend on the first.
        // Constants and negations of each other are among the triples.
        for ignored in [0, 2] {
            let stretch =
                |table: u8| (0..8).map(|at| (table >> if ignored == 0 { at / 2 } else { at % 4 } & 1) << at).sum();
            for triple in 0..16 * 16 * 16u32 {
                check_ite(&functions, [0, 4, 8].map(|shift| stretch((triple >> shift & 15) as u8)));
            }
        }
    }
}

#[test]
fn if_then_else_is_right_where_operands_are_constant_equal_or_negated() {
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[2]);
        for f in 0..=Table::MAX {
            for g in (0..=Table::MAX).step_by(3) {
                for special in [0, Table::MAX, f, !f, g, !g] {
                    check_ite(&functions, [f, g, special]);
                    check_ite(&functions, [f, special, g]);
                    check_ite(&functions, [special, f, g]);
                }
            }
        }
    }
}

#[test]
fn if_then_else_is_right_for_random_triples() {
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[0]);
        let mut random = Rng::with_seed(3);
        for _ in 0..100_000 {
            check_ite(&functions, [(); 3].map(|()| random.u32(..256) as Table));
        }
    }
}

#[test]
fn counts_size_and_support_of_every_function_of_four_variables_are_those_of_its_table() -> Result<()> {
    for store in stores() {
        let variables = [0, 40, 1000, (1 << 24) - 1];
        for number in 0..1u32 << 16 {
            let table = bits(number, 4);
            let f = of_table(&store, &table, &variables)?;
            let naive = Naive::of(&table);
            let sizes: Vec<u64> = naive.nodes.iter().map(|level| level.len() as u64).collect();
            let support: Vec<u32> =
                variables.into_iter().zip(&sizes).filter(|(_, size)| **size > 0).map(|(v, _)| v).collect();
            assert_eq!(f.node_count(), sizes.iter().sum::<u64>(), "table {number:016b}");
            assert_eq!(f.width(), sizes.iter().copied().max().unwrap_or(0), "table {number:016b}");
            assert_eq!(f.support(), support, "table {number:016b}");
            assert_eq!(f.sat_count(4)?, number.count_ones().into(), "table {number:016b}");
            assert_eq!(f.path_count()?, Naive::paths(&table).into(), "table {number:016b}");
        }
    }
    Ok(())
}

#[test]
fn a_variable_that_is_counted_but_not_tested_doubles_the_count() -> Result<()> {
    for store in stores() {
        for (table, f) in all_functions(&store, VARIABLES[2]).iter().enumerate() {
            for extra in [0, 1, 29, 30, 61, 62, 200] {
                let expected = BigUint::from(table.count_ones()) << extra;
                assert_eq!(f.sat_count(3 + extra)?, expected, "table {table:08b}, {extra} more variables");
            }
        }
    }
    Ok(())
}

#[test]
fn constants_are_known_as_constants_and_no_other_function_is() -> Result<()> {
    for store in stores() {
        for (table, f) in all_functions(&store, VARIABLES[1]).iter().enumerate() {
            let constant = match table {
                0 => Some(false),
                255 => Some(true),
                _ => None,
            };
            assert_eq!(f.as_constant(), constant);
            assert_eq!(f.is_constant(), constant.is_some());
            assert_eq!(f == &store.constant(true), table == 255);
            assert_eq!(f == &store.constant(false), table == 0);
        }
        // The empty path leads to true in the constant true, and nowhere in the constant false.
        assert_eq!(store.constant(true).path_count()?, 1u8.into());
        assert_eq!(store.constant(false).path_count()?, 0u8.into());
    }
    Ok(())
}

#[test]
fn negation_is_free_and_its_own_inverse() -> Result<()> {
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[2]);
        let before = store.stats();
        let negations: Vec<Bdd> = functions.iter().map(Bdd::negated).collect();
        for (table, (f, not_f)) in functions.iter().zip(&negations).enumerate() {
            assert_eq!(not_f, &functions[255 - table]);
            assert_eq!(not_f, &!f);
            assert_eq!(&!not_f, f);
            assert_ne!(not_f, f);
            assert_eq!(not_f.node_count(), f.node_count());
            assert!(f.xor(not_f)?.as_constant() == Some(true));
            assert!(f.and(not_f)?.as_constant() == Some(false));
        }
        assert_eq!(store.stats(), before, "a negation made a sweep");
        for (f, not_f) in functions.iter().zip(&negations) {
            assert_eq!(f.sat_count(3)? + not_f.sat_count(3)?, 8u8.into());
        }
    }
    Ok(())
}

#[test]
fn operations_that_need_no_sweep_do_none() -> Result<()> {
    for store in stores() {
        let functions = all_functions(&store, VARIABLES[0]);
        let constants = [false, true].map(|value| store.constant(value));
        let before = store.stats().processed_requests;
        for (f, g) in functions.iter().zip(&functions[17..]) {
            for op in BinaryOp::all() {
                for other in [f, &!f, &constants[0], &constants[1]] {
                    f.apply(op, other)?;
                    other.apply(op, f)?;
                }
                if op.depends() != [true, true] {
                    f.apply(op, g)?;
                }
            }
        }
        assert_eq!(store.stats().processed_requests, before);
        // An operation that needs a sweep is counted.
        functions[27].and(&functions[85])?;
        assert!(store.stats().processed_requests > before);
    }
    Ok(())
}

//! Laws that hold between operations, on functions too large for a truth table.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::cell::Cell;

use common::{
    default_store,
    functions::{hidden_weighted_bit, parity, product, random_function, random_tree},
    limits, roomy_store, shared_store_with, smallest_store, store_with, tight,
};
use fastrand::Rng;
use num_bigint::BigUint;
use strata_bdd::{Bdd, BuilderNode, Comparison, Error, LARGEST_VARIABLE, Result, Store, VariablePairs};

const VARIABLES: u32 = 18;

/// Functions of up to 18 variables and some thousand nodes.
fn functions(store: &Store) -> Vec<Bdd> {
    let mut random = Rng::with_seed(77);
    let mut functions: Vec<Bdd> = (0..6).map(|_| random_tree(store, &mut random, VARIABLES, 120)).collect();
    functions.extend(product(store, 6).into_iter().skip(4).take(4));
    functions.push(hidden_weighted_bit(store, 14));
    functions.extend([store.constant(true), store.variable(5).unwrap()]);
    functions
}

/// Each function with the next, and the first also with itself and with its negation.
fn pairs(store: &Store) -> Vec<(Bdd, Bdd)> {
    let functions = functions(store);
    let shifted = functions.iter().cycle().skip(1);
    let mut pairs: Vec<_> = functions.iter().cloned().zip(shifted.cloned()).collect();
    pairs.push((functions[0].clone(), functions[0].clone()));
    pairs.push((functions[0].clone(), functions[0].negated()));
    pairs
}

/// Stores of several kinds: default, roomy, with the smallest budget, spilling, and with nested sweeps alone.
fn stores() -> Vec<Store> {
    let spilling = limits(|limits| {
        (limits.block, limits.window) = (512, 512);
        (limits.queue, limits.arcs, limits.diagrams) = (48 << 10, 0, 0);
    });
    vec![
        default_store(),
        roomy_store(),
        smallest_store(),
        store_with(spilling),
        store_with(limits(|limits| limits.nested_only = true)),
    ]
}

fn for_all_pairs(law: impl Fn(&Bdd, &Bdd) -> Result<()>) -> Result<()> {
    stores().iter().flat_map(pairs).try_for_each(|(f, g)| law(&f, &g))
}

#[test]
fn a_function_and_its_quantifications_are_made_of_its_cofactors() -> Result<()> {
    for_all_pairs(|f, _| {
        for variable in [0, 3, VARIABLES - 1] {
            let [low, high] = [false, true].map(|value| f.restrict([(variable, value)]).unwrap());
            let x = f.store().variable(variable)?;
            assert_eq!(&x.ite(&high, &low)?, f);
            assert_eq!(f.exists([variable])?, low.or(&high)?);
            assert_eq!(f.forall([variable])?, low.and(&high)?);
            assert_eq!(f.unique([variable])?, low.xor(&high)?);
        }
        Ok(())
    })
}

#[test]
fn unique_over_many_variables_is_unique_over_one_after_another() -> Result<()> {
    let many = Cell::new(0);
    for_all_pairs(|f, g| {
        let wide = f.and(&g.shifted(12)?)?;
        for (f, kept) in [(f.clone(), 20), (f.xor(g)?, 3), (wide.negated(), 0), (wide, VARIABLES - 1)] {
            let chosen: Vec<u32> = f.support().into_iter().filter(|&variable| variable != kept).collect();
            many.set(many.get() + u32::from(chosen.len() > 16));
            let expected = chosen.iter().rev().try_fold(f.clone(), |rest, &variable| {
                rest.restrict([(variable, false)])?.xor(&rest.restrict([(variable, true)])?)
            })?;
            assert_eq!(f.unique_where(|variable| variable != kept)?, expected);
        }
        Ok(())
    })?;
    // More than 16 variables are not quantified one by one.
    assert!(many.get() > 20, "{many:?}");
    Ok(())
}

/// A random diagram with at most 8 nodes a level and arcs that lead up to three levels down: some skip a quantified
/// level.
fn leaping(store: &Store, levels: u32) -> Result<Bdd> {
    let (mut random, mut builder) = (Rng::with_seed(5), store.builder()?);
    let mut rows: Vec<Vec<BuilderNode>> = vec![vec![false.into(), true.into()]];
    for variable in (0..levels).rev() {
        let width = 8.min(1 << variable.min(3));
        let row = (0..width).map(|_| {
            let [low, high] = [(); 2].map(|()| {
                let row = &rows[rows.len() - 1 - random.usize(..3.min(rows.len()))];
                row[random.usize(..row.len())]
            });
            builder.add_node(variable, low, high)
        });
        let row = row.collect::<Result<_>>()?;
        rows.push(row);
    }
    builder.build_root(rows[levels as usize][0])
}

#[test]
fn unique_over_hundreds_of_levels_is_the_same_where_queues_spill() -> Result<()> {
    let expected = {
        let f = leaping(&default_store(), 300)?;
        (f.content_hash(), f.unique([100, 250])?.content_hash())
    };
    for threads in [1, 3] {
        let limits = limits(|limits| {
            (limits.block, limits.queue, limits.arcs, limits.nested_only) = (256, 8 << 10, 0, true);
        });
        let store = shared_store_with(threads, &limits);
        let f = leaping(&store, 300)?;
        let odd = f.unique([100, 250])?;
        let last = store.operations().pop().expect("the operation just done");
        odd.validate()?;
        assert!(last.operation == "unique" && last.sweeps == 6 && last.spilled_bytes > 0, "{last:?}");
        assert_eq!((f.content_hash(), odd.content_hash()), expected);
        assert!(!odd.is_constant());
    }
    Ok(())
}

#[test]
fn negation_exchanges_and_with_or_and_exists_with_forall() -> Result<()> {
    for_all_pairs(|f, g| {
        assert_eq!(f.and(g)?.negated(), f.negated().or(&g.negated())?);
        assert_eq!(f.exists(2..9)?.negated(), f.negated().forall(2..9)?);
        Ok(())
    })
}

#[test]
fn exists_distributes_over_or_and_forall_over_and() -> Result<()> {
    for_all_pairs(|f, g| {
        let some = || (0..VARIABLES).step_by(3);
        assert_eq!(f.or(g)?.exists(some())?, f.exists(some())?.or(&g.exists(some())?)?);
        assert_eq!(f.and(g)?.forall(some())?, f.forall(some())?.and(&g.forall(some())?)?);
        assert_eq!(f.exists(0..6)?.exists(6..12)?, f.exists(0..12)?);
        assert_eq!(f.and_exists(g, some())?, f.and(g)?.exists(some())?);
        assert!(f.implies(&f.exists(some())?)? && f.forall(some())?.implies(f)?);
        Ok(())
    })
}

#[test]
fn composition_is_substitution() -> Result<()> {
    for_all_pairs(|f, g| {
        let x = f.store().variable(4)?;
        let [low, high] = [false, true].map(|value| f.restrict([(4, value)]).unwrap());
        assert_eq!(&f.compose(4, &x)?, f);
        assert_eq!(f.compose(4, g)?, g.ite(&high, &low)?);
        assert_eq!(f.compose(4, f)?, f.ite(&high, &low)?);
        // Two variables are exchanged.
        let y = f.store().variable(9)?;
        let swapped = f.compose_all([(4, &y), (9, &x)])?;
        let other = |variable| match variable {
            4 => 9,
            9 => 4,
            _ => variable,
        };
        assert_eq!(swapped, f.replace(other)?);
        assert_eq!(&swapped.compose_all([(4, &y), (9, &x)])?, f);
        Ok(())
    })
}

#[test]
fn variables_can_be_renamed_and_renamed_back() -> Result<()> {
    for_all_pairs(|f, g| {
        let backwards = |variable| VARIABLES - 1 - variable;
        let turned = f.replace(backwards)?;
        assert_eq!(turned.sat_count(VARIABLES)?, f.sat_count(VARIABLES)?);
        assert_eq!(&turned.replace(backwards)?, f);
        turned.validate()?;
        // A renamed diagram is an operand like any other.
        let far = |bdd: &Bdd| bdd.replace(|variable| 1000 + 50 * variable);
        assert_eq!(far(f)?.xor(&far(g)?)?, far(&f.xor(g)?)?);
        assert_eq!(f.shifted(7)?.and(&g.shifted(7)?)?.shifted(-7)?, f.and(g)?);
        assert_eq!(far(f)?.exists([1050, 1200])?, far(&f.exists([1, 4])?)?);
        assert_eq!(far(f)?.restrict([(1050, true)])?, far(&f.restrict([(1, true)])?)?);
        far(f)?.validate()
    })
}

#[test]
fn simplified_functions_agree_with_the_original_on_the_care_set() -> Result<()> {
    for_all_pairs(|f, care| {
        if care.as_constant() == Some(false) {
            return Ok(());
        }
        assert_eq!(f.constrain(care)?.and(care)?, f.and(care)?);
        assert_eq!(f.simplify(care)?.and(care)?, f.and(care)?);
        if f.as_constant() != Some(false) {
            assert_eq!(f.constrain(f)?.as_constant(), Some(true));
        }
        Ok(())
    })
}

#[test]
fn laws_hold_over_thousands_of_variables_with_gaps() -> Result<()> {
    let n = 3000;
    for store in [default_store(), smallest_store()] {
        let top = LARGEST_VARIABLE - 40 * (n - 1);
        let names = move || (0..n).map(move |at| top + 40 * at);
        let f = parity(&store, names())?;
        assert_eq!(f.node_count(), 2 * u64::from(n) - 1);
        assert_eq!(f.sat_count(n)?, BigUint::from(1u8) << (n - 1));
        // Fixing half of the variables leaves the parity of the others, or its negation.
        let half = parity(&store, names().step_by(2))?;
        let odd = names().skip(1).step_by(2);
        assert_eq!(f.restrict(odd.clone().map(|variable| (variable, false)))?, half);
        assert_eq!(f.restrict(odd.clone().map(|variable| (variable, variable == top + 40)))?, half.negated());
        assert_eq!(f.exists(odd.clone())?.as_constant(), Some(true));
        assert_eq!(f.forall([top])?.as_constant(), Some(false));
        assert_eq!(f.unique([top])?.as_constant(), Some(true));
        assert_eq!(f.unique(odd)?.as_constant(), Some(false));
        assert_eq!(f.shifted(-40)?.shifted(40)?, f);
        assert_eq!(f.compose(top, &store.variable(top)?.negated())?, f.negated());
        let cube = store.cube(names().map(|variable| (variable, true)))?;
        assert_eq!(cube.unique(names().skip(1))?, store.variable(top)?);
        assert_eq!(f.constrain(&cube)?.as_constant(), Some(n % 2 == 1));
        assert!(cube.implies(&f.negated())? && !cube.implies(&f)?);
        let all: Vec<u32> = names().collect();
        assert_eq!(cube.exists(all[1..].iter().copied())?, store.variable(top)?);
        assert_eq!(cube.sat_min(all.iter().copied())?.map(|found| found.len()), Some(n as usize));
    }
    Ok(())
}

/// The relation of all pairs (n, n + 1) of numbers of `bits` bits, the highest bit first. The largest number leads to
/// zero.
fn counter(store: &Store, bits: u32, pairs: &VariablePairs) -> Result<Bdd> {
    let mut relation = store.constant(true);
    let mut carry = store.constant(true);
    for bit in (0..bits).rev() {
        let current = pairs.currents().nth(bit as usize).unwrap();
        let [now, next] = [store.variable(current)?, store.variable(pairs.next_of(current))?];
        relation = relation.and(&next.xnor(&now.xor(&carry)?)?)?;
        carry = carry.and(&now)?;
    }
    Ok(relation)
}

#[test]
fn a_counter_steps_forwards_and_backwards_whatever_the_order_of_its_variables() -> Result<()> {
    let bits = 12;
    let crosswise = VariablePairs::new((0..bits).map(|bit| (bit, 2 * bits - 1 - bit)))?;
    for store in stores() {
        for pairs in [VariablePairs::interleaved(bits)?, VariablePairs::disjoint(bits)?, crosswise.clone()] {
            let current: Vec<u32> = pairs.currents().collect();
            let relation = counter(&store, bits, &pairs)?;
            let number = |n: u32| {
                store.cube(current.iter().enumerate().map(|(bit, &v)| (v, n >> (bits - 1 - bit as u32) & 1 == 1)))
            };
            let mut state = number(4090)?;
            for step in 1..12 {
                state = state.rel_next(&relation, &pairs)?;
                assert_eq!(state, number((4090 + step) % 4096)?);
            }
            for step in (0..11).rev() {
                state = state.rel_prev(&relation, &pairs)?;
                assert_eq!(state, number((4090 + step) % 4096)?);
            }
            let even = store.variable(current[bits as usize - 1])?.negated();
            assert_eq!(even.rel_next(&relation, &pairs)?, even.negated());
            assert_eq!(store.constant(true).rel_prev(&relation, &pairs)?.as_constant(), Some(true));
        }
    }
    Ok(())
}

#[test]
fn disjoint_makes_no_sweep_if_both_functions_are_true_at_an_end_point() -> Result<()> {
    let store = roomy_store();
    let f = store.exactly(3, 0..20)?;
    // `first` is true at the largest point of `f`, `last` is true at the smallest. `inside` and `f` are both true only
    // at points between.
    let (first, last) = (store.cube((0..3).map(|variable| (variable, true)))?, store.cube([(18, true), (19, true)])?);
    let inside = store.cube([(0, false), (19, false), (7, true)])?;
    for (g, swept) in [(&first, false), (&last, false), (&inside, true)] {
        let before = store.stats().processed_requests;
        assert!(!f.disjoint(g)? && !g.disjoint(&f)? && !f.implies(&g.negated())?);
        assert_eq!(store.stats().processed_requests > before, swept);
    }
    Ok(())
}

#[test]
fn disjoint_ends_on_the_level_where_a_common_point_shows() -> Result<()> {
    for store in stores() {
        // `f` and `g` are both true where only the first of the first six variables is true, which shows after six
        // levels. That they have no other point in common shows only far below.
        let early = store.cube((0..6).map(|variable| (variable, variable == 0)))?;
        let elsewhere = store.variable(0)?.xnor(&store.variable(1)?)?;
        let below = random_function(&store, 8, 16).shifted(6)?;
        let [f, g] = [&below, &!&below].map(|below| elsewhere.and(below).unwrap().or(&early).unwrap());
        let requests = |f: &Bdd, g: &Bdd| -> Result<(bool, u64)> {
            let before = store.stats().processed_requests;
            Ok((f.disjoint(g)?, store.stats().processed_requests - before))
        };
        let (apart, few) = requests(&f, &g)?;
        let (also_apart, all) = requests(&f.diff(&early)?, &g)?;
        assert!(!apart && also_apart, "{few} and {all} requests");
        assert!(f.node_count() > 8000 && all > 8000 && (1..100).contains(&few), "{few} and {all} requests");
    }
    Ok(())
}

#[test]
fn simplify_quantifies_the_care_set_over_variables_that_a_path_skips() -> Result<()> {
    for store in [default_store(), roomy_store(), store_with(tight())] {
        let [x, y, z] = [0, 1, 2].map(|variable| store.variable(variable).unwrap());
        // Where x is false, `f` does not test y, so the care set is quantified over y there, although `f` tests y
        // elsewhere.
        let f = (!&z & !(&x & &y)?)?;
        let care = (&y | &z)?;
        assert_eq!(f.simplify(&care)?, (!&x & !&z)?);
        assert_eq!(f.negated().simplify(&care)?, (!&x & !&z)?.negated());
        assert_eq!(f.simplify(&care)?.and(&care)?, f.and(&care)?);
    }
    Ok(())
}

#[test]
fn simplify_does_not_go_on_where_pairs_with_the_care_set_are_many_more_than_nodes() -> Result<()> {
    for store in [default_store(), roomy_store()] {
        // The nodes of a level are partial sums, each of which meets each number of variables that are true.
        let weights = (0..60).map(|variable| (variable, 1 + i64::from(variable * variable * 7919 % 1009)));
        let f = store.linear(weights, Comparison::AtMost, 9000)?;
        let care = store.exactly(30, 0..60)?;
        assert_eq!(f.simplify(&care)?, f);
        let last = *store.operations().last().expect("an operation");
        let nodes = f.node_count() + care.node_count();
        assert!(last.operation == "constrain" && last.requests < 9 * nodes, "{last:?} on {nodes} nodes");
        f.constrain(&care)?;
        let whole = store.operations().last().expect("an operation").requests;
        assert!(whole > 12 * nodes, "{whole} on {nodes} nodes");
    }
    Ok(())
}

/// `count` random clauses of three literals over twelve variables.
fn clauses(count: u32, store: &Store) -> Result<Vec<Bdd>> {
    let mut random = Rng::with_seed(count.into());
    let mut literal = || (random.u32(..12), random.bool());
    (0..count).map(|_| store.clause([literal(), literal(), literal()])).collect()
}

#[test]
fn and_all_and_or_all_give_what_and_and_or_give_one_by_one() -> Result<()> {
    for store in stores() {
        for count in [0, 1, 2, 3, 7, 20, 60, 400] {
            let clauses = clauses(count, &store)?;
            let all = clauses.iter().try_fold(store.constant(true), |all, clause| all.and(clause))?;
            assert_eq!(store.and_all(&clauses)?, all, "{count}");
            assert_eq!(store.and_all(clauses.iter().map(|clause| clause.and(clause)))?, all, "{count}");
            assert_eq!(store.or_all(clauses.iter().map(|clause| !clause))?, !all, "{count}");
        }
    }
    Ok(())
}

#[test]
fn and_all_and_or_all_stop_once_the_result_is_decided() -> Result<()> {
    let store = default_store();
    let mut asked = 0;
    // x0, x1, ¬x1, x2, x2, x3, …
    let endless = (0..).inspect(|_| asked += 1).map(|at: u32| store.literal(at.div_ceil(2), at != 2));
    assert!(store.and_all(endless)?.is_false());
    assert!(asked <= 4, "{asked}");
    let failing = (0..).map(|at| store.variable(LARGEST_VARIABLE - 2 + at));
    assert!(matches!(store.or_all(failing), Err(Error::VariableOutOfRange { .. })));
    let foreign = [store.variable(0), default_store().variable(1)];
    assert!(matches!(store.and_all(foreign), Err(Error::DifferentStores)));
    assert!(matches!(store.or_all([default_store().variable(1)]), Err(Error::DifferentStores)));
    Ok(())
}

#[test]
fn and_all_sweeps_each_of_many_functions_a_few_times() -> Result<()> {
    let store = roomy_store();
    let apart = |at| store.clause([(at, false), (at + 1, false)]);
    let chain = store.and_all((0..1000).map(apart))?;
    assert_eq!(chain.node_count(), 2 * 1001 - 2);
    let requests = store.stats().processed_requests;
    assert!(requests < 60 * 1000, "{requests}");
    Ok(())
}

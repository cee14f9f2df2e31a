//! Cubes, clauses, counts of true variables and weighted sums: against their definition, against operators, at extremes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

use common::{default_store, functions::of_table, limits, smallest_store, store_with};
use fastrand::Rng;
use num_bigint::BigUint;
use strata_bdd::{
    Bdd, BuilderNode, Comparison, Config, Error, Result, Store, Sweep,
    testing::{Limits, Testing},
};

const LARGEST: u32 = (1 << 24) - 1;
const COMPARISONS: [Comparison; 3] = [Comparison::AtMost, Comparison::AtLeast, Comparison::Equal];

/// Whether `sum` compares with `bound` as `comparison` says.
fn holds(sum: i128, comparison: Comparison, bound: i128) -> bool {
    match comparison {
        Comparison::AtMost => sum <= bound,
        Comparison::AtLeast => sum >= bound,
        Comparison::Equal => sum == bound,
    }
}

/// The constraint by its definition: its value at every point, term by term. `variables` ascend; `terms` may repeat
/// them.
fn by_definition(
    store: &Store,
    variables: &[u32],
    terms: &[(u32, i64)],
    comparison: Comparison,
    bound: i64,
) -> Result<Bdd> {
    let n = variables.len();
    let table: Vec<bool> = (0..1u32 << n)
        .map(|at| {
            let value = |variable: u32| {
                let place = variables.iter().position(|&other| other == variable).unwrap();
                at >> (n - 1 - place) & 1 == 1
            };
            let sum = terms.iter().filter(|term| value(term.0)).map(|term| i128::from(term.1)).sum();
            holds(sum, comparison, bound.into())
        })
        .collect();
    of_table(store, &table, variables)
}

#[test]
fn a_literal_is_its_variable_or_the_negation() -> Result<()> {
    let store = default_store();
    for variable in [0, 1, 1000, LARGEST] {
        assert_eq!(store.literal(variable, true)?, store.variable(variable)?);
        // `cube` builds the diagram, `variable` does not.
        assert_eq!(store.cube([(variable, true)])?, store.variable(variable)?);
        store.variable(variable)?.validate()?;
        assert_eq!(store.literal(variable, false)?, store.variable(variable)?.negated());
    }
    Ok(())
}

#[test]
fn cubes_and_clauses_are_what_operators_make_in_any_order() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(1);
    for signs in 0..64 {
        let mut literals: Vec<_> =
            (0..).zip([0, 3, 4, 9, 4000, LARGEST]).map(|(at, variable)| (variable, signs >> at & 1 == 1)).collect();
        random.shuffle(&mut literals);
        for len in 0..=literals.len() {
            let (mut all, mut any) = (store.constant(true), store.constant(false));
            for &(variable, value) in &literals[..len] {
                let literal = store.literal(variable, value)?;
                (all, any) = (all.and(&literal)?, any.or(&literal)?);
            }
            // Every literal is given twice.
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
fn a_parity_is_the_exclusive_or_in_any_order() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(9);
    for round in 0..200 {
        // Some variables come several times.
        let variables: Vec<u32> = (0..round % 20).map(|_| random.u32(..12) * 1_000_000).collect();
        let mut by_operators = store.constant(false);
        for &variable in &variables {
            by_operators = by_operators.xor(&store.variable(variable)?)?;
        }
        let parity = store.parity(variables.iter().copied())?;
        parity.validate()?;
        assert_eq!(parity, by_operators, "{variables:?}");
    }
    Ok(())
}

#[test]
fn counting_constraints_are_those_of_their_definition() -> Result<()> {
    let store = default_store();
    for n in 1..=7u32 {
        let variables: Vec<u32> = (0..n).map(|at| 5 * at + at * at).collect();
        let backwards = || variables.iter().rev().copied();
        for k in (0..=u64::from(n) + 2).chain([u64::MAX]) {
            let by_count = |counts: &dyn Fn(u64) -> bool| {
                let table: Vec<_> = (0..1u32 << n).map(|at| counts(at.count_ones().into())).collect();
                of_table(&store, &table, &variables)
            };
            assert_eq!(store.at_most(k, backwards())?, by_count(&|count| count <= k)?, "{k} of {n}");
            assert_eq!(store.at_least(k, backwards())?, by_count(&|count| count >= k)?, "{k} of {n}");
            assert_eq!(store.exactly(k, backwards())?, by_count(&|count| count == k)?, "{k} of {n}");
        }
    }
    Ok(())
}

#[test]
fn a_variable_given_twice_counts_twice() -> Result<()> {
    let store = default_store();
    let given = [3, 1, 3, 8, 3, 1];
    let terms: Vec<_> = given.iter().map(|&variable| (variable, 1)).collect();
    for k in 0..8 {
        let defined = |comparison| by_definition(&store, &[1, 3, 8], &terms, comparison, k);
        let count = u64::try_from(k).unwrap();
        assert_eq!(store.at_most(count, given)?, defined(Comparison::AtMost)?);
        assert_eq!(store.at_least(count, given)?, defined(Comparison::AtLeast)?);
        assert_eq!(store.exactly(count, given)?, defined(Comparison::Equal)?);
    }
    Ok(())
}

#[test]
fn counting_constraints_have_as_many_nodes_as_promised() -> Result<()> {
    let store = default_store();
    for (n, k) in [(1, 0), (2, 1), (10, 1), (10, 5), (10, 9), (50, 20)] {
        assert_eq!(store.at_most(k, 0..n)?.node_count(), (k + 1) * (u64::from(n) - k), "{k} of {n}");
        assert_eq!(store.exactly(k, 0..n)?.node_count(), k * (u64::from(n) - k) + u64::from(n), "{k} of {n}");
    }
    Ok(())
}

#[test]
fn counting_constraints_have_binomially_many_solutions() -> Result<()> {
    let store = default_store();
    let mut choices = BigUint::from(1u8);
    let mut sum = BigUint::default();
    for k in 0..=300u32 {
        sum += &choices;
        if k % 20 == 0 {
            assert_eq!(store.exactly(k.into(), 0..300)?.sat_count(300)?, choices, "k = {k}");
            assert_eq!(store.at_most(k.into(), 0..300)?.sat_count(300)?, sum, "k = {k}");
            let both = store.at_most(k.into(), 0..300)?.and(&store.at_least(k.into(), 0..300)?)?;
            assert_eq!(both, store.exactly(k.into(), 0..300)?, "k = {k}");
        }
        choices = choices * (300 - k) / (k + 1);
    }
    Ok(())
}

#[test]
fn sums_of_small_weights_are_those_of_their_definition() -> Result<()> {
    let store = default_store();
    for n in 1..=4u32 {
        let variables: Vec<u32> = (0..n).map(|at| 3 * at).collect();
        for weights in 0..7u32.pow(n) {
            let weight = |at: u32| i64::from(weights / 7u32.pow(at) % 7) - 3;
            let terms: Vec<_> = (0..n).map(|at| (3 * at, weight(at))).collect();
            let reach = 3 * i64::from(n) + 1;
            for bound in -reach..=reach {
                for comparison in COMPARISONS {
                    let built = store.linear(terms.iter().rev().copied(), comparison, bound)?;
                    let defined = by_definition(&store, &variables, &terms, comparison, bound)?;
                    assert_eq!(built, defined, "{terms:?} {comparison:?} {bound}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn sums_of_random_terms_are_those_of_their_definition() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(2);
    let variables = [0, 1, 7, 8, 100, 4000, LARGEST - 1, LARGEST];
    for round in 0..2000 {
        let reach = [1, 2, 5, 30, 1000][round % 5];
        let mut weight = || random.i64(-reach..=reach);
        // Each variable once, and some again.
        let mut terms: Vec<_> = variables.iter().chain(&variables[2..4]).map(|&v| (v, weight())).collect();
        random.shuffle(&mut terms);
        // A bound that some sum meets.
        let bound = terms.iter().filter(|term| term.0 % 3 == round as u32 % 3).map(|term| term.1).sum();
        for comparison in COMPARISONS {
            let built = store.linear(terms.iter().copied(), comparison, bound)?;
            let defined = by_definition(&store, &variables, &terms, comparison, bound)?;
            assert_eq!(built, defined, "{terms:?} {comparison:?} {bound}");
        }
    }
    Ok(())
}

#[test]
fn extreme_weights_and_bounds_do_not_overflow() -> Result<()> {
    let store = default_store();
    let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    for weights in 0..7usize.pow(4) {
        let terms: Vec<_> = (0..4u32).map(|at| (at, extremes[weights / 7usize.pow(at) % 7])).collect();
        for (bound, comparison) in extremes.iter().flat_map(|&bound| COMPARISONS.map(|comparison| (bound, comparison)))
        {
            let built = store.linear(terms.iter().copied(), comparison, bound)?;
            let defined = by_definition(&store, &[0, 1, 2, 3], &terms, comparison, bound)?;
            assert_eq!(built, defined, "{terms:?} {comparison:?} {bound}");
        }
    }
    // Repeated variables alone make sums of more than 64 bits.
    for weight in [i64::MIN, i64::MAX] {
        let terms = || (0..1000).map(|at| (at % 2, weight));
        let f = store.linear(terms(), Comparison::Equal, 0)?;
        assert_eq!(f, store.cube([(0, false), (1, false)])?);
        assert_eq!(store.linear(terms(), Comparison::AtMost, i64::MAX)?.is_constant(), weight < 0);
    }
    Ok(())
}

#[test]
fn a_sum_of_equal_weights_is_a_counting_constraint() -> Result<()> {
    let store = default_store();
    for n in [1, 2, 5, 12, 40] {
        for k in 0..=n {
            let count = u64::from(k);
            let scaled = |weight: i64, comparison, bound| store.linear((0..n).map(|v| (v, weight)), comparison, bound);
            let k = i64::from(k);
            assert_eq!(scaled(3, Comparison::AtMost, 3 * k + 2)?, store.at_most(count, 0..n)?);
            assert_eq!(scaled(-1, Comparison::AtMost, -k)?, store.at_least(count, 0..n)?);
            assert_eq!(scaled(-5, Comparison::Equal, -5 * k)?, store.exactly(count, 0..n)?);
            assert_eq!(scaled(1, Comparison::Equal, k)?, store.exactly(count, 0..n)?);
        }
    }
    Ok(())
}

/// Limits whose tables have room for rows of some hundred bounds and a small diagram, but not for a search for
/// intervals.
fn without_search() -> Limits {
    limits(|limits| (limits.tables, limits.common) = (40 << 10, 0))
}

/// That the sum is at most `bound`, for positive weights, in the plain way: on every level a node for each bound that
/// may be left.
fn by_rows(store: &Store, terms: &[(u32, i64)], bound: i64) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut row = vec![BuilderNode::from(true); usize::try_from(bound).unwrap() + 1];
    for &(variable, weight) in terms.iter().rev() {
        let weight = usize::try_from(weight).unwrap();
        for left in (0..row.len()).rev() {
            let high = left.checked_sub(weight).map_or(false.into(), |left| row[left]);
            row[left] = builder.add_node(variable, row[left], high)?;
        }
    }
    builder.build_root(row[row.len() - 1])
}

/// The grid of sums and the search for intervals are different ways to the same diagram.
#[test]
fn sums_are_those_of_their_definition_where_the_search_has_no_room() -> Result<()> {
    let (store, roomy) = (store_with(without_search()), default_store());
    let mut random = Rng::with_seed(6);
    let variables: Vec<u32> = (0..8).map(|at| 3 * at * at).collect();
    for round in 0..1500 {
        let (reach, scale) = ([1, 2, 9, 40][round % 4], [1, 6, 1 << 55][round % 3]);
        let positive = round % 5 == 0;
        let mut weight = || random.i64(if positive { 1 } else { -reach }..=reach);
        // Each variable once, and some again.
        let mut terms: Vec<_> = variables.iter().chain(&variables[2..4]).map(|&v| (v, weight() * scale)).collect();
        // Mostly a bound that some sum meets.
        let some: i64 = terms.iter().step_by(2).map(|term| term.1).sum();
        let bound = some + [0, 0, 1, -1][round % 4] * random.i64(0..scale);
        random.shuffle(&mut terms);
        for comparison in COMPARISONS {
            let built = store.linear(terms.iter().copied(), comparison, bound)?;
            built.validate()?;
            let defined = by_definition(&roomy, &variables, &terms, comparison, bound)?;
            assert!(built == defined, "{terms:?} {comparison:?} {bound}");
            assert_eq!(built.content_hash(), roomy.linear(terms.iter().copied(), comparison, bound)?.content_hash());
        }
    }
    // The search has indeed no room: powers of two, whose sums fit no grid, are an error.
    let powers = || (0..60).map(|bit| (bit, 1i64 << bit));
    let failed = store.linear(powers(), Comparison::AtMost, 0x0123_4567_89ab_cdef_i64);
    assert!(matches!(failed, Err(Error::BudgetExceeded { .. })), "{failed:?}");
    assert!(roomy.linear(powers(), Comparison::AtMost, 0x0123_4567_89ab_cdef_i64)?.node_count() < 120);
    assert_eq!(store.stats().temp_bytes, 0);
    Ok(())
}

#[test]
fn a_grid_has_room_where_other_diagrams_leave_nothing_of_the_tables_share() -> Result<()> {
    // The search has room for some thousand intervals, and looks into many more.
    let store = store_with(limits(|limits| (limits.tables, limits.common) = (4 << 10, 256 << 10)));
    let terms = || (0..100).map(|v| (v, 1 + i64::from(v * v * 7 % 40)));
    for (comparison, bound) in [(Comparison::AtMost, 700), (Comparison::Equal, 901)] {
        let built = store.linear(terms(), comparison, bound)?;
        assert_eq!(built.content_hash(), default_store().linear(terms(), comparison, bound)?.content_hash());
    }
    Ok(())
}

#[test]
fn bounds_that_no_sum_meets_give_what_the_definition_says() -> Result<()> {
    let store = store_with(without_search());
    // With weights of 100 and 101, there are few sums of a few terms.
    let sparse = |n: u32| (0..n).map(|v| (v, 100 + i64::from(v % 2)));
    assert_eq!(store.linear(sparse(6), Comparison::Equal, 299)?, store.constant(false));
    // At most three of the six variables, but not all three that weigh 101.
    let three = store.linear(sparse(6), Comparison::AtMost, 302)?;
    let heavy = store.cube([1, 3, 5].map(|variable| (variable, true)))?;
    assert_eq!(three, store.at_most(3, 0..6)?.diff(&heavy)?);
    Ok(())
}

#[test]
fn many_terms_of_small_weights_fit_the_smallest_budget() -> Result<()> {
    let terms: Vec<_> = (0..900).map(|v| (v, 1 + i64::from(v % 2))).collect();
    let (small, large) = (smallest_store(), default_store());
    let at_most = |store: &Store| store.linear(terms.iter().copied(), Comparison::AtMost, 500);
    let (in_small, in_large) = (at_most(&small)?, at_most(&large)?);
    assert!(in_small == in_large && in_small == by_rows(&small, &terms, 500)?);
    assert_eq!((in_small.node_count(), in_small.content_hash()), (283_898, in_large.content_hash()));
    // The same constraint with weights of 3 and 6, with negative weights, and negated; and the sum of exactly 500.
    let of =
        |scale, comparison, bound| small.linear(terms.iter().map(|term| (term.0, scale * term.1)), comparison, bound);
    assert_eq!(of(3, Comparison::AtMost, 1502)?, in_small);
    assert_eq!(of(-1, Comparison::AtLeast, -500)?, in_small);
    assert_eq!(of(1, Comparison::AtLeast, 501)?, in_small.negated());
    assert_eq!(of(2, Comparison::Equal, 1000)?, in_small.diff(&of(1, Comparison::AtMost, 499)?)?);
    drop(in_small);
    assert_eq!(small.stats().temp_bytes, 0);
    Ok(())
}

#[test]
fn a_callback_stops_the_search_and_the_grid() -> Result<()> {
    // The search and the builder are stopped at variables up to these two.
    const NEVER: u32 = u32::MAX;
    let stop = Arc::new([AtomicU32::new(NEVER), AtomicU32::new(NEVER)]);
    let asked = stop.clone();
    let store = Store::new(Config {
        progress: Some(Arc::new(move |progress| {
            let at = match progress.sweep {
                Sweep::Search => &asked[0],
                Sweep::Build => &asked[1],
                _ => return ControlFlow::Continue(()),
            };
            let stops = at.load(Relaxed) != NEVER && progress.variable <= at.load(Relaxed);
            if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })),
        testing: Testing { limits: Some(limits(|limits| limits.diagrams = 0)), ..Testing::default() },
        ..Config::default()
    })?;
    let sum = || store.linear((0..300).map(|v| (v, 1 + i64::from(v % 3))), Comparison::AtMost, 250);
    let told = |sweep: usize, variable| {
        stop[sweep].store(variable, Relaxed);
        let stopped = sum().unwrap_err();
        stop[sweep].store(NEVER, Relaxed);
        stopped
    };
    let stopped = told(0, 300);
    assert!(matches!(stopped, Error::Stopped { operation: "linear", sweep: Sweep::Search, .. }), "{stopped}");
    let stopped = told(1, 70);
    assert!(matches!(stopped, Error::Stopped { operation: "builder", sweep: Sweep::Build, variable: 70 }), "{stopped}");
    assert_eq!(store.stats().temp_bytes, 0);
    let terms: Vec<_> = (0..300).map(|v| (v, 1 + i64::from(v % 3))).collect();
    assert!(sum()? == by_rows(&default_store(), &terms, 250)?);
    Ok(())
}

/// Other calls need tables, too, while a search goes on that the grid can take over from.
#[test]
fn a_search_before_the_grid_leaves_a_quarter_of_the_tables() -> Result<()> {
    let (own, least) = (Arc::new(Mutex::new(None::<Store>)), Arc::new(AtomicU64::new(u64::MAX)));
    let (asked, told) = (own.clone(), least.clone());
    let store = Store::new(Config {
        memory: 16 << 20,
        progress: Some(Arc::new(move |progress| {
            if progress.sweep == Sweep::Search
                && let Some(store) = &*asked.lock().unwrap()
            {
                told.fetch_min(store.stats().table_bytes_left, Relaxed);
            }
            ControlFlow::Continue(())
        })),
        ..Config::default()
    })?;
    *own.lock().unwrap() = Some(store.clone());
    let mut random = Rng::with_seed(7);
    let terms: Vec<_> = (0..40).map(|variable| (variable, random.i64(1..=10_000))).collect();
    let half = terms.iter().map(|term| term.1).sum::<i64>() / 2;
    let before = store.stats().table_bytes_left;
    let sum = store.linear(terms.iter().copied(), Comparison::AtMost, half);
    *own.lock().unwrap() = None;
    let left = least.load(Relaxed);
    assert!(left < before / 2 && left > before / 5, "{left} of {before}");
    assert_eq!(sum?.content_hash(), default_store().linear(terms, Comparison::AtMost, half)?.content_hash());
    Ok(())
}

/// A comparison of binary numbers: few nodes, though all 2^63 partial sums differ.
#[test]
fn powers_of_two_stay_small() -> Result<()> {
    let store = smallest_store();
    for bound in [0, 1, 0x5555_5555_5555_5555, 0x0123_4567_89ab_cdef, i64::MAX - 1] {
        for order in [|bit: u32| 62 - bit, |bit: u32| bit] {
            let terms = || (0..63).map(|bit| (order(bit), 1i64 << bit));
            let f = store.linear(terms(), Comparison::AtMost, bound)?;
            assert_eq!(f.sat_count(63)?, BigUint::from(bound.unsigned_abs()) + 1u8);
            assert!(f.node_count() <= 126, "{} nodes", f.node_count());
            assert_eq!(store.linear(terms(), Comparison::Equal, bound)?.sat_count(63)?, 1u8.into());
        }
    }
    Ok(())
}

#[test]
fn subset_sums_are_counted() -> Result<()> {
    let store = default_store();
    let mut random = Rng::with_seed(3);
    let weights: Vec<usize> = (0..40).map(|_| 1 + random.usize(..60)).collect();
    // ways[s]: subsets of sum s.
    let mut ways = vec![0u64; weights.iter().sum::<usize>() + 1];
    ways[0] = 1;
    for &weight in &weights {
        for sum in (weight..ways.len()).rev() {
            ways[sum] += ways[sum - weight];
        }
    }
    let terms = || (0..).zip(weights.iter().map(|&weight| i64::try_from(weight).unwrap()));
    for bound in (0..ways.len()).step_by(97) {
        let counted = |comparison| store.linear(terms(), comparison, i64::try_from(bound).unwrap())?.sat_count(40);
        assert_eq!(counted(Comparison::Equal)?, ways[bound].into());
        assert_eq!(counted(Comparison::AtMost)?, ways[..=bound].iter().sum::<u64>().into());
        assert_eq!(counted(Comparison::AtLeast)?, ways[bound..].iter().sum::<u64>().into());
    }
    Ok(())
}

/// Sums that a common divisor of all weights, or of all weights from some variable on, rules out are not searched for.
#[test]
fn a_sum_that_a_common_divisor_rules_out_is_false_without_a_search() -> Result<()> {
    let store = smallest_store();
    let mut random = Rng::with_seed(4);
    let mut terms: Vec<_> = (1..60).map(|variable| (variable, 6 * i64::from(random.u32(..)))).collect();
    let some: i64 = terms.iter().step_by(9).map(|term| term.1).sum();
    assert_eq!(store.linear(terms.iter().copied(), Comparison::Equal, some + 3)?, store.constant(false));
    terms.push((0, 2));
    assert_eq!(store.linear(terms.iter().copied(), Comparison::Equal, some + 4)?, store.constant(false));
    Ok(())
}

#[test]
fn thousands_of_variables_fit_the_smallest_budget() -> Result<()> {
    let store = smallest_store();
    let none = store.linear((0..10_000).map(|v| (v * 1000, 2)), Comparison::AtMost, 1)?;
    assert_eq!(none, store.cube((0..10_000).map(|v| (v * 1000, false)))?);
    // The weights 1, 2 and 3 have 1,000 variables each. A sum of 3 is a single 3, or a 2 and a 1, or three times 1.
    let three = store.linear((0..3000).map(|v| (v, i64::from(v % 3) + 1)), Comparison::Equal, 3)?;
    assert_eq!(three.path_count()?, (1000u32 + 1000 * 1000 + 1000 * 999 * 998 / 6).into());
    let as_many = store.linear((0..200).map(|v| (v, if v % 2 == 0 { 1 } else { -1 })), Comparison::Equal, 0)?;
    assert_eq!(as_many.sat_count(200)?, store.exactly(100, 0..200)?.sat_count(200)?);
    assert_eq!(store.exactly(500, 0..1000)?.node_count(), 251_000);
    let all = store.at_least(20_000, (0..20_000).map(|variable| LARGEST - variable))?;
    assert_eq!(all.node_count(), 20_000);
    let odd = store.parity((0..20_000).map(|variable| LARGEST - variable))?;
    assert_eq!(odd.node_count(), 39_999);
    assert_eq!(odd.sat_count(20_000)?, BigUint::from(1u8) << 19_999);
    Ok(())
}

#[test]
fn the_budget_does_not_change_a_constraint() -> Result<()> {
    let stores = [
        default_store(),
        smallest_store(),
        store_with(limits(|limits| (limits.block, limits.diagrams, limits.dense) = (256, 0, 96))),
    ];
    let of_all = |make: &dyn Fn(&Store) -> Result<Bdd>| -> Result<()> {
        let made: Vec<_> = stores.iter().map(make).collect::<Result<_>>()?;
        assert!(made.iter().all(|f| *f == made[0]));
        Ok(())
    };
    of_all(&|store| store.exactly(90, 0..200))?;
    of_all(&|store| store.parity(0..5000))?;
    of_all(&|store| store.linear((0..60).map(|v| (v, i64::from(v * v % 23) - 9)), Comparison::AtLeast, 17))
}

#[test]
fn a_constraint_beyond_the_budget_is_an_error_and_leaves_the_budget_free() -> Result<()> {
    let store = smallest_store();
    let mut random = Rng::with_seed(5);
    let hard: Vec<_> =
        (0..64).map(|variable| (variable, i64::from(random.u32(..)) << 20 | i64::from(random.u32(..)))).collect();
    let half: i64 = hard.iter().map(|term| term.1 / 2).sum();
    for _ in 0..3 {
        let failed = store.linear(hard.iter().copied(), Comparison::AtMost, half);
        assert!(
            matches!(failed, Err(Error::BudgetExceeded { needed, available, .. }) if needed > available),
            "{failed:?}"
        );
        assert!(failed.unwrap_err().to_string().contains("give the store a larger budget"));
        // A list of terms without end is an error, too.
        let failed = store.cube(std::iter::repeat((0, true)));
        assert!(matches!(failed, Err(Error::BudgetExceeded { .. })), "{failed:?}");
        let failed = store.parity(std::iter::repeat(0));
        assert!(matches!(failed, Err(Error::BudgetExceeded { .. })), "{failed:?}");
        let failed = store.at_most(1, std::iter::repeat(0));
        assert!(matches!(failed, Err(Error::BudgetExceeded { .. })), "{failed:?}");
    }
    assert_eq!(store.stats().temp_bytes, 0);
    assert_eq!(store.linear(hard.iter().copied().take(12), Comparison::AtMost, i64::MAX)?, store.constant(true));
    assert_eq!(store.exactly(100, 0..200)?.node_count(), 100 * 100 + 200);
    Ok(())
}

#[test]
fn a_variable_out_of_range_is_named() {
    let store = default_store();
    let failures = [
        store.literal(LARGEST + 1, true),
        // The error comes even where the other literals decide the result.
        store.cube([(0, true), (0, false), (LARGEST + 1, true)]),
        store.clause([(LARGEST + 1, true), (0, true), (0, false)]),
        store.parity([LARGEST + 1]),
        store.at_most(9, [0, LARGEST + 1]),
        store.at_least(0, [LARGEST + 1]),
        store.exactly(9, [LARGEST + 1]),
        store.linear([(LARGEST + 1, 0)], Comparison::AtMost, 0),
    ];
    for failure in failures {
        assert!(
            matches!(failure, Err(Error::VariableOutOfRange { variable, largest }) if (variable, largest) == ((LARGEST + 1).into(), LARGEST)),
            "{failure:?}"
        );
    }
    assert!(store.literal(u32::MAX, false).is_err());
}

#[test]
fn no_terms_and_terms_that_cancel_out_have_the_sum_zero() -> Result<()> {
    let store = default_store();
    for bound in [i64::MIN, -1, 0, 1, i64::MAX] {
        for comparison in COMPARISONS {
            let expected = store.constant(holds(0, comparison, bound.into()));
            assert_eq!(store.linear([], comparison, bound)?, expected);
            assert_eq!(store.linear([(3, 0), (5, 7), (5, -7)], comparison, bound)?, expected);
        }
    }
    assert_eq!(store.cube([])?, store.constant(true));
    assert_eq!(store.clause([])?, store.constant(false));
    Ok(())
}

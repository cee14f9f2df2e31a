//! Published counts and sizes, and counts at which other packages have failed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{default_store, functions::queens, limits, shared_store_with, smallest_store, store_with};
use num_bigint::BigUint;
use strata_bdd::{Bdd, BinaryOp, BuilderNode, Error, Result, Store};

/// N, the solutions of N queens, and the nodes of the diagram of all solutions, where they are published.
const QUEENS: [(u32, u64, Option<u64>); 11] = [
    (1, 1, Some(1)),
    (2, 0, Some(0)),
    (3, 0, Some(0)),
    (4, 2, Some(29)),
    (5, 10, Some(167)),
    (6, 4, Some(129)),
    (7, 40, Some(1_099)),
    (8, 92, Some(2_451)),
    (9, 352, Some(9_557)),
    (10, 724, Some(25_945)),
    (11, 2_680, None),
];

fn power_of_two(exponent: u32) -> BigUint {
    BigUint::from(1u8) << exponent
}

/// Checks the solutions and nodes for every N in `sizes`, each time in what `store` gives.
fn check_queens(sizes: std::ops::RangeInclusive<u32>, store: impl Fn() -> Store) -> Result<()> {
    for (n, solutions, nodes) in QUEENS.into_iter().filter(|(n, ..)| sizes.contains(n)) {
        let (board, _) = queens(&store(), n)?;
        assert_eq!(board.sat_count(n * n)?, solutions.into(), "N = {n}");
        // Every path to true tests every square, so there is one path for each solution.
        assert_eq!(board.path_count()?, solutions.into(), "N = {n}");
        assert!(nodes.is_none_or(|nodes| nodes == board.node_count()), "N = {n}: {} nodes", board.node_count());
    }
    Ok(())
}

#[test]
fn queens_have_the_known_solutions_and_nodes() -> Result<()> {
    check_queens(1..=11, default_store)
}

#[test]
fn queens_have_the_known_solutions_and_nodes_at_the_smallest_budget() -> Result<()> {
    check_queens(1..=9, smallest_store)?;
    let store = smallest_store();
    check_queens(10..=11, || store.clone())?;
    assert!(store.stats().spilled_bytes > 0, "{:?}", store.stats());
    Ok(())
}

#[test]
fn queens_have_the_known_solutions_and_nodes_when_everything_spills() -> Result<()> {
    let little = |wide: bool| {
        limits(|limits| {
            limits.narrow_ids = if wide { 200 } else { limits.narrow_ids };
            (limits.queue, limits.arcs, limits.diagrams) = (48 << 10, 0, 0);
            (limits.block, limits.window) = (512, 512);
            (limits.sort, limits.dense) = (1024, 4096);
        })
    };
    for wide in [false, true] {
        let store = store_with(little(wide));
        check_queens(6..=7, || store.clone())?;
        let stats = store.stats();
        assert!(stats.spilled_bytes > 0 && stats.parted_levels > 0, "{stats:?}");
    }
    Ok(())
}

#[test]
fn queens_have_the_known_solutions_and_nodes_where_wide_levels_are_parted_on_disk() -> Result<()> {
    let expected = queens(&default_store(), 10)?.0;
    let in_parts = limits(|limits| {
        (limits.queue, limits.arcs, limits.diagrams, limits.block) = (64 << 10, 0, 0, 4096);
        // There is room for the children of a thousand nodes, and for sorting some ten thousand records.
        (limits.sort, limits.dense) = (256 << 10, 8 << 10);
    });
    for threads in [1, 2] {
        let store = shared_store_with(threads, &in_parts);
        check_queens(10..=10, || store.clone())?;
        assert!(store.stats().parted_levels > 0, "{:?}", store.stats());
        assert_eq!(queens(&store, 10)?.0.content_hash(), expected.content_hash());
    }
    Ok(())
}

#[test]
fn the_largest_diagram_on_the_way_to_the_queens_has_the_known_size() -> Result<()> {
    for (n, nodes) in [(4, 109), (5, 368), (6, 1_143), (7, 3_270), (9, 44_110), (10, 212_596)] {
        assert_eq!(queens(&default_store(), n)?.1, nodes, "N = {n}");
    }
    Ok(())
}

/// For every square of the board, the square onto which `symmetry` maps it.
fn images(n: u32, symmetry: impl Fn(u32, u32) -> (u32, u32)) -> Vec<u32> {
    (0..n * n)
        .map(|square| {
            let (row, column) = symmetry(square / n, square % n);
            row * n + column
        })
        .collect()
}

/// The number of solutions on `board` that are their own image.
fn symmetric(board: &Bdd, n: u32, images: &[u32]) -> Result<BigUint> {
    let store = board.store();
    let mut fixed = board.clone();
    for (square, &image) in (0..).zip(images) {
        fixed = fixed.and(&store.variable(square)?.xnor(&store.variable(image)?)?)?;
    }
    fixed.sat_count(n * n)
}

#[test]
fn queens_up_to_symmetry_have_the_known_number_of_solutions() -> Result<()> {
    for (n, unique) in [(4, 1u8), (5, 2), (6, 1), (7, 6), (8, 12)] {
        let (board, _) = queens(&default_store(), n)?;
        let all = board.sat_count(n * n)?;
        let half_turn = symmetric(&board, n, &images(n, |row, column| (n - 1 - row, n - 1 - column)))?;
        let quarter_turn = symmetric(&board, n, &images(n, |row, column| (column, n - 1 - row)))?;
        let mirrored = symmetric(&board, n, &images(n, |row, column| (row, n - 1 - column)))?;
        assert_eq!((all + half_turn + quarter_turn * 2u8) / 8u8, unique.into(), "N = {n}");
        assert_eq!(mirrored, 0u8.into(), "N = {n}");
    }
    Ok(())
}

#[test]
fn counts_go_beyond_the_machine_word() -> Result<()> {
    let store = default_store();
    assert_eq!(store.constant(true).sat_count(1000)?, power_of_two(1000));
    assert_eq!(store.constant(false).sat_count(1000)?, BigUint::ZERO);
    // An arc may skip more levels than a 32-bit or a 64-bit shift can express.
    for variables in [32, 33, 40, 64, 65, 1000] {
        let first = store.variable(0)?;
        let last = store.variable(variables - 1)?;
        let half = power_of_two(variables - 1);
        assert_eq!(first.sat_count(variables)?, half);
        assert_eq!(last.negated().sat_count(variables)?, half);
        assert_eq!(first.and(&last)?.sat_count(variables)?, half / 2u8);
    }
    Ok(())
}

#[test]
fn a_level_that_some_paths_skip_doubles_their_count_at_any_distance() -> Result<()> {
    // x0 ? x1 ∧ … ∧ x(n−1) : x(n−1); the low arc of the root skips n − 2 levels.
    for n in [3, 31, 32, 33, 34, 63, 64, 65, 66, 67, 130, 300] {
        let store = default_store();
        let mut builder = store.builder()?;
        let last = builder.add_node(n - 1, false, true)?;
        let mut chain = last;
        for variable in (1..n - 1).rev() {
            chain = builder.add_node(variable, false, chain)?;
        }
        builder.add_node(0, last, chain)?;
        let f = builder.build()?;
        assert_eq!(f.sat_count(n)?, power_of_two(n - 2) + 1u8, "{n} variables");
        assert_eq!(f.negated().sat_count(n)?, power_of_two(n) - power_of_two(n - 2) - 1u8, "{n} variables");
        assert_eq!(f.path_count()?, 2u8.into(), "{n} variables");
    }
    Ok(())
}

#[test]
fn a_constant_over_no_variables_has_one_solution_or_none() -> Result<()> {
    let store = default_store();
    assert_eq!(store.constant(true).sat_count(0)?, 1u8.into());
    assert_eq!(store.constant(false).sat_count(0)?, 0u8.into());
    Ok(())
}

#[test]
fn parity_is_true_for_half_of_all_assignments() -> Result<()> {
    for n in [1, 2, 63, 64, 65, 66, 200, 243, 244, 245, 246, 1000] {
        let store = default_store();
        let mut parity = store.constant(false);
        for variable in (0..n).rev() {
            parity = parity.xor(&store.variable(variable)?)?;
        }
        assert_eq!(parity.node_count(), 2 * u64::from(n) - 1, "{n} variables");
        for f in [&parity, &!&parity] {
            assert_eq!(f.sat_count(n)?, power_of_two(n - 1), "{n} variables");
            assert_eq!(f.path_count()?, power_of_two(n - 1), "{n} variables");
        }
    }
    Ok(())
}

/// Whether at least `k` of `n` variables are true.
fn at_least(store: &Store, k: u32, n: u32) -> Result<Bdd> {
    let mut builder = store.builder()?;
    // below[seen]: the node on the level below for `seen` true variables so far.
    let mut below: Vec<BuilderNode> = (0..=n).map(|seen| (seen >= k).into()).collect();
    for variable in (0..n).rev() {
        let seen = 0..=variable as usize;
        let level: Result<_> = seen.map(|seen| builder.add_node(variable, below[seen], below[seen + 1])).collect();
        below = level?;
    }
    builder.build()
}

/// The binomial coefficients of `n`.
fn binomials(n: u32) -> Vec<BigUint> {
    (0..n).fold(vec![1u8.into()], |row: Vec<BigUint>, _| {
        let inner = row.windows(2).map(|pair| &pair[0] + &pair[1]);
        [1u8.into()].into_iter().chain(inner).chain([1u8.into()]).collect()
    })
}

#[test]
fn thresholds_are_sums_of_binomial_coefficients() -> Result<()> {
    let store = default_store();
    for (n, ks) in [(5, vec![0, 1, 2, 3, 4, 5, 6]), (64, vec![1, 31, 32, 64]), (100, vec![0, 1, 50, 99, 100, 101])] {
        let coefficients = binomials(n);
        for k in ks {
            let threshold = at_least(&store, k, n)?;
            let solutions: BigUint = coefficients[(k as usize).min(coefficients.len())..].iter().sum();
            assert_eq!(threshold.sat_count(n)?, solutions, "at least {k} of {n}");
            assert_eq!(threshold.negated().sat_count(n)?, power_of_two(n) - solutions, "at least {k} of {n}");
            // There is a node for every pair of numbers of true and of false variables so far that does not decide the
            // value.
            let nodes = u64::from(k) * u64::from((n + 1).saturating_sub(k));
            assert_eq!(threshold.node_count(), nodes, "at least {k} of {n}");
        }
    }
    Ok(())
}

#[test]
fn at_least_k_without_at_least_k_plus_1_is_exactly_k() -> Result<()> {
    let (store, n) = (default_store(), 150);
    let coefficients = binomials(n);
    for k in [1, 70, 75, 149] {
        let exactly = at_least(&store, k, n)?.apply(BinaryOp::DIFF, &at_least(&store, k + 1, n)?)?;
        assert_eq!(exactly.sat_count(n)?, coefficients[k as usize], "exactly {k} of {n}");
        // Every path to true tests all variables.
        assert_eq!(exactly.path_count()?, coefficients[k as usize], "exactly {k} of {n}");
    }
    Ok(())
}

#[test]
fn counting_over_fewer_variables_than_the_support_is_refused() -> Result<()> {
    let store = default_store();
    let f = [3, 500, (1 << 24) - 1].into_iter().try_fold(store.constant(true), |f, v| f.and(&store.variable(v)?))?;
    for given in 0..3 {
        let refused = f.sat_count(given);
        assert!(
            matches!(refused, Err(Error::TooFewVariables { given: g, support: 3 }) if g == u64::from(given)),
            "{refused:?}"
        );
    }
    assert_eq!(f.sat_count(3)?, 1u8.into());
    Ok(())
}

#[test]
fn counting_works_over_the_most_variables_and_is_refused_over_more() -> Result<()> {
    let store = default_store();
    assert_eq!(store.variable(7)?.sat_count(1 << 24)?, power_of_two((1 << 24) - 1));
    for f in [store.variable(7)?, store.constant(true)] {
        let refused = f.sat_count((1 << 24) + 1);
        assert!(
            matches!(refused, Err(Error::TooManyVariables { given: 0x0100_0001, most: 0x0100_0000 })),
            "{refused:?}"
        );
    }
    Ok(())
}

#[test]
fn variables_go_up_to_the_largest_and_not_beyond() -> Result<()> {
    let store = default_store();
    for variable in [0, 1, (1 << 24) - 1] {
        let x = store.variable(variable)?;
        assert_eq!((x.support(), x.node_count(), x.width()), (vec![variable], 1, 1));
    }
    for variable in [1 << 24, u32::MAX] {
        let refused = store.variable(variable);
        let largest = (1 << 24) - 1;
        assert!(
            matches!(refused, Err(Error::VariableOutOfRange { variable: v, largest: l }) if (v, l) == (variable.into(), largest)),
            "{refused:?}"
        );
    }
    Ok(())
}

//! Points and cubes where a function is true: the smallest, the largest, any, and all; against truth tables and plain
//! search.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::sync::Arc;

use biodivine_lib_bdd::{BddPartialValuation, BddValuation};
use common::{
    default_store,
    disk::Disk,
    functions::{Algebra, bits, hidden_weighted_bit, of_table, product, queens, random_function, random_tree},
    limits,
    peer::Peer,
    smallest_store, store_on, store_with,
};
use fastrand::Rng;
use num_bigint::BigUint;
use strata_bdd::{Bdd, BinaryOp, BuilderNode, Cube, Cubes, Error, LARGEST_VARIABLE, Result, Store};

/// Three variables, and domains that hold them: alone, and with other variables before, between and behind them.
const DOMAINS: [([u32; 3], [&[u32]; 3]); 3] = [
    ([0, 1, 2], [&[0, 1, 2], &[0, 1, 2, 3, LARGEST_VARIABLE], &[0, 1, 2, 32]]),
    ([3, 40, 1000], [&[3, 40, 1000], &[0, 2, 3, 4, 40, 999, 1000, 1001], &[3, 39, 40, 1000]]),
    (
        [7, 4000, LARGEST_VARIABLE],
        [
            &[7, 4000, LARGEST_VARIABLE],
            &[6, 7, 3999, 4000, LARGEST_VARIABLE],
            &[7, 4000, 5000, LARGEST_VARIABLE - 1, LARGEST_VARIABLE],
        ],
    ),
];

/// All cubes of an iterator that meets no error.
fn all(cubes: Cubes) -> Vec<Cube> {
    cubes.collect::<Result<_>>().unwrap()
}

/// The assignments to `domain` in lexicographic order.
fn points(domain: &[u32]) -> impl Iterator<Item = Cube> {
    let bits = domain.len();
    (0..1usize << bits)
        .map(move |word| (0..bits).map(|at| (domain[at], word >> (bits - 1 - at) & 1 == 1)).collect::<Cube>())
}

/// The value at `point` of the function with the truth table `table` over `variables`, the first of which is the
/// highest bit.
fn value_at(table: &[bool], variables: &[u32], point: &Cube) -> bool {
    let of = |variable| point.iter().find(|literal| literal.0 == variable).unwrap().1;
    table[variables.iter().fold(0, |word, &variable| 2 * word + usize::from(of(variable)))]
}

/// The paths to true of the reduced diagram of `table`, in order, found without a diagram.
fn paths(table: &[bool], variables: &[u32]) -> Vec<Cube> {
    let (low, high) = table.split_at(table.len() / 2);
    match variables {
        [] => {
            if table[0] {
                vec![Cube::new()]
            } else {
                vec![]
            }
        }
        [_, below @ ..] if low == high => paths(low, below),
        &[variable, ref below @ ..] => [(false, low), (true, high)]
            .into_iter()
            .flat_map(|(value, half)| {
                paths(half, below).into_iter().map(move |path| [&[(variable, value)], path.as_slice()].concat())
            })
            .collect(),
    }
}

/// Checks that everything that can be asked about where `f` is true gives what `table` says.
fn check(f: &Bdd, table: &[bool], variables: &[u32], domain: &[u32]) {
    let expected = paths(table, variables);
    assert_eq!(all(f.cubes()), expected);
    assert!(expected.is_sorted_by(|a, b| a < b));
    assert_eq!(f.path_count().unwrap(), expected.len().into());
    let in_all = |literal: &(u32, bool)| expected.iter().all(|path| path.contains(literal));
    let essential = expected.first().map(|path| path.iter().copied().filter(in_all).collect::<Cube>());
    assert_eq!(f.essential().unwrap(), essential);
    assert_eq!(f.cube_min().unwrap().as_ref(), expected.first());
    assert_eq!(f.cube_max().unwrap().as_ref(), expected.last());
    let picked = f.pick().unwrap();
    assert_eq!(picked.is_some(), !expected.is_empty());
    assert!(picked.is_none_or(|picked| expected.contains(&picked)));

    let expected: Vec<Cube> = points(domain).filter(|point| value_at(table, variables, point)).collect();
    assert_eq!(all(f.assignments(domain.iter().copied()).unwrap()), expected);
    assert!(expected.is_sorted_by(|a, b| a < b));
    for first in points(domain) {
        let rest = f.assignments_from(&first, domain.iter().copied()).unwrap();
        let before = expected.partition_point(|point| *point < first);
        assert_eq!(all(rest), expected[before..], "from {first:?}");
        // The variables that are false may be left out.
        let trues: Cube = first.iter().copied().filter(|literal| literal.1).collect();
        let next = f.assignments_from(&trues, domain.iter().copied()).unwrap().next().transpose().unwrap();
        assert_eq!(next.as_ref(), expected.get(before), "from {first:?}");
    }
    assert_eq!(f.sat_count(domain.len() as u32).unwrap(), expected.len().into());
    assert_eq!(f.sat_min(domain.iter().copied()).unwrap().as_ref(), expected.first());
    assert_eq!(f.sat_max(domain.iter().copied()).unwrap().as_ref(), expected.last());
    let with = |place: usize, value| expected.iter().filter(|point| point[place].1 == value).count().into();
    let counts: Vec<[BigUint; 2]> =
        (0..domain.len()).map(|place| [false, true].map(|value| with(place, value))).collect();
    assert_eq!(f.literal_counts(domain.iter().copied()).unwrap(), counts);
}

#[test]
fn every_function_of_three_variables_is_true_where_its_table_is() -> Result<()> {
    let store = default_store();
    for (variables, domains) in DOMAINS {
        for number in 0..=u8::MAX {
            let f = of_table(&store, &bits(number.into(), 3), &variables)?;
            assert_eq!(f.top_variable(), f.support().first().copied());
            for domain in domains {
                check(&f, &bits(number.into(), 3), &variables, domain);
                check(&!&f, &bits((!number).into(), 3), &variables, domain);
            }
        }
    }
    Ok(())
}

#[test]
fn essential_literals_are_those_that_a_function_implies() -> Result<()> {
    let mut random = Rng::with_seed(11);
    let stores = [default_store(), smallest_store(), store_with(limits(|limits| limits.narrow_ids = 20))];
    let variables: Vec<_> = (0..10).map(|at| 33 * at).collect();
    let mut found = 0;
    for (round, store) in (0..120).zip(stores.iter().cycle()) {
        // From every second point down to a single one, or none.
        let table: Vec<_> = (0..1 << 10).map(|_| random.u32(..) >> (round % 12) <= u32::MAX >> 12).collect();
        let f = of_table(store, &table, &variables)?;
        for f in [&f, &f.negated()] {
            let implied =
                |&(variable, value): &(u32, bool)| f.implies(&store.literal(variable, value).unwrap()).unwrap();
            let all = variables.iter().flat_map(|&variable| [(variable, false), (variable, true)]);
            let all: Cube = all.filter(implied).collect();
            found += all.len();
            assert_eq!(f.essential()?, (!f.is_false()).then_some(all));
        }
    }
    assert!(found > 200, "{found}");
    Ok(())
}

#[test]
fn cubes_as_diagrams_make_up_the_function_and_do_not_overlap() -> Result<()> {
    let store = default_store();
    for number in 0..=u8::MAX {
        let f = of_table(&store, &bits(number.into(), 3), &DOMAINS[2].0)?;
        let mut union = store.constant(false);
        for cube in all(f.cubes()) {
            let diagram = store.cube(cube.iter().copied())?;
            assert_eq!(diagram.node_count(), cube.len() as u64);
            assert_eq!(all(diagram.cubes()), [cube]);
            assert_eq!(union.and(&diagram)?.as_constant(), Some(false));
            union = union.or(&diagram)?;
        }
        assert_eq!(union, f);
    }
    Ok(())
}

#[test]
fn a_true_function_has_one_empty_cube_and_a_false_one_none() -> Result<()> {
    let store = default_store();
    let x = store.variable(3)?;
    for (f, expected) in [
        (store.constant(true), vec![Cube::new()]),
        (store.constant(false), vec![]),
        (x.or(&!&x)?, vec![Cube::new()]),
        (x.and(&!&x)?, vec![]),
    ] {
        assert_eq!(all(f.cubes()), expected);
        assert_eq!(all(f.assignments([])?), expected);
        for found in [f.cube_min()?, f.cube_max()?, f.pick()?, f.sat_min([])?, f.sat_max([])?] {
            assert_eq!(found.as_ref(), expected.first());
        }
        assert_eq!(f.top_variable(), None);
        check(&f, &[!expected.is_empty(); 8], &[0, 1, 2], &[0, 1, 2, 500, LARGEST_VARIABLE]);
    }
    assert_eq!(store.cube([])?, store.constant(true));
    Ok(())
}

/// Truth tables over `variables` variables as an algebra.
struct Tables {
    variables: u32,
}

impl Tables {
    fn table(&self, value: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..1 << self.variables).map(value).collect()
    }
}

impl Algebra for Tables {
    type Function = Vec<bool>;

    fn value(&self, value: bool) -> Vec<bool> {
        self.table(|_| value)
    }

    fn var(&self, variable: u32) -> Vec<bool> {
        self.table(|at| at >> (self.variables - 1 - variable) & 1 == 1)
    }

    fn op(&self, op: BinaryOp, a: &Vec<bool>, b: &Vec<bool>) -> Vec<bool> {
        self.table(|at| op.eval(a[at], b[at]))
    }

    fn not(&self, a: &Vec<bool>) -> Vec<bool> {
        self.table(|at| !a[at])
    }

    fn ite(&self, a: &Vec<bool>, b: &Vec<bool>, c: &Vec<bool>) -> Vec<bool> {
        self.table(|at| if a[at] { b[at] } else { c[at] })
    }
}

/// Checks that random trees of operators are true where their truth tables are.
fn check_trees(store: &Store) {
    let variables: Vec<u32> = (0..9).collect();
    let (mut ours, mut theirs) = (Rng::with_seed(31), Rng::with_seed(31));
    for round in 0..40 {
        let operators = 5 + round;
        let f = random_tree(store, &mut ours, 9, operators);
        let table = random_tree(&Tables { variables: 9 }, &mut theirs, 9, operators);
        check(&f, &table, &variables, &[&variables[..], &[11, 12]].concat());
    }
}

#[test]
fn random_trees_are_true_where_their_tables_are() {
    check_trees(&default_store());
}

#[test]
fn random_trees_are_true_at_the_same_points_on_disk_and_with_wide_ids() {
    for narrow_ids in [4, 1 << 30] {
        let store =
            store_with(limits(|limits| (limits.block, limits.diagrams, limits.narrow_ids) = (256, 0, narrow_ids)));
        assert!(store.cube([(0, true)]).unwrap().disk_bytes() > 0);
        check_trees(&store);
    }
}

/// Functions of twelve variables.
fn circuits<A: Algebra>(algebra: &A) -> Vec<A::Function> {
    let mut functions = product(algebra, 6);
    let hidden = hidden_weighted_bit(algebra, 12);
    functions.push(algebra.not(&hidden));
    functions.push(algebra.ite(&hidden, &functions[6], &functions[8]));
    functions
}

#[test]
fn circuits_are_true_where_another_package_says_so() -> Result<()> {
    let of_path = |path: BddPartialValuation| -> Cube {
        path.to_values().into_iter().map(|(variable, value)| (variable.to_index() as u32, value)).collect()
    };
    let store = store_with(limits(|limits| limits.diagrams = 0));
    for (f, peer) in circuits(&store).iter().zip(circuits(&Peer::new(12))) {
        let mut paths: Vec<Cube> = peer.sat_clauses().map(of_path).collect();
        paths.sort_unstable();
        assert_eq!(f.cube_min()?, peer.first_clause().map(of_path));
        assert_eq!(f.cube_max()?, peer.last_clause().map(of_path));
        assert!(all(f.cubes()) == paths);

        let mut points: Vec<Vec<bool>> = peer.sat_valuations().map(BddValuation::into_vector).collect();
        points.sort_unstable();
        let ours = all(f.assignments(0..12)?);
        assert!(ours.iter().map(|point| point.iter().map(|literal| literal.1).collect::<Vec<_>>()).eq(points));
        assert_eq!(f.sat_min(0..12)?.as_ref(), ours.first());
        assert_eq!(f.sat_max(0..12)?.as_ref(), ours.last());
    }
    Ok(())
}

#[test]
fn all_points_of_a_large_function_are_found_under_the_smallest_budget() -> Result<()> {
    let store = smallest_store();
    // All of these together outgrow the share of the budget for diagrams.
    let functions: Vec<Bdd> = (0..16).map(|seed| random_function(&store, seed, 18)).collect();
    let f = functions.iter().rfind(|f| f.disk_bytes() > 0).expect("a diagram on disk");
    let [mut assignments, mut cubes] = [0u64; 2];
    let mut before = None;
    for point in f.assignments(0..18)? {
        let point = point?;
        assert!(f.eval(|variable| point[variable as usize].1)?);
        assert!(before.is_none_or(|before| before < point));
        before = Some(point);
        assignments += 1;
    }
    assert_eq!(f.sat_count(18)?, assignments.into());
    let mut before = None;
    for cube in f.cubes() {
        let cube = cube?;
        assert!(cube.is_sorted_by_key(|literal| literal.0));
        assert!(before.is_none_or(|before| before < cube));
        before = Some(cube);
        cubes += 1;
    }
    assert_eq!(f.path_count()?, cubes.into());
    Ok(())
}

/// Adds to `found` all solutions of `n` queens that begin with `columns`: the column of the queen in each row.
/// Solutions come in descending order.
fn placements(n: u32, columns: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    let row = columns.len() as u32;
    if row == n {
        found.push(columns.clone());
        return;
    }
    for column in (0..n).rev() {
        let attacks = |(r, &c): (u32, &u32)| c == column || c.abs_diff(column) == row - r;
        if !(0..).zip(&*columns).any(attacks) {
            columns.push(column);
            placements(n, columns, found);
            columns.pop();
        }
    }
}

#[test]
fn the_placements_of_eight_queens_are_those_a_plain_search_finds_in_its_order() -> Result<()> {
    let n = 8;
    let (board, _) = queens(&default_store(), n)?;
    let mut expected = Vec::new();
    // A queen further to the right leaves more squares before it empty, so the solution of larger columns is the
    // smaller assignment.
    placements(n, &mut Vec::new(), &mut expected);
    assert_eq!(expected.len(), 92);
    let of_queens = |cube: Cube| -> Vec<u32> {
        let queens = cube.into_iter().filter(|literal| literal.1);
        queens.map(|(square, _)| square % n).collect()
    };
    let cubes = all(board.cubes());
    assert_eq!(all(board.assignments(0..n * n)?), cubes, "every cube names every square");
    assert_eq!(cubes.into_iter().map(of_queens).collect::<Vec<_>>(), expected);
    Ok(())
}

#[test]
fn a_chain_of_200000_nodes_has_one_cube() -> Result<()> {
    let store = default_store();
    let literals = || (0..200_000).map(|at| (at * 80, at % 3 == 0));
    let f = store.cube(literals())?;
    assert_eq!(f.node_count(), 200_000);
    let expected: Cube = literals().collect();
    assert_eq!(all(f.cubes()), std::slice::from_ref(&expected));
    assert_eq!(f.pick()?, Some(expected));
    // A cube of the negation ends with the first variable that has another value than in the chain.
    let negation = f.negated();
    assert_eq!(negation.cubes().take(3).map(|cube| cube.unwrap().len()).collect::<Vec<_>>(), [1, 4, 7]);
    assert_eq!(negation.cube_max()?, Some(vec![(0, true), (80, true)]));
    Ok(())
}

#[test]
fn a_wide_domain_around_the_largest_variable_is_filled() -> Result<()> {
    let store = default_store();
    let f = store.variable(LARGEST_VARIABLE)?.xor(&store.variable(LARGEST_VARIABLE - 70_000)?)?;
    let domain = LARGEST_VARIABLE - 100_000..=LARGEST_VARIABLE;
    let (smallest, largest) = (f.sat_min(domain.clone())?.unwrap(), f.sat_max(domain.clone())?.unwrap());
    let named = |point: &Cube| point.iter().map(|literal| literal.0).eq(domain.clone());
    assert!(named(&smallest) && named(&largest));
    let trues: Vec<u32> = smallest.iter().filter(|literal| literal.1).map(|literal| literal.0).collect();
    assert_eq!(trues, [LARGEST_VARIABLE]);
    let falses: Vec<u32> = largest.iter().filter(|literal| !literal.1).map(|literal| literal.0).collect();
    assert_eq!(falses, [LARGEST_VARIABLE]);
    // The second assignment differs in the last variable on which `f` does not depend.
    let second = f.assignments(domain)?.nth(1).unwrap()?;
    let trues: Vec<u32> = second.iter().filter(|literal| literal.1).map(|literal| literal.0).collect();
    assert_eq!(trues, [LARGEST_VARIABLE - 1, LARGEST_VARIABLE]);
    Ok(())
}

#[test]
fn a_picked_cube_takes_the_arcs_that_skip_most() -> Result<()> {
    // On every level, one arc leads to the next level, and the other to the last; `high_is_long` says which.
    for high_is_long in [false, true] {
        let store = default_store();
        let mut builder = store.builder()?;
        let last = builder.add_node(100, false, true)?;
        let mut chain = builder.add_node(99, last, false)?;
        for variable in (0..99).rev() {
            let [low, high] = if high_is_long { [chain, last] } else { [last, chain] };
            chain = builder.add_node(variable, low, high)?;
        }
        let f = builder.build()?;
        assert_eq!(f.pick()?, Some(vec![(0, high_is_long), (100, true)]));
        let negated = f.negated().pick()?.unwrap();
        assert_eq!(negated, [(0, high_is_long), (100, false)]);
    }
    Ok(())
}

/// A call that is given a domain; gives the error.
type Ask = fn(&Bdd, &mut dyn Iterator<Item = u32>) -> Option<Error>;

#[test]
fn a_domain_must_ascend_hold_the_support_and_stay_in_range() -> Result<()> {
    let store = default_store();
    let f = store.cube([(3, true), (5, false), (LARGEST_VARIABLE, true)])?;
    let asked: [Ask; 12] = [
        |f, domain| f.assignments(domain).err(),
        |f, domain| f.sat_min(domain).err(),
        |f, domain| f.sat_max(domain).err(),
        |f, domain| f.opt_min(|_| 1i64, domain).err(),
        |f, domain| f.opt_max(|_| 1i64, domain).err(),
        |f, domain| f.sample(1, 1, domain).err(),
        |f, domain| f.literal_counts(domain).err(),
        |f, domain| f.weighted_count(|_, _| 1.0, domain).err(),
        |f, domain| f.weighted_count_ln(|_, _| 1.0, domain).err(),
        |f, domain| f.weighted_count_exact(|_, _| 1, domain).err(),
        |f, domain| f.marginals(|_, _| 1.0, domain).err(),
        |f, domain| f.assignments_from(&[], domain).err(),
    ];
    // The point where a list begins must be in order, too.
    for first in [&[(5, true), (3, true)][..], &[(3, true), (3, false)]] {
        let refused = f.assignments_from(first, [3, 5, LARGEST_VARIABLE]);
        assert!(matches!(refused, Err(Error::DomainOrder { variable: 3, .. })), "{refused:?}");
    }
    let refused = |domain: &[u32]| {
        let errors = asked.map(|ask| ask(&f, &mut domain.iter().copied()).unwrap());
        let messages = errors.each_ref().map(ToString::to_string);
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
        errors.into_iter().next().unwrap()
    };
    for (domain, variable, previous) in [
        (&[3, 3, 5][..], 3, 3),
        (&[3, 5, 5], 5, 5),
        (&[3, 5, 4, LARGEST_VARIABLE], 4, 5),
        (&[1, 0], 0, 1),
        (&[9, 8, 1 << 24], 8, 9),
    ] {
        let error = refused(domain);
        assert!(
            matches!(error, Error::DomainOrder { variable: v, previous: p } if (v, p) == (variable, previous)),
            "{error:?}"
        );
    }
    for (domain, missing) in
        [(&[][..], 3), (&[5, LARGEST_VARIABLE], 3), (&[3, 4, LARGEST_VARIABLE], 5), (&[3, 5, 900], LARGEST_VARIABLE)]
    {
        let error = refused(domain);
        assert!(matches!(error, Error::OutsideDomain { variable } if variable == missing), "{error:?}");
    }
    let error = refused(&[3, 5, LARGEST_VARIABLE, 1 << 24]);
    assert!(
        matches!(error, Error::VariableOutOfRange { variable: 0x0100_0000, largest: LARGEST_VARIABLE }),
        "{error:?}"
    );
    // The constant false has no solution, but its domain is checked all the same.
    for ask in asked {
        let none = store.constant(false);
        assert!(matches!(ask(&none, &mut [2, 1].into_iter()), Some(Error::DomainOrder { .. })));
        assert!(matches!(ask(&none, &mut (LARGEST_VARIABLE..)), Some(Error::VariableOutOfRange { .. })));
    }
    Ok(())
}

#[test]
fn an_iterator_goes_on_without_the_handle_and_frees_the_diagram_at_its_end() -> Result<()> {
    fn goes_anywhere<T: Send + Sync + 'static>(_: &T) {}
    let store = store_with(limits(|limits| limits.diagrams = 0));
    let f = random_function(&store, 4, 8);
    let expected = all(f.cubes());
    let mut cubes = f.cubes();
    goes_anywhere(&cubes);
    let temp_bytes = store.stats().temp_bytes;
    assert!(temp_bytes > 0);
    drop(f);
    let mut found = vec![cubes.next().unwrap()?];
    assert_eq!(store.stats().temp_bytes, temp_bytes);
    found.extend(cubes.by_ref().map(Result::unwrap));
    assert_eq!(found, expected);
    assert!(cubes.next().is_none() && cubes.next().is_none());
    drop(cubes);
    assert_eq!(store.stats().temp_bytes, 0);
    Ok(())
}

/// A store whose diagrams are on a disk that can fail.
fn store_without_room(disk: &Arc<Disk>) -> Store {
    store_on(disk, limits(|limits| (limits.block, limits.diagrams) = (256, 0)), 1)
}

fn check_bad_read(error: &Error) {
    assert!(matches!(error, Error::Io { action: "read", .. }), "{error:?}");
}

#[test]
fn an_iterator_over_cubes_ends_with_a_failed_read() {
    let disk = Disk::new();
    let f = random_function(&store_without_room(&disk), 7, 12);
    for cubes in [|f: &Bdd| f.cubes(), |f: &Bdd| f.assignments(0..12).unwrap()] {
        let before = disk.calls("read");
        let expected = all(cubes(&f));
        let reads = disk.calls("read") - before;
        assert!(reads > 20);
        for k in 1..=reads {
            let mut cubes = cubes(&f);
            disk.fail("read", k);
            let items: Vec<_> = cubes.by_ref().collect();
            assert!(disk.heal(), "read {k} never came");
            let (failed, found) = items.split_last().unwrap();
            check_bad_read(failed.as_ref().unwrap_err());
            assert!(found.iter().map(|item| item.as_ref().unwrap()).eq(&expected[..found.len()]));
            assert!(cubes.next().is_none() && cubes.next().is_none());
        }
        assert_eq!(all(cubes(&f)), expected);
    }
}

/// A call that walks to a single solution.
type Walk = fn(&Bdd) -> Result<Option<Cube>>;

#[test]
fn a_failed_read_fails_the_walk_to_one_solution_and_nothing_else() -> Result<()> {
    let disk = Disk::new();
    let f = random_function(&store_without_room(&disk), 8, 6);
    let walks: [Walk; 5] = [|f| f.sat_min(0..6), |f| f.sat_max(0..7), Bdd::cube_min, Bdd::cube_max, Bdd::pick];
    for walk in walks {
        let before = disk.calls("read");
        let expected = walk(&f)?.unwrap();
        let reads = disk.calls("read") - before;
        assert!(reads as usize <= expected.len(), "at most one read for every literal");
        for k in 1..=reads {
            disk.fail("read", k);
            check_bad_read(&walk(&f).unwrap_err());
            assert!(disk.heal());
            assert_eq!(walk(&f)?.as_ref(), Some(&expected));
        }
    }
    Ok(())
}

#[test]
fn an_iterator_over_cubes_reads_every_block_once() -> Result<()> {
    let disk = Disk::new();
    let store = store_without_room(&disk);
    // x0 ∨ … ∨ x99 has 100 paths to true, of 1 to 100 nodes, which all begin at the root.
    let mut builder = store.builder()?;
    let mut chain = BuilderNode::from(false);
    for variable in (0..100).rev() {
        chain = builder.add_node(variable, chain, true)?;
    }
    let f = builder.build()?;
    let before = disk.calls("read");
    assert_eq!(all(f.cubes()).len(), 100);
    // Every block is read once: the next node is mostly in the block that was read last, and nodes that a cube has in
    // common with the cube before are not read again.
    assert_eq!(disk.calls("read") - before, f.disk_bytes().div_ceil(256));
    Ok(())
}

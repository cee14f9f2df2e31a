//! Operations of one and two operands beyond the Boolean ones, against truth tables and under every division of the budget.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use common::{
    TWELVE, default_store,
    disk::Disk,
    functions::{self, of_table},
    limits, roomy_store, shared_store_with, smallest_store, store_on, store_with,
    table::Table,
    threaded_store_with, tight, tightest,
};
use fastrand::Rng;
use strata_bdd::{
    Bdd, BinaryOp, BuilderNode, Config, Error, ProgressCallback, Result, Store, Sweep, VariablePairs,
    testing::{Limits, Testing},
};

/// Three neighbours, and three variables with gaps, up to the largest there is.
const THREE: [[u32; 3]; 2] = [[0, 1, 2], [40, 1000, (1 << 24) - 1]];

/// Checks one operation on diagrams against truth tables.
type Check = fn(&Case<'_>) -> Result<()>;

/// Two functions, each as a diagram and as a truth table, and some of their variables.
struct Case<'a> {
    store: &'a Store,
    f: (Bdd, Table),
    g: (Bdd, Table),
    /// Some variables, in any order.
    some: Vec<u32>,
    /// A value for each of these variables; empty for checks that need none.
    values: Vec<bool>,
}

impl Case<'_> {
    fn expect(&self, result: &Bdd, table: &Table) {
        result.validate().unwrap();
        assert_eq!(result, &table.build(self.store), "of {:?} and {:?}, {:?}", self.f.1, self.g.1, self.some);
    }
}

/// The checks of all operations.
const CHECKS: [Check; 14] = [
    restrict,
    cofactor,
    exists,
    forall,
    unique,
    and_exists,
    replace,
    replace_in_order,
    compose,
    compose_all,
    constrain,
    simplify,
    compare,
    relation,
];

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

/// The variables of the case, permuted in a way that `some` decides.
fn shuffled(case: &Case<'_>) -> Vec<u32> {
    let mut names = case.f.1.variables.clone();
    for (at, &variable) in case.some.iter().enumerate() {
        let (a, b) = (names.binary_search(&variable).unwrap_or(at), (3 * at + variable as usize) % names.len());
        names.swap(a, b);
    }
    names
}

fn replace(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let names = shuffled(case);
    let name = |variable| names[table.variables.binary_search(&variable).unwrap()];
    let expected = table.map(|f, point| f.at(|variable| point(name(variable))));
    let renamed = f.replace(name)?;
    case.expect(&renamed, &expected);
    let back = |variable| table.variables[names.iter().position(|&name| name == variable).unwrap()];
    assert_eq!(&renamed.replace(back)?, f);
    Ok(())
}

fn replace_in_order(case: &Case<'_>) -> Result<()> {
    let (f, table) = &case.f;
    let rank = |variable| table.variables.binary_search(&variable).unwrap() as u32;
    for step in [1, 3] {
        let renamed = f.replace(|variable| 7 + step * rank(variable))?;
        let names: Vec<u32> = (0..table.variables.len() as u32).map(|rank| 7 + step * rank).collect();
        let expected = Table::new(&names, |point| table.at(|variable| point(7 + step * rank(variable))));
        case.expect(&renamed, &expected);
        assert_eq!(renamed.shifted(-7)?.shifted(7)?, renamed);
        let twice = renamed.shifted(-7)?.replace(|variable| table.variables[(variable / step) as usize])?;
        assert_eq!(&twice, f, "a renaming of a renaming");
    }
    Ok(())
}

fn compose(case: &Case<'_>) -> Result<()> {
    let ((f, f_table), (g, g_table)) = (&case.f, &case.g);
    for &variable in &case.some {
        let at = |point: &dyn Fn(u32) -> bool| {
            let value = g_table.at(point);
            f_table.at(|other| if other == variable { value } else { point(other) })
        };
        case.expect(&f.compose(variable, g)?, &f_table.map(|_, point| at(point)));
        let itself = f_table.map(|f, point| f.at(|other| if other == variable { f.at(point) } else { point(other) }));
        case.expect(&f.compose(variable, f)?, &itself);
    }
    Ok(())
}

fn compose_all(case: &Case<'_>) -> Result<()> {
    let ((f, f_table), (g, g_table)) = (&case.f, &case.g);
    let literal = case.store.variable(case.some.first().copied().unwrap_or(0))?;
    let images = [g.clone(), f.negated(), literal.negated(), g.xor(&literal)?, case.store.constant(true)];
    let mut images: Vec<(u32, &Bdd)> = case.some.iter().copied().zip(images.iter().cycle()).collect();
    // The image of the last variable is its negation, and other images depend on that variable.
    let last =
        case.some.last().map(|&variable| Ok((variable, case.store.variable(variable)?.negated()))).transpose()?;
    if let (Some(image), Some((variable, negation))) = (images.last_mut(), &last) {
        *image = (*variable, negation);
    }
    let tables: Vec<Table> =
        images.iter().map(|(_, image)| Table::of(image, &g_table.variables)).collect::<Result<_>>()?;
    let expected = f_table.map(|f, point| {
        f.at(|variable| match case.some.iter().position(|&other| other == variable) {
            Some(at) => tables[at].at(point),
            None => point(variable),
        })
    });
    case.expect(&f.compose_all(images)?, &expected);
    Ok(())
}

/// The point nearest to `point` where `care` is true; a difference in an earlier variable weighs more than any in later
/// ones.
fn nearest(care: &Table, point: &dyn Fn(u32) -> bool) -> Vec<bool> {
    let mut found = Vec::new();
    let mut fixed: Vec<(u32, bool)> = Vec::new();
    for (at, &variable) in care.variables.iter().enumerate() {
        let possible = |value: bool| {
            let fixed: Vec<_> = fixed.iter().copied().chain([(variable, value)]).collect();
            let free = &care.variables[at + 1..];
            care.at_all(free, &|other| fixed.iter().any(|&(variable, value)| variable == other && value))
                .contains(&true)
        };
        let value = if possible(point(variable)) { point(variable) } else { !point(variable) };
        fixed.push((variable, value));
        found.push(value);
    }
    found
}

fn constrain(case: &Case<'_>) -> Result<()> {
    let ((f, f_table), (g, g_table)) = (&case.f, &case.g);
    if g.as_constant() == Some(false) {
        assert!(matches!(f.constrain(g), Err(Error::NothingToCareFor)));
        return Ok(());
    }
    if g_table.variables.len() > 6 {
        return Ok(());
    }
    let expected = f_table.map(|f, point| {
        let nearest = nearest(g_table, point);
        f.at(|variable| nearest[g_table.variables.binary_search(&variable).unwrap()])
    });
    case.expect(&f.constrain(g)?, &expected);
    Ok(())
}

fn simplify(case: &Case<'_>) -> Result<()> {
    let ((f, _), (g, _)) = (&case.f, &case.g);
    if g.as_constant() == Some(false) {
        return Ok(());
    }
    let simple = f.simplify(g)?;
    simple.validate()?;
    assert!(simple.xor(f)?.disjoint(g)?);
    assert!(simple.node_count() <= f.node_count());
    assert!(simple.support().iter().all(|variable| f.support().contains(variable)));
    Ok(())
}

fn compare(case: &Case<'_>) -> Result<()> {
    let (f, g) = (&case.f.0, &case.g.0);
    for (f, g) in [(f, g), (f, &g.negated()), (&f.negated(), g), (f, &f.negated()), (&f.and(g)?, f), (&f.and(g)?, &!f)]
    {
        assert_eq!(f.disjoint(g)?, f.and(g)?.as_constant() == Some(false));
        assert_eq!(f.implies(g)?, f.imp(g)?.as_constant() == Some(true));
    }
    Ok(())
}

/// Successors and predecessors, where neighbours are pairs, and where the pairs lie crosswise.
fn relation(case: &Case<'_>) -> Result<()> {
    let (relation, table) = &case.f;
    let (current, next): (Vec<_>, Vec<_>) = table.variables.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
    let turned: Vec<u32> = next.iter().rev().copied().collect();
    for next in [next, turned] {
        let pairs = VariablePairs::new(current.iter().copied().zip(next.iter().copied()))?;
        let swapped =
            |variable| if pairs.is_current(variable) { pairs.next_of(variable) } else { pairs.current_of(variable) };
        let states = case.g.0.exists(next.iter().copied())?;
        let states_table = Table::of(&states, &table.variables)?;
        // A point is a successor if some state leads there. The result tests current variables where the relation tests
        // next ones, so `swapped` gives the variable of the relation.
        let leads = table.map(|relation, point| relation.at(point) && states_table.at(point));
        let expected = leads.map(|leads, point| leads.at_all(&current, &|other| point(swapped(other))).contains(&true));
        case.expect(&states.rel_next(relation, &pairs)?, &expected);
        let backwards =
            table.map(|relation, point| relation.at(point) && states_table.at(|other| point(swapped(other))));
        let expected = backwards.map(|leads, point| leads.at_all(&next, point).contains(&true));
        case.expect(&states.rel_prev(relation, &pairs)?, &expected);
    }
    Ok(())
}

/// All functions of `variables`, in the order of their numbers.
fn all_functions(store: &Store, variables: &[u32; 3]) -> Vec<(Bdd, Table)> {
    let function = |number| {
        let table = Table::of_number(variables, number);
        (table.build(store), table)
    };
    (0..256).map(function).collect()
}

#[test]
fn every_operation_is_right_for_every_function_of_three_variables() -> Result<()> {
    for (store, variables) in
        [default_store(), default_store(), roomy_store()].into_iter().zip(THREE.into_iter().cycle())
    {
        let (functions, mut random) = (all_functions(&store, &variables), Rng::with_seed(3));
        for f in &functions {
            let g = &functions[random.usize(..256)];
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

#[test]
fn operations_on_two_functions_are_right_for_every_pair_of_functions_of_three_variables() -> Result<()> {
    let checks: [Check; 7] = [and_exists, compose, compose_all, constrain, simplify, compare, relation];
    // In the default store, every function meets every other one; in the roomy store, which makes sweeps, every ninth.
    for (store, variables, step) in [(default_store(), THREE[0], 1), (roomy_store(), THREE[1], 9)] {
        let (functions, mut random) = (all_functions(&store, &variables), Rng::with_seed(4));
        for (f, g) in functions.iter().flat_map(|f| functions.iter().step_by(step).map(move |g| (f, g))) {
            let some: Vec<u32> = variables.iter().copied().filter(|_| random.bool()).collect();
            let case = Case { store: &store, f: f.clone(), g: g.clone(), some, values: Vec::new() };
            checks.iter().try_for_each(|check| check(&case))?;
        }
    }
    Ok(())
}

/// A random function of `variables`: true at half of the points, at fewer, or dependent on some of the variables alone.
fn random_function(variables: &[u32], random: &mut Rng) -> Table {
    let table = Table::random(variables, random);
    match random.u32(..4) {
        0 => table,
        1 => table.map(|f, point| f.at(point) && point(variables[0]) != point(variables[variables.len() / 2])),
        2 => {
            let other = Table::random(variables, random);
            table.map(|f, point| f.at(point) && other.at(point) && point(variables[variables.len() - 1]))
        }
        _ => {
            let kept: Vec<bool> = variables.iter().map(|_| random.u32(..3) > 0).collect();
            table.map(|f, point| f.at(|variable| kept[variables.binary_search(&variable).unwrap()] && point(variable)))
        }
    }
}

fn random_cases(store: &Store, seed: u64, rounds: u32, most: u32) -> Result<()> {
    let mut random = Rng::with_seed(seed);
    for round in 0..rounds {
        let variables = &TWELVE[..(3 + round % (most - 2)) as usize];
        let [f, g] = [(); 2].map(|()| {
            let table = random_function(variables, &mut random);
            let bdd = table.build(store);
            if random.bool() { (bdd.negated(), table.map(|f, point| !f.at(point))) } else { (bdd, table) }
        });
        let share = 1 + random.u32(..3);
        let some: Vec<u32> = variables.iter().copied().filter(|_| random.u32(..4) < share).collect();
        let values = some.iter().map(|_| random.bool()).collect();
        let case = Case { store, f, g, some, values };
        CHECKS.iter().try_for_each(|check| check(&case))?;
    }
    Ok(())
}

#[test]
fn every_operation_is_right_for_random_functions_of_up_to_twelve_variables() -> Result<()> {
    random_cases(&default_store(), 11, 40, 12)?;
    random_cases(&roomy_store(), 11, 40, 12)?;
    random_cases(&smallest_store(), 12, 20, 9)
}

#[test]
fn operations_that_turn_out_not_to_be_small_are_right() -> Result<()> {
    [1, 2, 3, 5, 10, 30, 100, 300, 1000]
        .into_iter()
        .try_for_each(|small| random_cases(&store_with(limits(|limits| limits.small = small)), small, 5, 12))
}

#[test]
fn operations_are_right_where_quantification_is_by_nested_sweeps_alone() -> Result<()> {
    random_cases(&store_with(limits(|limits| limits.nested_only = true)), 11, 40, 12)
}

#[test]
fn operations_are_right_in_every_way_of_spilling() -> Result<()> {
    [false, true].into_iter().try_for_each(every_way_of_spilling)
}

fn every_way_of_spilling(nested_only: bool) -> Result<()> {
    let on = |disk: &_, limits| store_on(disk, Limits { nested_only, ..limits }, 1);
    let disk = Disk::new();
    // Queues and arcs are on disk.
    let store = on(&disk, limits(|limits| (limits.block, limits.queue, limits.arcs) = (256, 1024, 0)));
    random_cases(&store, 13, 10, 12)?;
    assert!(store.stats().spilled_bytes > 1 << 20 && disk.calls("read") > 1000, "{:?}", store.stats());
    // Levels are parted over logs.
    let store = on(&disk, limits(|limits| (limits.sort, limits.dense) = (600, 100)));
    random_cases(&store, 14, 10, 12)?;
    assert!(store.stats().parted_levels > 1000 && disk.calls("sort in") == 0, "{:?}", store.stats());
    // Levels go through the external sorter.
    let store = on(&disk, limits(|limits| (limits.sort, limits.dense, limits.parts) = (600, 48, 5)));
    random_cases(&store, 1, 9, 11)?;
    assert!(disk.calls("sort in") > 10, "{:?}", store.stats());
    // Operands are on disk and read in order.
    let (store, before) = (on(&disk, limits(|limits| (limits.diagrams, limits.window) = (0, 0))), disk.calls("read"));
    random_cases(&store, 15, 10, 10)?;
    assert!(disk.calls("read") - before > 1000, "{:?}", store.stats());
    // Ids are wide.
    random_cases(&on(&disk, limits(|limits| limits.narrow_ids = 20)), 16, 10, 10)
}

#[test]
fn operations_are_right_with_any_number_of_threads() -> Result<()> {
    random_cases(&shared_store_with(2, &limits(|_| ())), 17, 12, 10)?;
    random_cases(&shared_store_with(3, &limits(|limits| limits.nested_only = true)), 18, 12, 10)?;
    // Everything spills.
    random_cases(&shared_store_with(2, &Limits { queue: 32 << 10, ..tightest() }), 19, 5, 8)
}

/// The levels are so wide that a thread takes over requests that other threads have sorted; which ones differs from run
/// to run.
#[test]
fn it_makes_no_difference_which_thread_does_a_request() -> Result<()> {
    let results = |store: &Store| -> Result<Vec<Bdd>> {
        let [f, g, h] = [1, 2, 3].map(|seed| functions::random_function(store, seed, 16));
        let fewer = f.restrict([(3, true), (9, false)])?;
        Ok(vec![f.xor(&g)?, f.ite(&g, &h)?, f.exists([4, 11])?, f.compose(6, &h)?, f.and_exists(&g, [8])?, fewer])
    };
    let expected = results(&roomy_store())?;
    assert!(expected[0].width() > 2048);
    for threads in [2, 3] {
        let store = shared_store_with(threads, &limits(|_| ()));
        assert_eq!(results(&store)?, expected, "{threads} threads");
        assert!(store.stats().shared_levels > 50);
    }
    Ok(())
}

#[test]
fn a_sweep_on_a_diagram_that_nearly_outgrows_narrow_ids_begins_wide() -> Result<()> {
    let made = |narrow_ids| {
        let store = store_with(limits(|limits| limits.narrow_ids = narrow_ids));
        let f = functions::random_function(&store, 12345, 9);
        let differ = f.xor(&f.shifted(1)?)?;
        let last = store.operations().pop().expect("the operation just done");
        Ok::<_, Error>((last.requests, differ.sat_count(10)?, f.node_count()))
    };
    let (once, count, nodes) = made(1 << 30)?;
    assert_eq!(made(nodes + 1)?.0, once);
    assert_eq!(made(nodes / 2 * 3 - 1)?.0, once);
    // With more room than that, the sweep begins narrow, has to give up, and begins again.
    let (again, same, _) = made(nodes.div_ceil(2) * 3)?;
    assert!(again > once && same == count, "{again} requests, {once} at once");
    Ok(())
}

#[test]
fn levels_are_shared_only_where_most_levels_are_large() -> Result<()> {
    let store = threaded_store_with(2, limits(|limits| limits.alone = 5));
    // Levels above those of the other operand would not be expanded.
    let ends = store.cube([(0, true), (999, true)])?;
    let shared_by = |f: &Bdd| {
        let before = store.stats().shared_levels;
        assert!(f.and(&ends)?.node_count() > 100);
        Ok::<_, Error>(store.stats().shared_levels - before)
    };
    assert!(shared_by(&functions::random_function(&store, 12345, 10))? > 0);
    // Some levels of up to twelve nodes above hundreds of levels of two.
    let mut builder = store.builder()?;
    let mut parity: [BuilderNode; 2] = [false.into(), true.into()];
    for variable in (100..400).rev() {
        let [even, odd] = parity;
        parity = [builder.add_node(variable, even, odd)?, builder.add_node(variable, odd, even)?];
    }
    let ends = [parity[0], parity[1], false.into(), true.into()];
    let pairs = (0..16).map(|at| (ends[at / 4], ends[at % 4])).filter(|(low, high)| low != high);
    let mut layer = pairs.map(|(low, high)| builder.add_node(50, low, high)).collect::<Result<Vec<_>>>()?;
    for variable in (0..50).rev() {
        let next = layer.iter().zip(layer.iter().skip(1)).map(|(&low, &high)| builder.add_node(variable, low, high));
        layer = next.collect::<Result<_>>()?;
        if layer.len() == 1 {
            break;
        }
    }
    let built = builder.build()?;
    assert!(built.width() > 5);
    assert_eq!(shared_by(&built)?, 0);
    Ok(())
}

#[test]
fn nested_sweeps_with_fewer_workers_than_threads_are_right() -> Result<()> {
    let exists = |threads, queue| {
        let adjust = |limits: &mut Limits| {
            (limits.alone, limits.nested_only, limits.queue, limits.dense) = (5, true, queue, 256);
        };
        let store = threaded_store_with(threads, limits(adjust));
        let f = functions::random_function(&store, 12345, 9);
        let hashes =
            [vec![3, 5, 7], vec![2, 4], vec![1, 3, 8], vec![0, 4, 6]].map(|some| Ok(f.exists(some)?.content_hash()));
        Ok::<_, Error>((hashes.into_iter().collect::<Result<Vec<_>>>()?, store.stats().shared_levels))
    };
    let (right, _) = exists(1, 1 << 20)?;
    let mut shared = BTreeSet::new();
    for threads in [3, 4, 6, 8] {
        for queue in (1..80).map(|kib| kib << 10) {
            let (found, levels) = exists(threads, queue)?;
            assert!(found == right, "{threads} threads, {queue} bytes for queues");
            shared.insert(levels);
        }
    }
    // Levels were shared by no workers, by fewer than there are threads, and by all.
    assert!(shared.len() > 2, "{shared:?}");
    Ok(())
}

#[test]
fn variables_beyond_the_largest_and_contradictions_are_errors() -> Result<()> {
    let store = default_store();
    let f = store.variable(1)?.and(&store.variable(2)?)?;
    assert!(matches!(f.restrict([(1, true), (1, false)]), Err(Error::Contradiction { variable: 1 })));
    assert!(matches!(f.restrict([(1 << 24, true)]), Err(Error::VariableOutOfRange { .. })));
    // A list of variables without end is read up to the first variable that is out of range.
    assert!(matches!(f.restrict((3..).map(|variable| (variable, true))), Err(Error::VariableOutOfRange { .. })));
    for endless in [f.exists(2..), f.forall(2..), f.unique(1..), f.and_exists(&f, 2..)] {
        assert!(matches!(endless, Err(Error::VariableOutOfRange { variable: 16_777_216, .. })));
    }
    assert_eq!(f.exists(2..1 << 24)?, store.variable(1)?);
    assert_eq!(f.unique([2, 1, 3])?.as_constant(), Some(false));
    let pairs = VariablePairs::new([(0, 1), (2, 3)])?;
    for neighbours in [f.rel_next(&f, &pairs), f.rel_prev(&f, &pairs)] {
        assert!(matches!(neighbours, Err(Error::NextVariable { variable: 1 })));
    }
    assert!(matches!(f.shifted(-3), Err(Error::VariableOutOfRange { variable: -3..=-1, .. })));
    assert!(matches!(f.shifted(i32::MAX), Err(Error::VariableOutOfRange { .. })));
    for pairs in [
        VariablePairs::interleaved((1 << 23) + 1),
        VariablePairs::disjoint((1 << 23) + 1),
        VariablePairs::interleaved(u32::MAX),
        VariablePairs::disjoint(u32::MAX),
        VariablePairs::new([(0, 1 << 24)]),
    ] {
        assert!(matches!(pairs, Err(Error::VariableOutOfRange { .. })));
    }
    for twice in [&[(0, 0)][..], &[(0, 1), (1, 2)], &[(0, 1), (0, 2)], &[(0, 2), (1, 2)], &[(0, 1), (1, 0)]] {
        let refused = VariablePairs::new(twice.iter().copied());
        assert!(
            matches!(refused, Err(Error::PairedTwice { pair, .. }) if pair == twice[twice.len() - 1]),
            "{twice:?}: {refused:?}"
        );
    }
    assert_eq!(VariablePairs::new([(0, 1), (2, 3), (0, 1)])?, VariablePairs::interleaved(2)?);
    let refused = f.replace(|_| 7);
    assert!(
        matches!(refused, Err(Error::NotInjective { variable: 7, first, second }) if first > second),
        "{refused:?}"
    );
    assert!(matches!(f.replace(|variable| variable + (1 << 24)), Err(Error::VariableOutOfRange { .. })));
    assert!(matches!(f.exists([1 << 24]), Err(Error::VariableOutOfRange { .. })));
    assert!(matches!(f.and_exists(&f, [1 << 24]), Err(Error::VariableOutOfRange { .. })));
    assert!(matches!(f.and_exists(&default_store().variable(0)?, [1]), Err(Error::DifferentStores)));
    Ok(())
}

/// A regression test: quantifying no variable once waited for its turn and looked at the levels.
#[test]
fn a_call_that_has_nothing_to_do_is_no_operation() -> Result<()> {
    let store = default_store();
    let f = store.variable(1)?.and(&store.variable(2)?)?;
    let before = store.operations();
    for f in [f.clone(), !f] {
        let quantified = [f.exists([])?, f.exists([7])?, f.forall([0, 3])?, f.exists_where(|_| false)?, f.unique([])?];
        let others = [f.restrict([(3, true)])?, f.replace(|variable| variable)?, f.and_exists(&f, [7])?];
        assert!(quantified.iter().chain(&others).all(|same| *same == f));
    }
    assert_eq!(store.operations(), before);
    Ok(())
}

/// A regression test: the predicate was once asked again while the store worked, so it could not use the store, and
/// could change its answer.
#[test]
fn a_predicate_is_asked_once_and_may_use_the_store() -> Result<()> {
    let store = default_store();
    let (x, y) = (store.variable(0)?, store.variable(1)?);
    let both = x.and(&y)?;
    assert_eq!(both.exists_where(|variable| x.or(&y).unwrap().support()[1] == variable)?, x);
    let asked = std::cell::Cell::new(0);
    let first_two = |_: u32| {
        asked.set(asked.get() + 1);
        asked.get() <= 2
    };
    assert_eq!(both.exists_where(first_two)?.as_constant(), Some(true));
    assert_eq!(
        both.and_exists_where(&x.xor(&y)?, |variable| x.and(&y).unwrap().support()[0] == variable)?.as_constant(),
        Some(false)
    );
    Ok(())
}

/// A regression test: each arc into a node passed every eliminated level below by itself, in the square of the levels.
#[test]
fn requests_that_pass_a_level_go_on_together() -> Result<()> {
    let shared = shared_store_with(2, &limits(|_| ()));
    for store in [default_store(), roomy_store(), shared, store_with(tight())] {
        let n: u32 = 1000;
        let ones = |variables: std::ops::Range<u32>| variables.map(|variable| (variable, true));
        // From each level of the clause, an arc leads to the top of the cube.
        let f = (&store.clause(ones(1..n + 1))? & &store.cube(ones(n + 1..2 * n + 1))?)?.and(&store.variable(0)?)?;
        let (odd, few) = (store.parity(0..n)?, store.at_most(3, 0..n)?);
        let apart = store.and_all((1..n).map(|next| store.clause([(next - 1, false), (next, false)])))?;
        let check = |work: &dyn Fn() -> Result<Bdd>, expected: &Bdd, nodes: u64| -> Result<()> {
            let before = store.stats().processed_requests;
            assert_eq!(&work()?, expected);
            let requests = store.stats().processed_requests - before;
            assert!(requests < 12 * nodes, "{requests} requests on {nodes} nodes");
            Ok(())
        };
        let clause = store.clause(ones(1..n + 1))?;
        check(&|| f.restrict(ones(n + 1..2 * n + 1).chain([(0, true)])), &clause, f.node_count())?;
        check(&|| f.exists((n + 1..=2 * n).chain([0])), &clause, f.node_count())?;
        let within = few.and(&odd)?;
        check(&|| odd.constrain(&few)?.and(&few), &within, odd.node_count() + few.node_count())?;
        let most = few.and(&apart)?.exists_where(|variable| variable % 2 == 0)?;
        let evens = (0..n).step_by(2);
        check(&|| few.and_exists(&apart, evens.clone()), &most, few.node_count() + apart.node_count())?;
    }
    Ok(())
}

/// A regression test: every sweep on sets was once allowed as many requests as the sweep before, though the diagram had
/// grown.
#[test]
fn quantifying_variables_of_a_narrow_diagram_takes_at_most_three_times_the_requests_of_nested_sweeps_alone() {
    let requests = [true, false].map(|nested_only| {
        let store = store_with(limits(|limits| limits.nested_only = nested_only));
        let mut random = Rng::with_seed(7);
        let levels = 480;
        let f = narrow(&store, &mut random, levels, 10);
        let before = store.stats().processed_requests;
        let all = f.exists_where(|variable| variable < levels - levels / 8).unwrap();
        (store.stats().processed_requests - before, all.content_hash())
    });
    assert_eq!(requests[0].1, requests[1].1);
    assert!(requests[1].0 <= 3 * requests[0].0, "{requests:?}");
}

#[test]
fn an_operation_whose_lift_runs_out_of_tables_is_done_in_another_way_or_refused() -> Result<()> {
    // For levels that are lifted, progress is reported before there is any node; for other levels it is not.
    let begun = Arc::new(AtomicBool::new(false));
    let told = begun.clone();
    let progress: ProgressCallback = Arc::new(move |progress| {
        told.fetch_or((progress.sweep, progress.variable, progress.nodes) == (Sweep::Expand, 0, 0), Relaxed);
        ControlFlow::Continue(())
    });
    let testing =
        Testing { limits: Some(limits(|limits| (limits.tables, limits.common) = (64 << 10, 0))), backend: None };
    let store = Store::new(Config { progress: Some(progress), testing, ..Config::default() })?;
    let operations: [fn(&Bdd) -> Result<Bdd>; 3] =
        [|f| f.restrict([(60, true)]), |f| f.exists([60]), |f| f.forall([60, 80])];
    let build = |store| narrow(store, &mut Rng::with_seed(9), 120, 10);
    let (f, roomy) = (build(&store), build(&roomy_store()));
    let expected = operations.map(|operation| operation(&roomy).unwrap());
    // For every operation: how often levels were lifted, how often a lift was begun but not used, and how often the
    // operation was refused.
    let mut outcomes = [[0; 3]; 3];
    let mut alive = Vec::new();
    loop {
        for (at, operation) in operations.iter().enumerate() {
            begun.store(false, Relaxed);
            let done = operation(&f);
            let last = store.operations().pop().expect("the operation just done");
            match (done, begun.load(Relaxed), last.sweeps) {
                (Err(Error::BudgetExceeded { .. }), ..) => outcomes[at][2] += 1,
                (done, lifts, sweeps) => {
                    assert_eq!(done?, expected[at], "beside {} diagrams", alive.len());
                    // One sweep expands and one reduces; with a lift, a third raises the lifted levels.
                    outcomes[at][0] += u32::from(lifts && sweeps == 3);
                    outcomes[at][1] += u32::from(lifts && sweeps == 2);
                }
            }
        }
        match store.cube([(1000, true)]) {
            Err(Error::BudgetExceeded { .. }) => break,
            literal => alive.push(literal?),
        }
    }
    assert!(outcomes.as_flattened().iter().all(|&times| times > 0), "{outcomes:?}");
    drop(alive);
    assert_eq!(operations[0](&f)?, expected[0]);
    Ok(())
}

/// No node is a constant: each is true for some values of the variables below, and false for others.
#[test]
fn arcs_to_levels_that_are_all_quantified_are_not_followed() -> Result<()> {
    for small in [0, 1 << 14] {
        let store = store_with(limits(|limits| limits.small = small));
        let f = functions::random_function(&store, 5, 18);
        let one_by_one = |f: Bdd| (9..18).rev().try_fold(f, |rest, variable| rest.exists([variable]));
        for f in [f.clone(), f.negated(), f.and(&store.variable(17)?)?, f.or(&store.variable(0)?)?] {
            let before = store.stats().processed_requests;
            let (some, all) = (f.exists(9..18)?, f.forall(9..18)?);
            let requests = store.stats().processed_requests - before;
            assert!(f.node_count() > 5000 && requests < 4 << 9, "{requests} requests for {} nodes", f.node_count());
            assert_eq!(some, one_by_one(f.clone())?);
            assert_eq!(all, one_by_one(f.negated())?.negated());
        }
        let kept = f.exists((9..18).filter(|&variable| variable != 13))?;
        assert_eq!(kept.exists([13])?, one_by_one(f)?);
    }
    Ok(())
}

/// A random function with at most `width` nodes on each of `levels` levels; all arcs lead to the next level.
fn narrow(store: &Store, random: &mut Rng, levels: u32, width: usize) -> Bdd {
    // Every node must be below the root, so the rows are chosen from the top before they are built from the bottom.
    let mut rows: Vec<Vec<[usize; 2]>> = Vec::new();
    let mut reached = 1;
    for _ in 0..levels {
        let next = (2 * reached).min(width);
        let mut row: Vec<[usize; 2]> = (0..reached).map(|_| [(); 2].map(|()| random.usize(..next))).collect();
        // Every node of the next row gets a parent.
        (0..next).for_each(|child| row[child / 2 % reached][child % 2] = child);
        rows.push(row);
        reached = next;
    }
    let mut builder = store.builder().unwrap();
    let mut below: Vec<BuilderNode> = (0..reached).map(|at| (at % 2 == 1).into()).collect();
    for (variable, row) in (0..levels).zip(&rows).rev() {
        below = row.iter().map(|&[low, high]| builder.add_node(variable, below[low], below[high]).unwrap()).collect();
    }
    builder.build().unwrap()
}

/// Results whose lower levels, from some level on, are copies of an operand's; some have levels from two operands.
fn partly_copied(store: &Store) -> Result<Vec<Bdd>> {
    let mut random = Rng::with_seed(5);
    let mut function = |variables: std::ops::Range<u32>| {
        let table: Vec<bool> = (0..1 << variables.len()).map(|_| random.bool()).collect();
        of_table(store, &table, &variables.collect::<Vec<_>>())
    };
    let [upper, lower, all, other] = [function(1..6)?, function(6..11)?, function(1..9)?, function(1..9)?];
    let [some, few] = [function(3..6)?, function(7..9)?];
    let top = store.variable(0)?;
    let mut made = vec![top.and(&all)?.or(&top.negated().and(&other)?)?, top.and(&upper)?.xor(&all)?];
    for op in BinaryOp::all() {
        made.extend([upper.apply(op, &lower)?, lower.apply(op, &upper)?, top.apply(op, &all)?]);
    }
    for f in [&all, &all.negated(), &upper.or(&lower)?] {
        made.extend([f.restrict([(3, true), (4, false)])?, f.restrict([(5, false)])?, f.restrict([(2, true)])?]);
        made.extend([f.unique([4])?, f.unique([2, 6])?]);
        made.extend([f.exists([3])?, f.forall([2])?, f.exists([1, 4])?, f.exists([1, 2, 6])?, f.forall([5, 3, 7])?]);
        for g in [&some, &few] {
            made.extend([f.and(g)?, f.xor(g)?, f.constrain(g)?, f.ite(g, &few)?, f.ite(&some, g)?]);
            made.extend([(f.clone() & g.clone())?, (f.clone() ^ g.clone())?]);
            made.extend([f.compose(4, g)?, f.compose(8, g)?, f.and_exists(g, [4])?, f.and_exists(g, [8])?]);
        }
    }
    Ok(made)
}

#[test]
fn copied_levels_are_those_that_sweeps_would_have_made() {
    for narrow_ids in [1 << 30, 40] {
        let store = |adjust: fn(&mut Limits)| store_with(Limits { narrow_ids, ..limits(adjust) });
        let shared = |threads, limits: Limits| shared_store_with(threads, &Limits { narrow_ids, ..limits });
        let stores = [
            store(|limits| (limits.sort, limits.dense) = (0, 0)),
            // Marks take the place of all arrays.
            store(|limits| limits.dense = 0),
            store(|_| ()),
            shared(2, limits(|_| ())),
            shared(3, limits(|limits| (limits.block, limits.arcs) = (256, 0))),
            store_with(Limits { narrow_ids, ..tightest() }),
        ];
        let made = stores.each_ref().map(|store| partly_copied(store).unwrap());
        for same in &made {
            assert!(*same == made[0]);
            for f in same {
                f.validate().unwrap();
            }
        }
        // Copied nodes take no requests. The first store has no room for marks, so that store copies nothing.
        let [never, copied @ ..] = [0, 1, 2].map(|at: usize| stores[at].stats().processed_requests);
        assert!(copied.iter().all(|&copied| copied < never), "{copied:?} requests, {never} without copies");
    }
}

//! Renaming of variables, and composition with several functions at once.

mod common;

use std::collections::BTreeMap;

use common::{
    default_store, functions::random_function, limits, roomy_store, shared_store_with, smallest_store, store_with,
    table::Table, tight,
};
use fastrand::Rng;
use strata_bdd::{Bdd, Comparison, Error, Result, Store};

const LEVELS: u32 = 60;

/// Says that the weights of the true variables sum to 200 at most. The weight of variable v is v² mod 23 + 1, and its
/// name in the diagram is `name(v)`.
fn weighted(store: &Store, name: impl Fn(u32) -> u32) -> Result<Bdd> {
    let weight = |variable: u32| i64::from(variable * variable % 23 + 1);
    store.linear((0..LEVELS).map(|variable| (name(variable), weight(variable))), Comparison::AtMost, 200)
}

/// The names with the first and the last variable exchanged.
fn ends_swapped(variable: u32) -> u32 {
    match variable {
        0 => LEVELS - 1,
        _ if variable == LEVELS - 1 => 0,
        _ => variable,
    }
}

#[test]
fn composing_with_variables_in_order_renames_without_a_sweep() -> Result<()> {
    let store = roomy_store();
    let f = store.at_most(2, 0..500)?;
    let next = (1..=500).map(|variable| store.variable(variable)).collect::<Result<Vec<_>>>()?;
    let before = store.stats().processed_requests;
    assert_eq!(f.compose_all((0..).zip(&next))?, f.shifted(1)?);
    assert_eq!(store.stats().processed_requests, before);
    // With one of the variables negated, a single sweep is made.
    let some = next.iter().map(|x| if x.top_variable() == Some(7) { !x } else { x.clone() }).collect::<Vec<_>>();
    let renamed = f.compose_all((0..).zip(&some))?;
    assert!(store.stats().processed_requests - before < 2 * f.node_count());
    assert_eq!(renamed, f.shifted(1)?.compose(7, &!store.variable(7)?)?);
    Ok(())
}

#[test]
fn a_renamed_function_is_the_one_that_is_built_with_the_new_names() -> Result<()> {
    let last = LEVELS - 1;
    let names: [(&str, &dyn Fn(u32) -> u32); 13] = [
        ("the last first", &|variable| (variable + 1) % LEVELS),
        ("the first last", &|variable| (variable + last) % LEVELS),
        ("the ends", &ends_swapped),
        ("the last to a free name", &|variable| if variable == last { 1 } else { 2 * variable }),
        ("one to each end", &|variable| match variable {
            29 => 0,
            59 => 200,
            _ => variable + 1,
        }),
        ("two together", &|variable| if variable > 57 { variable - 58 } else { variable + 2 }),
        ("every fifth", &|variable| if variable % 5 == 0 { 1000 - variable } else { variable }),
        ("halves, interleaved", &|variable| 2 * (variable % 30) + variable / 30),
        ("all", &|variable| last - variable),
        ("neighbours", &|variable| variable ^ 1),
        ("some neighbours", &|variable| if variable % 7 < 2 { variable / 7 * 7 + 1 - variable % 7 } else { variable }),
        ("pairs of neighbours", &|variable| variable ^ 2),
        ("threes, turned round", &|variable| 2 * (variable / 3 * 3 + (variable + 1) % 3)),
    ];
    for store in [default_store(), store_with(tight())] {
        let f = weighted(&store, |variable| variable)?;
        for (what, name) in names {
            let renamed = f.replace(name)?;
            assert_eq!(renamed, weighted(&store, name)?, "{what}");
            renamed.validate()?;
            let back: Vec<u32> = {
                let mut back = vec![0; 2000];
                (0..LEVELS).for_each(|variable| back[name(variable) as usize] = variable);
                back
            };
            assert_eq!(renamed.replace(|variable| back[variable as usize])?, f, "{what}, and back");
        }
    }
    Ok(())
}

#[test]
fn every_renaming_of_functions_of_three_variables_gives_the_renamed_table() -> Result<()> {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for store in [default_store(), store_with(tight()), store_with(limits(|limits| limits.small = 0))] {
        for (number, spread) in (0..256).flat_map(|number| [(number, 1), (number, 40)]) {
            let table = Table::of_number(&[0, 1, 2], number);
            let f = table.build(&store);
            for order in orders {
                let name = |variable| spread * order[variable as usize];
                let renamed = f.replace(name)?;
                let names = [0, spread, 2 * spread];
                let expected = Table::new(&names, |point| table.at(|variable| point(name(variable))));
                assert_eq!(Table::of(&renamed, &names)?, expected);
                renamed.validate()?;
            }
        }
    }
    Ok(())
}

#[test]
fn all_neighbours_are_exchanged_at_once_with_any_number_of_threads() -> Result<()> {
    let store = roomy_store();
    let f = weighted(&store, |variable| variable)?;
    let before = store.stats().processed_requests;
    let swapped = f.replace(|variable| variable ^ 1)?;
    let requests = store.stats().processed_requests - before;
    assert!(requests < 5 * f.node_count(), "{requests} for {} nodes", f.node_count());
    let last = store.operations().pop().expect("an operation");
    assert_eq!((last.operation, last.sweeps), ("swap", 2));
    for threads in [2, 3] {
        let shared = shared_store_with(threads, &limits(|limits| (limits.alone, limits.small) = (0, 0)));
        let there = weighted(&shared, |variable| variable)?.replace(|variable| variable ^ 1)?;
        assert_eq!(there.content_hash(), swapped.content_hash(), "{threads} threads");
        assert!(shared.stats().shared_levels > 0);
    }
    Ok(())
}

#[test]
fn moving_one_variable_takes_a_few_sweeps_however_far_it_moves() -> Result<()> {
    let store = roomy_store();
    let f = weighted(&store, |variable| variable)?;
    for name in [|variable| (variable + 1) % LEVELS, |variable| (variable + LEVELS - 1) % LEVELS] {
        let before = store.stats().processed_requests;
        let renamed = f.replace(name)?;
        let requests = store.stats().processed_requests - before;
        assert!(requests < 4 * (f.node_count() + renamed.node_count()), "{requests} for {} nodes", f.node_count());
    }
    Ok(())
}

#[test]
fn composing_with_exchanged_variables_is_a_renaming() -> Result<()> {
    let store = roomy_store();
    let f = weighted(&store, |variable| variable)?;
    let (first, last) = (store.variable(0)?, store.variable(LEVELS - 1)?);
    let before = store.stats().processed_requests;
    let swapped = f.compose_all([(0, &last), (LEVELS - 1, &first)])?;
    let requests = store.stats().processed_requests - before;
    assert_eq!(swapped, f.replace(ends_swapped)?);
    assert!(requests < 8 * f.node_count(), "{requests} for {} nodes", f.node_count());
    // Two variables that become the same variable are no renaming.
    let (second, third) = (store.variable(1)?, store.variable(2)?);
    let joined = f.compose_all([(0, &last), (LEVELS - 1, &last), (1, &third), (2, &second)])?;
    let swapped = f.replace(|variable| match variable {
        1 => 2,
        2 => 1,
        _ => variable,
    })?;
    assert_eq!(joined, swapped.compose(0, &last)?);
    // Where each pair of neighbours becomes one variable, a single operation does all.
    let seconds = (0..LEVELS / 2).map(|pair| store.variable(2 * pair + 1)).collect::<Result<Vec<_>>>()?;
    let joined = f.compose_all((0..).step_by(2).zip(&seconds))?;
    assert_eq!(store.operations().pop().map(|done| done.operation), Some("vector"));
    let mut slowly = f;
    for (first, second) in (0..).step_by(2).zip(&seconds) {
        slowly = slowly.compose(first, second)?;
    }
    assert_eq!(joined, slowly);
    Ok(())
}

#[test]
fn negated_variables_are_negated_in_one_sweep_and_renamed_as_others_are() -> Result<()> {
    let last = LEVELS - 1;
    for store in [default_store(), store_with(tight())] {
        let f = weighted(&store, |variable| variable)?;
        let literals: Vec<Bdd> = (0..=LEVELS).map(|variable| store.variable(variable)).collect::<Result<_>>()?;
        let not: Vec<Bdd> = literals.iter().map(|literal| !literal).collect();
        let all = |images: &dyn Fn(u32) -> Bdd| {
            let images: Vec<Bdd> = (0..LEVELS).map(images).collect();
            f.compose_all((0..).zip(&images))
        };
        let before = store.stats().processed_requests;
        let turned = all(&|variable| not[variable as usize].clone())?;
        let requests = store.stats().processed_requests - before;
        assert!(requests < 3 * f.node_count(), "{requests} for {} nodes", f.node_count());
        // The slow way: one variable after another.
        let mut slowly = f.clone();
        for (variable, negation) in (0..LEVELS).zip(&not) {
            slowly = slowly.compose(variable, negation)?;
        }
        assert_eq!(turned, slowly);
        turned.validate()?;
        // Some variables are negated; in addition, all are renamed, or two get the same name.
        let is_negated = |variable: u32| variable.is_multiple_of(3);
        let literal = |variable: u32, name: u32| {
            if is_negated(variable) { not[name as usize].clone() } else { literals[name as usize].clone() }
        };
        let some = f.compose_all((0..LEVELS).filter(|&variable| is_negated(variable)).zip(not.iter().step_by(3)))?;
        for name in [|variable| variable ^ 1, |variable| LEVELS - 1 - variable, |variable| variable + 1] {
            assert_eq!(all(&|variable| literal(variable, name(variable)))?, some.replace(name)?);
        }
        let joined = all(&|variable| literal(variable, if variable == last { 0 } else { variable }))?;
        assert_eq!(joined, some.compose(last, &literals[0])?);
        // Images of variables outside the support are ignored, even if there are two for a variable.
        assert_eq!(f.compose_all([(LEVELS, &not[0]), (LEVELS, &not[1])])?, f);
        assert!(f.compose_all([(0, &not[0]), (0, &not[1])]).is_err());
    }
    Ok(())
}

/// The image of `variable`: a function of `variable` and of variables near it or, for the second one if `far`, of the variable as
/// far from the other end. Every fifth variable has no image.
fn image(variable: u32, far: bool, store: &Store) -> Result<Option<Bdd>> {
    let x = |variable| store.variable(variable);
    let other = if far && variable == 1 { LEVELS - 1 - variable } else { variable + 2 };
    Ok(match variable % 5 {
        0 => Some(x(variable)?.xor(&x(variable + 1)?)?),
        1 => Some(x(variable)?.nand(&x(other)?)?),
        2 => Some(x(variable)?.ite(&x(variable + 1)?, &x(other)?)?),
        3 => Some(x(variable - 1)?.nor(&x(variable)?)?),
        _ => None,
    })
}

#[test]
fn a_ring_of_images_that_have_more_nodes_than_a_tall_function_is_composed_at_once() -> Result<()> {
    for store in [default_store(), roomy_store()] {
        let n = 500;
        let image = |at| store.variable(at)?.xor(&store.variable((at + 1) % n)?);
        let images = (0..n).map(image).collect::<Result<Vec<_>>>()?;
        let composed = store.cube((0..n).map(|variable| (variable, true)))?.compose_all((0..).zip(&images))?;
        assert_eq!(store.operations().pop().map(|done| done.operation), Some("vector"));
        assert_eq!(composed, store.and_all(images)?);
    }
    Ok(())
}

#[test]
fn images_of_near_and_of_far_variables_are_composed_at_once_and_those_larger_than_the_function_one_by_one() -> Result<()>
{
    let mut hashes = Vec::new();
    let shared = shared_store_with(2, &limits(|_| ()));
    for store in [default_store(), roomy_store(), store_with(tight()), shared] {
        let weighted = weighted(&store, |variable| variable)?;
        let with_image = (0..LEVELS / 3).filter(|variable| variable % 5 < 4);
        let cube = store.cube(with_image.map(|variable| (variable, variable % 4 > 1)))?;
        for (f, far, operation) in [(&weighted, false, "vector"), (&weighted, true, "vector"), (&cube, true, "compose")]
        {
            for f in [f.clone(), !f] {
                let mut images = Vec::new();
                for variable in 0..LEVELS {
                    images.extend(image(variable, far, &store)?.map(|image| (variable, image)));
                }
                let composed = f.compose_all(images.iter().map(|(variable, image)| (*variable, image)))?;
                let done = store.operations().pop().expect("an operation");
                assert_eq!(done.operation, operation);
                composed.validate()?;
                let mut random = Rng::with_seed(5);
                for _ in 0..40 {
                    // At most points few variables are true, so that `f`, which bounds a sum of weights, is true at
                    // some.
                    let one_in = 1 + random.u32(..9);
                    let point: Vec<bool> = (0..2 * LEVELS).map(|_| random.u32(..one_in) == 0).collect();
                    let at = |variable: u32| point[variable as usize];
                    let inner = images.iter().map(|(variable, image)| Ok((*variable, image.eval(at)?)));
                    let inner: BTreeMap<u32, bool> = inner.collect::<Result<_>>()?;
                    let expected = f.eval(|variable| inner.get(&variable).copied().unwrap_or_else(|| at(variable)))?;
                    assert_eq!(composed.eval(at)?, expected);
                }
                hashes.push(composed.content_hash());
            }
        }
    }
    assert!(hashes.chunks(6).all(|some| some == &hashes[..6]));
    Ok(())
}

#[test]
fn images_of_any_variables_are_composed_as_points_are_mapped() -> Result<()> {
    const SEEN: u32 = 12;
    let mut random = Rng::with_seed(7);
    let stores = [default_store(), store_with(tight()), shared_store_with(2, &limits(|_| ())), smallest_store()];
    let mut at_once = 0;
    for (round, store) in (0..120).zip(stores.iter().cycle()) {
        let f = random_function(store, round, 10);
        let mut images = Vec::new();
        for variable in 0..10 {
            // Of variables anywhere, or of those that are near.
            let near = random.bool();
            let mut any = || {
                let seen = if near { variable + random.u32(..3) } else { random.u32(..SEEN) };
                store.literal(seen, random.bool())
            };
            let [a, b, c] = [any()?, any()?, any()?];
            match random.u32(..5) {
                0 => {}
                1 => images.push((variable, a)),
                2 => images.push((variable, a.xor(&b)?)),
                3 => images.push((variable, a.and(&b)?)),
                _ => images.push((variable, a.ite(&b, &c)?)),
            }
        }
        let composed = f.compose_all(images.iter().map(|(variable, image)| (*variable, image)))?;
        at_once += usize::from(store.operations().pop().is_some_and(|done| done.operation == "vector"));
        composed.validate()?;
        for point in 0..1u32 << SEEN {
            let at = |variable: u32| point >> variable & 1 == 1;
            let mut mapped: Vec<bool> = (0..10).map(at).collect();
            for (variable, image) in &images {
                mapped[*variable as usize] = image.eval(at)?;
            }
            assert_eq!(composed.eval(at)?, f.eval(|variable| mapped[variable as usize])?, "{round} {point:b}");
        }
    }
    assert!(at_once > 60, "{at_once}");
    Ok(())
}

/// A regression test: each of these images once took a nested sweep for every variable below.
#[test]
fn images_that_depend_on_each_others_variables_take_one_sweep_each() -> Result<()> {
    let last = LEVELS - 1;
    for store in [default_store(), store_with(tight())] {
        let f = weighted(&store, |variable| variable)?;
        let x = |variable: u32| store.variable(variable);
        let (first, end) = (x(0)?.xor(&x(last)?)?, x(last)?.nand(&x(0)?)?);
        // The variables between the ends are exchanged in pairs.
        let partner = |variable: u32| ((variable - 1) ^ 1) + 1;
        let others = (1..last).map(|variable| Ok((variable, x(partner(variable))?))).collect::<Result<Vec<_>>>()?;
        let given = others.iter().map(|(variable, other)| (*variable, other)).chain([(0, &first), (last, &end)]);
        let composed = f.compose_all(given)?;
        let done: Vec<_> = store.operations().into_iter().rev().take(3).collect();
        assert_eq!([0, 1, 2].map(|at| done[at].operation), ["compose", "compose", "swap"]);
        let at_most = f.node_count() + composed.node_count();
        assert!(done[..2].iter().all(|done| done.requests < 8 * at_most), "{done:?}");
        let mut random = Rng::with_seed(9);
        for _ in 0..200 {
            let one_in = 1 + random.u32(..9);
            let point: Vec<bool> = (0..LEVELS).map(|_| random.u32(..one_in) == 0).collect();
            let at = |variable: u32| point[variable as usize];
            let inner = |variable: u32| match variable {
                0 => at(0) ^ at(last),
                _ if variable == last => !(at(0) && at(last)),
                _ => at(partner(variable)),
            };
            assert_eq!(composed.eval(at)?, f.eval(inner)?);
        }
    }
    Ok(())
}

#[test]
fn a_relation_between_variables_and_functions_is_given_up_if_it_gets_too_large() -> Result<()> {
    const HALF: u32 = 30;
    let store = default_store();
    let x = |variable: u32| store.variable(variable);
    let parity = (0..HALF).try_fold(store.constant(false), |all, at| all ^ x(at)?)?;
    let f = (&parity & &weighted(&store, |variable| 2 * HALF + variable)?)?;
    // The relation has to remember the values of half of the variables.
    let opposite = |at: u32| Ok((at, x(at)?.xor(&x(2 * HALF - 1 - at)?)?));
    let images = (0..HALF).map(opposite).collect::<Result<Vec<_>>>()?;
    let composed = f.compose_all(images.iter().map(|(variable, image)| (*variable, image)))?;
    assert!(store.operations().iter().rev().take(HALF as usize).all(|done| done.operation == "compose"));
    let of_all = (0..2 * HALF).try_fold(store.constant(false), |all, at| all ^ x(at)?)?;
    assert_eq!(composed, (of_all & weighted(&store, |variable| 2 * HALF + variable)?)?);
    Ok(())
}

#[test]
fn a_sweep_that_composes_all_at_once_is_given_up_if_it_makes_too_many_nodes() -> Result<()> {
    const SELECTORS: u32 = 8;
    const DATA: u32 = 1 << SELECTORS;
    let store = default_store();
    let x = |variable: u32| store.variable(variable);
    // A multiplexer: the selectors, which are above, choose one of the data variables.
    let mut level = (0..DATA).map(|at| x(SELECTORS + at)).collect::<Result<Vec<_>>>()?;
    for selector in (0..SELECTORS).rev() {
        let pairs = level.chunks(2).map(|pair| x(selector)?.ite(&pair[1], &pair[0]));
        level = pairs.collect::<Result<_>>()?;
    }
    // Near enough to be put below, or guessed.
    for apart in [6, 8] {
        let differ = |at: u32| Ok((SELECTORS + at, x(SELECTORS + at)?.xor(&x(SELECTORS + at + apart)?)?));
        // Of every second one, so that they have fewer nodes than the multiplexer.
        let images = (0..DATA - apart).step_by(2).map(differ).collect::<Result<Vec<_>>>()?;
        let before = store.stats().processed_requests;
        let composed = level[0].compose_all(images.iter().map(|(variable, image)| (*variable, image)))?;
        let requests = store.stats().processed_requests - before;
        // The store remembers only its last operations, all of them `compose`. Their requests, scaled up to all `compose`,
        // are fewer than those of the sweep that was given up, which are bounded.
        let done = store.operations();
        let composes: u64 =
            done.iter().map(|done| done.requests).sum::<u64>() * images.len() as u64 / done.len() as u64;
        assert!(done.iter().all(|done| done.operation == "compose"));
        let given_up = requests - composes;
        let most = images.len() as u64 * level[0].node_count();
        assert!(given_up > most && given_up < 10 * most, "{composes} of {requests}, {most}");
        let mut random = Rng::with_seed(6);
        for _ in 0..300 {
            let point: Vec<bool> = (0..SELECTORS + DATA + apart).map(|_| random.bool()).collect();
            let selected = (0..SELECTORS).fold(0, |at, selector| 2 * at + u32::from(point[selector as usize]));
            let at = |index: u32| point[(SELECTORS + index) as usize];
            let replaced = selected < DATA - apart && selected.is_multiple_of(2);
            let expected = at(selected) ^ (replaced && at(selected + apart));
            assert_eq!(composed.eval(|variable| point[variable as usize])?, expected);
        }
    }
    Ok(())
}

#[test]
fn the_tables_of_a_renaming_are_charged_to_the_budget() -> Result<()> {
    let store = store_with(limits(|limits| (limits.tables, limits.common) = (64 << 10, 0)));
    let cube_in = |store: &Store| store.cube((0..1000).map(|variable| (variable, true)));
    let cube = cube_in(&store)?;
    let refused = cube.replace(|variable| 999 - variable);
    assert!(
        matches!(refused, Err(Error::BudgetExceeded { what: "what renames variables", needed: 160_000, .. })),
        "{refused:?}"
    );
    // A renaming that keeps the order takes no more than the list of names.
    assert_eq!(cube.replace(|variable| 2 * variable)?.replace(|variable| variable / 2)?, cube);
    assert_eq!(cube_in(&roomy_store())?.replace(|variable| 999 - variable)?, cube);
    Ok(())
}

//! Every operation that builds a diagram, on functions that outgrow the smallest budget.

mod common;

use common::{default_store, functions::random_function, smallest_store};
use strata_bdd::{Bdd, Config, Error, Result, Store, VariablePairs};

const VARIABLES: u32 = 23;

/// An operation on two large functions and a small one.
type Work = fn(&[Bdd; 3]) -> Result<Bdd>;

/// A transition relation, and its pairs of variables: current variable 2i, next variable 2i + 1. Bit i of the next
/// state says whether bits i and i + 1 of the current state differ, with false beyond the last bit.
fn differences(store: &Store) -> Result<(Bdd, VariablePairs)> {
    let bit = |at: u32| if at < VARIABLES { store.variable(2 * at) } else { Ok(store.constant(false)) };
    let mut steps = store.constant(true);
    for at in (0..VARIABLES).rev() {
        steps = bit(at)?.xor(&bit(at + 1)?)?.xnor(&store.variable(2 * at + 1)?)?.and(&steps)?;
    }
    Ok((steps, VariablePairs::interleaved(VARIABLES)?))
}

const WORKS: [(&str, Work); 17] = [
    ("xor", |[f, g, _]| f.xor(g)),
    ("ite", |[f, g, h]| f.ite(g, h)),
    ("restrict", |[f, g, _]| {
        let either = f.store().variable(0)?.ite(&f.shifted(1)?, &g.shifted(1)?)?;
        either.restrict([(2, true), (20, false)])
    }),
    ("exists", |[f, ..]| f.exists([3])),
    ("exists of a set", |[f, ..]| f.and(&f.store().variable(20)?)?.exists([1, 4, 9])),
    ("forall", |[f, ..]| f.forall([0, 5])),
    ("unique", |[f, ..]| f.unique([2])),
    ("unique of many", |[f, g, _]| f.and(g)?.unique((0..VARIABLES).filter(|variable| variable % 4 > 0))),
    ("and_exists", |[f, g, _]| f.and_exists(g, [2, 7])),
    ("rel_next", |[f, ..]| {
        let (steps, pairs) = differences(f.store())?;
        f.replace(|variable| 2 * variable)?.rel_next(&steps, &pairs)
    }),
    ("rel_prev", |[f, ..]| {
        let (steps, pairs) = differences(f.store())?;
        f.replace(|variable| 2 * variable)?.rel_prev(&steps, &pairs)
    }),
    ("replace", |[f, ..]| f.replace(|variable| variable ^ 1)),
    ("replace the first by the last", |[f, ..]| f.replace(|variable| if variable == 0 { 100 } else { variable })),
    ("compose", |[f, _, h]| f.compose(6, h)),
    ("compose_all", |[f, _, h]| f.compose_all([(3, &h.negated()), (5, h), (9, &f.store().constant(true))])),
    ("compose_all at once", |[f, ..]| {
        let x = |variable| f.store().variable(variable);
        f.compose_all([(0, &x(0)?.xor(&x(8)?)?), (3, &x(3)?.and(&x(1)?)?), (6, &x(6)?.xor(&x(7)?)?)])
    }),
    ("constrain", |[f, g, _]| f.constrain(g)),
];

#[test]
fn every_operation_gives_the_same_diagram_where_it_spills() -> Result<()> {
    let functions = |store: &Store| -> Result<[Bdd; 3]> {
        let [f, g] = [1, 2].map(|seed| random_function(store, seed, VARIABLES));
        Ok([f, g, store.exactly(8, 2..19)?])
    };
    let (small, large) = (smallest_store(), default_store());
    let (ours, expected) = (functions(&small)?, functions(&large)?);
    // A case may do several operations, of which the one that gives the case its name comes last.
    let check_spilled = |name| {
        let last = small.operations().pop().expect("the operation just done");
        assert!(last.spilled_bytes > 0, "{name}: {last:?}");
    };
    for (name, work) in WORKS {
        let found = work(&ours)?;
        check_spilled(name);
        assert_eq!(found.content_hash(), work(&expected)?.content_hash(), "{name}");
        found.validate()?;
    }
    // Outside of the care set, the result of `simplify` may differ from budget to budget, so the results are compared
    // inside.
    let [f, g, _] = &ours;
    let simple = f.simplify(g)?;
    check_spilled("simplify");
    simple.validate()?;
    assert_eq!(simple.and(g)?, f.and(g)?);
    Ok(())
}

/// An operation on a hundred thousand levels.
type Tall = fn(&Bdd) -> Result<()>;

/// What each needs in MiB; with three tenths less it is refused.
const TALL: [(&str, usize, Tall); 6] = [
    ("restrict", 40, |f| f.restrict([(7, true)]).map(drop)),
    ("sat_count", 40, |f| f.sat_count(100_000).map(drop)),
    ("marginals", 70, |f| f.marginals(|_, _| 0.5, 0..100_000).map(drop)),
    ("replace", 120, |f| f.replace(|variable| variable ^ 1).map(drop)),
    ("weighted_count_exact", 250, |f| f.weighted_count_exact(|_, value| 1 + i64::from(value), 0..100_000).map(drop)),
    ("compose_all", 300, |f| {
        let neighbours = |at| f.store().variable(at)?.and(&f.store().variable(at + 1)?);
        let functions = (0..100_000).step_by(2).map(neighbours).collect::<Result<Vec<_>>>()?;
        f.compose_all((0..).step_by(2).zip(&functions)).map(drop)
    }),
];

#[test]
fn a_hundred_thousand_levels_need_the_memory_that_the_docs_say() -> Result<()> {
    for (name, mib, work) in TALL {
        let within = |memory| {
            let store = Store::new(Config { memory, ..Config::default() })?;
            work(&store.cube((0..100_000).map(|variable| (variable, variable % 3 == 0)))?)
        };
        within(mib << 20)?;
        let refused = within((mib << 20) / 10 * 7);
        assert!(matches!(refused, Err(Error::BudgetExceeded { .. })), "{name} with less: {refused:?}");
    }
    Ok(())
}

//! Operations on random functions of up to twelve variables with gaps between them, against `biodivine-lib-bdd`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::collections::HashMap;

use biodivine_lib_bdd as peer;
use common::{
    TWELVE, default_store,
    functions::{Algebra, random_tree},
    limits,
    peer::Peer,
    roomy_store, smallest_store, store_with, tight,
};
use fastrand::Rng;
use strata_bdd::{Bdd, BinaryOp, BuilderNode, Result, Store, VariablePairs};

/// A store in which variable i is `TWELVE[i]`, so that there are gaps between the variables.
struct Spaced<'a>(&'a Store);

impl Algebra for Spaced<'_> {
    type Function = Bdd;

    fn value(&self, value: bool) -> Bdd {
        self.0.value(value)
    }

    fn var(&self, variable: u32) -> Bdd {
        self.0.var(TWELVE[variable as usize])
    }

    fn op(&self, op: BinaryOp, a: &Bdd, b: &Bdd) -> Bdd {
        self.0.op(op, a, b)
    }

    fn not(&self, a: &Bdd) -> Bdd {
        self.0.not(a)
    }

    fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Bdd {
        self.0.ite(a, b, c)
    }
}

/// The same function in both packages.
type Both = (Bdd, peer::Bdd);

/// The function `theirs` of the other package as a diagram in `store`, built node by node.
fn translated(theirs: &peer::Bdd, store: &Store) -> Result<Bdd> {
    if theirs.is_false() || theirs.is_true() {
        return Ok(store.constant(theirs.is_true()));
    }
    let mut builder = store.builder()?;
    // The builder takes nodes level by level, from the bottom up.
    let mut nodes: HashMap<peer::BddPointer, BuilderNode> =
        [(peer::BddPointer::zero(), false.into()), (peer::BddPointer::one(), true.into())].into();
    let mut inner: Vec<_> = theirs.pointers().skip(2).collect();
    inner.sort_by_key(|&pointer| std::cmp::Reverse(theirs.var_of(pointer)));
    for pointer in inner {
        let [low, high] = [theirs.low_link_of(pointer), theirs.high_link_of(pointer)].map(|child| nodes[&child]);
        let variable = TWELVE[theirs.var_of(pointer).to_index()];
        nodes.insert(pointer, builder.add_node(variable, low, high)?);
    }
    builder.build_root(nodes[&theirs.root_pointer()])
}

fn expect(ours: &Bdd, theirs: &peer::Bdd, what: &str) -> Result<()> {
    assert_eq!(*ours, translated(theirs, ours.store())?, "{what}");
    Ok(())
}

/// Some of the variables, as each package names them, and a value for each.
struct Choice {
    ours: Vec<u32>,
    theirs: Vec<peer::BddVariable>,
    values: Vec<bool>,
}

impl Choice {
    fn of(variables: &[peer::BddVariable], random: &mut Rng) -> Self {
        let share = 1 + random.u32(..3);
        let chosen: Vec<usize> = (0..variables.len()).filter(|_| random.u32(..4) < share).collect();
        let values = chosen.iter().map(|_| random.bool()).collect();
        let (ours, theirs) = chosen.into_iter().map(|at| (TWELVE[at], variables[at])).unzip();
        Self { ours, theirs, values }
    }
}

fn check((f, f_theirs): &Both, (g, g_theirs): &Both, choice: &Choice) -> Result<()> {
    let Choice { ours, theirs, values } = choice;
    let set = || ours.iter().copied();
    expect(f, f_theirs, "as it is")?;
    expect(&f.exists(set())?, &f_theirs.exists(theirs), "exists")?;
    expect(&f.forall(set())?, &f_theirs.for_all(theirs), "forall")?;
    let fixed: Vec<_> = theirs.iter().copied().zip(values.iter().copied()).collect();
    let literals = || set().zip(values.iter().copied());
    expect(&f.restrict(literals())?, &f_theirs.restrict(&fixed), "restrict")?;
    expect(&f.and(&f.store().cube(literals())?)?, &f_theirs.select(&fixed), "a cube")?;
    let both = peer::Bdd::binary_op_with_exists(f_theirs, g_theirs, peer::op_function::and, theirs);
    expect(&f.and_exists(g, set())?, &both, "and_exists")?;
    assert_eq!(f.implies(g)?, f_theirs.imp(g_theirs).is_true());
    assert_eq!(f.disjoint(g)?, f_theirs.and(g_theirs).is_false());
    let cofactors = |of: &peer::Bdd, variable| [false, true].map(|value| of.var_restrict(variable, value));
    let odd = theirs.iter().fold(f_theirs.clone(), |odd, &variable| {
        let [low, high] = cofactors(&odd, variable);
        low.xor(&high)
    });
    expect(&f.unique(set())?, &odd, "unique")?;
    if let (Some(&variable), Some(&name)) = (theirs.first(), ours.first()) {
        // `substitute` of the other package gives another function where `g` depends on the replaced variable, so the
        // expected result is made of the cofactors.
        let [low, high] = cofactors(f_theirs, variable);
        expect(&f.compose(name, g)?, &peer::Bdd::if_then_else(g_theirs, &high, &low), "compose")?;
    }
    let path = |path: peer::BddValuation| -> Vec<bool> { path.into_vector() };
    let names = TWELVE[..f_theirs.num_vars() as usize].iter().copied();
    let values = |cube: Vec<(u32, bool)>| -> Vec<bool> { cube.into_iter().map(|literal| literal.1).collect() };
    assert_eq!(f.sat_min(names.clone())?.map(values), f_theirs.first_valuation().map(path));
    assert_eq!(f.sat_max(names)?.map(values), f_theirs.last_valuation().map(path));
    Ok(())
}

/// Checks steps of a relation. The variables are pairs of neighbours, the first current and the second next.
fn check_steps((relation, relation_theirs): &Both, (states, states_theirs): &Both, peer: &Peer) -> Result<()> {
    let variables = peer.variables();
    let (current, next): (Vec<_>, Vec<_>) = variables.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
    let pairs = VariablePairs::new(TWELVE[..2 * current.len()].chunks_exact(2).map(|pair| (pair[0], pair[1])))?;
    let (states, states_theirs) = (states.exists_where(|name| pairs.is_next(name))?, states_theirs.exists(&next));
    let renamed = |of: &peer::Bdd, from: &[peer::BddVariable], to: &[peer::BddVariable]| {
        // Renames without the other package's renaming: equates the two variables, and quantifies the old one.
        from.iter().zip(to).fold(of.clone(), |of, (&from, &to)| {
            let [from_is, to_is] = [from, to].map(|variable| peer.var(variable.to_index() as u32));
            of.and(&from_is.iff(&to_is)).var_exists(from)
        })
    };
    let reached = states_theirs.and(relation_theirs).exists(&current);
    expect(&states.relprod(relation, &pairs)?, &reached, "relprod")?;
    expect(&states.rel_next(relation, &pairs)?, &renamed(&reached, &next, &current), "rel_next")?;
    let before = renamed(&states_theirs, &current, &next).and(relation_theirs).exists(&next);
    expect(&states.rel_prev(relation, &pairs)?, &before, "rel_prev")
}

#[test]
fn operations_give_the_same_functions_as_another_package() -> Result<()> {
    let nested = store_with(limits(|limits| limits.nested_only = true));
    let stores = [default_store(), roomy_store(), smallest_store(), nested, store_with(tight())];
    for (seed, store) in (30..).zip(&stores) {
        let mut random = Rng::with_seed(seed);
        for round in 0..60 {
            let variables = 2 + round % 11;
            let peer = Peer::new(variables);
            let operators = 4 + 5 * variables;
            let [f, g]: [Both; 2] = [(); 2].map(|()| {
                let mut same = random.clone();
                let theirs = random_tree(&peer, &mut random, variables, operators);
                (random_tree(&Spaced(store), &mut same, variables, operators), theirs)
            });
            check(&f, &g, &Choice::of(&peer.variables(), &mut random))?;
            check_steps(&f, &g, &peer)?;
        }
    }
    Ok(())
}

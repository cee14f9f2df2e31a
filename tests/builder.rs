//! The bottom-up builder: what it makes, what it merges, what it refuses.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{
    default_store,
    disk::Disk,
    functions::{Algebra, hidden_weighted_bit, of_table, product},
    limits, roomy_store, smallest_store, store_on, store_with,
};
use fastrand::Rng;
use strata_bdd::{Bdd, BddBuilder, BinaryOp, BuilderNode, Config, Error, Result, Store};

const LARGEST: u32 = (1 << 24) - 1;

/// A store whose diagrams and builders go to disk as soon as they fill a block of 256 bytes.
fn store_on_disk() -> Store {
    store_with(limits(|limits| (limits.block, limits.diagrams) = (256, 0)))
}

/// Joins `nodes` pairwise, level by level above `variable`, until one is left.
fn join(builder: &mut BddBuilder, mut nodes: Vec<BuilderNode>, mut variable: u32) -> Result<BuilderNode> {
    while nodes.len() > 1 {
        variable -= 1;
        let pairs = nodes.chunks(2);
        nodes = pairs
            .map(|pair| builder.add_node(variable, pair[0], pair.get(1).copied().unwrap_or(false.into())))
            .collect::<Result<_>>()?;
    }
    Ok(nodes[0])
}

#[test]
fn a_single_node_is_its_variable_or_the_negation() -> Result<()> {
    let store = default_store();
    for variable in [0, 1, 1000, LARGEST] {
        for negated in [false, true] {
            let mut builder = store.builder()?;
            builder.add_node(variable, negated, !negated)?;
            let f = builder.build()?;
            let x = store.variable(variable)?;
            assert_eq!(f, if negated { !&x } else { x });
            assert_eq!(f.support(), [variable]);
        }
    }
    Ok(())
}

#[test]
fn a_chain_is_the_conjunction_of_its_literals() -> Result<()> {
    let store = default_store();
    let literals = [(3, true), (9, false), (10, false), (4000, true), (LARGEST, false)];
    let mut builder = store.builder()?;
    let mut chain = BuilderNode::from(true);
    for (variable, positive) in literals.into_iter().rev() {
        chain = if positive {
            builder.add_node(variable, false, chain)?
        } else {
            builder.add_node(variable, chain, false)?
        };
    }
    let mut expected = store.constant(true);
    for (variable, positive) in literals {
        let x = store.variable(variable)?;
        expected = expected.and(&if positive { x } else { !&x })?;
    }
    assert_eq!(builder.build()?, expected);
    Ok(())
}

/// The truth table of `f`, found with operators alone. `is_true` says whether the conjunction of `f` and a point is
/// true there.
fn table_of<A: Algebra>(
    algebra: &A,
    f: &A::Function,
    variables: u32,
    is_true: impl Fn(&A::Function) -> bool,
) -> Vec<bool> {
    let point = |at: u32| {
        (0..variables).fold(f.clone(), |rest, level| {
            let x = algebra.var(level);
            let positive = at >> (variables - 1 - level) & 1 == 1;
            algebra.op(BinaryOp::AND, &rest, &if positive { x } else { algebra.not(&x) })
        })
    };
    (0..1 << variables).map(|at| is_true(&point(at))).collect()
}

#[test]
fn what_is_built_is_what_operators_make() -> Result<()> {
    let store = default_store();
    let circuits = product(&store, 4).into_iter().chain([hidden_weighted_bit(&store, 8)]);
    for (number, f) in circuits.enumerate() {
        let table = table_of(&store, &f, 8, |point: &Bdd| !point.is_constant());
        let built = of_table(&store, &table, &[0, 1, 2, 3, 4, 5, 6, 7])?;
        assert_eq!(built, f, "function {number}");
        assert_eq!(built.node_count(), f.node_count(), "function {number}");
    }
    Ok(())
}

#[test]
fn the_order_of_nodes_within_a_level_does_not_matter() -> Result<()> {
    for store in [default_store(), store_on_disk()] {
        let mut random = Rng::with_seed(8);
        let table: Vec<bool> = (0..1 << 10).map(|_| random.bool()).collect();
        let variables: Vec<u32> = (0..10).map(|level| 7 * level).collect();
        let expected = of_table(&store, &table, &variables)?;
        for _ in 0..10 {
            let mut builder = store.builder()?;
            let mut layer: Vec<BuilderNode> = table.iter().map(|&value| value.into()).collect();
            for &variable in variables.iter().rev() {
                let mut order: Vec<usize> = (0..layer.len() / 2).collect();
                random.shuffle(&mut order);
                let mut above = vec![BuilderNode::from(false); order.len()];
                for at in order {
                    above[at] = builder.add_node(variable, layer[2 * at], layer[2 * at + 1])?;
                }
                layer = above;
            }
            assert_eq!(builder.build()?, expected);
        }
    }
    Ok(())
}

#[test]
fn a_builder_whose_share_runs_out_at_any_block_loses_nothing() -> Result<()> {
    let expected = default_store().cube((0..60).map(|variable| (variable, true)))?;
    for blocks in 0..12 {
        let store = store_with(limits(|limits| {
            (limits.block, limits.window, limits.diagrams) = (256, 256, 256 * blocks);
        }));
        let mut builder = store.builder()?;
        let mut below = BuilderNode::from(true);
        for variable in (0..60).rev() {
            below = builder.add_node(variable, false, below)?;
        }
        let cube = builder.build()?;
        cube.validate()?;
        assert_eq!(cube, expected, "{blocks} blocks");
    }
    Ok(())
}

#[test]
fn nodes_added_twice_are_one_node() -> Result<()> {
    let store = default_store();
    let mut builder = store.builder()?;
    let x2 = builder.add_node(2, false, true)?;
    let not_x2 = builder.add_node(2, true, false)?;
    assert_eq!(builder.add_node(2, false, true)?, x2);
    assert_ne!(x2, not_x2);
    let upper = builder.add_node(1, x2, not_x2)?;
    assert_eq!(builder.add_node(1, x2, not_x2)?, upper);
    assert_ne!(builder.add_node(1, not_x2, x2)?, upper);
    let root = builder.add_node(0, upper, true)?;
    assert_ne!(root, upper);
    // The node (x1, not x2, x2) has no parent.
    assert!(matches!(builder.build(), Err(Error::ManyRoots { unreachable: 1, nodes: 5 })));
    Ok(())
}

#[test]
fn a_node_with_equal_children_is_its_child() -> Result<()> {
    let store = default_store();
    let mut builder = store.builder()?;
    assert_eq!(builder.add_node(9, true, true)?, true.into());
    let x = builder.add_node(8, false, true)?;
    assert_eq!(builder.add_node(3, x, x)?, x);
    assert_eq!(builder.add_node(2, x, x)?, x);
    let root = builder.add_node(1, x, true)?;
    assert_eq!(builder.add_node(0, root, root)?, root);
    let f = builder.build()?;
    assert_eq!(f, store.variable(1)?.or(&store.variable(8)?)?);
    assert_eq!(f.node_count(), 2);
    Ok(())
}

#[test]
fn nodes_that_all_collapse_leave_a_constant() -> Result<()> {
    let store = default_store();
    for value in [false, true] {
        let mut builder = store.builder()?;
        let same = builder.add_node(5, value, value)?;
        builder.add_node(0, same, value)?;
        assert_eq!(builder.build()?.as_constant(), Some(value));
    }
    Ok(())
}

#[test]
fn nodes_of_levels_left_behind_are_refused() -> Result<()> {
    let mut builder = default_store().builder()?;
    let lower = builder.add_node(7, false, true)?;
    builder.add_node(4, lower, true)?;
    for variable in [5, 7, LARGEST] {
        let refused = builder.add_node(variable, false, true);
        assert!(matches!(refused, Err(Error::LevelOrder { variable: v, previous: 4 }) if v == variable), "{refused:?}");
    }
    Ok(())
}

#[test]
fn children_on_the_same_level_are_refused() -> Result<()> {
    let mut builder = default_store().builder()?;
    let x = builder.add_node(4, false, true)?;
    for [low, high] in [[x, true.into()], [false.into(), x], [x, x]] {
        let refused = builder.add_node(4, low, high);
        assert!(matches!(refused, Err(Error::ChildNotBelow { variable: 4, child: 4 })), "{refused:?}");
    }
    Ok(())
}

#[test]
fn nodes_of_another_builder_are_refused() -> Result<()> {
    let (store, elsewhere) = (default_store(), default_store());
    let mut builder = store.builder()?;
    builder.add_node(9, false, true)?;
    let mut numbers = Vec::new();
    for mut other in [store.builder()?, elsewhere.builder()?] {
        let x = other.add_node(9, true, false)?;
        let y = other.add_node(9, false, true)?;
        for [low, high] in [[x, false.into()], [true.into(), y], [x, x]] {
            let refused = builder.add_node(1, low, high);
            let Err(Error::ForeignNode { node }) = refused else { panic!("not refused: {refused:?}") };
            numbers.push(node);
        }
        // Terminals are of no builder, wherever they come from.
        let terminal = other.add_node(3, true, true)?;
        builder.add_node(1, terminal, false)?;
    }
    // The error names the node: `x`, then `y`, then `x`, for both builders.
    assert_eq!(numbers[0], numbers[2]);
    assert_ne!(numbers[0], numbers[1]);
    assert_eq!(numbers[..3], numbers[3..]);
    Ok(())
}

#[test]
fn variables_out_of_range_are_refused() -> Result<()> {
    let mut builder = default_store().builder()?;
    for variable in [LARGEST + 1, u32::MAX] {
        let refused = builder.add_node(variable, false, true);
        assert!(
            matches!(refused, Err(Error::VariableOutOfRange { variable: v, largest: LARGEST }) if v == i64::from(variable)),
            "{refused:?}"
        );
    }
    Ok(())
}

#[test]
fn a_builder_without_nodes_is_refused() -> Result<()> {
    assert!(matches!(default_store().builder()?.build(), Err(Error::NoNodes)));
    // A node that was refused was not added.
    let mut builder = default_store().builder()?;
    assert!(builder.add_node(LARGEST + 1, false, true).is_err());
    assert!(matches!(builder.build(), Err(Error::NoNodes)));
    Ok(())
}

#[test]
fn several_roots_are_refused_and_counted() -> Result<()> {
    for store in [default_store(), store_on_disk()] {
        for extra in [1, 2, 50, 300] {
            let mut builder = store.builder()?;
            // A chain of `extra` nodes to which nothing leads, and then a diagram of two nodes.
            let mut chain = BuilderNode::from(true);
            for variable in (1..=extra).rev() {
                chain = builder.add_node(1000 + variable, false, chain)?;
            }
            let lower = builder.add_node(10, false, true)?;
            builder.add_node(5, lower, true)?;
            let refused = builder.build();
            let (unreachable, nodes) = (u64::from(extra), u64::from(extra) + 2);
            assert!(
                matches!(refused, Err(Error::ManyRoots { unreachable: u, nodes: n }) if (u, n) == (unreachable, nodes)),
                "{refused:?}"
            );
            assert_eq!(store.stats().temp_bytes, 0);
        }
    }
    Ok(())
}

#[test]
fn two_roots_on_one_level_are_refused_whichever_was_added_last() -> Result<()> {
    let mut builder = default_store().builder()?;
    builder.add_node(0, false, true)?;
    builder.add_node(0, true, false)?;
    builder.add_node(0, false, true)?;
    assert!(matches!(builder.build(), Err(Error::ManyRoots { unreachable: 1, nodes: 2 })));
    Ok(())
}

#[test]
fn a_builder_goes_on_after_an_error_as_if_the_node_had_not_been_added() -> Result<()> {
    let store = default_store();
    let mut foreign = store.builder()?;
    let stranger = foreign.add_node(100, false, true)?;
    let mut builder = store.builder()?;
    let refuse = |builder: &mut BddBuilder, node: BuilderNode, level: u32| {
        assert!(matches!(builder.add_node(level + 1, false, true), Err(Error::LevelOrder { .. })));
        assert!(matches!(builder.add_node(level, node, true), Err(Error::ChildNotBelow { .. })));
        assert!(matches!(builder.add_node(level - 1, stranger, node), Err(Error::ForeignNode { .. })));
        assert!(matches!(builder.add_node(u32::MAX, false, node), Err(Error::VariableOutOfRange { .. })));
    };
    let x = builder.add_node(50, false, true)?;
    refuse(&mut builder, x, 50);
    // The node that was refused on the level above did not end this level.
    let not_x = builder.add_node(50, true, false)?;
    let y = builder.add_node(40, x, not_x)?;
    refuse(&mut builder, y, 40);
    let root = builder.add_node(30, y, not_x)?;
    refuse(&mut builder, root, 30);
    let [a, b, c] = [30, 40, 50].map(|variable| store.variable(variable).unwrap());
    assert_eq!(builder.build()?, a.ite(&!&c, &b.xor(&c)?)?);
    Ok(())
}

#[test]
fn two_builders_of_one_store_do_not_disturb_each_other() -> Result<()> {
    let store = store_on_disk();
    let mut builders = [store.builder()?, store.builder()?];
    let mut chains = [BuilderNode::from(true), BuilderNode::from(false)];
    for variable in (0..500).rev() {
        chains[0] = builders[0].add_node(variable, false, chains[0])?;
        chains[1] = builders[1].add_node(variable, chains[1], true)?;
    }
    let [all, some] = builders.map(|builder| builder.build().unwrap());
    assert_eq!(all.sat_count(500)?, 1u8.into());
    assert_eq!(some.negated().sat_count(500)?, 1u8.into());
    assert_eq!(all.imp(&some)?.as_constant(), Some(true));
    Ok(())
}

#[test]
fn equal_nodes_of_a_level_beyond_the_builders_share_are_merged() -> Result<()> {
    // 40 nodes, and on a level above a node for every pair of them. Each node of that level is added twice, and all are
    // joined. Also answers whether the builder recognised the second node of the level when it was added again.
    let build = |store: &Store| -> Result<(Bdd, bool)> {
        let mut builder = store.builder()?;
        let mut bits = vec![builder.add_node(200, false, true)?];
        for variable in (161..200).rev() {
            bits.push(builder.add_node(variable, false, *bits.last().unwrap())?);
        }
        let mut level = Vec::new();
        for _ in 0..2 {
            for (a, b) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                level.push(builder.add_node(100, bits[a], bits[b])?);
            }
        }
        let known = level[1] == level[level.len() / 2 + 1];
        join(&mut builder, level, 100)?;
        Ok((builder.build()?, known))
    };
    let tight = store_with(limits(|limits| (limits.building, limits.dense) = (8 << 10, 8 << 10)));
    let ((merged, known_in_tight), (expected, known)) = (build(&tight)?, build(&default_store())?);
    assert!(known && !known_in_tight);
    assert_eq!(merged, expected);
    Ok(())
}

#[test]
fn a_builder_dropped_half_way_leaves_no_temporary_bytes() -> Result<()> {
    let store = store_on_disk();
    let mut builder = store.builder()?;
    let mut chain = BuilderNode::from(true);
    for variable in (0..1000).rev() {
        chain = builder.add_node(variable, chain, false)?;
    }
    let half_way = store.stats().temp_bytes;
    assert!(half_way >= 900 * 8, "{half_way} bytes for 1000 nodes");
    drop(builder);
    assert_eq!(store.stats().temp_bytes, 0);
    Ok(())
}

#[test]
fn a_built_diagram_is_all_that_stays_on_disk() -> Result<()> {
    let store = store_on_disk();
    let mut builder = store.builder()?;
    let mut chain = BuilderNode::from(true);
    for variable in (0..1000).rev() {
        chain = builder.add_node(variable, chain, false)?;
    }
    let none = builder.build()?;
    assert_eq!(none.disk_bytes(), 1002 * 8);
    assert_eq!(store.stats().temp_bytes, none.disk_bytes());
    assert_eq!(none.sat_count(1000)?, 1u8.into());
    drop(none);
    assert_eq!(store.stats().temp_bytes, 0);
    Ok(())
}

#[test]
fn a_builder_keeps_its_store_alive() -> Result<()> {
    let store = default_store();
    let mut builder = store.builder()?;
    drop(store);
    builder.add_node(0, false, true)?;
    let x = builder.build()?;
    assert_eq!(x, x.store().variable(0)?);
    Ok(())
}

/// A regression test: the node left over was once taken for the root.
#[test]
fn a_root_that_comes_out_as_a_terminal_does_not_hide_other_nodes() -> Result<()> {
    let store = default_store();
    let mut builder = store.builder()?;
    builder.add_node(1, false, true)?;
    builder.add_node(0, false, false)?;
    assert!(matches!(builder.build(), Err(Error::ManyRoots { unreachable: 1, nodes: 1 })));
    Ok(())
}

/// A regression test: the node that was made last was once taken for the root.
#[test]
fn a_root_that_comes_out_as_a_child_does_not_hide_other_nodes() -> Result<()> {
    for complement in [false, true] {
        let store = default_store();
        let mut builder = store.builder()?;
        let lower = builder.add_node(2, complement, !complement)?;
        builder.add_node(1, lower, true)?;
        assert_eq!(builder.add_node(0, lower, lower)?, lower);
        assert!(matches!(builder.build(), Err(Error::ManyRoots { unreachable: 1, nodes: 2 })));

        let mut builder = store.builder()?;
        let others = [(complement, !complement), (!complement, complement)];
        let [lower, other] = others.map(|(low, high)| builder.add_node(2, low, high).unwrap());
        let known = builder.add_node(1, other, lower)?;
        builder.add_node(1, lower, true)?;
        assert_eq!(builder.add_node(1, other, lower)?, known);
        // `known` was added last. Of the four nodes, only the node that was added just before is not below `known`.
        assert!(matches!(builder.build(), Err(Error::ManyRoots { unreachable: 1, nodes: 4 })));

        let mut builder = store.builder()?;
        let lower = builder.add_node(2, complement, !complement)?;
        let root = builder.add_node(1, lower, true)?;
        assert_eq!(builder.add_node(0, root, root)?, root);
        assert_eq!(builder.build()?, store.variable(1)?.or(&store.literal(2, !complement)?)?);
    }
    Ok(())
}

/// The level has more nodes than an eighth of the builder's share has room for.
#[test]
fn a_builder_knows_as_many_nodes_whatever_the_number_of_threads() -> Result<()> {
    for threads in [1, 8] {
        let store = Store::new(Config { memory: 128 << 20, threads, ..Config::default() })?;
        let mut builder = store.builder()?;
        let mut lower = vec![BuilderNode::from(false), BuilderNode::from(true)];
        for variable in [22, 21, 20] {
            let pairs = lower.iter().flat_map(|&low| lower.iter().map(move |&high| (low, high)));
            lower = pairs.take(300).map(|(low, high)| builder.add_node(variable, low, high)).collect::<Result<_>>()?;
        }
        let first = builder.add_node(19, lower[0], lower[1])?;
        let second = builder.add_node(19, lower[0], lower[2])?;
        for &low in &lower {
            for &high in &lower {
                builder.add_node(19, low, high)?;
            }
        }
        assert!(builder.add_node(19, lower[0], lower[1])? == first, "{threads} threads");
        // A builder recognises the first node of a level in any case, so the second node is tested, too.
        assert!(builder.add_node(19, lower[0], lower[2])? == second, "{threads} threads");
    }
    Ok(())
}

#[test]
fn more_levels_than_the_budget_has_tables_for_are_an_error_while_they_are_added() -> Result<()> {
    let store = smallest_store();
    let levels = || {
        let mut builder = store.builder()?;
        let mut last = true.into();
        for variable in (0..=LARGEST).rev() {
            match builder.add_node(variable, false, last) {
                Ok(node) => last = node,
                Err(error) => return Ok((LARGEST - variable, error)),
            }
        }
        unreachable!("16 million levels within 16 MiB")
    };
    let (count, error) = levels()?;
    assert!((200_000..500_000).contains(&count), "{count}");
    assert!(matches!(error, Error::BudgetExceeded { needed, available, .. } if needed > available));
    // The first builder has given back its memory: the second gets as far.
    assert_eq!(levels()?.0, count);
    Ok(())
}

/// The terminals and forty random nodes, each above those before it, with their functions.
fn grown(builder: &mut BddBuilder, store: &Store) -> Result<Vec<(BuilderNode, Bdd)>> {
    let mut random = Rng::with_seed(5);
    let mut grown = vec![(false.into(), store.constant(false)), (true.into(), store.constant(true))];
    for variable in (0..20).rev() {
        let below = grown.len();
        for _ in 0..2 {
            let [low, high] = [(); 2].map(|()| random.usize(..below));
            let node = builder.add_node(variable, grown[low].0, grown[high].0)?;
            let function = store.variable(variable)?.ite(&grown[high].1, &grown[low].1)?;
            grown.push((node, function));
        }
    }
    Ok(grown)
}

#[test]
fn every_node_can_be_the_root_and_what_it_does_not_lead_to_is_dropped() -> Result<()> {
    let wide = store_with(limits(|limits| limits.narrow_ids = 5));
    for store in [default_store(), roomy_store(), store_on_disk(), wide] {
        let count = grown(&mut store.builder()?, &store)?.len();
        assert_eq!(count, 42);
        for at in 0..count {
            let mut builder = store.builder()?;
            let (root, function) = grown(&mut builder, &store)?.swap_remove(at);
            let built = builder.build_root(root)?;
            built.validate()?;
            assert_eq!(built, function, "node {at}");
        }
        // All of them at once, some twice.
        let mut builder = store.builder()?;
        let all: Vec<_> = grown(&mut builder, &store)?.into_iter().cycle().take(count + 9).collect();
        let built = builder.build_roots(all.iter().map(|(root, _)| *root))?;
        assert!(built.iter().eq(all.iter().map(|(_, function)| function)));
        assert_eq!(store.builder()?.build_roots([false; 0])?, []);
        assert_eq!(store.builder()?.build_roots([true, false])?, [store.constant(true), store.constant(false)]);
        drop((built, all));
        assert_eq!(store.stats().temp_bytes, 0);
    }
    Ok(())
}

#[test]
fn a_node_of_another_builder_is_refused_as_a_root() -> Result<()> {
    let store = default_store();
    let foreign = store.builder()?.add_node(0, false, true)?;
    let mut builder = store.builder()?;
    builder.add_node(0, false, true)?;
    assert!(matches!(builder.build_root(foreign), Err(Error::ForeignNode { .. })));
    assert!(matches!(store.builder()?.build_roots([true.into(), foreign]), Err(Error::ForeignNode { .. })));
    assert!(store.builder()?.build_root(true)?.is_true());
    Ok(())
}

#[test]
fn the_message_gives_the_number_of_nodes_that_are_not_below_the_last() -> Result<()> {
    let store = default_store();
    let message = |last: [bool; 2]| -> Result<String> {
        let mut builder = store.builder()?;
        builder.add_node(1, false, true)?;
        builder.add_node(0, last[0], last[1])?;
        Ok(builder.build().unwrap_err().to_string())
    };
    assert!(message([true, true])?.starts_with(
        "the last node added came out as a terminal, and the number of nodes that are not below it is 1; build it again"
    ));
    assert!(
        message([true, false])?
            .starts_with("1 of 2 nodes are not below the last one added; build it again and name the root")
    );
    Ok(())
}

/// A copy of `f` in `store`, built node by node.
fn copied(f: &Bdd, store: &Store) -> Result<Bdd> {
    let mut builder = store.builder()?;
    let mut made: Vec<BuilderNode> = vec![false.into(), true.into()];
    for node in f.nodes() {
        let node = node?;
        assert_eq!(node.id, made.len() as u64);
        let [low, high] = [node.low, node.high].map(|child| made[child as usize]);
        made.push(builder.add_node(node.variable, low, high)?);
    }
    builder.build()
}

#[test]
fn a_diagram_can_be_built_again_from_its_nodes() -> Result<()> {
    let wide = store_with(limits(|limits| (limits.block, limits.diagrams, limits.narrow_ids) = (256, 0, 4)));
    let home = default_store();
    for store in [default_store(), store_on_disk(), wide] {
        let product = product(&store, 5);
        let literal = store.cube([(7, true), (LARGEST, false)])?;
        for f in product.iter().chain([&hidden_weighted_bit(&store, 9), &store.variable(LARGEST)?, &literal]) {
            for f in [f, &!f] {
                assert_eq!(f.nodes().count() as u64, f.node_count());
                let copy = copied(f, &home)?;
                assert!(copy.xor(&copied(&!f, &home)?)?.is_true() && copy.node_count() == f.node_count());
                // With wide ids, the bytes are not those of the copy.
                assert!(f.disk_bytes() > 8 * (f.node_count() + 2) || copy == *f);
                let points = (0..40u32)
                    .map(|seed| move |variable: u32| (variable ^ seed).wrapping_mul(2_654_435_769) >> 31 == 0);
                for point in points {
                    assert_eq!(copy.eval(point)?, f.eval(point)?);
                }
                let widths = f.level_widths();
                assert!(widths.iter().map(|level| level.0).eq(f.support()));
                for (variable, width) in widths {
                    let here = f.nodes().filter(|node| node.as_ref().is_ok_and(|node| node.variable == variable));
                    assert_eq!(here.count() as u64, width);
                }
            }
        }
        assert!(store.constant(true).nodes().next().is_none() && store.constant(true).level_widths().is_empty());
    }
    Ok(())
}

#[test]
fn an_iterator_over_nodes_ends_with_a_failed_read() {
    let disk = Disk::new();
    let limits = limits(|limits| (limits.block, limits.diagrams) = (256, 0));
    let f = hidden_weighted_bit(&store_on(&disk, limits, 1), 9);
    let expected: Vec<_> = f.nodes().map(Result::unwrap).collect();
    disk.fail("read", 3);
    let mut nodes = f.nodes();
    let items: Vec<_> = nodes.by_ref().collect();
    assert!(disk.heal());
    let (failed, found) = items.split_last().unwrap();
    assert!(matches!(failed, Err(Error::Io { action: "read", .. })) && !found.is_empty());
    assert!(found.iter().map(|node| *node.as_ref().unwrap()).eq(expected[..found.len()].iter().copied()));
    assert!(nodes.next().is_none());
}

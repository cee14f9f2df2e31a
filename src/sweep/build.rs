//! One operation from end to end: a spec in, a sealed diagram out.

use smallvec::SmallVec;

use super::{
    down::{
        expand::{expand, root_of},
        ground::Until,
    },
    identity::Identity,
    lift::Lift,
    nest::{Nest, tidy},
    run::Run,
    small,
    spec::Spec,
    up::{
        pause::Flat,
        reduce::{Reduced, reduce, reduce_whole},
    },
};
use crate::{
    disk::{lane::Lane, limits::Limits},
    error::{Error, Result},
    file::{
        node_file::{NodeFile, Width},
        unreduced::Unreduced,
    },
};

/// The diagrams that an operation reads.
pub trait Inputs {
    /// Whether the diagrams stay when they have been read.
    const LENT: bool;

    /// The diagrams.
    fn files(&self) -> SmallVec<[&NodeFile; 4]>;

    /// Lets go of the diagrams, which are not read any more.
    fn release(&mut self) {}
}

/// Diagrams that are lent.
impl<const K: usize> Inputs for &[&NodeFile; K] {
    const LENT: bool = true;

    fn files(&self) -> SmallVec<[&NodeFile; 4]> {
        self.iter().copied().collect()
    }
}

/// Diagrams that are given away: each is freed as soon as it has been read, unless another handle holds it.
impl Inputs for &mut Vec<NodeFile> {
    const LENT: bool = false;

    fn files(&self) -> SmallVec<[&NodeFile; 4]> {
        self.iter().collect()
    }

    fn release(&mut self) {
        self.clear();
    }
}

/// Builds the diagram of `spec` at the roots of `operands`. The spec's value on the path of low arcs is false.
pub fn build<S: Spec<N>, const N: usize>(spec: &S, operands: impl Inputs, run: &mut Run<'_>) -> Result<NodeFile> {
    let built = build_within(spec, operands, u64::MAX, run)?;
    Ok(built.expect("a sweep without a limit is not given up"))
}

/// What a sweep with a limit may make beyond it: small diagrams take no time.
pub const SOME_NODES: u64 = 4096;

/// How many nodes a sweep on operands of `nodes` nodes may make before it is given up for another way.
pub fn most_nodes(nodes: u64, limits: &Limits) -> u64 {
    if limits.nested_only { 0 } else { nodes.saturating_add(SOME_NODES) }
}

/// Builds as [`build`] does; `None` if the unreduced diagram has more than `most` nodes, without those that only pass requests on.
/// That number is the same whether levels are expanded, lifted or copied; where operands are read by one more sort, it is larger.
pub fn build_within<S: Spec<N>, const N: usize>(
    spec: &S,
    mut operands: impl Inputs,
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    if let Some(built) = small::build(spec, &operands.files(), most, run)? {
        return Ok(built);
    }
    let narrow = stays_narrow::<N>(operands.files().into_iter(), run);
    narrow_or_wide(
        narrow,
        (run, &mut operands),
        |(run, operands)| build_flat::<u32, S, _, N>(spec, *operands, most, run),
        |(run, operands)| build_flat::<u64, S, _, N>(spec, *operands, most, run),
    )
}

fn build_flat<I: Lane, S: Spec<N>, O: Inputs, const N: usize>(
    spec: &S,
    operands: &mut O,
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    let files = operands.files();
    let lift = Lift::of::<I, S, N>(spec, &files, run.space).filter(|lift| O::LENT || lift.takes_most());
    if let Some(lift) = lift {
        let before = run.counters;
        match lift.build::<I, S, N>(spec, &files, most, run) {
            // The lift itself takes tables; without it they may suffice.
            Err(Error::BudgetExceeded { .. }) => run.counters = before,
            built => return built,
        }
    }
    drop(files);
    build_in::<I, S, _, N>(spec, &Flat, operands, most, run)
}

/// Builds as [`build`] does, with the levels that `nest` covers handled by nested sweeps on the way up. The result's value on the
/// path of low arcs is false.
///
/// The operands are kept: ids may outgrow 32 bits late, and then it begins again.
pub fn build_nested<S: Spec<N>, K: Nest, const N: usize, const M: usize>(
    spec: &S,
    nest: &K,
    mut operands: &[&NodeFile; M],
    run: &mut Run<'_>,
) -> Result<NodeFile> {
    let narrow = stays_narrow::<N>(operands.files().into_iter(), run);
    let built = narrow_or_wide(
        narrow,
        (run, &mut operands),
        |(run, operands)| build_in::<u32, S, K, N>(spec, nest, *operands, u64::MAX, run),
        |(run, operands)| build_in::<u64, S, K, N>(spec, nest, *operands, u64::MAX, run),
    )?;
    Ok(built.expect("a sweep without a limit is not given up"))
}

/// The diagram of the node `root` of `forest`, whose levels may be in any order, or of its negation if `complement`: of the two,
/// the one that is false on the path of low arcs.
pub fn build_below(forest: &NodeFile, root: u64, complement: bool, run: &mut Run<'_>) -> Result<NodeFile> {
    narrow_or_wide(
        are_narrow([forest].into_iter()),
        run,
        |run| build_below_in::<u32>(forest, root, complement, run),
        |run| build_below_in::<u64>(forest, root, complement, run),
    )
}

fn build_below_in<I: Lane>(forest: &NodeFile, root: u64, complement: bool, run: &mut Run<'_>) -> Result<NodeFile> {
    let ask_root = |ask: &mut dyn FnMut([I; 2]) -> Result<()>| ask([I::of(root), I::of(0)]);
    let unreduced =
        expand(&Identity { complement, as_is: false }, &[forest], Unreduced::new(), Until::DONE, ask_root, run)?;
    reduce_whole(unreduced, run)
}

/// Whether 32 bits are enough for the ids of all `files`.
pub fn are_narrow<'f>(mut files: impl Iterator<Item = &'f NodeFile>) -> bool {
    files.all(|file| file.width() == Width::Narrow)
}

/// Whether 32 bits are enough for the ids of all `files`, and probably for the result of a sweep with requests for several nodes,
/// which often has more nodes than the largest of them. To find out late that 32 bits are not enough costs the sweep so far.
fn stays_narrow<'f, const N: usize>(mut files: impl Iterator<Item = &'f NodeFile>, run: &Run<'_>) -> bool {
    let most = if N > 2 { run.space.limits.narrow_ids / 3 * 2 } else { u64::MAX };
    files.all(|file| file.width() == Width::Narrow && file.node_count() <= most)
}

/// Runs a sweep on 32-bit ids if it can `begin` so, and again on 64-bit ids if these do not suffice.
pub fn narrow_or_wide<C, T>(
    begin: bool,
    mut context: C,
    narrow: impl FnOnce(&mut C) -> Result<T>,
    wide: impl FnOnce(&mut C) -> Result<T>,
) -> Result<T> {
    if begin {
        match narrow(&mut context) {
            Err(Error::TooManyNodes { .. }) => tracing::debug!("ids outgrow 32 bits: the sweep starts again, wide"),
            done => return done,
        }
    }
    wide(&mut context)
}

fn build_in<I: Lane, S: Spec<N>, K: Nest, const N: usize>(
    spec: &S,
    nest: &K,
    operands: &mut impl Inputs,
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    let files = operands.files();
    let until = Until::Beyond(most);
    let mut unreduced = expand(spec, &files, Unreduced::new(), until, |ask| ask(root_of::<I, N>(&files)), run)?;
    if unreduced.all_nodes() > most {
        return Ok(None);
    }
    drop(files);
    // A guest may have to begin again with the operands.
    if !run.space.guest {
        operands.release();
    }
    loop {
        match reduce(unreduced, nest, run)? {
            Reduced::Whole(file) => return Ok(Some(file)),
            Reduced::Paused(variable, pause) => unreduced = nest.resume(variable, pause, run)?,
            Reduced::Loose(pause) => {
                let unreduced = tidy(pause, nest.negates(), run)?;
                return reduce_whole(unreduced, run).map(Some);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::{BuilderNode, Config, Store, disk::limits::Limits, store::Testing, sweep::ops::quantify::Quantify};

    /// A truth table of nine variables without a pattern, false at the first points.
    fn table(store: &Store) -> NodeFile {
        let mut random = Rng::with_seed(12345);
        let mut layer: Vec<BuilderNode> = (0..512).map(|at| (random.bool() && at >= 4).into()).collect();
        let mut builder = store.builder().expect("a builder");
        for variable in (0..9).rev() {
            let mut node = |pair: &[_]| builder.add_node(variable, pair[0], pair[1]).expect("room");
            layer = layer.chunks(2).map(&mut node).collect();
        }
        builder.build().expect("a diagram").file
    }

    #[test]
    fn a_sweep_with_a_limit_is_right_or_given_up_whatever_the_number_of_threads() {
        let mut nodes = Vec::new();
        // With the less room, nothing is lifted.
        let ways = [(1, 1 << 20), (1, 256), (2, 1 << 20), (3, 256), (4, 1 << 20), (8, 256)];
        for (threads, dense, small) in
            ways.map(|(threads, dense)| (threads, dense, 0)).into_iter().chain([(1, 256, 1 << 14)])
        {
            let limits = Limits { alone: 5, late: 0, small, dense, ..Limits::of(1 << 28) };
            let testing = Testing { limits: Some(limits), backend: None };
            let store = Store::new(Config { threads, testing, ..Config::default() }).expect("a store");
            let file = table(&store);
            let spec = Quantify::new(true, false, vec![7, 8]);
            let within = |most| {
                let built = store.run("exists", |run| build_within::<_, 5>(&spec, &[&file; 4], most, run));
                built.expect("room").map(|file| file.hash())
            };
            let right = within(u64::MAX);
            let outcomes: Vec<_> = (0..600).map(within).collect();
            assert!(outcomes.iter().all(|outcome| outcome.is_none() || *outcome == right), "{threads} threads");
            // How many nodes there are does not depend on the way.
            let given_up = outcomes.iter().filter(|outcome| outcome.is_none()).count();
            assert!(outcomes[..given_up].iter().all(Option::is_none), "{threads} threads");
            nodes.push(given_up);
        }
        assert!(nodes[0] > 100 && nodes.iter().all(|&count| count == nodes[0]), "{nodes:?}");
    }
}

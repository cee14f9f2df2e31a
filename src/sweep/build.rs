//! One operation from end to end: a spec in, a sealed diagram out.

use super::{
    expand::{expand, root_of},
    lift::Lift,
    nest::{Flat, Nest},
    reduce::{Reduced, reduce},
    run::Run,
    small,
    spec::Spec,
};
use crate::{
    disk::lane::Lane,
    error::{Error, Result},
    file::{
        node_file::{NodeFile, Width},
        unreduced::Unreduced,
    },
};

/// Builds the diagram of `spec` at the roots of `operands`. The spec's value on the path of low arcs is false.
pub fn build<S: Spec<N>, const N: usize>(spec: &S, operands: &[&NodeFile], run: &mut Run<'_>) -> Result<NodeFile> {
    let built = build_within(spec, operands, u64::MAX, run)?;
    Ok(built.expect("a sweep without a limit is not given up"))
}

/// The same, unless it takes more than `most` nodes before they are reduced.
pub fn build_within<S: Spec<N>, const N: usize>(
    spec: &S,
    operands: &[&NodeFile],
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    if let Some(file) = small::build(spec, operands, most, run)? {
        return Ok(Some(file));
    }
    let files = operands.iter().copied();
    narrow_or_wide(
        files,
        run,
        |run| build_flat::<u32, S, N>(spec, operands, most, run),
        |run| build_flat::<u64, S, N>(spec, operands, most, run),
    )
}

fn build_flat<I: Lane, S: Spec<N>, const N: usize>(
    spec: &S,
    operands: &[&NodeFile],
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    if let Some(lift) = Lift::of::<I, S, N>(spec, operands, run.space) {
        let before = run.counters;
        match lift.build::<I, S, N>(spec, operands, most, run) {
            // It takes tables itself; what is free without it may do.
            Err(Error::BudgetExceeded { .. }) => run.counters = before,
            built => return built,
        }
    }
    build_in::<I, S, _, N>(spec, &Flat, operands, most, run)
}

/// The same as [`build`], where `nest` has its say on the way up; its value on the path of low arcs is false.
pub fn build_nested<S: Spec<N>, K: Nest, const N: usize>(
    spec: &S,
    nest: &K,
    operands: &[&NodeFile],
    run: &mut Run<'_>,
) -> Result<NodeFile> {
    let files = operands.iter().copied().chain(nest.files());
    let built = narrow_or_wide(
        files,
        run,
        |run| build_in::<u32, S, K, N>(spec, nest, operands, u64::MAX, run),
        |run| build_in::<u64, S, K, N>(spec, nest, operands, u64::MAX, run),
    )?;
    Ok(built.expect("a sweep without a limit is not given up"))
}

/// Runs a sweep over `files` on 32-bit ids while it can, and again on 64-bit ids where it cannot.
pub fn narrow_or_wide<'f, T>(
    mut files: impl Iterator<Item = &'f NodeFile>,
    run: &mut Run<'_>,
    narrow: impl FnOnce(&mut Run<'_>) -> Result<T>,
    wide: impl FnOnce(&mut Run<'_>) -> Result<T>,
) -> Result<T> {
    if files.all(|file| file.width() == Width::Narrow) {
        match narrow(run) {
            Err(Error::TooManyNodes { .. }) => tracing::debug!("ids outgrow 32 bits: the sweep starts again, wide"),
            done => return done,
        }
    }
    wide(run)
}

fn build_in<I: Lane, S: Spec<N>, K: Nest, const N: usize>(
    spec: &S,
    nest: &K,
    operands: &[&NodeFile],
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    let above = Unreduced { most, ..Unreduced::new() };
    let mut unreduced = expand(spec, operands, above, |ask| ask(root_of::<I, N>(operands)), run)?;
    if unreduced.levels.end() > most {
        return Ok(None);
    }
    loop {
        match reduce(unreduced, nest, run)? {
            Reduced::Whole(file) => return Ok(Some(file)),
            Reduced::Paused(variable, pause) => unreduced = nest.resume(variable, pause, run)?,
            Reduced::Loose(pause) => {
                let unreduced = pause.tidy(run)?;
                let Reduced::Whole(file) = reduce(unreduced, &Flat, run)? else { unreachable!("the root led to all") };
                return Ok(Some(file));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuilderNode, Config, Store, disk::limits::Limits, store::Testing, sweep::quantify::Quantify};

    /// A truth table of nine variables without a pattern, false at first.
    fn table(store: &Store) -> NodeFile {
        let mut state = 12345u64;
        let mut bit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 40 & 1 == 1
        };
        let mut layer: Vec<BuilderNode> = (0..512).map(|at| (bit() && at >= 4).into()).collect();
        let mut builder = store.builder().expect("a builder");
        for variable in (0..9).rev() {
            let mut node = |pair: &[_]| builder.add_node(variable, pair[0], pair[1]).expect("room");
            layer = layer.chunks(2).map(&mut node).collect();
        }
        (*builder.build().expect("a diagram").file).clone()
    }

    #[test]
    fn a_sweep_with_a_limit_is_right_or_given_up_whatever_the_number_of_threads() {
        // With the less room, nothing is lifted.
        for (threads, dense) in [(1, 1 << 20), (1, 256), (2, 1 << 20), (3, 256), (4, 1 << 20), (8, 256)] {
            let limits = Limits { alone: 5, small: 0, dense, ..Limits::of(1 << 28) };
            let testing = Testing { limits: Some(limits), backend: None };
            let store = Store::new(Config { threads, testing, ..Config::default() }).expect("a store");
            let file = table(&store);
            let spec = Quantify { absorbing: true, complement: false, variables: vec![7, 8] };
            let within = |most| {
                let built = store.run("exists", |run| build_within::<_, 5>(&spec, &[&file; 4], most, run));
                built.expect("room").map(|file| file.hash())
            };
            let right = within(u64::MAX);
            let outcomes: Vec<_> = (0..600).map(within).collect();
            assert!(outcomes.iter().all(|outcome| outcome.is_none() || *outcome == right), "{threads} threads");
            assert!(outcomes[0].is_none() && (threads > 1 || outcomes[599] == right));
        }
    }
}

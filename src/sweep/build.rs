//! One operation from end to end: a spec in, a sealed diagram out.

use super::{expand::expand, reduce::reduce, run::Run, spec::Spec};
use crate::{
    disk::lane::Lane,
    error::{Error, Result},
    file::node_file::{NodeFile, Width},
    model::FALSE,
};

/// Builds the diagram of `spec` at the roots of `operands`. The spec's value on the path of low arcs is false.
///
/// The sweep runs on 32-bit ids while it can, and starts again on 64-bit ids where it cannot.
pub fn build<S: Spec<N>, const N: usize>(spec: &S, operands: &[&NodeFile], run: &mut Run<'_>) -> Result<NodeFile> {
    if operands.iter().all(|file| file.width() == Width::Narrow) {
        match build_in::<u32, S, N>(spec, operands, run) {
            Err(Error::TooManyNodes { .. }) => tracing::debug!("ids outgrow 32 bits: the sweep starts again, wide"),
            done => return done,
        }
    }
    build_in::<u64, S, N>(spec, operands, run)
}

fn build_in<I: Lane, S: Spec<N>, const N: usize>(
    spec: &S,
    operands: &[&NodeFile],
    run: &mut Run<'_>,
) -> Result<NodeFile> {
    let mut root = [I::of(FALSE); N];
    for (id, file) in root.iter_mut().zip(operands) {
        *id = I::of(file.root());
    }
    if let Some(value) = spec.decide(&mut root) {
        assert!(!value, "invariant 6: a stored diagram is false on the path of low arcs");
        return Ok(NodeFile::empty());
    }
    let unreduced = expand::<I, S, N>(spec, operands, root, run)?;
    reduce(unreduced, run)
}

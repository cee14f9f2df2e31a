//! `search`: whether a spec is true for some assignment, by a sweep that ends as soon as it finds one.

use super::{
    build::{are_narrow, narrow_or_wide},
    down::{
        expand::{expand, root_of},
        ground::Until,
    },
    run::Run,
    small,
    spec::Spec,
};
use crate::{
    disk::lane::Lane,
    error::Result,
    file::{node_file::NodeFile, unreduced::Unreduced},
};

/// Whether `spec` is true for some path from the roots of `operands`.
///
/// One expand sweep at most, which writes no arcs; it ends where it finds the first such path.
pub fn find<S: Spec<N>, const N: usize>(spec: &S, operands: &[&NodeFile], run: &mut Run<'_>) -> Result<bool> {
    if let Some(found) = small::find(spec, operands, run)? {
        return Ok(found);
    }
    narrow_or_wide(
        are_narrow(operands.iter().copied()),
        run,
        |run| find_in::<u32, S, N>(spec, operands, run),
        |run| find_in::<u64, S, N>(spec, operands, run),
    )
}

fn find_in<I: Lane, S: Spec<N>, const N: usize>(spec: &S, operands: &[&NodeFile], run: &mut Run<'_>) -> Result<bool> {
    let seen = expand(spec, operands, Unreduced::new(), Until::True, |ask| ask(root_of::<I, N>(operands)), run)?;
    Ok(seen.is_satisfiable())
}

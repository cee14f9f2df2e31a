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

/// A spec with all variables false that are not `free`.
pub struct Lowest<'a, S> {
    /// The spec itself.
    pub spec: S,
    /// Whether a variable may have either value.
    pub free: &'a (dyn Fn(u32) -> bool + Sync),
}

impl<S: Spec<N>, const N: usize> Spec<N> for Lowest<'_, S> {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut [I; N]) -> Option<bool> {
        self.spec.decide(request)
    }

    fn rule(&self, variable: u32) -> Option<()> {
        (!(self.free)(variable)).then_some(())
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), _: &mut [I; N], _: &mut [I; N]) -> bool {
        true
    }
}

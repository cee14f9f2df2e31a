//! `search`: whether a spec is true anywhere, by a sweep that ends where it finds that.

use super::{build::narrow_or_wide, expand::expand, run::Run, spec::Spec};
use crate::{
    disk::{lane::Lane, sorter::Source},
    error::Result,
    file::{node_file::NodeFile, unreduced::Unreduced},
    model::FALSE,
};

/// Whether `spec` is true for some path from the roots of `operands`.
///
/// One expand sweep at most, which writes no arcs; it ends at the level where it finds the first such path.
pub fn find<S: Spec<N>, const N: usize>(spec: S, operands: &[&NodeFile], run: &mut Run<'_>) -> Result<bool> {
    let search = Search { spec };
    let files = operands.iter().copied();
    narrow_or_wide(
        files,
        run,
        |run| find_in::<u32, S, N>(&search, operands, run),
        |run| find_in::<u64, S, N>(&search, operands, run),
    )
}

fn find_in<I: Lane, S: Spec<N>, const N: usize>(
    search: &Search<S>,
    operands: &[&NodeFile],
    run: &mut Run<'_>,
) -> Result<bool> {
    let mut root = [I::of(FALSE); N];
    for (id, file) in root.iter_mut().zip(operands) {
        *id = I::of(file.root());
    }
    let seen = expand(search, operands, Unreduced::new(), |ask| ask(root), run)?;
    Ok(seen.ones.count() + seen.passed.count() > 0)
}

/// A spec of which only one thing is asked.
struct Search<S> {
    spec: S,
}

impl<S: Spec<N>, const N: usize> Spec<N> for Search<S> {
    type Rule = S::Rule;
    const SEARCH: bool = true;

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut [I; N]) -> Option<bool> {
        self.spec.decide(request)
    }

    fn rule(&self, variable: u32) -> Option<S::Rule> {
        self.spec.rule(variable)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, rule: S::Rule, low: &mut [I; N], high: &mut [I; N]) -> bool {
        self.spec.change(rule, low, high)
    }
}

/// A spec where the variables that are not `free` are false.
pub struct Lowest<S, F> {
    /// What is looked at there.
    pub spec: S,
    /// Whether a variable may be true.
    pub free: F,
}

impl<S: Spec<N>, F: Fn(u32) -> bool, const N: usize> Spec<N> for Lowest<S, F> {
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

//! Another spec, with all variables false but some: whether it is true then is what a search tells.

use crate::{disk::lane::Lane, sweep::spec::Spec};

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

//! `quantify`: variables combined away, the request being a pair of nodes of one diagram.
//!
//! One variable goes on the way down: where it is tested, a request for a node becomes one for the pair of its children. A
//! second would make quadruples of pairs, so the others wait for the way up, where nested sweeps make pairs of them again.
//!
//! After: S. C. Sølvsten, J. van de Pol, "Multi-variable Quantification of BDDs in External Memory using Nested Sweeping", 2024.

use super::{
    expand::expand,
    nest::{Covers, Nest, Pause},
    run::Run,
    spec::Spec,
};
use crate::{
    disk::{lane::Lane, sorter::Source},
    error::Result,
    file::unreduced::Unreduced,
    model::{FALSE, TERMINALS, TRUE},
};

/// A request of `quantify`: two nodes of one diagram, of which the second may be neutral, and the slot.
pub type Request<I> = [I; 3];

/// Combines the two cofactors of every node on some levels by "or" or by "and".
#[derive(Clone, Debug)]
pub struct Quantify {
    /// The value that decides: true for "or", false for "and".
    pub absorbing: bool,
    /// The variable that goes on the way down.
    pub down: Option<u32>,
    /// The variables that go on the way up, in ascending order.
    pub up: Vec<u32>,
    /// Whether the operand is complemented.
    pub complement: bool,
}

impl Quantify {
    /// The terminal that, as the second of a pair, leaves the first as it is.
    pub fn neutral(&self) -> u64 {
        if self.absorbing == self.complement { TRUE } else { FALSE }
    }

    fn value(&self, id: u64) -> Option<bool> {
        (id < TERMINALS).then_some((id == TRUE) != self.complement)
    }
}

impl Spec<3> for Quantify {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        let (a, b) = (request[0].get().max(request[1].get()), request[0].get().min(request[1].get()));
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => return Some(if x == y { x } else { self.absorbing }),
            (_, Some(y)) if y == self.absorbing => return Some(y),
            _ => {}
        }
        let single = a == b || b < TERMINALS;
        (request[0], request[1]) = (I::of(a), I::of(if single { self.neutral() } else { b }));
        None
    }

    fn rule(&self, variable: u32) -> Option<()> {
        (self.down == Some(variable)).then_some(())
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        low[1] = high[0];
        true
    }
}

impl Covers for Quantify {
    fn covers(&self, variable: u32, _: Option<u32>) -> bool {
        self.up.binary_search(&variable).is_ok()
    }

    fn settle(&self, low: u64, high: u64) -> Option<u64> {
        let nested = self.nested();
        let mut request = [low, high, 0];
        match nested.decide(&mut request) {
            Some(value) => Some(u64::from(value)),
            None => (request[1] < TERMINALS).then_some(request[0]),
        }
    }
}

impl Nest for Quantify {
    fn resume<I: Lane>(&self, _: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>> {
        let (space, nested) = (run.space, self.nested());
        let neutral = I::of(nested.neutral());
        let Pause { above, forest, pairs, singles } = pause;
        let ask_all = |ask: &mut dyn FnMut(Request<I>) -> Result<()>| {
            pairs.drain(space, |block| block.iter().try_for_each(|&request| ask(request)))?;
            singles.drain(space, |block| block.iter().try_for_each(|&[id, slot]| ask([id, neutral, slot])))
        };
        expand(&nested, &[&forest, &forest], above, ask_all, run)
    }
}

impl Quantify {
    /// What the nested sweeps compute: the same on what is complemented already.
    fn nested(&self) -> Self {
        Self { absorbing: self.absorbing, down: None, up: Vec::new(), complement: false }
    }
}

//! `simplify`: a function that has to agree only where a care set is true, over no variables but its own. A request is a node of
//! the function and a set of nodes of the care set.
//!
//! Where one branch of a node has an empty care set, the other branch replaces the node; where the function does not test a
//! variable, the care set is combined over it by "or", as a set of nodes. A set larger than a request can hold is not combined:
//! then the variable may come into the result.
//!
//! After: O. Coudert, J. C. Madre, "A Unified Framework for the Formal Verification of Sequential Circuits", 1990 (their
//! "restrict").

use super::set::{Gathered, NodeSet};
use crate::{
    disk::lane::Lane,
    error::Result,
    file::{node_file::NodeFile, walk::Walk},
    model::{TERMINALS, value},
    sweep::spec::Spec,
};

/// Simplifies a function by a care set.
#[derive(Clone, Copy)]
pub struct Simplify<'a> {
    /// Whether the care set tests a variable.
    tested: &'a (dyn Fn(u32) -> bool + Sync),
    /// Combines nodes of the care set by "or".
    care: NodeSet,
    /// Whether the result is the negation of the stored function.
    pub result: bool,
}

impl<'a> Simplify<'a> {
    /// For a care set that tests the variables `tested` and may be complemented.
    pub fn new(tested: &'a (dyn Fn(u32) -> bool + Sync), complement: bool) -> Self {
        Self { tested, care: NodeSet::new(true, complement), result: false }
    }

    /// The value of the result on the path of low arcs; `care` is not false.
    pub fn at_zero<const N: usize>(&self, function: &NodeFile, care: &NodeFile) -> Result<bool> {
        let files: [&NodeFile; N] = std::array::from_fn(|lane| if lane == 0 { function } else { care });
        let mut walks = files.map(Walk::of);
        let mut request = files.map(NodeFile::root);
        loop {
            if let Some(value) = Spec::<N>::decide(self, &mut request) {
                return Ok(value);
            }
            let variable_of = |lane: usize, id: u64| files[lane].variable_of(id);
            let inner = || (0..N - 1).filter(|&lane| request[lane] >= TERMINALS);
            let top = inner().map(|lane| variable_of(lane, request[lane])).min().expect("what is open is no terminal");
            let (mut low, mut high) = (request, request);
            for lane in inner().filter(|&lane| variable_of(lane, request[lane]) == top) {
                [low[lane], high[lane]] = walks[lane].children(request[lane])?;
            }
            Spec::<N>::change(self, (), &mut low, &mut high);
            request = low;
        }
    }
}

impl<const N: usize> Spec<N> for Simplify<'_> {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut [I; N]) -> Option<bool> {
        if let Some(value) = value(request[0].get()) {
            return Some(value != self.result);
        }
        let ids = *request;
        if !self.care.is_set(&ids[1..N - 1]) {
            self.care.gather(ids[1..N - 1].iter().copied(), &mut request[1..N - 1]);
        }
        None
    }

    fn rule(&self, variable: u32) -> Option<()> {
        (self.tested)(variable).then_some(())
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &[I; N]) -> Option<usize> {
        (!self.result && self.care.decides(request[1].get())).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut [I; N], high: &mut [I; N]) -> bool {
        if low[0] == high[0] {
            let mut both = *low;
            let ids = low[1..N - 1].iter().chain(&high[1..N - 1]).copied();
            let fits = self.care.gather(ids, &mut both[1..N - 1]) != Gathered::TooMany;
            if fits {
                *low = both;
            }
            return fits;
        }
        if self.care.is_nothing(&low[1..N - 1]) {
            *low = *high;
            return true;
        }
        self.care.is_nothing(&high[1..N - 1])
    }
}

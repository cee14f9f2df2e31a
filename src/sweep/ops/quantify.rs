//! `quantify`: variables quantified away, the request being a set of nodes of one diagram.
//!
//! On the way down, a request for a node that tests a quantified variable becomes a request for the set of its two children. That
//! is all as long as sets fit the lanes of a request: four nodes at first. Where a set would not fit, the node stays, and another
//! sweep goes over the result, with sets of eight. Sets are not reduced before they are combined, so there can be many more sets
//! than nodes: a sweep that makes too many is given up. Then many variables go in groups, the lowest first: the diagram mostly gets
//! smaller with each group, and fewer variables make fewer sets. Where few variables make too many, they go on the way up instead,
//! where nested sweeps combine reduced diagrams two by two.
//!
//! A node with only quantified levels from its own down is no constant, so some path from it leads to the value that decides: it is
//! not expanded.
//!
//! After: S. C. Sølvsten, J. van de Pol, "Multi-variable Quantification of BDDs in External Memory using Nested Sweeping", 2024.

use super::set::{Gathered, NodeSet};
use crate::{
    disk::lane::Lane,
    error::Result,
    file::{node_file::NodeFile, unreduced::Unreduced},
    model::TERMINALS,
    sweep::{
        build::{build, build_nested, build_within, most_nodes},
        down::{expand::expand, ground::Until},
        nest::Nest,
        run::Run,
        spec::Spec,
        up::pause::{Covers, Pause},
    },
};

/// Combines the two cofactors of every node on the levels of some variables by "or" or by "and".
#[derive(Clone, Debug)]
pub struct Quantify {
    /// How the nodes of a set are combined.
    set: NodeSet,
    /// The variables, in ascending order.
    variables: Vec<u32>,
}

/// Quantifies the variables of `spec` in `file`, which has some of them.
///
/// `file` may be complemented and true on the path of low arcs; the result is false there. Sets are of four nodes at first, unless
/// they are known to be `large`.
pub fn quantify(file: &NodeFile, mut spec: Quantify, mut large: bool, run: &mut Run<'_>) -> Result<NodeFile> {
    let (mut file, mut together) = (file.clone(), usize::MAX);
    while let Some(group) = spec.lowest_in(&file, together) {
        // Sets may be a little more than nodes: to go in groups costs more sweeps.
        let most = most_nodes(file.node_count() / 4 * 5, &run.space.limits);
        // Two variables never need sets of more than four nodes. Sets of eight need the operand in RAM: too many would be deferred.
        let rest = match group.variables.len() {
            1 => Some(build::<_, 3>(&group, &[&file; 2], run)?),
            3.. if large && file.disk_bytes() == 0 => build_within::<_, 9>(&group, &[&file; 8], most, run)?,
            _ => build_within::<_, 5>(&group, &[&file; 4], most, run)?,
        };
        file = match rest {
            Some(rest) => rest,
            None if together > GROUP && group.variables.len() > GROUP => {
                together = GROUP;
                continue;
            }
            None => build_nested::<_, _, 3, _>(&group.lowest(), &group, &[&file; 2], run)?,
        };
        large = group.variables.iter().any(|&variable| file.has_variable(variable));
        spec.set.complement = false;
    }
    Ok(file)
}

/// The variables of a group, beside those at the bottom of a diagram, below which all are quantified. With twice as many, diagrams
/// with large sets took up to twice the time, and with half as many, so did diagrams that hardly get smaller.
const GROUP: usize = 8;

impl Quantify {
    /// Combines by "or" if `absorbing` is true, by "and" if it is false, an operand that may be complemented.
    pub fn new(absorbing: bool, complement: bool, variables: Vec<u32>) -> Self {
        Self { set: NodeSet::new(absorbing, complement), variables }
    }

    /// The same for the lowest of its variables in `file`, `most` and those below which all are quantified; `None` if it has none.
    fn lowest_in(&self, file: &NodeFile, most: usize) -> Option<Self> {
        let levels = file.levels();
        let stays = (1..levels.ranks()).find(|&rank| !self.has(file.variable(rank))).unwrap_or(levels.ranks());
        let quantified = file.variables().filter(|&variable| self.has(variable));
        let mut variables: Vec<_> = quantified.take((stays - 1).saturating_add(most)).collect();
        variables.reverse();
        (!variables.is_empty()).then(|| Self { variables, set: NodeSet { settled: levels.first(stays), ..self.set } })
    }

    /// The same for the lowest of its variables alone.
    fn lowest(&self) -> Self {
        Self { variables: self.variables.last().copied().into_iter().collect(), set: self.set }
    }

    fn has(&self, variable: u32) -> bool {
        self.variables.binary_search(&variable).is_ok()
    }

    /// The spec of the nested sweeps: the same on pairs of nodes to which the complement has been applied already.
    fn pairs(&self) -> Self {
        Self::new(self.set.absorbing, false, Vec::new())
    }
}

impl<const N: usize> Spec<N> for Quantify {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut [I; N]) -> Option<bool> {
        if N == 3 {
            return self.set.decide_two(&mut request[..2]);
        }
        let ids = *request;
        if self.set.is_set(&ids[..N - 1]) {
            return (ids[0].get() < TERMINALS).then_some(!self.set.absorbing);
        }
        match self.set.gather(ids[..N - 1].iter().copied(), &mut request[..N - 1]) {
            Gathered::Decided => Some(self.set.absorbing),
            Gathered::Nothing => Some(!self.set.absorbing),
            Gathered::Some | Gathered::TooMany => None,
        }
    }

    fn rule(&self, variable: u32) -> Option<()> {
        self.has(variable).then_some(())
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &[I; N]) -> Option<usize> {
        (!self.set.complement && request[1].get() < TERMINALS).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut [I; N], high: &mut [I; N]) -> bool {
        let mut both = *low;
        // A node below this level is in both sets.
        let others = low.iter().zip(&high[..N - 1]).filter(|(low, high)| low != high).map(|(_, high)| high);
        let fits = self.set.gather(low[..N - 1].iter().chain(others).copied(), &mut both[..N - 1]) != Gathered::TooMany;
        if fits {
            *low = both;
        }
        fits
    }
}

impl Covers for Quantify {
    fn covers(&self, variable: u32, _: Option<u32>) -> bool {
        self.has(variable)
    }

    fn settle(&self, low: u64, high: u64) -> Option<u64> {
        let mut pair = [low, high];
        match NodeSet::new(self.set.absorbing, false).decide_two(&mut pair) {
            Some(value) => Some(u64::from(value)),
            None => (pair[1] < TERMINALS).then_some(pair[0]),
        }
    }
}

impl Nest for Quantify {
    fn resume<I: Lane>(&self, _: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>> {
        let (space, spec) = (run.space, self.pairs());
        let Pause { above, forest, mut pairs, mut singles } = pause;
        let ask_all = |ask: &mut dyn FnMut([I; 3]) -> Result<()>| {
            pairs.drain_each(space, &mut *ask)?;
            singles.drain_each(space, |[id, slot]| ask(spec.set.single(id, slot)))
        };
        expand(&spec, &[&forest, &forest], above, Until::DONE, ask_all, run)
    }
}

//! `and_exists`: a conjunction whose variables are quantified as it is made; the request is a set of pairs of nodes.
//!
//! As in [`quantify`](super::quantify), but a set holds pairs, one node of each operand, and stands for the disjunction of
//! their conjunctions. A pair with a false side leaves the set, so that sets stay small where one operand is a transition
//! relation.

use super::{
    apply::Apply,
    quantify::{Quantify, quantify},
    set::Gathered,
};
use crate::{
    disk::lane::Lane,
    error::Result,
    file::node_file::NodeFile,
    model::op::BinaryOp,
    sweep::{
        build::{build, build_within, most_nodes},
        run::Run,
        spec::Spec,
    },
};

/// A request of `and_exists`: a node of each operand, twice, and the slot.
pub type Request<I> = [I; 5];

/// The disjunction, over all values of some variables, of the conjunction of two functions.
#[derive(Clone, Debug)]
pub struct AndExists {
    /// Whether each operand is complemented.
    pub complement: [bool; 2],
    /// Whether the result is the negation.
    pub result: bool,
    /// The variables, in ascending order.
    pub variables: Vec<u32>,
}

/// The diagram of `spec` for two operands; it is false on the path of low arcs.
pub fn and_exists(spec: &AndExists, operands: [&NodeFile; 2], run: &mut Run<'_>) -> Result<NodeFile> {
    let [f, g] = operands;
    let most = most_nodes(f.node_count() + g.node_count(), &run.space.limits);
    if let Some(file) = and_exists_within(spec, operands, most, run)? {
        return Ok(file);
    }
    let conjunction = build(&spec.conjunction(), &operands, run)?;
    spec.rest(&conjunction, true, run)
}

/// The same; `None` where its first sweep would make more than `most` nodes.
pub fn and_exists_within(
    spec: &AndExists,
    operands: [&NodeFile; 2],
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<NodeFile>> {
    let [f, g] = operands;
    let some_left = build_within(spec, &[f, g, f, g], most, run)?;
    some_left.map(|some_left| spec.rest(&some_left, false, run)).transpose()
}

impl AndExists {
    /// The conjunction alone.
    pub fn conjunction(&self) -> Apply {
        let [a, b] = self.complement;
        Apply::new(BinaryOp::from_fn(|x, y| ((x != a) && (y != b)) != self.result))
    }

    /// `conjunction` without those of the variables that it still has; there may be `large` sets.
    fn rest(&self, conjunction: &NodeFile, large: bool, run: &mut Run<'_>) -> Result<NodeFile> {
        quantify(conjunction, Quantify::new(!self.result, false, self.variables.clone()), large, run)
    }

    /// The pair of which each side has `value`.
    #[inline(always)]
    fn both<I: Lane>(&self, value: bool) -> [I; 2] {
        let [f, g] = self.complement;
        [I::of(u64::from(value != f)), I::of(u64::from(value != g))]
    }

    /// Makes `request` the set of `pairs`: only those without a false side, each once, the larger first.
    #[inline(always)]
    fn gather<I: Lane>(&self, pairs: impl Iterator<Item = [I; 2]>, request: &mut Request<I>) -> Gathered {
        let [truth, falsity] = [self.both(true), self.both(false)];
        let mut set = [falsity; 2];
        let mut count = 0;
        for pair in pairs {
            if pair[0] == falsity[0] || pair[1] == falsity[1] || set[..count].contains(&pair) {
                continue;
            }
            if pair == truth {
                return Gathered::Decided;
            }
            if count == 2 {
                return Gathered::TooMany;
            }
            set[count] = pair;
            count += 1;
        }
        if set[0] < set[1] && count == 2 {
            set.swap(0, 1);
        }
        let slot = request[4];
        *request = [set[0][0], set[0][1], set[1][0], set[1][1], slot];
        if count == 0 { Gathered::Nothing } else { Gathered::Some }
    }
}

/// The pairs of a request.
fn pairs<I: Lane>(request: &Request<I>) -> [[I; 2]; 2] {
    [[request[0], request[1]], [request[2], request[3]]]
}

impl Spec<5> for AndExists {
    type Rule = ();

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        match self.gather(pairs(request).into_iter(), request) {
            Gathered::Decided => Some(!self.result),
            Gathered::Nothing => Some(self.result),
            Gathered::Some | Gathered::TooMany => None,
        }
    }

    fn rule(&self, variable: u32) -> Option<()> {
        self.variables.binary_search(&variable).ok().map(|_| ())
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        let [truth, falsity] = [self.both(true), self.both(false)];
        let alone = request[2..4] == falsity;
        (0..2).find(|&side| alone && request[1 - side] == truth[1 - side] && self.complement[side] == self.result)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, (): (), low: &mut Request<I>, high: &mut Request<I>) -> bool {
        let mut both = *low;
        match self.gather(pairs(low).into_iter().chain(pairs(high)), &mut both) {
            Gathered::TooMany => return false,
            Gathered::Decided => {
                [both[0], both[1]] = self.both(true);
            }
            Gathered::Nothing | Gathered::Some => {}
        }
        *low = both;
        true
    }
}

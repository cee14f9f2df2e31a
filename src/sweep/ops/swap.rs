//! `swap`: exchanges neighbouring variables, all pairs in one sweep.
//!
//! ```text
//!   upper       f              "lower, then upper":   one node for f, two requests for what it tests next
//!              ╱ ╲                                      ╱                     ╲
//!   lower    f0   f1      (f0, f1) where lower is false         (f0, f1) where lower is true
//!            ╱╲   ╱╲               ╱       ╲                          ╱       ╲
//!           a  b c  d             a         c                        b         d
//! ```
//! A request must stop at a level where it may have no node of the operand: a pair of nodes at the lower level, a node of the lower
//! level at the upper one. So a further operand has two nodes on each such level, flags, and the request holds one of them.
//!
//! After: R. Rudell, "Dynamic Variable Ordering for Ordered Binary Decision Diagrams", 1993.

use crate::{
    disk::{lane::Lane, space::Space},
    error::Result,
    file::{level_map::LevelMap, node_file::NodeFile, writer::NodeWriter},
    model::{FALSE, TERMINALS, TRUE, value},
    sweep::{build::build, run::Run, spec::Spec},
};

/// A request of `swap`: a node, false, and, if the node is on a lower level, a flag of the upper one; or two nodes, and the flag of
/// the lower level for the value of its variable. Then the slot.
pub type Request<I> = [I; 4];

/// Exchanges pairs of neighbours.
pub struct Swap {
    /// For every node of the diagram the flag that a request for it holds, if any.
    flags: LevelMap,
    /// The variables of all pairs, in ascending order, each with the rule of its level.
    rules: Vec<(u32, Rule)>,
}

/// The part of a level in its pair.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// The upper level: the first id of the lower level and the number of its ids, and the flag for false there.
    Upper { first: u64, count: u64, flag: u64 },
    /// The lower level.
    Lower,
}

/// The flag for false on the lower level of pair number `pair`, counted from the lowest.
fn lower_flag(pair: usize) -> u64 {
    TERMINALS + 4 * pair as u64
}

/// The flag for false on the upper level of that pair.
fn upper_flag(pair: usize) -> u64 {
    lower_flag(pair) + 2
}

/// Whether `id` is a flag of a lower level.
#[inline(always)]
fn is_lower_flag(id: u64) -> bool {
    id >= TERMINALS && (id - TERMINALS) & 2 == 0
}

/// The diagram of `file` with the variable of each of the ranks `uppers`, in ascending order, and that of the rank below exchanged.
/// No rank is in two pairs.
pub fn swap(file: &NodeFile, uppers: &[usize], run: &mut Run<'_>) -> Result<NodeFile> {
    let bytes = 2 * uppers.len() * size_of::<(u32, Rule)>() + 2 * file.levels().ranks() * LevelMap::BYTES_A_LEVEL;
    let _charge = run.space.charge_sweep(bytes, "what swaps variables")?;
    let flags = flags(file, uppers, run.space)?;
    debug_assert!(!is_lower_flag(flags.root()), "taken for a request that waits");
    build(&Swap::of(file, uppers), &[file, file, &flags], run)
}

/// The diagram of the flags: on each level of a pair one with the value of its variable and one with the opposite value. The last
/// flag, with which a sweep begins as with the root of any operand, is on an upper level: the request for the root holds the right
/// flag once it is decided.
fn flags(file: &NodeFile, uppers: &[usize], space: &Space) -> Result<NodeFile> {
    let mut writer = NodeWriter::<u32>::new(space)?;
    writer.reserve_levels(1 + 2 * uppers.len());
    for rank in uppers.iter().flat_map(|&upper| [upper - 1, upper]) {
        let [falsity, truth] = [FALSE, TRUE].map(u32::of);
        writer.push_all(&[[falsity, truth], [truth, falsity]], space)?;
        writer.end_level(file.variable(rank));
    }
    writer.seal_in_width(space)
}

impl Swap {
    fn of(file: &NodeFile, uppers: &[usize]) -> Self {
        let flag = |rank| uppers.binary_search(&(rank + 1)).map_or(FALSE, upper_flag);
        let rules = |(pair, &upper): (usize, &usize)| {
            let (first, count) = (file.levels().first(upper - 1), file.levels().width(upper - 1));
            let rule = Rule::Upper { first, count, flag: lower_flag(pair) };
            [(file.variable(upper - 1), Rule::Lower), (file.variable(upper), rule)]
        };
        let mut rules: Vec<_> = uppers.iter().enumerate().flat_map(rules).collect();
        rules.reverse();
        Self { flags: LevelMap::new(file.levels(), |rank| flag(rank) as u32), rules }
    }
}

/// The request for a node alone.
fn single<I: Lane>(id: I, slot: I) -> Request<I> {
    [id, I::of(FALSE), I::of(FALSE), slot]
}

impl Spec<4> for Swap {
    type Rule = Rule;

    #[inline(always)]
    fn decide<I: Lane>(&self, request: &mut Request<I>) -> Option<bool> {
        if is_lower_flag(request[2].get()) {
            return None;
        }
        (request[1], request[2]) = (I::of(FALSE), I::of(self.flags.of(request[0].get()).into()));
        value(request[0].get())
    }

    fn rule(&self, variable: u32) -> Option<Rule> {
        let at = self.rules.binary_search_by_key(&variable, |rule| rule.0);
        at.ok().map(|at| self.rules[at].1)
    }

    #[inline(always)]
    fn same_as_operand<I: Lane>(&self, request: &Request<I>) -> Option<usize> {
        (request[2].get() == FALSE).then_some(0)
    }

    #[inline(always)]
    fn change<I: Lane>(&self, rule: Rule, low: &mut Request<I>, high: &mut Request<I>) -> bool {
        match rule {
            Rule::Upper { first, count, flag } => {
                let pair = [low[0], high[0]];
                (low[1], high[0], high[1]) = (pair[1], pair[0], pair[1]);
                (low[2], high[2]) = (I::of(flag), I::of(flag + 1));
                // No node of the pair is on the lower level: the test of the upper variable moves there, and there is no node here.
                !pair.iter().any(|id| id.get().wrapping_sub(first) < count)
            }
            Rule::Lower => {
                let value = usize::from(low[2].get() == TRUE);
                let [lows, highs] = [0, 1].map(|node| [low[node], high[node]]);
                (*low, *high) = (single(lows[value], low[3]), single(highs[value], high[3]));
                low[0] == high[0]
            }
        }
    }
}

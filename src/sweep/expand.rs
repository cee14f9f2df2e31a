//! `expand`: the top-down sweep. Requests go in at the top, arcs of an unreduced diagram come out.
//!
//! ```text
//!              operands, level by level from the top
//!                    │ children
//!   ┌─► LevelQueue ──┴─► sort by ids ─► equal requests are one node ─┬─► its two children: decided? ─► ones
//!   │    requests                            │                       │
//!   │                                        └─► the slots that ask: arcs                 │ no
//!   └─────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//! Operand 0 is read in order, since requests are sorted by it. The others are read at random within a level, from memory or
//! from a mapping; where a level of one is beyond its share of the budget, the requests are sorted once more by that operand
//! and it is read in order too.
//!
//! Cost: every request is pushed, sorted and popped once; O(sort(requests)) transfers. Memory: the budget's shares for queue
//! and arcs, and one level's array for sorting.

use super::{
    compact::{self, Compact, compact},
    run::Run,
    spec::Spec,
};
use crate::{
    disk::{
        lane::Lane,
        pool::Share,
        queue::LevelQueue,
        sorter::{BATCH, Sorter},
        space::Space,
        spool::Spool,
    },
    error::{Error, Result},
    file::{level_map::LevelMap, node_file::NodeFile, reader::LevelReader, unreduced::Unreduced},
};

/// Expands over `operands` what `ask_all` asks for, below the nodes that `above` holds already.
///
/// # Errors
/// Those of the disk and of the budget, and `TooManyNodes` where the ids of the result do not fit the lanes of `I`.
pub fn expand<I: Lane, S: Spec<N>, const N: usize>(
    spec: &S,
    operands: &[&NodeFile],
    above: Unreduced<I>,
    ask_all: impl FnOnce(&mut dyn FnMut([I; N]) -> Result<()>) -> Result<()>,
    run: &mut Run<'_>,
) -> Result<Unreduced<I>> {
    let space = run.space;
    let _sweep = run.begin("expand");
    let mut frontier = Frontier::new(spec, operands, above, space)?;
    ask_all(&mut |request| frontier.pass_on(request))?;
    for level in 0..frontier.variables.len() {
        if frontier.ended() {
            break;
        }
        if frontier.only_copies(level) {
            frontier.copy(level, run)?;
            break;
        }
        let requests = frontier.queue.take(level);
        frontier.open(level);
        if requests.count() > 0 {
            run.counters.requests += requests.count();
            frontier.expand_level(level, requests, run.sorter)?;
            frontier.close(level);
            run.report("expand", frontier.variables[level], frontier.result.levels.end());
        }
    }
    frontier.result.levels.seal();
    run.counters.unreduced = frontier.next - 1;
    Ok(frontier.result)
}

/// The sweep between two levels: what is asked below, and what came out above.
struct Frontier<'a, I, S, const N: usize> {
    spec: &'a S,
    space: &'a Space,
    /// One for each lane of a request; the last stands for nothing.
    operands: [Operand<'a>; N],
    /// The variables of all operands, top-down.
    variables: Vec<u32>,
    queue: LevelQueue<I, N>,
    result: Unreduced<I>,
    /// The id of the next node.
    next: u64,
    /// How many of `result.ones` come from the levels above.
    ones_above: u64,
}

/// An operand and where the sweep is in it.
struct Operand<'a> {
    file: &'a NodeFile,
    /// The level of the sweep for each of its ids; the terminals are below all.
    levels: LevelMap,
    /// The rank of its highest level not yet passed.
    rank: usize,
    /// Its nodes on the level at hand.
    reader: LevelReader<'a>,
}

impl<'a, I: Lane, S: Spec<N>, const N: usize> Frontier<'a, I, S, N> {
    fn new(spec: &'a S, operands: &[&'a NodeFile], mut result: Unreduced<I>, space: &'a Space) -> Result<Self> {
        debug_assert_eq!(operands.len(), N - 1);
        let mut variables: Vec<u32> = operands.iter().flat_map(|file| file.variables().rev()).collect();
        #[expect(clippy::stable_sort_primitive, reason = "a merge of what is in order already")]
        variables.sort();
        variables.dedup();
        result.reserve(variables.len());
        let random = window_of::<N>(space);
        let spans = std::array::from_fn::<_, N, _>(|at| if at == 0 { random / 8 } else { random });
        let operands = std::array::from_fn(|at| match operands.get(at) {
            Some(file) => Operand::new(file, &variables, spans[at]),
            None => Operand::idle(operands[0]),
        });
        let queue = LevelQueue::new(variables.len(), space)?;
        let (next, ones_above) = (result.levels.end(), result.ones.count());
        Ok(Self { spec, space, operands, variables, queue, result, next, ones_above })
    }

    /// Sends a request of the level at hand to the level of its highest node, or notes its value.
    #[inline(always)]
    fn ask(&mut self, mut request: [I; N]) -> Result<()> {
        match self.spec.decide(&mut request) {
            Some(false) => Ok(()),
            Some(true) => self.result.ones.append([request[N - 1]], self.space),
            None => self.send(request),
        }
    }

    /// The same for a request that comes from any level above.
    #[inline(always)]
    fn pass_on(&mut self, mut request: [I; N]) -> Result<()> {
        match self.spec.decide(&mut request) {
            Some(false) => Ok(()),
            Some(true) => self.result.passed.append([request[N - 1]], self.space),
            None => self.send(request),
        }
    }

    #[inline(always)]
    fn send(&mut self, request: [I; N]) -> Result<()> {
        let mut level = u32::MAX;
        for at in 0..N - 1 {
            level = level.min(self.operands[at].levels.of(request[at].get()));
        }
        self.queue.push(level as usize, request, self.space)
    }

    /// Whether nobody wants the rest: a search has found what it looks for, or there are too many nodes.
    fn ended(&self) -> bool {
        let Unreduced { search, most, ones, passed, .. } = &self.result;
        self.next > *most || *search && ones.count() + passed.count() > 0
    }

    /// Whether all that is left from `level` on is part of the one operand, and can be brought over as it is.
    fn only_copies(&self, level: usize) -> bool {
        let Operand { file, rank, .. } = self.operands[0];
        N == 2
            && !self.result.search
            && self.spec.copies_from(self.variables[level])
            && compact::fits(file, rank, self.space)
    }

    /// Brings over what there is from `level` on.
    fn copy(&mut self, level: usize, run: &mut Run<'_>) -> Result<()> {
        let Operand { file, rank, .. } = self.operands[0];
        let logs: Vec<_> = (level..self.variables.len()).map(|level| self.queue.take(level)).collect();
        let Compact { below, arrivals } = compact(file, rank, &logs, run)?;
        (self.result.below, self.result.arrivals) = (Some(below), arrivals);
        Ok(())
    }

    /// Brings every operand to `level`.
    fn open(&mut self, level: usize) {
        let variable = self.variables[level];
        self.operands.iter_mut().for_each(|operand| operand.open(variable));
    }

    /// Enters the level just expanded in the table, if there are nodes on it.
    fn close(&mut self, level: usize) {
        let levels = &mut self.result.levels;
        let count = self.next - levels.end();
        if count > 0 {
            levels.push(count);
            self.result.variables.push(self.variables[level]);
            let ones = self.result.ones.count();
            self.result.ones_on.push(ones - self.ones_above);
            self.ones_above = ones;
        }
    }

    /// Makes one node of all requests that agree, notes who asked for it, and asks for its children. Requests that the rule of
    /// the level makes one request of go on instead.
    fn expand_level(&mut self, level: usize, requests: Spool<I, N>, sorter: &mut Sorter) -> Result<()> {
        let space = self.space;
        let rule = self.spec.rule(self.variables[level]);
        let late = self.late_operands();
        let mut suspended = Spool::new(Share::Queue);
        let mut last = [I::MAX; N];
        let mut passes = None;
        sorter.sort(requests, N - 1, space, &mut |requests: &[[I; N]]| {
            if self.ended() {
                return Ok(());
            }
            self.check_room(requests.len())?;
            let mut arcs = [[I::of(0)]; BATCH];
            let mut filled = 0;
            let (mut previous, mut passed) = (last, passes);
            for &request in requests {
                let fresh = (0..N - 1).any(|operand| request[operand] != previous[operand]);
                previous = request;
                if fresh {
                    if late == 0 {
                        let [mut low, mut high] = self.cofactors(request, 0)?;
                        let passing = rule.is_some_and(|rule| self.spec.change(rule, &mut low, &mut high));
                        passed = passing.then_some(low);
                        if !passing {
                            let node = self.number();
                            self.ask_both(node, low, high)?;
                        }
                    } else {
                        let [low, high] = self.cofactors(request, late)?;
                        let node = self.number();
                        suspended.append(suspend(node, late.trailing_zeros() as usize, &low, &high), space)?;
                    }
                }
                if let Some(mut whole) = passed {
                    whole[N - 1] = request[N - 1];
                    self.pass_on(whole)?;
                } else {
                    // Below `BATCH` in any case, which the compiler does not know.
                    arcs[filled % BATCH] = [I::of(2 * request[N - 1].get() + u64::from(fresh))];
                    filled += 1;
                }
            }
            (last, passes) = (previous, passed);
            if self.result.search { Ok(()) } else { self.result.arcs.append_all(&arcs[..filled], space) }
        })?;
        self.resolve_late(late, rule, suspended, sorter)
    }

    /// Resolves the operands that are too wide here to be read at random: one more sort for each. A request that should pass has
    /// become a node by now; it is given two equal children, and reduce drops it.
    fn resolve_late(
        &mut self,
        late: u32,
        rule: Option<S::Rule>,
        suspended: Spool<I, LANES>,
        sorter: &mut Sorter,
    ) -> Result<()> {
        let space = self.space;
        let (mut late, mut suspended) = (late, suspended);
        while late != 0 {
            let at = late.trailing_zeros() as usize;
            late &= late - 1;
            let mut next = Spool::new(Share::Queue);
            sorter.sort(suspended, 1, space, &mut |batch: &[[I; LANES]]| {
                batch.iter().try_for_each(|partial| {
                    let (node, mut low, mut high) = resume::<I, N>(partial);
                    [low[at], high[at]] = self.operands[at].reader.cofactors(partial[0], space)?;
                    if late == 0 && rule.is_some_and(|rule| self.spec.change(rule, &mut low, &mut high)) {
                        high = low;
                    }
                    match late {
                        0 => self.ask_both(node, low, high),
                        _ => next.append(suspend(node, late.trailing_zeros() as usize, &low, &high), space),
                    }
                })
            })?;
            suspended = next;
        }
        Ok(())
    }

    /// The low and the high cofactor of each operand of `request` but those that are `late`.
    #[inline(always)]
    fn cofactors(&mut self, request: [I; N], late: u32) -> Result<[[I; N]; 2]> {
        let (mut low, mut high) = (request, request);
        for at in 0..N - 1 {
            if late & 1 << at == 0 {
                [low[at], high[at]] = self.operands[at].reader.cofactors(request[at], self.space)?;
            }
        }
        Ok([low, high])
    }

    /// The operands of which this level can neither be held nor mapped whole, as a set of bits.
    fn late_operands(&self) -> u32 {
        let span = window_of::<N>(self.space) as u64;
        (1..N - 1).filter(|&at| self.operands[at].reader.mapped_bytes() > span).map(|at| 1 << at).sum()
    }

    /// Fails when `count` more nodes might not find an id in this width.
    fn check_room(&self, count: usize) -> Result<()> {
        let limit = if I::WORDS == 1 { self.space.limits.narrow_ids } else { u64::MAX >> 3 };
        if self.next + count as u64 > limit { Err(Error::TooManyNodes { limit }) } else { Ok(()) }
    }

    /// The id of a new node.
    #[inline(always)]
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    #[inline(always)]
    fn ask_both(&mut self, node: u64, mut low: [I; N], mut high: [I; N]) -> Result<()> {
        (low[N - 1], high[N - 1]) = (I::of(2 * node), I::of(2 * node + 1));
        self.ask(low)?;
        self.ask(high)
    }
}

impl<'a> Operand<'a> {
    fn new(file: &'a NodeFile, variables: &[u32], span: usize) -> Self {
        let levels = file.levels();
        let mut level = variables.len();
        let map = LevelMap::new(levels, |rank| {
            while rank > 0 && variables.get(level) != Some(&file.variable(rank)) {
                level -= 1;
            }
            level as u32
        });
        Self { file, levels: map, rank: levels.ranks() - 1, reader: LevelReader::new(file, span) }
    }

    /// The operand of the last lane, which is none: it is on no level ever.
    fn idle(file: &'a NodeFile) -> Self {
        Self { file, levels: LevelMap::default(), rank: 0, reader: LevelReader::new(file, 0) }
    }

    /// Goes to the level of `variable`, if there is one.
    fn open(&mut self, variable: u32) {
        if self.rank > 0 && self.file.variable(self.rank) == variable {
            self.reader.enter(self.rank);
            self.rank -= 1;
        } else {
            self.reader.leave();
        }
    }
}

/// Bytes that each operand read at random may map.
fn window_of<const N: usize>(space: &Space) -> usize {
    space.limits.window / (N - 2).max(1)
}

/// Lanes of a suspended node, enough for four operands.
const LANES: usize = 10;

/// The record of a node whose operand `at` comes next: the id to resolve, the node's own id, and for each operand its two
/// cofactors (twice the id itself as long as it is not resolved).
#[inline(always)]
fn suspend<I: Lane, const N: usize>(node: u64, at: usize, low: &[I; N], high: &[I; N]) -> [I; LANES] {
    let mut record = [I::of(0); LANES];
    (record[0], record[1]) = (low[at], I::of(node));
    for operand in 0..N - 1 {
        (record[2 + 2 * operand], record[3 + 2 * operand]) = (low[operand], high[operand]);
    }
    record
}

/// The node's id and its cofactors so far.
#[inline(always)]
fn resume<I: Lane, const N: usize>(record: &[I; LANES]) -> (u64, [I; N], [I; N]) {
    let (mut low, mut high) = ([I::of(0); N], [I::of(0); N]);
    for operand in 0..N - 1 {
        (low[operand], high[operand]) = (record[2 + 2 * operand], record[3 + 2 * operand]);
    }
    (record[1].get(), low, high)
}

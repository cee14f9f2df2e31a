//! One worker of an expand sweep: requests go in, nodes, arcs and requests for levels below come out.

mod deferred;

use std::sync::OnceLock;

use super::{
    batch::{Asking, Batch},
    ground::{Ground, Until, window_of},
    pile::Pile,
    slices::Slices,
};
use crate::{
    disk::{lane::Lane, pool::Share, queue::LevelQueue, sorter::BATCH, space::Space, spool::Spool},
    error::{Error, Result},
    file::{
        level_map::LevelMap,
        node_file::NodeFile,
        reader::LevelReader,
        unreduced::{Count, Output},
    },
    model::TRUE,
    sweep::{desk::Desk, spec::Spec},
};

/// What one worker has between two levels: requests for the levels below, and the output so far.
#[repr(align(128))]
pub struct Frontier<'a, I, S, const N: usize> {
    ground: Ground<'a, S, N>,
    /// One for each lane of a request; the last, for the slot's lane, is unused.
    operands: [Operand<'a>; N],
    /// How queues are divided.
    pub slices: Slices,
    /// Requests for the levels below.
    pub queue: LevelQueue<I, N>,
    /// Arcs and counts of the nodes made so far.
    pub output: Output<I>,
    /// The level at hand.
    level: usize,
    /// The low slot of this worker's first node there.
    first: u64,
    /// The low slot of its next node.
    next: u64,
    /// The distance of a node's high slot from its low slot.
    step: u64,
    /// Nodes made on the levels above.
    made: u64,
    /// How many of `output.ones` come from the levels above.
    ones_above: u64,
}

/// An operand, and how far a worker has come in it.
struct Operand<'a> {
    file: &'a NodeFile,
    /// From its ids to levels of the sweep; terminals are below all levels.
    levels: &'a LevelMap,
    /// The rank of its highest level not yet passed.
    rank: usize,
    /// Its nodes on the level at hand.
    reader: LevelReader<'a>,
    /// Its first id on the next level of the sweep, `u64::MAX` if it has none there.
    below: u64,
}

impl<'a, I: Lane, S: Spec<N>, const N: usize> Frontier<'a, I, S, N> {
    /// A frontier above all levels, which appends to `output`.
    pub fn new(ground: &Ground<'a, S, N>, slices: &Slices, output: Output<I>) -> Result<Self> {
        let random = window_of::<N>(ground.space);
        let operands = std::array::from_fn(|at| {
            // The last lane has no operand: its stand-in is never on a level.
            let file = ground.operands.get(at).copied().unwrap_or(ground.operands[0]);
            let rank = if at < N - 1 { file.levels().ranks() - 1 } else { 0 };
            let in_order = at == 0;
            let reader = if in_order { LevelReader::in_order(file) } else { LevelReader::new(file, random) };
            Operand { file, levels: ground.maps.get(at).unwrap_or(&ground.maps[0]), rank, reader, below: u64::MAX }
        });
        let (queue, ones_above, slices) = (ground.queue(slices)?, output.ones.count(), slices.clone());
        Ok(Self {
            ground: *ground,
            operands,
            slices,
            queue,
            output,
            level: 0,
            first: 0,
            next: 0,
            step: 1,
            made: 0,
            ones_above,
        })
    }

    /// Sends a request of a node on the level at hand to the level of its highest node, or notes that it is true.
    #[inline(always)]
    fn ask(&mut self, mut request: [I; N]) -> Result<()> {
        match self.ground.spec.decide(&mut request) {
            Some(false) => Ok(()),
            Some(true) => self.output.ones.append([request[N - 1]], self.ground.space),
            None => self.send(request),
        }
    }

    /// Sends a request whose slot may be on any level above, or notes that it is true.
    #[inline(always)]
    pub fn pass_on(&mut self, mut request: [I; N]) -> Result<()> {
        match self.ground.spec.decide(&mut request) {
            Some(false) => Ok(()),
            Some(true) => self.output.arrivals.append([request[N - 1], I::of(TRUE)], self.ground.space),
            None => self.send(request),
        }
    }

    #[inline(always)]
    fn send(&mut self, request: [I; N]) -> Result<()> {
        let mut level = u32::MAX;
        for at in 0..N - 1 {
            level = level.min(self.operands[at].levels.of(request[at].get()));
        }
        self.enqueue(level as usize, request)
    }

    /// Sends a request to its level.
    #[inline(always)]
    pub fn enqueue(&mut self, level: usize, request: [I; N]) -> Result<()> {
        let log = self.slices.log_of(level, &request[..N - 1], level <= self.level + 1);
        self.queue.push(log, request, self.ground.space)
    }

    /// Divides the requests from `level` on as `slices` say.
    pub fn part_by(&mut self, slices: &Slices, level: usize) -> Result<()> {
        let mut queue = std::mem::replace(&mut self.queue, self.ground.queue(slices)?);
        let before = std::mem::replace(&mut self.slices, slices.clone());
        let lows = before.lows().map(|log| (level, log));
        let all =
            (level..self.ground.variables.len()).flat_map(|level| before.logs(level).map(move |log| (level, log)));
        for (level, log) in lows.chain(all) {
            queue
                .take(log, self.ground.space)?
                .drain_each(self.ground.space, |request| self.enqueue(level, request))?;
        }
        Ok(())
    }

    /// The operand of `lane`, and the rank of its highest level not yet passed.
    pub fn operand(&self, lane: usize) -> (&'a NodeFile, usize) {
        (self.operands[lane].file, self.operands[lane].rank)
    }

    /// One of this worker's requests for `level`, if it has any.
    pub fn any(&self, level: usize) -> Result<Option<[I; N]>> {
        let mut any = None;
        for log in self.logs(level) {
            let none = self.queue.all(log, self.ground.space, |request| {
                any = Some(*request);
                false
            })?;
            if !none {
                break;
            }
        }
        Ok(any)
    }

    /// Whether all of this worker's requests for `level` ask for nodes of operand `lane` as they are. Some requests for lower
    /// levels may be looked at too; the answer is then `false` if one of them does not.
    pub fn copies(&self, level: usize, lane: usize) -> Result<bool> {
        let Ground { spec, space, .. } = self.ground;
        for log in self.logs(level) {
            if !self.queue.all(log, space, |request| spec.same_as_operand(request) == Some(lane))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many requests this worker has for `level`.
    pub fn waiting(&mut self, level: usize) -> Result<u64> {
        self.logs(level).map(|log| self.queue.count(log, self.ground.space)).sum()
    }

    /// The logs of this worker's requests for `level`.
    fn logs(&self, level: usize) -> impl Iterator<Item = usize> + use<I, S, N> {
        let lows = if level == self.level + 1 { self.slices.lows() } else { 0..0 };
        lows.chain(self.slices.logs(level))
    }

    /// Whether the rest of the sweep is not needed: a search has found what it looks for, or there are too many nodes.
    pub fn ended(&self) -> bool {
        match self.ground.until {
            Until::Beyond(most) => self.made + self.nodes() - self.output.passing > most,
            Until::True => self.output.is_satisfiable(),
        }
    }

    /// Moves every operand to `level`.
    pub fn open(&mut self, level: usize) {
        self.level = level;
        let (variable, next) = (self.ground.variables[level], self.ground.variables.get(level + 1));
        self.operands.iter_mut().for_each(|operand| operand.open(variable, next.copied()));
    }

    /// Goes to a strip of `worker` on the level at hand: of the operand by which the level is cut, only the strip's nodes are read.
    fn open_strip(&mut self, worker: usize, strip: usize) {
        if let Some((lane, ids)) = self.slices.ids_of(self.level, worker, strip) {
            self.operands[lane].reader.enter_part(ids);
        }
    }

    /// Begins a level in `1 << shift` parts; `first` is the low slot of this worker's first node.
    pub fn begin_level(&mut self, first: u64, shift: u32) {
        (self.first, self.next, self.step) = (first, first, 1 << shift);
    }

    /// Nodes made on the level at hand.
    pub fn nodes(&self) -> u64 {
        (self.next - self.first) / (2 * self.step)
    }

    /// Notes the counts of the level just expanded.
    pub fn end_level(&mut self) {
        let ones = self.output.ones.count();
        self.output.counts.push(Count { nodes: self.nodes(), ones: ones - self.ones_above });
        self.made += self.nodes();
        (self.first, self.ones_above) = (self.next, ones);
    }

    /// Makes one node of all `requests` with the same ids, writes the arcs from the slots that ask for it, and asks for its
    /// children. Where the level has a rule that makes one request of both children, that request goes on instead, or as both
    /// children of the node. Drains the log.
    pub fn expand_level(&mut self, requests: &mut Spool<I, N>, desk: &mut Desk) -> Result<()> {
        match N {
            ..=3 => self.expand_suspending::<4>(requests, desk),
            4 => self.expand_suspending::<6>(requests, desk),
            _ => self.expand_suspending::<8>(requests, desk),
        }
    }

    /// Expands this worker's strips of the level at hand: their requests, and those in the `far` log. This is worker number `at`.
    pub fn expand_strips(
        &mut self,
        at: usize,
        far: Option<Spool<I, N>>,
        strips: Vec<Spool<I, N>>,
        desk: &mut Desk,
    ) -> Result<()> {
        let (level, space) = (self.level, self.ground.space);
        if let Some(mut far) = far {
            far.drain_each(space, |request| self.enqueue(level, request))?;
        }
        let logs = self.slices.strips_of(level, at);
        for (strip, (log, mut requests)) in logs.zip(strips).enumerate() {
            requests.join(self.queue.take(log, space)?);
            self.open_strip(at, strip);
            self.expand_level(&mut requests, desk)?;
        }
        Ok(())
    }

    /// Expands `requests`; the record of a suspended node has `L` lanes.
    fn expand_suspending<const L: usize>(&mut self, requests: &mut Spool<I, N>, desk: &mut Desk) -> Result<()> {
        let Desk { sorter, kept, .. } = desk;
        let mut state = LevelState::<_, _, N, L>::new(self.rule(), self.deferred_operands());
        let batch = Batch::of(kept);
        let space = self.ground.space;
        sorter.sort(requests, N - 1, space, &mut |requests| self.expand_some(requests, batch, &mut state))?;
        let LevelState { deferred, rule, suspended, .. } = state;
        if deferred == 0 { Ok(()) } else { self.resolve_deferred(deferred, rule, suspended, desk) }
    }

    /// Expands the requests of a level in `piles`: those of its `own`, then what others have left. No operand may be too wide on
    /// the level to be read at random.
    pub fn expand_piles(&mut self, own: &Pile, piles: &[OnceLock<Pile>], desk: &mut Desk) -> Result<()> {
        let mut state = LevelState::<_, _, N, 0>::new(self.rule(), 0);
        let batch = Batch::of(&mut desk.kept);
        let mut expand = |requests: &[[I; N]]| {
            requests.chunks(BATCH).try_for_each(|requests| self.expand_some(requests, batch, &mut state))
        };
        while let Some(requests) = own.take_first() {
            expand(requests)?;
        }
        for other in piles {
            while let Some(requests) = other.get().and_then(Pile::take_half) {
                expand(requests)?;
            }
        }
        Ok(())
    }

    /// Expands at most a batch of requests.
    #[inline(always)]
    fn expand_some<const L: usize>(
        &mut self,
        requests: &[[I; N]],
        batch: &mut Batch<I, N>,
        state: &mut LevelState<I, S::Rule, N, L>,
    ) -> Result<()> {
        if self.ended() {
            return Ok(());
        }
        self.check_room(requests.len())?;
        let heads = batch.fill(requests, &mut state.last);
        let mut arcs = requests.len();
        for at in 0..N - 1 {
            self.look_up(at, batch, heads, state.deferred)?;
        }
        match state.rule {
            _ if state.deferred != 0 => self.suspend_all(batch, heads, state.deferred, &mut state.suspended)?,
            Some(rule) => arcs = self.follow(rule, requests, batch, &mut state.passing)?,
            None => self.ask_for_all(batch, heads),
        }
        self.send_asked(batch)?;
        if self.ground.until == Until::True {
            return Ok(());
        }
        self.output.arcs.append_all(&batch.arcs[..arcs], self.ground.space)
    }

    /// Looks up the cofactors of operand `at` for the first `heads` heads of the batch, unless it is among the `deferred` operands.
    fn look_up(&mut self, at: usize, batch: &mut Batch<I, N>, heads: usize, deferred: u32) -> Result<()> {
        let (requests, cofactors) = (&batch.heads[..heads], &mut batch.cofactors[at][..heads]);
        if deferred & 1 << at == 0 {
            return self.operands[at].reader.cofactors_of_all(requests, at, cofactors);
        }
        requests.iter().zip(cofactors).for_each(|(request, cofactors)| *cofactors = [request[at]; 2]);
        Ok(())
    }

    /// Makes nodes of the requests of the batch that do not go on by `rule`; returns the number of arcs that lead to them.
    /// `passing` is what the last head became, if it goes on.
    ///
    /// Many equal requests go on as one: as a node with two equal children, which reduce drops. Otherwise each of them would pass
    /// every level that is left out below by itself.
    fn follow(
        &mut self,
        rule: S::Rule,
        requests: &[[I; N]],
        batch: &mut Batch<I, N>,
        passing: &mut Option<Passing<I, N>>,
    ) -> Result<usize> {
        let (spec, asking) = (self.ground.spec, self.asking());
        // Where a level is shared, runs of requests for one worker are too short for this to pay.
        let alone = self.slices.workers() == 1;
        let (mut heads, mut arcs) = (0.., 0);
        for (at, request) in requests.iter().enumerate() {
            let [mut arc] = batch.arcs[at];
            let fresh = arc.get() % 2 == 1;
            if fresh {
                let [mut low, mut high] = batch.cofactors(heads.next().expect("no end"));
                *passing = spec.change(rule, &mut low, &mut high).then(|| {
                    let open = spec.decide(&mut low).is_none();
                    Passing { request: low, open, near: alone && open && asking.is_near(&low) }
                });
                if passing.is_none() {
                    let node = self.new_node();
                    batch.ask_for(node, [low, high], &asking);
                }
            }
            if let Some(Passing { request: whole, open: true, .. }) = passing
                && (fresh || at == 0)
                && is_run(&batch.arcs[at..requests.len()])
            {
                let node = self.new_node();
                self.output.passing += 1;
                batch.ask_for(node, [*whole; 2], &asking);
                arc = I::of(arc.get() | 1);
                *passing = None;
            }
            match passing {
                Some(Passing { request: whole, near: true, .. }) => batch.pass(whole, request[N - 1]),
                Some(Passing { request: whole, .. }) => {
                    let mut whole = *whole;
                    whole[N - 1] = request[N - 1];
                    self.pass_on(whole)?;
                }
                None => {
                    batch.arcs[arcs] = [arc];
                    arcs += 1;
                }
            }
        }
        Ok(arcs)
    }

    /// Fails when the ids of `count` more nodes might not fit this width.
    fn check_room(&self, count: usize) -> Result<()> {
        check_ids::<I>(self.next / 2 + count as u64 * self.step, self.ground.space)
    }

    /// The low slot of a new node.
    #[inline(always)]
    fn new_node(&mut self) -> u64 {
        let node = self.next;
        self.next += 2 * self.step;
        node
    }

    /// Makes nodes of the first `heads` heads of the batch and asks for their children.
    fn ask_for_all(&mut self, batch: &mut Batch<I, N>, heads: usize) {
        batch.ask_for_all(heads, self.next, &self.asking());
        self.next += 2 * self.step * heads as u64;
    }

    /// The rule of the level at hand.
    fn rule(&self) -> Option<S::Rule> {
        self.ground.spec.rule(self.ground.variables[self.level])
    }

    /// What it takes to tell where requests of the level at hand go.
    fn asking(&self) -> Asking<'a, S, N> {
        let below = std::array::from_fn(|at| self.operands[at].below);
        Asking { spec: self.ground.spec, below, step: self.step }
    }

    /// Sends what the batch has asked for, most of it to the level below.
    fn send_asked(&mut self, batch: &mut Batch<I, N>) -> Result<()> {
        let [lows, others, far] = batch.take_asked();
        self.send_near(lows, lows.len() >= LEAST_LOWS)?;
        self.send_near(others, false)?;
        far.iter().try_for_each(|&request| self.ask(request))
    }

    /// Sends `requests` to the level below, those of low children to logs of their own.
    fn send_near(&mut self, mut requests: &[[I; N]], low: bool) -> Result<()> {
        let level = self.level + 1;
        while !requests.is_empty() {
            let (strip, count) = self.slices.run_of(level, requests);
            let (run, others) = requests.split_at(count);
            let log = if low { strip } else { self.slices.log_of_strip(level, strip) };
            self.queue.push_all(log, run, self.ground.space)?;
            requests = others;
        }
        Ok(())
    }
}

/// With fewer requests of low children than this, these are sent like all others: a small level has no use for a log of its own.
const LEAST_LOWS: usize = BATCH / 4;

/// The state of a worker while it goes through the requests of a level.
struct LevelState<I, R, const N: usize, const L: usize> {
    rule: Option<R>,
    /// The operands that are too wide here to be read at random, as a set of bits.
    deferred: u32,
    /// The nodes that wait for them.
    suspended: Spool<I, L>,
    /// The last request.
    last: [I; N],
    /// What it became, if it goes on by the rule instead of becoming a node.
    passing: Option<Passing<I, N>>,
}

/// A request that took the place of both children of another.
struct Passing<I, const N: usize> {
    /// The request, but for the slot.
    request: [I; N],
    /// Whether it is not decided.
    open: bool,
    /// Whether it goes to the level below with the batch.
    near: bool,
}

/// Up to this many requests with the same ids each go on: that takes no longer than a node, and its children's requests.
const FEW: usize = 4;

/// Whether more than [`FEW`] arcs from the first on lead to the same node.
fn is_run<I: Lane>(arcs: &[[I; 1]]) -> bool {
    arcs.get(1..=FEW).is_some_and(|others| others.iter().all(|[arc]| arc.get() % 2 == 0))
}

impl<I: Lane, R, const N: usize, const L: usize> LevelState<I, R, N, L> {
    fn new(rule: Option<R>, deferred: u32) -> Self {
        assert!(deferred == 0 || 2 * (N - 1) <= L, "of more than four operands, all but the first are read in RAM");
        Self { rule, deferred, suspended: Spool::new(Share::Queue), last: [I::MAX; N], passing: None }
    }
}

impl Operand<'_> {
    /// Goes to the operand's level of `variable`, if it has one; `next` is the variable of the next level.
    fn open(&mut self, variable: u32, next: Option<u32>) {
        if self.is_next(Some(variable)) {
            self.reader.enter(self.rank);
            self.rank -= 1;
        } else {
            self.reader.leave();
        }
        self.below = if self.is_next(next) { self.file.levels().first(self.rank) } else { u64::MAX };
    }

    /// Whether the highest level not yet passed is that of `variable`.
    fn is_next(&self, variable: Option<u32>) -> bool {
        self.rank > 0 && variable == Some(self.file.variable(self.rank))
    }
}

/// Fails when the ids below `end` do not fit this width.
pub fn check_ids<I: Lane>(end: u64, space: &Space) -> Result<()> {
    let limit = if I::WIDE { u64::MAX >> 3 } else { space.limits.narrow_ids };
    if end > limit { Err(Error::TooManyNodes { limit }) } else { Ok(()) }
}

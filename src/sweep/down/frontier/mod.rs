//! One worker of an expand sweep: requests go in, nodes, arcs and requests for levels below come out.

mod late;

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
    sweep::{desk::Desk, spec::Spec},
};

/// What one worker has between two levels: what is asked below, and what came out above.
#[repr(align(128))]
pub struct Frontier<'a, I, S, const N: usize> {
    ground: Ground<'a, S, N>,
    /// One for each lane of a request; the last stands for nothing.
    operands: [Operand<'a>; N],
    /// How queues are parted.
    pub slices: Slices,
    /// Requests for the levels below.
    pub queue: LevelQueue<I, N>,
    /// What comes out.
    pub output: Output<I>,
    /// The level at hand.
    level: usize,
    /// The low slot of the first node there, and of the next one.
    first: u64,
    next: u64,
    /// How far the high slot of a node is from its low one.
    step: u64,
    /// Nodes made on the levels above.
    made: u64,
    /// How many of `part.ones` come from the levels above.
    ones_above: u64,
}

/// An operand and where a worker is in it.
struct Operand<'a> {
    file: &'a NodeFile,
    /// The level of the sweep for each of its ids; the terminals are below all.
    levels: &'a LevelMap,
    /// The rank of its highest level not yet passed.
    rank: usize,
    /// Its nodes on the level at hand.
    reader: LevelReader<'a>,
    /// The first of its ids on the level below that, `u64::MAX` if there are none.
    below: u64,
}

impl<'a, I: Lane, S: Spec<N>, const N: usize> Frontier<'a, I, S, N> {
    /// A frontier above all levels, over what `part` has already.
    pub fn new(ground: &Ground<'a, S, N>, slices: &Slices, output: Output<I>) -> Result<Self> {
        let random = window_of::<N>(ground.space);
        let operands = std::array::from_fn(|at| {
            // The last lane has no operand: it is on no level ever.
            let file = ground.operands.get(at).copied().unwrap_or(ground.operands[0]);
            let rank = if at < N - 1 { file.levels().ranks() - 1 } else { 0 };
            let in_order = at == 0;
            let reader =
                if in_order { LevelReader::in_order(file, ground.space) } else { LevelReader::new(file, random) };
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

    /// Sends a request that the level at hand asks for to the level of its highest node, or notes its value.
    #[inline(always)]
    fn ask(&mut self, mut request: [I; N]) -> Result<()> {
        match self.ground.spec.decide(&mut request) {
            Some(false) => Ok(()),
            Some(true) => self.output.ones.append([request[N - 1]], self.ground.space),
            None => self.send(request),
        }
    }

    /// Sends a request that comes from any level above, or notes that it is true.
    #[inline(always)]
    pub fn pass_on(&mut self, mut request: [I; N]) -> Result<()> {
        match self.ground.spec.decide(&mut request) {
            Some(false) => Ok(()),
            Some(true) => self.output.passed.append([request[N - 1]], self.ground.space),
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

    /// Parts what is left from `level` on as `slices` say.
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

    /// One of this worker's requests for `level`, if there are any.
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

    /// Whether all of this worker's requests for `level` ask for nodes of operand `lane` as they are; if some of a level below do
    /// not, that may tell already.
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

    /// Whether nobody wants the rest: a search has found what it looks for, or there are too many nodes.
    pub fn ended(&self) -> bool {
        match self.ground.until {
            Until::Beyond(most) => self.made + self.nodes() > most,
            Until::True => self.output.trues() > 0,
        }
    }

    /// Brings every operand to `level`.
    pub fn open(&mut self, level: usize) {
        self.level = level;
        let (variable, next) = (self.ground.variables[level], self.ground.variables.get(level + 1));
        self.operands.iter_mut().for_each(|operand| operand.open(variable, next.copied()));
    }

    /// Goes to a strip of `worker` on the level at hand: no other nodes are read of the operand by which it is parted.
    fn open_strip(&mut self, worker: usize, strip: usize) {
        if let Some((lane, ids)) = self.slices.ids_of(self.level, worker, strip) {
            self.operands[lane].reader.enter_part(ids);
        }
    }

    /// Begins a level in `1 << shift` parts; the low slot of the first node here is `first`.
    pub fn begin_level(&mut self, first: u64, shift: u32) {
        (self.first, self.next, self.step) = (first, first, 1 << shift);
    }

    /// Nodes made on the level at hand.
    pub fn nodes(&self) -> u64 {
        (self.next - self.first) / (2 * self.step)
    }

    /// Enters the level just expanded in the table.
    pub fn end_level(&mut self) {
        let ones = self.output.ones.count();
        self.output.counts.push(Count { nodes: self.nodes(), ones: ones - self.ones_above });
        self.made += self.nodes();
        (self.first, self.ones_above) = (self.next, ones);
    }

    /// Makes one node of all `requests` that agree, notes who asked for it, and asks for its children. Requests that the rule of
    /// the level makes one request of go on instead. The log is drained then.
    pub fn expand_level(&mut self, requests: &mut Spool<I, N>, desk: &mut Desk) -> Result<()> {
        match N {
            ..=3 => self.expand_suspending::<4>(requests, desk),
            4 => self.expand_suspending::<6>(requests, desk),
            _ => self.expand_suspending::<8>(requests, desk),
        }
    }

    /// Expands the strips of the level at hand that this worker has, which is the one `at` this place: their requests, and those
    /// that come from `far` above.
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

    /// Expands `requests`, where a suspended node has `L` lanes.
    fn expand_suspending<const L: usize>(&mut self, requests: &mut Spool<I, N>, desk: &mut Desk) -> Result<()> {
        let Desk { sorter, kept, .. } = desk;
        let mut course = Course::<_, _, N, L>::new(self.rule(), self.late_operands());
        let batch = Batch::of(kept);
        let space = self.ground.space;
        sorter.sort(requests, N - 1, space, &mut |requests| self.expand_some(requests, batch, &mut course))?;
        let Course { late, rule, suspended, .. } = course;
        if late == 0 { Ok(()) } else { self.resolve_late(late, rule, suspended, desk) }
    }

    /// Expands what the workers of a level have in `piles`: its `own` first, then what others have left. No operand may be too wide
    /// there to be read at random.
    pub fn expand_piles(&mut self, own: &Pile, piles: &[OnceLock<Pile>], desk: &mut Desk) -> Result<()> {
        let mut course = Course::<_, _, N, 0>::new(self.rule(), 0);
        let batch = Batch::of(&mut desk.kept);
        let mut expand = |requests: &[[I; N]]| {
            requests.chunks(BATCH).try_for_each(|requests| self.expand_some(requests, batch, &mut course))
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

    /// Expands a few requests.
    #[inline(always)]
    fn expand_some<const L: usize>(
        &mut self,
        requests: &[[I; N]],
        batch: &mut Batch<I, N>,
        course: &mut Course<I, S::Rule, N, L>,
    ) -> Result<()> {
        if self.ended() {
            return Ok(());
        }
        self.check_room(requests.len())?;
        let heads = batch.fill(requests, &mut course.last);
        let mut arcs = requests.len();
        for at in 0..N - 1 {
            self.look_up(at, batch, heads, course.late)?;
        }
        match course.rule {
            _ if course.late != 0 => self.suspend_all(batch, heads, course.late, &mut course.suspended)?,
            Some(rule) => arcs = self.follow(rule, requests, batch, &mut course.passing)?,
            None => self.ask_for_all(batch, heads),
        }
        self.send_asked(batch)?;
        if self.ground.until == Until::True {
            return Ok(());
        }
        self.output.arcs.append_all(&batch.arcs[..arcs], self.ground.space)
    }

    /// Looks up the cofactors of operand `at` for the first `heads` requests of the batch, unless it is one of those that are
    /// `late`.
    fn look_up(&mut self, at: usize, batch: &mut Batch<I, N>, heads: usize, late: u32) -> Result<()> {
        let (requests, cofactors) = (&batch.heads[..heads], &mut batch.cofactors[at][..heads]);
        if late & 1 << at == 0 {
            return self.operands[at].reader.cofactors_of_all(requests, at, cofactors, self.ground.space);
        }
        requests.iter().zip(cofactors).for_each(|(request, cofactors)| *cofactors = [request[at]; 2]);
        Ok(())
    }

    /// Makes nodes of those requests of the batch that do not go on by `rule`; gives the number of arcs that lead to them. The
    /// last request that was looked up, if it is one of those that go on, is in `passing`.
    fn follow(
        &mut self,
        rule: S::Rule,
        requests: &[[I; N]],
        batch: &mut Batch<I, N>,
        passing: &mut Option<[I; N]>,
    ) -> Result<usize> {
        let (mut heads, mut arcs, asking) = (0.., 0, self.asking());
        for (at, request) in requests.iter().enumerate() {
            let [arc] = batch.arcs[at];
            if arc.get() % 2 == 1 {
                let [mut low, mut high] = batch.cofactors(heads.next().expect("no end"));
                *passing = self.ground.spec.change(rule, &mut low, &mut high).then_some(low);
                if passing.is_none() {
                    let node = self.new_node();
                    batch.ask_for(node, [low, high], &asking);
                }
            }
            if let Some(mut whole) = *passing {
                whole[N - 1] = request[N - 1];
                self.pass_on(whole)?;
            } else {
                batch.arcs[arcs] = [arc];
                arcs += 1;
            }
        }
        Ok(arcs)
    }

    /// Fails when `count` more nodes might not find an id in this width.
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

    /// Makes nodes of the first `heads` requests of the batch.
    fn ask_for_all(&mut self, batch: &mut Batch<I, N>, heads: usize) {
        batch.ask_for_all(heads, self.next, &self.asking());
        self.next += 2 * self.step * heads as u64;
    }

    /// The rule of the level at hand.
    fn rule(&self) -> Option<S::Rule> {
        self.ground.spec.rule(self.ground.variables[self.level])
    }

    /// What tells where requests of the level at hand go.
    fn asking(&self) -> Asking<'a, S, N> {
        let below = std::array::from_fn(|at| self.operands[at].below);
        Asking { spec: self.ground.spec, below, step: self.step }
    }

    /// Sends what the batch asks for; most of it goes to the level below.
    fn send_asked(&mut self, batch: &mut Batch<I, N>) -> Result<()> {
        let [lows, highs, far] = batch.take_asked();
        self.send_near(lows, lows.len() >= FEW)?;
        self.send_near(highs, false)?;
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

/// Fewer requests of low children are sent as others are: a small level has no use for a log of its own.
const FEW: usize = BATCH / 4;

/// What a worker knows while it goes through the requests of a level.
struct Course<I, R, const N: usize, const L: usize> {
    rule: Option<R>,
    /// The operands that are too wide here to be read at random, as a set of bits, and the nodes that wait for them.
    late: u32,
    suspended: Spool<I, L>,
    /// The last request, and what it became if it goes on below by the rule.
    last: [I; N],
    passing: Option<[I; N]>,
}

impl<I: Lane, R, const N: usize, const L: usize> Course<I, R, N, L> {
    fn new(rule: Option<R>, late: u32) -> Self {
        debug_assert!(late == 0 || 2 * (N - 1) <= L, "more than four operands are in RAM");
        Self { rule, late, suspended: Spool::new(Share::Queue), last: [I::MAX; N], passing: None }
    }
}

impl Operand<'_> {
    /// Goes to the level of `variable`, if there is one; that of `next` is the one below.
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

/// Fails when the ids below `end` are too many for this width.
pub fn check_ids<I: Lane>(end: u64, space: &Space) -> Result<()> {
    let limit = if I::WIDE { u64::MAX >> 3 } else { space.limits.narrow_ids };
    if end > limit { Err(Error::TooManyNodes { limit }) } else { Ok(()) }
}

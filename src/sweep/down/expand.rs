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
//! Since the nodes of a diagram are in the order of their low children, most of what low children ask of the next level is in order
//! already: it has logs of its own and is merged with the rest.
//!
//! A level whose requests cannot be sorted at once has several logs, by the ids of an operand, and is expanded log by log.
//!
//! Operand 0 is read in order, since requests are sorted by it. The others are read at random within a level, from memory or
//! through a window. Where a level of such an operand exceeds its share of the budget, logs are by its ids, so that each log reads
//! only a part of it; where that part still exceeds the share, or there is only one log, the requests are sorted once more by that
//! operand, which is then read in order too.
//!
//! Cost: every request is pushed, merged or sorted, and popped once; O(sort(requests)) transfers. Memory: the budget's shares for
//! queue and arcs, and one level's array for sorting.

use std::{
    iter, mem,
    ops::Range,
    sync::{Arc, OnceLock, atomic::Ordering::Relaxed},
};

use super::{
    frontier::{Frontier, check_ids},
    ground::{Ground, Until, distinct},
    pile::Pile,
    slices::Slices,
};
use crate::{
    disk::{lane::Lane, pool::Share, queue::LevelQueue, spool::Spool},
    error::Result,
    file::{
        level_map::LevelMap,
        node_file::NodeFile,
        unreduced::{Output, Rank, Unreduced},
    },
    model::FALSE,
    progress::Sweep,
    sweep::{
        compact::{compact, desks_for, pays},
        desk::Desk,
        division::Division,
        run::Run,
        spec::Spec,
    },
};

/// Expands the requests that `ask_all` makes over `operands`, below the nodes that `above` holds already, and no further than
/// `until`.
///
/// # Errors
/// Those of the disk and of the budget, and `TooManyNodes` where the ids of the result do not fit the lanes of `I`.
pub fn expand<I: Lane, S: Spec<N>, const N: usize>(
    spec: &S,
    operands: &[&NodeFile],
    above: Unreduced<I>,
    until: Until,
    ask_all: impl FnOnce(&mut dyn FnMut([I; N]) -> Result<()>) -> Result<()>,
    run: &mut Run<'_>,
) -> Result<Unreduced<I>> {
    let _sweep = run.begin(Sweep::Expand);
    debug_assert_eq!(operands.len(), N - 1);
    let variables = variables_of(operands);
    let maps = maps_of(operands, &variables);
    let ground = Ground { spec, space: run.space, operands, maps: &maps, variables: &variables, until };
    let mut sweep = Downward::new(ground, above)?;
    ask_all(&mut |request| sweep.workers[0].pass_on(request))?;
    for level in 0..variables.len() {
        if sweep.ended() {
            break;
        }
        let count = sweep.waiting(level)?;
        if count > 0
            && let Some(lane) = sweep.copied(level, count, run)?
        {
            sweep.copy(level, lane, run)?;
            break;
        }
        sweep.workers.iter_mut().for_each(|worker| worker.open(level));
        if count > 0 {
            run.counters.requests += count;
            if sweep.part(level, count, run)? {
                sweep.expand_parts(level, run)?;
            } else {
                sweep.expand_whole(level, &mut run.desks[0])?;
            }
            run.report(Sweep::Expand, variables[level], sweep.made)?;
        }
    }
    let unreduced = sweep.finish();
    run.counters.unreduced += unreduced.nodes();
    Ok(unreduced)
}

/// The request for the roots of `operands`, whose slot is 0.
pub fn root_of<I: Lane, const N: usize>(operands: &[&NodeFile]) -> [I; N] {
    std::array::from_fn(|at| I::of(operands.get(at).map_or(FALSE, |file| file.root())))
}

/// A worker has `1 << STRIP_BITS` strips at most. With more, each strip would have only a few records in memory when it goes to
/// disk, and the bookkeeping of all those pieces would take more than the pieces: dividing a strip once more when it is sorted
/// costs less.
const STRIP_BITS: u32 = 3;

/// A sweep on its way down.
struct Downward<'a, I, S, const N: usize> {
    ground: Ground<'a, S, N>,
    /// One worker until a level is shared.
    workers: Vec<Frontier<'a, I, S, N>>,
    /// The result without its outputs, which the workers have.
    result: Unreduced<I>,
    /// Nodes made so far.
    made: u64,
    /// Above this level the rest of the result is not copied from one operand: there is a rule or a request for something else, or
    /// there were too few desks.
    mixed: usize,
    /// How many requests large levels must still have before one of them is shared; `None` before the first large level.
    unshared: Option<u64>,
}

impl<'a, I: Lane, S: Spec<N>, const N: usize> Downward<'a, I, S, N> {
    fn new(ground: Ground<'a, S, N>, mut result: Unreduced<I>) -> Result<Self> {
        result.reserve(ground.variables.len());
        let outputs = mem::take(&mut result.outputs);
        let division = Division::new(outputs.len());
        let slices = ground.slices(division, 0);
        let worker = |part| Frontier::new(&ground, &slices, part);
        let workers = outputs.into_iter().map(worker).collect::<Result<_>>()?;
        let last = ground.variables.iter().rposition(|&variable| ground.spec.rule(variable).is_some());
        let mixed = last.map_or(0, |last| last + 1);
        Ok(Self { ground, workers, result, made: 0, mixed, unshared: None })
    }

    /// Whether the rest of the sweep is not needed.
    fn ended(&self) -> bool {
        let passing: u64 = self.workers.iter().map(|worker| worker.output.passing).sum();
        matches!(self.ground.until, Until::Beyond(most) if self.made - passing > most)
            || self.workers.iter().any(Frontier::ended)
    }

    /// The operand from which all that is left, from `level` on, can be copied as it is, if that is worth it for the `count`
    /// requests on `level` and there is room.
    fn copied(&mut self, level: usize, count: u64, run: &mut Run<'_>) -> Result<Option<usize>> {
        let Ground { spec, variables, .. } = self.ground;
        if level < self.mixed || self.ground.until == Until::True {
            return Ok(None);
        }
        let mut lane = None;
        for worker in &self.workers {
            lane = lane.or(worker.any(level)?.and_then(|request| spec.same_as_operand(&request)));
        }
        let Some(lane) = lane else { return Ok(None) };
        let (file, rank) = self.workers[0].operand(lane);
        let desks = desks_for(file, rank, &run.space.limits);
        if !pays(file, rank, count) || desks > run.team.size() {
            return Ok(None);
        }
        for below in level..variables.len() {
            for worker in &self.workers {
                if !worker.copies(below, lane)? {
                    self.mixed = below + 1;
                    return Ok(None);
                }
            }
        }
        if desks <= run.desks.len() || desks <= run.desks.take_free() {
            return Ok(Some(lane));
        }
        // To look through all requests for nothing, level by level, would take too long.
        self.mixed = level + (variables.len() - level).div_ceil(2);
        Ok(None)
    }

    /// Copies what the requests for `level` and below lead to from the operand of `lane`.
    fn copy(&mut self, level: usize, lane: usize, run: &mut Run<'_>) -> Result<()> {
        let (file, rank) = self.workers[0].operand(lane);
        let mut requests = Spool::new(Share::Queue);
        for worker in &mut self.workers {
            for log in worker.slices.lows() {
                requests.join(worker.queue.take(log, run.space)?);
            }
            requests.join(worker.queue.take_rest(worker.slices.logs(level).start));
        }
        let (below, arrivals) = compact(file, rank, lane, &requests, self.made, run)?;
        check_ids::<I>(self.result.levels.end() + below.nodes(), run.space)?;
        self.result.below = Some(below);
        self.workers[0].output.arrivals.join(arrivals);
        Ok(())
    }

    /// How many requests there are for `level`.
    fn waiting(&mut self, level: usize) -> Result<u64> {
        self.workers.iter_mut().map(|worker| worker.waiting(level)).sum()
    }

    /// Takes the requests in `logs` of all workers' queues.
    fn take(&mut self, logs: Range<usize>) -> Result<Spool<I, N>> {
        LevelQueue::take_all(&mut self.workers, |worker| &mut worker.queue, logs, self.ground.space)
    }

    /// Takes the requests for a level in `logs` of all workers, behind those that low children ask, in `lows`.
    fn take_with_lows(&mut self, lows: Range<usize>, logs: Range<usize>) -> Result<Spool<I, N>> {
        let mut requests = self.take(lows)?;
        requests.join(self.take(logs)?);
        Ok(requests)
    }

    /// Divides all requests from `level` on anew if its `count` requests want that: among all workers if that is worth it, and into
    /// strips if a worker could not sort its own at once. Answers whether the level is divided.
    fn part(&mut self, level: usize, count: u64, run: &mut Run<'_>) -> Result<bool> {
        let (before, now) = (self.workers.len(), self.workers[0].slices.strip_bits());
        let most = run.space.limits.most_sorted::<I, N>().max(1);
        let large = count > run.space.limits.alone;
        if large {
            self.note_large(count);
        }
        if !(large && self.is_worth_sharing()) && count <= most {
            return Ok(false);
        }
        // A slot tells its worker by the number of workers: once several have made a level, no more may follow. So no level is
        // shared as long as guests have some of the desks.
        let all = run.team.size();
        let workers = if before == 1 && run.desks.take_free() == all { all } else { before };
        if workers == 1 && count <= most {
            return Ok(false);
        }
        let wanted = |workers: usize| match count / workers as u64 {
            each if each >> now <= most / 2 => now,
            // Up to eight times the strips that this level needs: the next levels may have more requests, and strips differ in
            // length.
            each => (8 * each / most).ilog2().max(self.ground.window_strip_bits(workers)).min(STRIP_BITS).max(now),
        };
        let halved = |&workers: &usize| Some(workers / 2).filter(|&half| half >= before);
        let mut choices = iter::successors(Some(workers), halved)
            .flat_map(|workers| (now..=wanted(workers)).rev().map(move |bits| (Division::new(workers), bits)))
            .take_while(|(division, bits)| division.workers() > before || *bits > now);
        if let Some((division, bits)) = choices.find(|&(division, bits)| self.has_room(division, bits)) {
            self.part_by(&self.ground.slices(division, bits), level)?;
        }
        Ok(self.workers[0].slices.logs(level).len() > 1)
    }

    /// Notes that a level has `count` requests, enough to be shared.
    fn note_large(&mut self, count: u64) {
        let ground = &self.ground;
        let unshared = self.unshared.get_or_insert_with(|| if ground.is_mostly_small() { ground.nodes() } else { 0 });
        *unshared = unshared.saturating_sub(count);
    }

    /// Whether a large level is worth sharing, since every level below is divided then. Where most of the operands' levels are
    /// small, those of the result may be, too: then it is worth it once large levels had as many requests as the operands have
    /// nodes.
    fn is_worth_sharing(&self) -> bool {
        self.workers.len() > 1 || self.unshared == Some(0)
    }

    /// Whether there is room for the tables of all queues, on the way down and then on the way up. With more queues than now there
    /// must also be room for a smallest block for each log: logs with only a few records in memory end up scattered over the disk.
    fn has_room(&self, division: Division, strip_bits: u32) -> bool {
        let Ground { space, variables, .. } = self.ground;
        let (down, up) = (variables.len(), variables.len() + self.result.levels.ranks());
        let logs = Slices::count(division, strip_bits, down).max(division.logs(up).start);
        let least = division.workers() * division.logs(up).start * space.pool.smallest();
        // Guests need tables meanwhile, too.
        let others = if space.guest { 0 } else { space.limits.guests };
        (division.workers() == self.workers.len() || least <= space.limits.queue)
            && LevelQueue::<I, N>::bytes(division.workers() * logs) + others <= space.tables_left()
    }

    /// Divides the requests from `level` on as `slices` say, and adds workers if there are to be more.
    fn part_by(&mut self, slices: &Slices, level: usize) -> Result<()> {
        self.workers.iter_mut().try_for_each(|worker| worker.part_by(slices, level))?;
        for _ in self.workers.len()..slices.workers() {
            let output = Output::new(self.result.levels.ranks());
            let mut worker = Frontier::new(&self.ground, slices, output)?;
            (0..=level).for_each(|level| worker.open(level));
            self.workers.push(worker);
        }
        Ok(())
    }

    /// Expands a level that is not divided.
    fn expand_whole(&mut self, level: usize, desk: &mut Desk) -> Result<()> {
        let slices = &self.workers[0].slices;
        let mut requests = self.take_with_lows(slices.lows(), slices.logs(level))?;
        let worker = &mut self.workers[0];
        worker.begin_level(2 * self.result.levels.end(), 0);
        worker.expand_level(&mut requests, desk)?;
        worker.queue.recycle(requests);
        self.close(level, 0);
        Ok(())
    }

    /// Expands a level that is divided, by all workers at once.
    fn expand_parts(&mut self, level: usize, run: &mut Run<'_>) -> Result<()> {
        let (slices, space) = (self.workers[0].slices.clone(), run.space);
        let shift = slices.shift();
        space.scratch.meter.shared_levels.fetch_add(u64::from(shift > 0), Relaxed);
        self.result.levels.align(shift);
        let first = 2 * self.result.levels.end();
        for (at, worker) in (0..).zip(&mut self.workers) {
            worker.begin_level(first + at, shift);
        }
        let strips = |worker| {
            let logs = slices.lows_of(worker).zip(slices.strips_of(level, worker));
            logs.map(|(lows, log)| self.take_with_lows(lows..lows + 1, log..log + 1)).collect()
        };
        let requests: Vec<Vec<_>> = (0..slices.workers()).map(strips).collect::<Result<_>>()?;
        let at_once =
            |strips: &Vec<Spool<I, N>>| strips.len() == 1 && strips[0].count() <= space.limits.most_sorted::<I, N>();
        if requests.iter().all(at_once) && self.workers.iter().all(|worker| worker.deferred_operands() == 0) {
            self.expand_piles(requests.into_iter().flatten(), run)?;
        } else {
            self.expand_strips(level, requests, run)?;
        }
        self.close(level, shift);
        Ok(())
    }

    /// Each worker expands its own strips, after distributing to them what far levels have asked.
    fn expand_strips(&mut self, level: usize, requests: Vec<Vec<Spool<I, N>>>, run: &mut Run<'_>) -> Result<()> {
        let mut far = Vec::with_capacity(requests.len());
        for worker in 0..requests.len() {
            let log = self.workers[worker].slices.far_log(level, worker);
            far.push(log.map(|log| self.take(log..log + 1)).transpose()?);
        }
        let tasks = (0..).zip(&mut self.workers).zip(run.desks.iter_mut()).zip(far).zip(requests).collect();
        run.team
            .each(tasks, |((((at, worker), desk), far), strips)| worker.expand_strips(at, far, strips, desk))
            .map(drop)
    }

    /// Each worker sorts its own requests and expands them, and then what others have left.
    fn expand_piles(&mut self, requests: impl Iterator<Item = Spool<I, N>>, run: &mut Run<'_>) -> Result<()> {
        let piles: Vec<_> = self.workers.iter().map(|_| OnceLock::new()).collect();
        let tasks = piles.iter().zip(&mut self.workers).zip(run.desks.iter_mut()).zip(requests).collect();
        run.team.each(tasks, |(((own, worker), desk), mut requests)| {
            let count = requests.count() as usize;
            desk.sorter.keep(&mut requests, N - 1, run.space)?;
            let own = own.get_or_init(|| Pile::new(mem::take(&mut desk.sorter), count));
            worker.expand_piles(own, &piles, desk)
        })?;
        for (desk, pile) in run.desks.iter_mut().zip(piles) {
            desk.sorter = pile.into_inner().expect("a pile of each").into_sorter();
        }
        Ok(())
    }

    /// Enters the level just expanded, in `1 << shift` parts, in the level table if it has nodes.
    fn close(&mut self, level: usize, shift: u32) {
        let levels = &mut self.result.levels;
        let widest = self.workers.iter().map(Frontier::nodes).max().unwrap_or(0);
        self.made += self.workers.iter().map(Frontier::nodes).sum::<u64>();
        if widest > 0 {
            levels.push(widest << shift);
            self.result.ranks.push(Rank { variable: self.ground.variables[level], shift });
            self.workers.iter_mut().for_each(Frontier::end_level);
        }
    }

    fn finish(mut self) -> Unreduced<I> {
        self.result.levels.seal();
        self.result.outputs = self.workers.into_iter().map(|worker| worker.output).collect();
        self.result
    }
}

/// The variables of all operands, top-down.
fn variables_of(operands: &[&NodeFile]) -> Vec<u32> {
    let mut variables: Vec<u32> = distinct(operands).flat_map(|file| file.variables().rev()).collect();
    #[expect(clippy::stable_sort_primitive, reason = "a merge of what is in order already")]
    variables.sort();
    variables.dedup();
    variables
}

/// For each of `operands` a map from its ids to the places of their levels among `variables`; operands of the same file share one.
fn maps_of(operands: &[&NodeFile], variables: &[u32]) -> Vec<Arc<LevelMap>> {
    let mut maps: Vec<Arc<LevelMap>> = Vec::with_capacity(operands.len());
    for (at, file) in operands.iter().enumerate() {
        let same = operands[..at].iter().position(|other| other.is(file));
        maps.push(same.map_or_else(|| Arc::new(map_of(file, variables)), |same| maps[same].clone()));
    }
    maps
}

/// A map from the ids of `file` to the places of their levels among `variables`.
fn map_of(file: &NodeFile, variables: &[u32]) -> LevelMap {
    let mut level = variables.len();
    LevelMap::new(file.levels(), |rank| {
        while rank > 0 && variables.get(level) != Some(&file.variable(rank)) {
            level -= 1;
        }
        level as u32
    })
}

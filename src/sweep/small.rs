//! `small`: an operation on diagrams so small that plain arrays do for queues, arcs and levels.
//!
//! ```text
//!   top-down    requests: in a table, where those that agree meet; each is one node, linked to the next of its level
//!                  ▲                                              │
//!                  └── its children: requests, unless decided ────┘
//!   bottom-up   children of a level's nodes: the ids of what their requests became ─► sort, number, write
//! ```
//! The steps are those of [`reduce`](super::up::reduce) in the same order, so the bytes are the same. Arrays, and operands when
//! they have been read, are in memory and mostly in the cache: equal requests need no sort to meet, and nodes need no arcs to the
//! requests that asked for them.

use super::{
    down::{expand::root_of, ground::Until},
    run::Run,
    spec::Spec,
    table::Table,
    up::fresh::Last,
};
use crate::{
    disk::limits::SMALL_NODES,
    error::Result,
    file::{
        node_file::{NodeFile, Width},
        reader::LevelReader,
        writer::NodeWriter,
    },
    model::{TERMINALS, TRUE},
    progress::Sweep,
};

/// The arrays, kept from one operation to the next.
#[derive(Default)]
struct Small<const N: usize> {
    /// In the order in which they were first asked; each is a node. The last lane, elsewhere the slot, holds the reference to the
    /// next request for the same level.
    requests: Vec<[u32; N]>,
    /// The children of each node: terminals, or references to requests; nothing before its level is expanded.
    children: Vec<[u32; 2]>,
    /// Finds a request by its ids.
    table: Table,
    /// Requests that were not decided, repeated ones counted each time.
    asked: u64,
    /// Whether a request was true.
    found: bool,
    /// Requests expanded that become nodes, and not another request.
    made: u64,
    /// The variables of all operands, top-down.
    variables: Vec<u32>,
    /// The level of each id of each operand; the terminals are on none.
    levels: Vec<[u32; N]>,
    /// The reference to the first request, or its value if it is decided.
    root: u32,
    /// For each level the references to the first and the last of its requests.
    waiting: Vec<[u32; 2]>,
    /// The id that replaces each node.
    ids: Vec<u32>,
    /// The nodes of the level at hand: (low, high, node).
    siblings: Vec<[u32; 3]>,
}

/// References: a number below this is a terminal; a larger one refers to the request with this much smaller a number, whose id is
/// not known before the way up.
const AFTER: u32 = TERMINALS as u32;

/// Builds the diagram of `spec` at the roots of `operands`. `None` where these are too large, or where it takes more requests than
/// a small operation may; `Some(None)` if the unreduced diagram has more than `most` nodes. The spec's value on the path of low
/// arcs is false.
#[expect(clippy::option_option, reason = "whether it is small, and whether it is within the limit")]
pub fn build<S: Spec<N>, const N: usize>(
    spec: &S,
    operands: &[&NodeFile],
    most: u64,
    run: &mut Run<'_>,
) -> Result<Option<Option<NodeFile>>> {
    let Some(mut arrays) = Small::expanded(spec, operands, Until::Beyond(most), run)? else { return Ok(None) };
    let file = if arrays.made > most { None } else { Some(arrays.reduce(run)?) };
    *run.desks[0].kept.get() = arrays;
    Ok(Some(file))
}

/// Whether `spec` is true for some path from the roots of `operands`; `None` where it is not small, as for [`build`].
pub fn find<S: Spec<N>, const N: usize>(spec: &S, operands: &[&NodeFile], run: &mut Run<'_>) -> Result<Option<bool>> {
    let Some(arrays) = Small::expanded(spec, operands, Until::True, run)? else { return Ok(None) };
    let found = arrays.found;
    *run.desks[0].kept.get() = arrays;
    Ok(Some(found))
}

impl<const N: usize> Small<N> {
    /// The arrays after the sweep down, as far as `until` says; `None` where the operation is not small.
    fn expanded<S: Spec<N>>(spec: &S, operands: &[&NodeFile], until: Until, run: &mut Run<'_>) -> Result<Option<Self>> {
        let limits = &run.space.limits;
        let nodes = operands.iter().map(|file| file.node_count()).max().unwrap_or(0);
        let most = limits.small.min(limits.narrow_ids.saturating_sub(1));
        if nodes > SMALL_NODES.min(most / 2) || operands.iter().any(|file| file.width() == Width::Wide) {
            return Ok(None);
        }
        let mut arrays = std::mem::take(run.desks[0].kept.get::<Self>());
        let before = run.counters;
        if arrays.expand(spec, operands, until, most, run)? {
            return Ok(Some(arrays));
        }
        // The sweep that runs instead counts everything anew.
        run.counters = before;
        *run.desks[0].kept.get() = arrays;
        Ok(None)
    }

    /// The top-down sweep, level by level, as far as `until` says. Answers whether it came there with no more than `most` requests.
    fn expand<S: Spec<N>>(
        &mut self,
        spec: &S,
        operands: &[&NodeFile],
        until: Until,
        most: u64,
        run: &mut Run<'_>,
    ) -> Result<bool> {
        let _sweep = run.begin(Sweep::Expand);
        let mut readers: [_; N] =
            std::array::from_fn(|at| LevelReader::of_all(operands.get(at).unwrap_or(&operands[0])));
        self.lay_out(operands);
        self.root = self.ask(root_of(operands), spec);
        for level in 0..self.variables.len() {
            if self.ended(until) || self.asked > most {
                break;
            }
            if self.waiting[level][0] > 0 {
                self.expand_level(level, spec, most, &mut readers)?;
                run.report(Sweep::Expand, self.variables[level], self.made)?;
            }
        }
        run.counters.requests += self.asked;
        run.counters.unreduced += self.made;
        Ok(self.asked <= most || self.ended(until))
    }

    /// Whether the rest of the sweep is not needed.
    fn ended(&self, until: Until) -> bool {
        match until {
            Until::Beyond(most) => self.made > most,
            Until::True => self.found,
        }
    }

    /// Lays out the levels of `operands`, all without requests.
    fn lay_out(&mut self, operands: &[&NodeFile]) {
        self.requests.clear();
        self.children.clear();
        self.variables.clear();
        (self.asked, self.found, self.made) = (0, false, 0);
        let ids = operands.iter().map(|file| file.levels().end()).max().unwrap_or(0);
        self.levels.clear();
        self.levels.resize(ids as usize, [u32::MAX; N]);
        // The rank and the variable of the highest level of each operand not laid out yet; terminals have none.
        let top = |file: &NodeFile, rank| (rank, if rank > 0 { file.variable(rank) } else { u32::MAX });
        let mut tops: [_; N] = [(0, u32::MAX); N];
        for (at, file) in operands.iter().enumerate() {
            tops[at] = top(file, file.levels().ranks() - 1);
        }
        loop {
            let variable = tops.iter().fold(u32::MAX, |least, top| least.min(top.1));
            if variable == u32::MAX {
                break;
            }
            let level = self.variables.len() as u32;
            self.variables.push(variable);
            for (at, file) in operands.iter().enumerate() {
                let (rank, own) = tops[at];
                if own == variable {
                    let ids = file.levels().range(rank);
                    self.levels[ids.start as usize..ids.end as usize].iter_mut().for_each(|levels| levels[at] = level);
                    tops[at] = top(file, rank - 1);
                }
            }
        }
        self.waiting.clear();
        self.waiting.resize(self.variables.len(), [0; 2]);
        self.table.clear(ids as usize);
    }

    /// The value of a request that is decided; otherwise a reference to it, and a new request is queued for its level.
    #[inline(always)]
    fn ask<S: Spec<N>>(&mut self, mut request: [u32; N], spec: &S) -> u32 {
        if let Some(value) = spec.decide(&mut request) {
            self.found |= value;
            return u32::from(value);
        }
        self.asked += 1;
        let number = self.table.find_or_insert(&request, &self.requests);
        let leads_there = number as u32 + AFTER;
        if number == self.requests.len() {
            let level = (0..N - 1).fold(u32::MAX, |level, at| level.min(self.levels[request[at] as usize][at]));
            match &mut self.waiting[level as usize] {
                both @ [0, _] => *both = [leads_there; 2],
                [_, last] => {
                    self.requests[(*last - AFTER) as usize][N - 1] = leads_there;
                    *last = leads_there;
                }
            }
            request[N - 1] = 0;
            self.requests.push(request);
            self.children.push([0; 2]);
        }
        leads_there
    }

    /// Makes a node of every request for `level` and asks for its children, while no more than `most` have been asked. A request
    /// that goes on instead becomes a node with two equal children, which is dropped on the way up.
    fn expand_level<S: Spec<N>>(
        &mut self,
        level: usize,
        spec: &S,
        most: u64,
        readers: &mut [LevelReader<'_>; N],
    ) -> Result<()> {
        let rule = spec.rule(self.variables[level]);
        // All requests made here are for levels below, so the list of this one does not grow.
        let mut next = self.waiting[level][0];
        while next > 0 && self.asked <= most {
            let node = (next - AFTER) as usize;
            let request = self.requests[node];
            let (mut low, mut high) = ([0; N], [0; N]);
            for at in 0..N - 1 {
                let id = request[at];
                let here = self.levels[id as usize][at] == level as u32;
                [low[at], high[at]] = if here { readers[at].children(id.into())? } else { [id, id] };
            }
            let goes_on = rule.is_some_and(|rule| spec.change(rule, &mut low, &mut high));
            let low = self.ask(low, spec);
            let high = if goes_on { low } else { self.ask(high, spec) };
            self.children[node] = [low, high];
            self.made += u64::from(!goes_on);
            next = request[N - 1];
        }
        Ok(())
    }

    /// The bottom-up sweep.
    fn reduce(&mut self, run: &mut Run<'_>) -> Result<NodeFile> {
        let _sweep = run.begin(Sweep::Reduce);
        let mut writer = NodeWriter::<u32>::new(run.space)?;
        writer.reserve_levels(self.variables.len());
        self.ids.resize(self.children.len(), 0);
        for level in (0..self.variables.len()).rev() {
            if self.waiting[level][0] > 0 {
                self.reduce_level(level, &mut writer, run)?;
                writer.end_level(self.variables[level]);
                run.report(Sweep::Reduce, self.variables[level], writer.nodes())?;
            }
        }
        assert!(
            u64::from(self.id_of(self.root)) != TRUE,
            "invariant 6: a stored diagram is false on the path of low arcs"
        );
        writer.seal(run.space)
    }

    /// Numbers the nodes of `level`.
    fn reduce_level(&mut self, level: usize, writer: &mut NodeWriter<u32>, run: &mut Run<'_>) -> Result<()> {
        self.siblings.clear();
        let mut next = self.waiting[level][0];
        while next > 0 {
            let node = next - AFTER;
            let [low, high] = self.children[node as usize];
            self.siblings.push([self.id_of(low), self.id_of(high), node]);
            next = self.requests[node as usize][N - 1];
        }
        run.desks[0].sorter.order(&mut self.siblings, 2, run.space)?;
        let ids = &mut self.ids;
        Last::new(writer.end()).write(&self.siblings, writer, run.space, &mut |node, id| {
            ids[node as usize] = id;
            Ok(())
        })
    }

    /// The id that a reference stands for.
    #[inline(always)]
    fn id_of(&self, child: u32) -> u32 {
        child.checked_sub(AFTER).map_or(child, |node| self.ids[node as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bdd, Config, Store,
        disk::limits::Limits,
        model::op::BinaryOp,
        store::Testing,
        sweep::{ops::apply::Apply, run::Counters},
    };

    fn store(adjust: impl FnOnce(&mut Limits)) -> Store {
        let mut limits = Limits::of(1 << 28);
        adjust(&mut limits);
        let testing = Testing { limits: Some(limits), backend: None };
        Store::new(Config { testing, ..Config::default() }).expect("a store")
    }

    /// Exactly `count` of some variables.
    fn exactly(count: u64, variables: impl IntoIterator<Item = u32>, store: &Store) -> Bdd {
        store.exactly(count, variables).expect("room")
    }

    /// Exactly five of twenty variables, and exactly four of the first one and the last fifteen.
    fn operands(store: &Store) -> [Bdd; 2] {
        [exactly(5, 0..20, store), exactly(4, (0..1).chain(5..20), store)]
    }

    /// Their conjunction, if it has no more than `most` nodes; `None` where that is not small.
    #[expect(clippy::option_option, reason = "as in `build`")]
    fn conjunction(store: &Store, most: u64) -> (Option<Option<NodeFile>>, Counters) {
        let [f, g] = operands(store);
        let and = Apply::new(BinaryOp::AND);
        let build = |run: &mut Run<'_>| Ok((build(&and, &[&f.file, &g.file], most, run)?, run.counters));
        store.run("apply", build).expect("room")
    }

    #[test]
    fn an_operation_of_more_requests_is_left_to_others_as_if_it_had_not_begun() {
        let (small, engine) = (store(|_| ()), store(|limits| limits.small = 0));
        let (file, Counters { requests, sweeps, unreduced, .. }) = conjunction(&small, u64::MAX);
        let [f, g] = operands(&engine);
        let right = f.and(&g).expect("room");
        assert_eq!(file.flatten().expect("it is small").hash(), right.file.hash());
        let there = engine.operations().pop().expect("it was not");
        assert_eq!((requests, sweeps), (there.requests, there.sweeps));
        assert!(requests > 2 * f.node_count().max(g.node_count()) && requests >= unreduced);
        for most in 0..requests {
            assert!(
                matches!(
                    conjunction(&store(|limits| limits.small = most), u64::MAX),
                    (None, Counters { requests: 0, sweeps: 0, levels: 0, unreduced: 0 })
                ),
                "{most}"
            );
        }
        assert!(conjunction(&store(|limits| limits.small = requests), u64::MAX).0.is_some());
    }

    #[test]
    fn an_operation_of_more_nodes_than_it_may_make_is_given_up() {
        let store = store(|_| ());
        let (_, Counters { unreduced, .. }) = conjunction(&store, u64::MAX);
        for most in 0..unreduced {
            assert!(matches!(conjunction(&store, most).0, Some(None)), "{most}");
        }
        assert!(matches!(conjunction(&store, unreduced).0, Some(Some(_))));
    }

    #[test]
    fn what_is_searched_for_is_found_wherever_it_is() {
        let store = store(|_| ());
        let search = |f: &Bdd, g: &Bdd| {
            let and = Apply::new(BinaryOp::AND);
            store.run("disjoint", |run| find(&and, &[&f.file, &g.file], run)).expect("room")
        };
        let [three, four] = [3, 4].map(|count| exactly(count, 0..12, &store));
        assert_eq!([search(&three, &three), search(&three, &four)], [Some(true), Some(false)]);
        let last = three.and(&store.variable(11).expect("room")).expect("room");
        assert_eq!([search(&three, &last), search(&four, &last)], [Some(true), Some(false)]);
        let large = store.exactly(100, 0..200).expect("room");
        assert_eq!(search(&large, &large), None);
    }

    #[test]
    fn a_diagram_that_needs_wide_ids_is_none_of_its() {
        for narrow_ids in [1, 12, 30, 31, 32, 60, 1000] {
            let store = store(|limits| limits.narrow_ids = narrow_ids);
            let cube = |variables: std::ops::Range<u32>| store.cube(variables.map(|at| (at, true))).expect("room");
            let both = cube(0..15).and(&cube(15..30)).expect("room");
            assert_eq!(both, cube(0..30), "{narrow_ids}");
            both.validate().expect("the right width");
        }
    }
}

//! The cheapest way from the root to a terminal, where every variable that is true has a cost.
//!
//! Each variable has a cheaper value, and a penalty for the other one. A level that a path skips takes its cheaper value, so a path
//! costs the sum of the penalties on it. The lowest cost of reaching a node travels down, and the arcs that give it are logged,
//! several where they tie. On the way back all nodes that lie on a cheapest path are marked, each with the arcs by which it may be
//! left, so that the last step, from the root down, can take the low arc wherever one will do: of all cheapest paths it finds the
//! first in the order of their values, false before true.
//!
//! Cost: one fold, one trace, and a walk over the marks; O(sort(f)) transfers.
//!
//! After: D. E. Knuth, *The Art of Computer Programming*, volume 4A, 7.1.4, algorithm B (for one path, in memory).

use super::{
    Arc, Load, fold,
    trace::{Incoming, NO_SLOT, Onward, Trail, Travel, arc_of, place, slot, trace},
};
use crate::{
    disk::{pool::Share, space::Space, spool::Spool, stack::Stack},
    error::Result,
    file::node_file::NodeFile,
    model::TERMINALS,
    progress::Sweep,
    sweep::run::Run,
};

/// A cheapest path: its cost, and the values it gives to the ranks it meets, top-down.
pub struct Cheapest {
    /// The sum of the penalties.
    pub penalty: u128,
    /// Ranks in descending order.
    pub path: Vec<(usize, bool)>,
}

/// The cheapest path to `terminal` in a diagram that is no constant, where the value true on the level of a rank costs
/// `cost(rank)`; all costs together are below 2^127 in magnitude.
pub fn cheapest(file: &NodeFile, terminal: bool, cost: impl Fn(usize) -> i128, run: &mut Run<'_>) -> Result<Cheapest> {
    let costly = Costly { cost, trail: Trail::new(), best: None };
    let Costly { trail, best, .. } = fold(file, terminal, costly, run)?.expect("costs do not overflow");
    let mut nodes = CheapestNodes { steps: Spool::new(Share::Arcs) };
    let mut start = Spool::new(Share::Queue);
    start.append([place(terminal.into()), 0, 0], run.space)?;
    trace(file, trail, start, &mut nodes, run)?;
    let mut path = Vec::new();
    let mut at = file.root();
    Stack::of(nodes.steps).pop_while(run.space, |[id, high, child]| {
        if id == at {
            path.push((file.levels().rank_of(id), high == 1));
            at = child;
        }
        Ok(at >= TERMINALS)
    })?;
    Ok(Cheapest { penalty: best.expect("a terminal is reached"), path })
}

/// Costs that travel: (id, cost in two lanes, slot); the cheapest at each node stay.
struct Costly<F> {
    /// The cost of true, by rank.
    cost: F,
    trail: Trail<1>,
    /// The lowest cost that has arrived.
    best: Option<u128>,
}

fn cost_of(&[_, upper, lower, _]: &[u64; 4]) -> u128 {
    u128::from(upper) << 64 | u128::from(lower)
}

impl<F: Fn(usize) -> i128> Load<4> for Costly<F> {
    const SWEEP: Sweep = Sweep::Optimum;
    /// The cheapest comes first.
    const KEYS: usize = 3;

    fn root(&self) -> [u64; 4] {
        [0, 0, 0, NO_SLOT]
    }

    fn open(&mut self, first: &[u64; 4], space: &Space) -> Result<()> {
        self.trail.add([first[3]], true, space)
    }

    fn merge(&mut self, whole: &mut [u64; 4], next: &[u64; 4], space: &Space) -> Result<()> {
        if cost_of(next) == cost_of(whole) { self.trail.add([next[3]], false, space) } else { Ok(()) }
    }

    fn send(&mut self, whole: &[u64; 4], arc: Arc) -> [u64; 4] {
        let cost = (self.cost)(arc.from);
        let penalty = if arc.high == (cost > 0) { cost.unsigned_abs() } else { 0 };
        let cost = cost_of(whole) + penalty;
        [0, (cost >> 64) as u64, cost as u64, slot(whole[0], arc.high)]
    }

    fn arrive(&mut self, value: &[u64; 4], space: &Space) -> Result<()> {
        let cost = cost_of(value);
        if self.best.is_some_and(|best| best < cost) {
            return Ok(());
        }
        if self.best.replace(cost).is_some_and(|best| cost < best) {
            self.trail.clear_ends();
        }
        self.trail.add_end([value[3]], space)
    }
}

/// The nodes of the cheapest paths: (place, whether by the high arc, child).
struct CheapestNodes {
    /// Every marked node with the arc by which the path leaves it, the low one where both will do: (id, whether the high arc,
    /// child), bottom-up.
    steps: Spool<u64, 3>,
}

impl Travel<1, 3> for CheapestNodes {
    /// The low arc comes first.
    const KEYS: usize = 2;

    fn visit(
        &mut self,
        &[place_here, high, child]: &[u64; 3],
        first: bool,
        incoming: &mut Incoming<'_, 1>,
        onward: &mut Onward<'_, 3>,
    ) -> Result<()> {
        if !first {
            return Ok(());
        }
        let id = !place_here;
        if id >= TERMINALS {
            self.steps.append([id, high, child], incoming.space())?;
        }
        while let Some([slot]) = incoming.next()? {
            let (parent, high) = arc_of(slot);
            onward.send(onward.rank_of(parent), [place(parent), high.into(), id])?;
        }
        Ok(())
    }
}

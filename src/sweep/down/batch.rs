//! A batch of requests: which of them become nodes, what their cofactors are, and what they ask of the levels below.
//!
//! Every step is done for the whole batch before the next begins: each is a short loop that keeps its state in registers.

use crate::{
    disk::{lane::Lane, sorter::BATCH},
    sweep::{desk::Kept, spec::Spec},
};

/// Requests that are expanded together. Kept from batch to batch and from sweep to sweep, since clearing it takes longer than a
/// small level.
pub struct Batch<I, const N: usize> {
    /// The first of each run of requests with the same ids.
    pub heads: [[I; N]; BATCH],
    /// For each operand the two cofactors of each head; the last lane, the slot's, is unused.
    pub cofactors: [[[I; 2]; BATCH]; N],
    /// For each request twice the slot, plus one for a head.
    pub arcs: [[I; 1]; BATCH],
    /// Undecided requests for the level below: of low children, and others, of high children or from higher levels.
    near: [[[I; N]; BATCH]; 2],
    /// Undecided requests for other levels, and requests that are true.
    far: [[I; N]; 2 * BATCH],
    asked: Asked,
}

/// The number of requests of each kind.
#[derive(Clone, Copy, Default)]
struct Asked {
    near: [usize; 2],
    far: usize,
}

/// What it takes to tell where requests go.
pub struct Asking<'a, S, const N: usize> {
    /// The operation.
    pub spec: &'a S,
    /// For each operand its first id on the level below, `u64::MAX` if it has none there: no request has an id of a higher level.
    pub below: [u64; N],
    /// The distance of a node's high slot from its low slot.
    pub step: u64,
}

impl<I: Lane, const N: usize> Default for Batch<I, N> {
    fn default() -> Self {
        Self {
            heads: [[I::zeroed(); N]; BATCH],
            cofactors: [[[I::zeroed(); 2]; BATCH]; N],
            arcs: [[I::zeroed()]; BATCH],
            near: [[[I::zeroed(); N]; BATCH]; 2],
            far: [[I::zeroed(); N]; 2 * BATCH],
            asked: Asked::default(),
        }
    }
}

impl<I: Lane, const N: usize> Batch<I, N> {
    /// The batch that `kept` holds, empty.
    pub fn of(kept: &mut Kept) -> &mut Self {
        let batch = kept.get::<Self>();
        // An operation that failed may have left requests.
        batch.take_asked();
        batch
    }

    /// Collects the heads of `requests`, which are sorted and come after `last`; returns their number.
    #[inline(always)]
    pub fn fill(&mut self, requests: &[[I; N]], last: &mut [I; N]) -> usize {
        let (mut heads, mut previous) = (0, &*last);
        for (request, arc) in requests.iter().zip(&mut self.arcs) {
            // Whether a request is a head cannot be predicted, so there is no branch for it.
            let fresh = request[..N - 1] != previous[..N - 1];
            previous = request;
            // Below `BATCH` in any case, which the compiler does not know.
            self.heads[heads % BATCH] = *request;
            heads += usize::from(fresh);
            *arc = [I::of(2 * request[N - 1].get() + u64::from(fresh))];
        }
        *last = *previous;
        heads
    }

    /// The requests for the low and the high child of a head, without slots.
    #[inline(always)]
    pub fn cofactors(&self, head: usize) -> [[I; N]; 2] {
        [0, 1].map(|child| std::array::from_fn(|at| self.cofactors[at][head % BATCH][child]))
    }

    /// Asks for the children of the first `heads` heads, which become nodes; `node` is the low slot of the first.
    pub fn ask_for_all<S: Spec<N>>(&mut self, heads: usize, mut node: u64, asking: &Asking<'_, S, N>) {
        let mut asked = self.asked;
        // `BATCH` at most in any case, which the compiler does not know.
        for head in 0..heads.min(BATCH) {
            self.ask_both(node, self.cofactors(head), asking, &mut asked);
            node += 2 * asking.step;
        }
        self.asked = asked;
    }

    /// Asks for the children of the node with the low slot `node`.
    #[inline(always)]
    pub fn ask_for<S: Spec<N>>(&mut self, node: u64, cofactors: [[I; N]; 2], asking: &Asking<'_, S, N>) {
        let mut asked = self.asked;
        self.ask_both(node, cofactors, asking, &mut asked);
        self.asked = asked;
    }

    /// Asks for the children of a node, behind the requests counted in `asked`.
    #[inline(always)]
    fn ask_both<S: Spec<N>>(
        &mut self,
        node: u64,
        [mut low, mut high]: [[I; N]; 2],
        asking: &Asking<'_, S, N>,
        asked: &mut Asked,
    ) {
        (low[N - 1], high[N - 1]) = (I::of(node), I::of(node + asking.step));
        self.ask(low, 0, asking, asked);
        self.ask(high, 1, asking, asked);
    }

    #[inline(always)]
    fn ask<S: Spec<N>>(&mut self, request: [I; N], child: usize, asking: &Asking<'_, S, N>, asked: &mut Asked) {
        let mut open = request;
        match asking.spec.decide(&mut open) {
            Some(false) => {}
            None if asking.is_near(&open) => {
                self.near[child][asked.near[child] % BATCH] = open;
                asked.near[child] += 1;
            }
            _ => {
                self.far[asked.far % (2 * BATCH)] = request;
                asked.far += 1;
            }
        }
    }

    /// Takes `request`, which is for the level below, from `slot`. A batch never has more of these and of high children together
    /// than requests.
    #[inline(always)]
    pub fn pass(&mut self, request: &[I; N], slot: I) {
        let place = &mut self.near[1][self.asked.near[1] % BATCH];
        *place = *request;
        place[N - 1] = slot;
        self.asked.near[1] += 1;
    }

    /// Takes what was asked for: near requests of low children, other near ones, and far ones.
    pub fn take_asked(&mut self) -> [&[[I; N]]; 3] {
        let Asked { near: [lows, highs], far } = std::mem::take(&mut self.asked);
        [&self.near[0][..lows], &self.near[1][..highs], &self.far[..far]]
    }
}

impl<S, const N: usize> Asking<'_, S, N> {
    /// Whether an undecided request is for the level below.
    #[inline(always)]
    pub fn is_near<I: Lane>(&self, request: &[I; N]) -> bool {
        request.iter().zip(self.below).take(N - 1).any(|(id, first)| id.get() >= first)
    }
}

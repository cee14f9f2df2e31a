//! Sets of nodes of one diagram, combined by "or" or by "and": what the requests of [`quantify`](super::quantify) and
//! [`simplify`](super::simplify) are.

use crate::{
    disk::lane::Lane,
    model::{FALSE, TERMINALS, TRUE},
};

/// How the nodes of a set are combined, and which of them matter.
#[derive(Clone, Copy, Debug)]
pub struct NodeSet {
    /// The value that decides a set: true for "or", false for "and".
    pub absorbing: bool,
    /// Whether the diagram is complemented.
    pub complement: bool,
    /// Inner nodes with smaller ids decide a set like the value itself: all levels from theirs down are quantified.
    pub settled: u64,
}

/// The outcome of gathering a set.
#[derive(PartialEq, Eq)]
pub enum Gathered {
    /// One node decides: the set has the value that decides.
    Decided,
    /// The set is empty: it has the other value.
    Nothing,
    /// The set is to be expanded.
    Some,
    /// The set is larger than a request can hold.
    TooMany,
}

impl NodeSet {
    /// Sets combined by "or" if `absorbing` is true, by "and" if it is false, of nodes of a diagram that may be complemented.
    pub fn new(absorbing: bool, complement: bool) -> Self {
        Self { absorbing, complement, settled: TERMINALS }
    }

    /// The terminal that decides a set.
    fn decisive(&self) -> u64 {
        if self.absorbing == self.complement { FALSE } else { TRUE }
    }

    /// The terminal that leaves a set as it is; it fills the lanes that a set does not use.
    fn neutral(&self) -> u64 {
        1 - self.decisive()
    }

    /// Whether `id`, of a node or a terminal, decides any set that it is in.
    #[inline(always)]
    pub fn decides(&self, id: u64) -> bool {
        id < self.settled && id != self.neutral()
    }

    /// The request of `slot` for the set of one node.
    pub fn single<I: Lane, const N: usize>(&self, id: I, slot: I) -> [I; N] {
        let mut request = [I::of(self.neutral()); N];
        (request[0], request[N - 1]) = (id, slot);
        request
    }

    /// Fills `set` with the inner nodes among `ids`, each once, the largest first, or, if one of them decides, with the terminal
    /// that decides.
    #[inline(always)]
    pub fn gather<I: Lane>(&self, ids: impl Iterator<Item = I>, set: &mut [I]) -> Gathered {
        let mut count = 0;
        for id in ids {
            if id.get() < self.settled {
                if self.decides(id.get()) {
                    set.fill(I::of(self.decisive()));
                    return Gathered::Decided;
                }
                continue;
            }
            // Its place is behind all ids that are not smaller.
            let mut at = count;
            while at > 0 && set[at - 1] < id {
                at -= 1;
            }
            if at > 0 && set[at - 1] == id {
                continue;
            }
            if count == set.len() {
                return Gathered::TooMany;
            }
            for place in (at..count).rev() {
                set[place + 1] = set[place];
            }
            set[at] = id;
            count += 1;
        }
        set[count..].fill(I::of(self.neutral()));
        if count == 0 { Gathered::Nothing } else { Gathered::Some }
    }

    /// Whether `gather` would leave `ids` as they are, and none of them decides: true of most requests.
    #[inline(always)]
    pub fn is_set<I: Lane>(&self, ids: &[I]) -> bool {
        let mut before = I::MAX;
        ids.iter().fold(true, |is, &id| {
            let fits = id.get() == self.neutral() || id.get() >= self.settled && id < before;
            before = id;
            is & fits
        })
    }

    /// Whether the set of `ids` is empty.
    #[inline(always)]
    pub fn is_nothing<I: Lane>(&self, ids: &[I]) -> bool {
        ids.iter().all(|id| id.get() == self.neutral())
    }

    /// The value of a set of two ids if it is decided; if not, puts the set in order.
    #[inline(always)]
    pub fn decide_two<I: Lane>(&self, set: &mut [I]) -> Option<bool> {
        let (first, last) = (set[0].max(set[1]), set[0].min(set[1]));
        let decided = self.decides(first.get()) || self.decides(last.get());
        if decided || first.get() < TERMINALS {
            return Some(decided == self.absorbing);
        }
        set[0] = first;
        set[1] = if last == first { I::of(self.neutral()) } else { last };
        None
    }
}

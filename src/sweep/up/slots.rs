//! The slots of a level, and ids on their way along the arcs that leave them.
//!
//! Some arcs are followed at a time, in a loop that can neither fail nor predict where an id goes: so there is no branch for it. The
//! next place of either way is always written, and then counted or not.

use crate::disk::lane::Lane;

/// Arcs that are followed at a time, any of which may have to go through the queue afterwards.
pub const SOME: usize = 64;

/// Ids on their way to their parents: (slot, id).
pub type Pairs<I> = [[I; 2]; SOME];

/// The slots of the nodes that one worker has on a level.
#[derive(Clone, Copy, Default)]
pub struct Slots {
    pub first: u64,
    pub count: u64,
    /// One in `1 << shift` consecutive slots is the worker's.
    pub shift: u32,
}

/// What came of some arcs.
pub struct Sent {
    /// The number of arcs that were followed.
    pub arcs: usize,
    /// The number of ids that are left.
    pub left: usize,
    /// Pairs for the slots of the worker, if they were written to a list.
    pub own: usize,
    /// Pairs for others.
    pub others: usize,
}

impl Slots {
    /// The index of `slot` among these slots; `count` or more if it is not one of them.
    #[inline(always)]
    fn index(self, slot: u64) -> u64 {
        // The rotation divides; a remainder ends up in the highest bits and makes the index too large.
        slot.wrapping_sub(self.first).rotate_right(self.shift)
    }

    /// Sends `ids` along the `arcs` (at most `SOME`) that lead to their nodes, the last node first. Where an arc leaves one of these
    /// slots, the id is written to `arrived`, which has one more place behind these slots, for all other ids; else (slot, id) goes
    /// to `others`.
    #[inline(never)]
    pub fn scatter<I: Lane>(self, arcs: &[[I; 1]], ids: &[I], arrived: &mut [I], others: &mut Pairs<I>) -> Sent {
        let (end, mut count) = (arrived.len().checked_sub(1).expect("a place behind the slots"), 0);
        let (arcs, left) = follow(arcs, ids, |slot, id| {
            let index = self.index(slot) as usize;
            arrived[index.min(end)] = id;
            others[count % SOME] = [I::of(slot), id];
            count += usize::from(index >= end);
        });
        Sent { arcs, left, own: 0, others: count }
    }

    /// Like [`scatter`](Self::scatter), but (slot, id) goes to `own` where an arc leaves one of these slots.
    #[inline(never)]
    pub fn part<I: Lane>(self, arcs: &[[I; 1]], ids: &[I], own: &mut Pairs<I>, others: &mut Pairs<I>) -> Sent {
        let mut counts = [0, 0];
        let (arcs, left) = follow(arcs, ids, |slot, id| {
            let is_own = self.index(slot) < self.count;
            own[counts[0] % SOME] = [I::of(slot), id];
            others[counts[1] % SOME] = [I::of(slot), id];
            counts[0] += usize::from(is_own);
            counts[1] += usize::from(!is_own);
        });
        Sent { arcs, left, own: counts[0], others: counts[1] }
    }
}

/// Shows the slot that each of `arcs` leaves, the last first, and the one of `ids` that goes there, until either are used up; gives
/// the number of arcs, and of ids that are left.
#[inline(always)]
fn follow<I: Lane>(arcs: &[[I; 1]], ids: &[I], mut show: impl FnMut(u64, I)) -> (usize, usize) {
    let (mut rest, mut left) = (arcs, ids.len());
    while let (Some(&id), Some((&[arc], before))) = (ids.get(left.wrapping_sub(1)), rest.split_last()) {
        show(arc.get() / 2, id);
        // Whether this is the last arc of the node cannot be predicted either.
        left -= (arc.get() % 2) as usize;
        rest = before;
    }
    (arcs.len() - rest.len(), left)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn ids_go_to_the_slots_of_a_worker_or_to_a_list_whichever_way() {
        let mut random = Rng::with_seed(7);
        for (shift, worker) in [(0, 0), (1, 0), (1, 1), (2, 3)] {
            let slots = Slots { first: 1000 + worker, count: 50, shift };
            for _ in 0..100 {
                // Arcs of nodes 1, 2, …; the first arc of each, which is followed last, has the mark.
                let arcs: Vec<_> = (0..SOME).map(|_| [random.u32(990..1000 + (60 << shift))]).collect();
                let (mut ids, mut sent) = (Vec::new(), Vec::new());
                let mut marked = Vec::new();
                for (at, [slot]) in (0..).zip(arcs) {
                    let is_first = at == 0 || random.bool();
                    if is_first {
                        ids.push(100 + at);
                    }
                    marked.push([2 * slot + u32::from(is_first)]);
                    sent.push([slot, *ids.last().expect("at least one node")]);
                }
                sent.reverse();
                let is_own = |[slot, _]: &[u32; 2]| {
                    let past = u64::from(*slot).wrapping_sub(slots.first);
                    past % (1 << shift) == 0 && past >> shift < slots.count
                };
                let (own, others): (Vec<_>, Vec<_>) = sent.into_iter().partition(is_own);

                let mut found = [[[0; 2]; SOME]; 2];
                let [to_own, to_others] = &mut found;
                let all = slots.part(&marked, &ids, to_own, to_others);
                assert_eq!((all.arcs, all.left), (SOME, 0));
                assert_eq!((&found[0][..all.own], &found[1][..all.others]), (&own[..], &others[..]));

                let (mut arrived, mut expected) = ([0; 51], [0; 50]);
                for [slot, id] in own {
                    expected[(u64::from(slot) - slots.first) as usize >> shift] = id;
                }
                let all = slots.scatter(&marked, &ids, &mut arrived, &mut found[1]);
                assert_eq!((all.arcs, all.left, all.own), (SOME, 0, 0));
                assert_eq!((&arrived[..50], &found[1][..all.others]), (&expected[..], &others[..]));
            }
        }
    }
}

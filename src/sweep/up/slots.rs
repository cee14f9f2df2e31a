//! The slots of a level, and ids on their way along the arcs that leave them.
//!
//! Some arcs are followed at a time. Where an id goes cannot be predicted, so there is no branch for it: it is written to both
//! places that there are for it, one of which then does not count. Nothing here can fail, so all state stays in registers.

use crate::disk::lane::Lane;

/// Arcs that are followed at a time, any of which may have to go through the queue afterwards.
pub const SOME: usize = 64;

/// Ids on their way to their parents: (slot, id).
pub type Pairs<I> = [[I; 2]; SOME];

/// The slots of the nodes that one worker has on a level.
#[derive(Clone, Copy, Default)]
pub struct Slots {
    /// The worker's first slot.
    pub first: u64,
    /// How many the worker has.
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

    /// Sends `ids` along the `arcs` (at most `SOME`) that lead to their nodes, the last node first. Where an arc leaves one of
    /// these slots, the id is written to `arrived`, which has one more place behind these slots, for all other ids; else
    /// (slot, id) goes to `others`.
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
    debug_assert!(arcs.len() <= SOME, "a place for each");
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

    /// Sends `ids` along `arcs` in several turns of up to `most` arcs, to `own` and `others`.
    fn parted<I: Lane>(slots: Slots, mut arcs: &[[I; 1]], mut ids: &[I], most: usize) -> [Vec<[I; 2]>; 2] {
        let (mut own, mut others, mut found) = ([[I::MAX; 2]; SOME], [[I::MAX; 2]; SOME], [Vec::new(), Vec::new()]);
        while !ids.is_empty() {
            // Some ids at a time, too: either may be used up first.
            let (now, some) = (arcs.len().saturating_sub(most), ids.len().saturating_sub(most / 2));
            let sent = slots.part(&arcs[now..], &ids[some..], &mut own, &mut others);
            found[0].extend_from_slice(&own[..sent.own]);
            found[1].extend_from_slice(&others[..sent.others]);
            (arcs, ids) = (&arcs[..arcs.len() - sent.arcs], &ids[..some + sent.left]);
        }
        assert!(arcs.is_empty());
        found
    }

    fn check<I: Lane>(slots: Slots, random: &mut Rng) {
        // Arcs from any slots to nodes with the ids from 100 on; the first arc of each, which is followed last, has the mark.
        let (mut arcs, mut ids, mut sent) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..SOME {
            let (slot, is_first) = (random.u64(990..1000 + (60 << slots.shift)), at == 0 || random.bool());
            if is_first {
                ids.push(I::of(100 + at as u64));
            }
            arcs.push([I::of(2 * slot + u64::from(is_first))]);
            sent.push([I::of(slot), ids[ids.len() - 1]]);
        }
        sent.reverse();
        let index = |slot: I| slot.get().wrapping_sub(slots.first) >> slots.shift;
        let is_own = |slot: I| {
            slot.get() >= slots.first
                && (slot.get() - slots.first).is_multiple_of(1 << slots.shift)
                && index(slot) < slots.count
        };
        let (own, others): (Vec<_>, Vec<_>) = sent.into_iter().partition(|[slot, _]| is_own(*slot));
        for most in [2, 3, 7, SOME] {
            assert_eq!(parted(slots, &arcs, &ids, most), [own.clone(), others.clone()]);
        }

        let (mut arrived, mut expected) =
            (vec![I::zeroed(); slots.count as usize + 1], vec![I::zeroed(); slots.count as usize]);
        for [slot, id] in own {
            expected[index(slot) as usize] = id;
        }
        let mut found = [[I::MAX; 2]; SOME];
        let all = slots.scatter(&arcs, &ids, &mut arrived, &mut found);
        assert_eq!((all.arcs, all.left, all.own), (SOME, 0, 0));
        assert_eq!((&arrived[..expected.len()], &found[..all.others]), (&expected[..], &others[..]));
    }

    #[test]
    fn ids_go_to_the_slots_of_a_worker_or_to_a_list_whichever_way() {
        let mut random = Rng::with_seed(7);
        for (shift, worker) in [(0, 0), (1, 0), (1, 1), (2, 3)] {
            for count in [0, 1, 50].repeat(30) {
                let slots = Slots { first: 1000 + worker, count, shift };
                check::<u32>(slots, &mut random);
                check::<u64>(slots, &mut random);
            }
        }
    }
}

//! Deferred operands: those too wide on a level to be read at random. Their cofactors are looked up in order, after one more sort
//! for each.

use super::Frontier;
use crate::{
    disk::{lane::Lane, pool::Share, spool::Spool},
    error::Result,
    sweep::{
        desk::Desk,
        down::{
            batch::Batch,
            ground::{Ground, window_of},
        },
        spec::Spec,
    },
};

impl<I: Lane, S: Spec<N>, const N: usize> Frontier<'_, I, S, N> {
    /// The operands whose nodes on this level fit neither RAM nor a window, as a set of bits.
    pub fn deferred_operands(&self) -> u32 {
        let span = window_of::<N>(self.ground.space) as u64;
        (1..N - 1).filter(|&at| self.operands[at].reader.window_bytes() > span).map(|at| 1 << at).sum()
    }

    /// Suspends the nodes of the first `heads` heads of the batch until the cofactors of the `deferred` operands are known.
    pub(super) fn suspend_all<const L: usize>(
        &mut self,
        batch: &Batch<I, N>,
        heads: usize,
        deferred: u32,
        suspended: &mut Spool<I, L>,
    ) -> Result<()> {
        (0..heads).try_for_each(|head| {
            let [low, high] = batch.cofactors(head);
            let node = self.new_node();
            suspended.append(suspend(node, deferred.trailing_zeros() as usize, &low, &high), self.ground.space)
        })
    }

    /// Looks up the cofactors of the deferred operands, with one more sort for each. A request that should have passed the level
    /// has become a node by now: it is given two equal children, so that reduce drops it.
    pub(super) fn resolve_deferred<const L: usize>(
        &mut self,
        deferred: u32,
        rule: Option<S::Rule>,
        suspended: Spool<I, L>,
        desk: &mut Desk,
    ) -> Result<()> {
        let Ground { spec, space, .. } = self.ground;
        let Desk { sorter, kept, .. } = desk;
        let batch = kept.get::<Batch<I, N>>();
        let (mut deferred, mut suspended, asking) = (deferred, suspended, self.asking());
        while deferred != 0 {
            let at = deferred.trailing_zeros() as usize;
            deferred &= deferred - 1;
            let mut next = Spool::new(Share::Queue);
            sorter.sort(&mut suspended, 1, space, &mut |partials: &[[I; L]]| {
                partials.iter().try_for_each(|partial| {
                    let (node, mut low, mut high) = resume::<I, N, L>(partial, at);
                    [low[at], high[at]] = self.operands[at].reader.cofactors(partial[0])?;
                    if deferred == 0 && rule.is_some_and(|rule| spec.change(rule, &mut low, &mut high)) {
                        high = low;
                    }
                    match deferred {
                        0 => batch.ask_for(node, [low, high], &asking),
                        _ => next.append(suspend(node, deferred.trailing_zeros() as usize, &low, &high), space)?,
                    }
                    Ok(())
                })?;
                self.send_asked(batch)
            })?;
            suspended = next;
        }
        Ok(())
    }
}

/// The record of a suspended node whose operand `at` is resolved next: the id to resolve, the node's own low slot, and for each
/// other operand its two cofactors (twice its id as long as it is not resolved).
#[inline(always)]
fn suspend<I: Lane, const N: usize, const L: usize>(node: u64, at: usize, low: &[I; N], high: &[I; N]) -> [I; L] {
    let mut record = [I::of(0); L];
    (record[0], record[1]) = (low[at], I::of(node));
    for (operand, lane) in others::<N>(at) {
        (record[lane], record[lane + 1]) = (low[operand], high[operand]);
    }
    record
}

/// The node's low slot and its cofactors so far, without those of operand `at`.
#[inline(always)]
fn resume<I: Lane, const N: usize, const L: usize>(record: &[I; L], at: usize) -> (u64, [I; N], [I; N]) {
    let (mut low, mut high) = ([I::of(0); N], [I::of(0); N]);
    for (operand, lane) in others::<N>(at) {
        (low[operand], high[operand]) = (record[lane], record[lane + 1]);
    }
    (record[1].get(), low, high)
}

/// The operands other than `at`, and the lane where each begins in the record of a suspended node.
#[inline(always)]
fn others<const N: usize>(at: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..N - 1).filter(move |&operand| operand != at).zip((2..).step_by(2))
}

//! Drawing paths from the root to a terminal, each with a probability that is its share of all assignments.
//!
//! The number of assignments that lead to a node travels down, and every arc is logged with the running sum of what it and the arcs
//! before it bring to its node. On the way back all walkers go together. A walker at a node draws a random point below the sum of
//! all arcs and takes the arc into which it falls: walkers come sorted by their points, so the arcs are read only once.
//!
//! ```text
//!   arcs into a node      0 ┌──────┬────────────┬───┬──────────┐ all        a point in the last arc:
//!                           └──────┴────────────┴───┴──────▲───┘            the walker goes on to where that one leaves
//! ```
//! The choice is that of exact arithmetic. Sums are rounded, but their error is bounded ([`Scaled`]); where a point comes so close
//! to a border that it might lie on the other side, the work starts again with numbers of twice the length. The longer random point
//! begins with the digits of the shorter one.
//!
//! Cost: one fold and one trace, whatever the number of walkers, which adds O(sort(walkers × levels)) transfers.
//!
//! After: D. E. Knuth, *The Art of Computer Programming*, volume 4A, 7.1.4 (random solutions, in memory).

use super::{
    Arc, Load,
    arithmetic::Arithmetic,
    fold,
    scaled::{Scaled, shift_right},
    trace::{Incoming, NO_SLOT, Onward, Trail, Travel, arc_of, place, slot, trace},
};
use crate::{
    disk::{pool::Share, space::Space, spool::Spool},
    error::Result,
    file::node_file::NodeFile,
    progress::Sweep,
    sweep::run::Run,
};

/// Draws paths to `terminal` in a diagram that is no constant, for walkers numbered below `walkers`: `step(walker, rank, value)` is
/// called for every step of each, in any order and perhaps several times.
///
/// `random(walker, variable, digit)` gives the digits, in base 2^64 and from number 0 on, of a walker's points: at the level of a
/// variable, and for `None` at the terminal.
pub fn draw(
    file: &NodeFile,
    terminal: bool,
    walkers: u64,
    random: impl Fn(u64, Option<u32>, u64) -> u64,
    mut step: impl FnMut(u64, usize, bool),
    run: &mut Run<'_>,
) -> Result<()> {
    // A count of up to 64 levels fits one lane; more levels would often need a second try.
    let short = file.levels().ranks() <= 65;
    let done = short && walk::<4, 3>(file, terminal, walkers, &random, &mut step, run)?
        || walk::<5, 4>(file, terminal, walkers, &random, &mut step, run)?
        || walk::<7, 6>(file, terminal, walkers, &random, &mut step, run)?
        || walk::<11, 10>(file, terminal, walkers, &random, &mut step, run)?;
    // Failing is as likely as guessing 400 bits; equal hashes, which are trusted to mean equal diagrams, are far likelier.
    assert!(done, "a random number that agrees with a border in all of its 512 bits");
    Ok(())
}

/// Draws as [`draw`] does with numbers of `N - 3` lanes, where `M` is `N - 1`; answers whether they are long enough.
fn walk<const N: usize, const M: usize>(
    file: &NodeFile,
    terminal: bool,
    walkers: u64,
    random: &impl Fn(u64, Option<u32>, u64) -> u64,
    step: &mut impl FnMut(u64, usize, bool),
    run: &mut Run<'_>,
) -> Result<bool> {
    let numbers = Numbers { trail: Trail::new(), total: [0; N], inexact: 0 };
    let Numbers { trail, inexact, .. } = fold(file, terminal, numbers, run)?.expect("fractions do not overflow");
    // In units of the last place of the sum of all arcs: each inexact sum may have made the border and the point too small by 2
    // each; 4 more bound the errors of aligning the border, of rounding the point, and of the point's further digits.
    let tolerance = inexact.saturating_mul(4).saturating_add(4);
    let mut starts = Spool::new(Share::Queue);
    for walker in 0..walkers {
        starts.append(walker_at::<M>(terminal.into(), None, walker, random), run.space)?;
    }
    let mut walk = Walkers { file, random, step, tolerance, lost: false, whole: None, here: None, below: None };
    trace(file, trail, starts, &mut walk, run)
}

/// Numbers of assignments that travel: (id, slot, number).
struct Numbers<const N: usize, const M: usize> {
    /// Slots, each with the sum up to its arc.
    trail: Trail<M>,
    /// The sum of what has arrived.
    total: [u64; N],
    /// Sums that are not exact.
    inexact: u64,
}

/// The lane where the number of a record begins.
const NUMBER: usize = 2;

/// The record of an arc for the trail.
fn logged<const N: usize, const M: usize>(slot: u64, sum: &[u64; N]) -> [u64; M] {
    let mut arc = [slot; M];
    arc[1..].copy_from_slice(&sum[NUMBER..]);
    arc
}

impl<const N: usize, const M: usize> Numbers<N, M> {
    fn add(&mut self, whole: &mut [u64; N], next: &[u64; N]) {
        self.inexact += u64::from(!Scaled.add(&mut whole[NUMBER..], &next[NUMBER..]));
    }
}

impl<const N: usize, const M: usize> Load<N> for Numbers<N, M> {
    const SWEEP: Sweep = Sweep::Sample;
    /// All lanes: rounded sums depend on the order, and so does the choice.
    const KEYS: usize = N;

    fn root(&self) -> [u64; N] {
        let mut root = [NO_SLOT; N];
        Scaled.one(&mut root[NUMBER..]);
        root
    }

    fn open(&mut self, first: &[u64; N], space: &Space) -> Result<()> {
        self.trail.add(logged(first[1], first), true, space)
    }

    fn merge(&mut self, whole: &mut [u64; N], next: &[u64; N], space: &Space) -> Result<()> {
        self.add(whole, next);
        self.trail.add(logged(next[1], whole), false, space)
    }

    fn send(&mut self, whole: &[u64; N], arc: Arc) -> [u64; N] {
        let mut value = *whole;
        value[1] = slot(whole[0], arc.high);
        Scaled.along(&mut value[NUMBER..], arc);
        value
    }

    fn arrive(&mut self, value: &[u64; N], space: &Space) -> Result<()> {
        let mut total = self.total;
        self.add(&mut total, value);
        self.total = total;
        self.trail.add_end(logged(value[1], &total), space)
    }
}

/// Walkers on the way back: (place, complement of each digit of the point, number of the walker).
///
/// Complements sort the highest point first, as the last arc comes first. Walkers with equal points take the same arc.
struct Walkers<'a, R, S, const M: usize> {
    file: &'a NodeFile,
    random: &'a R,
    step: &'a mut S,
    /// By how many units in the last place of the sum of all arcs a point and a border may be off.
    tolerance: u64,
    /// Whether a point came so close to a border.
    lost: bool,
    /// The last arc into the node where the walkers are, whose sum is that of all arcs.
    whole: Option<[u64; M]>,
    /// The arc at hand.
    here: Option<[u64; M]>,
    /// The arc before it, whose sum is the border between the two.
    below: Option<[u64; M]>,
}

/// The record of a walker who comes to a node.
fn walker_at<const M: usize>(
    id: u64,
    variable: Option<u32>,
    walker: u64,
    random: &impl Fn(u64, Option<u32>, u64) -> u64,
) -> [u64; M] {
    std::array::from_fn(|lane| match lane {
        0 => place(id),
        lane if lane < M - 1 => !random(walker, variable, lane as u64 - 1),
        _ => walker,
    })
}

impl<R, S, const M: usize> Travel<M, M> for Walkers<'_, R, S, M>
where
    R: Fn(u64, Option<u32>, u64) -> u64,
    S: FnMut(u64, usize, bool),
{
    const KEYS: usize = M - 1;

    fn visit(
        &mut self,
        traveller: &[u64; M],
        first: bool,
        incoming: &mut Incoming<'_, M>,
        onward: &mut Onward<'_, M>,
    ) -> Result<()> {
        if first {
            self.whole = incoming.next()?;
            (self.here, self.below) = (self.whole, incoming.next()?);
        }
        // No arc leads to the root.
        let (Some(whole), Some(mut here)) = (self.whole, self.here) else { return Ok(()) };
        let point = point_below(&whole, traveller);
        while let Some(below) = self.below {
            let border = aligned(&below, &whole);
            if distance(&point, &border) <= self.tolerance {
                self.lost = true;
                return Ok(());
            }
            if point > border {
                break;
            }
            here = below;
            self.below = incoming.next()?;
        }
        self.here = Some(here);
        let ((id, high), walker) = (arc_of(here[0]), traveller[M - 1]);
        let rank = onward.rank_of(id);
        (self.step)(walker, rank, high);
        onward.send(rank, walker_at(id, Some(self.file.variable(rank)), walker, self.random))
    }

    fn in_vain(&self) -> bool {
        self.lost
    }
}

/// The digits of the logged sum of `arc`, aligned with those of `whole`, and two zeroes.
fn aligned<const M: usize>(arc: &[u64; M], whole: &[u64; M]) -> [u64; M] {
    let mut digits = [0; M];
    digits[..M - 2].copy_from_slice(&arc[1..M - 1]);
    shift_right(&mut digits[..M - 2], whole[M - 1] - arc[M - 1]);
    digits
}

/// The product of the logged sum of `whole` and the point of `walker`, rounded down to the digits of the sum, and two zeroes.
fn point_below<const M: usize>(whole: &[u64; M], walker: &[u64; M]) -> [u64; M] {
    let digits = M - 2;
    // Twice as many digits, the lower half of which is dropped in the end.
    let mut product = [[0; M]; 2];
    let product = product.as_flattened_mut();
    for at in (0..digits).rev() {
        let mut carry = 0;
        for other in (0..digits).rev() {
            let place = &mut product[at + other + 1];
            (*place, carry) = (!walker[1 + at]).carrying_mul_add(whole[1 + other], *place, carry);
        }
        product[at] = carry;
    }
    std::array::from_fn(|at| if at < digits { product[at] } else { 0 })
}

/// By how many units in the last digit two numbers with as many digits differ; `u64::MAX` where a digit does not hold that.
fn distance<const M: usize>(a: &[u64; M], b: &[u64; M]) -> u64 {
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    let (mut last, mut rest, mut borrow) = (0, 0, false);
    for at in (0..M - 2).rev() {
        let difference;
        (difference, borrow) = large[at].borrowing_sub(small[at], borrow);
        if at == M - 3 { last = difference } else { rest |= difference }
    }
    if rest == 0 { last } else { u64::MAX }
}

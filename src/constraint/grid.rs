//! Counts of true variables as a grid of nodes, one for every level and every count that is still open there.

use crate::{
    builder::{BddBuilder, BuilderNode},
    disk::charge::Charge,
    error::Result,
};

/// Nodes for "`k` of the variables are true", or, if `fewer`, for "at most `k`". `0 <= k <= variables.len()`, less if `fewer`.
///
/// With i variables above and r from here down, a count c of those above is open from `start` − r up to k: with fewer the sum
/// cannot reach `start` any more, with more it is beyond k.
pub fn add_nodes(
    builder: &mut BddBuilder,
    variables: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator,
    k: usize,
    fewer: bool,
    charge: &mut Charge,
) -> Result<()> {
    let n = variables.len();
    let start = k + usize::from(fewer);
    let widest = 1 + k.min(n - k);
    charge.grow(2 * (widest + 1) * size_of::<BuilderNode>())?;

    // The nodes of the level below, by counts from `first`. Below the last level only k itself may still count.
    let mut first = start;
    let mut row: Vec<BuilderNode> = if fewer { vec![] } else { vec![true.into()] };
    let mut next = Vec::with_capacity(widest + 1);
    row.reserve_exact(widest + 1);
    for (from_here, variable) in (1..=n).zip(variables.rev()) {
        let child = |count: usize| match count.checked_sub(first) {
            None => fewer.into(),
            Some(at) => row.get(at).copied().unwrap_or(false.into()),
        };
        let open = start.saturating_sub(from_here);
        for count in open..=k.min(n - from_here) {
            next.push(builder.add_node(variable, child(count), child(count + 1))?);
        }
        first = open;
        std::mem::swap(&mut row, &mut next);
        next.clear();
    }
    Ok(())
}

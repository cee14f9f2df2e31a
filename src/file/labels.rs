//! The variables of a diagram's levels. Renaming touches nothing else, so diagrams that differ in names only share their nodes.

use std::sync::Arc;

use smallvec::SmallVec;
use twox_hash::XxHash3_128;

use super::levels::seal;
use crate::{
    disk::{
        charge::{ALLOCATED, Charge, SHARED},
        space::Space,
    },
    error::Result,
};

/// What the list is, as the error message says it.
const WHAT: &str = "the list of a diagram's variables";

/// A variable for every level; cheap to clone, and to shift.
#[derive(Clone, Debug)]
pub struct Labels {
    table: Arc<Table>,
    /// What is added to every variable, modulo 2^32.
    shift: u32,
}

#[derive(Debug)]
struct Table {
    /// The variables by rank from 1, so from the largest to the smallest.
    variables: Vec<u32>,
    /// A hash of the distances between neighbouring variables.
    gaps: u128,
    /// `None` for a table that all stores share.
    _charge: Option<Charge>,
}

impl Labels {
    /// Labels for no levels.
    pub fn none() -> Self {
        Self { table: Arc::new(Table { variables: Vec::new(), gaps: 0, _charge: None }), shift: 0 }
    }

    /// Labels for one level, of variable 0.
    pub fn of_first() -> Self {
        Self { table: Arc::new(Table { variables: vec![0], gaps: XxHash3_128::oneshot(&[]), _charge: None }), shift: 0 }
    }

    /// The labels `variables`, the largest first.
    ///
    /// # Errors
    /// `BudgetExceeded` when the tables have no room.
    pub fn new(mut variables: Vec<u32>, space: &Space) -> Result<Self> {
        debug_assert!(variables.is_sorted_by(|below, above| below > above));
        seal(&mut variables);
        let bytes = 4 * variables.capacity() + size_of::<Table>() + SHARED + 2 * ALLOCATED;
        let charge = space.pool.charge(bytes, WHAT)?;
        let mut gaps: SmallVec<[u32; 64]> = SmallVec::new();
        let count = variables.len().saturating_sub(1);
        let _charge_of_gaps = (count > gaps.capacity()).then(|| space.pool.charge(4 * count, WHAT)).transpose()?;
        gaps.reserve_exact(count);
        gaps.resize(count, 0);
        for (gap, pair) in gaps.iter_mut().zip(variables.windows(2)) {
            *gap = (pair[0] - pair[1]).to_le();
        }
        let table = Table { gaps: XxHash3_128::oneshot(bytemuck::cast_slice(&gaps)), variables, _charge: Some(charge) };
        Ok(Self { table: Arc::new(table), shift: 0 })
    }

    /// The same labels, with `by` added to each.
    #[must_use]
    pub fn shifted(&self, by: i32) -> Self {
        Self { table: self.table.clone(), shift: self.shift.wrapping_add_signed(by) }
    }

    /// Whether both share their table and their shift, and are not only equal.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.shift == other.shift
    }

    /// The variable of a rank from 1.
    pub fn of(&self, rank: usize) -> u32 {
        self.table.variables[rank - 1].wrapping_add(self.shift)
    }

    /// The rank, from 1, of `variable`, if it is one of them.
    pub fn rank(&self, variable: u32) -> Option<usize> {
        let variables = &self.table.variables;
        variables.binary_search_by(|own| variable.cmp(&own.wrapping_add(self.shift))).ok().map(|below| below + 1)
    }

    /// All labels, by rank from 1.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.table.variables.iter().map(|variable| variable.wrapping_add(self.shift))
    }

    /// A hash of the labels and of nodes whose own hash is `nodes`, in constant time.
    pub fn hash_with(&self, nodes: u128) -> u128 {
        let top = self.iter().next_back().unwrap_or(u32::MAX);
        let mut words = [0; 36];
        words[..16].copy_from_slice(&nodes.to_le_bytes());
        words[16..32].copy_from_slice(&self.table.gaps.to_le_bytes());
        words[32..].copy_from_slice(&top.to_le_bytes());
        XxHash3_128::oneshot(&words)
    }
}

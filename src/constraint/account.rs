//! What a constraint keeps in RAM and cannot spill, charged to the budget.

use crate::{
    disk::pool::{Charge, Pool, Share},
    error::{Error, Result},
    store::Store,
};

/// Bytes charged to the share of tables until this is dropped.
pub struct Account {
    pool: Pool,
    charges: Vec<Charge>,
    bytes: usize,
}

const WHAT: &str = "what a constraint is built from, beside the tables of the diagrams alive,";

impl Account {
    /// Nothing yet, of the budget of `store`.
    pub fn new(store: &Store) -> Self {
        Self { pool: store.space().pool, charges: Vec::new(), bytes: 0 }
    }

    /// Charges `bytes` more.
    ///
    /// # Errors
    /// `BudgetExceeded` when the share has less left.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        let all = self.bytes.saturating_add(bytes);
        let charge = self.pool.charge(bytes, WHAT).map_err(|_| Error::BudgetExceeded {
            what: WHAT,
            needed: all as u64,
            available: (self.bytes + self.pool.left(Share::Tables)) as u64,
        })?;
        self.charges.push(charge);
        self.bytes = all;
        Ok(())
    }

    /// Reads `items` into RAM, as far as there is room for them.
    pub fn collect<T>(&mut self, items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
        let mut collected = Vec::new();
        for item in items {
            if collected.len() == collected.capacity() {
                let more = collected.len().max(16);
                // What it moves from stays charged too: both are there at once.
                self.grow((collected.len() + more) * size_of::<T>())?;
                collected.reserve_exact(more);
            }
            collected.push(item?);
        }
        Ok(collected)
    }
}

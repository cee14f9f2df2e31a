//! What one operation, or one builder, works in: memory by shares, and a scratch area with its meter.

use std::sync::Arc;

use super::{
    charge::Charge,
    limits::Limits,
    pool::{Pool, Share},
    scratch::Scratch,
};
use crate::error::Result;

/// What one operation, or one builder, works in.
#[derive(Debug)]
pub struct Space {
    /// Blocks of memory.
    pub pool: Pool,
    /// Extents on disk, where files come from, and what is counted.
    pub scratch: Arc<Scratch>,
    /// How the budget is divided.
    pub limits: Arc<Limits>,
    /// Whether the operation began as a guest: its sweeps' tables are charged to `Share::Guests`.
    pub guest: bool,
}

impl Space {
    /// A space with extents of the area `scratch`.
    pub fn new(pool: Pool, limits: Arc<Limits>, scratch: Arc<Scratch>) -> Self {
        Self { pool, scratch, limits, guest: false }
    }

    /// Charges `bytes` for a sweep's tables; `what` they are for is named in the error message.
    ///
    /// # Errors
    /// `BudgetExceeded` when the shares have less left.
    pub fn charge_sweep(&self, bytes: usize, what: &'static str) -> Result<Charge> {
        self.pool.charge_to(self.tables(), bytes, what)
    }

    /// Bytes that are left for a sweep's tables.
    pub fn tables_room(&self) -> usize {
        self.pool.room(self.tables())
    }

    /// Bytes that are left for a sweep's tables, and that blocks cannot take meanwhile.
    pub fn tables_left(&self) -> usize {
        self.pool.left(self.tables())
    }

    /// The share of a sweep's tables.
    fn tables(&self) -> Share {
        if self.guest { Share::Guests } else { Share::Tables }
    }
}

#[cfg(test)]
pub mod testing {
    //! Spaces for tests of the toolbox.

    use super::*;
    use crate::disk::backend::Os;

    /// A space of `budget` bytes in the system's temporary folder.
    pub fn space(budget: usize) -> Space {
        space_with(|limits| *limits = Limits::of(budget))
    }

    /// A space whose division of a large budget is changed by `adjust`.
    pub fn space_with(adjust: impl FnOnce(&mut Limits)) -> Space {
        let mut limits = Limits { common: 0, ..Limits::of(1 << 28) };
        adjust(&mut limits);
        let pool = Pool::new(&limits);
        let scratch = Scratch::new(pool.largest(), Arc::new(Os::new(std::env::temp_dir())), Arc::default());
        Space::new(pool, Arc::new(limits), scratch)
    }
}

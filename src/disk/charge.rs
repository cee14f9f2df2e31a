//! Charges: memory that cannot go to disk, counted by whoever has it.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use super::pool::{Home, Pool, Share};
use crate::error::{Error, Result};

/// Bytes that `Arc` adds to what it holds.
pub const SHARED: usize = 2 * size_of::<usize>();

/// Bytes that allocators add to what they give, about: a header, and what is left to the next size there is.
pub const ALLOCATED: usize = 16;

/// Bytes of a share, charged until this is dropped.
#[derive(Debug)]
pub struct Charge {
    bytes: usize,
    share: Share,
    /// What they are of, for the message.
    what: &'static str,
    home: Arc<Home>,
}

impl Pool {
    /// Charges `bytes` of tables; `what` they are of, for the message.
    ///
    /// # Errors
    /// `BudgetExceeded` when the share of tables has less left.
    pub fn charge(&self, bytes: usize, what: &'static str) -> Result<Charge> {
        self.charge_to(Share::Tables, bytes, what)
    }

    /// Charges `bytes` of tables to `share`.
    ///
    /// # Errors
    /// `BudgetExceeded` when it has less left.
    pub fn charge_to(&self, share: Share, bytes: usize, what: &'static str) -> Result<Charge> {
        let mut charge = Charge { bytes: 0, share, what, home: self.home.clone() };
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// A charge of nothing yet to the tables.
    pub fn account(&self, what: &'static str) -> Charge {
        Charge { bytes: 0, share: Share::Tables, what, home: self.home.clone() }
    }
}

impl Charge {
    /// Bytes charged so far.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Charges `bytes` more.
    ///
    /// # Errors
    /// `BudgetExceeded` when the share has less left.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        if self.home.use_up(self.share, bytes, self.home.limit(self.share)) {
            self.bytes += bytes;
            return Ok(());
        }
        let needed = self.bytes.saturating_add(bytes) as u64;
        let available = (self.bytes + self.home.left(self.share)) as u64;
        Err(Error::BudgetExceeded { what: self.what, needed, available })
    }

    /// Charges nothing any more.
    pub fn clear(&mut self) {
        self.shrink(self.bytes);
    }

    /// Charges `bytes` less.
    fn shrink(&mut self, bytes: usize) {
        self.home.used[self.share as usize].fetch_sub(bytes, Relaxed);
        self.bytes -= bytes;
    }

    /// Reads `items` into RAM, as far as there is room for them.
    ///
    /// # Errors
    /// Those of the items, and `BudgetExceeded` when the share has less left.
    pub fn collect<T>(&mut self, mut items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
        let mut collected = Vec::new();
        while let Some(item) = items.next() {
            let item = item?;
            if collected.len() == collected.capacity() {
                let (before, known) = (collected.capacity(), items.size_hint().0.saturating_add(1));
                // What it moves from is there as well until it has moved. So many more may be promised that there is no room for
                // them, and then not come.
                let bytes = |more: usize| before.saturating_add(more).saturating_mul(size_of::<T>());
                let mut more = collected.len().max(16);
                if known > more && self.grow(bytes(known)).is_ok() {
                    more = known;
                } else {
                    self.grow(bytes(more))?;
                }
                collected.reserve_exact(more);
                self.shrink(before * size_of::<T>());
            }
            collected.push(item);
        }
        Ok(collected)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::limits::Limits;

    fn pool(tables: usize) -> Pool {
        Pool::new(&Limits { tables, ..Limits::of(1 << 24) })
    }

    #[test]
    fn what_is_charged_is_used_up_until_it_is_dropped() {
        let pool = pool(1000);
        let mut charge = pool.charge(400, "a table").expect("room");
        charge.grow(500).expect("room");
        assert_eq!((charge.bytes(), pool.left(Share::Tables)), (900, 100));
        assert!(matches!(charge.grow(101), Err(Error::BudgetExceeded { needed: 1001, available: 1000, .. })));
        assert!(matches!(pool.charge(101, "another"), Err(Error::BudgetExceeded { needed: 101, available: 100, .. })));
        drop(charge);
        assert_eq!(pool.left(Share::Tables), 1000);
    }

    #[test]
    fn what_is_collected_is_charged_by_its_capacity_and_no_more_of_it_is_read_than_there_is_room_for() {
        let pool = pool(1 << 12);
        // Of known length, it takes no more than that; else up to twice as much, and half of that again while it moves.
        for (known, most) in [(true, 1 << 10), (false, 512)] {
            for len in 1..2000u32 {
                let mut charge = pool.account("a list");
                let read = std::cell::Cell::new(0);
                let all = (0..len).inspect(|_| read.set(read.get() + 1)).map(Ok);
                let collected = if known { charge.collect(all) } else { charge.collect(all.filter(|_| true)) };
                match collected {
                    Ok(list) => {
                        assert!(list.iter().copied().eq(0..len) && len <= most);
                        assert_eq!(charge.bytes(), 4 * list.capacity());
                    }
                    Err(error) => {
                        assert!(len > most && read.get() <= 512 + 1, "{len}");
                        assert!(matches!(error, Error::BudgetExceeded { .. }));
                    }
                }
            }
        }
        assert_eq!(pool.left(Share::Tables), 1 << 12);
        // More are promised than ever come.
        let mut end = (0..).map(|at| if at < 100 { Ok(at) } else { Err(Error::NoNodes) });
        assert!(matches!(pool.account("a list").collect(&mut end), Err(Error::NoNodes)));
    }
}

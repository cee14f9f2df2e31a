//! Charges: memory that cannot go to disk, counted against a share of the budget by whoever holds it, and beyond that share against
//! the common one, as blocks are.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use super::pool::{Home, Pool, Share};
use crate::error::{Error, Result};

/// Bytes that `Arc` adds to what it holds.
pub const SHARED: usize = 2 * size_of::<usize>();

/// Bytes that an allocator adds to an allocation, roughly: a header, and the rounding up to its next size.
pub const ALLOCATED: usize = 16;

/// Bytes charged to a share until this is dropped.
#[derive(Debug)]
pub struct Charge {
    bytes: usize,
    /// Those among them that are charged to the common share.
    common: usize,
    share: Share,
    /// What the bytes are for, as the error message says it.
    what: &'static str,
    home: Arc<Home>,
}

impl Pool {
    /// Charges `bytes` to the share of tables; `what` they are for is named in the error message.
    ///
    /// # Errors
    /// `BudgetExceeded` when the share of tables and the common share together have less left.
    pub fn charge(&self, bytes: usize, what: &'static str) -> Result<Charge> {
        self.charge_to(Share::Tables, bytes, what)
    }

    /// Charges `bytes` of tables to `share`; `what` they are for is named in the error message.
    ///
    /// # Errors
    /// `BudgetExceeded` when that share and the common one together have less left.
    pub fn charge_to(&self, share: Share, bytes: usize, what: &'static str) -> Result<Charge> {
        let mut charge = self.account_of(share, what);
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// A charge of no bytes yet to the share of tables.
    pub fn account(&self, what: &'static str) -> Charge {
        self.account_of(Share::Tables, what)
    }

    fn account_of(&self, share: Share, what: &'static str) -> Charge {
        Charge { bytes: 0, common: 0, share, what, home: self.home.clone() }
    }
}

impl Charge {
    /// Bytes charged so far.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes that both shares have left.
    pub fn left(&self) -> usize {
        self.home.room(self.share)
    }

    /// Charges `bytes` more.
    ///
    /// # Errors
    /// `BudgetExceeded` when both shares together have less left.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        let home = &self.home;
        let Some(common) = home.use_up_both(self.share, bytes) else {
            let needed = self.bytes.saturating_add(bytes) as u64;
            let available = (self.bytes + self.left()) as u64;
            return Err(Error::BudgetExceeded { what: self.what, needed, available });
        };
        if common > 0 {
            home.hold(common);
            self.common += common;
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Gives back all bytes charged.
    pub fn clear(&mut self) {
        self.shrink(self.bytes);
    }

    /// Gives back `bytes` of those charged, first what the common share has.
    fn shrink(&mut self, bytes: usize) {
        let common = bytes.min(self.common);
        if common > 0 {
            self.home.used[Share::Common as usize].fetch_sub(common, Relaxed);
            self.home.let_go(common);
            self.common -= common;
        }
        self.home.used[self.share as usize].fetch_sub(bytes - common, Relaxed);
        self.bytes -= bytes;
    }

    /// Collects `items` into a list, charging its capacity as it grows.
    ///
    /// # Errors
    /// Those of the items, and `BudgetExceeded` when the shares have less left.
    pub fn collect<T>(&mut self, mut items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
        let mut collected = Vec::new();
        while let Some(item) = items.next() {
            let item = item?;
            if collected.len() == collected.capacity() {
                let (before, known) = (collected.capacity(), items.size_hint().0.saturating_add(1));
                // While the list moves, its old array exists beside the new one. And `items` may promise more than there is room
                // for, and more than come.
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
        Pool::new(&Limits { tables, common: 0, ..Limits::of(1 << 24) })
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
    fn beyond_its_share_a_charge_draws_on_the_common_one() {
        let pool = Pool::new(&Limits { tables: 1000, common: 3000, ..Limits::of(1 << 24) });
        let left = || [Share::Tables, Share::Common].map(|share| pool.left(share));
        let mut charge = pool.charge(600, "a table").expect("room");
        charge.grow(2000).expect("room in both");
        assert_eq!(left(), [0, 1400]);
        charge.grow(300).expect("room in the common one");
        assert!(matches!(charge.grow(1101), Err(Error::BudgetExceeded { needed: 4001, available: 4000, .. })));
        assert_eq!(left(), [0, 1100]);
        charge.shrink(2100);
        assert_eq!(left(), [200, 3000]);
        assert!(matches!(charge.grow(usize::MAX), Err(Error::BudgetExceeded { needed: u64::MAX, .. })));
        assert_eq!(left(), [200, 3000]);
        drop(charge);
        assert_eq!(left(), [1000, 3000]);
    }

    #[test]
    fn a_charge_that_is_refused_takes_nothing_from_others_meanwhile() {
        let pool = Pool::new(&Limits { tables: 1000, common: 500, ..Limits::of(1 << 24) });
        let all = pool.charge(1000, "all of its own").expect("room");
        let _held = pool.charge(500, "all of the common one").expect("room");
        drop(all);
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    assert!(pool.charge(1001, "too much").is_err());
                }
            });
            let small = (0..200_000).all(|_| pool.charge(10, "little").is_ok());
            done.store(true, Relaxed);
            assert!(small);
        });
        assert_eq!(pool.left(Share::Tables), 1000);
    }

    #[test]
    fn what_is_collected_is_charged_by_its_capacity_and_no_more_of_it_is_read_than_there_is_room_for() {
        let pool = pool(1 << 12);
        // A list of known length takes no more than that; others take up to twice their length, and half as much again while they
        // move.
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

//! Memory in recycled blocks, each charged to a share of the budget.
//!
//! Fresh pages from the system cost more than all else here, so a block that is dropped goes to a free list and not back to the
//! system. A level of a small diagram takes a few hundred bytes, a level of a large one full blocks.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use super::{limits::Limits, room::Room};

/// What memory is for; each purpose has a share of the budget of its own, so that none can starve another. Beyond their share,
/// blocks and tables draw on the common one, of which blocks leave some for buffers; a share counts as used up only when they may
/// draw on that no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Requests and results waiting for their level.
    Queue,
    /// Arcs of unreduced diagrams, written once and read once.
    Arcs,
    /// Nodes of diagrams.
    Diagrams,
    /// What is charged beyond the other shares.
    Common,
    /// Level tables, of diagrams and of sweeps: memory that cannot go to disk.
    Tables,
    /// Level tables of the sweeps of guests.
    Guests,
}

const SHARES: usize = 6;

impl Share {
    /// The shares that blocks are charged to.
    const OF_BLOCKS: [Self; 4] = [Self::Queue, Self::Arcs, Self::Diagrams, Self::Common];

    /// All shares in their order.
    const ALL: [Self; SHARES] = [Self::Queue, Self::Arcs, Self::Diagrams, Self::Common, Self::Tables, Self::Guests];

    /// Bytes that `limits` gives this share.
    fn of(self, limits: &Limits) -> usize {
        match self {
            Self::Queue => limits.queue,
            Self::Arcs => limits.arcs,
            Self::Diagrams => limits.diagrams,
            Self::Common => limits.common,
            Self::Tables => limits.tables,
            Self::Guests => limits.guests,
        }
    }
}

/// The size of a block: `Small` starts a log, `Medium` and `Full` follow, `Quarto` and `Folio` hold finished diagrams of a size
/// between these, and `Large` is for what is written to disk, or read from there, at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 256 bytes.
    Small,
    /// 4 KiB.
    Medium,
    /// 16 KiB.
    Quarto,
    /// 64 KiB.
    Folio,
    /// The pool's own block size.
    Full,
    /// Eight times a full block.
    Large,
}

const CLASSES: [Class; 6] = [Class::Small, Class::Medium, Class::Quarto, Class::Folio, Class::Full, Class::Large];
const SMALL: usize = 256;
const MEDIUM: usize = 4 << 10;
const QUARTO: usize = 16 << 10;
const FOLIO: usize = 64 << 10;

impl Class {
    /// The class of the block with which a log in memory goes on after one of this class.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Class::Small => Class::Medium,
            _ => Class::Full,
        }
    }
}

/// The blocks of a store.
#[derive(Clone, Debug)]
pub struct Pool {
    pub(super) home: Arc<Home>,
}

/// The state that the blocks and charges of a store share.
#[derive(Debug)]
pub(super) struct Home {
    bytes: [usize; CLASSES.len()],
    limits: [usize; SHARES],
    pub(super) used: [AtomicUsize; SHARES],
    /// Bytes of all blocks there are, in use or free, and of what else is charged to the common share.
    held: AtomicUsize,
    /// More bytes are held only where no block is free.
    most_held: usize,
    /// The limit of the common share for blocks. If they took all of it, they and the buffers that workers cannot go on without
    /// would take turns in the same memory, which the system clears each time.
    common_for_blocks: usize,
    free: [Mutex<Vec<Room>>; CLASSES.len()],
}

/// A piece of memory that returns to its pool when it is dropped.
#[derive(Debug)]
pub struct Block {
    room: Room,
    class: Class,
    share: Share,
    /// The pool that it returns to; `None` for a block of no pool.
    home: Option<Arc<Home>>,
}

impl Pool {
    /// The blocks of a budget that is divided as `limits` says.
    pub fn new(limits: &Limits) -> Self {
        let (block, large) = (limits.block, limits.large());
        Self {
            home: Arc::new(Home {
                bytes: [SMALL.min(block), MEDIUM.min(block), QUARTO.min(block), FOLIO.min(block), block, large],
                limits: Share::ALL.map(|share| share.of(limits)),
                used: Default::default(),
                held: AtomicUsize::new(0),
                most_held: Share::OF_BLOCKS.into_iter().map(|share| share.of(limits)).sum(),
                common_for_blocks: limits.common - limits.buffers,
                free: Default::default(),
            }),
        }
    }

    /// Bytes of a full block.
    pub fn block_bytes(&self) -> usize {
        self.home.bytes[Class::Full as usize]
    }

    /// Bytes of the smallest blocks.
    pub fn smallest(&self) -> usize {
        self.home.bytes[Class::Small as usize]
    }

    /// Bytes of the largest blocks.
    pub fn largest(&self) -> usize {
        self.home.bytes[Class::Large as usize]
    }

    /// The class of a block that holds `bytes` bytes from disk.
    pub fn class_of(&self, bytes: usize) -> Class {
        if bytes <= self.block_bytes() { Class::Full } else { Class::Large }
    }

    /// The limit of `share`, in bytes.
    pub fn limit(&self, share: Share) -> usize {
        self.home.limit(share)
    }

    /// Bytes of `share` that are not used at the moment.
    pub fn left(&self, share: Share) -> usize {
        self.home.left(share)
    }

    /// Bytes that may be charged to `share` at the moment: what is left of it and of the common share.
    pub fn room(&self, share: Share) -> usize {
        self.home.room(share)
    }

    /// Bytes of all shares that are used at the moment.
    pub fn used(&self) -> usize {
        self.home.used.iter().map(|used| used.load(Relaxed)).sum()
    }

    /// A block of `class` with unspecified contents, or `None` when `share` is used up.
    pub fn take(&self, share: Share, class: Class) -> Option<Block> {
        let (bytes, limit) = (self.home.bytes[class as usize], self.limit(share));
        // A diagram on disk takes an extent at least, so full blocks leave half of the diagrams' own share to small diagrams, which
        // are many.
        let limit = if (share, class) == (Share::Diagrams, Class::Full) { limit / 2 } else { limit };
        let choices = [(share, limit), (Share::Common, self.home.common_for_blocks)];
        let charged = choices.into_iter().find(|&(share, limit)| self.home.use_up(share, bytes, limit));
        charged.map(|(share, _)| self.block(share, class))
    }

    /// The first `words` words of `block` in the smallest block of `share` that holds them; `block` itself if that is no smaller,
    /// or `share` is used up.
    pub fn fitted(&self, block: Block, words: usize, share: Share) -> Block {
        let holds = |class: &Class| words * 8 <= self.home.bytes[*class as usize];
        let class = CLASSES.into_iter().find(holds).unwrap_or(block.class);
        if self.home.bytes[class as usize] >= block.words().len() * 8 {
            return block;
        }
        let Some(mut fitted) = self.take(share, class) else { return block };
        fitted.words_mut()[..words].copy_from_slice(&block.words()[..words]);
        fitted
    }

    /// A block of `class` even when `share` is used up: for the few blocks that work cannot go on without.
    pub fn take_anyway(&self, share: Share, class: Class) -> Block {
        self.home.used[share as usize].fetch_add(self.home.bytes[class as usize], Relaxed);
        self.block(share, class)
    }

    fn block(&self, share: Share, class: Class) -> Block {
        let home = &self.home;
        let recycled = home.list(class).pop();
        let room = recycled.unwrap_or_else(|| home.fresh(home.bytes[class as usize]));
        Block { room, class, share, home: Some(home.clone()) }
    }
}

impl Home {
    pub(super) fn limit(&self, share: Share) -> usize {
        self.limits[share as usize]
    }

    pub(super) fn left(&self, share: Share) -> usize {
        self.limit(share).saturating_sub(self.used[share as usize].load(Relaxed))
    }

    pub(super) fn room(&self, share: Share) -> usize {
        self.left(share) + self.left(Share::Common)
    }

    /// Charges `bytes` to `share` if it then has no more than `limit` bytes in use; answers whether it does.
    fn use_up(&self, share: Share, bytes: usize, limit: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= limit);
        self.used[share as usize].fetch_update(Relaxed, Relaxed, fits).is_ok()
    }

    /// Charges `bytes` to `share` as far as there is room, and the rest to the common share; answers how many bytes that rest is,
    /// or charges nothing where there is no room for it.
    pub(super) fn use_up_both(&self, share: Share, bytes: usize) -> Option<usize> {
        let (own, common) = (&self.used[share as usize], &self.used[Share::Common as usize]);
        loop {
            let used = own.load(Relaxed);
            let fits = bytes.min(self.limit(share).saturating_sub(used));
            let rest = bytes - fits;
            // The rest first: what its own share has is not taken from others for a charge that is refused.
            if rest > 0 && !self.use_up(Share::Common, rest, self.limit(Share::Common)) {
                return None;
            }
            if own.compare_exchange(used, used + fits, Relaxed, Relaxed).is_ok() {
                return Some(rest);
            }
            common.fetch_sub(rest, Relaxed);
        }
    }

    fn list(&self, class: Class) -> std::sync::MutexGuard<'_, Vec<Room>> {
        self.free[class as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// New memory of `bytes` bytes.
    fn fresh(&self, bytes: usize) -> Room {
        self.hold(bytes);
        let words = bytes / size_of::<u64>();
        Room::new(words, words)
    }

    /// Counts `bytes` as held; free blocks are dropped, the largest first, as far as there are more held than may be.
    pub(super) fn hold(&self, bytes: usize) {
        let mut held = self.held.fetch_add(bytes, Relaxed) + bytes;
        for class in CLASSES.into_iter().rev() {
            while held > self.most_held {
                // The list is locked no longer than it takes to pop: others need not wait until the system has its pages back.
                let Some(room) = self.list(class).pop() else { break };
                let freed = size_of_val(room.words());
                held = self.held.fetch_sub(freed, Relaxed) - freed;
            }
        }
    }

    /// Counts `bytes` as held no longer.
    pub(super) fn let_go(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
    }
}

/// A block of class `Small` without memory.
impl Default for Block {
    fn default() -> Self {
        Self::counted_elsewhere(Vec::new())
    }
}

impl Block {
    /// A block of `words`, which belong to no pool and are charged elsewhere.
    pub fn counted_elsewhere(words: Vec<u64>) -> Self {
        Self { room: Room::Heap(words.into()), class: Class::Small, share: Share::Diagrams, home: None }
    }

    /// Whether it has memory of a pool.
    pub fn is_some(&self) -> bool {
        self.home.is_some()
    }

    /// The size of the block.
    pub fn class(&self) -> Class {
        self.class
    }

    /// The memory, in 8-byte words.
    pub fn words(&self) -> &[u64] {
        self.room.words()
    }

    /// The memory, to write.
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.room.words_mut()
    }

    #[inline(never)]
    fn give_back(&mut self) {
        if let Some(home) = self.home.take() {
            let room = std::mem::take(&mut self.room);
            home.used[self.share as usize].fetch_sub(size_of_val(room.words()), Relaxed);
            home.list(self.class).push(room);
        }
    }
}

impl Drop for Block {
    #[inline(always)]
    fn drop(&mut self) {
        if self.home.is_some() {
            self.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 1 << 14;

    fn pool(queue: usize, arcs: usize, common: usize) -> Pool {
        Pool::new(&Limits { block: BLOCK, queue, arcs, diagrams: 0, common, ..Limits::of(1 << 24) })
    }

    #[test]
    fn a_share_is_never_exceeded_and_blocks_are_recycled() {
        let pool = pool(3 * BLOCK, BLOCK, 0);
        let blocks: Vec<_> = std::iter::from_fn(|| pool.take(Share::Queue, Class::Full)).collect();
        assert_eq!(blocks.len(), 3);
        assert!(pool.take(Share::Diagrams, Class::Small).is_none());
        let address = blocks[2].words().as_ptr();
        drop(blocks);
        assert_eq!(pool.take(Share::Arcs, Class::Full).expect("free again").words().as_ptr(), address);
    }

    #[test]
    fn what_is_common_goes_to_whoever_comes_first_and_a_share_of_its_own_stays() {
        let pool = pool(BLOCK, BLOCK, 2 * BLOCK);
        let take = |share| pool.take(share, Class::Full);
        let queue: Vec<_> = std::iter::from_fn(|| take(Share::Queue)).collect();
        assert_eq!(queue.len(), 3);
        let arcs = take(Share::Arcs).expect("its own");
        assert!(take(Share::Arcs).is_none());
        drop(queue);
        assert!(take(Share::Arcs).is_some());
        drop(arcs);
        assert_eq!(pool.left(Share::Arcs), BLOCK);
        assert_eq!(pool.left(Share::Common), 2 * BLOCK);
    }

    #[test]
    fn what_is_fitted_takes_little_more_than_its_size() {
        let pool = Pool::new(&Limits::of(1 << 30));
        for words in [1, 32, 33, 512, 513, 2048, 2049, 8192, 8193, 16384] {
            let mut block = pool.take(Share::Diagrams, Class::Full).expect("an empty pool");
            block.words_mut().iter_mut().zip(0..).for_each(|(word, at)| *word = at);
            let fitted = pool.fitted(block, words, Share::Diagrams);
            assert!(fitted.words()[..words].iter().copied().eq(0..words as u64));
            assert!(fitted.words().len() <= (16 * words).max(SMALL / 8) && fitted.words().len().is_power_of_two());
            assert_eq!(pool.left(Share::Diagrams), pool.limit(Share::Diagrams) - 8 * fitted.words().len());
        }
    }

    #[test]
    fn free_blocks_of_one_size_make_way_for_another() {
        let pool = pool(2 * BLOCK, 0, 0);
        let small: Vec<_> = std::iter::from_fn(|| pool.take(Share::Queue, Class::Small)).collect();
        assert_eq!(small.len(), 2 * BLOCK / SMALL);
        drop(small);
        let _full = pool.take(Share::Queue, Class::Full).expect("the share is free");
        assert!(pool.home.held.load(Relaxed) <= 2 * BLOCK);
    }

    #[test]
    fn free_blocks_make_way_for_tables_in_the_common_share() {
        let limits = Limits { tables: 0, queue: 2 * BLOCK, arcs: 0, diagrams: 0, common: BLOCK, ..Limits::of(1 << 24) };
        let pool = Pool::new(&limits);
        drop(std::iter::from_fn(|| pool.take(Share::Queue, Class::Small)).collect::<Vec<_>>());
        assert_eq!(pool.home.held.load(Relaxed), 3 * BLOCK);
        let table = pool.charge(BLOCK, "a table").expect("room");
        assert_eq!(pool.home.held.load(Relaxed), 3 * BLOCK);
        assert_eq!(pool.home.list(Class::Small).len() * SMALL, 2 * BLOCK);
        drop(table);
        assert_eq!(pool.home.held.load(Relaxed), 2 * BLOCK);
    }

    #[test]
    fn free_buffers_stay_when_blocks_use_up_their_shares() {
        let limits =
            Limits { queue: 12 * BLOCK, arcs: 0, common: 16 * BLOCK, buffers: 8 * BLOCK, ..Limits::of(1 << 24) };
        let pool = Pool::new(&Limits { block: BLOCK, diagrams: 0, ..limits });
        let buffers: Vec<_> = (0..2).map(|_| pool.take_anyway(Share::Arcs, Class::Large)).collect();
        let addresses: Vec<_> = buffers.iter().map(|buffer| buffer.words().as_ptr()).collect();
        drop(buffers);
        let _queue: Vec<_> = std::iter::from_fn(|| pool.take(Share::Queue, Class::Full)).collect();
        assert_eq!((pool.left(Share::Common), pool.home.held.load(Relaxed)), (8 * BLOCK, 28 * BLOCK));
        assert!(addresses.contains(&pool.take_anyway(Share::Arcs, Class::Large).words().as_ptr()));
    }
}

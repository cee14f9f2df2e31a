//! The external sorter, over `extsort`: for levels that do not fit their share of the budget.
//!
//! Four habits of that crate are fenced off here. Its sorter forgets every record when the last one fills a segment, so a sentinel
//! larger than all records is pushed then, and never read. It takes the end of a file for the end of a run, so the records are
//! counted. It trusts whatever it reads, so each record has a checksum, with another seed for every sorter, and the sum of all
//! checksums must be the same when they are read as when they were written. It names its segment files, so they are unlinked as
//! soon as they are written: the sorter keeps them open, and a kill leaves behind no more than the folder and the one segment being
//! written.

use std::{
    cmp::Ordering,
    io::{self, Read, Write},
    sync::atomic::Ordering::Relaxed,
};

use extsort::{ExternalSorter, PushExternalSorter, Sortable, SortedIterator};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;
use twox_hash::XxHash3_64;

use super::{backend::salt, lane::Lane, meter::Claim, space::Space};
use crate::error::{Error, Result};

/// A record as `extsort` wants it, with a checksum.
#[derive(Clone, Copy)]
struct Item<I> {
    record: [I; 2],
    sum: u32,
}

impl<I: Lane> Item<I> {
    fn new(record: [I; 2], seed: u64) -> Self {
        Self { record, sum: XxHash3_64::oneshot_with_seed(seed, bytemuck::bytes_of(&record)) as u32 }
    }

    fn is_intact(&self, seed: u64) -> bool {
        self.sum == Self::new(self.record, seed).sum
    }

    /// Bytes of an item in a segment.
    const BYTES: u64 = (size_of::<[I; 2]>() + size_of::<u32>()) as u64;
}

impl<I: Lane> Sortable for Item<I> {
    fn encode<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(bytemuck::bytes_of(&self.record))?;
        writer.write_all(bytemuck::bytes_of(&self.sum))
    }

    fn decode<S: Read>(reader: &mut S) -> io::Result<Self> {
        let mut item = Self { record: [I::zeroed(); 2], sum: 0 };
        reader.read_exact(bytemuck::bytes_of_mut(&mut item.record))?;
        reader.read_exact(bytemuck::bytes_of_mut(&mut item.sum))?;
        Ok(item)
    }
}

type Compare<I> = fn(&Item<I>, &Item<I>) -> Ordering;

/// Takes pairs in any order and gives them back sorted. Beside the share in which it sorts segments it takes 8 KiB for each of
/// these, which few levels have: only those of hundreds of times as many pairs as the share holds.
pub struct External<'a, I: Lane> {
    space: &'a Space,
    sorter: PushExternalSorter<Item<I>, Compare<I>>,
    folder: TempDir,
    claim: Claim,
    /// Records of a segment.
    run: u64,
    count: u64,
    /// The seed of the checksums.
    seed: u64,
    /// The checksums of all records, added up.
    sum: u64,
}

impl<'a, I: Lane> External<'a, I> {
    /// A sorter that holds at most `bytes` of records in memory.
    pub fn new(space: &'a Space, bytes: usize) -> Result<Self> {
        raise_open_files();
        let folder = space.scratch.backend.sort_folder().map_err(space.scratch.backend.fail("sort in"))?;
        space.scratch.meter.parted_levels.fetch_add(1, Relaxed);
        // The sorter's buffer grows to a power of two, so that a run of that length wastes none of it.
        let fits = (bytes / size_of::<Item<I>>()).max(2);
        let run = 1u64 << fits.ilog2();
        let sorter = ExternalSorter::new()
            .with_segment_size(run as usize - 1)
            .with_sort_dir(folder.path().to_owned())
            .pushed_by((|a, b| a.record.cmp(&b.record)) as Compare<I>);
        let (claim, seed) = (Claim::new(space.scratch.meter.clone()), salt());
        Ok(Self { space, sorter, folder, claim, run, count: 0, seed, sum: 0 })
    }

    /// The space that the sorter works in.
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// Takes one record.
    pub fn push(&mut self, record: [I; 2]) -> Result<()> {
        let item = Item::new(record, self.seed);
        self.count += 1;
        self.sum = self.sum.wrapping_add(item.sum.into());
        self.sorter.push(item).map_err(self.space.scratch.backend.fail("sort in"))?;
        if self.count.is_multiple_of(self.run) {
            let number = self.count / self.run - 1;
            segment_written(&self.folder, number, self.run * Item::<I>::BYTES, &mut self.claim, self.space);
        }
        Ok(())
    }

    /// Merges the records taken.
    pub fn finish(self) -> Result<Sorted<'a, I>> {
        let Self { space, mut sorter, folder, mut claim, run, count, seed, sum } = self;
        if count >= run && count.is_multiple_of(run) {
            sorter.push(Item::new([I::MAX; 2], seed)).map_err(space.scratch.backend.fail("sort in"))?;
        }
        let records = sorter.done().map_err(space.scratch.backend.fail("sort in"))?;
        if count >= run {
            segment_written(&folder, count / run, (count % run).max(1) * Item::<I>::BYTES, &mut claim, space);
        }
        Ok(Sorted { space, records, _folder: folder, _claim: claim, count, found: 0, seed, missing: sum, last: None })
    }
}

/// Raises the limit of open files as far as the system allows: there may be thousands of segments, and all are open at the end.
/// Most systems start a program with a low limit, for the sake of old programs that cannot handle more; a program may raise it
/// itself.
fn raise_open_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        // Where that fails, there may be too many segments to open, which is an error later.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Accounts for a segment file that was just written, and unlinks it.
fn segment_written(folder: &TempDir, number: u64, bytes: u64, claim: &mut Claim, space: &Space) {
    space.scratch.meter.spilled(bytes);
    claim.place(bytes);
    claim.hold(bytes);
    // Should this fail, the file still goes with its folder.
    let _ = std::fs::remove_file(folder.path().join(number.to_string()));
}

/// The records of an [`External`] sorter, in order.
pub struct Sorted<'a, I: Lane> {
    space: &'a Space,
    records: SortedIterator<Item<I>, Compare<I>>,
    _folder: TempDir,
    _claim: Claim,
    count: u64,
    found: u64,
    seed: u64,
    /// The sum of the checksums of records still to come.
    missing: u64,
    last: Option<[I; 2]>,
}

impl<I: Lane> Sorted<'_, I> {
    /// The next record; `None` once as many came back as were taken.
    ///
    /// # Errors
    /// `LostRecords` when the sorter gives back fewer; `Io` when it gives back others, at the last record at the latest.
    pub fn record(&mut self) -> Result<Option<[I; 2]>> {
        if self.found == self.count {
            return Ok(None);
        }
        let Some(item) = self.records.next() else {
            let folder = self.space.scratch.backend.folder().to_owned();
            return Err(Error::LostRecords { expected: self.count, found: self.found, folder });
        };
        let item = item.map_err(self.space.scratch.backend.fail("sort in"))?;
        self.found += 1;
        self.missing = self.missing.wrapping_sub(item.sum.into());
        let in_order = self.last.is_none_or(|last| last <= item.record);
        let all = self.found < self.count || self.missing == 0;
        if !(item.is_intact(self.seed) && in_order && all) {
            return Err(self.space.scratch.backend.damaged());
        }
        self.last = Some(item.record);
        Ok(self.last)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, iter, path::PathBuf};

    use super::*;
    use crate::disk::space::testing;

    /// The sorter of `extsort` 0.5 gives back nothing when the number of records is a multiple of its segment and some lie
    /// on disk.
    #[test]
    fn no_record_is_lost_at_any_length_around_a_run() {
        const RUN: u64 = 64;
        let space = testing::space(1 << 24);
        for len in 0..=4 * RUN + 1 {
            let mut sorter = External::new(&space, RUN as usize * 12).expect("a folder");
            assert_eq!(sorter.run, RUN);
            for i in 0..len {
                let key = (i * 37 % (len + 1)) as u32;
                sorter.push([key, i as u32]).expect("room on disk");
            }
            let mut records = sorter.finish().expect("all runs");
            let sorted: Vec<[u32; 2]> = iter::from_fn(|| records.record().expect("all records")).collect();
            drop(records);
            let mut expected: Vec<_> = (0..len).map(|i| [(i * 37 % (len + 1)) as u32, i as u32]).collect();
            expected.sort_unstable();
            assert_eq!(sorted, expected, "{len} records");
            assert_eq!(space.scratch.meter.temp_bytes.load(Relaxed), 0);
        }
    }

    /// Sorts four segments of records and nine more, whose first two segments are changed by `change` when they have been written.
    fn sorted_with(change: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>)) -> Result<Vec<[u32; 2]>> {
        const RUN: u32 = 64;
        let space = testing::space(1 << 24);
        let mut sorter = External::new(&space, RUN as usize * 12)?;
        (0..4 * RUN + 9).try_for_each(|at| sorter.push([at * 37 % 265, 1]))?;
        // The segments are unlinked already.
        let [first, second] = ["0", "1"].map(|name| {
            let gone = format!("{} (deleted)", sorter.folder.path().join(name).display());
            let open = fs::read_dir("/proc/self/fd").expect("a Linux system").map(|entry| entry.expect("open").path());
            let is_gone = |path: &PathBuf| fs::read_link(path).is_ok_and(|target| target.as_os_str() == &*gone);
            open.into_iter().find(is_gone).expect("a segment that the sorter keeps open")
        });
        let mut bytes = [&first, &second].map(|path| fs::read(path).expect("a segment"));
        let [one, other] = &mut bytes;
        assert_eq!((one.len(), other.len()), (64 * 12, 64 * 12));
        change(one, other);
        fs::write(first, one).expect("a segment");
        fs::write(second, other).expect("a segment");
        let mut sorted = sorter.finish()?;
        iter::from_fn(|| sorted.record().transpose()).collect()
    }

    #[test]
    fn other_bytes_than_were_written_are_noticed_whole_segments_too() {
        let whole: Vec<_> = (0..265).map(|key| [key, 1]).collect();
        assert_eq!(sorted_with(|_, _| {}).expect("nothing changed"), whole);
        for bit in (0..64 * 12 * 8).step_by(7) {
            let sorted = sorted_with(|one, _| one[bit / 8] ^= 1 << (bit % 8));
            assert!(matches!(sorted, Err(Error::Io { .. })), "bit {bit}");
        }
        let mut of_another = Vec::new();
        sorted_with(|one, _| of_another.clone_from(one)).expect("nothing changed");
        assert!(matches!(sorted_with(|one, _| *one = of_another), Err(Error::Io { .. })));
        assert!(matches!(sorted_with(|one, other| one.clone_from(other)), Err(Error::Io { .. })));
        assert!(matches!(sorted_with(|one, _| one.rotate_left(12)), Err(Error::Io { .. })));
        assert!(matches!(sorted_with(|one, _| one.truncate(63 * 12)), Err(Error::LostRecords { .. })));
    }

    #[test]
    fn the_largest_records_there_are_come_back_too() {
        let space = testing::space(1 << 24);
        let mut sorter = External::new(&space, 64).expect("a folder");
        for _ in 0..16 {
            sorter.push([u32::MAX; 2]).expect("room on disk");
        }
        let mut records = sorter.finish().expect("all runs");
        let found: Vec<_> = iter::from_fn(|| records.record().expect("all records")).collect();
        assert_eq!(found, [[u32::MAX; 2]; 16]);
    }
}

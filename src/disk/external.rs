//! The external sorter, over `extsort`: for levels that do not fit their share of the budget.
//!
//! Four habits of that crate are fenced off here. Its sorter forgets every record when the last one fills a segment, so a
//! sentinel larger than all records follows then and is not read. It takes the end of a file for the end of a run, so the
//! records are counted; and what is in the file for the record, so each has a checksum, which does not tell one segment from another.
//! It names its segment files, so they are unlinked as soon as they are written: the sorter keeps them open, and a kill leaves
//! behind no more than the folder and the one segment being written.

use std::{
    cmp::Ordering,
    io::{self, Read, Write},
    sync::atomic::Ordering::Relaxed,
};

use bytemuck::Pod;
use extsort::{ExternalSorter, PushExternalSorter, Sortable, SortedIterator};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use super::{backend::damage, descriptors::raise, meter::Claim, space::Space};
use crate::error::{Error, Result};

/// A plain record with a total order.
pub trait Record: Pod + Ord + Send {
    /// A record that no other is larger than.
    const MAX: Self;
}

impl<I: super::lane::Lane, const N: usize> Record for [I; N] {
    const MAX: Self = [I::MAX; N];
}

/// A record as `extsort` wants it.
#[derive(Clone, Copy)]
struct Item<R>(R);

impl<R: Record> Sortable for Item<R> {
    fn encode<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(bytemuck::bytes_of(&self.0))?;
        writer.write_all(&sum(&self.0))
    }

    fn decode<S: Read>(reader: &mut S) -> io::Result<Self> {
        let (mut record, mut checksum) = (R::zeroed(), [0; SUM]);
        reader.read_exact(bytemuck::bytes_of_mut(&mut record))?;
        reader.read_exact(&mut checksum)?;
        if checksum == sum(&record) { Ok(Self(record)) } else { Err(damage()) }
    }
}

/// Bytes of the checksum of a record.
const SUM: usize = 4;

fn sum(record: &impl Pod) -> [u8; SUM] {
    (xxh3_64(bytemuck::bytes_of(record)) as u32).to_le_bytes()
}

type Compare<R> = fn(&Item<R>, &Item<R>) -> Ordering;

/// Takes records in any order and gives them back sorted, in a fixed amount of memory.
pub struct External<'a, R: Record> {
    space: &'a Space,
    sorter: PushExternalSorter<Item<R>, Compare<R>>,
    folder: TempDir,
    claim: Claim,
    /// Records of a segment.
    run: u64,
    count: u64,
}

impl<'a, R: Record> External<'a, R> {
    /// A sorter that holds at most `bytes` of records in memory.
    pub fn new(space: &'a Space, bytes: usize) -> Result<Self> {
        // There may be thousands of segments, and all are open at the end.
        raise();
        let folder = space.backend.sort_folder().map_err(space.fail("sort in"))?;
        space.meter.external_sorts.fetch_add(1, Relaxed);
        // A power of two is what the sorter's buffer grows to, so none of it is wasted.
        let fits = (bytes / size_of::<R>()).max(2);
        let run = 1u64 << fits.ilog2();
        let sorter = ExternalSorter::new()
            .with_segment_size(run as usize - 1)
            .with_sort_dir(folder.path().to_owned())
            .pushed_by((|a, b| a.0.cmp(&b.0)) as Compare<R>);
        Ok(Self { space, sorter, folder, claim: Claim::new(space.meter.clone()), run, count: 0 })
    }

    /// Where it works.
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// Takes one record.
    pub fn push(&mut self, record: R) -> Result<()> {
        self.sorter.push(Item(record)).map_err(self.space.fail("sort in"))?;
        self.count += 1;
        if self.count.is_multiple_of(self.run) {
            let number = self.count / self.run - 1;
            let bytes = self.run * (size_of::<R>() + SUM) as u64;
            segment_written(&self.folder, number, bytes, &mut self.claim, self.space);
        }
        Ok(())
    }

    /// Merges what was taken.
    pub fn finish(self) -> Result<Sorted<'a, R>> {
        let Self { space, mut sorter, folder, mut claim, run, count } = self;
        if count >= run && count.is_multiple_of(run) {
            sorter.push(Item(R::MAX)).map_err(space.fail("sort in"))?;
        }
        let records = sorter.done().map_err(space.fail("sort in"))?;
        if count >= run {
            let bytes = (count % run).max(1) * (size_of::<R>() + SUM) as u64;
            segment_written(&folder, count / run, bytes, &mut claim, space);
        }
        Ok(Sorted { space, records, _folder: folder, _claim: claim, count, found: 0 })
    }
}

/// Accounts for a segment file that was just written, and unlinks it.
fn segment_written(folder: &TempDir, number: u64, bytes: u64, claim: &mut Claim, space: &Space) {
    space.meter.spilled(bytes);
    claim.grow(bytes);
    // Should this fail, the file still goes with its folder.
    let _ = std::fs::remove_file(folder.path().join(number.to_string()));
}

/// The records of an [`External`] sorter, in order.
pub struct Sorted<'a, R: Record> {
    space: &'a Space,
    records: SortedIterator<Item<R>, Compare<R>>,
    _folder: TempDir,
    _claim: Claim,
    count: u64,
    found: u64,
}

impl<R: Record> Sorted<'_, R> {
    /// The next record; `None` after as many as were taken.
    ///
    /// # Errors
    /// `LostRecords` when the sorter has fewer.
    pub fn record(&mut self) -> Result<Option<R>> {
        if self.found == self.count {
            return Ok(None);
        }
        match self.records.next() {
            Some(record) => {
                self.found += 1;
                Ok(Some(record.map_err(self.space.fail("sort in"))?.0))
            }
            None => Err(Error::LostRecords {
                expected: self.count,
                found: self.found,
                folder: self.space.backend.folder().to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::space::testing;

    /// The sorter of `extsort` 0.5 gives back nothing when the number of records is a multiple of its segment and some lie
    /// on disk.
    #[test]
    fn no_record_is_lost_at_any_length_around_a_run() {
        const RUN: u64 = 64;
        let space = testing::space(1 << 24);
        for len in 0..=4 * RUN + 1 {
            let mut sorter = External::new(&space, RUN as usize * 8).expect("a folder");
            assert_eq!(sorter.run, RUN);
            for i in 0..len {
                let key = (i * 37 % (len + 1)) as u32;
                sorter.push([key, i as u32]).expect("room on disk");
            }
            let mut records = sorter.finish().expect("all runs");
            let sorted: Vec<[u32; 2]> = std::iter::from_fn(|| records.record().expect("all records")).collect();
            drop(records);
            let mut expected: Vec<_> = (0..len).map(|i| [(i * 37 % (len + 1)) as u32, i as u32]).collect();
            expected.sort_unstable();
            assert_eq!(sorted, expected, "{len} records");
            assert_eq!(space.meter.temp_bytes.load(Relaxed), 0);
        }
    }

    #[test]
    fn a_bit_that_turns_in_a_segment_is_noticed() {
        let mut bytes = Vec::new();
        Item([7u32, 1 << 29, 0]).encode(&mut bytes).expect("room");
        assert_eq!(Item::<[u32; 3]>::decode(&mut &bytes[..]).expect("as it was").0, [7, 1 << 29, 0]);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let decoded = Item::<[u32; 3]>::decode(&mut &bytes[..]);
            assert_eq!(decoded.err().map(|error| error.kind()), Some(io::ErrorKind::InvalidData), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(Item::<[u32; 3]>::decode(&mut &[0; 16][..]).is_err());
    }

    #[test]
    fn the_largest_records_there_are_come_back_too() {
        let space = testing::space(1 << 24);
        let mut sorter = External::new(&space, 64).expect("a folder");
        for _ in 0..16 {
            sorter.push([u32::MAX]).expect("room on disk");
        }
        let mut records = sorter.finish().expect("all runs");
        let found: Vec<_> = std::iter::from_fn(|| records.record().expect("all records")).collect();
        assert_eq!(found, [[u32::MAX]; 16]);
    }
}

//! Stretches: what one log has in one extent, packet behind packet, written little by little and read back at once.
//!
//! ```text
//!   records ─► packet ─► bundle: [packet][packet][packet]… ─► extent: ├── stretch of a log ──┤├ of another ┤├── of a third ─…┤
//! ```

use super::{
    buffer::Buffer,
    cells::KeyRange,
    lane::Lane,
    packet::{Packet, encode, longest},
    pool::{Pool, Share},
    scratch::Extent,
    space::Space,
};
use crate::error::Result;

/// A part of a log on disk.
#[derive(Debug)]
pub struct Stretch {
    extent: Extent,
    /// Where it begins in the extent, in bytes.
    offset: u32,
    /// Its length in bytes.
    pub bytes: u32,
    /// The number of lanes of its records.
    pub lanes: u32,
}

impl Stretch {
    /// Its length in bytes.
    fn len(&self) -> usize {
        self.bytes as usize
    }

    /// Says that it will be read soon.
    pub fn will_read(&self) {
        self.extent.will_read(self.offset as usize, self.bytes as usize);
    }

    /// Takes in `other`, if that lies right behind it; gives it back if it does not.
    pub fn join(&mut self, other: Self) -> Option<Self> {
        if !self.extent.is(&other.extent) || self.offset + self.bytes != other.offset {
            return Some(other);
        }
        self.bytes += other.bytes;
        self.lanes += other.lanes;
        None
    }

    /// Reads all of it into `buffer`.
    pub fn read<'a>(&self, buffer: &'a mut Buffer, pool: &Pool) -> Result<&'a [u8]> {
        self.read_some(self.len(), buffer, pool)
    }

    /// Reads its beginning into `buffer`, all of the first packet at least.
    pub fn read_first<'a>(&self, buffer: &'a mut Buffer, pool: &Pool) -> Result<&'a [u8]> {
        self.read_some(self.len().min(longest(pool.block_bytes())), buffer, pool)
    }

    fn read_some<'a>(&self, len: usize, buffer: &'a mut Buffer, pool: &Pool) -> Result<&'a [u8]> {
        let bytes = &mut bytemuck::cast_slice_mut(buffer.room(len, pool))[..len];
        self.extent.read(bytes, self.offset as usize)?;
        Ok(bytes)
    }

    /// Unpacks the packet at `at` of the `bytes` that were read into `buffer`; gives its records, the log they belong to, and where
    /// the next packet begins.
    pub fn records<'a, I: Lane, const N: usize>(
        &self,
        bytes: &[u8],
        at: usize,
        buffer: &'a mut Buffer,
        pool: &Pool,
    ) -> Result<(&'a [[I; N]], u32, usize)> {
        let packet = Packet::first_of(&bytes[at..])
            .filter(|packet| packet.is_intact(self.extent.number_of(self.offset as usize + at)));
        let packet = packet.ok_or_else(|| self.extent.damaged())?;
        let lanes = packet.lanes as usize;
        let words = buffer.room(lanes * size_of::<I>(), pool);
        let records = bytemuck::cast_slice_mut::<u64, I>(words)[..lanes].as_chunks_mut().0;
        packet.decode(records).ok_or_else(|| self.extent.damaged())?;
        Ok((records, packet.log, at + packet.length()))
    }

    /// Where each packet of the `bytes` that were read begins.
    pub fn packets(&self, bytes: &[u8]) -> Result<Vec<u32>> {
        let (mut at, mut packets) = (0, Vec::new());
        while at < bytes.len() {
            packets.push(at as u32);
            at += Packet::first_of(&bytes[at..]).ok_or_else(|| self.extent.damaged())?.length();
        }
        Ok(packets)
    }
}

/// A stretch that has been read, to be shown from its end.
#[derive(Debug)]
pub struct Backwards {
    /// The packets that are left, as a stretch.
    pub rest: Stretch,
    read: Buffer,
    /// Where each packet that is left begins.
    starts: Vec<u32>,
}

impl Backwards {
    /// Reads all of `stretch` into memory that is charged to `share`.
    pub fn of(stretch: Stretch, share: Share, pool: &Pool) -> Result<Self> {
        let mut read = Buffer::new(share);
        let starts = stretch.packets(stretch.read(&mut read, pool)?)?;
        Ok(Self { rest: stretch, read, starts })
    }

    /// Takes off the last packet, if there is one, and unpacks its records into `buffer`; gives the number of their lanes.
    pub fn pop<I: Lane, const N: usize>(&mut self, buffer: &mut Buffer, pool: &Pool) -> Result<usize> {
        let Some(at) = self.starts.pop() else { return Ok(0) };
        let bytes = bytemuck::cast_slice(self.read.words());
        let (records, ..) = self.rest.records::<I, N>(bytes, at as usize, buffer, pool)?;
        let lanes = records.len() * N;
        self.rest.bytes = at;
        self.rest.lanes -= lanes as u32;
        Ok(lanes)
    }

    /// Whether no packet is left.
    pub fn is_done(&self) -> bool {
        self.starts.is_empty()
    }
}

/// Where the next packet goes: an extent, if there is one yet, and the bytes of it that are used.
#[derive(Debug, Default)]
pub struct Filling {
    extent: Option<Extent>,
    used: usize,
}

/// Packets on their way to disk together.
pub struct Bundle<'a> {
    space: &'a Space,
    filling: &'a mut Filling,
    buffer: Buffer,
    /// Bytes of the extent that are written; those in the buffer come behind them.
    written: usize,
}

impl<'a> Bundle<'a> {
    /// An empty bundle, to go on in `filling`; its buffer is charged to `share`.
    pub fn new(share: Share, filling: &'a mut Filling, space: &'a Space) -> Self {
        let written = filling.used;
        Self { space, filling, buffer: Buffer::new(share), written }
    }

    /// Takes `records` of `log`, at least one and at most a block, as a packet; gives the stretch that it will be, and the range of
    /// the first lane.
    pub fn add<I: Lane, const N: usize>(&mut self, records: &[[I; N]], log: u32) -> Result<(Stretch, KeyRange)> {
        if let Some(added) = self.add_here(records, log) {
            return Ok(added);
        }
        self.finish()?;
        *self.filling = Filling { extent: Some(self.space.scratch.take()?), used: 0 };
        self.written = 0;
        Ok(self.add_here(records, log).expect("an extent holds more than a block"))
    }

    /// Takes `records` if the extent has room for them.
    fn add_here<I: Lane, const N: usize>(&mut self, records: &[[I; N]], log: u32) -> Option<(Stretch, KeyRange)> {
        let (extent, offset) = (self.filling.extent.as_ref()?, self.filling.used);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.buffer.room(extent.length(), &self.space.pool));
        let room = &mut bytes[offset - self.written..extent.length() - self.written];
        let (len, range) = encode(records, log, room, extent.number_of(offset), self.space.limits.compress)?;
        self.filling.used += len;
        let lanes = (records.len() * N) as u32;
        Some((Stretch { extent: extent.clone(), offset: offset as u32, bytes: len as u32, lanes }, range))
    }

    /// Writes the packets that have been taken.
    pub fn finish(&mut self) -> Result<()> {
        let Filling { extent, used } = &*self.filling;
        if let Some(extent) = extent
            && *used > self.written
        {
            // Up to the end of a page, with whatever the buffer has there.
            let bytes: &[u8] = bytemuck::cast_slice(self.buffer.words());
            extent.write(&bytes[..extent.page_end(*used) - self.written], self.written)?;
            self.written = *used;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use fastrand::Rng;

    use super::*;
    use crate::disk::space::testing;

    const BLOCK: usize = 16 << 10;

    /// Records like those of a log, with lanes close to each other; not where `seed` is a multiple of 3.
    fn records(count: usize, seed: u32) -> Vec<[u32; 3]> {
        let mut random = Rng::with_seed(seed.into());
        // Some logs do not get shorter when they are packed.
        let most = if seed.is_multiple_of(3) { u32::MAX } else { 1000 };
        (0..count as u32).map(|at| [random.u32(..most), random.u32(..2), at.wrapping_mul(most)]).collect()
    }

    /// The records of all packets of a stretch, read at once.
    fn all_of(stretch: &Stretch, space: &Space) -> Result<Vec<[u32; 3]>> {
        let (mut read, mut buffer) = (Buffer::new(Share::Arcs), Buffer::new(Share::Arcs));
        let (mut all, mut at) = (Vec::new(), 0);
        let bytes = stretch.read(&mut read, &space.pool)?;
        while at < bytes.len() {
            let (records, _, next) = stretch.records(bytes, at, &mut buffer, &space.pool)?;
            all.extend_from_slice(records);
            at = next;
        }
        Ok(all)
    }

    /// Writes each of `runs` to one bundle.
    fn written(runs: &[Vec<[u32; 3]>], filling: &mut Filling, space: &Space) -> Vec<Stretch> {
        let mut bundle = Bundle::new(Share::Queue, filling, space);
        let add = |records: &Vec<[u32; 3]>| {
            let (stretch, range) = bundle.add(records, 0).expect("room on disk");
            let all = KeyRange::of(records.iter().map(|record| record[0]));
            assert_eq!((range.base(), range.last()), (all.base(), all.last()));
            stretch
        };
        let stretches = runs.iter().map(add).collect();
        bundle.finish().expect("room on disk");
        stretches
    }

    #[test]
    fn stretches_come_back_and_give_their_place_back() {
        for compress in [true, false] {
            let space = testing::space_with(|limits| (limits.block, limits.compress) = (BLOCK, compress));
            let mut bundles: Vec<Vec<(Stretch, Vec<[u32; 3]>)>> = Vec::new();
            let mut filling = Filling::default();
            for round in 0..4 {
                // Every other bundle is dropped.
                let mut kept = [true, false].into_iter().cycle();
                bundles.retain(|_| kept.next() == Some(true));
                for seed in 0..60 {
                    // One block, or many small runs.
                    let counts =
                        if seed % 4 < 2 { vec![BLOCK / 12] } else { (1..40).map(|run| 37 * run % 300).collect() };
                    let runs: Vec<_> = (0..).zip(counts).map(|(at, count)| records(count, seed + 100 * at)).collect();
                    let stretches = written(&runs, &mut filling, &space);
                    bundles.push(stretches.into_iter().zip(runs).collect());
                }
                for (stretch, records) in bundles.iter().flatten() {
                    assert_eq!(&all_of(stretch, &space).expect("a disk that reads"), records);
                }
                bundles.reverse();
                let temp_bytes = space.scratch.meter.temp_bytes.load(Relaxed);
                let bytes: usize = bundles.iter().flatten().map(|(stretch, _)| stretch.len()).sum();
                // An extent is kept as long as a part of it is.
                assert!(
                    temp_bytes >= bytes as u64 && temp_bytes < bytes as u64 * 5 / 2,
                    "round {round}: {bytes} bytes in {temp_bytes}"
                );
            }
            drop((bundles, filling));
            assert_eq!(space.pool.left(Share::Queue), space.limits.queue);
            assert_eq!(space.scratch.meter.temp_bytes.load(Relaxed), 0);
        }
    }

    #[test]
    fn runs_that_follow_each_other_are_one_stretch_that_is_read_from_either_end() {
        let space = testing::space_with(|limits| limits.block = BLOCK);
        let runs: Vec<_> = (1..9).map(|seed| records(100 * seed as usize, seed)).collect();
        let mut stretches = written(&runs, &mut Filling::default(), &space).into_iter();
        let mut whole = stretches.next().expect("eight");
        assert!(stretches.all(|stretch| whole.join(stretch).is_none()));
        assert_eq!(all_of(&whole, &space).expect("a disk that reads"), runs.concat());
        let mut backwards = Backwards::of(whole, Share::Arcs, &space.pool).expect("whole runs");
        let mut buffer = Buffer::new(Share::Arcs);
        for (left, run) in runs.iter().enumerate().rev() {
            let lanes = backwards.pop::<u32, 3>(&mut buffer, &space.pool).expect("an intact run");
            assert_eq!(&bytemuck::cast_slice::<u64, u32>(buffer.words())[..lanes], run.as_flattened());
            assert_eq!(backwards.is_done(), left == 0);
            assert_eq!(all_of(&backwards.rest, &space).expect("a disk that reads"), runs[..left].concat());
        }
        assert_eq!((backwards.rest.len(), backwards.rest.lanes), (0, 0));
        let others = written(&runs, &mut Filling::default(), &space);
        assert!(backwards.rest.join(others.into_iter().next().expect("eight")).is_some());
    }

    #[test]
    fn a_bit_that_changed_and_bytes_of_another_time_are_noticed() {
        let space = testing::space_with(|limits| limits.block = BLOCK);
        for seed in [1, 3] {
            let stretch = written(&[records(300, seed)], &mut Filling::default(), &space).pop().expect("one");
            let (mut read, mut buffer) = (Buffer::new(Share::Arcs), Buffer::new(Share::Arcs));
            let intact = stretch.read(&mut read, &space.pool).expect("a disk that reads").to_vec();
            let mut records = |bytes: &[u8], stretch: &Stretch| {
                stretch.records::<u32, 3>(bytes, 0, &mut buffer, &space.pool).map(drop)
            };
            assert!(records(&intact, &stretch).is_ok());
            for bit in 0..8 * intact.len() {
                let mut bytes = intact.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(records(&bytes, &stretch).is_err(), "bit {bit}");
            }
            assert!((0..intact.len()).all(|len| records(&intact[..len], &stretch).is_err()));
            // The same place, taken again: what lay there before was whole, and is not what was written now.
            drop(stretch);
            let mut filling = Filling { extent: Some(space.scratch.take().expect("room on disk")), used: 0 };
            let again = written(&[super::tests::records(300, seed)], &mut filling, &space).pop().expect("one");
            assert!(records(&intact, &again).is_err());
        }
    }
}

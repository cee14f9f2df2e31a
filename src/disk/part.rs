//! Parts: the finished pieces of a log, each a block of memory or a stretch on disk, and how they are read.

use super::{
    buffer::Buffer,
    lane::Lane,
    pool::{Block, Pool, Share},
    source::some_of,
    stretch::Stretch,
};
use crate::error::Result;

/// A finished part of a log.
#[derive(Debug)]
pub enum Part {
    /// A block, and the number of its lanes that are filled.
    Ram(Block, u32),
    /// Packets that were written one behind the other.
    Disk(Stretch),
}

impl Part {
    /// The number of lanes of its records.
    pub fn lanes(&self) -> u32 {
        match self {
            Part::Ram(_, lanes) | Part::Disk(Stretch { lanes, .. }) => *lanes,
        }
    }

    /// Its bytes on disk, if it is there and takes fewer than `below`.
    pub fn short_bytes(&self, below: usize) -> Option<usize> {
        if let Part::Disk(stretch) = self { Some(stretch.bytes as usize).filter(|&len| len < below) } else { None }
    }

    /// Its records, if they are in memory.
    pub fn in_memory<I: Lane, const N: usize>(&self) -> Option<&[[I; N]]> {
        if let Part::Ram(block, lanes) = self { Some(records(block.words(), *lanes as usize)) } else { None }
    }

    /// Bytes of memory that the part takes.
    pub fn memory(&self) -> usize {
        match self {
            Part::Ram(block, _) => size_of_val(block.words()),
            Part::Disk(_) => 0,
        }
    }
}

/// The first `lanes` lanes of a block, as records.
pub fn records<I: Lane, const N: usize>(words: &[u64], lanes: usize) -> &[[I; N]] {
    bytemuck::cast_slice(&bytemuck::cast_slice::<u64, I>(words)[..lanes])
}

/// The number of parts that are fetched from disk in advance while one is worked on.
pub const AHEAD: usize = 2;

/// Has `part` fetched from disk in advance, if it is on disk.
pub fn will_read(part: Option<&Part>) {
    if let Some(Part::Disk(stretch)) = part {
        stretch.will_read();
    }
}

/// An even sample of `parts`, each with the number of blocks or packets to take of it: at most `most` in all, and at least one if
/// there are any.
pub fn evenly(parts: &[Part], most: usize) -> impl Iterator<Item = (&Part, usize)> {
    let lanes = |part: &Part| u64::from(part.lanes());
    let step = parts.iter().map(lanes).sum::<u64>().div_ceil(most as u64);
    let mut sum = 0;
    let counted = parts.iter().map(move |part| {
        let before = sum;
        sum += lanes(part);
        (part, (sum.div_ceil(step) - before.div_ceil(step)) as usize)
    });
    counted.filter(|&(_, some)| some > 0)
}

/// Shows the records of parts; has buffers for a stretch that is read back and for the records of one of its packets.
pub struct Reader<'a> {
    pool: &'a Pool,
    stretch: Buffer,
    records: Buffer,
}

impl<'a> Reader<'a> {
    /// A reader whose buffers are made when first needed, and charged to `share`.
    pub fn new(share: Share, pool: &'a Pool) -> Self {
        Self { pool, stretch: Buffer::new(share), records: Buffer::new(share) }
    }

    /// Shows all records of `part`, at most a block at a time, and which of the logs that share the part they belong to.
    pub fn visit<I: Lane, const N: usize>(
        &mut self,
        part: &Part,
        mut show: impl FnMut(u32, &[[I; N]]) -> Result<()>,
    ) -> Result<()> {
        let stretch = match part {
            Part::Ram(block, lanes) => return show(0, records(block.words(), *lanes as usize)),
            Part::Disk(stretch) => stretch,
        };
        let (mut at, bytes) = (0, stretch.read(&mut self.stretch, self.pool)?);
        while at < bytes.len() {
            let (records, log, next) = stretch.records(bytes, at, &mut self.records, self.pool)?;
            show(log, records)?;
            at = next;
        }
        Ok(())
    }

    /// Shows the records of an even sample of at most `most` blocks or packets of `part`.
    pub fn visit_some<I: Lane, const N: usize>(
        &mut self,
        part: &Part,
        most: usize,
        mut show: impl FnMut(&[[I; N]]),
    ) -> Result<()> {
        match part {
            Part::Ram(block, lanes) => show(records(block.words(), *lanes as usize)),
            Part::Disk(stretch) if most == 1 => {
                let bytes = stretch.read_first(&mut self.stretch, self.pool)?;
                show(stretch.records(bytes, 0, &mut self.records, self.pool)?.0);
            }
            Part::Disk(stretch) => {
                let bytes = stretch.read(&mut self.stretch, self.pool)?;
                for &at in some_of(&stretch.packets(bytes)?, most) {
                    show(stretch.records(bytes, at as usize, &mut self.records, self.pool)?.0);
                }
            }
        }
        Ok(())
    }
}

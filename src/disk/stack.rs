//! `Stack`: a log that is read backwards.

use std::marker::PhantomData;

use super::{
    buffer::Buffer,
    cells::KeyRange,
    lane::Lane,
    part::{AHEAD, Part, records, will_read},
    space::Space,
    spool::Spool,
    stretch::Backwards,
};
use crate::error::Result;

/// A log that is read backwards, each part freed when it is used up.
#[derive(Debug)]
pub struct Stack<I, const N: usize> {
    parts: Vec<Part>,
    /// The range of the first lane over the parts on disk.
    spilled: KeyRange,
    /// The block being read.
    chunk: Buffer,
    /// Lanes of that block not yet popped.
    left: usize,
    /// The stretch that the block comes from, while there is more of it.
    open: Option<Backwards>,
    marker: PhantomData<I>,
}

impl<I: Lane, const N: usize> Stack<I, N> {
    /// The records of `log`, the last one first.
    pub fn of(log: Spool<I, N>) -> Self {
        let (share, parts, spilled) = log.into_parts();
        Self { parts, spilled, chunk: Buffer::new(share), left: 0, open: None, marker: PhantomData }
    }

    /// Pops the last record not yet popped.
    #[inline(always)]
    pub fn pop(&mut self, space: &Space) -> Result<Option<[I; N]>> {
        let mut last = None;
        self.pop_while(space, |record| {
            last = Some(record);
            Ok(false)
        })?;
        Ok(last)
    }

    /// The records not yet popped, as a log again.
    pub fn into_spool(mut self) -> Spool<I, N> {
        self.parts.extend(self.open.map(|open| Part::Disk(open.rest)));
        let share = self.chunk.share();
        if let Some(chunk) = self.chunk.into_block().filter(|_| self.left > 0) {
            self.parts.push(Part::Ram(chunk, self.left as u32));
        }
        Spool::of(share, self.parts, self.spilled)
    }

    /// Pops records and shows them, until `show` answers `false` or none is left.
    #[inline(always)]
    pub fn pop_while(&mut self, space: &Space, mut show: impl FnMut([I; N]) -> Result<bool>) -> Result<()> {
        while self.left > 0 || self.load(space)? {
            let lanes: &[I] = bytemuck::cast_slice(self.chunk.words());
            let mut rest = &lanes[..self.left];
            while let Some((before, record)) = rest.split_last_chunk() {
                rest = before;
                if !show(*record)? {
                    self.left = rest.len();
                    return Ok(());
                }
            }
            self.left = 0;
        }
        Ok(())
    }

    /// Some records not yet popped, to be popped from the end; none if there are no more.
    #[inline(always)]
    pub fn ready(&mut self, space: &Space) -> Result<&[[I; N]]> {
        if self.left == 0 {
            self.load(space)?;
        }
        Ok(records(self.chunk.words(), self.left))
    }

    /// Pops the last `count` of the records that are [ready](Self::ready).
    #[inline(always)]
    pub fn pop_some(&mut self, count: usize) {
        self.left -= count * N;
    }

    #[cold]
    #[inline(never)]
    fn load(&mut self, space: &Space) -> Result<bool> {
        if let Some(stretch) = &mut self.open {
            self.left = stretch.pop::<I, N>(&mut self.chunk, &space.pool)?;
            if stretch.is_done() {
                self.open = None;
            }
            return Ok(self.left > 0);
        }
        let Some(part) = self.parts.pop() else { return Ok(false) };
        will_read(self.parts.iter().nth_back(AHEAD - 1));
        match part {
            Part::Ram(block, lanes) => {
                self.chunk.replace(block);
                self.left = lanes as usize;
                Ok(true)
            }
            Part::Disk(stretch) => {
                self.open = Some(Backwards::of(stretch, self.chunk.share(), &space.pool)?);
                self.load(space)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{pool::Share, source::Source, space::testing};

    const BLOCK: usize = 4096;
    const LANES: u32 = BLOCK as u32 / 4;
    /// More records than a stretch takes.
    const COUNT: u32 = 30 * LANES + 3;

    /// A log of 0, 1, 2, … that has only its tail in memory.
    fn log(space: &Space) -> Result<Spool<u32, 1>> {
        let mut log = Spool::new(Share::Arcs);
        (0..COUNT).try_for_each(|at| log.append([at], space))?;
        Ok(log)
    }

    #[test]
    fn a_log_on_disk_comes_back_from_both_ends_in_few_parts() -> Result<()> {
        for compress in [true, false] {
            let space =
                testing::space_with(|limits| (limits.block, limits.arcs, limits.compress) = (BLOCK, 0, compress));
            let mut forwards = log(&space)?;
            assert_eq!(forwards.count(), u64::from(COUNT));
            let mut next = 0..COUNT;
            forwards.drain(&space, |block| {
                assert!(block.iter().all(|&[at]| next.next() == Some(at)));
                Ok(())
            })?;
            assert_eq!(next, COUNT..COUNT);
            let mut backwards = Stack::of(log(&space)?);
            while let Some([at]) = backwards.pop(&space)? {
                assert_eq!(next.start, at + 1);
                next.start = at;
            }
            assert_eq!(next, 0..COUNT);
            assert_eq!(log(&space)?.into_parts().1.len(), if compress { 2 } else { 6 });
            drop((forwards, backwards));
            assert_eq!(space.pool.left(Share::Arcs), 0);
        }
        Ok(())
    }

    #[test]
    fn a_stack_that_was_popped_in_part_is_a_log_of_the_rest() -> Result<()> {
        let space = testing::space_with(|limits| (limits.block, limits.arcs) = (BLOCK, 0));
        for left in [0, 1, LANES - 1, LANES, LANES + 1, 9 * LANES, 20 * LANES + 7, COUNT] {
            let mut stack = Stack::of(log(&space)?);
            for at in (left..COUNT).rev() {
                assert_eq!(stack.pop(&space)?, Some([at]));
            }
            let mut rest = stack.into_spool();
            assert_eq!(rest.count(), u64::from(left));
            let range = Source::range(&&mut rest, 0, &space)?;
            assert!(range.base() == 0 && (left == 0 || range.last() >= u64::from(left) - 1));
            let mut next = 0..left;
            rest.drain(&space, |block| {
                assert!(block.iter().all(|&[at]| next.next() == Some(at)));
                Ok(())
            })?;
            assert!(next.is_empty());
        }
        Ok(())
    }
}

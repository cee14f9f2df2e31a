//! `gather`: what a log, or several that share one, have on disk in many short parts is put together in few long ones.
//!
//! ```text
//!   short parts   [a b d][b c][a c d]…     in each a few records of many logs
//!                        │ sorted by log
//!   a long one    [a a b b c c d d]        a run of each log
//! ```

use super::{lane::Lane, space::Space, spool::Spool, stretch::Bundle};
use crate::error::Result;

/// Moves what `group`, a log or several that share it, has in short parts, of fewer than `below` bytes, to `bundle`: about as much
/// at a time as an extent has room for. None of it may be in memory, where records come behind those on disk.
pub fn gather<I: Lane, const N: usize>(
    group: &mut Spool<I, N>,
    below: usize,
    bundle: &mut Bundle<'_>,
    space: &Space,
) -> Result<()> {
    debug_assert!(!group.is_resident(), "records in memory before some on disk would stay there");
    let most = space.pool.largest() / size_of::<[I; N]>();
    let mut gathered = Vec::new();
    group.take_short_parts(below).drain_group(space, |log, records| {
        if gathered.len() + records.len() > most {
            write(group, &mut gathered, bundle, space)?;
        }
        gathered.extend(records.iter().map(|record| (log, *record)));
        Ok(())
    })?;
    write(group, &mut gathered, bundle, space)
}

/// Writes and clears what has been `gathered`, pairs of a log and a record of it, log by log.
fn write<I: Lane, const N: usize>(
    group: &mut Spool<I, N>,
    gathered: &mut Vec<(u32, [I; N])>,
    bundle: &mut Bundle<'_>,
    space: &Space,
) -> Result<()> {
    gathered.sort_unstable_by_key(|&(log, _)| log);
    let (most, mut run) = (space.pool.block_bytes() / size_of::<[I; N]>(), Vec::new());
    for records in gathered.chunk_by(|a, b| a.0 == b.0).flat_map(|log| log.chunks(most)) {
        run.clear();
        run.extend(records.iter().map(|&(_, record)| record));
        group.file_run(&run, records[0].0, bundle)?;
    }
    gathered.clear();
    Ok(())
}

//! Packets: records as they are on disk, packed where that is shorter, behind a head that knows them again.
//!
//! ```text
//!   head: checksum (8 bytes) │ bytes (4) │ lanes (4) │ log (4)     records, in so many bytes
//! ```
//! The checksum is of all that follows it and of the place it was written to: bytes that have changed, or that were there before,
//! are not taken for others.

use twox_hash::XxHash3_64;

use super::{
    cells::KeyRange,
    lane::Lane,
    packed::{pack, unpack},
};

/// Bytes before the records, and those of them that the checksum takes.
const HEAD: usize = 20;
const SUM: usize = 8;

/// Bytes that a packet of so many bytes of records takes at most.
pub const fn longest(bytes: usize) -> usize {
    HEAD + bytes
}

/// A packet among the bytes of a stretch.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    /// All of it.
    bytes: &'a [u8],
    /// Lanes of its records.
    pub lanes: u32,
    /// Which one they belong to of the logs that share a stretch.
    pub log: u32,
}

/// Fills the beginning of `out` with a packet of `records` of this `log` for the place of this `number`. Gives the bytes it takes, and
/// the range of the first lane; `None` if there is no room for so many.
pub fn encode<I: Lane, const N: usize>(
    records: &[[I; N]],
    log: u32,
    out: &mut [u8],
    number: u64,
    compress: bool,
) -> Option<(usize, KeyRange)> {
    let (head, body) = out.split_at_mut_checked(HEAD)?;
    let plain: &[u8] = bytemuck::cast_slice(records);
    let most = plain.len().saturating_sub(1).min(body.len());
    let packed = if compress { pack(records, &mut body[..most]) } else { None };
    let (len, range) = if let Some(packed) = packed {
        packed
    } else {
        body.get_mut(..plain.len())?.copy_from_slice(plain);
        (plain.len(), KeyRange::of(records.iter().map(|record| record[0])))
    };
    head[SUM..].copy_from_slice(bytemuck::bytes_of(&[len as u32, (records.len() * N) as u32, log]));
    let sum = XxHash3_64::oneshot_with_seed(number, &out[SUM..HEAD + len]);
    out[..SUM].copy_from_slice(&sum.to_le_bytes());
    Some((HEAD + len, range))
}

impl<'a> Packet<'a> {
    /// The packet that `bytes` begin with, as far as its head can be believed; `None` if it would be longer than they are.
    pub fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let [len, lanes, log]: [u32; 3] = bytemuck::pod_read_unaligned(bytes.get(SUM..HEAD)?);
        Some(Self { bytes: bytes.get(..HEAD + len as usize)?, lanes, log })
    }

    /// Bytes it takes.
    pub fn length(self) -> usize {
        self.bytes.len()
    }

    /// Whether it was written to the place of this `number`.
    pub fn is_intact(self, number: u64) -> bool {
        self.bytes[..SUM] == XxHash3_64::oneshot_with_seed(number, &self.bytes[SUM..]).to_le_bytes()
    }

    /// Fills `records`, as many as it has; `None` if it was not made of this.
    pub fn decode<I: Lane, const N: usize>(self, records: &mut [[I; N]]) -> Option<()> {
        let body = &self.bytes[HEAD..];
        let plain: &mut [u8] = bytemuck::cast_slice_mut(records);
        if body.len() == plain.len() {
            plain.copy_from_slice(body);
            return Some(());
        }
        unpack(body, records)
    }
}

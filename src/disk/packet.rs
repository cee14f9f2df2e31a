//! Packets: records as they lie on disk, packed where that is shorter, behind a head with their checksum.
//!
//! ```text
//!   head: checksum (8 bytes) │ bytes (4) │ lanes (4) │ log (4)     records, in that many bytes
//! ```
//! The checksum covers all that follows it and the place it was written to: bytes that have changed, or that lay there before, do
//! not pass for others.

use twox_hash::XxHash3_64;

use super::{
    cells::KeyRange,
    lane::Lane,
    packed::{pack, unpack},
};

/// Bytes of the head, and of the checksum at its beginning.
const HEAD: usize = 20;
const SUM: usize = 8;

/// The most bytes that a packet of `bytes` bytes of records takes.
pub const fn longest(bytes: usize) -> usize {
    HEAD + bytes
}

/// A packet among the bytes of a stretch.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    /// All bytes of the packet, the head included.
    bytes: &'a [u8],
    /// The number of lanes of all its records.
    pub lanes: u32,
    /// The log that the records belong to, of those that share the stretch.
    pub log: u32,
}

/// Writes a packet of `records` of `log`, for the place of this `number`, to the beginning of `out`. Gives the length of the packet
/// in bytes and the range of the first lane, or `None` if `out` is too short.
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
    /// The packet that `bytes` begin with, by its head, which is not checked; `None` if `bytes` are shorter than that says.
    pub fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let [len, lanes, log]: [u32; 3] = bytemuck::pod_read_unaligned(bytes.get(SUM..HEAD)?);
        Some(Self { bytes: bytes.get(..HEAD + len as usize)?, lanes, log })
    }

    /// Length of the packet in bytes.
    pub fn length(self) -> usize {
        self.bytes.len()
    }

    /// Whether it is as it was written to the place of this `number`.
    pub fn is_intact(self, number: u64) -> bool {
        self.bytes[..SUM] == XxHash3_64::oneshot_with_seed(number, &self.bytes[SUM..]).to_le_bytes()
    }

    /// Unpacks the records into `records`, one place for each; `None` if the bytes do not fit that number.
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

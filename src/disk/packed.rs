//! Packing of records on their way to disk: of every lane of 128 records, only the bits in which they differ.
//!
//! ```text
//!   128 records, lane by lane:  bits (1 byte) │ base (a lane) │ each value less the base, in that many bits
//!   the records left:           as they are
//! ```
//! Neighbours in a log are for the same level and come from the same level, so that their lanes are close to each other: ids lie
//! within a level and slots within a few hundred. Terminals are far from all ids and are stored as they are.
//!
//! All of it is compiled twice on x86-64, for any processor and for those with AVX2; [`Arch`] chooses what this processor runs.
//!
//! After: D. Lemire, L. Boytsov, "Decoding billions of integers per second through vectorization", 2015 (frame of reference).

use bitpacking::{BitPacker, BitPacker4x};
use pulp::{Arch, NullaryFnOnce};

use super::{
    cells::{KeyRange, place_of, value_at},
    lane::Lane,
};

/// The number of records that are packed together.
const GROUP: usize = BitPacker4x::BLOCK_LEN;

/// The most bits of a packed value; a lane that needs more is stored as it is.
const MOST: u32 = u32::BITS;

/// Packs `records` into the beginning of `out`; gives the number of bytes and the range of the first lane, or `None` if `out` is
/// too short.
pub fn pack<I: Lane, const N: usize>(records: &[[I; N]], out: &mut [u8]) -> Option<(usize, KeyRange)> {
    Arch::new().dispatch(Pack { records, out })
}

struct Pack<'a, I, const N: usize> {
    records: &'a [[I; N]],
    out: &'a mut [u8],
}

impl<I: Lane, const N: usize> NullaryFnOnce for Pack<'_, I, N> {
    type Output = Option<(usize, KeyRange)>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let (groups, rest) = self.records.as_chunks();
        let (mut at, mut first) = (0, KeyRange::of(rest.iter().map(|record| record[0])));
        for group in groups {
            for lane in 0..N {
                let (len, range) = pack_lane(group, lane, &mut self.out[at..])?;
                at += len;
                if lane == 0 {
                    first.join(&range);
                }
            }
        }
        let rest = bytemuck::cast_slice(rest);
        self.out.get_mut(at..at + rest.len())?.copy_from_slice(rest);
        Some((at + rest.len(), first))
    }
}

#[inline(always)]
fn pack_lane<I: Lane, const N: usize>(
    group: &[[I; N]; GROUP],
    lane: usize,
    out: &mut [u8],
) -> Option<(usize, KeyRange)> {
    let values: [I; GROUP] = std::array::from_fn(|at| group[at][lane]);
    let range = KeyRange::of(values.iter().copied());
    let (base, bits) = (I::of(range.base()), u64::BITS - range.last().leading_zeros());
    let (head, out) = out.split_at_mut_checked(1)?;
    head[0] = bits as u8;
    if bits > MOST {
        let plain = bytemuck::cast_slice(&values);
        out.get_mut(..plain.len())?.copy_from_slice(plain);
        return Some((1 + plain.len(), range));
    }
    let (base_out, out) = out.split_at_mut_checked(size_of::<I>())?;
    base_out.copy_from_slice(bytemuck::bytes_of(&base));
    let out = out.get_mut(..BitPacker4x::compressed_block_size(bits as u8))?;
    let places: [u32; GROUP] = std::array::from_fn(|at| place_of(values[at], base).get() as u32);
    Some((1 + size_of::<I>() + BitPacker4x::new().compress(&places, out, bits as u8), range))
}

/// Unpacks `bytes` into `records`; `None` if `bytes` are not a packing of that many records.
pub fn unpack<I: Lane, const N: usize>(bytes: &[u8], records: &mut [[I; N]]) -> Option<()> {
    Arch::new().dispatch(Unpack { bytes, records })
}

struct Unpack<'a, I, const N: usize> {
    bytes: &'a [u8],
    records: &'a mut [[I; N]],
}

impl<I: Lane, const N: usize> NullaryFnOnce for Unpack<'_, I, N> {
    type Output = Option<()>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let (mut bytes, (groups, rest)) = (self.bytes, self.records.as_chunks_mut());
        let mut places = [0; GROUP];
        for group in groups {
            for lane in 0..N {
                bytes = unpack_lane(bytes, group, lane, &mut places)?;
            }
        }
        let rest: &mut [u8] = bytemuck::cast_slice_mut(rest);
        (bytes.len() == rest.len()).then(|| rest.copy_from_slice(bytes))
    }
}

/// Unpacks one lane of `group`; gives the bytes behind it.
#[inline(always)]
fn unpack_lane<'a, I: Lane, const N: usize>(
    bytes: &'a [u8],
    group: &mut [[I; N]; GROUP],
    lane: usize,
    places: &mut [u32; GROUP],
) -> Option<&'a [u8]> {
    let (&bits, bytes) = bytes.split_first()?;
    if u32::from(bits) > MOST {
        let (values, bytes) = bytes.split_at_checked(GROUP * size_of::<I>())?;
        let values = values.chunks_exact(size_of::<I>()).map(bytemuck::pod_read_unaligned);
        group.iter_mut().zip(values).for_each(|(record, value)| record[lane] = value);
        return Some(bytes);
    }
    let (base, bytes) = bytes.split_at_checked(size_of::<I>())?;
    let base = bytemuck::pod_read_unaligned(base);
    let (packed, bytes) = bytes.split_at_checked(BitPacker4x::compressed_block_size(bits))?;
    BitPacker4x::new().decompress(packed, places, bits);
    for (record, &place) in group.iter_mut().zip(&*places) {
        record[lane] = value_at(I::of(place.into()), base);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// Random numbers, at most `high`.
    fn values(high: u64) -> impl Iterator<Item = u64> {
        let mut random = Rng::with_seed(high);
        std::iter::repeat_with(move || random.u64(..=high))
    }

    fn there_and_back<I: Lane, const N: usize>(records: &[[I; N]]) -> usize {
        let mut bytes = vec![7; size_of_val(records) + records.len()];
        let (len, range) = pack(records, &mut bytes).expect("room");
        let of_all = KeyRange::of(records.iter().map(|record| record[0]));
        assert_eq!((range.base(), range.last()), (of_all.base(), of_all.last()));
        assert_eq!(pack(records, &mut vec![7; len]).map(|(len, _)| len), Some(len));
        assert!(len == 0 || pack(records, &mut vec![7; len - 1]).is_none());
        let mut found = vec![[I::MAX; N]; records.len()];
        unpack(&bytes[..len], &mut found).expect("what was packed");
        assert_eq!(found, records);
        len
    }

    #[test]
    fn what_is_packed_comes_back_whatever_its_bits() {
        for high in (0..64).map(|bits| u64::MAX >> bits) {
            for first in [0, 1, 2, 1000, u64::MAX - high] {
                for count in [0, 1, GROUP - 1, GROUP, 2 * GROUP, 3 * GROUP + 5] {
                    let mut wide = values(high).map(|value| value.saturating_add(first));
                    let wide: Vec<[u64; 3]> = (0..count)
                        .map(|at| [wide.next().unwrap_or(0), at as u64 % 3, wide.next().unwrap_or(0)])
                        .collect();
                    there_and_back(&wide);
                    let narrow: Vec<_> = wide.iter().map(|record| record.map(|lane| lane as u32)).collect();
                    there_and_back(&narrow);
                }
            }
        }
    }

    #[test]
    fn terminals_among_large_ids_cost_nothing() {
        let ids = values(1000).take(GROUP).map(|value| (1 << 29) + value);
        let records: Vec<[u32; 1]> = ids.map(|id| [if id % 3 < 2 { id % 2 } else { id } as u32]).collect();
        assert_eq!(there_and_back(&records), 5 + GROUP * 10 / 8);
    }

    #[test]
    fn other_bytes_than_were_packed_are_noticed_or_give_other_records() {
        let records: Vec<[u32; 2]> = values(5000).take(GROUP + 9).map(|value| [value as u32, 7]).collect();
        let mut bytes = vec![0; size_of_val(&records[..])];
        let (len, _) = pack(&records, &mut bytes).expect("room");
        bytes.truncate(len);
        let mut found = vec![[0; 2]; records.len()];
        for len in 0..bytes.len() {
            assert_eq!(unpack(&bytes[..len], &mut found), None);
        }
        for at in 0..bytes.len() {
            for flip in 1..=255 {
                bytes[at] ^= flip;
                let intact = unpack(&bytes, &mut found).is_some();
                assert!(!intact || found != records, "byte {at} ^ {flip}");
                bytes[at] ^= flip;
            }
        }
    }
}

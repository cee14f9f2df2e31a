//! Sorting in RAM: records packed into one word each, of which only the bits that vary are sorted.
//!
//! The lanes of a record are narrowed to the range they span in the bucket at hand and laid side by side, keys first. Values
//! below 2 are common in every lane but the last and far from all others, so they are left out of the range and keep two
//! places of their own below it. What does not fit 64 bits so is sorted as it is, by comparison.

use super::lane::Lane;

/// The range of each lane of a set of records, values below 2 left out but in the last lane.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<const N: usize> {
    /// The smallest value less the number of those left out; these wrap around and are larger than any other.
    low: [u64; N],
    high: [u64; N],
}

impl<const N: usize> Default for Bounds<N> {
    fn default() -> Self {
        Self { low: [u64::MAX; N], high: [0; N] }
    }
}

impl<const N: usize> Bounds<N> {
    /// Widens the bounds to take in `records`.
    pub fn include<I: Lane>(&mut self, records: &[[I; N]]) {
        let mut bounds = *self;
        for record in records {
            for lane in 0..N {
                bounds.include_value(lane, record[lane]);
            }
        }
        *self = bounds;
    }

    #[inline(always)]
    fn include_value<I: Lane>(&mut self, lane: usize, value: I) {
        let distance = value.get().wrapping_sub(apart::<N>(lane));
        self.low[lane] = self.low[lane].min(distance);
        self.high[lane] = self.high[lane].max(value.get());
    }
}

impl Bounds<3> {
    /// The bounds of `pairs` that are each followed by their number.
    pub fn of_numbered<I: Lane>(pairs: &[[I; 2]]) -> Self {
        let mut bounds = Self::default();
        for &[low, high] in pairs {
            bounds.include_value(0, low);
            bounds.include_value(1, high);
        }
        (bounds.low[2], bounds.high[2]) = (0, pairs.len() as u64);
        bounds
    }
}

/// Values below this keep their place whatever the range of the others, in all lanes but the last.
const APART: u64 = 2;

/// The same for any lane.
const fn apart<const N: usize>(lane: usize) -> u64 {
    if lane < N - 1 { APART } else { 0 }
}

/// How records of `N` lanes are laid into 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Packing<const N: usize> {
    /// What is taken off the values, from `APART` up where those below are kept apart.
    base: [u64; N],
    shift: [u32; N],
    mask: [u64; N],
    /// Bits of the lanes that are not keys; they lie lowest.
    pub payload_bits: u32,
    /// Bits of the lanes that are keys.
    pub key_bits: u32,
}

impl<const N: usize> Packing<N> {
    /// The layout for records within `bounds` whose first `keys` lanes are the key; `None` when 64 bits are too few.
    pub fn new(bounds: &Bounds<N>, keys: usize) -> Option<Self> {
        let (mut base, mut shift, mut mask) = ([0; N], [0; N], [0; N]);
        let (mut total, mut payload_bits) = (0, 0);
        for lane in (0..N).rev() {
            let high = bounds.high[lane];
            let apart = apart::<N>(lane);
            base[lane] = if high < apart { 0 } else { bounds.low[lane].min(high - apart) };
            let bits = 64 - (high - base[lane]).leading_zeros();
            if total + bits > 64 {
                return None;
            }
            // Lanes without bits hold 0 everywhere; at shift 64 even those would overflow.
            shift[lane] = total.min(63);
            mask[lane] = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
            total += bits;
            if lane >= keys {
                payload_bits = total;
            }
        }
        Some(Self { base, shift, mask, payload_bits, key_bits: total - payload_bits })
    }

    /// The record as one word; the order of words is the order of records.
    #[inline(always)]
    pub fn pack<I: Lane>(&self, record: [I; N]) -> u64 {
        let mut word = 0;
        for lane in 0..N {
            let value = record[lane].get();
            // The last lane lies lowest.
            word |= if lane == N - 1 {
                value - self.base[lane]
            } else {
                (if value < APART { value } else { value - self.base[lane] }) << self.shift[lane]
            };
        }
        word
    }

    /// The records of `words`, lane by lane. One lane at a time, with nothing to decide: the compiler makes vectors of it.
    #[inline]
    pub fn unpack<I: Lane, const LEN: usize>(&self, words: &[u64], lanes: &mut [[I; LEN]; N]) {
        for lane in 0..N {
            let (base, shift, mask) = (I::of(self.base[lane]), self.shift[lane], self.mask[lane]);
            let apart = apart::<N>(lane);
            for (value, &word) in lanes[lane].iter_mut().zip(words) {
                let narrow = I::of((word >> shift) & mask);
                *value = if narrow < I::of(apart) { narrow } else { narrow + base };
            }
        }
    }
}

/// Below this many words a comparison sort wins.
const FEW: usize = 384;
/// Bits of a digit at most: 2,048 counters stay in the first-level cache.
const DIGIT: u32 = 11;

/// Sorts `words` by the `bits` bits from bit `from` up, above which all are the same; words that agree there may come in any
/// order. The sorted words are
/// in `words` or in `spare`, which is as long; where it is shorter, they are sorted by comparison.
pub fn sort<'a>(words: &'a mut [u64], spare: &'a mut [u64], from: u32, bits: u32) -> &'a [u64] {
    if words.len() < FEW || spare.len() < words.len() {
        words.sort_unstable();
        return words;
    }
    // More counters than half the words would cost more than the pass they save.
    let most = (words.len().ilog2() - 1).min(DIGIT);
    let passes = bits.div_ceil(most);
    let digit = if passes == 0 { 0 } else { bits.div_ceil(passes) };
    let spare = &mut spare[..words.len()];
    let (mut source, mut target) = (words, spare);
    for pass in 0..passes {
        let from = from + pass * digit;
        // The number of counters is known to each, so that none checks an index.
        match digit {
            ..=8 => scatter::<{ 1 << 8 }>(source, target, from),
            9 => scatter::<{ 1 << 9 }>(source, target, from),
            10 => scatter::<{ 1 << 10 }>(source, target, from),
            _ => scatter::<{ 1 << DIGIT }>(source, target, from),
        }
        std::mem::swap(&mut source, &mut target);
    }
    source
}

/// One stable counting pass on the bits from bit `from` up, as many as `COUNTERS` tells apart. Where those are more than the
/// digit of this pass, later passes sort by them again, or they are the same everywhere.
fn scatter<const COUNTERS: usize>(source: &[u64], target: &mut [u64], from: u32) {
    let place = |word: u64| (word >> from) as usize & (COUNTERS - 1);
    let mut starts = [0u32; COUNTERS];
    for &word in source {
        starts[place(word)] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    let mut put = |word: u64| {
        let start = &mut starts[place(word)];
        target[*start as usize] = word;
        *start += 1;
    };
    // Four at a time: the loop itself would be a quarter of the work.
    let (fours, rest) = source.as_chunks::<4>();
    for four in fours {
        for &word in four {
            put(word);
        }
    }
    for &word in rest {
        put(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack<I: Lane, const N: usize>(packing: &Packing<N>, words: &[u64]) -> Vec<[I; N]> {
        let mut lanes = [[I::zeroed(); 16]; N];
        packing.unpack(words, &mut lanes);
        (0..words.len()).map(|at| lanes.map(|lane| lane[at])).collect()
    }

    #[test]
    fn packing_keeps_order_and_gives_every_record_back() {
        let records = [[7u32, 900, 1], [7, 901, 0], [8, 900, 5], [300, 900, 2], [300, 1 << 20, 3]];
        let records =
            [records, [[0, 0, 9], [0, 1, 3], [0, 900, 4], [1, 0, 5], [1, 7, 2]]].map(|some| some.to_vec()).concat();
        let mut records: [[u32; 3]; 10] = records.try_into().expect("ten records");
        records.sort_unstable();
        let mut bounds = Bounds::default();
        bounds.include(&records);
        for keys in 0..=3 {
            let packing = Packing::new(&bounds, keys).expect("few bits vary");
            let words = records.map(|record| packing.pack(record));
            assert!(words.is_sorted());
            assert_eq!(unpack::<u32, 3>(&packing, &words), records);
        }
    }

    #[test]
    fn a_range_beyond_64_bits_is_refused_and_one_of_64_is_not() {
        let mut bounds = Bounds::default();
        bounds.include(&[[2u64, 0], [u64::MAX, 0]]);
        let packing = Packing::new(&bounds, 1).expect("64 bits vary");
        assert_eq!(unpack::<u64, 2>(&packing, &[packing.pack([u64::MAX, 0])]), [[u64::MAX, 0]]);
        bounds.include(&[[2u64, 1]]);
        assert!(Packing::new(&bounds, 1).is_none());
    }

    #[test]
    fn every_length_sorts_like_the_standard_library() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for len in [0, 1, 2, FEW - 1, FEW, FEW + 1, 5000] {
            for (from, bits) in [(0, 44), (7, 37), (12, 11), (3, 0), (20, 24)] {
                let mut words: Vec<u64> = (0..len).map(|_| random() & ((1 << (from + bits)) - 1)).collect();
                let mut expected = words.clone();
                let mut words = sort(&mut words, &mut vec![0; len], from, bits).to_vec();
                assert!(words.is_sorted_by_key(|word| word >> from), "{len} words, {bits} bits from {from}");
                words.sort_unstable();
                expected.sort_unstable();
                assert_eq!(words, expected);
            }
        }
    }
}

//! A hash table of requests: finds an earlier request with the same ids.

/// The numbers of some requests, each at the place that a hash of its ids gives or at the next free one.
#[derive(Debug, Default)]
pub struct Table {
    /// The number of a request plus one, or 0. A power of two of places, at least half of them free.
    places: Vec<u32>,
    /// Low bits of a hash that are not part of a place.
    shift: u32,
}

impl Table {
    /// Empties the table and makes room for about `expected` requests.
    pub fn clear(&mut self, expected: usize) {
        self.shift = u64::BITS - (4 * expected.max(4)).ilog2();
        self.places.clear();
        self.places.resize(1 << (u64::BITS - self.shift), 0);
    }

    /// The number of the request among `requests`, all that are in the table, with the same ids as `request`. If there is none,
    /// `request` is entered under the next number, which is returned.
    #[inline(always)]
    pub fn find_or_insert<const N: usize>(&mut self, request: &[u32; N], requests: &[[u32; N]]) -> usize {
        let mut place = self.place_of(request);
        while self.places[place] > 0 {
            let number = self.places[place] as usize - 1;
            if requests[number][..N - 1] == request[..N - 1] {
                return number;
            }
            place = self.after(place);
        }
        let (number, count) = (requests.len(), requests.len() + 1);
        self.places[place] = count as u32;
        if 2 * count > self.places.len() {
            self.grow(request, requests);
        }
        number
    }

    /// Where a search for `request` begins: the highest bits of a product, since what ids have in common stays in the lowest.
    /// Requests can be chosen such that many begin at the same place; then a search takes as many steps as there are requests.
    #[inline(always)]
    fn place_of<const N: usize>(&self, request: &[u32; N]) -> usize {
        let mix = |mixed: u64, &id: &u32| (mixed.rotate_left(27) ^ u64::from(id)).wrapping_mul(MIX);
        (request[..N - 1].iter().fold(0, mix) >> self.shift) as usize
    }

    /// The place at which a search goes on after `place`.
    #[inline(always)]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    /// Doubles the table and enters `requests` again, and `last`, which comes next.
    #[cold]
    fn grow<const N: usize>(&mut self, last: &[u32; N], requests: &[[u32; N]]) {
        let places = 2 * self.places.len();
        self.places.clear();
        self.places.resize(places, 0);
        self.shift -= 1;
        for (number, request) in (1..).zip(requests.iter().chain([last])) {
            let mut place = self.place_of(request);
            while self.places[place] > 0 {
                place = self.after(place);
            }
            self.places[place] = number;
        }
    }
}

/// 2^64 divided by the golden ratio, made odd.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn equal_requests_have_one_number_and_others_have_others() {
        let mut table = Table::default();
        // Ids that are near each other, ids that share all bits but a few, and few that come again and again.
        for (count, expected, stride) in
            [(3u32, 0, 1), (1000, 10, 1), (5000, 5000, 1), (3000, 7, 1 << 20), (4000, 1, 97)]
        {
            table.clear(expected);
            let (mut requests, mut known) = (Vec::new(), HashMap::new());
            for at in 0..3 * count {
                let (a, b) = (at * 7919 % count, at * at % 61);
                let request = [a * stride, b, at];
                let number = table.find_or_insert(&request, &requests);
                assert_eq!(number, *known.entry([request[0], b]).or_insert(requests.len()));
                if number == requests.len() {
                    requests.push(request);
                }
            }
            assert_eq!(requests.len(), known.len());
            assert!(2 * requests.len() <= table.places.len());
        }
    }
}

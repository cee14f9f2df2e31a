//! Sorting by insertion: records that are near their places.

use super::lane::Lane;

/// Sorts records, each of which is near its place, by their first `keys` lanes; those that agree there keep their order.
pub fn put_right<I: Lane, const N: usize>(records: &mut [[I; N]], keys: usize) {
    match keys {
        1 => insert(records, |record| record[0]),
        2 => insert(records, first_two),
        _ => {
            insert_by(records, |a, b| {
                first_two(a).cmp(&first_two(b)).then_with(|| a[2..keys].cmp(&b[2..keys])).is_lt()
            });
        }
    }
}

/// Orders `records` by `key`, by insertion.
fn insert<K: Ord + Copy, R: Copy>(records: &mut [R], key: impl Fn(&R) -> K + Copy) {
    let Some(mut last) = records.first().map(key) else { return };
    for at in 1..records.len() {
        let this = key(&records[at]);
        if this < last {
            move_up(&mut records[..=at], |a, b| key(a) < key(b));
        } else {
            last = this;
        }
    }
}

/// Orders `records` by insertion, given whether one record comes `before` another.
fn insert_by<R: Copy>(records: &mut [R], before: impl Fn(&R, &R) -> bool) {
    for at in 1..records.len() {
        if before(&records[at], &records[at - 1]) {
            move_up(&mut records[..=at], &before);
        }
    }
}

/// Brings the last of `records` to its place among the others, which are in order.
#[inline(never)]
fn move_up<R: Copy>(records: &mut [R], before: impl Fn(&R, &R) -> bool) {
    let Some(mut at) = records.len().checked_sub(1) else { return };
    let record = records[at];
    while at > 0 && before(&record, &records[at - 1]) {
        records[at] = records[at - 1];
        at -= 1;
    }
    records[at] = record;
}

/// The first two lanes as one number.
#[inline(always)]
pub fn first_two<I: Lane, const N: usize>(record: &[I; N]) -> I::Pair {
    record[0].before(record.get(1).copied().unwrap_or(I::zeroed()))
}

//! `Words`: an array that is used again and again.

use std::ops::{Deref, DerefMut};

use super::room::Room;

/// Words in memory, as many as they were last resized to; what they hold is what their last user has left.
#[derive(Debug, Default)]
pub struct Words {
    room: Room,
    len: usize,
}

/// How many times as much as they need large arrays take in address space: an array that grows mostly grows again, level by level,
/// and would touch all its pages anew.
const SPARE: usize = 4;

impl Words {
    /// Makes it `len` words long. Their values may be anything; those that were there stay unless there was no room.
    pub fn resize(&mut self, len: usize) {
        if len > self.room.words().len() {
            self.grow(len);
        }
        self.len = len;
    }

    /// Makes it `len` zeroes.
    pub fn zeroes(&mut self, len: usize) {
        if len > self.room.words().len() {
            self.grow(len);
            self.len = len;
        } else {
            self.len = len;
            self.fill(0);
        }
    }

    /// Whether it has room for no words.
    pub fn has_no_room(&self) -> bool {
        self.room.words().is_empty()
    }

    /// Takes room for `len` zeroes, and gives back what there was before.
    #[cold]
    fn grow(&mut self, len: usize) {
        self.room = Room::default();
        self.room = Room::new(len, len.next_power_of_two().saturating_mul(SPARE));
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline(always)]
    fn deref(&self) -> &[u64] {
        &self.room.words()[..self.len]
    }
}

impl DerefMut for Words {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.room.words_mut()[..self.len]
    }
}

#[cfg(test)]
impl From<Vec<u64>> for Words {
    fn from(words: Vec<u64>) -> Self {
        Self { len: words.len(), room: Room::Heap(words.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_they_hold_while_there_is_room_and_are_zeroes_when_asked() {
        for len in [1, 7, 4096, 4097, 20_000] {
            let mut words = Words::default();
            assert!(words.has_no_room() && words.is_empty());
            words.zeroes(len);
            assert!(words.len() == len && words.iter().all(|&word| word == 0) && !words.has_no_room());
            words.fill(7);
            words.resize(len / 2);
            assert_eq!(words.len(), len / 2);
            words.resize(len);
            assert!(words.len() == len && words.iter().all(|&word| word == 7));
            words.zeroes(len);
            assert!(words.iter().all(|&word| word == 0));
            words.resize(20 * len);
            assert_eq!(words.len(), 20 * len);
        }
    }
}

//! `Room`: memory of a fixed size, which goes back to the system when it is dropped.
//!
//! An allocator keeps much of what is freed, apart for each thread, so that what is freed by one and taken by another, or freed and
//! taken in another size, would take its room several times. So all but little of it lies in pages of its own.

use super::pages::Pages;

/// Words of memory, zeroes at first.
#[derive(Debug)]
pub enum Room {
    /// Little memory, or what the system has no pages for.
    Heap(Box<[u64]>),
    /// Memory in pages of its own.
    Pages(Pages),
}

/// As many bytes and more have pages of their own.
const LARGE: usize = 32 << 10;

impl Room {
    /// `words` zeroes, or `most`, which are no fewer, where these lie in pages of their own: a page takes no memory until it is used.
    pub fn new(words: usize, most: usize) -> Self {
        let bytes = |words: usize| words.saturating_mul(size_of::<u64>());
        if bytes(words) >= LARGE
            && let Ok(pages) = Pages::new(bytes(most))
        {
            Self::Pages(pages)
        } else {
            Self::Heap(vec![0; words].into())
        }
    }

    /// All of it.
    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        match self {
            Self::Heap(words) => words,
            Self::Pages(pages) => pages.words(),
        }
    }

    /// All of it, to write.
    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Heap(words) => words,
            Self::Pages(pages) => pages.words_mut(),
        }
    }
}

/// No words.
impl Default for Room {
    fn default() -> Self {
        Self::Heap(Box::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_zeroes_and_as_large_as_it_may_be_where_it_lies_in_pages() {
        for words in [0, 1, 4095, 4096, 10_000] {
            let room = Room::new(words, 4 * words);
            let in_pages = matches!(room, Room::Pages(_));
            assert_eq!((in_pages, room.words().len()), if words < 4096 { (false, words) } else { (true, 4 * words) });
            assert!(room.words().iter().all(|&word| word == 0));
        }
        assert!(matches!(Room::new(5000, usize::MAX), Room::Heap(words) if words.len() == 5000));
    }
}

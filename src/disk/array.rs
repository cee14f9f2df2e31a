//! `Array`: values in memory, in words that are used again.

use std::marker::PhantomData;

use super::{
    lane::{Lane, words_of},
    words::Words,
};

/// Values in memory, in words that are used again from array to array. An array that is not empty has one more place behind its
/// values.
pub struct Array<I> {
    words: Words,
    len: usize,
    marker: PhantomData<I>,
}

impl<I: Lane> Array<I> {
    /// An array of `len` values in `words`, which are not cleared: values may be anything at first.
    pub fn of(mut words: Words, len: usize) -> Self {
        words.resize(Self::words_for(len));
        Self { words, len, marker: PhantomData }
    }

    /// An array of `len` zeroes in `words`.
    pub fn zeroes(mut words: Words, len: usize) -> Self {
        words.zeroes(Self::words_for(len));
        Self { words, len, marker: PhantomData }
    }

    /// The words of `len` values and the place behind them.
    fn words_for(len: usize) -> usize {
        words_of::<I>(if len > 0 { len + 1 } else { 0 })
    }

    /// The values.
    pub fn values(&self) -> &[I] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> &mut [I] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }

    /// The values of an array that is not empty, to be changed, and the place behind them, where writes that concern no value may
    /// go.
    pub fn values_and_place(&mut self) -> &mut [I] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..=self.len]
    }

    /// The words, to be used again.
    pub fn into_words(self) -> Words {
        self.words
    }

    /// The values two by two.
    pub fn pairs(&self) -> &[[I; 2]] {
        bytemuck::cast_slice(self.values())
    }

    /// The values two by two, to be changed.
    pub fn pairs_mut(&mut self) -> &mut [[I; 2]] {
        bytemuck::cast_slice_mut(self.values_mut())
    }
}

//! Arrays of atomic words that are reserved whole and paid for where they are touched.
//!
//! A reservation costs address space only; the host spends a page when one is first written. Words
//! never written are zero. So a table can be given all the room that it may ever need, never moves,
//! and can be shared between threads while it fills up. What is large is asked for in large pages:
//! tables are looked at in no order, and translating addresses would take longer than looking. The
//! only unsafe code of the checker's states is here.

use memmap2::{Advice, MmapOptions, MmapRaw};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Bytes at the beginning that come in small pages, so that little memory is spent on little.
const SMALL: usize = 1 << 21;

/// Words that may be all zeros, may have any bits, and may be changed through shared references.
///
/// # Safety
/// All of that has to be so, and the alignment must not exceed that of a page.
pub unsafe trait Word {}

// SAFETY: an integer of any bits, changed atomically.
unsafe impl Word for AtomicU32 {}
// SAFETY: an integer of any bits, changed atomically.
unsafe impl Word for AtomicU64 {}

/// See the module head.
#[derive(Debug)]
pub struct Reserve<T> {
    mapping: MmapRaw,
    len: usize,
    words: PhantomData<T>,
}

impl<T: Word> Reserve<T> {
    /// Reserves room for `len` words.
    pub fn new(len: usize) -> io::Result<Reserve<T>> {
        let bytes = len.max(1) * size_of::<T>();
        let mapping = MmapRaw::from(MmapOptions::new().len(bytes).no_reserve_swap().map_anon()?);
        if SMALL * 2 <= bytes {
            // A host that has no large pages does without.
            let _ = mapping.advise_range(Advice::HugePage, SMALL, bytes - SMALL);
        }
        Ok(Reserve { mapping, len, words: PhantomData })
    }

    /// Reserves room for `len` words, or for as many as can be had.
    ///
    /// # Panics
    /// If there is no room for anything.
    pub fn at_most(len: usize) -> Reserve<T> {
        let mut wanted = len;
        loop {
            match Reserve::new(wanted) {
                Ok(reserve) => return reserve,
                Err(_) if 1 << 16 < wanted => wanted /= 2,
                Err(error) => panic!("no address space for {wanted} words: {error}"),
            }
        }
    }
}

impl<T: Word> Reserve<T> {
    /// Has the processor fetch a word that is going to be looked at.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        let word: *const T = &raw const self[index];
        // SAFETY: prefetching is a hint about an address, here one in the mapping.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(word.cast()) }
    }
}

impl<T: Word> Deref for Reserve<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is anonymous, zero-filled, page-aligned and has room for `len` words;
        // it lives as long as `self`, and nobody refers to it otherwise than as these words, which
        // may be changed through shared references.
        unsafe { std::slice::from_raw_parts(self.mapping.as_ptr().cast::<T>(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn words_are_zero_at_first_and_keep_what_is_stored() {
        let reserve: Reserve<AtomicU64> = Reserve::at_most(1 << 30);
        assert_eq!(reserve[reserve.len() - 1].load(Relaxed), 0);
        reserve[12345].store(7, Relaxed);
        assert_eq!(reserve[12345].load(Relaxed), 7);
        assert_eq!(reserve[12344].load(Relaxed), 0);
    }
}

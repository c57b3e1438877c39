//! A table of numbered 64-bit entries that many threads fill at once: equal entries get equal
//! numbers.
//!
//! Entries lie in the order of their numbers in an array that never moves (see [`super::reserve`]),
//! numbers count up from one. The *index* finds the number of an entry: open addressing over 32-bit
//! words, each the number and, in the bits that numbers do not need, a part of the hash, so that
//! hardly ever an entry is looked at in vain. Its size need not be a power of two and grows by
//! half, so between a half and four fifths of it are taken.
//!
//! # Many threads
//! An entry is written before its number is published by compare-and-swap on the index; whoever
//! loses that race against the same entry takes the winner's number. Numbers are handed out to
//! threads in blocks, so that they do not write to the same cache lines all the time; those that
//! are never used are holes (an entry of zero, which nobody asks for). Nothing is ever removed.
//! There is one [`Handle`] that owns the
//! table, and may have others made for threads to use at the same time. Those cannot replace the
//! index: when it gets too full they say so, their answers count for nothing from then on, and it
//! is for the owner to go on.
//!
//! The zero entry has the number zero and is not stored.

use super::reserve::Reserve;
use super::slots::fold;
use crate::sync::{Arc, AtomicU32, AtomicU64, BLOCK, Ordering};
use std::ops::Range;
use std::thread;

/// Entries that a table has room for, unless the host has less address space.
pub const ENTRIES_MAX: usize = 1 << 30;
/// Words of the smallest index.
const FIRST: usize = 1 << 12;
/// How many entries before it is written a word is asked for when the index is replaced.
const AHEAD: usize = 16;
/// Entries that are worth a thread when the index is replaced.
const PART_MIN: usize = 1 << 18;

/// The index; see the module head.
#[derive(Debug)]
struct Index {
    words: Reserve<AtomicU32>,
    /// Bits of a word that are the number.
    bits: u32,
    /// Entries from which on it should be replaced, and at which it must not be added to.
    limit: usize,
    last: usize,
}

impl Index {
    fn new(size: usize) -> Index {
        let words = Reserve::at_most(size);
        let bits = usize::BITS - words.len().leading_zeros();
        let (limit, last) = (words.len() / 5 * 4, words.len() / 16 * 15);
        Index { words, bits, limit, last }
    }

    /// Where to look first, and the bits that are kept of a hash.
    #[inline]
    fn start(&self, hash: u64) -> (usize, u32) {
        let at = ((u128::from(hash) * self.words.len() as u128) >> 64) as usize;
        let tag = if self.bits < 32 { (hash as u32) << self.bits } else { 0 };
        (at, tag)
    }

    /// Adds a number that is not there yet, and that nobody else is adding.
    fn put(&self, hash: u64, number: u32) {
        let (mut at, tag) = self.start(hash);
        let is_taken = |at: usize| {
            let word = &self.words[at];
            word.load(Ordering::Relaxed) != 0
                || word
                    .compare_exchange(0, tag | number, Ordering::Relaxed, Ordering::Relaxed)
                    .is_err()
        };
        while is_taken(at) {
            at = self.next(at);
        }
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.words.len() { 0 } else { at + 1 }
    }
}

/// What all handles share.
#[derive(Debug)]
struct Shared {
    entries: Reserve<AtomicU64>,
    /// The next number.
    next: Alone<AtomicU32>,
}

/// Something in cache lines of its own: what is written often must not slow down who reads what
/// lies beside it.
#[derive(Debug)]
#[repr(align(128))]
struct Alone<T>(T);

/// Access to a table; see the module head.
#[derive(Debug)]
pub struct Handle {
    shared: Arc<Shared>,
    index: Arc<Index>,
    /// It may replace the index.
    is_owner: bool,
    /// Something could not be added.
    is_overrun: bool,
    /// Numbers that are this handle's to give; none if it is the owner.
    block: Range<u32>,
    /// Entries that were added, as far as this handle knows.
    added: u32,
}

#[inline(always)]
fn hash(entry: u64) -> u64 {
    fold(entry ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9)
}

impl Default for Handle {
    fn default() -> Handle {
        let entries = Reserve::at_most(ENTRIES_MAX);
        let shared = Arc::new(Shared { entries, next: Alone(AtomicU32::new(1)) });
        let index = Arc::new(Index::new(FIRST));
        Handle { shared, index, is_owner: true, is_overrun: false, block: 0..0, added: 0 }
    }
}

impl Handle {
    /// Another handle of the same table, for another thread. The owner must not be used for
    /// anything but reading as long as others are in use.
    pub fn share(&self) -> Handle {
        let (shared, index) = (Arc::clone(&self.shared), Arc::clone(&self.index));
        Handle { shared, index, is_owner: false, is_overrun: false, block: 0..0, added: 0 }
    }

    /// Whether both find entries by the same index.
    pub fn is_same_index(&self, other: &Handle) -> bool {
        Arc::ptr_eq(&self.index, &other.index)
    }

    /// Whether something could not be added: what this handle answered since does not count.
    pub fn is_overrun(&self) -> bool {
        self.is_overrun
    }

    /// The number of an entry, and whether it is new.
    #[inline]
    pub fn number(&mut self, entry: u64) -> (u32, bool) {
        if entry == 0 {
            return (0, false);
        }
        let hash = hash(entry);
        match self.find(entry, hash) {
            Ok(number) => (number, false),
            Err(at) => self.add(entry, hash, at),
        }
    }

    /// An entry is going to be asked for soon.
    #[inline]
    pub fn prefetch(&self, entry: u64) {
        let (at, _) = self.index.start(hash(entry));
        self.index.words.prefetch(at);
    }

    /// The number of an entry, or the free word of the index at which the search for it ended.
    #[inline]
    fn find(&self, entry: u64, hash: u64) -> Result<u32, usize> {
        let index = &*self.index;
        let (mut at, tag) = index.start(hash);
        let mask = ((1u64 << index.bits) - 1) as u32;
        loop {
            let word = index.words[at].load(Ordering::Acquire);
            if word == 0 {
                return Err(at);
            }
            if word & !mask == tag && self.entry(word & mask) == entry {
                return Ok(word & mask);
            }
            at = index.next(at);
        }
    }

    fn add(&mut self, entry: u64, hash: u64, free: usize) -> (u32, bool) {
        if self.is_owner && self.index.limit <= self.len() {
            self.grow();
            return self.number(entry);
        }
        if !self.is_owner && self.block.is_empty() && self.index.last <= self.len() {
            self.is_overrun = true;
            return (0, false);
        }
        let number = self.take_number(entry);
        let index = &*self.index;
        let (_, tag) = index.start(hash);
        let mask = ((1u64 << index.bits) - 1) as u32;
        let mut at = free;
        loop {
            let word = &index.words[at];
            let swapped =
                word.compare_exchange(0, tag | number, Ordering::AcqRel, Ordering::Acquire);
            match swapped {
                Ok(_) => {
                    self.added += 1;
                    return (number, true);
                }
                Err(other) if other & !mask == tag && self.entry(other & mask) == entry => {
                    self.shared.entries[number as usize].store(0, Ordering::Relaxed);
                    self.block.start = number;
                    return (other & mask, false);
                }
                Err(_) => at = index.next(at),
            }
        }
    }

    fn take_number(&mut self, entry: u64) -> u32 {
        if self.block.is_empty() {
            let count = if self.is_owner { 1 } else { BLOCK };
            let first = self.shared.next.0.fetch_add(count, Ordering::Relaxed);
            let is_there = ((first + count) as usize) <= self.shared.entries.len();
            assert!(is_there, "the table of states is full");
            self.block = first..first + count;
        }
        let number = self.block.start;
        self.block.start += 1;
        self.shared.entries[number as usize].store(entry, Ordering::Relaxed);
        number
    }

    /// The entry with a number.
    #[inline]
    pub fn entry(&self, number: u32) -> u64 {
        self.shared.entries[number as usize].load(Ordering::Relaxed)
    }

    /// Takes over what another handle knows about how many entries there are.
    pub fn take_count(&mut self, other: &mut Handle) {
        self.added += std::mem::take(&mut other.added);
    }

    /// Entries that there are, and zero, if all handles were asked: unlike numbers, of which some
    /// are never used, they do not depend on who was faster.
    pub fn count(&self) -> usize {
        self.added as usize + 1
    }

    /// Numbers given so far, and zero: every number is below.
    #[inline]
    pub fn len(&self) -> usize {
        self.shared.next.0.load(Ordering::Relaxed) as usize
    }

    /// Whether only the zero entry is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// Whether there is hardly any room left.
    pub fn is_full(&self) -> bool {
        self.shared.entries.len() < self.len() + (self.shared.entries.len() >> 10)
    }

    /// Makes room for at least so many entries more, and some, on so many cores.
    pub fn reserve(&mut self, more: usize, jobs: usize) {
        if self.index.limit <= self.len() + more {
            self.grow_for(self.len() + more, jobs);
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.grow_for(self.len(), 1);
    }

    fn grow_for(&mut self, entries: usize, jobs: usize) {
        let mut size = self.index.words.len();
        while size / 5 * 4 <= entries {
            size += size / 2;
        }
        self.replace(size, jobs);
    }

    fn replace(&mut self, size: usize, jobs: usize) {
        let (index, len) = (Index::new(size), self.len());
        let part = len.div_ceil(jobs).max(PART_MIN);
        let put = |first: usize| {
            let end = len.min(first + part);
            for number in first..end {
                // Words are all over the index.
                let ahead = self.entry((number + AHEAD).min(end - 1) as u32);
                index.words.prefetch(index.start(hash(ahead)).0);
                let entry = self.entry(number as u32);
                if entry != 0 {
                    index.put(hash(entry), number as u32);
                }
            }
        };
        if len <= part {
            put(1);
        } else {
            thread::scope(|scope| {
                for first in (1..len).step_by(part) {
                    scope.spawn(move || put(first));
                }
            });
        }
        self.index = Arc::new(index);
    }

    /// Forgets all entries. No other thread may be using the table.
    pub fn clear(&mut self) {
        self.shared.next.0.store(1, Ordering::Relaxed);
        (self.block, self.added) = (0..0, 0);
        self.replace(self.index.words.len(), 1);
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.len() * 8 + self.index.words.len() * 4
    }

    /// Memory that is taken at most while so many entries are added: if the index has to be
    /// replaced, both are there for a moment.
    pub fn bytes_ahead(&self, more: usize) -> usize {
        let (len, words) = (self.len() + more, self.index.words.len());
        let words = if self.index.limit <= len { words * 2 + words / 2 } else { words };
        len * 8 + words * 4
    }

    /// Words of the index that are taken, and all.
    pub fn load(&self) -> (usize, usize) {
        (self.len() - 1, self.index.words.len())
    }
}

//! What a move touches: aligned words of memory and objects, and whether they are changed.
//!
//! Two moves conflict where they touch the same byte and one of them changes it; what is reported,
//! and becomes contended, is the word around it. An access that is not aligned or wider than a word
//! touches every word that it overlaps, so accesses of mixed sizes are compared rightly, and
//! neighbours in one word do not disturb each other.

use ahash::{AHashMap, RandomState};
use samovar_vm::fault::AccessKind;
use samovar_vm::monitor::Access;

/// An aligned 8-byte word, by its address divided by eight; pseudo-addresses of objects included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(pub u64);

impl Word {
    /// The words that an access overlaps.
    pub fn of(access: &Access) -> impl Iterator<Item = Word> + use<> {
        let last = access.addr + u64::from(access.size.max(1)) - 1;
        (access.addr / 8..=last / 8).map(Word)
    }

    /// Address of the first byte.
    pub fn address(self) -> u64 {
        self.0 * 8
    }
}

/// How a word is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Bytes of the word that are read or changed, one bit each.
    pub bytes: u8,
    /// Bytes of the word that are changed.
    pub written: u8,
    /// All accesses were atomic instructions or operations on objects.
    pub atomic: bool,
}

impl Touch {
    fn join(&mut self, other: Touch) {
        self.bytes |= other.bytes;
        self.written |= other.written;
        self.atomic &= other.atomic;
    }

    fn conflicts(&self, other: &Touch) -> bool {
        self.written & other.bytes != 0 || other.written & self.bytes != 0
    }
}

/// The bytes of a word that lie in `[start, end)`.
fn bytes_within(word: Word, start: u64, end: u64) -> u8 {
    let first = start.saturating_sub(word.address()).min(8) as u32;
    let last = end.saturating_sub(word.address()).min(8) as u32;
    ((1u32 << last) - (1u32 << first)) as u8
}

/// The words that a move touched.
#[derive(Clone, Debug)]
pub struct Footprint {
    words: AHashMap<Word, Touch>,
}

impl Default for Footprint {
    fn default() -> Footprint {
        Footprint { words: AHashMap::with_hasher(RandomState::with_seeds(41, 42, 43, 44)) }
    }
}

impl Footprint {
    /// Notes an access.
    pub fn add(&mut self, access: &Access) {
        let end = access.addr + u64::from(access.size.max(1));
        for word in Word::of(access) {
            let bytes = bytes_within(word, access.addr, end);
            let written = if access.kind == AccessKind::Write { bytes } else { 0 };
            self.join(word, Touch { bytes, written, atomic: access.locked });
        }
    }

    /// Notes a change that no access announced, made on the guest's behalf.
    pub fn add_write(&mut self, addr: u64, len: u64) {
        let end = addr + len.max(1);
        for word in (addr / 8..=(end - 1) / 8).map(Word) {
            let bytes = bytes_within(word, addr, end);
            let known = self.words.get(&word).is_none_or(|touch| touch.atomic);
            self.join(word, Touch { bytes, written: bytes, atomic: known });
        }
    }

    fn join(&mut self, word: Word, touch: Touch) {
        self.words.entry(word).and_modify(|known| known.join(touch)).or_insert(touch);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The words in which both touch a byte that at least one changes, in ascending order.
    pub fn conflicts(&self, other: &Footprint) -> Vec<(Word, Touch, Touch)> {
        let (small, large) =
            if self.words.len() <= other.words.len() { (self, other) } else { (other, self) };
        let mut found: Vec<_> = small
            .words
            .iter()
            .filter_map(|(word, &a)| {
                let &b = large.words.get(word)?;
                a.conflicts(&b).then_some((*word, a, b))
            })
            .collect();
        found.sort_unstable_by_key(|(word, ..)| *word);
        found
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether nothing was touched.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(addr: u64, size: u32, kind: AccessKind) -> Access {
        Access { addr, size, kind, locked: false, sequel: false }
    }

    #[test]
    fn mixed_sizes_meet_in_their_words() {
        let (mut a, mut b) = (Footprint::default(), Footprint::default());
        a.add(&access(0x1006, 4, AccessKind::Write));
        b.add(&access(0x1008, 1, AccessKind::Read));
        let words: Vec<u64> = a.conflicts(&b).iter().map(|(word, ..)| word.address()).collect();
        assert_eq!(words, [0x1008]);
    }

    #[test]
    fn neighbours_in_a_word_do_not_conflict() {
        let (mut a, mut b) = (Footprint::default(), Footprint::default());
        a.add(&access(0x1000, 4, AccessKind::Write));
        b.add(&access(0x1004, 4, AccessKind::Write));
        assert!(a.conflicts(&b).is_empty());
        b.add(&access(0x1003, 1, AccessKind::Read));
        assert_eq!(a.conflicts(&b).len(), 1);
    }

    #[test]
    fn two_reads_do_not_conflict() {
        let (mut a, mut b) = (Footprint::default(), Footprint::default());
        a.add(&access(0x1000, 8, AccessKind::Read));
        b.add(&access(0x1000, 8, AccessKind::Read));
        assert!(a.conflicts(&b).is_empty());
    }
}

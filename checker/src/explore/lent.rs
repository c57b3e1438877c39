//! Words of a thread's own stack that another thread has touched.
//!
//! Who changes nothing but its own stack does not get on, as far as others can tell (see `livelock`
//! in `docs/soundness.md`). A variable there that was handed to another thread is different: these
//! words are *lent*, and count where others look at them: a cycle in which one thread changes lent
//! words and another touches some is no livelock. The first touch of another thread while the owner
//! is alive shows that a word is lent, and makes the search begin anew; one inside a cycle is known
//! when the cycle is judged, so it does not matter in which order states are visited.
//!
//! Left out: what a thread finds on its new stack, and what the C library notes of a thread there.

use super::visible::WordSet;
use super::word::Word;

/// See the module head.
#[derive(Debug, Default)]
pub struct Lent {
    words: WordSet,
    /// Words that are lent, or on nobody's stack.
    settled: WordSet,
}

impl Lent {
    /// Whether nothing more can be learned of a word.
    pub fn is_settled(&self, word: Word) -> bool {
        self.settled.contains(word)
    }

    /// Takes in that a word is on nobody's stack.
    pub fn settle(&mut self, word: Word) {
        self.settled.insert(word);
    }

    /// Takes in that a word is lent; whether that is new.
    pub fn lend(&mut self, word: Word) -> bool {
        self.settled.insert(word);
        self.words.insert(word)
    }

    /// Whether some of these bytes are lent.
    pub fn meets(&self, addr: u64, len: usize) -> bool {
        let last = addr + (len as u64).max(1) - 1;
        self.count() != 0 && (addr / 8..=last / 8).any(|word| self.words.contains(Word(word)))
    }

    /// How many words are lent.
    pub fn count(&self) -> usize {
        self.words.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_lent_by_words() {
        let mut lent = Lent::default();
        assert!(!lent.meets(16, 1));
        assert!(lent.lend(Word(2)) && !lent.lend(Word(2)));
        lent.settle(Word(3));
        assert!(lent.is_settled(Word(2)) && lent.is_settled(Word(3)) && !lent.is_settled(Word(1)));
        assert!(lent.meets(16, 1) && lent.meets(8, 9) && lent.meets(23, 4));
        assert!(!lent.meets(8, 8) && !lent.meets(24, 8));
        assert_eq!(lent.count(), 1);
    }
}

//! Large accesses, of system calls that take memory away, and the words in them that were touched.
//!
//! A large access is looked at as a whole: only those of its words count that anybody has touched.
//! Words are kept in order, so finding those costs their number and not the number of all words.

use super::word::Word;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// See the module head.
#[derive(Debug, Default)]
pub struct Expanse {
    /// All words that were touched.
    words: BTreeSet<u64>,
    /// Where large accesses were: first words, and those behind the last; no two overlap.
    taken: BTreeMap<u64, u64>,
}

impl Expanse {
    /// Takes in a word that is touched for the first time; whether a large access was there before.
    pub fn add(&mut self, word: Word) -> bool {
        self.words.insert(word.0);
        let before = self.taken.range(..=word.0).next_back();
        before.is_some_and(|(_, end)| word.0 < *end)
    }

    /// Takes in a large access to these words.
    pub fn take(&mut self, words: Range<u64>) {
        let (mut start, mut end) = (words.start, words.end);
        let before = self.taken.range(..=end).rev().take_while(|(_, last)| start <= **last);
        for (first, last) in before.map(|(first, last)| (*first, *last)).collect::<Vec<_>>() {
            self.taken.remove(&first);
            (start, end) = (start.min(first), end.max(last));
        }
        self.taken.insert(start, end);
    }

    /// Those of these words that were touched, in order.
    pub fn touched(&self, words: Range<u64>) -> Vec<Word> {
        self.words.range(words).copied().map(Word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_order() {
        let mut expanse = Expanse::default();
        for word in [7, 3, 9, 5] {
            assert!(!expanse.add(Word(word)));
        }
        assert_eq!(expanse.touched(4..9), [Word(5), Word(7)]);
        assert!(expanse.touched(10..20).is_empty());
    }

    #[test]
    fn whatever_was_taken_is_known_however_it_overlaps() {
        let ranges = [10..20, 30..40, 15..32, 50..60, 52..53, 5..10, 70..80, 45..90];
        for count in 0..=ranges.len() {
            let mut expanse = Expanse::default();
            for range in &ranges[..count] {
                expanse.take(range.clone());
            }
            for word in 0..100 {
                let expected = ranges[..count].iter().any(|range| range.contains(&word));
                assert_eq!(expanse.add(Word(word)), expected, "{count} ranges, word {word}");
            }
        }
    }
}

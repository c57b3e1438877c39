//! Interning: equal contents get equal numbers, different contents different ones.
//!
//! Equality is decided on the contents, never on a hash alone. Numbers count up from zero in the
//! order of first sight, so a search that proceeds in the same order sees the same numbers.

use ahash::{AHashMap, RandomState};

/// A table of contents by number.
#[derive(Debug)]
pub struct Interner<T> {
    numbers: AHashMap<Box<[T]>, u32>,
    contents_bytes: usize,
}

impl<T: Copy + Eq + std::hash::Hash> Interner<T> {
    /// An empty table.
    pub fn new() -> Interner<T> {
        let hasher = RandomState::with_seeds(11, 12, 13, 14);
        Interner { numbers: AHashMap::with_hasher(hasher), contents_bytes: 0 }
    }

    /// The number of these contents, and whether they are new.
    pub fn intern(&mut self, contents: &[T]) -> (u32, bool) {
        if let Some(&number) = self.numbers.get(contents) {
            return (number, false);
        }
        let number = u32::try_from(self.numbers.len()).expect("fewer than 2^32 contents");
        self.numbers.insert(contents.into(), number);
        self.contents_bytes += size_of_val(contents) + size_of::<(Box<[T]>, u32)>();
        (number, true)
    }

    /// Number of different contents.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        self.contents_bytes
    }
}

impl<T: Copy + Eq + std::hash::Hash> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_share_a_number() {
        let mut table = Interner::new();
        assert_eq!(table.intern(&[1u8, 2]), (0, true));
        assert_eq!(table.intern(&[1, 3]), (1, true));
        assert_eq!(table.intern(&[1, 2]), (0, false));
        assert_eq!(table.intern(&[]), (2, true));
        assert_eq!(table.len(), 3);
    }
}

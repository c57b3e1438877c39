//! Interning: equal contents get equal numbers, different contents different ones.
//!
//! All contents of a pool have the same width and lie one behind the other, so a number finds its
//! contents by multiplication. Equality is decided on the contents, never on a hash alone. Numbers
//! count up from zero in the order of first sight, so a search that proceeds in the same order
//! sees the same numbers. Nothing is ever removed.

use super::slots::{Slots, fold};

/// Contents by number.
#[derive(Debug)]
pub struct Pool {
    width: usize,
    bytes: Vec<u8>,
    slots: Slots,
}

impl Pool {
    /// An empty pool for contents of `width` bytes.
    pub fn new(width: usize) -> Pool {
        Pool { width, bytes: Vec::new(), slots: Slots::default() }
    }

    /// The number of these contents.
    pub fn intern(&mut self, contents: &[u8]) -> u32 {
        debug_assert_eq!(contents.len(), self.width);
        let (width, bytes) = (self.width, &self.bytes);
        let of = |number: u32| &bytes[number as usize * width..][..width];
        let hash = hash_bytes(contents);
        if let Some(number) = self.slots.find(hash, |number| of(number) == contents) {
            return number;
        }
        let number = u32::try_from(self.bytes.len() / width).expect("fewer than 2^32 contents");
        self.slots.add(hash, number, |number| hash_bytes(of(number)));
        self.bytes.extend_from_slice(contents);
        number
    }

    /// Contents by number.
    pub fn contents(&self, number: u32) -> &[u8] {
        &self.bytes[number as usize * self.width..][..self.width]
    }

    /// Number of different contents.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.bytes.capacity() + self.slots.bytes()
    }
}

/// A hash of bytes whose number is a multiple of eight.
fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (pairs, rest) = bytes.as_chunks::<16>();
    for pair in pairs {
        let [low, high] = [0, 8].map(|at| {
            let mut word = [0; 8];
            word.copy_from_slice(&pair[at..at + 8]);
            u64::from_le_bytes(word)
        });
        hash = fold(low ^ hash, high ^ 0x9e37_79b9_7f4a_7c15);
    }
    for chunk in rest.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = fold(u64::from_le_bytes(word) ^ hash, 0xd6e8_feb8_6659_fd93);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_share_a_number() {
        let mut pool = Pool::new(8);
        assert_eq!(pool.intern(&[1; 8]), 0);
        assert_eq!(pool.intern(&[2; 8]), 1);
        assert_eq!(pool.intern(&[1; 8]), 0);
        assert_eq!(pool.len(), 2);
        assert_eq!(pool.contents(1), [2; 8]);
    }

    #[test]
    fn many_contents_keep_their_numbers() {
        let mut pool = Pool::new(24);
        let contents = |number: u32| {
            let mut bytes = [0; 24];
            bytes[..4].copy_from_slice(&number.to_le_bytes());
            bytes
        };
        for round in 0..2 {
            for number in 0..10_000 {
                assert_eq!(pool.intern(&contents(number)), number, "round {round}");
            }
        }
        assert!((0..10_000).all(|number| pool.contents(number) == contents(number)));
    }
}

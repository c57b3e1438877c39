//! Fingerprints of the state vector: the sparse hash with two bases, for 64 bits.
//!
//! The words of the vector are the numbers of its components, the exponents their positions. One
//! base gives 61 bits; the second makes it 64, and both would have to fail at once for two states
//! to be taken for one by more than chance. Other seeds give other bases and so other functions.
//!
//! The vector of zeros has the fingerprint zero.

use super::field::{Field, Mersenne61};
use crate::state::slots::fold;

/// The hash of a vector, for both bases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Print {
    hashes: [u64; 2],
}

impl Print {
    /// As 64 bits.
    #[inline]
    pub fn bits(self) -> u64 {
        self.hashes[0] | self.hashes[1] << 61
    }
}

/// How to make fingerprints: powers of the bases by position.
#[derive(Clone, Debug)]
pub struct Prints {
    bases: [u64; 2],
    powers: Vec<[u64; 2]>,
}

impl Prints {
    /// The function with this number.
    pub fn new(function: u64) -> Prints {
        let draw = |salt: u64| {
            let drawn = fold(function ^ salt, 0x9e37_79b9_7f4a_7c15) ^ salt.rotate_left(17);
            // Not zero or one, which would tell nothing apart.
            Mersenne61::reduce(drawn).max(2)
        };
        let bases = [draw(0x5851_f42d_4c95_7f2d), draw(0xda94_2042_e4dd_58b5)];
        Prints { bases, powers: vec![[1; 2]] }
    }

    /// Makes room for positions below this number.
    pub fn reserve(&mut self, positions: usize) {
        while self.powers.len() < positions {
            let last = self.powers[self.powers.len() - 1];
            let next = [0, 1].map(|at| Mersenne61::multiply(last[at], self.bases[at]));
            self.powers.push(next);
        }
    }

    /// Takes in that a value at a position, for which there is room, is a new one.
    #[inline]
    pub fn change(&self, print: &mut Print, position: u32, old: u32, new: u32) {
        let difference = Mersenne61::subtract(u64::from(new), u64::from(old));
        let powers = &self.powers[position as usize];
        for (hash, &power) in print.hashes.iter_mut().zip(powers) {
            *hash = Mersenne61::add(*hash, Mersenne61::multiply(difference, power));
        }
    }

    /// The fingerprint of values at positions, from scratch.
    pub fn of(&self, values: impl Iterator<Item = (u32, u32)>) -> Print {
        let mut print = Print::default();
        values.for_each(|(position, value)| self.change(&mut print, position, 0, value));
        print
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn changes_give_the_fingerprint_from_scratch(
            changes in prop::collection::vec((0u32..50, any::<u32>()), 0..100), function: u64
        ) {
            let mut prints = Prints::new(function);
            prints.reserve(50);
            let (mut values, mut print) = ([0; 50], Print::default());
            for (position, new) in changes {
                let old = std::mem::replace(&mut values[position as usize], new);
                prints.change(&mut print, position, old, new);
            }
            let all = values.iter().enumerate().map(|(at, &value)| (at as u32, value));
            prop_assert_eq!(print, prints.of(all));
        }
    }

    #[test]
    fn small_vectors_have_different_fingerprints() {
        let mut prints = Prints::new(0);
        prints.reserve(6);
        let mut seen = BTreeSet::new();
        for code in 0..8u32.pow(5) {
            let digits = (0..5).map(|at| (at + 1, code / 8u32.pow(at) % 8));
            assert!(seen.insert(prints.of(digits).bits()));
        }
        assert_eq!(prints.of([(3, 0)].into_iter()).bits(), 0);
    }

    #[test]
    fn functions_differ() {
        let of = |function: u64| {
            let mut prints = Prints::new(function);
            prints.reserve(3);
            prints.of([(1, 5), (2, 6)].into_iter()).bits()
        };
        let all: BTreeSet<u64> = (0..100).map(of).collect();
        assert_eq!(all.len(), 100);
    }
}

//! Bitstate hashing: an array of bits of a fixed size, of which each state sets a few.
//!
//! A state whose bits are all set counts as visited. The more bits are set the likelier that is by
//! chance, so how many states were probably taken for visited without being so is summed up while
//! the array fills.

use super::coverage::Coverage;
use super::{Added, Visited};
use crate::state::slots::fold;

/// New states between two looks at how full the array is.
const LOOK_EVERY: u64 = 1024;

/// See the module head.
#[derive(Debug)]
pub struct Bitstate {
    words: Vec<u64>,
    positions: u32,
    ones: u64,
    states: u64,
    /// States that were probably taken for visited, up to the last look.
    omitted: f64,
}

impl Bitstate {
    /// An array of so many bytes, of which each state sets so many bits.
    pub fn new(bytes: u64, positions: u32) -> Bitstate {
        let words = vec![0; (bytes / 8).max(1) as usize];
        Bitstate { words, positions, ones: 0, states: 0, omitted: 0.0 }
    }

    /// The probability that a new state is taken for visited now.
    fn mistake(&self) -> f64 {
        self.load().powi(self.positions as i32)
    }

    /// States that were probably omitted if these many were added since the last look.
    fn omitted_since(&self, added: u64) -> f64 {
        let mistake = self.mistake();
        // For each state that was new so many came by that were not let in.
        added as f64 * mistake / (1.0 - mistake).max(f64::MIN_POSITIVE)
    }
}

impl Visited for Bitstate {
    #[inline]
    fn add(&mut self, print: u64) -> Added {
        let bits = self.words.len() as u128 * 64;
        let mut place = fold(print ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9);
        let step = fold(print ^ 0xd6e8_feb8_6659_fd93, 0x9e37_79b9_7f4a_7c15) | 1;
        let before = self.ones;
        for _ in 0..self.positions {
            let bit = ((u128::from(place) * bits) >> 64) as u64;
            let word = &mut self.words[(bit / 64) as usize];
            self.ones += u64::from(*word & 1 << (bit % 64) == 0);
            *word |= 1 << (bit % 64);
            place = place.wrapping_add(step);
        }
        if self.ones == before {
            return Added::Old;
        }
        self.states += 1;
        if self.states.is_multiple_of(LOOK_EVERY) {
            self.omitted += self.omitted_since(LOOK_EVERY);
        }
        Added::New
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    fn load(&self) -> f64 {
        self.ones as f64 / (self.words.len() as f64 * 64.0)
    }

    fn coverage(&self) -> Coverage {
        let omitted = self.omitted + self.omitted_since(self.states % LOOK_EVERY);
        Coverage::bitstate(self.states, omitted, self.bytes() as u64, self.positions, self.load())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(number: u64) -> u64 {
        fold(number + 1, 0xd6e8_feb8_6659_fd93)
    }

    #[test]
    fn what_was_added_is_there() {
        let mut set = Bitstate::new(1 << 20, 3);
        for number in 0..10_000 {
            set.add(print(number));
        }
        assert!((0..10_000).all(|number| set.add(print(number)) == Added::Old));
        assert!(set.load() < 0.01);
    }

    #[test]
    fn the_estimate_fits_what_is_omitted() {
        // 100,000 states in 400,000 bits: more than half of the bits end up set.
        let mut set = Bitstate::new(50_000, 3);
        let all = 100_000;
        let added = (0..all).filter(|&number| set.add(print(number)) == Added::New).count() as f64;
        let Coverage::Bitstate { share, .. } = set.coverage() else { panic!("bitstate") };
        let truth = added / all as f64;
        assert!((0.8..0.99).contains(&truth), "{truth}");
        assert!((share - truth).abs() < 0.01, "{share} estimated, {truth} true");
    }

    #[test]
    fn a_full_array_has_seen_everything() {
        let mut set = Bitstate::new(8, 2);
        (0..1000).for_each(|number| {
            set.add(print(number));
        });
        assert_eq!(set.load(), 1.0);
        assert_eq!(set.add(print(5000)), Added::Old);
        let Coverage::Bitstate { share, .. } = set.coverage() else { panic!("bitstate") };
        assert!((0.0..=1.0).contains(&share));
    }
}

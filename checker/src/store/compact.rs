//! Hash compaction: a table of 64-bit fingerprints and nothing else.
//!
//! Open addressing with linear probing. The table is at most seven eighths full and grows by a
//! third, so a state takes 9.1 to 12.2 bytes. A place is found by scaling the mixed fingerprint to
//! the size of the table, which therefore needs not be a power of two. Where growing would take
//! more memory than there may be, the table is filled up further first, and then full.

use super::coverage::Coverage;
use super::{Added, Visited};
use crate::state::slots::fold;

/// Places of the smallest table.
const FIRST: usize = 1 << 12;
/// Stands for the fingerprint zero, which marks free places.
const ZERO: u64 = 0x9e37_79b9_7f4a_7c15;

/// See the module head.
#[derive(Debug)]
pub struct Compact {
    /// Zero for a free place.
    places: Vec<u64>,
    used: usize,
    bytes_max: u64,
}

impl Compact {
    /// A table that takes at most so many bytes, also while it grows.
    pub fn new(bytes_max: u64) -> Compact {
        Compact { places: vec![0; FIRST], used: 0, bytes_max }
    }

    #[inline]
    fn place(&self, print: u64) -> usize {
        let mixed = fold(print ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9);
        let len = self.places.len();
        let mut at = ((u128::from(mixed) * len as u128) >> 64) as usize;
        while self.places[at] != print && self.places[at] != 0 {
            at += 1;
            if at == len {
                at = 0;
            }
        }
        at
    }

    /// Whether there is room for one more, after growing if need be and possible.
    fn has_room(&mut self) -> bool {
        let len = self.places.len();
        if self.used < len / 8 * 7 {
            return true;
        }
        let more = len / 3 * 4;
        if self.bytes_max < (len + more) as u64 * 8 {
            return self.used < len / 64 * 63;
        }
        let old = std::mem::replace(&mut self.places, vec![0; more]);
        for print in old.into_iter().filter(|&print| print != 0) {
            let at = self.place(print);
            self.places[at] = print;
        }
        true
    }
}

impl Visited for Compact {
    #[inline]
    fn add(&mut self, print: u64) -> Added {
        let print = if print == 0 { ZERO } else { print };
        let at = self.place(print);
        if self.places[at] != 0 {
            return Added::Old;
        }
        if !self.has_room() {
            return Added::Full;
        }
        let at = self.place(print);
        self.places[at] = print;
        self.used += 1;
        Added::New
    }

    fn bytes(&self) -> usize {
        self.places.capacity() * 8
    }

    fn load(&self) -> f64 {
        self.used as f64 / self.places.len() as f64
    }

    fn coverage(&self) -> Coverage {
        Coverage::compact(self.used as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(
            prints in prop::collection::vec(prop_oneof![0u64..50, any::<u64>()], 0..300)
        ) {
            let (mut table, mut set) = (Compact::new(u64::MAX), BTreeSet::new());
            for print in prints {
                let expected = if set.insert(print) { Added::New } else { Added::Old };
                prop_assert_eq!(table.add(print), expected);
            }
        }
    }

    #[test]
    fn a_table_that_grows_forgets_nothing() {
        let mut table = Compact::new(u64::MAX);
        let print = |number: u64| fold(number + 1, 0xd6e8_feb8_6659_fd93);
        for number in 0..100_000 {
            assert_eq!(table.add(print(number)), Added::New);
            assert!(table.load() <= 0.876);
        }
        assert!((0..100_000).all(|number| table.add(print(number)) == Added::Old));
        assert!(table.bytes() < 100_000 * 13);
    }

    #[test]
    fn a_table_without_room_says_so() {
        let mut table = Compact::new(FIRST as u64 * 8);
        let mut added = 0;
        while table.add(added * 7 + 1) == Added::New {
            added += 1;
        }
        assert_eq!(added as usize, FIRST / 64 * 63);
        assert_eq!(table.add(1), Added::Old, "what is there is still there");
    }
}

//! The index of a table of numbered things: which number has the thing with this hash?
//!
//! Open addressing with linear probing over 32-bit numbers; the things themselves live elsewhere,
//! and the caller compares them. At most three quarters of the slots are taken, and the index
//! doubles when it would be more, which costs one hash of every thing: constant work an insertion
//! in the long run.

/// See the module head.
#[derive(Debug, Default)]
pub struct Slots {
    /// Numbers plus one; zero for a free slot.
    slots: Vec<u32>,
    used: usize,
}

/// Slots of the smallest index.
const FIRST: usize = 64;

impl Slots {
    /// The number with this hash that `is_it` accepts.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                0 => return None,
                taken if is_it(taken - 1) => return Some(taken - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Adds a number that is not there yet; `hash_of` tells the hash of those that are.
    pub fn add(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        if self.slots.len() * 3 <= self.used * 4 {
            self.grow(hash_of);
        }
        self.put(hash, number);
        self.used += 1;
    }

    fn put(&mut self, hash: u64, number: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = number + 1;
    }

    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let size = (self.slots.len() * 2).max(FIRST);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for taken in old {
            if let Some(number) = taken.checked_sub(1) {
                self.put(hash_of(number), number);
            }
        }
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.used = 0;
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// Slots taken, and slots in all.
    pub fn load(&self) -> (usize, usize) {
        (self.used, self.slots.len())
    }
}

/// Mixes two words into one: both halves of their product.
#[inline(always)]
pub fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_what_they_stand_for() {
        let things: Vec<u64> = (0..1000).map(|n| n * n).collect();
        let mut slots = Slots::default();
        // A bad hash on purpose: many share one.
        let hash = |thing: u64| thing % 7;
        for (number, &thing) in things.iter().enumerate() {
            assert_eq!(slots.find(hash(thing), |n| things[n as usize] == thing), None);
            slots.add(hash(thing), number as u32, |n| hash(things[n as usize]));
        }
        for (number, &thing) in things.iter().enumerate() {
            let found = slots.find(hash(thing), |n| things[n as usize] == thing);
            assert_eq!(found, Some(number as u32));
        }
        assert_eq!(slots.load().0, 1000);
    }
}

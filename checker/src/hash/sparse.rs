//! The sparse method: all of memory is one vector, the exponent of a word is its address.

use super::PartsHash;
use super::field::Field;
use super::powers::Powers;

/// See the module head.
#[derive(Clone, Debug)]
pub struct Sparse<F> {
    powers: Powers<F>,
    hash: u64,
}

impl<F: Field> Sparse<F> {
    /// No parts.
    pub fn new(base: u64) -> Sparse<F> {
        Sparse { powers: Powers::new(base), hash: 0 }
    }

    /// What words contribute.
    fn weighed(&self, place: u64, words: &[u64]) -> u64 {
        F::multiply(self.powers.hash(words), self.powers.get(place))
    }
}

impl<F: Field> PartsHash for Sparse<F> {
    fn value(&self) -> u64 {
        self.hash
    }

    fn add(&mut self, place: u64, words: &[u64]) {
        self.hash = F::add(self.hash, self.weighed(place, words));
    }

    fn remove(&mut self, place: u64, words: &[u64]) {
        self.hash = F::subtract(self.hash, self.weighed(place, words));
    }

    fn change(&mut self, place: u64, index: usize, old: u64, new: u64) {
        let difference = F::subtract(F::reduce(new), F::reduce(old));
        let power = self.powers.get(place + index as u64 + 1);
        self.hash = F::add(self.hash, F::multiply(difference, power));
    }
}

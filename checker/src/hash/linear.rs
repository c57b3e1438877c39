//! The linear method: the hash of the concatenation of parts, each with its own hash and offset.

use super::PartsHash;
use super::field::Field;
use super::powers::Powers;

/// A part.
#[derive(Clone, Copy, Debug)]
struct Part {
    place: u64,
    /// By itself.
    hash: u64,
    /// Words before it.
    offset: u64,
    len: u64,
}

/// See the module head.
#[derive(Clone, Debug)]
pub struct Linear<F> {
    powers: Powers<F>,
    /// By place.
    parts: Vec<Part>,
    hash: u64,
}

impl<F: Field> Linear<F> {
    /// No parts.
    pub fn new(base: u64) -> Linear<F> {
        Linear { powers: Powers::new(base), parts: Vec::new(), hash: 0 }
    }

    /// The hash of the parts from one on, as they lie.
    fn behind(&self, first: usize) -> u64 {
        let shifted = |part: &Part| F::multiply(part.hash, self.powers.get(part.offset));
        self.parts[first..].iter().map(shifted).fold(0, F::add)
    }

    fn find(&self, place: u64) -> usize {
        let found = self.parts.binary_search_by_key(&place, |part| part.place);
        found.expect("a part at this address")
    }
}

impl<F: Field> PartsHash for Linear<F> {
    fn value(&self) -> u64 {
        self.hash
    }

    fn add(&mut self, place: u64, words: &[u64]) {
        let at = self.parts.partition_point(|part| part.place < place);
        let offset = at.checked_sub(1).map_or(0, |at| self.parts[at].offset + self.parts[at].len);
        let (hash, len) = (self.powers.hash(words), words.len() as u64);
        let behind = self.behind(at);
        let before = F::subtract(self.hash, behind);
        self.parts.insert(at, Part { place, hash, offset, len });
        self.parts[at + 1..].iter_mut().for_each(|part| part.offset += len);
        let own = F::multiply(hash, self.powers.get(offset));
        let behind = F::multiply(behind, self.powers.get(len));
        self.hash = F::add(F::add(before, own), behind);
    }

    fn remove(&mut self, place: u64, words: &[u64]) {
        let at = self.find(place);
        let behind = self.behind(at + 1);
        let Part { hash, offset, len, .. } = self.parts.remove(at);
        debug_assert_eq!(hash, self.powers.hash(words), "contents are not what they were");
        let own = F::multiply(hash, self.powers.get(offset));
        let before = F::subtract(F::subtract(self.hash, behind), own);
        self.parts[at..].iter_mut().for_each(|part| part.offset -= len);
        let back = F::inverse(self.powers.get(len));
        self.hash = F::add(before, F::multiply(behind, back));
    }

    fn change(&mut self, place: u64, index: usize, old: u64, new: u64) {
        let at = self.find(place);
        let part = &mut self.parts[at];
        let difference = F::subtract(F::reduce(new), F::reduce(old));
        let own = F::multiply(difference, self.powers.get(index as u64 + 1));
        part.hash = F::add(part.hash, own);
        self.hash = F::add(self.hash, F::multiply(own, self.powers.get(part.offset)));
    }
}

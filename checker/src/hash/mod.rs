//! Incremental hashing of state that is made of parts and changes a little at a time.
//!
//! A vector of words v(1), v(2), … has the hash v(1)·B + v(2)·B² + … modulo a prime, as Rabin and
//! Karp have it. Changing a word changes one summand, so nothing else has to be looked at again.
//! State is a set of *parts* (blocks of memory, registers), each at an address, that come and go.
//! Three methods keep its hash up to date behind one interface, [`PartsHash`]:
//!
//! - [`linear`]: parts one behind the other, in the order of their addresses; where a part comes or
//!   goes, all behind it are moved. A change is constant work, a part the number of parts.
//! - [`tree`]: the same hash, with sums over the subtrees of a balanced tree: everything takes the
//!   logarithm of the number of parts.
//! - [`sparse`]: the exponent of a word is its address. Nothing is ever moved, words that are zero
//!   add nothing, and everything costs the words that change.
//!
//! [`print`] applies the sparse method to the state vector of a search.

pub mod field;
pub mod linear;
pub mod powers;
pub mod print;
pub mod sparse;
pub mod tree;

#[cfg(test)]
mod tests;

/// The hash of parts at addresses, which must not overlap. Contents are not kept: who changes them
/// says what they were.
pub trait PartsHash {
    /// The hash of all parts.
    fn value(&self) -> u64;

    /// Takes in a part that is not there yet; `place` is the address of its first word, counted in
    /// words.
    fn add(&mut self, place: u64, words: &[u64]);

    /// Removes the part at an address, which has these contents now.
    fn remove(&mut self, place: u64, words: &[u64]);

    /// Takes in that a word of the part at an address is a new one now.
    fn change(&mut self, place: u64, index: usize, old: u64, new: u64);
}

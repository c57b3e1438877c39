//! Sets of fingerprints: which states were visited, in few bytes and not quite certainly.
//!
//! A set may say that it has a fingerprint that it does not have, and a state with a fingerprint
//! that another state has counts as visited. Either way states are omitted, never invented: errors
//! are real, but finding none proves nothing. How likely that is, [`Coverage`] says.

pub mod bitstate;
pub mod compact;
pub mod coverage;
pub mod mini;

pub use coverage::Coverage;

/// What came of adding a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It was not there.
    New,
    /// It was there, or seems to have been.
    Old,
    /// It was not there, and there is no room.
    Full,
}

/// See the module head.
pub trait Visited {
    /// Adds a fingerprint.
    fn add(&mut self, print: u64) -> Added;

    /// Memory taken.
    fn bytes(&self) -> usize;

    /// How much of its room is taken, from zero to one.
    fn load(&self) -> f64;

    /// What may have been omitted so far.
    fn coverage(&self) -> Coverage;
}

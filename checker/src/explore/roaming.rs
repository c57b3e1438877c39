//! What a search needs that keeps its states elsewhere, as bytes.
//!
//! States are told by their keys (see [`crate::state::key`]); numbers of states mean something
//! until the next expansion only. Keys hold numbers that were given out in the order of first
//! sight, so a key is good only together with everything that was learned before it was written. A
//! search that wants to be interrupted writes down in which expansions something was learned, and
//! makes those again later: expanding is deterministic, so the numbers come out the same, and
//! digests tell if they do not.

use super::choice::Stats;
use super::engine::{Engine, Expansion};
use crate::state::StateId;
use crate::state::lesson::Lesson;

/// How much was learned, and how many moves were executed for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Components and their contents.
    pub lesson: Lesson,
    /// Moves executed.
    pub executed: u64,
    /// Everything else that decides which moves there are and which may be left out, as numbers
    /// that change when it does.
    pub others: [u64; 7],
}

/// See the module head.
pub trait Roaming: Engine {
    /// Begins a round: the engine stands at the start.
    fn begin(&mut self);

    /// Goes to the state with this key; whether it is one that can be known. Moves made before
    /// cannot be taken back then.
    fn stand(&mut self, key: &[u8]) -> bool;

    /// Looks at all moves from here. Moves that need not be explored are left out without asking
    /// whether that puts a thread off round a cycle, or not at all.
    fn expand_freely(&mut self, leave_out: bool) -> Expansion;

    /// The key of a successor of the state that was expanded last.
    fn key(&self, state: StateId) -> &[u8];

    /// What was learned so far.
    fn learned(&self) -> Learned;

    /// A digest of what was learned since.
    fn digest_since(&self, before: &Learned) -> u64;

    /// Whether moves were left out in this round for reasons that turned out to be wrong.
    fn is_unsettled(&self) -> bool;

    /// Numbers of the round, as far as the engine counts them.
    fn tally(&mut self) -> &mut Stats;
}

//! How states were found by a search that expands them in batches: from where, how far from the
//! start. Many threads note that at once.
//!
//! States have *places* in the order in which they are expanded. As long as a state waits to be
//! expanded, whoever leads there from further away than all before becomes its parent; among those
//! that are equally far, the first. That is an atomic maximum, so it does not matter who is faster.
//! A state is one move further from the start than its parent, so when it is expanded, it is
//! further than all states from which it was found until then.
//!
//! Cost: 8 bytes a state.

use crate::state::StateId;
use crate::state::reserve::Reserve;
use crate::state::table::ENTRIES_MAX;
use crate::sync::{AtomicU64, Ordering};

/// The state was expanded, or is in the batch that is.
const EXPANDED: u64 = 1 << 63;
/// It was found before the present batch.
const WAITING: u64 = 1 << 62;
/// Moves from the start at most.
pub const DEPTH_MAX: u32 = (1 << 30) - 2;

/// How a state was found. What is better is greater; what was never noted is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding(u64);

impl Finding {
    /// From the state at a place, which is so far from the start.
    pub fn from(place: u32, depth: u32) -> Finding {
        Finding(u64::from(depth + 1) << 32 | u64::from(!(place + 1)))
    }

    /// Moves from the start.
    pub fn depth(self) -> u32 {
        ((self.0 & !(EXPANDED | WAITING)) >> 32) as u32
    }

    /// The place of the parent; none for the start.
    pub fn parent(self) -> Option<u32> {
        (!(self.0 as u32)).checked_sub(1)
    }

    /// Whether the state was expanded, or is in the batch that is.
    pub fn is_expanded(self) -> bool {
        self.0 & EXPANDED != 0
    }

    /// Whether it was found before the present batch.
    pub fn is_old(self) -> bool {
        self.0 & (EXPANDED | WAITING) != 0
    }
}

/// By state; see the module head.
#[derive(Debug)]
pub struct Findings {
    keys: Reserve<AtomicU64>,
}

impl Findings {
    /// Only the start was found.
    pub fn new(start: StateId) -> Findings {
        let findings = Findings { keys: Reserve::at_most(ENTRIES_MAX) };
        let key = WAITING | u64::from(!0u32);
        findings.keys[start.0 as usize].store(key, Ordering::Relaxed);
        findings
    }

    /// How a state was found, if it was.
    #[inline]
    pub fn of(&self, state: StateId) -> Option<Finding> {
        let key = self.keys[state.0 as usize].load(Ordering::Relaxed);
        (key != 0).then_some(Finding(key))
    }

    /// How far a state is from the start; it was found.
    #[inline]
    pub fn depth(&self, state: StateId) -> u32 {
        self.of(state).map_or(0, Finding::depth)
    }

    /// Notes how a state was found that was not expanded; what is known of it must not be older
    /// than the present batch. Whether that is better than all that was noted so far.
    #[inline]
    pub fn note(&self, state: StateId, known: Option<Finding>, finding: Finding) -> bool {
        let key = finding.0 | known.map_or(0, |known| known.0 & WAITING);
        let noted = &self.keys[state.0 as usize];
        // Who only reads leaves the cache line to others.
        noted.load(Ordering::Relaxed) < key && noted.fetch_max(key, Ordering::Relaxed) < key
    }

    /// The batch in which a state was found is over.
    pub fn let_wait(&self, state: StateId) {
        self.keys[state.0 as usize].fetch_or(WAITING, Ordering::Relaxed);
    }

    /// A state is going to be expanded.
    pub fn begin(&self, state: StateId) {
        self.keys[state.0 as usize].fetch_or(EXPANDED, Ordering::Relaxed);
    }

    /// Whether a move to a state from one that is so far from the start may close a cycle: it does
    /// not lead further. If the state was not expanded yet, it does.
    #[inline]
    pub fn may_close(&self, depth: u32, successor: StateId) -> bool {
        let known = self.of(successor);
        known.is_some_and(|known| known.is_expanded() && known.depth() <= depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_furthest_parent_counts_and_among_these_the_first() {
        let (start, state) = (StateId(7), StateId(8));
        assert_eq!(Findings::new(start).of(start).and_then(Finding::parent), None);
        let orders = [[(5, 2), (3, 2), (4, 1)], [(4, 1), (3, 2), (5, 2)], [(3, 2), (4, 1), (5, 2)]];
        for order in orders {
            let findings = Findings::new(start);
            assert_eq!(findings.of(state), None);
            for (place, depth) in order {
                findings.note(state, findings.of(state), Finding::from(place, depth));
            }
            let found = findings.of(state).expect("it was found");
            assert_eq!((found.parent(), found.depth(), found.is_old()), (Some(3), 3, false));
        }
    }

    #[test]
    fn who_waits_gets_a_better_parent_and_who_was_expanded_keeps_its_own() {
        let state = StateId(8);
        let findings = Findings::new(StateId(7));
        assert!(findings.note(state, None, Finding::from(0, 0)));
        findings.let_wait(state);
        assert!(findings.of(state).is_some_and(Finding::is_old));
        assert!(!findings.note(state, findings.of(state), Finding::from(1, 0)), "not further");
        assert!(findings.note(state, findings.of(state), Finding::from(2, 4)));
        findings.begin(state);
        assert!(!findings.note(state, None, Finding::from(3, 9)));
        let found = findings.of(state).expect("it was found");
        assert_eq!((found.parent(), found.depth()), (Some(2), 5));
    }

    #[test]
    fn moves_that_lead_further_close_nothing() {
        let (start, next) = (StateId(1), StateId(2));
        let findings = Findings::new(start);
        findings.begin(start);
        assert!(findings.may_close(0, start));
        findings.note(next, None, Finding::from(0, 0));
        assert!(!findings.may_close(9, next), "it is not expanded yet");
        findings.begin(next);
        assert!(!findings.may_close(0, next));
        assert!(findings.may_close(1, next));
    }
}

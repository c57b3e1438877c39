//! Coming back to states of which only the way is kept (see [`crate::store::mini`]).
//!
//! A state that has the fingerprint of one that was met before is compared with it: the other one
//! is built again for that. Two states with the same fingerprint make the search begin anew with
//! other fingerprints, so it is exact.
//!
//! A way means something as long as the same operations are visible; from when that changes to the
//! next round, nothing is noted.

use super::{Space, Survey};
use crate::explore::choice::Choice;
use crate::explore::known::Outcome;
use crate::state::StateId;
use crate::store::mini::MiniStates;

/// Ways to states, and what came of comparing.
#[derive(Debug)]
pub(super) struct Rebuilding {
    pub(super) minis: MiniStates,
    /// Searches that were begun anew because two states had the same fingerprint.
    pub(super) collisions: u64,
    /// Size of the contended set that the ways are for.
    pub(super) visible: usize,
    /// Moves made again.
    pub(super) replayed: u64,
    here: Vec<(u32, u32)>,
}

impl Rebuilding {
    pub(super) fn new(minis: MiniStates) -> Rebuilding {
        Rebuilding { minis, collisions: 0, visible: 0, replayed: 0, here: Vec::new() }
    }
}

impl Space<'_> {
    /// A move from the state that is being expanded has led to the present state.
    #[inline]
    pub(super) fn note_way(&mut self, parent: StateId, choice: Choice, survey: &mut Survey) {
        if self.rebuilding.is_some() {
            self.note_mini(parent, choice, survey);
        }
    }

    fn note_mini(&mut self, parent: StateId, choice: Choice, survey: &mut Survey) {
        let (state, visible) = (self.vector.state(), self.sight.visible.added());
        let Some(rebuilding) = &mut self.rebuilding else { return };
        if rebuilding.visible != visible {
            return;
        }
        if !rebuilding.minis.knows(state) {
            let vector = &self.vector;
            rebuilding.minis.add(state, parent, choice, || vector.values().collect());
            return;
        }
        rebuilding.here.clear();
        rebuilding.here.extend(self.vector.values());
        let mark = self.vector.mark();
        self.rebuild(state);
        if let Some(rebuilding) = &mut self.rebuilding {
            let is_same = self.vector.values().eq(rebuilding.here.iter().copied());
            rebuilding.collisions += u64::from(!is_same);
            survey.grown |= !is_same;
        }
        self.vector.undo_to(mark);
    }

    /// Goes to a state whose way is known; going back is possible.
    pub(super) fn rebuild(&mut self, target: StateId) {
        let Some(rebuilding) = &mut self.rebuilding else { return };
        let (key, way) = rebuilding.minis.way(target);
        self.vector.go(key);
        let way: Vec<Choice> = way.iter().rev().copied().collect();
        rebuilding.replayed += way.len() as u64;
        let mut survey = Survey::again();
        for choice in way {
            let found = self.made(choice, &mut survey);
            let outcome = self.known.get(found.which).outcome;
            assert_eq!(outcome, Outcome::Done, "internal error: a way leads nowhere");
            self.known.apply(found, &mut self.vector);
        }
        assert_eq!(self.vector.state(), target, "internal error: a way leads elsewhere");
    }
}

//! What the states that moves lead to are worth to somebody who plans. Each is looked at once, with
//! the process there.

use super::Space;
use crate::explore::choice::Choice;
use crate::explore::moves::Move;
use crate::explore::word::Word;
use crate::state::StateId;
use ahash::{AHashMap, RandomState};
use samovar_runtime::Process;
use std::ops::Range;

/// What a state is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appraisal {
    /// It is what is looked for.
    pub is_goal: bool,
    /// How far what is looked for is away.
    pub estimate: u64,
    /// What it costs to have come here, as the program counts.
    pub cost: i64,
    /// Steps of a plan that the move made.
    pub actions: u32,
}

/// Appraises the state where the process stands.
pub type Appraiser<'a> = Box<dyn FnMut(&Process) -> Appraisal + 'a>;

/// What the moves of a state come to.
pub(super) struct Appraisals<'a> {
    appraiser: Option<Appraiser<'a>>,
    /// By state.
    known: AHashMap<StateId, Appraisal>,
    /// By number of the successor.
    done: Vec<Appraisal>,
    /// Moves that end the program.
    ends: Vec<(Choice, Appraisal)>,
}

impl Default for Appraisals<'_> {
    fn default() -> Self {
        let known = AHashMap::with_hasher(RandomState::with_seeds(11, 12, 13, 14));
        Appraisals { appraiser: None, known, done: Vec::new(), ends: Vec::new() }
    }
}

impl Appraisals<'_> {
    /// Whether somebody appraises states.
    pub(super) fn is_wanted(&self) -> bool {
        self.appraiser.is_some()
    }

    /// Another state is expanded.
    pub(super) fn begin(&mut self) {
        self.done.clear();
        self.ends.clear();
    }

    /// States have other numbers from now on.
    pub(super) fn begin_round(&mut self) {
        self.known.clear();
    }

    /// A move ends the program, and the process stands there; whether anybody wants to know.
    pub(super) fn end(&mut self, process: &Process, choice: Choice, made: &Move) -> bool {
        let Some(appraiser) = &mut self.appraiser else { return false };
        let appraisal = Appraisal { actions: made.actions, ..appraiser(process) };
        self.ends.push((choice, appraisal));
        true
    }
}

impl<'a> Space<'a> {
    /// Has every state appraised that a move leads to. Moves must not be left out.
    pub fn appraising(mut self, appraiser: Appraiser<'a>) -> Self {
        assert!(!self.prune, "states that are left out are not appraised");
        self.appraisals.appraiser = Some(appraiser);
        self
    }

    /// Takes in the state that the vector stands in, where a move has led that made so many steps
    /// of a plan.
    pub(super) fn appraise(&mut self, state: StateId, actions: u32) {
        if self.appraisals.appraiser.is_none() {
            return;
        }
        let worth = match self.appraisals.known.get(&state) {
            Some(&worth) => worth,
            None => {
                self.vector.bring(self.process);
                let appraiser = self.appraisals.appraiser.as_mut();
                let worth = appraiser.map_or(Appraisal::default(), |it| it(self.process));
                self.appraisals.known.insert(state, worth);
                worth
            }
        };
        self.appraisals.done.push(Appraisal { actions, ..worth });
    }

    /// What the successors of the state that was expanded last are worth, in their order.
    pub fn appraisals(&self) -> &[Appraisal] {
        &self.appraisals.done
    }

    /// Makes words visible; whether that makes a difference. Everything has to be explored anew
    /// then.
    pub fn make_visible(&mut self, words: &[Range<u64>]) -> bool {
        let all = words.iter().flat_map(|range| range.start / 8..range.end.div_ceil(8));
        all.fold(false, |grown, word| self.sight.visible.add(Word(word)) | grown)
    }

    /// Moves of that state that end the program, and what its end is worth.
    pub fn final_moves(&self) -> &[(Choice, Appraisal)] {
        &self.appraisals.ends
    }
}

//! Looking at every state that a move leads to while the process stands there: what it is worth to
//! somebody who plans. Nothing is executed twice for that.

use super::Space;
use crate::explore::choice::Choice;
use crate::explore::moves::{Ending, Move};
use crate::explore::word::Word;
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
#[derive(Default)]
pub(super) struct Appraisals<'a> {
    appraiser: Option<Appraiser<'a>>,
    /// By number of the successor.
    done: Vec<Appraisal>,
    /// Moves that end the program.
    ends: Vec<(Choice, Appraisal)>,
}

impl Appraisals<'_> {
    /// Another state is expanded.
    pub(super) fn begin(&mut self) {
        self.done.clear();
        self.ends.clear();
    }

    /// A move was made, and the process stands where it leads.
    pub(super) fn take(&mut self, process: &Process, choice: Choice, made: &Move) {
        let Some(appraiser) = &mut self.appraiser else { return };
        match made.ending {
            Ending::Done => {
                self.done.push(Appraisal { actions: made.actions, ..appraiser(process) });
            }
            Ending::Exited(_) => {
                let appraisal = Appraisal { actions: made.actions, ..appraiser(process) };
                self.ends.push((choice, appraisal));
            }
            _ => {}
        }
    }
}

impl<'a> Space<'a> {
    /// Has every state appraised that a move leads to. Moves must not be left out.
    pub fn appraising(mut self, appraiser: Appraiser<'a>) -> Self {
        assert!(!self.prune, "states that are left out are not appraised");
        self.appraisals.appraiser = Some(appraiser);
        self
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

//! Looking at all moves of a state: where they lead, where they conflict, which suffice.

use super::{Space, Survey};
use crate::explore::choice::{Choice, Wrong};
use crate::explore::engine::{Expansion, Successor};
use crate::explore::future::Place;
use crate::explore::known::Outcome;
use crate::explore::stubborn::{Choices, Mover, ThreadDeed};
use crate::explore::touches::bit;
use crate::explore::visible::Visible;
use crate::explore::word::Word;
use crate::state::VectorMark;
use samovar_runtime::ThreadState;
use samovar_vm::machine::ThreadId;

impl Space<'_> {
    /// Looks at the next moves of all threads, and takes them back.
    pub(super) fn survey(&mut self, survey: &mut Survey) {
        let count = self.vector.os().threads().len() as u32;
        self.threads_max = self.threads_max.max(u64::from(count));
        let mark = self.vector.mark();
        let only = self.only.filter(|only| only.0 < count);
        let others = (0..count).map(ThreadId).filter(|thread| Some(*thread) != only);
        for thread in only.into_iter().chain(others) {
            survey.muted = only.is_some_and(|only| only != thread && self.can_move_now(only));
            match &self.vector.os().threads()[thread.0 as usize].state {
                ThreadState::Runnable => self.try_thread(thread, mark, survey),
                ThreadState::Waiting(_) => {
                    let wait = self.vector.os().threads()[thread.0 as usize].waiting().cloned();
                    let place = self.place(thread);
                    let (enabled, deed, things) = (false, ThreadDeed::None, 0..0);
                    self.movers.push(Mover { thread, enabled, wait, deed, place, things });
                }
                ThreadState::Exited => {}
            }
            if survey.end.is_some() {
                return;
            }
        }
        survey.muted = false;
        if self.vector.os().next_deadline().is_some() {
            self.try_time(ThreadId(count), mark, survey);
        }
    }

    /// Where a thread stands.
    pub(super) fn place(&mut self, thread: ThreadId) -> Place {
        self.futures.place(thread, self.vector.pc(thread))
    }

    /// Whether a thread was found to be able to move.
    fn can_move_now(&self, thread: ThreadId) -> bool {
        self.movers.iter().any(|mover| mover.thread == thread && mover.enabled)
    }

    /// All alternatives of a thread's next move.
    fn try_thread(&mut self, thread: ThreadId, mark: VectorMark, survey: &mut Survey) {
        let (mut alternative, mut alternatives) = (0, 1);
        let parent = self.vector.state();
        while alternative < alternatives && survey.end.is_none() {
            let choice = Choice { thread, alternative };
            let which = self.made(choice, survey);
            self.made.push((thread, which));
            let known = self.known.get(which);
            // What the first choice of a move was may decide how many more there are.
            alternatives = known.alternatives.max(alternatives);
            let enabled = known.outcome != Outcome::Blocked;
            match self.movers.last_mut().filter(|last| last.thread == thread) {
                Some(mover) => mover.enabled |= enabled,
                None => self.movers.push(Mover {
                    thread,
                    enabled,
                    wait: known.wait.clone(),
                    deed: known.deed,
                    place: known.place.unwrap_or_default(),
                    things: 0..0,
                }),
            }
            survey.enabled += u32::from(enabled);
            if known.outcome == Outcome::Done && !survey.muted {
                let (effect, actions) = (known.effect, known.actions);
                let begin = self.storing.begin();
                let state = self.known.apply(which, &mut self.vector);
                self.storing.end(begin);
                self.note_way(parent, choice, survey);
                self.successors.push(Successor { choice, state, effect });
                self.appraise(state, actions);
                if self.decides(survey) {
                    survey.end = Some(Expansion::Wrong(Some(choice), Wrong::Property));
                }
                self.vector.undo_to(mark);
            }
            alternative += 1;
        }
    }

    /// The passing of time, up to the next deadline.
    fn try_time(&mut self, clock: ThreadId, mark: VectorMark, survey: &mut Survey) {
        let choice = Choice { thread: clock, alternative: 0 };
        let parent = self.vector.state();
        let which = self.made(choice, survey);
        let known = self.known.get(which);
        if known.outcome == Outcome::Done {
            let effect = known.effect;
            survey.time = true;
            survey.enabled += 1;
            let begin = self.storing.begin();
            let state = self.known.apply(which, &mut self.vector);
            self.storing.end(begin);
            self.note_way(parent, choice, survey);
            self.successors.push(Successor { choice, state, effect });
            self.appraise(state, 0);
            if self.decides(survey) {
                survey.end = Some(Expansion::Wrong(Some(choice), Wrong::Property));
            }
            self.vector.undo_to(mark);
        }
    }

    /// Compares the moves with each other; whether the contended set has grown. Objects come
    /// first: once they are visible, the memory that they guard may be at peace.
    pub(super) fn compare(&mut self) -> bool {
        self.touches.begin_state();
        let version = self.touches.version();
        let mut mover = 0;
        for &(thread, which) in &self.made {
            let known = self.known.get_mut(which);
            if known.version != version {
                self.touches.shares(thread, &known.touched, &mut known.shares);
                known.version = version;
                if self.prune
                    && let Some(place) = known.place
                {
                    for share in &known.shares {
                        self.futures.note(place, share.thing, share.change());
                    }
                }
            }
            self.touches.compare(thread, &known.shares);
            while self.movers[mover].thread != thread {
                mover += 1;
            }
            let things = known.shares.iter().map(|share| (share.thing, share.change()));
            let first = self.things.len();
            self.things.extend(things);
            let range = &mut self.movers[mover].things;
            *range = if range.start == range.end { first } else { range.start }..self.things.len();
        }
        let fresh = |visible: &Visible, word: Word| !visible.knows(word);
        let conflicts = self.touches.conflicts();
        let visible = &self.sight.visible;
        let objects = conflicts.iter().any(|one| one.atomic && fresh(visible, one.word));
        let mut grown = false;
        for conflict in self.touches.conflicts() {
            if conflict.atomic || !objects {
                grown |= self.sight.visible.add(conflict.word);
            }
        }
        grown
    }

    /// A conflict between plain accesses that is a data race, if there is one. Objects that both
    /// moves work on could still turn out to order them, so there must not be any new ones.
    pub(super) fn race(&mut self) -> Option<Wrong> {
        for at in 0..self.touches.conflicts().len() {
            let conflict = self.touches.conflicts()[at];
            if !conflict.plain || self.harmless.contains(&conflict.word) {
                continue;
            }
            let wrong = Wrong::Race { word: conflict.word };
            self.vector.bring(self.process);
            if (self.judge)(self.process, &self.sight, &wrong) {
                return Some(wrong);
            }
            self.harmless.insert(conflict.word);
        }
        None
    }

    /// Leaves out the successors that need not be explored.
    pub(super) fn prune(&mut self, survey: &Survey) {
        if !self.prune || survey.time || self.successors.len() < 2 {
            return;
        }
        let choices = Choices {
            movers: &self.movers,
            things: &self.things,
            touches: &self.touches,
            futures: &self.futures,
            deeds: self.deeds,
            count: self.vector.os().threads().len() as u32,
        };
        let Some(sufficient) = choices.sufficient() else { return };
        let is_kept = |one: &Successor| bit(one.choice.thread) & sufficient != 0;
        let mut kept = self.successors.iter().filter(|one| is_kept(one));
        if kept.all(|one| self.is_open(one.state)) {
            return;
        }
        self.stats.reduced += 1;
        self.successors.retain(is_kept);
    }
}

//! Looking at all moves of a state: where they conflict, which suffice, where those lead.
//!
//! Moves are found first and compared; only the moves that turn out to be needed are then made.

use super::{Space, Survey};
use crate::explore::choice::{Choice, Wrong};
use crate::explore::engine::{Engine, Expansion, Successor, UNSTORED};
use crate::explore::future::Place;
use crate::explore::known::{Found, Outcome};
use crate::explore::moves::Ending;
use crate::explore::stubborn::{Choices, Mover, ThreadDeed};
use crate::explore::thread_set::ThreadSet;
use crate::explore::visible::Visible;
use crate::explore::word::Word;
use crate::state::StateId;
use samovar_runtime::ThreadState;
use samovar_vm::machine::ThreadId;

/// A thread waits in a loop without end, and nobody else can move: what it would do if it went on
/// is not known.
fn waits_in_vain(thread: ThreadId) -> Expansion {
    let name = if thread.0 == 0 { "main".to_string() } else { format!("T{}", thread.0) };
    let reason = format!(
        "{name} waits in a loop that counts its turns and sees nothing new, while no other \
         thread can move; --patience follows it for longer"
    );
    let choice = Choice { thread, alternative: 0 };
    Expansion::Wrong(Some(choice), Wrong::Move(Ending::Cut(reason)))
}

impl Space<'_> {
    /// Expands the present state by looking at everything.
    pub(super) fn expand_surveying(&mut self) -> Expansion {
        let mut survey = Survey::default();
        if self.state() == self.start && self.decides(&mut survey) && !survey.grown {
            return Expansion::Wrong(None, Wrong::Property);
        }
        let terminal = self.stats.terminal;
        self.survey(&mut survey);
        if self.touches.take_missed() {
            self.stats.terminal = terminal;
            self.known.doubt_large();
            // Moves that are known by now will not show again what is contended.
            self.grown_aside |= survey.grown;
            return self.expand();
        }
        let ruling = if survey.end.is_none() { self.ruling() } else { None };
        // A path is told with the set that it was found with; the error will be there again.
        if survey.grown | (ruling.is_none() && self.compare()) {
            return Expansion::Anew;
        }
        if !self.prune && survey.end.is_none() {
            self.make(&mut survey, |_| true);
        }
        if let Some(over) = survey.is_over() {
            return over;
        }
        if ruling.is_none()
            && let Some(race) = self.race()
        {
            return Expansion::Wrong(None, race);
        }
        if survey.enabled == 0 {
            if let Some(&(thread, _)) = self.made.iter().find(|made| self.known.get(made.1).held) {
                return waits_in_vain(thread);
            }
            self.stats.terminal += 1;
            let wrong = Wrong::Deadlock;
            self.vector.bring(self.process);
            if self.is_deadlock() && (self.judge)(self.process, &self.sight, &wrong) {
                return Expansion::Wrong(None, wrong);
            }
        }
        if cfg!(debug_assertions)
            && self.prune
            && let Some(ruling) = &ruling
        {
            assert!(!self.compare(), "a state at peace is not");
            assert_eq!(*ruling, self.choices().sufficient(), "rulings differ");
        }
        let sufficient = match ruling {
            Some(ruling) => ruling,
            None => self.rule(),
        };
        if self.defers && !self.has_stack {
            self.set_open(self.state(), true);
        }
        if self.prune {
            self.make_sufficient(&mut survey, sufficient);
        }
        if let Some(over) = survey.is_over() {
            return over;
        }
        for at in 0..if self.has_stack || self.defers { 0 } else { self.successors.len() } {
            self.set_open(self.successors[at].state, true);
        }
        Expansion::Successors
    }

    /// Looks at the next moves of all threads, and takes them back.
    fn survey(&mut self, survey: &mut Survey) {
        let count = self.vector.os().threads().len() as u32;
        let only = self.only.filter(|only| only.0 < count);
        let others = (0..count).map(ThreadId).filter(|thread| Some(*thread) != only);
        for thread in only.into_iter().chain(others) {
            survey.muted = only.is_some_and(|only| only != thread && self.can_move_now(only));
            match &self.vector.os().threads()[thread.0 as usize].state {
                ThreadState::Runnable => self.try_thread(thread, survey),
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
            self.try_time(ThreadId(count), survey);
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
    fn try_thread(&mut self, thread: ThreadId, survey: &mut Survey) {
        let (mut alternative, mut alternatives) = (0, 1);
        while alternative < alternatives && survey.end.is_none() {
            let choice = Choice { thread, alternative };
            let found = self.made(choice, survey);
            self.made.push((thread, found.which));
            let known = self.known.get(found.which);
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
                self.ready.push((choice, found));
            }
            alternative += 1;
            survey.end = survey.end.take().or_else(|| self.cut_at(alternative as usize));
        }
    }

    /// The passing of time, up to the next deadline.
    fn try_time(&mut self, clock: ThreadId, survey: &mut Survey) {
        let choice = Choice { thread: clock, alternative: 0 };
        let found = self.made(choice, survey);
        if self.known.get(found.which).outcome == Outcome::Done {
            survey.time = true;
            survey.enabled += 1;
            self.ready.push((choice, found));
        }
    }

    /// Makes the moves that are wanted, each from the state that is being expanded, and notes where
    /// they lead.
    pub(super) fn make(&mut self, survey: &mut Survey, is_wanted: impl Fn(Choice) -> bool) {
        let (mark, parent) = (self.vector.mark(), self.vector.state());
        for at in 0..self.ready.len() {
            let (choice, found) = self.ready[at];
            if is_wanted(choice) && survey.end.is_none() {
                self.make_one(choice, found, parent, survey);
                self.vector.undo_to(mark);
                survey.end = survey.end.take().or_else(|| self.cut_at(at));
            }
        }
    }

    fn make_one(&mut self, choice: Choice, found: Found, parent: StateId, survey: &mut Survey) {
        let known = self.known.get(found.which);
        let (effect, actions) = (known.effect, known.actions);
        if self.defers {
            self.successors.push(Successor { choice, state: UNSTORED, effect });
            return;
        }
        let begin = self.storing.begin();
        let state = self.known.apply(found, &mut self.vector);
        self.storing.end(begin);
        self.note_way(parent, choice, survey);
        self.successors.push(Successor { choice, state, effect });
        self.appraise(state, actions);
        if self.decides(survey) {
            survey.end = Some(Expansion::Wrong(Some(choice), Wrong::Property));
        }
    }

    /// Compares the moves with each other; whether the contended set has grown. What the moves
    /// share must be up to date. Objects come first: once they are visible, the memory that they
    /// guard may be at peace.
    pub(super) fn compare(&mut self) -> bool {
        self.touches.begin_state();
        let mut mover = 0;
        for &(thread, which) in &self.made {
            let known = self.known.get(which);
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
            if !conflict.plain || !self.meets_anew(conflict.word) {
                continue;
            }
            let wrong = Wrong::Race { word: conflict.word };
            self.vector.bring(self.process);
            if (self.judge)(self.process, &self.sight, &wrong) {
                return Some(wrong);
            }
            self.harmless.extend(self.meetings.drain(..));
        }
        None
    }

    /// Whether threads meet at a word that stand where none has been judged to meet there. Notes
    /// who does.
    fn meets_anew(&mut self, word: Word) -> bool {
        self.meetings.clear();
        for (at, &(one, first)) in self.made.iter().enumerate() {
            if !self.known.get(first).touches(word) {
                continue;
            }
            for &(other, second) in self.made[at + 1..].iter().filter(|made| made.0 != one) {
                if self.known.get(second).touches(word) {
                    let (a, b) = (self.vector.pc(one), self.vector.pc(other));
                    self.meetings.push((word, a.min(b), a.max(b)));
                }
            }
        }
        self.meetings.iter().any(|meeting| !self.harmless.contains(meeting))
    }

    /// Makes the moves that have to be explored, given the threads whose moves suffice if that is
    /// less than all.
    pub(super) fn make_sufficient(&mut self, survey: &mut Survey, sufficient: Option<ThreadSet>) {
        let may_leave_out = !self.keep_all && !survey.time && 1 < self.ready.len();
        let Some(sufficient) = sufficient.filter(|_| may_leave_out) else {
            return self.make(survey, |_| true);
        };
        let is_kept = |choice: Choice| sufficient.contains(choice.thread);
        self.make(survey, is_kept);
        if (0..self.successors.len()).all(|at| self.leads_to_open(at)) && !self.is_straight() {
            self.make(survey, |choice| !is_kept(choice));
            self.successors.sort_by_key(|one| one.choice);
        } else {
            self.stats.reduced += 1;
        }
    }

    /// Whether one of the moves that were made cannot close a cycle, wherever it leads.
    pub(super) fn is_straight(&mut self) -> bool {
        for at in 0..self.successors.len() {
            let place = self.place(self.successors[at].choice.thread);
            if self.futures.is_straight(place) {
                self.futures.lean_on_straight();
                return true;
            }
        }
        false
    }

    /// Whether a successor may close a cycle.
    fn leads_to_open(&mut self, at: usize) -> bool {
        let Successor { choice, state, .. } = self.successors[at];
        if state != UNSTORED {
            return self.is_open(state);
        }
        let mark = self.vector.mark();
        let found = self.made(choice, &mut Survey::again());
        let state = self.known.apply(found, &mut self.vector);
        self.vector.undo_to(mark);
        self.is_open(state)
    }

    /// The moves that were compared.
    pub(super) fn choices(&self) -> Choices<'_> {
        Choices {
            movers: &self.movers,
            things: &self.things,
            touches: &self.touches,
            futures: &self.futures,
            deeds: &self.deeds,
            scope: self.scope(),
        }
    }
}

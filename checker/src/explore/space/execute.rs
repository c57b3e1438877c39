//! Executing a move, and remembering what it did.
//!
//! A move is executed only if nothing is known about it in a state like this one: the process is
//! brought to the present state, the move is made, what it looked at, touched and changed is noted,
//! and the process is put back. Then the move can be made in the state vector alone, here and in
//! every state that agrees in what it looked at (see [`crate::state::memo`]). Moves that end the
//! program or go wrong are judged on the spot and not remembered.
//!
//! What is remembered is only as good as what was said to be visible, and as what moves were said
//! to look at: it is forgotten when either changes. Debug builds execute every remembered move
//! again and compare.

use super::{Space, Survey};
use crate::explore::choice::{Choice, Wrong};
use crate::explore::engine::{Effect, Expansion};
use crate::explore::known::{Found, Known, MoveRef, Outcome};
use crate::explore::moves::{self, Ending, Move};
use crate::explore::passing;
use crate::explore::stubborn::ThreadDeed;
use crate::explore::word::Word;
use crate::state::{VectorMark, dead};
use crate::sync::Arc;
use samovar_runtime::syscall::objects;
use samovar_runtime::{LOOK_AT_WAITS, ProcessMark, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::{Changed, Mark};
use samovar_vm::memory::reads::Seen;
use samovar_vm::reg::Reg;
use std::ops::Range;

/// The passing of time among the moves that are remembered.
const CLOCK: ThreadId = ThreadId(u32::MAX >> 1);

impl Space<'_> {
    /// Forgets moves that may not be what they were.
    pub(super) fn refresh_known(&mut self) {
        let added = self.learned();
        let is_full = self.known.is_full(self.vector.os().threads().len());
        if self.vector.is_outdated() || self.known_for != added || is_full {
            self.known.clear();
            self.vector.renew();
            self.renewals += 1;
            self.known_for = added;
        }
        self.known.begin_state();
        self.vector.begin_state();
    }

    /// Whether what is remembered is of use: nothing has changed that it rests on.
    pub(super) fn remembers(&self) -> bool {
        self.remember && self.known_for == self.learned() && !self.vector.is_outdated()
    }

    /// How much was learned of where moves end.
    fn learned(&self) -> usize {
        let clock = usize::from(self.sight.clock_goes);
        self.sight.visible.added() + self.lent.count() + self.sight.patience.loops() + clock
    }

    /// Under which number the moves of a thread are remembered: the number behind the last thread
    /// stands for the passing of time, and may be that of a thread in another state.
    fn key(&self, thread: ThreadId) -> ThreadId {
        let is_clock = self.vector.os().threads().len() <= thread.0 as usize;
        if is_clock { CLOCK } else { thread }
    }

    /// The next move of a thread from the present state, if it is known.
    pub(super) fn find_known(&mut self, choice: Choice) -> Option<Found> {
        let Choice { thread, alternative } = choice;
        let key = self.key(thread);
        self.remembers().then(|| self.known.find(key, alternative, &mut self.vector)).flatten()
    }

    /// The next move of a thread from the present state.
    pub(super) fn made(&mut self, choice: Choice, survey: &mut Survey) -> Found {
        let found = self.find_known(choice);
        let stale = found.filter(|found| self.known.get(found.which).is_stale);
        if let Some(found) = found.filter(|_| stale.is_none()) {
            if cfg!(debug_assertions) {
                self.verify(choice, found);
            }
            self.remembered += 1;
            return found;
        }
        let begin = self.executing.begin();
        let made = self.execute(choice, survey, stale.map(|found| found.which));
        self.executing.end(begin);
        if !survey.is_repeated && survey.end.is_none() {
            survey.end = self.cut_executing(choice);
        }
        made.into()
    }

    /// Executes a move, which is unknown, or `stale`.
    fn execute(&mut self, choice: Choice, survey: &mut Survey, stale: Option<MoveRef>) -> MoveRef {
        self.vector.bring(self.process);
        let thread = choice.thread;
        let threads = self.process.machine.thread_count();
        let place = (thread.0 < threads).then(|| self.place(thread));
        let mark = (self.process.mark(), self.vector.mark());
        self.process.machine.memory.reads.begin();
        self.process.has_looked_at_clock();
        self.process.has_stirred();
        self.touches.begin_move();
        let limit = if survey.is_repeated { self.sight.limit.take() } else { None };
        let touches = Some(&mut self.touches);
        let made = moves::execute_noting(self.process, &mark.0, choice, &self.sight, touches);
        self.sight.limit = self.sight.limit.take().or(limit);
        let is_all = self.process.machine.memory.reads.end(&mut self.seen);
        self.stats.executed += 1;
        let deed = self.deed(thread, threads, &made);
        // Also where nothing is left out now: who leaves moves out later finds this one known.
        if let Some(place) = place {
            if self.process.threads()[thread.0 as usize].is_alive() {
                let next = self.process.machine.core(thread).pc;
                let next = self.futures.place(thread, next);
                self.futures.link(place, next);
            }
            for new in (threads..self.process.machine.thread_count()).map(ThreadId) {
                let start = self.futures.place(new, self.process.machine.core(new).pc);
                self.futures.link(place, start);
            }
        }
        self.link_others(thread, &mark.0);
        survey.grown |= self.shows_contention(thread, &made) | self.shows_waits(thread, is_all);
        survey.grown |= self.shows_lending(thread, threads);
        if self.process.has_looked_at_clock() && !self.sight.clock_goes {
            self.sight.clock_goes = true;
            survey.grown = true;
        }
        if let Some(turn) = &made.turn {
            survey.grown |= self.sightings.note(turn, &mut self.sight.patience);
        }
        self.vantage.note(&made);
        let mut known = Known {
            outcome: Outcome::Over,
            changes: Box::default(),
            touched: self.touches.touched().into(),
            shares: Arc::default(),
            version: 0,
            class: 0,
            place,
            wait: None,
            held: made.held,
            deed,
            alternatives: made.alternatives,
            effect: Effect { progress: made.progress, ..Effect::default() },
            object: made.operation.or(made.object).map(|access| access.addr),
            holds: 0,
            actions: made.actions,
            is_large: self.touches.is_large(),
            is_stale: false,
        };
        self.finish(choice, made, &mark, survey, &mut known);
        let held = self.vantage.locks_of(thread, self.process, &known.touched);
        self.process.undo_to(&mark.0);
        known.holds = held - self.vantage.locks_of(thread, self.process, &known.touched);
        self.vector.undo_to(mark.1);
        if known.outcome == Outcome::Over || !is_all || !self.remembers() {
            return self.known.pass(known);
        }
        self.vector.looks(thread, &self.seen, &known.changes, &mut self.looks);
        match stale {
            Some(which) => self.known.replace(which, known),
            None => self.known.keep((self.key(thread), choice.alternative), &self.looks, known),
        }
    }

    /// The C library's record of a thread, as far as it is its own business; time has none.
    fn record(&self, thread: ThreadId) -> Range<u64> {
        if self.process.machine.thread_count() <= thread.0 {
            return 0..0;
        }
        let start = self.process.machine.core(thread)[Reg::FsBase];
        start..start.saturating_add(self.sight.record_len)
    }

    /// Takes in how a move ended; the process stands behind it.
    fn finish(
        &mut self,
        choice: Choice,
        made: Move,
        mark: &(ProcessMark, VectorMark),
        survey: &mut Survey,
        known: &mut Known,
    ) {
        match made.ending {
            Ending::Blocked => {
                known.outcome = Outcome::Blocked;
                let threads = self.process.threads();
                let waiting = threads.get(choice.thread.0 as usize);
                known.wait = waiting.and_then(|thread| thread.waiting().cloned());
            }
            Ending::Done => {
                known.outcome = Outcome::Done;
                let slept = self.vector.os().differs_in_sleep_only(self.process.os());
                self.vector.update_by(self.process, mark.0.machine(), Some(choice.thread));
                survey.grown |= self.vector.is_overgrown();
                let own = [made.stack, self.record(choice.thread)];
                // Nobody gets on by sleeping.
                known.effect.change = self.vector.changed_beyond(&own, !slept)
                    || self.changed_for_a_while(mark.0.machine(), &own);
                self.note_lending(mark.0.machine(), &own, &mut known.effect);
                self.vector.changes(&mut self.looks);
                known.changes = self.looks.as_slice().into();
            }
            _ if survey.muted => {}
            Ending::Exited(_) if self.appraisals.end(self.process, choice, &made) => {
                self.ends = true;
                self.stats.terminal += 1;
            }
            Ending::Pruned => self.ends = true,
            Ending::Unsupported(what) => {
                survey.end = Some(Expansion::Unsupported(choice, what));
            }
            ending => {
                let wrong = Wrong::Move(ending);
                if matches!(wrong, Wrong::Move(Ending::Diverges | Ending::Cut(_)))
                    || (self.judge)(self.process, &self.sight, &wrong)
                {
                    survey.end = Some(Expansion::Wrong(Some(choice), wrong));
                } else {
                    self.ends = true;
                    self.stats.terminal += 1;
                }
            }
        }
    }

    /// Whether a move changed anything since `mark` beyond these bytes, its own.
    fn changed_for_a_while(&mut self, mark: Mark, own: &[Range<u64>]) -> bool {
        let counts = |addr: u64, _: usize| {
            !own.iter().any(|range| range.contains(&addr)) && !self.sight.library.holds(addr)
        };
        self.process.has_stirred() || passing::changed(&self.process.machine.memory, mark, counts)
    }

    /// Notes whether a move changed lent words of these, its own, or touched those of others.
    fn note_lending(&self, mark: Mark, own: &[Range<u64>], effect: &mut Effect) {
        if self.lent.count() == 0 {
            return;
        }
        let is_own = |addr: u64| own.iter().any(|range| range.contains(&addr));
        let counts = |addr: u64, len: usize| is_own(addr) && self.lent.meets(addr, len);
        effect.lends = passing::changed(&self.process.machine.memory, mark, counts);
        let mut touched = self.touches.touched().iter().map(|one| one.word().address());
        effect.borrows = touched.any(|addr| !is_own(addr) && self.lent.meets(addr, 8));
    }

    /// What a move that has just been made did to threads.
    fn deed(&mut self, thread: ThreadId, threads_before: u32, made: &Move) -> ThreadDeed {
        if threads_before < self.process.machine.thread_count() {
            self.deeds.creators.insert(thread);
            ThreadDeed::Create
        } else if made.operation.is_none_or(|access| access.addr != objects::THREADS) {
            ThreadDeed::None
        } else if self.process.threads()[thread.0 as usize].is_alive() {
            self.deeds.others.insert(thread);
            ThreadDeed::Other
        } else {
            ThreadDeed::None
        }
    }

    /// Whether a move alone shows that something is contended: a thread that hangs on an object,
    /// or goes round in circles reading something.
    fn shows_contention(&mut self, thread: ThreadId, made: &Move) -> bool {
        let mut grown = false;
        // What another thread was seen to change, or anything if there is nothing of the kind.
        let is_changed = |word: &&Word| self.touches.is_changed_by_other(**word, thread);
        let any = made.circle.iter().any(|word| is_changed(&word));
        let words = made.circle.iter().filter(|word| !any || is_changed(word));
        for &word in words {
            grown |= self.sight.visible.add(word);
        }
        if made.ending == Ending::Blocked
            && let Some(object) = &made.object
        {
            for word in Word::of(object).filter(|word| word.address() != objects::THREADS) {
                grown |= self.sight.visible.add(word);
            }
        }
        grown
    }

    /// A move may take other threads on, out of a barrier for example: what they do from there
    /// on is in their future where they stand now. The vector is where the move began.
    fn link_others(&mut self, mover: ThreadId, mark: &ProcessMark) {
        let mut others = Vec::new();
        self.process.machine.memory.journal.each_since(mark.machine(), |changed| {
            if let Changed::Core(other) = changed
                && (other as usize) < self.vector.os().threads().len()
                && other != mover.0
            {
                others.push(ThreadId(other));
            }
        });
        for other in others {
            let (before, after) = (self.place(other), self.process.machine.core(other).pc);
            let after = self.futures.place(other, after);
            self.futures.link(before, after);
        }
    }

    /// Whether a move looked for threads that wait on a word that is not known to be contended: a
    /// thread need not have touched the word itself, because others can have it wait elsewhere. If
    /// what the move looked at is not `is_all` known, it may have looked for any.
    fn shows_waits(&mut self, mover: ThreadId, is_all: bool) -> bool {
        let threads = self.vector.os().threads().iter().zip((0..).map(ThreadId));
        let waits = threads.filter(|one| one.1 != mover).filter_map(|(thread, _)| {
            match *thread.waiting()? {
                WaitFor::Futex { addr, .. } | WaitFor::FutexOwnership { addr, .. } => Some(addr),
                _ => None,
            }
        });
        let mut grown = false;
        for which in waits {
            if !is_all || self.seen.contains(&Seen::Beyond { kind: LOOK_AT_WAITS, which }) {
                grown |= self.sight.visible.add(Word(which / 8));
            }
        }
        grown
    }

    /// Whether the move that was just made touched a word on the stack of another thread, one of
    /// the first `threads`, that was not known to be lent.
    fn shows_lending(&mut self, mover: ThreadId, threads: u32) -> bool {
        let mut grown = false;
        for touched in self.touches.touched() {
            let word = touched.word();
            if !self.touches.is_touched_by_other(word, mover) || self.lent.is_settled(word) {
                continue;
            }
            let holds = |thread: &ThreadId| {
                self.process.threads()[thread.0 as usize].is_alive()
                    && !self.record(*thread).contains(&word.address())
                    && dead::stack_of(self.process, *thread).contains(&word.address())
            };
            let mut all = (0..self.process.machine.thread_count()).map(ThreadId);
            match all.find(holds) {
                None => self.lent.settle(word),
                Some(owner) if owner == mover || threads <= owner.0 => {}
                Some(_) => grown |= self.lent.lend(word),
            }
        }
        grown
    }

    /// Executes a remembered move and compares.
    fn verify(&mut self, choice: Choice, found: Found) {
        self.vector.bring(self.process);
        self.vector.judge(self.process);
        let mark = (self.process.mark(), self.vector.mark());
        let made = moves::execute(self.process, &mark.0, choice, &self.sight);
        let outcome = match made.ending {
            Ending::Done => Outcome::Done,
            Ending::Blocked => Outcome::Blocked,
            _ => Outcome::Over,
        };
        if outcome == Outcome::Done {
            self.vector.update(self.process, mark.0.machine());
        }
        let reached = self.vector.state();
        let mut changes = Vec::new();
        self.vector.changes(&mut changes);
        self.process.undo_to(&mark.0);
        self.vector.undo_to(mark.1);
        let known = self.known.get(found.which);
        assert_eq!(outcome, known.outcome, "a remembered move of {choice:?} ends differently");
        let expected = self.known.apply(found, &mut self.vector);
        self.vector.undo_to(mark.1);
        assert_eq!(
            reached,
            expected,
            "a remembered move of {choice:?} leads elsewhere: {}",
            self.vector.describe(&changes, &self.known.get(found.which).changes),
        );
    }
}

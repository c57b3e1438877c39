//! A tape: a recorded execution that can be gone through in both directions.
//!
//! The tape is made by executing a trail once, in parts (see [`Part`]), from the program's first
//! instruction on; only of very long openings the beginning is left out. Going forward executes
//! instructions; going back undoes to the start of a part and executes from there. Both give the
//! same states, because a part is a function of the state at its start: the moves are those of the
//! explorer, watched by its own monitor.

use super::approach::{Approach, Approaching};
use super::monitors::{Opening, Stepping};
use super::part::{Kind, Part};
use crate::explore::choice::Choice;
use crate::explore::moves::Sight;
use crate::explore::watch::Watch;
use crate::state::dead;
use samovar_runtime::{Event, Observer, Process, ProcessMark, ThreadState};
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

/// Turns in one part of the opening.
const OPENING_PART: u64 = 1 << 14;
/// Turns of the opening that are kept; what is longer begins where the trail does.
const OPENING_MAX: u64 = 16 << 20;
/// Turns of a move that is known to go round in circles.
const ENDLESS_MAX: u64 = 1 << 16;
/// Turns of a thread on its way to where it waits for ever.
const LAST_MAX: u64 = 1 << 24;
/// The only thread at the start.
const MAIN: ThreadId = ThreadId(0);

/// See the module head.
pub struct Tape<'a> {
    process: Process,
    sight: &'a Sight,
    parts: Vec<Part>,
    at: u64,
    entered: Option<Entered<'a>>,
    accesses: Vec<(u64, u64)>,
    /// How the last part ended.
    last: Option<Event>,
}

/// The part that is being executed.
struct Entered<'a> {
    steps: u64,
    turns: u64,
    runner: Runner<'a>,
    rsp: u64,
}

/// The monitor of a part.
enum Runner<'a> {
    Opening(Opening),
    Move(Box<Watch<'a>>),
    Approach(Approaching, u64),
    Time,
}

impl<'a> Tape<'a> {
    /// An empty tape of a process before its first instruction; `sight` is what the search saw.
    pub fn new(mut process: Process, sight: &'a Sight) -> Tape<'a> {
        process.machine.memory.journal.set_on(true);
        let (parts, accesses) = (Vec::new(), Vec::new());
        Tape { process, sight, parts, at: 0, entered: None, accesses, last: None }
    }

    /// Records everything before the first thread. False if that is too long: then the rest of it
    /// is to be executed otherwise, and [`Tape::begin_here`] called.
    pub fn record_opening(&mut self) -> bool {
        while self.at < OPENING_MAX {
            match self.record(Kind::Opening, Some(MAIN), OPENING_PART) {
                Some(Event::Blocked) => {
                    if self.process.next_deadline().is_none() {
                        return true;
                    }
                    self.record(Kind::Time(None), None, 1);
                }
                None | Some(Event::Budget | Event::Yielded) => {}
                Some(_) => return true,
            }
        }
        false
    }

    /// The process, to be brought to where the tape shall begin.
    pub fn begin_here(&mut self, advance: impl FnOnce(&mut Process)) {
        self.process.machine.memory.journal.set_on(false);
        advance(&mut self.process);
        self.process.machine.memory.journal.set_on(true);
        self.parts.clear();
        self.at = 0;
    }

    /// Records a choice of the trail.
    pub fn record_move(&mut self, number: usize, choice: Choice, endless: bool) {
        let is_time = choice.thread.0 >= self.process.machine.thread_count();
        let turns = if endless { ENDLESS_MAX } else { u64::MAX };
        if is_time {
            self.record(Kind::Time(Some(number)), None, 1);
        } else {
            self.record(Kind::Move(number, choice), Some(choice.thread), turns);
        }
    }

    /// Records how threads that can still work get to where they wait for ever.
    pub fn record_waits(&mut self) {
        for thread in (0..self.process.machine.thread_count()).map(ThreadId) {
            if self.process.threads()[thread.0 as usize].state == ThreadState::Runnable {
                let choice = Choice { thread, alternative: 0 };
                self.record(Kind::Last(choice), Some(thread), LAST_MAX);
            }
        }
    }

    /// Records the way to an access of a data race.
    pub fn record_approach(&mut self, approach: Approach) {
        self.record(Kind::Approach(approach), Some(approach.thread), LAST_MAX);
    }

    /// The process, which stands at the present position.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// The present position: steps made since the beginning.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The last position.
    pub fn end(&self) -> u64 {
        self.parts.last().map_or(0, Part::end)
    }

    /// All parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// How the last part ended.
    pub fn last_event(&self) -> Option<&Event> {
        self.last.as_ref()
    }

    /// The number of the part that the next step from a position belongs to.
    pub fn part_at(&self, at: u64) -> Option<usize> {
        (at < self.end()).then(|| self.parts.partition_point(|part| part.first <= at) - 1)
    }

    /// The position where so many choices of the trail, which has `count`, have been made.
    pub fn after_choices(&self, made: usize, count: usize) -> u64 {
        let of = |number: usize| move |part: &&Part| part.choice() == Some(number);
        match made {
            _ if made == count => self.end(),
            0 => self.parts.iter().find(of(0)).map_or(self.end(), |part| part.first),
            made => self.parts.iter().rev().find(of(made - 1)).map_or(0, Part::end),
        }
    }

    /// Who makes the next step.
    pub fn actor(&self) -> Option<ThreadId> {
        self.part_at(self.at).and_then(|part| self.parts[part].thread)
    }

    /// What the guest's code accessed in the last step.
    pub fn accesses(&self) -> &[(u64, u64)] {
        &self.accesses
    }

    /// Makes the next step, if there is one.
    pub fn step(&mut self) -> bool {
        let Some(index) = self.part_at(self.at) else { return false };
        let part = &self.parts[index];
        let (kind, thread, steps, turns) = (part.kind.clone(), part.thread, part.steps, part.turns);
        if self.at == part.first || self.entered.is_none() {
            debug_assert_eq!(self.at, part.first);
            self.parts[index].mark = self.process.mark();
            self.enter(&kind, thread);
        }
        self.accesses.clear();
        loop {
            self.turn(thread);
            let Some(entered) = &self.entered else { return false };
            let is_last = entered.steps + 1 == steps;
            if !is_last || entered.turns == turns {
                break;
            }
        }
        self.at += 1;
        if let Some(entered) = &mut self.entered {
            entered.steps += 1;
            if entered.steps == steps {
                self.leave(index);
            }
        }
        true
    }

    /// Goes to a position.
    pub fn go_to(&mut self, at: u64) {
        let at = at.min(self.end());
        if at < self.at {
            let index = self.part_at(at).unwrap_or(0);
            self.entered = None;
            let mark: &ProcessMark = &self.parts[index].mark;
            self.process.undo_to(mark);
            self.at = self.parts[index].first;
        }
        while self.at < at && self.step() {}
    }

    /// Executes a new part; the event that ended it, none if it has had its turns.
    fn record(&mut self, kind: Kind, thread: Option<ThreadId>, turns: u64) -> Option<Event> {
        let mark = self.process.mark();
        self.enter(&kind, thread);
        let (mut made, mut steps, mut over) = (0, 0, None);
        while over.is_none() && made < turns {
            let before = self.standing(thread);
            let event = self.turn(thread);
            made += 1;
            let goes_on = matches!(event, Some(Event::Budget | Event::Yielded));
            if goes_on || before != self.standing(thread) || self.is_time() {
                steps += 1;
            }
            over = event.filter(|_| !goes_on);
        }
        let (first, steps) = (self.at, steps.max(1));
        let is_done = matches!(over, Some(Event::Access(_) | Event::ThreadExited | Event::Blocked));
        let clears = is_done && matches!(kind, Kind::Move(..)) && !self.has_breach();
        self.parts.push(Part { kind, thread, first, steps, turns: made, clears, mark });
        self.at = first + steps;
        self.last.clone_from(&over);
        self.leave(self.parts.len() - 1);
        over
    }

    fn is_time(&self) -> bool {
        matches!(&self.entered, Some(Entered { runner: Runner::Time, .. }))
    }

    /// What changes when a thread gets on.
    fn standing(&self, thread: Option<ThreadId>) -> (u64, u8, u64) {
        let core = thread.map(|thread| self.process.machine.core(thread));
        let place = core.map_or((0, 0), |core| (core.pc, core.uops_done));
        (place.0, place.1, self.process.machine.instructions())
    }

    fn enter(&mut self, kind: &Kind, thread: Option<ThreadId>) {
        let rsp = thread.map_or(0, |thread| self.process.machine.core(thread)[Reg::Rsp]);
        let runner = match kind {
            Kind::Opening => Runner::Opening(Opening),
            Kind::Time(_) => Runner::Time,
            Kind::Approach(approach) => Runner::Approach(Approaching::new(approach), approach.pc),
            Kind::Move(_, choice) | Kind::Last(choice) => {
                let atomic = self.process.is_atomic(choice.thread);
                let world = (&self.sight.visible, &self.sight.library);
                let Choice { thread, alternative } = *choice;
                let mut watch = Watch::new(world, None, thread, alternative, atomic);
                watch.begins_with_choice = self.sight.choices_first;
                let descriptor = self.process.machine.core(thread)[Reg::FsBase];
                let watch = watch.with_descriptor(descriptor);
                Runner::Move(Box::new(watch.guarding(self.process.privileges())))
            }
        };
        self.entered = Some(Entered { steps: 0, turns: 0, runner, rsp });
    }

    /// Ends a part: a move that was done leaves no dead stack behind. Registers that the thread
    /// does not read any more are left as they are: who looks at them wants to see their values.
    fn leave(&mut self, index: usize) {
        let part = &self.parts[index];
        if let (true, Some(thread), Some(entered)) = (part.clears, part.thread, &self.entered) {
            dead::clear(&mut self.process, thread, part.mark.machine(), entered.rsp);
        }
        self.entered = None;
    }

    /// Whether the move touched what another thread has reserved.
    fn has_breach(&self) -> bool {
        let Some(Entered { runner: Runner::Move(watch), .. }) = &self.entered else { return false };
        watch.breach.is_some()
    }

    /// One turn of the machine.
    fn turn(&mut self, thread: Option<ThreadId>) -> Option<Event> {
        let entered = self.entered.as_mut()?;
        entered.turns += 1;
        let (process, accesses) = (&mut self.process, &mut self.accesses);
        let Some(thread) = thread else {
            let deadline = process.next_deadline()?;
            process.wake_due(deadline);
            return None;
        };
        Some(match &mut entered.runner {
            Runner::Time => return None,
            Runner::Opening(opening) => turn(process, thread, opening, accesses),
            Runner::Move(watch) => turn(process, thread, &mut **watch, accesses),
            Runner::Approach(monitor, pc) => loop {
                let event = turn(process, thread, monitor, accesses);
                let stopped = std::mem::take(&mut monitor.stopped);
                if !stopped || process.machine.core(thread).pc == *pc {
                    break event;
                }
                monitor.pass = true;
            },
        })
    }
}

fn turn<M: Observer>(
    process: &mut Process,
    thread: ThreadId,
    inner: &mut M,
    accesses: &mut Vec<(u64, u64)>,
) -> Event {
    process.step(thread, 1, &mut Stepping { inner, accesses })
}

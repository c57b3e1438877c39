//! From choices to steps that a person can read: where, what, and which variables changed.
//!
//! Every move is executed three times: once to see what changes; up to its visible operation, to
//! see where that stands; and once more, to stay.

use super::changes::{self, Change};
use super::chosen;
use super::event::{Event, EventKind, Handover};
use super::freed::{self, Freed};
use super::locks::Locks;
use super::names::{Location, Names};
use super::operation::{self, Operation};
use super::walk;
use crate::explore::choice::Choice;
use crate::explore::moves::{Ending, Sight};
use samovar_runtime::{Event as Stop, Observer, Output, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};
use samovar_vm::reg::Reg;
use serde::{Deserialize, Serialize};

/// Instructions in one piece of a search for the visible operation.
const PIECE: u64 = 1 << 20;

/// One step of a trail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Position, counted from one.
    pub step: usize,
    /// Who moves.
    pub thread: String,
    /// Where.
    pub location: Location,
    /// Text of that line.
    pub source: Option<String>,
    /// What it does.
    pub operation: String,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
    /// What that changes.
    pub changes: Vec<Change>,
    /// Locks that have another holder afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<Handover>,
    /// The block that it frees, if that is used again in the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frees: Option<Freed>,
}

/// A path told in steps.
#[derive(Debug)]
pub struct Told {
    /// The steps.
    pub steps: Vec<Step>,
    /// How the last move ended; `None` if there was no move.
    pub last: Option<(ThreadId, Ending)>,
    /// What the program wrote on the way.
    pub output: Vec<Output>,
}

/// Makes the moves of a path and tells them; the process stays where they lead.
pub fn tell(process: &mut Process, sight: &Sight, path: &[Choice], names: &mut Names) -> Told {
    let mut told = Told { steps: Vec::new(), last: None, output: Vec::new() };
    let mut locks = Locks::default();
    let start = process.mark();
    for (index, &choice) in path.iter().enumerate() {
        let mut since_start = None;
        let made = one(process, sight, choice, names, &mut locks, &mut since_start);
        let Some((mut step, ending)) = made else { break };
        step.step = index + 1;
        step.locks = locks.look(process, names);
        told.steps.push(step);
        told.steps[0].locks.splice(0..0, since_start);
        let is_over = ending != Ending::Done;
        told.last = Some((choice.thread, ending));
        if is_over {
            break;
        }
    }
    let stale = told
        .last
        .as_ref()
        .and_then(|(thread, ending)| freed::stale_block(process, *thread, ending));
    if let Some(block) = stale {
        let path = &path[..told.steps.len()];
        let found = freed::find(process, (&start, sight), path, names, block);
        if let Some((index, freed)) = found {
            told.steps[index].frees = Some(freed);
        }
    }
    told.output = process.take_output();
    told
}

fn one(
    process: &mut Process,
    sight: &Sight,
    choice: Choice,
    names: &mut Names,
    locks: &mut Locks,
    since_start: &mut Option<Handover>,
) -> Option<(Step, Ending)> {
    let thread = choice.thread;
    if !walk::can_try(process, thread) {
        return None;
    }
    if walk::is_clock(process, thread) {
        return time_passes(process, sight, choice);
    }
    let threads_before = process.machine.thread_count();
    let (mark, begin) = (process.mark(), process.machine.instructions());
    let made = walk::make(process, sight, choice)?;
    let pieces = (process.machine.instructions() - begin) / PIECE + 2;
    names.refresh(process);
    let variables = changes::candidates(process, names, mark.machine());
    let new = changes::values(process, names, thread, &variables);
    names.learn_start(process, thread);
    let end = names.standpoint(process, thread);
    process.undo_to(&mark);

    let old = changes::values(process, names, thread, &variables);
    let (location, operation) = if made == Ending::Done {
        let (location, operation) = before(process, sight, (choice, pieces), names);
        process.undo_to(&mark);
        if let Some((name, address)) = operation.as_ref().and_then(Operation::mutex) {
            *since_start = locks.meet(process, names, name, address);
        }
        (location, operation)
    } else {
        (end, None)
    };

    let ending = walk::make(process, sight, choice)?;
    assert_eq!(ending, made, "internal error: a move is not a function of the state");
    let event = operation.as_ref().map(|it| it.event(process, names, thread, threads_before));
    let step = Step {
        step: 0,
        thread: names.thread(thread),
        location,
        source: None,
        event,
        operation: words(process, names, thread, operation, &ending, threads_before),
        changes: changes::compare(&variables, old, new),
        locks: Vec::new(),
        frees: None,
    };
    Some((step, ending))
}

/// Where a thread stands before the visible operation of its move, which takes so many pieces, and
/// what that is. The process stays there.
fn before(
    process: &mut Process,
    sight: &Sight,
    (choice, pieces): (Choice, u64),
    names: &mut Names,
) -> (Location, Option<Operation>) {
    let thread = choice.thread;
    let access = approach(process, sight, choice, pieces);
    names.learn_start(process, thread);
    let location = names.standpoint(process, thread);
    let operation = access.map(|access| operation::describe(process, names, thread, &access));
    let operation = match operation {
        Some(Operation::Choose) => Some(Operation::Other(chosen::chosen(process, choice))),
        Some(Operation::Object { verb, kind: EventKind::Signal, object, address, is_mutex }) => {
            let object = woken(process, choice, object, names);
            Some(Operation::Object { verb, kind: EventKind::Signal, object, address, is_mutex })
        }
        other => other,
    };
    let location = match (&operation, names.start_of(thread)) {
        // The library ends a thread; what ended is the function that the thread began with.
        (Some(Operation::End), Some(start)) if location.file.is_none() => {
            Location { function: Some(start.to_string()), ..location }
        }
        _ => location,
    };
    (location, operation)
}

/// A condition variable that is about to be signalled, with whom that wakes up.
fn woken(process: &Process, choice: Choice, condition: String, names: &Names) -> String {
    let object = process.machine.core(choice.thread)[Reg::Rdi];
    match process.condition_waiters(object).nth(choice.alternative as usize) {
        Some(woken) => format!("{condition}, {} wakes up", names.thread(woken)),
        None => condition,
    }
}

/// The step in which nobody moves but the clock.
fn time_passes(process: &mut Process, sight: &Sight, choice: Choice) -> Option<(Step, Ending)> {
    let before = process.now_ns();
    let ending = walk::make(process, sight, choice)?;
    let seconds = process.now_ns().saturating_sub(before) as f64 / 1e9;
    let step = Step {
        step: 0,
        thread: "time".to_string(),
        location: Location::default(),
        source: None,
        operation: format!("passes, {seconds} s, up to the next deadline"),
        event: Some(Event::bare(EventKind::Time)),
        changes: Vec::new(),
        locks: Vec::new(),
        frees: None,
    };
    Some((step, ending))
}

fn words(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    operation: Option<Operation>,
    ending: &Ending,
    threads_before: u32,
) -> String {
    match (ending, operation) {
        (Ending::Done, Some(operation)) => operation.words(process, names, thread, threads_before),
        (Ending::Done, None) => "goes on".to_string(),
        (Ending::Blocked, _) => "cannot go on".to_string(),
        (Ending::Exited(status), _) => format!("ends the program with status {status}"),
        (Ending::Killed(signal), _) => format!("is killed by {signal}"),
        (Ending::Fault(fault), _) => format!("{fault}"),
        (Ending::Misuse(function, misuse), _) => format!("calls {function}: {misuse}"),
        (Ending::Diverges, _) => "works on without end".to_string(),
        (Ending::Cut(reason), _) => format!("is not followed to the end: {reason}"),
        (Ending::Violated(violation), _) => violation.to_string(),
        (Ending::Pruned, _) => "does what the program assumes not to happen".to_string(),
        (Ending::Unsupported(what), _) => what.to_string(),
    }
}

/// Runs a thread up to the visible operation of its move; `None` if there is none, and the thread
/// then stands where the move ends.
fn approach(process: &mut Process, sight: &Sight, choice: Choice, pieces: u64) -> Option<Access> {
    let mark = process.mark();
    let mut scout = Scout::new(process, sight, choice, u64::MAX);
    let stopped = run(process, choice.thread, &mut scout, pieces);
    let found = scout.found?;
    if !stopped {
        // It belongs to an instruction with several accesses, which can be stopped before the
        // first of them only.
        process.undo_to(&mark);
        let mut scout = Scout::new(process, sight, choice, scout.heads);
        run(process, choice.thread, &mut scout, pieces);
    }
    Some(found)
}

/// Runs a thread until the scout stops it; false if it came to another end, or took more pieces.
/// Not everything that ends a move stops a scout.
fn run(process: &mut Process, thread: ThreadId, scout: &mut Scout<'_>, pieces: u64) -> bool {
    for _ in 0..pieces {
        match process.step(thread, PIECE, scout) {
            Stop::Access(access) => {
                return scout.found == Some(access) || scout.found.is_none();
            }
            Stop::Budget | Stop::Yielded => {}
            _ => return false,
        }
    }
    false
}

/// Stops before the first visible access, or before the instruction that it belongs to.
struct Scout<'a> {
    sight: &'a Sight,
    alternative: u32,
    /// Inside a library call that runs without scheduling points.
    atomic: bool,
    /// The C library's record of the thread.
    descriptor: u64,
    /// Stop before the access with this number, counting those that can be stopped before.
    stop_at: u64,
    /// Such accesses so far.
    heads: u64,
    found: Option<Access>,
}

impl<'a> Scout<'a> {
    fn new(process: &Process, sight: &'a Sight, choice: Choice, stop_at: u64) -> Scout<'a> {
        let Choice { thread, alternative } = choice;
        let atomic = process.threads()[thread.0 as usize].atomic.is_some();
        let descriptor = process.machine.core(thread)[Reg::FsBase];
        Scout { sight, alternative, atomic, descriptor, stop_at, heads: 0, found: None }
    }
}

impl Monitor for Scout<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if self.found.is_some() {
            return Decision::Stop;
        }
        if self.atomic && self.sight.library.holds(access.addr) {
            return Decision::Proceed;
        }
        self.heads += u64::from(!access.sequel);
        if self.sight.visible.shows_of(self.descriptor, &access) {
            self.found = Some(access);
            return Decision::Stop;
        }
        if self.heads == self.stop_at { Decision::Stop } else { Decision::Proceed }
    }
}

impl Observer for Scout<'_> {
    fn atomic_call(&mut self, inside: bool) {
        self.atomic = inside;
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        self.alternative.min(alternatives.saturating_sub(1))
    }
}

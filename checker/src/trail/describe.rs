//! From choices to steps that a person can read: where, what, and which variables changed.
//!
//! Every move is executed three times: up to its visible operation, to see where that stands; once
//! to see what changes; and once more, to stay.

use super::changes::{self, Change};
use super::names::{Location, Names};
use super::operation::{self, Operation};
use super::walk;
use crate::explore::dfs::Choice;
use crate::explore::moves::{self, Ending};
use crate::explore::watch::Visible;
use samovar_runtime::{Event, Observer, Output, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};
use serde::{Deserialize, Serialize};

/// Instructions in one piece of a search for the visible operation.
const PIECE: u64 = 1 << 20;
/// Pieces after which a move counts as endless.
const PIECES_MAX: u32 = 4000;

/// One step of a trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What that changes.
    pub changes: Vec<Change>,
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
pub fn tell(process: &mut Process, visible: &Visible, path: &[Choice], names: &mut Names) -> Told {
    let mut told = Told { steps: Vec::new(), last: None, output: Vec::new() };
    for (index, &choice) in path.iter().enumerate() {
        if !walk::can_try(process, choice.thread) {
            break;
        }
        let (mut step, ending) = one(process, visible, choice, names);
        step.step = index + 1;
        told.steps.push(step);
        let is_over = ending != Ending::Done;
        told.last = Some((choice.thread, ending));
        if is_over {
            break;
        }
    }
    told.output = process.take_output();
    told
}

fn one(
    process: &mut Process,
    visible: &Visible,
    choice: Choice,
    names: &mut Names,
) -> (Step, Ending) {
    let Choice { thread, alternative } = choice;
    let threads_before = process.machine.thread_count();
    let mark = process.mark();

    let access = approach(process, visible, choice);
    names.learn_start(process, thread);
    let location = names.standpoint(process, thread);
    let operation = access.map(|access| operation::describe(process, names, thread, &access));
    process.undo_to(&mark);

    let made = moves::execute(process, &mark, thread, alternative, visible);
    names.refresh(process);
    let variables = changes::candidates(process, names, mark.machine());
    let new = changes::values(process, names, thread, &variables);
    let words = words(process, names, thread, operation, &made.ending, threads_before);
    let location =
        if made.ending == Ending::Done { location } else { names.standpoint(process, thread) };
    process.undo_to(&mark);

    let old = changes::values(process, names, thread, &variables);
    let ending = moves::execute(process, &mark, thread, alternative, visible).ending;
    assert_eq!(ending, made.ending, "internal error: a move is not a function of the state");
    let step = Step {
        step: 0,
        thread: names.thread(thread),
        location,
        source: None,
        operation: words,
        changes: changes::compare(&variables, old, new),
    };
    (step, ending)
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
        (Ending::Violated(violation), _) => violation.to_string(),
        (Ending::Pruned, _) => "does what the program assumes not to happen".to_string(),
        (Ending::Unsupported(what), _) => what.to_string(),
    }
}

/// Runs a thread up to the visible operation of its move; `None` if there is none, and the thread
/// then stands where the move ends.
fn approach(process: &mut Process, visible: &Visible, choice: Choice) -> Option<Access> {
    let mark = process.mark();
    let mut scout = Scout::new(visible, choice.alternative, u64::MAX);
    let stopped = run(process, choice.thread, &mut scout);
    let found = scout.found?;
    if !stopped {
        // It belongs to an instruction with several accesses, which can be stopped before the
        // first of them only.
        process.undo_to(&mark);
        let mut scout = Scout::new(visible, choice.alternative, scout.heads);
        run(process, choice.thread, &mut scout);
    }
    Some(found)
}

/// Runs a thread until the scout stops it; false if it came to another end.
fn run(process: &mut Process, thread: ThreadId, scout: &mut Scout<'_>) -> bool {
    for _ in 0..PIECES_MAX {
        match process.step(thread, PIECE, scout) {
            Event::Access(access) => {
                return scout.found == Some(access) || scout.found.is_none();
            }
            Event::Budget | Event::Yielded => {}
            _ => return false,
        }
    }
    false
}

/// Stops before the first visible access, or before the instruction that it belongs to.
struct Scout<'a> {
    visible: &'a Visible,
    alternative: u32,
    /// Stop before the access with this number, counting those that can be stopped before.
    stop_at: u64,
    /// Such accesses so far.
    heads: u64,
    found: Option<Access>,
}

impl<'a> Scout<'a> {
    fn new(visible: &'a Visible, alternative: u32, stop_at: u64) -> Scout<'a> {
        Scout { visible, alternative, stop_at, heads: 0, found: None }
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
        self.heads += u64::from(!access.sequel);
        if self.visible.shows(&access) {
            self.found = Some(access);
            return Decision::Stop;
        }
        if self.heads == self.stop_at { Decision::Stop } else { Decision::Proceed }
    }
}

impl Observer for Scout<'_> {
    fn choose(&mut self, alternatives: u32) -> u32 {
        self.alternative.min(alternatives.saturating_sub(1))
    }
}

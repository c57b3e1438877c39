//! What a program does before its first thread, its first choice and its first mark of progress:
//! executed once.
//!
//! A program that never creates a thread is over after this, and this is its whole check.

use crate::explore::endless;
use crate::explore::moves::{self, Ending};
use crate::explore::trace::Trace;
use crate::run::limit::Limit;
use samovar_runtime::syscall::objects;
use samovar_runtime::{Event, Mark, Observer, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// The only thread.
const MAIN: ThreadId = ThreadId(0);
/// Instructions in one piece, after which one looks how much has been spent.
const PIECE: u64 = 1 << 16;
/// Effort between two looks at the clock and the memory of the host.
const LOOK: u64 = 1 << 20;
/// Effort after which the program is first suspected of going round in circles.
const SUSPECT_AFTER: u64 = 256 << 20;
/// Effort after which nothing more is expected of a program that is checked without limit of time.
const EFFORT_MAX: u64 = 1 << 30;

/// How the prefix ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Prefix {
    /// A thread is about to be created, a choice to be made, progress to be noted, or the main
    /// thread to end before the program does.
    Threads,
    /// The program is over.
    Over(Ending),
    /// The main thread waits, and there is nobody to wake it.
    Deadlock,
    /// A limit of the host was reached, for this reason.
    Stopped(String),
    /// More instructions than anything should need.
    TooLong(u64),
}

/// Runs the process up to its first thread. The journal must be off.
pub fn run(process: &mut Process, limit: &Limit) -> Prefix {
    run_alone(process, limit, &mut Alone::default())
}

/// The same, noting where it writes.
pub fn run_recording(process: &mut Process, limit: &Limit, trace: &mut Trace) -> Prefix {
    run_alone(process, limit, &mut Alone { trace: Some(trace), marks: None })
}

/// The same, listening to what the program says about plans.
pub fn run_listening(process: &mut Process, limit: &Limit) -> (Prefix, Vec<Mark>) {
    let mut alone = Alone { trace: None, marks: Some(Vec::new()) };
    let prefix = run_alone(process, limit, &mut alone);
    (prefix, alone.marks.unwrap_or_default())
}

fn run_alone(process: &mut Process, limit: &Limit, alone: &mut Alone<'_>) -> Prefix {
    let (mut next_look, mut suspect_at) = (LOOK, SUSPECT_AFTER);
    loop {
        match process.step(MAIN, PIECE, alone) {
            Event::Access(_) => return Prefix::Threads,
            Event::Blocked => match process.next_deadline() {
                Some(deadline) => process.wake_due(deadline),
                None => return Prefix::Deadlock,
            },
            Event::Budget | Event::Yielded => {}
            Event::ThreadExited => return Prefix::Threads,
            Event::ProcessExited(status) => return Prefix::Over(Ending::Exited(status)),
            Event::Killed(signal) => return Prefix::Over(Ending::Killed(signal)),
            Event::Fault(fault) => return Prefix::Over(Ending::Fault(fault)),
            Event::Misuse { function, misuse, .. } => {
                return Prefix::Over(Ending::Misuse(function, misuse));
            }
            Event::Violated(violation) => return Prefix::Over(Ending::Violated(violation)),
            Event::Pruned => return Prefix::Over(Ending::Pruned),
            Event::Unsupported(what) => return Prefix::Over(Ending::Unsupported(what)),
        }
        let spent = moves::effort(process);
        if next_look <= spent || limit.was_missed() {
            next_look = spent + LOOK;
            if let Some(reason) = limit.out_of_time().or_else(|| limit.out_of_memory()) {
                return Prefix::Stopped(reason);
            }
        }
        if suspect_at <= spent {
            process.machine.memory.journal.set_on(true);
            let repeats = endless::circle(process, MAIN, endless::WINDOW, &|_| false).is_some();
            process.machine.memory.journal.set_on(false);
            if repeats {
                return Prefix::Over(Ending::Diverges);
            }
            suspect_at = spent * 2;
        }
        // Who only repeats what was checked has no limits at all.
        if EFFORT_MAX <= spent && limit.left().is_none() && limit.memory().is_some() {
            return Prefix::TooLong(process.machine.instructions());
        }
    }
}

/// Judges every access by object bounds, stops before the first thread and the first choice.
#[derive(Default)]
struct Alone<'a> {
    /// Where to note writes, if anybody wants to know.
    trace: Option<&'a mut Trace>,
    /// What the program says about plans, if anybody listens.
    marks: Option<Vec<Mark>>,
}

impl Monitor for Alone<'_> {
    const JOURNAL: bool = false;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
    const BLOCKS: bool = true;

    fn enter_block(&mut self, end: u64) {
        if let Some(trace) = &mut self.trace {
            trace.enter(end);
        }
    }

    fn before_access(&mut self, access: Access) -> Decision {
        let branches = access.addr == objects::THREADS || objects::is_choice(access.addr);
        if branches {
            return Decision::Stop;
        }
        if let Some(trace) = &mut self.trace {
            trace.note(&access);
        }
        Decision::Proceed
    }
}

impl Observer for Alone<'_> {
    fn progress(&mut self) -> Decision {
        Decision::Stop
    }

    fn wants_marks(&self) -> bool {
        self.marks.is_some()
    }

    fn mark(&mut self, mark: Mark) {
        self.marks.get_or_insert_default().push(mark);
    }
}

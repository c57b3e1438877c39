//! `samovar run`: one execution of a program on the virtual CPU, its input and output passed
//! through, under one schedule.
//!
//! The run is a function of the program, its arguments, environment, files and input, and the seed.
//! Logical time passes with instructions, and jumps to the next deadline when all threads wait.

mod deadlock;
pub(crate) mod input;
pub(crate) mod limit;
pub mod moods;
mod output;
pub mod random;
pub mod schedule;
mod setup;
pub(crate) mod stats;

use crate::cli::RunOptions;
use crate::ending::{self, Ending};
use crate::error::CommandError;
use crate::message::Messages;
use crate::place::Places;
use limit::Limit;
use samovar_runtime::{Ended, Event, Process, Signal, Unsupported, ViolationKind};
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Unwatched;
use schedule::Schedule;
use stats::Stopwatch;

/// Logical nanoseconds that an instruction takes: about what it takes this machine in truth, so
/// that programs which wait for a while next to others that work behave as one would expect.
const INSTRUCTION_NS: u64 = 4;

/// Instructions between two looks at the host's clock.
const LIMIT_CHECK: u64 = 2_000_000;

/// Why a run is over.
#[derive(Debug)]
enum Finish {
    /// The program ended.
    Ended(Ended),
    /// A thread of the program did something illegal, which ended the program.
    Fault(ThreadId, Fault),
    /// Nothing can ever happen any more.
    Deadlock,
    /// The program asked for something that does not exist here.
    Unsupported(ThreadId, Unsupported),
    /// The time is over.
    OutOfTime,
}

/// Obeys `samovar run`.
pub fn run(options: &RunOptions) -> Result<Ending, CommandError> {
    let messages = Messages::new(options.loudness());
    let limit = Limit::new(options.time);
    let mut process = setup::load(options, &limit, &messages)?;
    let stopwatch = Stopwatch::start();
    let finish = execute(&mut process, &mut Schedule::new(options.seed), &limit, &messages)?;
    let ending = report(&process, &finish, options, &messages);
    if options.stats {
        stopwatch.report(&process);
    }
    Ok(ending)
}

/// Runs threads until the program is over.
fn execute(
    process: &mut Process,
    schedule: &mut Schedule,
    limit: &Limit,
    messages: &Messages,
) -> Result<Finish, CommandError> {
    let mut runnable: Vec<ThreadId> = Vec::new();
    let mut next_check = 0;
    loop {
        let before = process.machine.instructions();
        if next_check <= before {
            if limit.is_over() {
                return Ok(Finish::OutOfTime);
            }
            next_check = before + LIMIT_CHECK;
        }
        runnable.clear();
        runnable.extend(process.runnable());
        let Some(turn) = schedule.next_turn(&runnable) else {
            match process.next_deadline() {
                Some(deadline) => process.wake_due(deadline),
                None => return Ok(Finish::Deadlock),
            }
            continue;
        };
        let event = process.step(turn.thread, turn.budget, &mut Unwatched);
        if limit.was_missed() {
            return Ok(Finish::OutOfTime);
        }
        output::write(&process.take_output())?;
        if let Event::Violated(violation) = &event
            && violation.kind == ViolationKind::Privilege
        {
            let place = Places::of(process).standpoint(turn.thread);
            messages.remark(&format_args!("{violation}, {place:#}"));
        }
        if let Some(finish) = finish_of(event, turn.thread) {
            return Ok(finish);
        }
        let spent = process.machine.instructions() - before;
        process.wake_due(process.now_ns().saturating_add(spent * INSTRUCTION_NS));
    }
}

/// What an event means for the run; `None` if it goes on.
fn finish_of(event: Event, thread: ThreadId) -> Option<Finish> {
    match event {
        Event::ProcessExited(status) => Some(Finish::Ended(Ended::Exited(status))),
        Event::Killed(signal) => Some(Finish::Ended(Ended::Killed(signal))),
        // Only checking runs are told; the process is dead.
        Event::Misuse { .. } => Some(Finish::Ended(Ended::Killed(Signal::ABRT))),
        Event::Fault(fault) => Some(Finish::Fault(thread, fault)),
        Event::Unsupported(unsupported) => Some(Finish::Unsupported(thread, unsupported)),
        Event::Budget
        | Event::Yielded
        | Event::Blocked
        | Event::ThreadExited
        // The program's own code for these follows.
        | Event::Violated(_)
        | Event::Pruned
        | Event::Access(_) => None,
    }
}

/// Says what there is to say about the end, and turns it into the end of this process.
fn report(process: &Process, finish: &Finish, options: &RunOptions, messages: &Messages) -> Ending {
    let places = Places::of(process);
    match finish {
        Finish::Ended(Ended::Exited(status)) => Ending::Status(*status as u8),
        Finish::Ended(Ended::Killed(signal)) => {
            messages.remark(&format_args!("the program was killed by {signal}"));
            Ending::Signal(signal.number() as u8)
        }
        Finish::Fault(thread, fault) => {
            let place = places.standpoint(*thread);
            messages.remark(&format_args!("{fault}, by thread {} {place:#}", thread.0));
            match process.ended() {
                Some(Ended::Killed(signal)) => Ending::Signal(signal.number() as u8),
                _ => Ending::Signal(libc::SIGSEGV as u8),
            }
        }
        Finish::Deadlock => {
            messages.error(&deadlock::Deadlock { process, places: &places });
            Ending::Status(ending::FOUND)
        }
        Finish::Unsupported(thread, unsupported) => {
            let place = places.standpoint(*thread);
            messages.error(&format_args!("{unsupported}, {place}"));
            Ending::Status(ending::UNUSABLE)
        }
        Finish::OutOfTime => {
            let seconds = options.time.unwrap_or_default().as_secs_f64();
            messages.error(&format_args!(
                "the program was stopped at the time limit of {seconds} s, after {} instructions; \
                 raise it with --time",
                process.machine.instructions()
            ));
            Ending::Status(ending::INCOMPLETE)
        }
    }
}

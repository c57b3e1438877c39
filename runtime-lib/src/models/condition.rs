//! Condition variables. Who waits is known from the threads' states; the guest's object stays as
//! it was initialised, which is also what glibc's `destroy` wants to see.
//!
//! A wait has two stages: waiting for the signal with the mutex released, and locking the mutex
//! again. The thread stands at the function's entry all the time, and its stage says what a
//! further visit means. A signal wakes any one of the threads that wait: which one is a choice,
//! and in what order they came is nowhere noted. Wake-ups without a signal are a choice at the
//! beginning of the wait, if they are asked for: a thread that is woken at once and runs later
//! cannot be told from one that is woken later.
//!
//! A wait on a robust or priority-inheriting mutex is left to the library, and so a signal is
//! passed on to the library, too, if the object says that somebody waits there. A handler for a
//! signal ends a wait, as POSIX allows.

use super::deadline::{self, Deadline};
use super::mutex::{self, Release};
use super::{Answer, ModelCall};
use crate::event::{Event, LockFault};
use crate::process::Process;
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;

const ETIMEDOUT: u64 = 110;
/// Bytes of a condition variable.
const SIZE: usize = 48;
/// Offset of the word with flags and the library's own waiters.
const REFERENCES: u64 = 36;
/// Flag in that word: deadlines are on the monotonic clock.
const MONOTONIC: u32 = 2;
/// Flag in that word: destroyed.
const DESTROYED: u32 = 4;
/// The library's own waiters are counted above the flags.
const WAITER: u32 = 8;

/// Where a thread is in its wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// Not signalled yet.
    Waiting,
    /// Signalled or timed out: the mutex is to be locked, then the call returns this.
    Relocking(u64),
    /// Cancelled: the mutex is to be locked, then the library acts on it.
    Cancelled,
}

pub(super) fn wait(call: &mut ModelCall<'_>) -> Answer {
    wait_until(call, Deadline::Never).unwrap_or_else(Answer::from)
}

pub(super) fn timedwait(call: &mut ModelCall<'_>) -> Answer {
    let Ok(references) = references(call, call.arg(0)) else { return Answer::Pass };
    let clock = u32::from(references & MONOTONIC != 0);
    let until = Deadline::On { clock, time: call.arg(2) };
    wait_until(call, until).unwrap_or_else(Answer::from)
}

pub(super) fn clockwait(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::On { clock: call.arg(2) as u32, time: call.arg(3) };
    wait_until(call, until).unwrap_or_else(Answer::from)
}

fn references(call: &ModelCall<'_>, addr: u64) -> Result<u32, Fault> {
    call.word(addr.wrapping_add(REFERENCES))
}

/// Whether a wait may end at once without a signal: a choice.
pub(super) fn wait_alternatives(call: &ModelCall<'_>) -> u32 {
    let begins = call.process.os.thread(call.thread).condition.is_none();
    if begins && call.process.config.spurious_wakeups { 2 } else { 1 }
}

fn wait_until(call: &mut ModelCall<'_>, until: Deadline) -> Result<Answer, Fault> {
    let stage = call.process.os.thread(call.thread).condition;
    match stage {
        Some(Stage::Relocking(result)) => relock(call, Some(result)),
        Some(Stage::Cancelled) => relock(call, None),
        None | Some(Stage::Waiting) => {
            let deadline = match deadline::resolve(call, until)? {
                Ok(deadline) => deadline,
                Err(error) => return Ok(Answer::Return(error)),
            };
            let past = deadline.is_some_and(|at| at <= call.process.now_ns());
            match stage {
                None => begin(call, deadline, past),
                _ if past => relock(call, Some(ETIMEDOUT)),
                // Nobody signalled and time is not up.
                _ => Ok(start_wait(call, deadline)),
            }
        }
    }
}

/// The first visit: gives the mutex up.
fn begin(call: &mut ModelCall<'_>, deadline: Option<u64>, past: bool) -> Result<Answer, Fault> {
    let (addr, lock) = (call.arg(0), call.arg(1));
    if let Some(wrong) = destroyed(call, addr)? {
        return Ok(wrong);
    }
    if call.is_cancelled() {
        return Ok(Answer::Plain);
    }
    let elsewhere = |wait: &WaitFor| match *wait {
        WaitFor::Condition { addr: at, mutex, .. } => at == addr && mutex != lock,
        _ => false,
    };
    if call.judges_locks() && call.somebody_waits(addr, elsewhere) {
        return Ok(Answer::wrong(LockFault::DifferentMutexes, addr));
    }
    match mutex::release(call, lock, LockFault::WaitWithoutMutex, lock)? {
        Release::Done(0) if past => Ok(leave_mutex(call, ETIMEDOUT)),
        Release::Done(0) if call.pick == 1 => Ok(leave_mutex(call, 0)),
        Release::Done(0) => Ok(start_wait(call, deadline)),
        Release::Done(error) => Ok(Answer::Return(error)),
        Release::Library => {
            mutex::wake_lockers(call.process, lock);
            Ok(Answer::Pass)
        }
        Release::Wrong(answer) => Ok(answer),
    }
}

fn start_wait(call: &mut ModelCall<'_>, deadline: Option<u64>) -> Answer {
    let (addr, mutex, thread) = (call.arg(0), call.arg(1), call.thread);
    call.process.os_mut().thread_mut(thread).condition = Some(Stage::Waiting);
    Answer::Wait(WaitFor::Condition { addr, mutex, deadline })
}

/// The wait is over before it began, but others may have the mutex in between.
fn leave_mutex(call: &mut ModelCall<'_>, result: u64) -> Answer {
    let thread = call.thread;
    call.process.os_mut().thread_mut(thread).condition = Some(Stage::Relocking(result));
    Answer::Stop(Event::Yielded)
}

/// Locks the mutex and returns, or lets the library act on the cancellation.
fn relock(call: &mut ModelCall<'_>, result: Option<u64>) -> Result<Answer, Fault> {
    let (lock, thread) = (call.arg(1), call.thread);
    let wait = match mutex::relock(call, lock)? {
        Ok(wait) => wait,
        Err(wrong) => return Ok(wrong),
    };
    let stage = wait.as_ref().map(|_| result.map_or(Stage::Cancelled, Stage::Relocking));
    call.process.os_mut().thread_mut(thread).condition = stage;
    Ok(match (wait, result) {
        (Some(wait), _) => Answer::Wait(wait),
        (None, Some(result)) => Answer::Return(result),
        (None, None) => Answer::Plain,
    })
}

/// The answer if the condition variable was destroyed.
fn destroyed(call: &ModelCall<'_>, addr: u64) -> Result<Option<Answer>, Fault> {
    let is_destroyed = references(call, addr)? & DESTROYED != 0;
    let wrong = is_destroyed && call.judges_locks();
    Ok(wrong.then(|| Answer::wrong(LockFault::Destroyed, addr)))
}

fn waits_on(cond: u64) -> impl Fn(&WaitFor) -> bool {
    move |wait| matches!(*wait, WaitFor::Condition { addr, .. } if addr == cond)
}

/// Number of threads that a signal may wake.
pub(super) fn signal_alternatives(call: &ModelCall<'_>) -> u32 {
    call.process.condition_waiters(call.arg(0)).count() as u32
}

pub(super) fn signal(call: &mut ModelCall<'_>) -> Answer {
    let cond = call.arg(0);
    match destroyed(call, cond) {
        Ok(None) => {}
        Ok(Some(wrong)) => return wrong,
        Err(fault) => return fault.into(),
    }
    let woken = call.process.condition_waiters(cond).nth(call.pick as usize);
    match woken {
        Some(thread) => {
            notify(call.process, thread);
            Answer::Return(0)
        }
        None if library_waits(call, cond) => Answer::Pass,
        None => Answer::Return(0),
    }
}

pub(super) fn broadcast(call: &mut ModelCall<'_>) -> Answer {
    let cond = call.arg(0);
    match destroyed(call, cond) {
        Ok(None) => {}
        Ok(Some(wrong)) => return wrong,
        Err(fault) => return fault.into(),
    }
    let all: Vec<ThreadId> = call.process.condition_waiters(cond).collect();
    for thread in all {
        notify(call.process, thread);
    }
    if library_waits(call, cond) { Answer::Pass } else { Answer::Return(0) }
}

fn notify(process: &mut Process, thread: ThreadId) {
    process.set_runnable(thread);
    process.os_mut().thread_mut(thread).condition = Some(Stage::Relocking(0));
}

/// Whether threads wait in the library's own code.
fn library_waits(call: &ModelCall<'_>, cond: u64) -> bool {
    references(call, cond).is_ok_and(|references| references >= WAITER)
}

/// A condition variable without attributes is all zero; others are the library's work.
pub(super) fn init(call: &mut ModelCall<'_>) -> Answer {
    if call.arg(1) != 0 {
        return Answer::Pass;
    }
    let addr = call.arg(0);
    match call.process.machine.memory.write(addr, &[0; SIZE]) {
        Ok(()) => Answer::Return(0),
        Err(fault) => fault.into(),
    }
}

pub(super) fn destroy(call: &mut ModelCall<'_>) -> Answer {
    destroy_words(call).unwrap_or_else(Answer::from)
}

fn destroy_words(call: &mut ModelCall<'_>) -> Result<Answer, Fault> {
    let addr = call.arg(0);
    if let Some(wrong) = destroyed(call, addr)? {
        return Ok(wrong);
    }
    if call.judges_locks() && call.somebody_waits(addr, waits_on(addr)) {
        return Ok(Answer::wrong(LockFault::DestroyBusy, addr));
    }
    let references = references(call, addr)?;
    if references >= WAITER {
        return Ok(Answer::Pass);
    }
    call.set_word(addr.wrapping_add(REFERENCES), references | DESTROYED)?;
    Ok(Answer::Return(0))
}

impl Process {
    /// Threads that wait on a modelled condition variable, by number.
    pub fn condition_waiters(&self, cond: u64) -> impl Iterator<Item = ThreadId> + '_ {
        let fits = waits_on(cond);
        self.waiters(cond).filter(move |(_, wait)| fits(wait)).map(|(thread, _)| thread)
    }

    /// A signal has to be handled: the wait is over without anybody having signalled.
    pub(crate) fn interrupt_condition(&mut self, thread: ThreadId) {
        notify(self, thread);
    }
}

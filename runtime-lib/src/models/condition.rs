//! Condition variables. Who waits is known from the threads' states; the guest's object stays as
//! it was initialised, which is also what glibc's `destroy` wants to see.
//!
//! A wait has two stages: waiting for the signal with the mutex released, and locking the mutex
//! again. The thread stands at the function's entry all the time, and its stage says what a
//! further visit means. Signals go to the thread that has waited longest. There are no spurious
//! wake-ups. A wait on a mutex of a special kind is left to the library, and so a signal is passed
//! on to the library, too, if the object says that somebody waits there. A wait is no cancellation
//! point.

use super::mutex::{self, Attempt};
use super::{Answer, ModelCall};
use crate::process::Process;
use crate::thread::{ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;

const EINVAL: u64 = 22;
const ETIMEDOUT: u64 = 110;
/// Offset of the word with flags and the library's own waiters.
const REFERENCES: u64 = 36;
/// Flag in that word: deadlines are on the monotonic clock.
const MONOTONIC: u32 = 2;
/// The library's own waiters are counted above the flags.
const WAITER: u32 = 8;

/// Where a thread is in its wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// Not signalled yet.
    Waiting,
    /// Signalled or timed out: the mutex is to be locked, then the call returns this.
    Relocking(u64),
}

pub(super) fn wait(call: &mut ModelCall<'_>) -> Answer {
    wait_until(call, |_| Ok(None))
}

pub(super) fn timedwait(call: &mut ModelCall<'_>) -> Answer {
    wait_until(call, |call| {
        let references = call.process.machine.memory.read_u32(call.arg(0).wrapping_add(REFERENCES));
        let references = references.map_err(|_| Answer::Pass)?;
        timed(call, call.arg(2), references & MONOTONIC == 0)
    })
}

pub(super) fn clockwait(call: &mut ModelCall<'_>) -> Answer {
    wait_until(call, |call| match call.arg(2) as u32 {
        clock @ (0 | 1) => timed(call, call.arg(3), clock == 0),
        _ => Err(Answer::Return(EINVAL)),
    })
}

fn timed(call: &ModelCall<'_>, time: u64, realtime: bool) -> Result<Option<u64>, Answer> {
    match mutex::deadline(call, time, realtime) {
        Ok(Some(deadline)) => Ok(Some(deadline)),
        Ok(None) => Err(Answer::Return(EINVAL)),
        Err(_) => Err(Answer::Pass),
    }
}

fn wait_until(
    call: &mut ModelCall<'_>,
    deadline: impl Fn(&ModelCall<'_>) -> Result<Option<u64>, Answer>,
) -> Answer {
    let (addr, lock) = (call.arg(0), call.arg(1));
    let deadline = match deadline(call) {
        Ok(deadline) => deadline,
        Err(answer) => return answer,
    };
    let past = deadline.is_some_and(|at| at <= call.process.now_ns());
    match call.process.os.thread(call.thread).condition {
        None => match mutex::try_unlock(call.process, call.thread, lock) {
            Attempt::Over(0) if past => relock(call, lock, ETIMEDOUT),
            Attempt::Over(0) => start_wait(call, addr, lock, deadline),
            Attempt::Over(error) => Answer::Return(error),
            Attempt::Held | Attempt::Special => Answer::Pass,
        },
        Some(Stage::Waiting) if past => relock(call, lock, ETIMEDOUT),
        // Nobody signalled and time is not up: wait on in the same place of the queue.
        Some(Stage::Waiting) => start_wait(call, addr, lock, deadline),
        Some(Stage::Relocking(result)) => relock(call, lock, result),
    }
}

fn start_wait(call: &mut ModelCall<'_>, addr: u64, lock: u64, deadline: Option<u64>) -> Answer {
    let thread = call.thread;
    let arrival = waiters(call, addr).len() as u32;
    call.process.os_mut().thread_mut(thread).condition = Some(Stage::Waiting);
    Answer::Wait(WaitFor::Condition { addr, mutex: lock, arrival, deadline })
}

fn relock(call: &mut ModelCall<'_>, lock: u64, result: u64) -> Answer {
    let thread = call.thread;
    let stage = match mutex::try_lock(call.process, thread, lock) {
        Attempt::Held => {
            mutex::note_waiter(call.process, lock);
            Some(Stage::Relocking(result))
        }
        _ => None,
    };
    call.process.os_mut().thread_mut(thread).condition = stage;
    match stage {
        Some(_) => Answer::Wait(WaitFor::Mutex { addr: lock, deadline: None }),
        None => Answer::Return(result),
    }
}

/// Threads that wait in the model, longest first.
fn waiters(call: &ModelCall<'_>, cond: u64) -> Vec<ThreadId> {
    let threads = call.process.os.threads.iter().enumerate();
    let mut found: Vec<(u32, ThreadId)> = threads
        .filter_map(|(index, thread)| match thread.waiting() {
            Some(WaitFor::Condition { addr, arrival, .. }) if *addr == cond => {
                Some((*arrival, ThreadId(index as u32)))
            }
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, thread)| thread).collect()
}

fn notify(call: &mut ModelCall<'_>, thread: ThreadId) {
    leave_queue(call.process, thread);
    call.process.os_mut().thread_mut(thread).condition = Some(Stage::Relocking(0));
}

/// Takes a thread out of the queue of its condition variable; those behind it move up, so that
/// positions tell the order and nothing about the past.
pub(crate) fn leave_queue(process: &mut Process, thread: ThreadId) {
    let Some(WaitFor::Condition { addr: left, arrival: place, .. }) =
        process.os.thread(thread).waiting().cloned()
    else {
        return;
    };
    process.set_runnable(thread);
    for other in &mut process.os_mut().threads {
        if let ThreadState::Waiting(WaitFor::Condition { addr, arrival, .. }) = &mut other.state
            && *addr == left
            && *arrival > place
        {
            *arrival -= 1;
        }
    }
}

/// Whether threads wait in the library's own code.
fn library_waits(call: &ModelCall<'_>, cond: u64) -> bool {
    let references = call.process.machine.memory.read_u32(cond.wrapping_add(REFERENCES));
    references.is_ok_and(|references| references >= WAITER)
}

pub(super) fn signal(call: &mut ModelCall<'_>) -> Answer {
    let cond = call.arg(0);
    match waiters(call, cond).first() {
        Some(&thread) => {
            notify(call, thread);
            Answer::Return(0)
        }
        None if library_waits(call, cond) => Answer::Pass,
        None => Answer::Return(0),
    }
}

pub(super) fn broadcast(call: &mut ModelCall<'_>) -> Answer {
    let cond = call.arg(0);
    for thread in waiters(call, cond) {
        notify(call, thread);
    }
    if library_waits(call, cond) { Answer::Pass } else { Answer::Return(0) }
}

//! Mutexes of all kinds.
//!
//! Plain ones (normal, recursive, error-checking, adaptive) are modelled; when one becomes free,
//! every thread that waits for it can run, and whoever runs first gets it. In front of robust and
//! priority-inheriting ones stands a guard: it waits while another thread holds the mutex, and
//! lets the library's own code do the rest, which then never waits. Priority-protected mutexes are
//! left to the library.

mod words;

use super::deadline::{self, Deadline};
use super::{Answer, ModelCall};
use crate::event::LockFault;
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;
use words::{Attempt, EDEADLK, Kind, Type};

pub(crate) use words::wake_lockers;

const EBUSY: u64 = 16;
const ETIMEDOUT: u64 = 110;

/// The thread that a mutex waits for is another one, or the caller for good.
fn hold(call: &mut ModelCall<'_>, addr: u64, kind: Kind, until: Deadline) -> Result<Answer, Fault> {
    let deadline = match deadline::resolve(call, until)? {
        Ok(deadline) => deadline,
        Err(error) => return Ok(Answer::Return(error)),
    };
    if deadline.is_none() && words::owner(call.process, addr, kind)? == call.tid() {
        // Robust mutexes of the error-checking type never come here.
        if call.judges_locks() {
            return Ok(Answer::wrong(LockFault::Relock, addr));
        }
    }
    if deadline.is_some_and(|at| at <= call.process.now_ns()) {
        return Ok(Answer::Return(ETIMEDOUT));
    }
    if matches!(kind, Kind::Plain(_)) {
        words::note_waiter(call.process, addr);
    }
    Ok(Answer::Wait(WaitFor::Mutex { addr, deadline }))
}

fn lock_until(call: &mut ModelCall<'_>, until: Deadline) -> Result<Answer, Fault> {
    let addr = call.arg(0);
    let kind = words::kind(call.process, addr)?;
    match kind {
        Kind::Plain(plain) => match words::try_lock(call.process, call.thread, addr, plain)? {
            Attempt::Over(value) => Ok(Answer::Return(value)),
            // As in glibc the time is looked at only if the mutex is not free.
            Attempt::Held => hold(call, addr, kind, until),
        },
        Kind::Owned(owned) => {
            let owner = words::owner(call.process, addr, kind)?;
            let again = owner == call.tid() && owned != Type::Normal;
            if owner == 0 || again { Ok(Answer::Pass) } else { hold(call, addr, kind, until) }
        }
        Kind::Protected => Ok(Answer::Pass),
        Kind::Destroyed | Kind::Nonsense => Ok(unusable(call, addr, kind)),
    }
}

/// The answer to a call on a mutex that is none.
fn unusable(call: &ModelCall<'_>, addr: u64, kind: Kind) -> Answer {
    match kind {
        _ if !call.judges_locks() => Answer::Pass,
        Kind::Destroyed => Answer::wrong(LockFault::Destroyed, addr),
        _ => Answer::wrong(LockFault::Uninitialised, addr),
    }
}

pub(super) fn lock(call: &mut ModelCall<'_>) -> Answer {
    lock_until(call, Deadline::Never).unwrap_or_else(Answer::from)
}

pub(super) fn timedlock(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::Realtime(call.arg(1));
    lock_until(call, until).unwrap_or_else(Answer::from)
}

pub(super) fn clocklock(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::On { clock: call.arg(1) as u32, time: call.arg(2) };
    lock_until(call, until).unwrap_or_else(Answer::from)
}

pub(super) fn trylock(call: &mut ModelCall<'_>) -> Answer {
    let attempt = |call: &mut ModelCall<'_>| {
        let addr = call.arg(0);
        match words::kind(call.process, addr)? {
            Kind::Plain(kind) => words::try_lock(call.process, call.thread, addr, kind).map(Ok),
            Kind::Owned(_) | Kind::Protected => Ok(Err(Answer::Pass)),
            kind => Ok(Err(unusable(call, addr, kind))),
        }
    };
    match attempt(call) {
        // Even an error-checking mutex is merely busy here.
        Ok(Ok(Attempt::Over(EDEADLK) | Attempt::Held)) => Answer::Return(EBUSY),
        Ok(Ok(Attempt::Over(value))) => Answer::Return(value),
        Ok(Err(answer)) => answer,
        Err(fault) => fault.into(),
    }
}

pub(super) fn unlock(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    match release(call, addr, LockFault::UnlockNotOwner, addr) {
        Ok(Release::Done(value)) => Answer::Return(value),
        Ok(Release::Library) => {
            wake_lockers(call.process, addr);
            Answer::Pass
        }
        Ok(Release::Wrong(answer)) => answer,
        Err(fault) => fault.into(),
    }
}

/// What came of giving a mutex up.
pub(super) enum Release {
    /// Done, or failed with this error number.
    Done(u64),
    /// The library has to do it.
    Library,
    /// It must not be done.
    Wrong(Answer),
}

/// Unlocks; if a normal mutex is not the caller's, that is this fault of this object.
pub(super) fn release(
    call: &mut ModelCall<'_>,
    addr: u64,
    fault: LockFault,
    object: u64,
) -> Result<Release, Fault> {
    match words::kind(call.process, addr)? {
        Kind::Plain(kind) => {
            let mine = words::owner(call.process, addr, Kind::Plain(kind))? == call.tid();
            if kind == Type::Normal && !mine && call.judges_locks() {
                return Ok(Release::Wrong(Answer::wrong(fault, object)));
            }
            words::unlock(call.process, call.thread, addr, kind).map(Release::Done)
        }
        Kind::Owned(_) | Kind::Protected => Ok(Release::Library),
        kind => Ok(Release::Wrong(unusable(call, addr, kind))),
    }
}

/// Locks a plain mutex that the caller has released before; the wait if it is held.
pub(super) fn relock(
    call: &mut ModelCall<'_>,
    addr: u64,
) -> Result<Result<Option<WaitFor>, Answer>, Fault> {
    let plain = match words::kind(call.process, addr)? {
        Kind::Plain(plain) => plain,
        kind if call.judges_locks() => return Ok(Err(unusable(call, addr, kind))),
        _ => return Ok(Ok(None)),
    };
    match words::try_lock(call.process, call.thread, addr, plain)? {
        Attempt::Over(_) => Ok(Ok(None)),
        Attempt::Held => {
            words::note_waiter(call.process, addr);
            Ok(Ok(Some(WaitFor::Mutex { addr, deadline: None })))
        }
    }
}

/// A mutex without attributes is all zero; others are the library's work.
pub(super) fn init(call: &mut ModelCall<'_>) -> Answer {
    if call.arg(1) != 0 {
        return Answer::Pass;
    }
    let addr = call.arg(0);
    match call.process.machine.memory.write(addr, &[0; words::SIZE]) {
        Ok(()) => Answer::Return(0),
        Err(fault) => fault.into(),
    }
}

pub(super) fn destroy(call: &mut ModelCall<'_>) -> Answer {
    destroy_words(call).unwrap_or_else(Answer::from)
}

fn destroy_words(call: &mut ModelCall<'_>) -> Result<Answer, Fault> {
    let addr = call.arg(0);
    let kind = words::kind(call.process, addr)?;
    if matches!(kind, Kind::Destroyed | Kind::Nonsense) {
        return Ok(unusable(call, addr, kind));
    }
    let awaited = call.somebody_waits(addr, |wait| match *wait {
        WaitFor::Condition { mutex, .. } => mutex == addr,
        WaitFor::Mutex { addr: at, .. } => at == addr,
        _ => false,
    });
    let busy = awaited || kind != Kind::Protected && words::owner(call.process, addr, kind)? != 0;
    if busy && call.judges_locks() {
        return Ok(Answer::wrong(LockFault::DestroyBusy, addr));
    }
    match kind {
        Kind::Plain(_) if busy => Ok(Answer::Return(EBUSY)),
        Kind::Plain(_) => {
            words::mark_destroyed(call.process, addr)?;
            Ok(Answer::Return(0))
        }
        _ => Ok(Answer::Pass),
    }
}

/// The identifier of the thread that holds the mutex at an address.
pub(super) fn holder(process: &crate::process::Process, addr: u64) -> Option<u32> {
    let kind = words::kind(process, addr).ok()?;
    words::owner(process, addr, kind).ok().filter(|&tid| tid != 0)
}

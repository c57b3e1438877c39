//! Spin locks in glibc's layout: one word, positive when free. A locked one holds the negative
//! identifier of its owner, which glibc's own code takes for locked as well. A thread that would
//! spin waits instead.
//!
//! glibc's `pthread_spin_init` is the same code as `pthread_spin_unlock` and cannot be told from
//! it, so unlocking a free lock is no misuse here.

use super::{Answer, ModelCall};
use crate::event::LockFault;
use crate::process::Process;
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;

const EBUSY: u64 = 16;
const FREE: u32 = 1;

/// How a lock was found.
enum State {
    Free,
    /// Zero: what memory is before anybody initialised it, and after a destruction.
    Zero,
    /// The owner's identifier.
    Held(u32),
}

fn state(process: &Process, addr: u64) -> Result<State, Fault> {
    Ok(match process.machine.memory.read_u32(addr)? as i32 {
        0 => State::Zero,
        value if value > 0 => State::Free,
        value => State::Held(value.unsigned_abs()),
    })
}

/// Takes the lock if it is free; else what it was like.
fn take(call: &mut ModelCall<'_>) -> Result<Option<State>, Fault> {
    let addr = call.arg(0);
    match state(call.process, addr)? {
        State::Free => {
            call.set_word(addr, call.tid().wrapping_neg())?;
            Ok(None)
        }
        other => Ok(Some(other)),
    }
}

pub(super) fn lock(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    match take(call) {
        Ok(None) => Answer::Return(0),
        Ok(Some(State::Zero)) if call.judges_locks() => {
            Answer::wrong(LockFault::Uninitialised, addr)
        }
        Ok(Some(State::Held(owner))) if call.judges_locks() && owner == call.tid() => {
            Answer::wrong(LockFault::Relock, addr)
        }
        Ok(Some(_)) => Answer::Wait(WaitFor::Spin { addr }),
        Err(fault) => fault.into(),
    }
}

pub(super) fn trylock(call: &mut ModelCall<'_>) -> Answer {
    match take(call) {
        Ok(None) => Answer::Return(0),
        Ok(Some(State::Zero)) if call.judges_locks() => {
            Answer::wrong(LockFault::Uninitialised, call.arg(0))
        }
        Ok(Some(_)) => Answer::Return(EBUSY),
        Err(fault) => fault.into(),
    }
}

/// Unlocks or initialises.
pub(super) fn unlock(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    match state(call.process, addr) {
        Ok(State::Held(owner))
            if call.judges_locks()
                && owner != call.tid()
                && call.process.by_tid(owner).is_some() =>
        {
            return Answer::wrong(LockFault::UnlockNotOwner, addr);
        }
        Ok(_) => {}
        Err(fault) => return fault.into(),
    }
    if let Err(fault) = call.set_word(addr, FREE) {
        return fault.into();
    }
    call.process.wake_waiters(addr, |wait| *wait == WaitFor::Spin { addr });
    Answer::Return(0)
}

pub(super) fn destroy(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    match state(call.process, addr) {
        Ok(State::Held(_)) if call.judges_locks() => {
            return Answer::wrong(LockFault::DestroyBusy, addr);
        }
        Ok(_) => {}
        Err(fault) => return fault.into(),
    }
    match call.set_word(addr, 0) {
        Ok(()) => Answer::Return(0),
        Err(fault) => fault.into(),
    }
}

/// The identifier of the thread that holds the lock at an address.
pub(super) fn holder(process: &Process, addr: u64) -> Option<u32> {
    match state(process, addr).ok()? {
        State::Held(owner) => Some(owner),
        _ => None,
    }
}

//! Read-write locks in glibc's size, with an encoding of our own: the first word counts readers
//! above three flag bits as glibc does, or says that a writer is in; the writer's identifier is
//! where glibc has it; and the two words that glibc pads with tell which threads read.
//!
//! A lock that nobody holds is all zero up to its kind, however it got there, so equal situations
//! are equal states. Readers may overtake waiting writers, except on locks of glibc's kind that
//! prefers writers and is not recursive: there a waiting writer keeps new readers out.

use super::deadline::{self, Deadline};
use super::{Answer, ModelCall};
use crate::event::LockFault;
use crate::process::Process;
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;

const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;
const ETIMEDOUT: u64 = 110;

/// Bytes of a lock.
const SIZE: usize = 56;
/// Which threads read, one bit each; all ones if that cannot be told.
const READERS: u64 = 16;
const WRITER: u64 = 24;
const KIND: u64 = 48;
const READER: u32 = 8;
/// A writer is in.
const WRITTEN: u32 = 3;
const PREFERS_WRITERS: u32 = 2;
const DESTROYED: u32 = u32::MAX;
/// The readers are not known: one reads twice, or has too high a number.
const UNKNOWN: u64 = u64::MAX;

/// A lock as it was found.
struct Lock {
    addr: u64,
    /// Readers, or [`WRITTEN`].
    state: u32,
    readers: u64,
    writer: u32,
    kind: u32,
}

impl Lock {
    fn read(process: &Process, addr: u64) -> Result<Lock, Fault> {
        let memory = &process.machine.memory;
        let word = |offset: u64| memory.read_u32(addr.wrapping_add(offset));
        Ok(Lock {
            addr,
            state: memory.read_u32(addr)?,
            readers: memory.read_u64(addr.wrapping_add(READERS))?,
            writer: word(WRITER)?,
            kind: word(KIND)?,
        })
    }

    fn is_written(&self) -> bool {
        self.state & WRITTEN != 0
    }

    /// Whether a thread certainly reads.
    fn is_read_by(&self, call: &ModelCall<'_>) -> bool {
        self.readers != UNKNOWN && self.readers & bit(call) != 0
    }

    fn write(&self, call: &mut ModelCall<'_>) -> Result<(), Fault> {
        call.set_word(self.addr, self.state)?;
        call.set_word(self.addr.wrapping_add(WRITER), self.writer)?;
        let memory = &mut call.process.machine.memory;
        memory.write_u64(self.addr.wrapping_add(READERS), self.readers)
    }
}

/// The bit of the calling thread; none if its number is too high.
fn bit(call: &ModelCall<'_>) -> u64 {
    1u64.checked_shl(call.thread.0).unwrap_or(0)
}

fn is_wait(wait: &WaitFor) -> bool {
    matches!(wait, WaitFor::ReaderWriter { .. })
}

/// Whether a writer waits that keeps new readers out.
fn is_queued(call: &ModelCall<'_>, lock: u64) -> bool {
    call.somebody_waits(lock, |wait| matches!(wait, WaitFor::ReaderWriter { queued: true, .. }))
}

/// Takes the lock if that is possible now.
fn take(call: &mut ModelCall<'_>, mut lock: Lock, writing: bool) -> Result<bool, Fault> {
    let free = if writing {
        lock.state == 0
    } else {
        let kept_out = lock.kind == PREFERS_WRITERS && is_queued(call, lock.addr);
        !lock.is_written() && !kept_out
    };
    if !free {
        return Ok(false);
    }
    if writing {
        lock.state = WRITTEN;
        lock.writer = call.tid();
    } else {
        let mine = bit(call);
        let known = lock.readers != UNKNOWN && mine != 0 && lock.readers & mine == 0;
        lock.readers = if known { lock.readers | mine } else { UNKNOWN };
        lock.state = lock.state.wrapping_add(READER);
    }
    lock.write(call)?;
    Ok(true)
}

fn lock_until(call: &mut ModelCall<'_>, writing: bool, until: Deadline) -> Result<Answer, Fault> {
    let deadline = match deadline::resolve(call, until)? {
        Ok(deadline) => deadline,
        Err(error) => return Ok(Answer::Return(error)),
    };
    let lock = Lock::read(call.process, call.arg(0))?;
    if lock.kind == DESTROYED && call.judges_locks() {
        return Ok(Answer::wrong(LockFault::Destroyed, lock.addr));
    }
    let mine = lock.is_written() && lock.writer == call.tid();
    let waits_for_itself = mine || writing && deadline.is_none() && lock.is_read_by(call);
    if waits_for_itself && call.judges_locks() {
        return Ok(Answer::wrong(LockFault::Relock, lock.addr));
    }
    if mine {
        return Ok(Answer::Return(EDEADLK));
    }
    let (addr, queued) = (lock.addr, writing && lock.kind == PREFERS_WRITERS);
    if take(call, lock, writing)? {
        return Ok(Answer::Return(0));
    }
    if deadline.is_some_and(|at| at <= call.process.now_ns()) {
        // Readers that a queued writer kept out may go on.
        call.process.wake_waiters(addr, is_wait);
        return Ok(Answer::Return(ETIMEDOUT));
    }
    Ok(Answer::Wait(WaitFor::ReaderWriter { addr, writing, queued, deadline }))
}

fn try_now(call: &mut ModelCall<'_>, writing: bool) -> Result<Answer, Fault> {
    let lock = Lock::read(call.process, call.arg(0))?;
    if lock.kind == DESTROYED && call.judges_locks() {
        return Ok(Answer::wrong(LockFault::Destroyed, lock.addr));
    }
    Ok(Answer::Return(if take(call, lock, writing)? { 0 } else { EBUSY }))
}

fn release(call: &mut ModelCall<'_>) -> Result<Answer, Fault> {
    let mut lock = Lock::read(call.process, call.arg(0))?;
    if call.judges_locks() {
        let mine = match lock.state {
            0 => false,
            _ if lock.is_written() => lock.writer == call.tid(),
            _ => lock.readers == UNKNOWN || lock.is_read_by(call),
        };
        let fault = match lock.kind {
            DESTROYED => Some(LockFault::Destroyed),
            _ => (!mine).then_some(LockFault::UnlockNotOwner),
        };
        if let Some(fault) = fault {
            return Ok(Answer::wrong(fault, lock.addr));
        }
    }
    if lock.is_written() {
        (lock.state, lock.writer) = (0, 0);
    } else {
        lock.state = lock.state.saturating_sub(READER);
        if lock.readers != UNKNOWN {
            lock.readers &= !bit(call);
        }
    }
    if lock.state == 0 {
        lock.readers = 0;
    }
    lock.write(call)?;
    call.process.wake_waiters(lock.addr, is_wait);
    Ok(Answer::Return(0))
}

pub(super) fn rdlock(call: &mut ModelCall<'_>) -> Answer {
    lock_until(call, false, Deadline::Never).unwrap_or_else(Answer::from)
}

pub(super) fn wrlock(call: &mut ModelCall<'_>) -> Answer {
    lock_until(call, true, Deadline::Never).unwrap_or_else(Answer::from)
}

pub(super) fn timedrdlock(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::Realtime(call.arg(1));
    lock_until(call, false, until).unwrap_or_else(Answer::from)
}

pub(super) fn timedwrlock(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::Realtime(call.arg(1));
    lock_until(call, true, until).unwrap_or_else(Answer::from)
}

pub(super) fn clockrdlock(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::On { clock: call.arg(1) as u32, time: call.arg(2) };
    lock_until(call, false, until).unwrap_or_else(Answer::from)
}

pub(super) fn clockwrlock(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::On { clock: call.arg(1) as u32, time: call.arg(2) };
    lock_until(call, true, until).unwrap_or_else(Answer::from)
}

pub(super) fn tryrdlock(call: &mut ModelCall<'_>) -> Answer {
    try_now(call, false).unwrap_or_else(Answer::from)
}

pub(super) fn trywrlock(call: &mut ModelCall<'_>) -> Answer {
    try_now(call, true).unwrap_or_else(Answer::from)
}

pub(super) fn unlock(call: &mut ModelCall<'_>) -> Answer {
    release(call).unwrap_or_else(Answer::from)
}

/// A lock without attributes is all zero; others are the library's work.
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
    let attempt = |call: &mut ModelCall<'_>| {
        let lock = Lock::read(call.process, call.arg(0))?;
        if call.judges_locks() {
            let fault = match lock.kind {
                DESTROYED => Some(LockFault::Destroyed),
                _ => (lock.state != 0).then_some(LockFault::DestroyBusy),
            };
            if let Some(fault) = fault {
                return Ok(Answer::wrong(fault, lock.addr));
            }
        }
        call.set_word(lock.addr.wrapping_add(KIND), DESTROYED)?;
        Ok(Answer::Return(0))
    };
    attempt(call).unwrap_or_else(|fault: Fault| fault.into())
}

/// The identifier of a writer, or the number of a thread that certainly reads.
pub(super) fn holder(process: &Process, addr: u64) -> Option<Result<u32, u32>> {
    let lock = Lock::read(process, addr).ok()?;
    match lock.readers {
        _ if lock.is_written() => Some(Ok(lock.writer)),
        0 | UNKNOWN => None,
        readers => Some(Err(readers.trailing_zeros())),
    }
}

/// Whether a thread holds the lock at an address, as its writer or as a reader.
pub(super) fn is_held_by(process: &Process, addr: u64, thread: ThreadId, tid: u32) -> bool {
    Lock::read(process, addr).is_ok_and(|lock| match lock.readers {
        _ if lock.is_written() => lock.writer == tid,
        UNKNOWN => false,
        readers => readers & 1u64.checked_shl(thread.0).unwrap_or(0) != 0,
    })
}

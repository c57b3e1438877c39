//! Mutexes in glibc's layout: lock word at 0, count at 4, owner at 8, users at 12, kind at 16.
//!
//! The model follows glibc's own protocol on these words (0 free, 1 locked, 2 locked and waited
//! for), so that library code which is not modelled can work on the same mutex. Robust, priority
//! inheriting and priority protected mutexes are left to the library. When a mutex becomes free,
//! every thread that waits for it can run, and whoever runs first gets it.

use super::{Answer, ModelCall};
use crate::process::Process;
use crate::syscall::{futex, time};
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;

const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const EBUSY: u64 = 16;
const EINVAL: u64 = 22;
const EDEADLK: u64 = 35;
const ETIMEDOUT: u64 = 110;

const COUNT: u64 = 4;
const OWNER: u64 = 8;
const USERS: u64 = 12;
const KIND: u64 = 16;
/// Robust, priority inheritance, priority protection.
const SPECIAL: u32 = 0x70;

/// The kinds that are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Normal,
    Recursive,
    ErrorCheck,
}

/// What came of an attempt to lock or unlock.
pub(super) enum Attempt {
    /// Done, or failed with this error number.
    Over(u64),
    /// Another thread, or the same one, holds it.
    Held,
    /// The library has to do it.
    Special,
}

impl From<Fault> for Attempt {
    /// The library's own code meets the same fault, and the guest sees it there.
    fn from(_: Fault) -> Attempt {
        Attempt::Special
    }
}

fn kind(process: &Process, addr: u64) -> Result<Option<Kind>, Fault> {
    let bits = process.machine.memory.read_u32(addr.wrapping_add(KIND))?;
    Ok(match bits & 3 {
        _ if bits & SPECIAL != 0 => None,
        1 => Some(Kind::Recursive),
        2 => Some(Kind::ErrorCheck),
        _ => Some(Kind::Normal),
    })
}

/// Tries to lock.
pub(super) fn try_lock(process: &mut Process, thread: ThreadId, addr: u64) -> Attempt {
    lock_words(process, thread, addr).unwrap_or_else(Attempt::from)
}

fn lock_words(process: &mut Process, thread: ThreadId, addr: u64) -> Result<Attempt, Fault> {
    let Some(kind) = kind(process, addr)? else { return Ok(Attempt::Special) };
    let tid = process.os.thread(thread).tid;
    let memory = &mut process.machine.memory;
    let (lock, owner) = (memory.read_u32(addr)?, memory.read_u32(addr + OWNER)?);
    if owner == tid && kind == Kind::Recursive {
        let count = memory.read_u32(addr + COUNT)?;
        let Some(more) = count.checked_add(1) else { return Ok(Attempt::Over(EAGAIN)) };
        memory.write_u32(addr + COUNT, more)?;
        return Ok(Attempt::Over(0));
    }
    if owner == tid && kind == Kind::ErrorCheck {
        return Ok(Attempt::Over(EDEADLK));
    }
    if lock != 0 {
        return Ok(Attempt::Held);
    }
    let waited_for = process.os.threads.iter().enumerate().any(|(index, other)| {
        index as u32 != thread.0
            && matches!(
                other.waiting(),
                Some(WaitFor::Mutex { addr: at, .. } | WaitFor::Futex { addr: at, .. })
                    if *at == addr
            )
    });
    let memory = &mut process.machine.memory;
    memory.write_u32(addr, if waited_for { 2 } else { 1 })?;
    if kind == Kind::Recursive {
        memory.write_u32(addr + COUNT, 1)?;
    }
    memory.write_u32(addr + OWNER, tid)?;
    let users = memory.read_u32(addr + USERS)?;
    memory.write_u32(addr + USERS, users.wrapping_add(1))?;
    Ok(Attempt::Over(0))
}

/// Tries to unlock; never [`Attempt::Held`].
pub(super) fn try_unlock(process: &mut Process, thread: ThreadId, addr: u64) -> Attempt {
    unlock_words(process, thread, addr).unwrap_or_else(Attempt::from)
}

fn unlock_words(process: &mut Process, thread: ThreadId, addr: u64) -> Result<Attempt, Fault> {
    let Some(kind) = kind(process, addr)? else { return Ok(Attempt::Special) };
    let tid = process.os.thread(thread).tid;
    let memory = &mut process.machine.memory;
    if kind != Kind::Normal {
        let (lock, owner) = (memory.read_u32(addr)?, memory.read_u32(addr + OWNER)?);
        if owner != tid || lock == 0 {
            return Ok(Attempt::Over(EPERM));
        }
    }
    if kind == Kind::Recursive {
        let count = memory.read_u32(addr + COUNT)?.wrapping_sub(1);
        memory.write_u32(addr + COUNT, count)?;
        if count != 0 {
            return Ok(Attempt::Over(0));
        }
    }
    memory.write_u32(addr + OWNER, 0)?;
    let users = memory.read_u32(addr + USERS)?;
    memory.write_u32(addr + USERS, users.wrapping_sub(1))?;
    memory.write_u32(addr, 0)?;
    wake_waiters(process, addr);
    Ok(Attempt::Over(0))
}

/// Lets everybody try who waits for a mutex in a model, and one who waits in the library.
fn wake_waiters(process: &mut Process, addr: u64) {
    let mut library_waits = false;
    for index in 0..process.os.threads.len() {
        match process.os.threads[index].waiting() {
            Some(WaitFor::Mutex { addr: at, .. }) if *at == addr => {
                process.set_runnable(ThreadId(index as u32));
            }
            Some(WaitFor::Futex { addr: at, .. }) if *at == addr => library_waits = true,
            _ => {}
        }
    }
    if library_waits {
        futex::wake(process, addr, 1, u32::MAX);
    }
}

/// Notes in the lock word that somebody waits.
pub(super) fn note_waiter(process: &mut Process, addr: u64) {
    // The word was just read and the mutex is held.
    let _ = process.machine.memory.write_u32(addr, 2);
}

fn lock_until(call: &mut ModelCall<'_>, deadline: Option<u64>) -> Answer {
    let addr = call.arg(0);
    match try_lock(call.process, call.thread, addr) {
        Attempt::Over(value) => Answer::Return(value),
        Attempt::Special => Answer::Pass,
        Attempt::Held if deadline.is_some_and(|at| at <= call.process.now_ns()) => {
            Answer::Return(ETIMEDOUT)
        }
        Attempt::Held => {
            note_waiter(call.process, addr);
            Answer::Wait(WaitFor::Mutex { addr, deadline })
        }
    }
}

pub(super) fn lock(call: &mut ModelCall<'_>) -> Answer {
    lock_until(call, None)
}

pub(super) fn trylock(call: &mut ModelCall<'_>) -> Answer {
    match try_lock(call.process, call.thread, call.arg(0)) {
        // Even an error-checking mutex is merely busy here.
        Attempt::Over(EDEADLK) | Attempt::Held => Answer::Return(EBUSY),
        Attempt::Over(value) => Answer::Return(value),
        Attempt::Special => Answer::Pass,
    }
}

pub(super) fn timedlock(call: &mut ModelCall<'_>) -> Answer {
    timed(call, call.arg(1), true)
}

pub(super) fn clocklock(call: &mut ModelCall<'_>) -> Answer {
    match call.arg(1) as u32 {
        clock @ (0 | 1) => timed(call, call.arg(2), clock == 0),
        _ => Answer::Return(EINVAL),
    }
}

fn timed(call: &mut ModelCall<'_>, time: u64, realtime: bool) -> Answer {
    // As in glibc the time is looked at only if the mutex is not free.
    match (try_lock(call.process, call.thread, call.arg(0)), deadline(call, time, realtime)) {
        (Attempt::Over(value), _) => Answer::Return(value),
        (Attempt::Special, _) => Answer::Pass,
        (Attempt::Held, Ok(None)) => Answer::Return(EINVAL),
        (Attempt::Held, Ok(deadline)) => lock_until(call, deadline),
        (Attempt::Held, Err(_)) => Answer::Pass,
    }
}

/// An absolute `struct timespec` as a logical deadline; `None` if it makes no sense.
pub(super) fn deadline(
    call: &ModelCall<'_>,
    addr: u64,
    realtime: bool,
) -> Result<Option<u64>, Fault> {
    let memory = &call.process.machine.memory;
    let (seconds, nanoseconds) = (memory.read_u64(addr)?, memory.read_u64(addr.wrapping_add(8))?);
    if (seconds as i64) < 0 {
        // Long past.
        return Ok((nanoseconds < 1_000_000_000).then_some(0));
    }
    let instant = time::timespec(seconds, nanoseconds);
    Ok(instant.map(|instant| instant.saturating_sub(time::epoch(call.process, realtime))))
}

pub(super) fn unlock(call: &mut ModelCall<'_>) -> Answer {
    match try_unlock(call.process, call.thread, call.arg(0)) {
        Attempt::Over(value) => Answer::Return(value),
        Attempt::Held | Attempt::Special => Answer::Pass,
    }
}

impl Process {
    /// The thread that holds the mutex which another one waits for by
    /// [`WaitFor::Mutex`](crate::WaitFor::Mutex).
    pub fn mutex_owner(&self, addr: u64) -> Option<ThreadId> {
        let tid = self.machine.memory.read_u32(addr.checked_add(OWNER)?).ok()?;
        self.os.by_tid(tid)
    }
}

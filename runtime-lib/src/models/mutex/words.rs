//! Mutexes in glibc's layout: lock word at 0, count at 4, owner at 8, users at 12, kind at 16.
//!
//! The model follows glibc's own protocol on these words (0 free, 1 locked, 2 locked and waited
//! for), so that library code which is not modelled can work on the same mutex. Robust and
//! priority-inheriting mutexes have their owner's identifier in the lock word and are the
//! library's; here one only looks at who holds them. Priority-protected ones are the library's
//! altogether.

use crate::process::Process;
use crate::syscall::futex::{self, TID_MASK};
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;

pub(super) const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
pub(super) const EDEADLK: u64 = 35;

const COUNT: u64 = 4;
const OWNER: u64 = 8;
const USERS: u64 = 12;
const KIND: u64 = 16;
/// Bytes of a mutex.
pub(super) const SIZE: usize = 40;

const ROBUST: u32 = 0x10;
const INHERITS: u32 = 0x20;
const PROTECTS: u32 = 0x40;
/// All bits that a kind may have: type, the three above, shared, elision.
const KNOWN: u32 = 0x3ff;
/// What glibc writes to the kind of a mutex that is destroyed.
const DESTROYED: u32 = u32::MAX;

/// What a mutex does when its owner locks it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// It waits for itself. Adaptive mutexes are the same.
    Normal,
    Recursive,
    ErrorCheck,
}

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The model.
    Plain(Type),
    /// The library; the lock word tells the owner.
    Owned(Type),
    /// The library, without our help.
    Protected,
    /// Nobody: it was destroyed.
    Destroyed,
    /// Nobody: no initialisation leaves such a kind.
    Nonsense,
}

/// The kind of the mutex at an address.
pub(super) fn kind(process: &Process, addr: u64) -> Result<Kind, Fault> {
    let bits = process.machine.memory.read_u32(addr.wrapping_add(KIND))?;
    let kind = match bits & 3 {
        1 => Type::Recursive,
        2 => Type::ErrorCheck,
        _ => Type::Normal,
    };
    Ok(match bits {
        DESTROYED => Kind::Destroyed,
        _ if bits & !KNOWN != 0 => Kind::Nonsense,
        _ if bits & PROTECTS != 0 => Kind::Protected,
        _ if bits & (ROBUST | INHERITS) != 0 => Kind::Owned(kind),
        _ => Kind::Plain(kind),
    })
}

/// The identifier of the thread that holds a mutex; zero if nobody does.
pub(super) fn owner(process: &Process, addr: u64, kind: Kind) -> Result<u32, Fault> {
    let memory = &process.machine.memory;
    match kind {
        Kind::Owned(_) => Ok(memory.read_u32(addr)? & TID_MASK),
        _ if memory.read_u32(addr)? == 0 => Ok(0),
        _ => memory.read_u32(addr.wrapping_add(OWNER)),
    }
}

/// What came of an attempt to lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// Done, or failed with this error number.
    Over(u64),
    /// Another thread, or the same one, holds it.
    Held,
}

/// Tries to lock a plain mutex.
pub(super) fn try_lock(
    process: &mut Process,
    thread: ThreadId,
    addr: u64,
    kind: Type,
) -> Result<Attempt, Fault> {
    let tid = process.os.thread(thread).tid;
    let memory = &mut process.machine.memory;
    let (lock, owner) = (memory.read_u32(addr)?, memory.read_u32(addr.wrapping_add(OWNER))?);
    if owner == tid && kind == Type::Recursive {
        let count = memory.read_u32(addr + COUNT)?;
        let Some(more) = count.checked_add(1) else { return Ok(Attempt::Over(EAGAIN)) };
        memory.write_u32(addr + COUNT, more)?;
        return Ok(Attempt::Over(0));
    }
    if owner == tid && kind == Type::ErrorCheck {
        return Ok(Attempt::Over(EDEADLK));
    }
    if lock != 0 {
        return Ok(Attempt::Held);
    }
    let waited_for = process.waiters(addr).any(|(other, wait)| {
        other != thread && matches!(wait, WaitFor::Mutex { .. } | WaitFor::Futex { .. })
    });
    let memory = &mut process.machine.memory;
    memory.write_u32(addr, if waited_for { 2 } else { 1 })?;
    if kind == Type::Recursive {
        memory.write_u32(addr + COUNT, 1)?;
    }
    memory.write_u32(addr + OWNER, tid)?;
    let users = memory.read_u32(addr + USERS)?;
    memory.write_u32(addr + USERS, users.wrapping_add(1))?;
    Ok(Attempt::Over(0))
}

/// Unlocks a plain mutex; the error number.
pub(super) fn unlock(
    process: &mut Process,
    thread: ThreadId,
    addr: u64,
    kind: Type,
) -> Result<u64, Fault> {
    let tid = process.os.thread(thread).tid;
    let memory = &mut process.machine.memory;
    if kind != Type::Normal {
        let (lock, owner) = (memory.read_u32(addr)?, memory.read_u32(addr.wrapping_add(OWNER))?);
        if owner != tid || lock == 0 {
            return Ok(EPERM);
        }
    }
    if kind == Type::Recursive {
        let count = memory.read_u32(addr + COUNT)?.wrapping_sub(1);
        memory.write_u32(addr + COUNT, count)?;
        if count != 0 {
            return Ok(0);
        }
    }
    memory.write_u32(addr.wrapping_add(OWNER), 0)?;
    let users = memory.read_u32(addr + USERS)?;
    memory.write_u32(addr + USERS, users.wrapping_sub(1))?;
    memory.write_u32(addr, 0)?;
    wake_lockers(process, addr);
    if process.waiters(addr).any(|(_, wait)| matches!(wait, WaitFor::Futex { .. })) {
        futex::wake(process, addr, 1, u32::MAX);
    }
    Ok(0)
}

/// Lets everybody try who waits for a mutex in a model. Where the library frees the mutex, this
/// comes just before; nobody tries before the library has done so.
pub(crate) fn wake_lockers(process: &mut Process, addr: u64) {
    process.wake_waiters(addr, |wait| matches!(wait, WaitFor::Mutex { .. }));
}

/// Notes in the lock word of a plain mutex that somebody waits.
pub(super) fn note_waiter(process: &mut Process, addr: u64) {
    // The word was just read and the mutex is held.
    let _ = process.machine.memory.write_u32(addr, 2);
}

/// Marks a mutex as destroyed.
pub(super) fn mark_destroyed(process: &mut Process, addr: u64) -> Result<(), Fault> {
    process.machine.memory.write_u32(addr.wrapping_add(KIND), DESTROYED)
}

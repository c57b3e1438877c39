//! What [`Process::step`](crate::Process::step) reports to whoever schedules.

use crate::request::Violation;
use crate::signal::Signal;
use samovar_vm::fault::Fault;
use samovar_vm::monitor::Access;
use std::fmt;

/// Why a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The budget of instructions is used up.
    Budget,
    /// The thread would rather let others run (`sched_yield`), or wants its output to be seen
    /// before it reads input.
    Yielded,
    /// The thread cannot go on; [`Process::threads`](crate::Process::threads) says why.
    Blocked,
    /// The thread has ended, others have not.
    ThreadExited,
    /// The process has ended with this status (the low eight bits of what it passed).
    ProcessExited(i32),
    /// A signal ended the process.
    Killed(Signal),
    /// An illegal access that no handler takes care of ended the process.
    Fault(Fault),
    /// A library function was called in a way that is an error of the program. Only where heap
    /// blocks are exact and locks are judged; otherwise the process goes on or ends as natively.
    Misuse {
        /// The function.
        function: String,
        /// What was wrong.
        misuse: Misuse,
        /// Entry of the function.
        address: u64,
    },
    /// A statement of the program is violated. The process goes on if it is told to, as it would
    /// natively.
    Violated(Violation),
    /// The program assumes that this path is never taken: it has no continuation that counts. The
    /// process goes on if it is told to, as it would natively.
    Pruned,
    /// The monitor asked to stop before this access; nothing of it has happened.
    Access(Access),
    /// Something that is not implemented and must not be guessed; the process cannot go on.
    Unsupported(Unsupported),
}

/// What is wrong with a call of a library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misuse {
    /// The block was already freed.
    DoubleFree,
    /// Not the start of a block.
    InvalidPointer,
    /// A synchronisation object is not used as it has to be.
    Lock {
        /// What is wrong.
        fault: LockFault,
        /// Address of the object.
        object: u64,
    },
}

/// What is wrong with the use of a synchronisation object: what POSIX leaves undefined or says to
/// deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockFault {
    /// Unlocked by a thread that does not hold it.
    UnlockNotOwner,
    /// Locked again by the thread that holds it and would wait for itself.
    Relock,
    /// Destroyed while it is in use.
    DestroyBusy,
    /// A wait on a condition variable with a mutex that the thread does not hold.
    WaitWithoutMutex,
    /// Waits on one condition variable with different mutexes.
    DifferentMutexes,
    /// Used without having been initialised.
    Uninitialised,
    /// Used after it was destroyed.
    Destroyed,
    /// A thread is joined that another one than the caller has detached.
    Detached,
}

impl LockFault {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LockFault::UnlockNotOwner => "unlock-not-owner",
            LockFault::Relock => "relock",
            LockFault::DestroyBusy => "destroy-busy",
            LockFault::WaitWithoutMutex => "wait-without-mutex",
            LockFault::DifferentMutexes => "different-mutexes",
            LockFault::Uninitialised => "uninitialised",
            LockFault::Destroyed => "destroyed",
            LockFault::Detached => "detached",
        }
    }
}

impl fmt::Display for LockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LockFault::UnlockNotOwner => "the thread does not hold it",
            LockFault::Relock => "the thread holds it already and waits for itself",
            LockFault::DestroyBusy => "it is in use",
            LockFault::WaitWithoutMutex => "the thread does not hold the mutex",
            LockFault::DifferentMutexes => "another thread waits there with another mutex",
            LockFault::Uninitialised => "it is not initialised",
            LockFault::Destroyed => "it was destroyed before",
            LockFault::Detached => "another thread has detached it",
        })
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misuse::DoubleFree => f.write_str("double free detected"),
            Misuse::InvalidPointer => f.write_str("invalid pointer"),
            Misuse::Lock { fault, .. } => write!(f, "{fault}"),
        }
    }
}

/// What sort of thing is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnsupportedKind {
    /// A machine instruction.
    Instruction,
    /// A system call, or this use of it.
    SystemCall,
    /// Something a library function was asked for.
    LibraryCall,
    /// A request of the program to the checker.
    Request,
}

/// Something that is not supported, named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What sort of thing.
    pub kind: UnsupportedKind,
    /// Its name.
    pub name: String,
    /// The instruction that asked for it.
    pub address: u64,
    /// Arguments, bytes, or the part that is missing.
    pub detail: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            UnsupportedKind::Instruction => "instruction",
            UnsupportedKind::SystemCall => "system call",
            UnsupportedKind::LibraryCall => "library call",
            UnsupportedKind::Request => "request",
        };
        write!(f, "unsupported {kind} {} at {:#x}", self.name, self.address)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for Unsupported {}

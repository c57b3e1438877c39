//! What can go wrong with one memory access, judged before the access happens.

use std::fmt;

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An instruction fetch.
    Execute,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Execute => "execution",
        })
    }
}

/// Why an access is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultReason {
    /// The first page: a null pointer or a member of one.
    Null,
    /// Nothing is mapped there.
    Unmapped,
    /// Mapped, but this kind of access is not permitted.
    Protected,
    /// Inside a mapping, but outside every object.
    OutOfBounds,
    /// Inside a heap block that was freed.
    UseAfterFree,
    /// On the stack, beyond the frame that its address is relative to and that of the caller.
    BeyondFrame,
    /// Over the return address of a function that has not returned yet.
    ReturnAddress,
    /// A 16-byte operand that must be aligned is not.
    Misaligned,
}

/// An access that must not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// First byte of the access.
    pub addr: u64,
    /// Number of bytes.
    pub size: u32,
    /// What the guest tried.
    pub kind: AccessKind,
    /// Why it is illegal.
    pub reason: FaultReason,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { addr, size, kind, reason } = *self;
        let why = match reason {
            FaultReason::Null => "null pointer",
            FaultReason::Unmapped => "nothing is mapped there",
            FaultReason::Protected => "not permitted there",
            FaultReason::OutOfBounds => "outside of every object",
            FaultReason::UseAfterFree => "the block was freed",
            FaultReason::BeyondFrame => "beyond the frame",
            FaultReason::ReturnAddress => "a return address is there",
            FaultReason::Misaligned => "not aligned",
        };
        write!(f, "illegal {kind} of {size} bytes at {addr:#x}: {why}")
    }
}

impl std::error::Error for Fault {}

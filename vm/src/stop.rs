//! Why the machine handed control back.

use crate::fault::Fault;
use crate::monitor::Access;

/// A library function hooked at its entry; the number is the installer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookId(pub u32);

/// See the module head. Unless said otherwise the program counter stands at the instruction that
/// caused the stop, and nothing of that instruction has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The budget of instructions is used up.
    Budget,
    /// The monitor asked to stop before this access.
    Access(Access),
    /// A `syscall` instruction; the program counter is behind it.
    Syscall,
    /// The request instruction (see [`crate::lower::request`]); the program counter is behind it.
    Request,
    /// The entry of a hooked function.
    Hook(HookId),
    /// A `ret` took the stack pointer above the watched level; it has happened.
    Returned,
    /// An illegal memory access.
    Fault(Fault),
    /// Division by zero, or a quotient that does not fit.
    DivideError,
    /// A floating-point exception that the guest had unmasked.
    FloatingPointError,
    /// `int3`; the program counter is behind it.
    Breakpoint,
    /// `ud2`, or bytes that are no instruction.
    IllegalInstruction,
    /// A valid instruction that this machine does not implement.
    Unsupported,
    /// `rdtsc` or `rdtscp`; the program counter is behind it, the caller supplies `edx:eax`.
    TimeStamp,
}

//! What a caller of the machine wants to know while instructions execute.
//!
//! A monitor is a type parameter of the execution loop: what it does not ask for costs nothing.
//! Plain execution uses [`Unwatched`]; reversible, bounds-checked execution uses [`Checked`]; a
//! checker brings its own and stops before the accesses that matter to it.

use crate::fault::AccessKind;

/// One memory access that is about to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// First byte.
    pub addr: u64,
    /// Number of bytes.
    pub size: u32,
    /// Load or store.
    pub kind: AccessKind,
    /// Part of an atomic read-modify-write (`lock` prefix or implicit).
    pub locked: bool,
    /// Follows another access of the same micro-op: a decision to stop is not heeded.
    pub sequel: bool,
}

/// What to do about an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Let it happen.
    Proceed,
    /// Stop the thread before it.
    Stop,
}

/// Observes execution; see the module head.
pub trait Monitor {
    /// Log old values so that the step can be undone.
    const JOURNAL: bool;
    /// Judge accesses by object bounds and track initialised bytes.
    const SHADOW: bool;
    /// Call [`Monitor::before_access`].
    const ACCESSES: bool;
    /// Call [`Monitor::enter_block`].
    const BLOCKS: bool = false;

    /// Called whenever execution gets to a stretch of straight code, with where that ends, and
    /// again if it is interrupted there and goes on.
    #[inline]
    fn enter_block(&mut self, end: u64) {
        let _ = end;
    }

    /// Called at the instruction by which a loop says that it waits.
    #[inline]
    fn pause(&mut self) {}

    /// Called before each access of the guest's program.
    fn before_access(&mut self, access: Access) -> Decision {
        let _ = access;
        Decision::Proceed
    }
}

/// Nothing is watched: the fastest way to run a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Monitor for Unwatched {
    const JOURNAL: bool = false;
    const SHADOW: bool = false;
    const ACCESSES: bool = false;
}

/// Every write is journalled, every access judged by object bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked;

impl Monitor for Checked {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = false;
}

//! What a checker wants to know beyond the memory accesses of the guest's own code.
//!
//! A modelled operation is announced as an access to the object that it works on (a mutex, a futex
//! word, or a pseudo-address beyond the address space for things of the operating system) before
//! anything happens, so that a checker can stop before it and compare it with what other threads
//! do. Choices that the program leaves open are put to the checker; plain execution takes the
//! first alternative.

use crate::request::Mark;
use samovar_vm::monitor::{Access, Checked, Decision, Monitor, Unwatched};

/// A [`Monitor`] that also watches models and system calls.
pub trait Observer: Monitor {
    /// The thread enters or leaves a library call that runs without scheduling points.
    fn atomic_call(&mut self, inside: bool) {
        let _ = inside;
    }

    /// One of `alternatives` (at least one) has to be picked.
    fn choose(&mut self, alternatives: u32) -> u32 {
        let _ = alternatives;
        0
    }

    /// An operation on an object is about to happen, or an access on the thread's behalf by a
    /// system call. Only called if [`Monitor::ACCESSES`].
    fn before_operation(&mut self, access: Access) -> Decision {
        self.before_access(access)
    }

    /// A region of memory is about to be reserved or given back: announced like an operation on
    /// all of it, but nothing there is accessed.
    fn before_reserving(&mut self, access: Access) -> Decision {
        self.before_operation(access)
    }

    /// The thread is about to do something useful, says the program.
    fn progress(&mut self) -> Decision {
        Decision::Proceed
    }

    /// The thread has left an atomic region of the program.
    fn region_over(&mut self) {}

    /// The thread has said something about itself as an agent.
    fn announced(&mut self) {}

    /// The thread becomes busy, with this in a cell where it reads suggestions.
    fn decided(&mut self, cell: u64, value: u64) {
        let _ = (cell, value);
    }

    /// The thread makes a step of a plan, says the program.
    fn action(&mut self) {}

    /// Whether [`Observer::mark`] is wanted.
    fn wants_marks(&self) -> bool {
        false
    }

    /// What the program says about a plan.
    fn mark(&mut self, mark: Mark) {
        let _ = mark;
    }

    /// Whether the thread has done what it was run for, and has to stop before anything happens
    /// but work in registers: no system call, library model or request is served then.
    fn is_past_operation(&self) -> bool {
        false
    }

    /// Whether every step is one instruction or one service of a model, in atomic calls and
    /// regions, too: for debuggers.
    fn is_stepping(&self) -> bool {
        false
    }
}

impl Observer for Unwatched {}
impl Observer for Checked {}

/// An [`Observer`] whose type is not known.
pub(crate) trait Witness {
    /// Whether announcements are wanted at all.
    fn wants_operations(&self) -> bool;
    /// An operation on an object is about to happen.
    fn before_operation(&mut self, access: Access) -> Decision;
    /// See [`Observer::before_reserving`].
    fn before_reserving(&mut self, access: Access) -> Decision;
    /// See [`Observer::atomic_call`].
    fn atomic_call(&mut self, inside: bool);
    /// See [`Observer::choose`].
    fn choose(&mut self, alternatives: u32) -> u32;
    /// See [`Observer::progress`].
    fn progress(&mut self) -> Decision;
    /// See [`Observer::region_over`].
    fn region_over(&mut self);
    /// See [`Observer::announced`].
    fn announced(&mut self);
    /// See [`Observer::decided`].
    fn decided(&mut self, cell: u64, value: u64);
    /// See [`Observer::action`].
    fn action(&mut self);
    /// See [`Observer::wants_marks`].
    fn wants_marks(&self) -> bool;
    /// See [`Observer::mark`].
    fn mark(&mut self, mark: Mark);
    /// See [`Observer::is_past_operation`].
    fn is_past_operation(&self) -> bool;
}

impl<M: Observer> Witness for M {
    fn wants_operations(&self) -> bool {
        M::ACCESSES
    }

    fn before_operation(&mut self, access: Access) -> Decision {
        if M::ACCESSES { Observer::before_operation(self, access) } else { Decision::Proceed }
    }

    fn before_reserving(&mut self, access: Access) -> Decision {
        if M::ACCESSES { Observer::before_reserving(self, access) } else { Decision::Proceed }
    }

    fn atomic_call(&mut self, inside: bool) {
        Observer::atomic_call(self, inside);
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        Observer::choose(self, alternatives)
    }

    fn progress(&mut self) -> Decision {
        Observer::progress(self)
    }

    fn region_over(&mut self) {
        Observer::region_over(self);
    }

    fn announced(&mut self) {
        Observer::announced(self);
    }

    fn decided(&mut self, cell: u64, value: u64) {
        Observer::decided(self, cell, value);
    }

    fn action(&mut self) {
        Observer::action(self);
    }

    fn wants_marks(&self) -> bool {
        Observer::wants_marks(self)
    }

    fn mark(&mut self, mark: Mark) {
        Observer::mark(self, mark);
    }

    fn is_past_operation(&self) -> bool {
        Observer::is_past_operation(self)
    }
}

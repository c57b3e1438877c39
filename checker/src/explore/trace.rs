//! From where to where a piece of execution writes, in order, as one number.
//!
//! Two executions that write to the same places, from the same stretches of code, in the same order
//! took the same way as far as anybody can tell afterwards. Values do not count, nor what is read,
//! nor ways that part and meet again with no write in between: compilers put the conditions of
//! `a && b` into the order that suits them.

use super::moves::Watching;
use super::watch::Watch;
use super::word::Word;
use crate::state::slots::fold;
use samovar_runtime::Observer;
use samovar_vm::fault::AccessKind;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// See the module head.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace {
    /// Number of writes.
    pub writes: u64,
    hash: u64,
    /// Where the stretch of code ends that is being executed.
    block: u64,
}

impl Trace {
    /// Takes in where the execution is.
    #[inline]
    pub fn enter(&mut self, block: u64) {
        self.block = block;
    }

    /// Takes in an access that is let through.
    #[inline]
    pub fn note(&mut self, access: &Access) {
        if access.kind == AccessKind::Write {
            self.writes += 1;
            let place = access.addr ^ u64::from(access.size) << 56 ^ self.block.rotate_left(28);
            self.hash = fold(self.hash ^ place, 0x9e37_79b9_7f4a_7c15);
        }
    }
}

impl PartialEq for Trace {
    fn eq(&self, other: &Trace) -> bool {
        (self.writes, self.hash) == (other.writes, other.hash)
    }
}

/// The monitor of a move that also keeps its trace.
#[derive(Debug)]
pub struct Recorder<'a, 't> {
    /// The monitor.
    pub watch: Watch<'a>,
    /// The trace.
    pub trace: &'t mut Trace,
}

impl Watching for Recorder<'_, '_> {
    fn watch(&self) -> &Watch<'_> {
        &self.watch
    }

    fn look(&mut self, word: Word) {
        self.watch.note_read(word.address());
    }
}

impl Monitor for Recorder<'_, '_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
    const BLOCKS: bool = true;

    fn enter_block(&mut self, end: u64) {
        self.trace.enter(end);
    }

    fn pause(&mut self) {
        self.watch.pause();
    }

    fn before_access(&mut self, access: Access) -> Decision {
        let decision = self.watch.before_access(access);
        if decision == Decision::Proceed || access.sequel {
            self.trace.note(&access);
        }
        decision
    }
}

impl Observer for Recorder<'_, '_> {
    fn atomic_call(&mut self, inside: bool) {
        self.watch.atomic_call(inside);
    }

    fn before_reserving(&mut self, access: Access) -> Decision {
        self.watch.before_reserving(access)
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        self.watch.choose(alternatives)
    }

    fn progress(&mut self) -> Decision {
        self.watch.progress()
    }

    fn is_past_operation(&self) -> bool {
        self.watch.is_past_operation()
    }
}

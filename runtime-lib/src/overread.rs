//! Reads of the C library's string functions beyond the end of a block.
//!
//! Functions such as `strlen` look at 16 bytes at a time, up to four times before they look at what
//! they found: harmless, because they never leave the page, but outside of the block. Such a read
//! is let through if a live byte precedes it in the same 64 bytes. A function that runs off the end
//! of a block is thus noticed a little later, at the next 64 bytes without a live one.

use crate::module::Module;
use crate::process::Process;
use samovar_vm::fault::{AccessKind, Fault, FaultReason};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Monitor, Unwatched};
use samovar_vm::stop::Stop;
use std::sync::Arc;

/// Bytes that the functions look at in one go.
const LINE: u64 = 64;
/// Largest single read.
const READ_MAX: u32 = 16;

impl Process {
    /// Lets a harmless read of a library function happen; otherwise the fault stands.
    pub(crate) fn pass_over_read(&mut self, thread: ThreadId, fault: Fault) -> Stop {
        if !self.is_over_read(thread, &fault) {
            return Stop::Fault(fault);
        }
        // The access was announced before it was judged.
        match self.machine.memory.journal.is_on() {
            true => self.machine.run(thread, 1, &mut Journalled),
            false => self.machine.run(thread, 1, &mut Unwatched),
        }
    }

    fn is_over_read(&self, thread: ThreadId, fault: &Fault) -> bool {
        let is_candidate = fault.kind == AccessKind::Read
            && fault.size <= READ_MAX
            && matches!(fault.reason, FaultReason::OutOfBounds | FaultReason::UseAfterFree);
        if !is_candidate {
            return false;
        }
        let pc = self.machine.core(thread).pc;
        let is_program = |module: &Arc<Module>| {
            self.os.modules.first().is_some_and(|program| Arc::ptr_eq(program, module))
        };
        let is_library = self.module_at(pc).is_some_and(|module| {
            if is_program(module) { module.is_string_function(pc) } else { module.is_system() }
        });
        let memory = &self.machine.memory;
        let end = fault.addr + u64::from(fault.size);
        is_library && (fault.addr / LINE * LINE..end).any(|addr| memory.is_live(addr))
    }
}

/// Reversible, but without judging accesses.
struct Journalled;

impl Monitor for Journalled {
    const JOURNAL: bool = true;
    const SHADOW: bool = false;
    const ACCESSES: bool = false;
}

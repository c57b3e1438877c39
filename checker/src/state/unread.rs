//! Registers and flags that a thread cannot read any more must not tell states apart.
//!
//! After a move, those of them that are dead where the thread stands (see
//! [`samovar_vm::liveness`]) are set to zero, through the journal: the program cannot notice, and
//! everything that is a function of the state stays one.
//!
//! Left alone: a thread that stands inside an instruction, waits or is in the middle of a call that
//! a model serves, because more than its own code may look at its registers then; and programs that
//! handle signals, because a handler is shown all registers.

use samovar_runtime::{Process, ThreadState};
use samovar_vm::flags::Flags;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

/// Clears what a thread, which has just moved, cannot read any more.
pub fn clear(process: &mut Process, thread: ThreadId) {
    let Some(known) = process.threads().get(thread.0 as usize) else { return };
    let core = process.machine.core(thread);
    let is_at_rest = known.state == ThreadState::Runnable
        && !process.is_atomic(thread)
        && core.uops_done == 0
        && !process.shows_registers(thread);
    if !is_at_rest {
        return;
    }
    let live = process.machine.live_at(core.pc);
    let core = process.machine.core(thread);
    let dead = |reg: &Reg| !live.has(*reg) && core[*reg] != 0;
    let flags = core.flags.bits();
    if !Reg::GENERAL.iter().any(dead) && flags & !live.flags == 0 {
        return;
    }
    let core = process.machine.core_mut(thread);
    for reg in Reg::GENERAL.into_iter().filter(|reg| !live.has(*reg)) {
        core[reg] = 0;
    }
    if flags & !live.flags != 0 {
        core.flags = Flags::eager(flags & live.flags);
    }
}

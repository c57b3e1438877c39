//! Dead stack: what lies below the stack pointer is nobody's, so it must not tell states apart.
//!
//! Invariant: between steps, all bytes from the start of the mapping that a thread's stack pointer
//! points into up to the red zone are zero. A step of the thread can only break this by writing
//! there or by moving the stack pointer up, so both are looked at after the step; the zeros are
//! written through the journal and undone with the step.

use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::Memory;
use samovar_vm::memory::journal::Mark;
use samovar_vm::memory::region::Perms;
use samovar_vm::reg::Reg;

/// Bytes below the stack pointer that leaf functions may use.
const RED_ZONE: u64 = 128;

/// Clears the dead stack of a thread after a step that began at `mark` with stack pointer
/// `before`. After a call returned the red zone is dead as well.
pub fn clear(process: &mut Process, thread: ThreadId, mark: Mark, before: u64, called: bool) {
    let core = process.machine.core(thread);
    let (rsp, descriptor) = (core[Reg::Rsp], core[Reg::FsBase]);
    let memory = &mut process.machine.memory;
    let Some(start) = stack_start(memory, rsp, descriptor) else { return };
    let live = rsp.saturating_sub(if called { 0 } else { RED_ZONE }).max(start);
    let mut dirty = Vec::new();
    if (start..live).contains(&before.saturating_sub(RED_ZONE)) {
        dirty.push((before.saturating_sub(RED_ZONE).max(start), live));
    }
    memory.journal.changes_since(mark, |addr, len| {
        let (from, to) = (addr.max(start), (addr + len).min(live));
        if from < to {
            dirty.push((from, to));
        }
    });
    for (from, to) in dirty {
        let has_bytes =
            memory.slice(from, to - from).is_ok_and(|bytes| bytes.iter().any(|&byte| byte != 0));
        if has_bytes {
            memory.write_any(from, &vec![0; (to - from) as usize]);
        }
    }
}

/// Where the stack that a stack pointer is in starts, if it is certain that the whole mapping is
/// one: the main thread's, or one with the thread's descriptor at its top and a guard below, as
/// libraries make them. A stack that the program took from elsewhere is left alone.
fn stack_start(memory: &Memory, rsp: u64, descriptor: u64) -> Option<u64> {
    let (start, region) = memory.regions().at(rsp.wrapping_sub(1))?;
    if &*region.name == "[stack]" {
        return Some(start);
    }
    let own = (rsp..region.end).contains(&descriptor);
    let (_, below) = memory.regions().at(start.wrapping_sub(1))?;
    (own && region.perms.write && below.perms == Perms::NONE).then_some(start)
}

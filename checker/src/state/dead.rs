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
use std::ops::Range;

/// Bytes below the stack pointer that leaf functions may use.
const RED_ZONE: u64 = 128;

/// Clears the dead stack of a thread after a step that began at `mark` with stack pointer
/// `before`; the whole stack, empty if it is not certain which that is.
pub fn clear(process: &mut Process, thread: ThreadId, mark: Mark, before: u64) -> Range<u64> {
    let Range { start, end } = stack_of(process, thread);
    let rsp = process.machine.core(thread)[Reg::Rsp];
    let memory = &mut process.machine.memory;
    if start == end {
        return 0..0;
    }
    let live = rsp.saturating_sub(RED_ZONE).max(start) & !7;
    let mut from = live;
    if (start..live).contains(&before.saturating_sub(RED_ZONE)) {
        from = before - RED_ZONE;
    }
    memory.journal.changes_since(mark, |addr, len| {
        if addr < live && start < addr + len {
            from = from.min(addr);
        }
    });
    memory.zero_words(from.max(start) & !7, live);
    start..end
}

/// The whole stack of a thread, empty if it is not certain which that is.
pub fn stack_of(process: &Process, thread: ThreadId) -> Range<u64> {
    let core = process.machine.core(thread);
    stack(&process.machine.memory, core[Reg::Rsp], core[Reg::FsBase])
        .map_or(0..0, |(start, end)| start..end)
}

/// Where the stack that a stack pointer is in starts and ends, if it is certain that the whole
/// mapping is one: the main thread's, or one with the thread's descriptor at its top and a guard
/// below, as libraries make them. A stack that the program took from elsewhere is left alone.
fn stack(memory: &Memory, rsp: u64, descriptor: u64) -> Option<(u64, u64)> {
    let (start, region) = memory.region_at(rsp.wrapping_sub(1))?;
    if &*region.name == "[stack]" {
        return Some((start, region.end));
    }
    let own = (rsp..region.end).contains(&descriptor);
    let (_, below) = memory.region_at(start.wrapping_sub(1))?;
    (own && region.perms.write && below.perms == Perms::NONE).then_some((start, region.end))
}

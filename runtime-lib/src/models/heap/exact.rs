//! The allocator for checking: every block is an object with its exact size, surrounded by bytes
//! that belong to nobody, and a freed block is never used again.
//!
//! The table of objects is the machine's, so it is undone with the memory.

use super::arena::Arena;
use crate::event::Misuse;
use crate::process::Process;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::Memory;
use samovar_vm::memory::object::{Object, ObjectKind};

/// Largest block: every byte of it has a shadow byte from the start.
pub(super) const SIZE_MAX: u64 = 1 << 28;
/// Most bytes of a block that are filled.
const FILL_MAX: u64 = 64 << 10;
/// Bytes between two blocks at least.
const GAP: u64 = 16;

/// Allocates at a multiple of `align`.
pub(super) fn allocate(
    process: &mut Process,
    thread: u32,
    align: u64,
    size: u64,
    zeroed: bool,
) -> Option<u64> {
    if size > SIZE_MAX {
        return None;
    }
    let arena = Arena::of(process, thread);
    // One byte more: blocks of no bytes have addresses of their own, too.
    let addr = arena.take(process, GAP, align.max(16), size + 1)?;
    let object = Object { size, kind: ObjectKind::Heap { thread } };
    let fill = process.config.heap_fill;
    if fill != 0 && !zeroed {
        process.machine.memory.fill_words(addr, addr + size.min(FILL_MAX), fill);
    }
    process.machine.memory.create_object(addr, object, zeroed);
    process.note_allocation(ThreadId(thread), addr);
    Some(addr)
}

/// The size of the live block at an address.
pub(super) fn size(memory: &Memory, addr: u64) -> Result<u64, Misuse> {
    match memory.object(addr) {
        Some(Object { size, kind: ObjectKind::Heap { .. } }) => Ok(*size),
        Some(Object { kind: ObjectKind::Freed { .. }, .. }) => Err(Misuse::DoubleFree),
        _ => Err(Misuse::InvalidPointer),
    }
}

/// Frees a block.
pub(super) fn release(process: &mut Process, thread: u32, addr: u64) -> Result<(), Misuse> {
    size(&process.machine.memory, addr)?;
    process.machine.memory.free_object(addr, thread);
    Ok(())
}

//! The allocator for plain running: size classes and lists of free blocks.
//!
//! In front of every block stand two words: the size that was asked for, and a tag with the
//! block's class. The tag tells a block from any other address with high probability, so an
//! invalid or second `free` is noticed, as in glibc. A block with a larger alignment lies inside
//! an ordinary one and its tag says how far from the start. Freed blocks go to the list of the
//! thread that frees them.

use super::arena::{self, Arena};
use super::class::{BLOCK_MAX, class_of, size_of_class};
use crate::event::Misuse;
use crate::process::Process;
use samovar_vm::memory::{Memory, PAGE_SIZE};

/// Bytes in front of a block.
const HEAD: u64 = 16;
/// Blocks from this size on give their pages back when they are freed.
const LARGE: u64 = 1 << 20;

const TAG_SHIFT: u32 = 48;
const TAG_LIVE: u64 = 0xa11c;
const TAG_FREE: u64 = 0xf4ee;
const TAG_INNER: u64 = 0xa119;
const VALUE: u64 = (1 << TAG_SHIFT) - 1;

fn tagged(tag: u64, value: u64) -> u64 {
    tag << TAG_SHIFT | value
}

/// A block that the guest holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Start of the ordinary block.
    base: u64,
    class: usize,
    /// Bytes from the guest's address to the end.
    pub usable: u64,
}

/// Allocates; the flag says whether the bytes are known to be zero.
pub(super) fn allocate(process: &mut Process, thread: u32, size: u64) -> Option<(u64, bool)> {
    if size > BLOCK_MAX {
        return None;
    }
    let class = class_of(size);
    let arena = Arena::of(process, thread);
    let memory = &mut process.machine.memory;
    let head = arena.list(memory, class);
    let (block, fresh) = if head != 0 && arena::holds(head) {
        let next = memory.read_u64(head).unwrap_or(0);
        arena.set_list(memory, class, next);
        (head, false)
    } else {
        (arena.take(process, HEAD, 16, size_of_class(class))?, true)
    };
    let memory = &mut process.machine.memory;
    write_head(memory, block, size, tagged(TAG_LIVE, class as u64));
    Some((block, fresh))
}

/// Allocates at a multiple of `align`, a power of two.
pub(super) fn allocate_aligned(
    process: &mut Process,
    thread: u32,
    align: u64,
    size: u64,
) -> Option<u64> {
    if align <= 16 {
        return allocate(process, thread, size).map(|(block, _)| block);
    }
    let (base, _) = allocate(process, thread, size.checked_add(align)?)?;
    let addr = base.next_multiple_of(align);
    if addr != base {
        let memory = &mut process.machine.memory;
        write_head(memory, addr, size, tagged(TAG_INNER, addr - base));
    }
    Some(addr)
}

fn write_head(memory: &mut Memory, block: u64, size: u64, tag: u64) {
    // Heads lie in pages that the arena mapped.
    let _ = memory.write_u64(block - HEAD, size);
    let _ = memory.write_u64(block - HEAD + 8, tag);
}

/// The block at an address that the guest got from here.
pub(super) fn find(memory: &Memory, addr: u64) -> Result<Block, Misuse> {
    let tag = |addr: u64| {
        let plausible = arena::holds(addr) && addr.is_multiple_of(16);
        let word = plausible.then(|| memory.read_u64(addr - HEAD + 8).ok()).flatten();
        word.map(|word| (word >> TAG_SHIFT, word & VALUE)).ok_or(Misuse::InvalidPointer)
    };
    let (base, class) = match tag(addr)? {
        (TAG_LIVE, class) => (addr, class),
        (TAG_INNER, distance) if distance < addr => match tag(addr - distance)? {
            (TAG_LIVE, class) => (addr - distance, class),
            (TAG_FREE, _) => return Err(Misuse::DoubleFree),
            _ => return Err(Misuse::InvalidPointer),
        },
        (TAG_FREE, _) => return Err(Misuse::DoubleFree),
        _ => return Err(Misuse::InvalidPointer),
    };
    let class = class as usize;
    if class >= super::class::CLASSES {
        return Err(Misuse::InvalidPointer);
    }
    Ok(Block { base, class, usable: size_of_class(class) - (addr - base) })
}

/// Frees a block.
pub(super) fn release(process: &mut Process, thread: u32, addr: u64) -> Result<(), Misuse> {
    let Block { base, class, .. } = find(&process.machine.memory, addr)?;
    let arena = Arena::of(process, thread);
    let memory = &mut process.machine.memory;
    let size = size_of_class(class);
    if size >= LARGE && !memory.journal.is_on() {
        let first = base.next_multiple_of(PAGE_SIZE);
        let len = (base + size).saturating_sub(first) & !(PAGE_SIZE - 1);
        if len > 0 {
            memory.clear(first, len);
        }
    }
    write_head(memory, base, 0, tagged(TAG_FREE, class as u64));
    if addr != base {
        write_head(memory, addr, 0, tagged(TAG_FREE, class as u64));
    }
    let next = arena.list(memory, class);
    let _ = memory.write_u64(base, next);
    arena.set_list(memory, class, base);
    Ok(())
}

/// Notes a new size for a block that stays where it is.
pub(super) fn resize_in_place(memory: &mut Memory, addr: u64, size: u64) {
    let _ = memory.write_u64(addr - HEAD, size);
}

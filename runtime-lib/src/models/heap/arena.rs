//! Arenas: each thread takes its blocks from a region of its own, so that the addresses that one
//! thread gets do not depend on what others allocate.
//!
//! An arena's bookkeeping is one page of the guest's memory: where the next block goes, how far
//! pages are mapped, where the region ends, and a list of free blocks for every size class. A
//! thread that outgrows its region gets further ones from a common pool; only then do addresses
//! depend on the order of threads.

use super::class::CLASSES;
use crate::process::Process;
use samovar_vm::memory::region::Perms;
use samovar_vm::memory::{Memory, PAGE_SIZE};

/// Bookkeeping pages, by thread.
const PAGES_BASE: u64 = 0x7_f000_0000;
/// The main thread's region.
const MAIN: (u64, u64) = (0x8_0000_0000, 0xc_0000_0000);
/// The pool that further regions come from.
const POOL: (u64, u64) = (0xc_0000_0000, 0x10_0000_0000);
/// Other threads' regions.
const OTHERS: (u64, u64) = (0x30_0000_0000, 0x3c_0000_0000);
const OTHER_SIZE: u64 = 4 << 20;
/// Of the main thread's region and of the pool so much is given away while checking, 1 GiB in all:
/// there every byte costs several of the host's, and what is freed is not used again.
const EXACT_MAX: u64 = 1 << 29;
/// Smallest region from the pool.
const POOL_PIECE: u64 = 16 << 20;
/// Name of arenas in the list of mappings.
const NAME: &str = "[arena]";

const BUMP: u64 = 0;
const MAPPED: u64 = 8;
const LIMIT: u64 = 16;
/// Next free byte of the pool; in the main thread's page only.
const POOL_NEXT: u64 = 24;
const LISTS: u64 = 64;
const _: () = assert!(LISTS + CLASSES as u64 * 8 <= PAGE_SIZE);

/// The arena of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arena {
    page: u64,
    exact: bool,
}

/// Whether an address may belong to a block.
pub(super) fn holds(addr: u64) -> bool {
    (MAIN.0..POOL.1).contains(&addr) || (OTHERS.0..OTHERS.1).contains(&addr)
}

impl Arena {
    /// A thread's arena, made at first use.
    pub(super) fn of(process: &mut Process, thread: u32) -> Arena {
        let exact = process.config.exact_heap;
        let arena = Arena { page: PAGES_BASE + u64::from(thread) * PAGE_SIZE, exact };
        let memory = &mut process.machine.memory;
        if memory.read_u64(arena.page + LIMIT).is_err() {
            memory.map(arena.page, PAGE_SIZE, (Perms::RW, NAME.into(), 0));
            let (start, end) = match u64::from(thread) {
                0 if exact => (MAIN.0, MAIN.0 + EXACT_MAX),
                0 => MAIN,
                other => {
                    let start = OTHERS.0 + (other - 1) * OTHER_SIZE;
                    let end = (start + OTHER_SIZE).min(OTHERS.1);
                    (start.min(end), end)
                }
            };
            arena.set(memory, BUMP, start);
            arena.set(memory, MAPPED, start);
            arena.set(memory, LIMIT, end);
            if thread == 0 {
                arena.set(memory, POOL_NEXT, POOL.0);
            }
        }
        arena
    }

    fn get(self, memory: &Memory, field: u64) -> u64 {
        // The page was mapped by `of`; a guest that unmaps it gets no memory any more.
        memory.read_u64(self.page + field).unwrap_or(0)
    }

    fn set(self, memory: &mut Memory, field: u64, value: u64) {
        let _ = memory.write_u64(self.page + field, value);
    }

    /// The first free block of a class, or zero.
    pub(super) fn list(self, memory: &Memory, class: usize) -> u64 {
        self.get(memory, LISTS + class as u64 * 8)
    }

    pub(super) fn set_list(self, memory: &mut Memory, class: usize, block: u64) {
        self.set(memory, LISTS + class as u64 * 8, block);
    }

    /// Takes fresh zero bytes: `head` bytes before an address that is a multiple of `align`, and
    /// `size` bytes from there on. `None` if the guest has used up its address space.
    pub(super) fn take(
        self,
        process: &mut Process,
        head: u64,
        align: u64,
        size: u64,
    ) -> Option<u64> {
        let memory = &mut process.machine.memory;
        let place = |bump: u64| {
            let addr = bump.checked_add(head)?.checked_next_multiple_of(align)?;
            Some((addr, addr.checked_add(size)?.checked_next_multiple_of(16)?))
        };
        let (mut addr, mut end) = place(self.get(memory, BUMP))?;
        if end > self.get(memory, LIMIT) {
            self.extend(memory, size.checked_add(align)?.checked_add(head)?)?;
            (addr, end) = place(self.get(memory, BUMP))?;
        }
        // What a large alignment skips is never mapped.
        let mapped = self.get(memory, MAPPED).max((addr - head) & !(PAGE_SIZE - 1));
        if end > mapped {
            let step = (end - mapped).max(self.growth(mapped)).next_multiple_of(PAGE_SIZE);
            let len = step.min(self.get(memory, LIMIT) - mapped);
            memory.map(mapped, len, (Perms::RW, NAME.into(), 0));
            if self.exact {
                memory.shadow_pages(mapped, len, false);
            }
            self.set(memory, MAPPED, mapped + len);
        }
        self.set(memory, BUMP, end);
        Some(addr)
    }

    /// How many bytes are mapped at least where so many are. A checker pays for every byte that is
    /// mapped, so it begins with few and goes on with as many as there are.
    fn growth(self, mapped: u64) -> u64 {
        if self.exact { (mapped % OTHER_SIZE).clamp(GROWTH_MIN, GROWTH) } else { GROWTH }
    }

    fn pool_end(self) -> u64 {
        if self.exact { POOL.0 + EXACT_MAX } else { POOL.1 }
    }

    /// Whether a block of this size might not fit into the pool any more.
    pub(super) fn is_nearly_used_up(self, memory: &Memory, size: u64) -> bool {
        let main = Arena { page: PAGES_BASE, ..self };
        let left = self.pool_end().saturating_sub(main.get(memory, POOL_NEXT));
        left < size + POOL_PIECE
    }

    /// Goes on in a further region from the pool.
    fn extend(self, memory: &mut Memory, size: u64) -> Option<()> {
        let main = Arena { page: PAGES_BASE, ..self };
        let start = main.get(memory, POOL_NEXT);
        if start < POOL.0 {
            return None;
        }
        let len = size.checked_next_multiple_of(PAGE_SIZE)?.max(POOL_PIECE);
        let end = start.checked_add(len).filter(|&end| end <= self.pool_end())?;
        main.set(memory, POOL_NEXT, end);
        for (field, value) in [(BUMP, start), (MAPPED, start), (LIMIT, end)] {
            self.set(memory, field, value);
        }
        Some(())
    }
}

/// Pages are mapped about so many bytes at a time, in the end.
const GROWTH: u64 = 1 << 20;
/// And so many at first, while checking.
const GROWTH_MIN: u64 = 16 << 10;

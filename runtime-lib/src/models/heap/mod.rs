//! The malloc family.
//!
//! Blocks come from per-thread arenas (see [`arena`]) by one of two allocators: [`fast`] for plain
//! running, [`exact`] where every access is judged. A request that cannot be met is passed on to
//! the library's own code with a size that it refuses, so that `errno` is set by the library.

mod arena;
mod class;
mod exact;
mod fast;

use super::libc::Libc;
use super::{Answer, ModelCall};
use crate::event::Misuse;
use crate::syscall::objects::change;
use arena::Arena;
use samovar_vm::memory::PAGE_SIZE;
use samovar_vm::monitor::Access;
use samovar_vm::reg::Reg;

/// A size that every C library refuses.
const REFUSED: u64 = 1 << 63;
/// Bytes copied at a time.
const COPY_PIECE: u64 = 1 << 16;
const EINVAL: u64 = 22;
const ENOMEM: u64 = 12;

impl ModelCall<'_> {
    fn exact(&self) -> bool {
        self.process.config.exact_heap
    }

    /// Allocates without alignment; the flag says whether zeros need not be written to it.
    fn allocate_plain(&mut self, size: u64) -> Option<(u64, bool)> {
        let thread = self.thread.0;
        match self.exact() {
            // Judged bytes: zeros have to be written, or they would not count as initialised.
            true => Some((exact::allocate(self.process, thread, 16, size, false)?, false)),
            false => fast::allocate(self.process, thread, size),
        }
    }

    /// Allocates; `None` if there is no room.
    fn allocate(&mut self, align: u64, size: u64, zeroed: bool) -> Option<u64> {
        let thread = self.thread.0;
        if self.exact() {
            return exact::allocate(self.process, thread, align, size, zeroed);
        }
        if align > 16 {
            return fast::allocate_aligned(self.process, thread, align, size);
        }
        let (addr, fresh) = fast::allocate(self.process, thread, size)?;
        if zeroed && !fresh {
            self.clear(addr, size);
        }
        Some(addr)
    }

    /// Fills a reused block with zeros; whole pages are given back to the host.
    fn clear(&mut self, addr: u64, size: u64) {
        let end = addr + size;
        let first = addr.next_multiple_of(PAGE_SIZE).min(end);
        let last = (end & !(PAGE_SIZE - 1)).max(first);
        self.write_zeros(addr, first);
        if last > first {
            self.process.machine.memory.clear(first, last - first);
        }
        self.write_zeros(last, end);
    }

    /// Less than a page.
    fn write_zeros(&mut self, start: u64, end: u64) {
        const ZEROS: [u8; PAGE_SIZE as usize] = [0; PAGE_SIZE as usize];
        self.process.machine.memory.write_any(start, &ZEROS[..(end - start) as usize]);
    }

    /// Copies a block's contents. Zeros are not copied to where zeros are, so that memory which
    /// the guest never touched costs nothing.
    fn copy(&mut self, from: u64, to: u64, len: u64, onto_zeros: bool) {
        let memory = &mut self.process.machine.memory;
        let mut done = 0;
        while done < len {
            let piece = (len - done).min(COPY_PIECE);
            // Both blocks are mapped; a guest that unmapped its own block loses the contents.
            let Ok(bytes) = memory.slice(from + done, piece) else { return };
            if !onto_zeros || bytes.iter().any(|&byte| byte != 0) {
                let bytes = bytes.to_vec();
                memory.write_any(to + done, &bytes);
            }
            done += piece;
        }
    }

    fn release(&mut self, addr: u64) -> Result<(), Misuse> {
        let thread = self.thread.0;
        match self.exact() {
            true => exact::release(self.process, thread, addr),
            false => fast::release(self.process, thread, addr),
        }
    }

    /// Bytes that the guest may use of a block.
    fn usable(&self, addr: u64) -> Result<u64, Misuse> {
        let memory = &self.process.machine.memory;
        match self.exact() {
            true => exact::size(memory, addr),
            false => fast::find(memory, addr).map(|block| block.usable),
        }
    }

    /// What gives a block back, or asks for its size, as an operation on all of it: others may be
    /// at work on any byte. Nothing for the null pointer; one word of what is no block.
    pub(super) fn block(&self, addr: u64) -> Option<Access> {
        let size = self.usable(addr).unwrap_or(0).clamp(1, 1 << 31) as u32;
        (addr != 0).then(|| change(addr, size))
    }

    /// Lets the library refuse: its own function, called with these arguments. Not if it is only
    /// here that there is no more memory.
    fn refuse(&mut self, args: &[(Reg, u64)]) -> Answer {
        let arena = Arena::of(self.process, self.thread.0);
        if self.exact() && arena.is_nearly_used_up(&self.process.machine.memory, exact::SIZE_MAX) {
            let detail = "the program takes more than 1 GiB from the heap, where freed memory is \
                          not used again";
            return self.unsupported("malloc", detail);
        }
        let core = self.process.machine.core_mut(self.thread);
        for &(reg, value) in args {
            core[reg] = value;
        }
        Answer::Pass
    }

    fn reallocate(&mut self, old: u64, size: u64) -> Answer {
        if old == 0 {
            return match self.allocate(16, size, false) {
                Some(addr) => Answer::Return(addr),
                None => self.refuse(&[(Reg::Rsi, REFUSED)]),
            };
        }
        let usable = match self.usable(old) {
            Ok(usable) => usable,
            Err(misuse) => return Answer::Misuse(misuse),
        };
        if size == 0 && self.libc == Libc::Glibc {
            // glibc frees and returns no block.
            return match self.release(old) {
                Ok(()) => Answer::Return(0),
                Err(misuse) => Answer::Misuse(misuse),
            };
        }
        if !self.exact() && size <= usable && size >= usable / 2 {
            fast::resize_in_place(&mut self.process.machine.memory, old, size);
            return Answer::Return(old);
        }
        let Some((new, fresh)) = self.allocate_plain(size) else {
            // Without the old block, which the library does not know.
            return self.refuse(&[(Reg::Rdi, 0), (Reg::Rsi, REFUSED)]);
        };
        self.copy(old, new, usable.min(size), fresh);
        match self.release(old) {
            Ok(()) => Answer::Return(new),
            Err(misuse) => Answer::Misuse(misuse),
        }
    }
}

pub(super) fn malloc(call: &mut ModelCall<'_>) -> Answer {
    match call.allocate(16, call.arg(0), false) {
        Some(addr) => Answer::Return(addr),
        None => call.refuse(&[(Reg::Rdi, REFUSED)]),
    }
}

pub(super) fn calloc(call: &mut ModelCall<'_>) -> Answer {
    let size = call.arg(0).checked_mul(call.arg(1));
    match size.and_then(|size| call.allocate(16, size, true)) {
        Some(addr) => Answer::Return(addr),
        None => call.refuse(&[(Reg::Rdi, REFUSED), (Reg::Rsi, 1)]),
    }
}

pub(super) fn realloc(call: &mut ModelCall<'_>) -> Answer {
    call.reallocate(call.arg(0), call.arg(1))
}

pub(super) fn reallocarray(call: &mut ModelCall<'_>) -> Answer {
    match call.arg(1).checked_mul(call.arg(2)) {
        Some(size) if size <= class::BLOCK_MAX => call.reallocate(call.arg(0), size),
        // The library notices the overflow before it looks at the block.
        _ => call.refuse(&[(Reg::Rsi, REFUSED), (Reg::Rdx, 2)]),
    }
}

pub(super) fn free(call: &mut ModelCall<'_>) -> Answer {
    match call.arg(0) {
        0 => Answer::Return(0),
        addr => match call.release(addr) {
            Ok(()) => Answer::Return(0),
            Err(misuse) => Answer::Misuse(misuse),
        },
    }
}

/// `memalign`, `aligned_alloc`: glibc takes any alignment and rounds it up.
pub(super) fn memalign(call: &mut ModelCall<'_>) -> Answer {
    let align = call.arg(0).max(16).checked_next_power_of_two();
    let addr = align.and_then(|align| call.allocate(align, call.arg(1), false));
    match addr {
        Some(addr) => Answer::Return(addr),
        None => call.refuse(&[(Reg::Rsi, REFUSED)]),
    }
}

pub(super) fn posix_memalign(call: &mut ModelCall<'_>) -> Answer {
    let (target, align, size) = (call.arg(0), call.arg(1), call.arg(2));
    if !align.is_power_of_two() || !align.is_multiple_of(8) {
        return Answer::Return(EINVAL);
    }
    let Some(addr) = call.allocate(align.max(16), size, false) else {
        return Answer::Return(ENOMEM);
    };
    match call.process.machine.memory.write_u64(target, addr) {
        Ok(()) => Answer::Return(0),
        // The library's own code faults in the same place.
        Err(_) => Answer::Pass,
    }
}

pub(super) fn valloc(call: &mut ModelCall<'_>) -> Answer {
    match call.allocate(PAGE_SIZE, call.arg(0), false) {
        Some(addr) => Answer::Return(addr),
        None => call.refuse(&[(Reg::Rdi, REFUSED)]),
    }
}

pub(super) fn pvalloc(call: &mut ModelCall<'_>) -> Answer {
    let size = call.arg(0).checked_next_multiple_of(PAGE_SIZE);
    match size.and_then(|size| call.allocate(PAGE_SIZE, size, false)) {
        Some(addr) => Answer::Return(addr),
        None => call.refuse(&[(Reg::Rdi, REFUSED)]),
    }
}

pub(super) fn malloc_usable_size(call: &mut ModelCall<'_>) -> Answer {
    match call.arg(0) {
        0 => Answer::Return(0),
        addr => match call.usable(addr) {
            Ok(size) => Answer::Return(size),
            Err(misuse) => Answer::Misuse(misuse),
        },
    }
}

/// `malloc_trim`: there is nothing to give back.
pub(super) fn malloc_trim(_: &mut ModelCall<'_>) -> Answer {
    Answer::Return(0)
}

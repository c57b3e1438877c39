//! The locks that a thread holds where it stands, found by what memory is like: locks of the C
//! library say who has them.
//!
//! Searched are the program's static variables, heap blocks and the stacks in use. Where a variable
//! has a type, that must be a lock's; elsewhere only mutexes are recognised. What it leaves out:
//! locks without an owner inside (semaphores, those of Rust and of musl, the program's own). Cost:
//! a look at every word that is searched, up to a limit, so this is for reports.

use crate::trail::names::Names;
use samovar_runtime::{HeldLock, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use std::ops::Range;

/// Words that are looked at.
const WORDS_MAX: usize = 1 << 20;
/// Bytes of a stack that are searched.
const STACK_MAX: u64 = 1 << 14;

/// The names of the locks that a thread holds.
pub fn locks(process: &Process, names: &Names, thread: ThreadId) -> Vec<String> {
    let words = ranges(process).into_iter().flat_map(|range| range.step_by(4));
    let mut found: Vec<String> = Vec::new();
    for addr in words.take(WORDS_MAX) {
        if process.held_at(thread, addr).is_some_and(|lock| is_lock(process, names, addr, lock)) {
            found.push(names.object(process, thread, addr));
        }
    }
    let reserved = process.privileges().iter().filter(|held| held.holder == thread);
    found.extend(reserved.map(|held| names.object(process, thread, held.start)));
    let mut known = std::collections::BTreeSet::new();
    found.retain(|name| known.insert(name.clone()));
    found
}

/// Where locks may be, static variables first.
fn ranges(process: &Process) -> Vec<Range<u64>> {
    let memory = &process.machine.memory;
    let program = process.modules().first();
    let segments = program.into_iter().flat_map(|module| {
        let writable = module.image.segments().iter().filter(|segment| segment.perms.write);
        writable.map(|segment| {
            (module.bias + segment.vaddr).next_multiple_of(4)..module.bias + segment.end()
        })
    });
    let blocks = memory.objects().iter().map(|(start, object)| start..start + object.size);
    let threads = (0..process.machine.thread_count()).map(ThreadId);
    let alive = threads.filter(|thread| process.threads()[thread.0 as usize].is_alive());
    let stacks = alive.map(|thread| {
        let top = process.machine.core(thread)[Reg::Rsp] & !7;
        top..top.saturating_add(STACK_MAX)
    });
    segments.chain(blocks).chain(stacks).collect()
}

/// Whether what looks like a lock can be one, by the type of its variable.
fn is_lock(process: &Process, names: &Names, addr: u64, lock: HeldLock) -> bool {
    let (size, words): (u64, &[&str]) = match lock {
        HeldLock::Mutex => (40, &["mutex", "mtx_t"]),
        HeldLock::ReaderWriter => (56, &["rwlock", "shared_"]),
        HeldLock::Spin => (4, &["spin"]),
    };
    let Some(data) = names.debug().name_of_object(addr, size) else {
        return lock == HeldLock::Mutex && addr.is_multiple_of(8) && is_like_mutex(process, addr);
    };
    let ty = names.debug().type_name(data.ty);
    data.start == addr && words.iter().any(|word| ty.contains(word))
}

/// Whether memory of which nobody knows what it is has what a locked mutex has: its lock word, and
/// a kind.
fn is_like_mutex(process: &Process, addr: u64) -> bool {
    const KIND: u64 = 16;
    const KIND_MAX: u32 = 0x3ff;
    let word = |addr| process.machine.memory.read_u32(addr).unwrap_or(u32::MAX);
    (1..=2).contains(&word(addr)) && word(addr + KIND) <= KIND_MAX
}

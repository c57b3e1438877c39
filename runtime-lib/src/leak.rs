//! Leaks: heap blocks that nothing refers to any more when the process ends.
//!
//! The scan is conservative. Every aligned word of memory that the guest can still use, and every
//! register of a live thread, that holds an address inside a block (or just behind it) refers to
//! that block; a block that is referred to refers on. What nothing refers to is lost: the program
//! could not free it even if it went on. Not looked at is dead memory: stacks below the stack
//! pointer (of a thread that has called `exit`, below where it did), and stacks of ended threads,
//! of which only the library's table of thread-local blocks counts.
//!
//! Blocks are known where the heap is modelled with exact bounds. Left out: pointers that a program
//! keeps in another form than as an address in an aligned word.

use crate::event::Event;
use crate::process::Process;
use crate::request::{Violation, ViolationKind};
use crate::thread::Farewell;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::Memory;
use samovar_vm::memory::object::{Object, ObjectKind};
use samovar_vm::memory::region::{Perms, Region};
use samovar_vm::reg::Reg;
use std::collections::BTreeMap;

/// Bytes below the stack pointer that leaf functions may use.
const RED_ZONE: u64 = 128;
/// Bytes at the start of a thread's descriptor that hold the table of its thread-local blocks.
const DESCRIPTOR: u64 = 64;
/// Mappings of the modelled heap.
const ARENA: &str = "[arena]";

impl Process {
    /// A thread stands at the entry of `exit`: what it does from now on is the library's business
    /// and that of the program's last functions, and leaves traces that refer to nothing.
    pub(crate) fn note_exit(&mut self, thread: ThreadId) {
        const SAVED: [Reg; 6] = [Reg::Rbx, Reg::Rbp, Reg::R12, Reg::R13, Reg::R14, Reg::R15];
        let core = self.machine.core(thread);
        let farewell = Farewell { rsp: core[Reg::Rsp], saved: SAVED.map(|reg| core[reg]) };
        self.os_mut().thread_mut(thread).exit = Some(farewell);
    }

    /// What to say at the end of the process: a violation if something leaks.
    pub(crate) fn leak_at_end(&self) -> Option<Event> {
        let lost = self.lost_blocks();
        let &(addr, size) = lost.first()?;
        let bytes: u64 = lost.iter().map(|(_, size)| size).sum();
        let message = match lost.len() {
            1 => format!("a block of {size} bytes leaks: nothing refers to it any more"),
            count => format!(
                "{count} blocks with {bytes} bytes leak: nothing refers to them any more, the \
                 first has {size} bytes"
            ),
        };
        let (kind, data) = (ViolationKind::Leak, Some(addr));
        Some(Event::Violated(Violation { kind, message, source: None, data, address: 0 }))
    }

    /// Blocks that nothing refers to: start and size. Those that no other lost block refers to
    /// come first.
    fn lost_blocks(&self) -> Vec<(u64, u64)> {
        let mut scan = Scan::new(&self.machine.memory);
        for (index, thread) in self.os.threads.iter().enumerate() {
            if let Some(farewell) = thread.exit {
                farewell.saved.iter().for_each(|&value| scan.meet(value));
            } else if thread.is_alive() {
                let core = self.machine.core(ThreadId(index as u32));
                core.regs.iter().for_each(|&value| scan.meet(value));
                let floating = self.machine.floating(ThreadId(index as u32));
                for value in floating.xmm {
                    scan.meet(value as u64);
                    scan.meet((value >> 64) as u64);
                }
            }
        }
        for (start, region) in self.machine.memory.regions().iter() {
            if &*region.name != ARENA && self.holds_data(start, region) {
                self.scan_region(&mut scan, start, region);
            }
        }
        scan.follow();
        scan.lost()
    }

    /// Whether the guest may have written to a mapping: contents of files that are mapped for
    /// reading refer to nothing, unless the dynamic linker wrote to them before.
    fn holds_data(&self, start: u64, region: &Region) -> bool {
        let Perms { read, write, exec } = region.perms;
        let is_file = region.name.starts_with('/');
        let was_writable = || {
            self.module_at(start).is_some_and(|module| {
                let own = start.wrapping_sub(module.bias);
                let end = own.wrapping_add(region.end - start);
                let segments = module.image.segments().iter();
                segments
                    .filter(|part| part.perms.write)
                    .any(|part| part.vaddr < end && own < part.end())
            })
        };
        write || read && !exec && (!is_file || was_writable())
    }

    /// The live part of a mapping.
    fn scan_region(&self, scan: &mut Scan<'_>, start: u64, region: &Region) {
        let mut live_from = None;
        let mut descriptors = Vec::new();
        for (index, thread) in self.os.threads.iter().enumerate() {
            let core = self.machine.core(ThreadId(index as u32));
            let (now, descriptor) = (core[Reg::Rsp], core[Reg::FsBase]);
            let rsp = thread.exit.map_or(now, |farewell| farewell.rsp);
            if !self.is_stack(start, region, rsp, descriptor) {
                continue;
            }
            if thread.is_alive() {
                let red_zone = if thread.exit.is_some() { 0 } else { RED_ZONE };
                let live = rsp.saturating_sub(red_zone).max(start);
                live_from = Some(live_from.map_or(live, |other: u64| other.min(live)));
            } else {
                descriptors.push(descriptor);
            }
        }
        match (live_from, descriptors.is_empty()) {
            (Some(live), _) => scan.range(live, region.end),
            (None, true) => scan.range(start, region.end),
            (None, false) => {
                for descriptor in descriptors {
                    scan.range(descriptor, (descriptor + DESCRIPTOR).min(region.end));
                }
            }
        }
    }

    /// Whether a mapping is certainly nothing but this thread's stack: the main thread's, or one
    /// with the thread's descriptor above the stack pointer and a guard below, as libraries make
    /// them.
    fn is_stack(&self, start: u64, region: &Region, rsp: u64, descriptor: u64) -> bool {
        let holds = |addr: u64| (start..region.end).contains(&addr);
        if !holds(rsp.wrapping_sub(1)) {
            return false;
        }
        let guard = || self.machine.memory.regions().at(start.wrapping_sub(1));
        &*region.name == "[stack]"
            || (holds(descriptor)
                && rsp <= descriptor
                && guard().is_some_and(|(_, below)| below.perms == Perms::NONE))
    }
}

/// A walk over everything that can be reached.
struct Scan<'a> {
    memory: &'a Memory,
    /// Lowest address of a live block, and the highest address that refers to one.
    bounds: (u64, u64),
    /// Live blocks: size, and whether something refers to it.
    blocks: BTreeMap<u64, (u64, bool)>,
    /// Blocks that were reached and not looked into yet.
    waiting: Vec<(u64, u64)>,
}

impl<'a> Scan<'a> {
    fn new(memory: &'a Memory) -> Scan<'a> {
        let live = memory.objects().iter().filter_map(|(start, object)| match object {
            Object { size, kind: ObjectKind::Heap { .. } } => Some((start, (*size, false))),
            _ => None,
        });
        let blocks: BTreeMap<u64, (u64, bool)> = live.collect();
        let first = blocks.first_key_value().map_or(u64::MAX, |(&start, _)| start);
        let last = blocks.last_key_value().map_or(0, |(&start, &(size, _))| start + size);
        Scan { memory, bounds: (first, last), blocks, waiting: Vec::new() }
    }

    /// A value that may be an address.
    fn meet(&mut self, value: u64) {
        if value < self.bounds.0 || self.bounds.1 < value {
            return;
        }
        let Some((&start, (size, reached))) = self.blocks.range_mut(..=value).next_back() else {
            return;
        };
        if value - start <= *size && !*reached {
            *reached = true;
            self.waiting.push((start, *size));
        }
    }

    /// All aligned words from one address to another.
    fn range(&mut self, start: u64, end: u64) {
        let memory = self.memory;
        for (addr, bytes) in memory.touched(start, end) {
            let skipped = (addr.next_multiple_of(8) - addr) as usize;
            for word in bytes.get(skipped..).unwrap_or_default().chunks_exact(8) {
                self.meet(u64::from_le_bytes(word.try_into().unwrap_or_default()));
            }
        }
    }

    /// Looks into the blocks that were reached, and into what they refer to.
    fn follow(&mut self) {
        while let Some((start, size)) = self.waiting.pop() {
            self.range(start, start + size);
        }
    }

    /// What was not reached; see [`Process::lost_blocks`].
    fn lost(mut self) -> Vec<(u64, u64)> {
        let unreached = self.blocks.iter().filter(|(_, (_, reached))| !reached);
        let all: Vec<(u64, u64)> = unreached.map(|(&start, &(size, _))| (start, size)).collect();
        // What other lost blocks refer to; a block that refers to itself is no other.
        let mut roots = Vec::new();
        for &(start, size) in &all {
            self.range(start, start + size);
            while let Some((met, _)) = self.waiting.pop() {
                let itself = met == start;
                if let Some((_, reached)) = self.blocks.get_mut(&met) {
                    *reached = !itself;
                }
            }
        }
        let mut inner = Vec::new();
        for &(start, size) in &all {
            let referred = self.blocks.get(&start).is_some_and(|&(_, reached)| reached);
            if referred { inner.push((start, size)) } else { roots.push((start, size)) }
        }
        roots.extend(inner);
        roots
    }
}

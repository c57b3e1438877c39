//! Where heap blocks come from: what a thread looked like when it asked for one, so that debug
//! information can name the place, however deep in a library the call was.
//!
//! No part of the state: a path that is executed again notes its blocks again, and what is noted of
//! an address is what was executed last. Known where the heap is modelled with exact bounds.
//! Left out: what lies deeper in the stack than [`STACK_BYTES`], and blocks beyond [`BLOCKS_MAX`].

use crate::process::Process;
use samovar_vm::debug::State;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use samovar_vm::view::ThreadView;
use std::collections::BTreeMap;

/// Bytes of the stack that are kept for each block.
const STACK_BYTES: u64 = 768;
/// Most blocks that are known.
const BLOCKS_MAX: usize = 1 << 14;
/// The general registers and the program counter, by their DWARF numbers.
const REGISTERS: usize = 17;

/// A thread at the entry of the function that allocates.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The thread.
    pub thread: ThreadId,
    /// Tells this allocation from all others.
    pub number: u64,
    registers: [u64; REGISTERS],
    fs_base: u64,
    rsp: u64,
    stack: Vec<u8>,
}

impl State for Origin {
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        let from = addr.checked_sub(self.rsp).and_then(|from| usize::try_from(from).ok());
        let bytes = from.and_then(|from| self.stack.get(from..from.checked_add(buf.len())?));
        if let Some(bytes) = bytes {
            buf.copy_from_slice(bytes);
        }
        bytes.is_some()
    }

    fn register(&self, dwarf_register: u16) -> Option<u64> {
        self.registers.get(usize::from(dwarf_register)).copied()
    }

    fn fs_base(&self) -> Option<u64> {
        Some(self.fs_base)
    }
}

/// Origins by the addresses of blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    by_block: BTreeMap<u64, Origin>,
    noted: u64,
}

impl Process {
    /// Notes who asks for the block at `addr`: the thread stands at the entry of the function.
    pub(crate) fn note_allocation(&mut self, thread: ThreadId, addr: u64) {
        let Origins { by_block, noted } = &mut self.origins;
        if by_block.len() == BLOCKS_MAX && !by_block.contains_key(&addr) {
            return;
        }
        let origin = by_block.entry(addr).or_default();
        *noted += 1;
        (origin.thread, origin.number) = (thread, *noted);
        let view = ThreadView { machine: &self.machine, thread };
        for (number, value) in origin.registers.iter_mut().enumerate() {
            *value = view.register(number as u16).unwrap_or(0);
        }
        let core = self.machine.core(thread);
        (origin.rsp, origin.fs_base) = (core[Reg::Rsp], core[Reg::FsBase]);
        origin.stack.clear();
        // Less near the end of the stack.
        let lens = [STACK_BYTES, STACK_BYTES / 4, 8];
        let mut pieces = lens.iter().map(|&len| self.machine.memory.slice(origin.rsp, len));
        if let Some(bytes) = pieces.find_map(Result::ok) {
            origin.stack.extend_from_slice(bytes);
        }
    }

    /// Where the block at this address comes from, as it was allocated last.
    pub fn origin(&self, block: u64) -> Option<&Origin> {
        self.origins.by_block.get(&block)
    }

    /// The blocks that this thread asked for, by address.
    pub fn blocks_of(&self, thread: ThreadId) -> impl Iterator<Item = (u64, &Origin)> {
        let blocks = self.origins.by_block.iter().map(|(&addr, origin)| (addr, origin));
        blocks.filter(move |(_, origin)| origin.thread == thread)
    }
}

//! Decoded code: blocks of micro-ops, each address decoded once.
//!
//! A block is a straight run of instructions that ends with a branch, a system call, a hooked
//! address or a limit. Blocks never change after decoding and can be shared; what changes are the
//! links between them, which belong to one machine. When the guest writes to decoded code or
//! remaps it, everything is thrown away and decoded again.

use crate::cpuid::Profile;
use crate::lower;
use crate::memory::Memory;
use crate::stop::HookId;
use crate::uop::Uop;
use crate::vector::VecForm;
use crate::x87::X87Form;
use ahash::{AHashMap, RandomState};
use std::sync::Arc;

/// Index of a block in its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockId(u32);

/// A straight run of instructions.
#[derive(Debug)]
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// The micro-ops; the last one ends the block.
    pub uops: Box<[Uop]>,
    /// Index of the first micro-op of each instruction.
    pub starts: Box<[u16]>,
    /// Distance of each instruction from `start`.
    pub offsets: Box<[u16]>,
    /// Address behind the last instruction.
    pub fall: u64,
    /// Target of the branch that ends the block.
    pub taken: u64,
    /// Vector instructions that have no micro-op of their own.
    pub vectors: Box<[VecForm]>,
    /// The x87 instructions.
    pub x87: Box<[X87Form]>,
    /// Whether vector or x87 registers may change.
    pub uses_floating: bool,
}

impl Block {
    /// Address of an instruction of the block; the one behind the last is `fall`.
    pub fn address(&self, instruction: usize) -> u64 {
        match self.offsets.get(instruction) {
            Some(&offset) => self.start + u64::from(offset),
            None => self.fall,
        }
    }

    /// Whether the block may be kept: one that could not be fetched may not.
    fn is_lasting(&self) -> bool {
        self.fall != self.start
    }

    /// The instruction that a micro-op belongs to.
    pub fn instruction_of(&self, uop: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= uop).saturating_sub(1)
    }
}

const LOOKUP_SIZE: usize = 4096;
const NO_BLOCK: u32 = u32::MAX;

/// All blocks of a machine.
#[derive(Debug)]
pub(crate) struct Code {
    blocks: Vec<Arc<Block>>,
    /// For each block its successors: behind it, and the branch target.
    links: Vec<[u32; 2]>,
    by_pc: AHashMap<u64, u32>,
    /// Direct-mapped cache in front of `by_pc`.
    lookup: Box<[(u64, u32)]>,
    hooks: AHashMap<u64, HookId>,
    /// How instructions are lowered.
    pub(crate) style: lower::Style,
}

impl Default for Code {
    fn default() -> Code {
        Code {
            blocks: Vec::new(),
            links: Vec::new(),
            by_pc: AHashMap::with_hasher(fixed()),
            lookup: empty_lookup().into(),
            hooks: AHashMap::with_hasher(fixed()),
            style: lower::Style::default(),
        }
    }
}

impl Code {
    #[inline(always)]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// The block at an address.
    #[inline(always)]
    pub fn block_at(&mut self, pc: u64, memory: &mut Memory, profile: &Profile) -> BlockId {
        let (known, id) = self.lookup[slot(pc)];
        if known == pc {
            return BlockId(id);
        }
        self.find(pc, memory, profile)
    }

    #[inline(never)]
    fn find(&mut self, pc: u64, memory: &mut Memory, profile: &Profile) -> BlockId {
        let id = match self.by_pc.get(&pc) {
            Some(&id) => id,
            None => {
                let block = match self.hooks.get(&pc) {
                    Some(&hook) => lower::hook_block(pc, hook),
                    None => self.decode(pc, memory, profile),
                };
                let lasting = block.is_lasting();
                let id = self.add(block);
                if !lasting {
                    return BlockId(id);
                }
                self.by_pc.insert(pc, id);
                id
            }
        };
        self.lookup[slot(pc)] = (pc, id);
        BlockId(id)
    }

    fn decode(&self, pc: u64, memory: &mut Memory, profile: &Profile) -> Block {
        let is_hook = |addr: u64| self.hooks.contains_key(&addr);
        let block = lower::block(memory, pc, profile, self.style, &is_hook);
        if block.fall > pc {
            memory.note_code(pc, block.fall - pc);
        }
        block
    }

    fn add(&mut self, block: Block) -> u32 {
        self.blocks.push(Arc::new(block));
        self.links.push([NO_BLOCK; 2]);
        self.blocks.len() as u32 - 1
    }

    /// The hooked function's own code at `pc`.
    pub fn block_past_hook(&mut self, pc: u64, memory: &mut Memory, profile: &Profile) -> BlockId {
        let key = pc | 1 << 63;
        if let Some(&id) = self.by_pc.get(&key) {
            return BlockId(id);
        }
        let block = self.decode(pc, memory, profile);
        let id = self.add(block);
        self.by_pc.insert(key, id);
        BlockId(id)
    }

    /// One instruction at `pc`, decoded without noting that its page holds code.
    pub fn solo_block(&mut self, pc: u64, memory: &Memory, profile: &Profile) -> BlockId {
        let block = lower::block(memory, pc, profile, self.style, &|_| true);
        BlockId(self.add(block))
    }

    /// The successor of a block: behind it (0) or its branch target (1); remembered after first
    /// use.
    #[inline(always)]
    pub fn linked(
        &mut self,
        from: BlockId,
        slot: usize,
        memory: &mut Memory,
        profile: &Profile,
    ) -> BlockId {
        let id = self.links[from.0 as usize][slot];
        if id != NO_BLOCK {
            return BlockId(id);
        }
        let block = self.block(from);
        let to = self.block_at([block.fall, block.taken][slot], memory, profile);
        if self.block(to).is_lasting() {
            self.links[from.0 as usize][slot] = to.0;
        }
        to
    }

    /// Hooks an address.
    pub fn set_hook(&mut self, addr: u64, hook: HookId) {
        self.hooks.insert(addr, hook);
        if !self.blocks.is_empty() {
            self.flush();
        }
    }

    /// Whether an address is hooked.
    pub fn is_hooked(&self, addr: u64) -> bool {
        self.hooks.contains_key(&addr)
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.clear();
        self.links.clear();
        self.by_pc.clear();
        self.lookup.copy_from_slice(&empty_lookup());
    }
}

/// The same hash function in every run.
fn fixed() -> RandomState {
    RandomState::with_seeds(1, 2, 3, 4)
}

/// A table in which nothing is found: no slot holds an address that belongs there. A guest can
/// jump to any address, so there is none that could mean "empty" everywhere.
fn empty_lookup() -> Vec<(u64, u32)> {
    let mut table = vec![(u64::MAX, NO_BLOCK); LOOKUP_SIZE];
    table[slot(u64::MAX)].0 = u64::MAX - 1;
    debug_assert!(slot(u64::MAX) != slot(u64::MAX - 1));
    table
}

#[inline(always)]
fn slot(pc: u64) -> usize {
    (pc ^ pc >> 12) as usize & (LOOKUP_SIZE - 1)
}

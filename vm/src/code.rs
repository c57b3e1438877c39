//! Decoded code: blocks of micro-ops, each address decoded once.
//!
//! A block is a straight run of instructions that ends with a branch, a system call, a hooked
//! address or a limit. Blocks never change after decoding but for the links between them. When the
//! guest writes to decoded code or remaps it, everything is thrown away and decoded again.

use crate::cpuid::Profile;
use crate::liveness::Live;
use crate::lower;
use crate::memory::Memory;
use crate::stop::HookId;
use crate::uop::Uop;
use crate::vector::VecForm;
use crate::x87::X87Form;
use ahash::{AHashMap, RandomState};
use std::num::NonZeroU32;

/// Index of a block in its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockId(NonZeroU32);

impl BlockId {
    #[inline(always)]
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A straight run of instructions. The alignment makes the size a power of two: an index into a
/// table of blocks becomes an address by a shift.
#[derive(Debug)]
#[repr(align(128))]
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
    /// Number of instructions.
    pub length: u16,
    /// The successors in the same machine, once known: behind the block, and the branch target.
    pub(crate) links: [Option<BlockId>; 2],
}

const _: () = assert!(size_of::<Block>() == 128);

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

    /// Where the micro-ops of the first `budget` instructions end.
    #[inline(always)]
    pub fn end(&self, budget: u64) -> usize {
        if budget >= u64::from(self.length) {
            self.uops.len()
        } else {
            self.starts[budget as usize] as usize
        }
    }

    /// The instruction that a micro-op belongs to.
    pub fn instruction_of(&self, uop: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= uop).saturating_sub(1)
    }
}

const LOOKUP_SIZE: usize = 4096;

/// All blocks of a machine.
#[derive(Debug)]
pub(crate) struct Code {
    blocks: Vec<Block>,
    by_pc: AHashMap<u64, BlockId>,
    /// Direct-mapped cache in front of `by_pc`.
    lookup: Box<[(u64, Option<BlockId>); LOOKUP_SIZE]>,
    hooks: AHashMap<u64, HookId>,
    /// What is known to be live where; see [`crate::liveness`].
    pub(crate) live: AHashMap<u64, Live>,
    /// How instructions are lowered.
    pub(crate) style: lower::Style,
}

impl Default for Code {
    fn default() -> Code {
        Code {
            blocks: Vec::new(),
            by_pc: AHashMap::with_hasher(fixed()),
            lookup: empty_lookup(),
            hooks: AHashMap::with_hasher(fixed()),
            live: AHashMap::with_hasher(fixed()),
            style: lower::Style::default(),
        }
    }
}

impl Code {
    #[inline(always)]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The block at an address.
    #[inline(always)]
    pub fn block_at(&mut self, pc: u64, memory: &mut Memory, profile: &Profile) -> BlockId {
        match self.known(pc) {
            Some(id) => id,
            None => self.find(pc, memory, profile),
        }
    }

    /// The block at an address, if it was asked for lately.
    #[inline(always)]
    pub fn known(&self, pc: u64) -> Option<BlockId> {
        let (known, id) = self.lookup[slot(pc)];
        id.filter(|_| known == pc)
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
                    return id;
                }
                self.by_pc.insert(pc, id);
                id
            }
        };
        self.lookup[slot(pc)] = (pc, Some(id));
        id
    }

    fn decode(&self, pc: u64, memory: &mut Memory, profile: &Profile) -> Block {
        let is_hook = |addr: u64| self.hooks.contains_key(&addr);
        let block = lower::block(memory, pc, profile, self.style, &is_hook);
        if block.fall > pc {
            memory.note_code(pc, block.fall - pc);
        }
        block
    }

    fn add(&mut self, block: Block) -> BlockId {
        self.blocks.push(block);
        let number = NonZeroU32::new(self.blocks.len() as u32);
        BlockId(number.expect("there is a block, and far fewer than 2^32"))
    }

    /// The hooked function's own code at `pc`.
    pub fn block_past_hook(&mut self, pc: u64, memory: &mut Memory, profile: &Profile) -> BlockId {
        let key = pc | 1 << 63;
        if let Some(&id) = self.by_pc.get(&key) {
            return id;
        }
        let block = self.decode(pc, memory, profile);
        let id = self.add(block);
        self.by_pc.insert(key, id);
        id
    }

    /// One instruction at `pc`, decoded without noting that its page holds code.
    pub fn solo_block(&mut self, pc: u64, memory: &Memory, profile: &Profile) -> BlockId {
        let block = lower::block(memory, pc, profile, self.style, &|_| true);
        self.add(block)
    }

    /// The successor of a block: behind it (0) or its branch target (1); remembered after first
    /// use.
    pub fn linked(
        &mut self,
        from: BlockId,
        slot: usize,
        memory: &mut Memory,
        profile: &Profile,
    ) -> BlockId {
        let block = self.block(from);
        let to = self.block_at([block.fall, block.taken][slot], memory, profile);
        if self.block(to).is_lasting() {
            self.blocks[from.index()].links[slot] = Some(to);
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

    /// The hook of an address.
    pub fn hook(&self, addr: u64) -> Option<HookId> {
        self.hooks.get(&addr).copied()
    }

    /// Whether an address is hooked.
    pub fn is_hooked(&self, addr: u64) -> bool {
        self.hooks.contains_key(&addr)
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.clear();
        self.by_pc.clear();
        self.live.clear();
        self.lookup.fill((0, None));
    }
}

/// The same hash function in every run.
fn fixed() -> RandomState {
    RandomState::with_seeds(1, 2, 3, 4)
}

fn empty_lookup() -> Box<[(u64, Option<BlockId>); LOOKUP_SIZE]> {
    Box::new([(0, None); LOOKUP_SIZE])
}

#[inline(always)]
fn slot(pc: u64) -> usize {
    (pc ^ pc >> 12) as usize & (LOOKUP_SIZE - 1)
}

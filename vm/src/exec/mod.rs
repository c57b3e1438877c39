//! The execution loop: micro-ops of one thread, one block after another.
//!
//! Blocks follow one another through remembered links inside [`dispatch`]; the loop here looks for
//! those that are not known yet, cuts the last one where the budget ends and tells the journal of
//! floating-point registers. Cost: a link and a bounds check a block, one table look-up an
//! indirect branch.

mod alu;
mod cell;
mod dispatch;
mod float;
mod general;
mod string;
mod width;
mod x87;

use crate::code::{Block, BlockId, Code};
use crate::context::{Core, Floating};
use crate::cpuid::Profile;
use crate::fault::AccessKind;
use crate::memory::Memory;
use crate::monitor::{Access, Monitor};
use crate::reg::Reg;
use crate::stop::Stop;
use dispatch::{Cursor, uops};

/// What the loop works on.
pub(crate) struct Work<'a, M> {
    pub core: &'a mut Core,
    pub floating: &'a mut Floating,
    pub memory: &'a mut Memory,
    pub code: &'a mut Code,
    pub profile: &'a Profile,
    pub monitor: &'a mut M,
    /// Index of the thread, for the journal.
    pub thread: usize,
    /// Whether the journal already has the floating-point registers of this step.
    pub floating_saved: bool,
}

/// How a block was left.
pub(crate) enum Exit {
    /// To the target of its branch if `true`, else to the instruction behind it; no link yet.
    Branch(bool),
    /// To a computed address that is not known yet.
    Indirect(u64),
    /// To a block that needs a look at the budget or the journal first.
    Next(BlockId),
    /// By a return above the watched level.
    Return(u64),
    /// Before the current micro-op.
    Stop(Stop),
    /// Behind the current instruction, the last of its block.
    After(Stop),
    /// Before a store to decoded code.
    CodeWrite,
    /// At a boundary of instructions inside the block, the budget being used up.
    Cut,
}

/// Why a helper could not finish its micro-op.
pub(crate) enum Refusal {
    /// The monitor asked to stop.
    Monitor(Access),
    /// The access is illegal, or hits decoded code.
    Access { addr: u64, size: u32, kind: AccessKind },
    /// Must be aligned, is not.
    Misaligned { addr: u64, kind: AccessKind },
    /// An unmasked floating-point exception.
    FloatingPoint,
}

/// What came of a run.
pub(crate) struct Outcome {
    /// Why the loop ended; `None` for a store to decoded code.
    pub stop: Option<Stop>,
    /// Instructions executed.
    pub executed: u64,
}

impl<M: Monitor> Work<'_, M> {
    /// Executes up to `budget` instructions, starting with `first` if given.
    pub fn run(&mut self, budget: u64, first: Option<BlockId>) -> Outcome {
        let mut left = budget;
        let mut id = match first {
            Some(id) => id,
            None => self.code.block_at(self.core.pc, self.memory, self.profile),
        };
        while left != 0 {
            let block = self.code.block(id);
            if M::JOURNAL && block.uses_floating && !self.floating_saved {
                self.memory.journal.log_floating(self.thread, self.floating);
                self.floating_saved = true;
            }
            let first = std::mem::take(&mut self.core.uops_done) as usize;
            let end = block.end(left);
            self.core[Reg::BlockStart] = block.start;
            let rest = block.uops[first.min(end)..end].iter();
            let mut cursor = Cursor { id, block, rest, left };
            let exit = uops::<M>(
                self.core,
                self.floating,
                self.memory,
                self.monitor,
                self.profile,
                self.code,
                self.floating_saved,
                &mut cursor,
            );
            let Cursor { id: from, block, rest, left: before } = cursor;
            let count = before.min(u64::from(block.length));
            left = before - count;
            id = match exit {
                Exit::Next(id) => id,
                Exit::Branch(taken) => {
                    self.code.linked(from, usize::from(taken), self.memory, self.profile)
                }
                Exit::Indirect(pc) => self.code.block_at(pc, self.memory, self.profile),
                exit => {
                    let at = block.end(before) - rest.as_slice().len();
                    let (stop, unspent) = leave(self.core, block, exit, at, count);
                    return Outcome { stop, executed: budget - left - unspent };
                }
            };
        }
        self.core.jump(self.code.block(id).start);
        Outcome { stop: Some(Stop::Budget), executed: budget }
    }
}

/// Sets the program counter after a block was left other than to its successors; `at` micro-ops
/// were begun, `count` instructions accounted for. Says why, and how many of those did not happen.
#[cold]
fn leave(core: &mut Core, block: &Block, exit: Exit, at: usize, count: u64) -> (Option<Stop>, u64) {
    let before = |core: &mut Core, keep: bool| {
        let instruction = block.instruction_of(at - 1);
        core.jump(block.address(instruction));
        if keep {
            let done = &block.uops[block.starts[instruction] as usize..at - 1];
            let begun = done.iter().any(|uop| !uop.op.is_preamble());
            core.uops_done = if begun { done.len() as u8 } else { 0 };
        }
        count - instruction as u64
    };
    match exit {
        Exit::Return(pc) => {
            core.jump(pc);
            (Some(Stop::Returned), 0)
        }
        Exit::After(stop) => {
            core.jump(block.fall);
            (Some(stop), 0)
        }
        Exit::Cut => {
            core.jump(block.address(count as usize));
            (Some(Stop::Budget), 0)
        }
        Exit::Stop(stop) => (Some(stop), before(core, matches!(stop, Stop::Access(_)))),
        _ => (None, before(core, true)),
    }
}

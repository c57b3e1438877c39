//! Lowering: from machine code to blocks of micro-ops, by way of iced-x86.
//!
//! A block is decoded as a whole, so that flags which nobody reads before they are overwritten need
//! not be computed, and a comparison fuses with the branch behind it. An instruction becomes
//! micro-ops in an order such that a refused memory access leaves the registers as they were.
//!
//! An instruction that is not implemented becomes [`Op::Unsupported`]: decoding never fails, only
//! execution does.

mod control;
mod emit;
mod fill;
mod frames;
mod integer;
mod misc;
pub mod request;
pub mod survey;
mod table;
mod vector;
mod x87;

use crate::code::Block;
use crate::cpuid::Profile;
use crate::memory::Memory;
use crate::stop::HookId;
use crate::uop::{Op, Uop};
use emit::Emitter;
pub(crate) use fill::FILL_MAX;
use iced_x86::{Decoder, DecoderError, DecoderOptions, FlowControl, Instruction, Mnemonic};

/// Choices in lowering that do not change what a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// One micro-op for comparison and branch.
    pub fuse_branches: bool,
    /// One micro-op for an unlocked read-modify-write of memory; otherwise a stop can come between
    /// the load and the store, as on real processors.
    pub fuse_memory: bool,
    /// Stack that functions take for their frames is filled with this: nobody may depend on it.
    pub stack_fill: Option<u32>,
    /// Calls are kept account of, and accesses beyond a frame refused.
    pub frames: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { fuse_branches: true, fuse_memory: true, stack_fill: None, frames: false }
    }
}

/// Most instructions in a block.
const BLOCK_MAX: usize = 64;
/// Longest instruction.
const INSTRUCTION_MAX: usize = 15;

/// Decodes the block at `pc`.
pub(crate) fn block(
    memory: &Memory,
    pc: u64,
    profile: &Profile,
    style: Style,
    is_hook: &dyn Fn(u64) -> bool,
) -> Block {
    let bytes = memory.fetch(pc, BLOCK_MAX * INSTRUCTION_MAX);
    let instructions = decode(bytes, pc, style, is_hook);
    if instructions.is_empty() {
        let fetched = !bytes.is_empty() && bytes.len() >= INSTRUCTION_MAX;
        return single(pc, if fetched { Op::Illegal } else { Op::NoFetch }, u64::from(fetched));
    }
    let dead = dead_flags(&instructions);
    let mut emitter = Emitter::new(pc, style, *profile);
    let mut at = 0;
    while at < instructions.len() {
        emitter.begin(&instructions[at], dead[at]);
        at += match instructions.get(at + 1) {
            Some(next) if style.fuse_branches && emitter.fused(next) => 2,
            _ => {
                emitter.instruction();
                1
            }
        };
    }
    emitter.finish(instructions[instructions.len() - 1].next_ip())
}

/// Whether the machine implements an instruction: for `inspect` and for tests.
pub fn is_supported(instruction: &Instruction, profile: &Profile) -> bool {
    let mut emitter = Emitter::new(instruction.ip(), Style::default(), *profile);
    emitter.begin(instruction, false);
    emitter.instruction();
    let block = emitter.finish(instruction.next_ip());
    block.uops.iter().all(|uop| !matches!(uop.op, Op::Unsupported))
}

/// A block that stops at a hooked function.
pub(crate) fn hook_block(pc: u64, hook: HookId) -> Block {
    let mut block = single(pc, Op::Hook, 1);
    block.uops[0].imm = hook.0 as i32;
    block
}

fn single(pc: u64, op: Op, length: u64) -> Block {
    Block {
        start: pc,
        length: 1,
        links: [None; 2],
        uops: [Uop::new(op)].into(),
        starts: [0].into(),
        offsets: [0].into(),
        fall: pc + length,
        taken: 0,
        vectors: [].into(),
        x87: [].into(),
        uses_floating: false,
    }
}

/// `rep bsf` is `bsf` on processors without BMI1, likewise `rep bsr`; no profile has BMI1.
pub(crate) const OPTIONS: u32 = DecoderOptions::NO_MPFX_0FBC | DecoderOptions::NO_MPFX_0FBD;

fn decode(bytes: &[u8], pc: u64, style: Style, is_hook: &dyn Fn(u64) -> bool) -> Vec<Instruction> {
    let mut decoder = Decoder::with_ip(64, bytes, pc, OPTIONS);
    let mut instructions = Vec::new();
    while instructions.len() < BLOCK_MAX && decoder.can_decode() {
        if !instructions.is_empty() && is_hook(decoder.ip()) {
            break;
        }
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            let cut = decoder.last_error() == DecoderError::NoMoreBytes;
            if instructions.is_empty() && !cut {
                instructions.push(instruction);
            }
            break;
        }
        instructions.push(instruction);
        if ends_block(&instruction) || is_loop(&instruction, style) {
            break;
        }
    }
    instructions
}

fn ends_block(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::Syscall | Mnemonic::Rdtsc | Mnemonic::Rdtscp | Mnemonic::Int3 | Mnemonic::INVALID
    ) || instruction.flow_control() != FlowControl::Next
        || request::is_request(instruction)
}

/// A repeated string operation that is lowered to a loop ends its block.
fn is_loop(instruction: &Instruction, style: Style) -> bool {
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    !style.fuse_memory && repeated && instruction.is_string_instruction()
}

/// For each instruction whether all flags that it writes are overwritten unread in this block.
fn dead_flags(instructions: &[Instruction]) -> Vec<bool> {
    let mut live = u32::MAX;
    let mut dead = vec![false; instructions.len()];
    for (instruction, dead) in instructions.iter().zip(&mut dead).rev() {
        let written = instruction.rflags_modified();
        *dead = written != 0 && written & live == 0;
        if always_writes_flags(instruction) {
            live &= !written;
        }
        live |= instruction.rflags_read();
    }
    dead
}

/// A shift by a count of zero and a string operation of no elements leave the flags alone.
pub(crate) fn always_writes_flags(instruction: &Instruction) -> bool {
    let shifts = matches!(
        instruction.mnemonic(),
        Mnemonic::Shl
            | Mnemonic::Sal
            | Mnemonic::Shr
            | Mnemonic::Sar
            | Mnemonic::Rol
            | Mnemonic::Ror
            | Mnemonic::Rcl
            | Mnemonic::Rcr
            | Mnemonic::Shld
            | Mnemonic::Shrd
    );
    !shifts && !instruction.has_rep_prefix() && !instruction.has_repne_prefix()
}

//! What the architecture leaves undefined, so that it is not compared.
//!
//! iced knows the flags that a form leaves undefined at all; here the cases are added that depend
//! on the operands. Where the manual says "undefined" but all processors agree and programs rely
//! on it (`bsf` and `bsr` of zero keep their destination), nothing is excused.

use iced_x86::{Instruction, Mnemonic, OpKind, Register, RflagsBits};

use crate::cpu::{Cpu, flag, gpr};
use crate::forms::is_host_intel;

/// What may differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slack {
    /// Bits of RFLAGS.
    pub rflags: u64,
    /// Bits of RFLAGS if the execution ends in an exception.
    pub rflags_at_fault: u64,
    /// Bits of the x87 status word.
    pub x87_status: u16,
    /// The destination too: there is nothing to compare.
    pub everything: bool,
}

/// What an instruction leaves undefined when executed in state `cpu`.
pub fn slack(instruction: &Instruction, cpu: &Cpu) -> Slack {
    use Mnemonic::*;
    let rflags = match instruction.mnemonic() {
        Shl | Sal | Shr | Sar | Rol | Ror | Rcl | Rcr => shift_flags(instruction, cpu),
        Shld | Shrd => {
            let count = shift_count(instruction, cpu);
            if count > operand_bits(instruction) {
                return Slack { everything: true, ..Slack::default() };
            }
            shift_flags(instruction, cpu)
        }
        _ => rflags(instruction.rflags_undefined()),
    };
    let x87_status = x87_status(instruction.rflags_undefined());
    let rflags_at_fault = if is_repeated_comparison(instruction) { flag::STATUS } else { 0 };
    Slack { rflags, rflags_at_fault, x87_status, everything: false }
}

/// Whether it is open which exception comes first, that of an x87 store's value or that of its
/// address: makes of processors differ.
pub fn is_order_open(instruction: &Instruction, cpu: &Cpu) -> bool {
    use Mnemonic::*;
    let stores = matches!(instruction.mnemonic(), Fst | Fstp | Fist | Fistp | Fisttp | Fbstp);
    let is_unmasked = cpu.fx.control & 0x3f != 0x3f;
    stores && instruction.op0_kind() == OpKind::Memory && is_unmasked && !is_host_intel()
}

/// A repeated comparison that faults amid its elements puts the flags back to what they were
/// before the first of them. The machine does not: its flags are those of the last element.
fn is_repeated_comparison(instruction: &Instruction) -> bool {
    let is_repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    is_repeated && instruction.is_string_instruction()
}

fn shift_flags(instruction: &Instruction, cpu: &Cpu) -> u64 {
    use Mnemonic::*;
    let count = shift_count(instruction, cpu);
    let overflow = if count == 1 { 0 } else { flag::OF };
    match instruction.mnemonic() {
        _ if count == 0 => 0,
        Rol | Ror | Rcl | Rcr => overflow,
        Shl | Sal | Shr if count >= operand_bits(instruction) => overflow | flag::AF | flag::CF,
        _ => overflow | flag::AF,
    }
}

/// The count as the processor masks it.
fn shift_count(instruction: &Instruction, cpu: &Cpu) -> u64 {
    let last = instruction.op_count() - 1;
    let count = match instruction.op_kind(last) {
        OpKind::Register if instruction.op_register(last) == Register::CL => cpu.gpr[gpr::RCX],
        _ => instruction.immediate(last),
    };
    count & if operand_bits(instruction) == 64 { 63 } else { 31 }
}

fn operand_bits(instruction: &Instruction) -> u64 {
    8 * match instruction.op0_kind() {
        OpKind::Register => instruction.op0_register().size() as u64,
        _ => instruction.memory_size().size() as u64,
    }
}

/// Translates iced's bits into those of RFLAGS.
pub fn rflags(bits: u32) -> u64 {
    let pairs = [
        (RflagsBits::CF, flag::CF),
        (RflagsBits::PF, flag::PF),
        (RflagsBits::AF, flag::AF),
        (RflagsBits::ZF, flag::ZF),
        (RflagsBits::SF, flag::SF),
        (RflagsBits::OF, flag::OF),
    ];
    pairs.iter().filter(|(from, _)| bits & from != 0).map(|(_, to)| to).sum()
}

fn x87_status(bits: u32) -> u16 {
    let pairs = [
        (RflagsBits::C0, 1 << 8),
        (RflagsBits::C1, 1 << 9),
        (RflagsBits::C2, 1 << 10),
        (RflagsBits::C3, 1 << 14),
    ];
    pairs.iter().filter(|(from, _)| bits & from != 0).map(|(_, to)| to).sum()
}

//! The choice of register and immediate operands.

use iced_x86::{OpCodeOperandKind as Kind, OpKind, Register};

use crate::rng::Rng;

/// An operand that is not memory.
pub enum Operand {
    Register(Register),
    Immediate(OpKind, u64),
    /// A direct branch; its target is a landing pad.
    Branch,
}

/// The 64-bit general registers.
pub const GPR64: [Register; 16] = {
    use Register::*;
    [RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15]
};

const GPR8: [Register; 20] = {
    use Register::*;
    [
        AL, CL, DL, BL, SPL, BPL, SIL, DIL, R8L, R9L, R10L, R11L, R12L, R13L, R14L, R15L, AH, CH,
        DH, BH,
    ]
};

/// How many variants choose registers on purpose; later ones are random.
pub const STRUCTURED: usize = 8;

/// Register numbers of the operands 0, 1 and 2 in the structured variants. The numbers 16 to 19
/// are AH, CH, DH and BH in byte operands.
const STRUCTURE: [[usize; 3]; STRUCTURED] =
    [[1, 2, 3], [0, 0, 0], [0, 9, 1], [13, 1, 8], [4, 16, 2], [17, 4, 4], [19, 18, 0], [5, 15, 0]];

const IMMEDIATES: [u64; 16] = [
    1,
    u64::MAX,
    0x7f,
    0x80,
    0,
    2,
    8,
    0x1f,
    0x20,
    0x3f,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0xffff_ffff_8000_0000,
    i64::MAX as u64,
    i64::MIN as u64,
];

/// Whether an operand kind leaves no choice.
pub fn is_fixed(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, None | al | cl | ax | dx | eax | rax | st0 | imm8_const_1)
}

/// Chooses operand number `i` of a kind that is not memory; `None` if it cannot be judged.
pub fn choose(kind: Kind, i: usize, variant: usize, rng: &mut Rng) -> Option<Operand> {
    use Kind::*;
    let mut number = |limit: usize| match STRUCTURE.get(variant) {
        Some(row) => row[i.min(2)] % limit,
        Option::None => rng.below(limit as u64) as usize,
    };
    let register = match kind {
        r8_or_mem | r8_reg | r8_opcode => GPR8[number(20)],
        r16_or_mem | r16_reg | r16_rm | r16_opcode => Register::AX + number(16) as u32,
        r32_or_mem | r32_reg | r32_rm | r32_opcode => Register::EAX + number(16) as u32,
        r64_or_mem | r64_reg | r64_rm | r64_opcode => GPR64[number(16)],
        mm_or_mem | mm_reg | mm_rm => Register::MM0 + number(8) as u32,
        xmm_or_mem | xmm_reg | xmm_rm => Register::XMM0 + number(16) as u32,
        sti_opcode => Register::ST0 + number(8) as u32,
        al => Register::AL,
        cl => Register::CL,
        ax => Register::AX,
        dx => Register::DX,
        eax => Register::EAX,
        rax => Register::RAX,
        st0 => Register::ST0,
        br64_1 | br64_4 => return Some(Operand::Branch),
        _ => return immediate(kind, variant, rng),
    };
    Some(Operand::Register(register))
}

fn immediate(kind: Kind, variant: usize, rng: &mut Rng) -> Option<Operand> {
    let value = match IMMEDIATES.get(variant) {
        Some(&value) => value,
        None if rng.one_in(2) => rng.pick(&IMMEDIATES),
        None => rng.bits(),
    };
    let (op_kind, value) = match kind {
        Kind::imm8 => (OpKind::Immediate8, value & 0xff),
        Kind::imm8_const_1 => (OpKind::Immediate8, 1),
        Kind::imm8sex16 => (OpKind::Immediate8to16, value as i8 as u64),
        Kind::imm8sex32 => (OpKind::Immediate8to32, value as i8 as u64),
        Kind::imm8sex64 => (OpKind::Immediate8to64, value as i8 as u64),
        Kind::imm16 => (OpKind::Immediate16, value & 0xffff),
        Kind::imm32 => (OpKind::Immediate32, value & 0xffff_ffff),
        Kind::imm32sex64 => (OpKind::Immediate32to64, value as i32 as u64),
        Kind::imm64 => (OpKind::Immediate64, value),
        _ => return None,
    };
    Some(Operand::Immediate(op_kind, value))
}

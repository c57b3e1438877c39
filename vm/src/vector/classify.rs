//! From a decoded instruction to a vector operation and its operands.
//!
//! A form names registers by number and memory by width only; the address of a memory operand is
//! in the instruction, and the caller's business. `aligned` forms raise #GP on an address that is
//! no multiple of 16.

use iced_x86::{Code, Instruction, OpKind};

use super::VecOp;
use super::table::{Shape, shape};

/// What a vector instruction does, and with which operands.
///
/// `dst`, `src` and `mask` number registers from 0 to 15; `bytes` is the width of the memory
/// operand and `aligned` says that its address must be a multiple of 16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields mean the same in all variants, see above")]
pub enum VecForm {
    /// `xmm[dst] = apply(op, xmm[dst], xmm[src], imm)`.
    XmmXmm { op: VecOp, dst: u8, src: u8, imm: u8 },
    /// `xmm[dst] = apply(op, xmm[dst], zero-extended memory, imm)`.
    XmmMem { op: VecOp, dst: u8, bytes: u8, aligned: bool, imm: u8 },
    /// Memory gets the low `bytes` of `store_value(op, xmm[src])`.
    MemXmm { op: VecOp, src: u8, bytes: u8, aligned: bool },
    /// `gpr[dst] = to_gpr(op, dst_bits, xmm[src], imm)`, zero-extended to 64 bits.
    GprXmm { op: VecOp, dst: u8, dst_bits: u8, src: u8, imm: u8 },
    /// `gpr[dst] = to_gpr(op, dst_bits, zero-extended memory, 0)`.
    GprMem { op: VecOp, dst: u8, dst_bits: u8, bytes: u8 },
    /// `xmm[dst] = from_gpr(op, src_bits, xmm[dst], gpr[src], imm)`.
    XmmGpr { op: VecOp, dst: u8, src: u8, src_bits: u8, imm: u8 },
    /// `xmm[dst] = from_gpr(op, 8 * bytes, xmm[dst], memory, imm)`.
    XmmMemInt { op: VecOp, dst: u8, bytes: u8, imm: u8 },
    /// Memory gets the low `bytes` of `to_gpr(op, 64, xmm[src], imm)`.
    MemFromXmm { op: VecOp, src: u8, bytes: u8, imm: u8 },
    /// `compare_flags(op, xmm[dst], xmm[src])` into the six status flags.
    FlagsXmmXmm { op: VecOp, dst: u8, src: u8 },
    /// `compare_flags(op, xmm[dst], zero-extended memory)` into the six status flags.
    FlagsXmmMem { op: VecOp, dst: u8, bytes: u8, aligned: bool },
    /// `xmm[dst] = blend(op, xmm[dst], xmm[src], xmm[0])`.
    BlendXmm { op: VecOp, dst: u8, src: u8 },
    /// `xmm[dst] = blend(op, xmm[dst], memory, xmm[0])`, 16 bytes, aligned.
    BlendMem { op: VecOp, dst: u8 },
    /// `string::compare(xmm[dst], xmm[src], …)`.
    StringXmm { kind: StringKind, dst: u8, src: u8, imm: u8 },
    /// `string::compare(xmm[dst], memory, …)`, 16 bytes, any alignment.
    StringMem { kind: StringKind, dst: u8, imm: u8 },
    /// MASKMOVDQU: bytes of `xmm[src]` chosen by `xmm[mask]` to the address in RDI.
    MaskStore { src: u8, mask: u8 },
    /// LDMXCSR from 4 bytes; #GP unless `mxcsr::is_valid`.
    LoadMxcsr,
    /// STMXCSR to 4 bytes.
    StoreMxcsr,
}

/// Which of the string comparisons: where lengths come from and what is delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringKind {
    /// Lengths in (R/E)AX and (R/E)DX instead of up to the first zero.
    pub explicit: bool,
    /// The lengths are 64-bit numbers.
    pub wide: bool,
    /// The mask goes to XMM0; otherwise the index goes to RCX (zero-extended).
    pub mask: bool,
}

/// The form of a vector instruction; `None` if it is none, or one this unit does not know.
pub fn classify(instruction: &Instruction) -> Option<VecForm> {
    if let Some(form) = special(instruction) {
        return Some(form);
    }
    let (op, shape) = shape(instruction.code())?;
    let operands = Operands { op, instruction };
    Some(match shape {
        Shape::Aligned => operands.source(16, true, op),
        Shape::Source(bytes) => operands.source(bytes, false, op),
        Shape::ScalarLoad(bytes) => operands.source(bytes, false, VecOp::Movaps),
        Shape::LaneSource => operands.insertps(),
        Shape::Store(bytes) => operands.store(bytes, false),
        Shape::AlignedStore => operands.store(16, true),
        Shape::StoreHigh => operands.store(8, false),
        Shape::Immediate => operands.immediate(),
        Shape::ToGpr(bytes) => operands.gpr_result(bytes),
        Shape::Extract(bytes) => operands.extract(bytes),
        Shape::FromGpr(bytes) => operands.gpr_source(bytes),
        Shape::Flags(bytes) => operands.flags(bytes, false),
        Shape::AlignedFlags => operands.flags(16, true),
        Shape::Blend => operands.blend(),
    })
}

/// Instructions with a form of their own.
fn special(instruction: &Instruction) -> Option<VecForm> {
    let kind = |explicit, wide, mask| StringKind { explicit, wide, mask };
    let kind = match instruction.code() {
        Code::Ldmxcsr_m32 => return Some(VecForm::LoadMxcsr),
        Code::Stmxcsr_m32 => return Some(VecForm::StoreMxcsr),
        Code::Maskmovdqu_rDI_xmm_xmm => {
            let (src, mask) = (register(instruction, 1), register(instruction, 2));
            return Some(VecForm::MaskStore { src, mask });
        }
        Code::Pcmpestrm_xmm_xmmm128_imm8 => kind(true, false, true),
        Code::Pcmpestrm64_xmm_xmmm128_imm8 => kind(true, true, true),
        Code::Pcmpestri_xmm_xmmm128_imm8 => kind(true, false, false),
        Code::Pcmpestri64_xmm_xmmm128_imm8 => kind(true, true, false),
        Code::Pcmpistrm_xmm_xmmm128_imm8 => kind(false, false, true),
        Code::Pcmpistri_xmm_xmmm128_imm8 => kind(false, false, false),
        _ => return None,
    };
    let (dst, imm) = (register(instruction, 0), instruction.immediate8());
    Some(match is_memory(instruction, 1) {
        true => VecForm::StringMem { kind, dst, imm },
        false => VecForm::StringXmm { kind, dst, src: register(instruction, 1), imm },
    })
}

/// Reads the operands of one instruction into the form its shape asks for.
struct Operands<'a> {
    op: VecOp,
    instruction: &'a Instruction,
}

impl Operands<'_> {
    fn source(&self, bytes: u8, aligned: bool, load_op: VecOp) -> VecForm {
        let (dst, imm) = (self.register(0), self.imm(2));
        match self.is_memory(1) {
            true => VecForm::XmmMem { op: load_op, dst, bytes, aligned, imm },
            false => VecForm::XmmXmm { op: self.op, dst, src: self.register(1), imm },
        }
    }

    /// In the memory form the immediate's source lane does not count: clearing it says so.
    fn insertps(&self) -> VecForm {
        match self.source(4, false, self.op) {
            VecForm::XmmMem { op, dst, bytes, aligned, imm } => {
                VecForm::XmmMem { op, dst, bytes, aligned, imm: imm & 0x3f }
            }
            form => form,
        }
    }

    fn store(&self, bytes: u8, aligned: bool) -> VecForm {
        let (op, src) = (self.op, self.register(1));
        match self.is_memory(0) {
            true => VecForm::MemXmm { op, src, bytes, aligned },
            false => VecForm::XmmXmm { op, dst: self.register(0), src, imm: 0 },
        }
    }

    fn immediate(&self) -> VecForm {
        let dst = self.register(0);
        VecForm::XmmXmm { op: self.op, dst, src: dst, imm: self.imm(1) }
    }

    fn gpr_result(&self, bytes: u8) -> VecForm {
        let (op, dst, dst_bits) = (self.op, self.register(0), self.bits(0));
        match self.is_memory(1) {
            true => VecForm::GprMem { op, dst, dst_bits, bytes },
            false => VecForm::GprXmm { op, dst, dst_bits, src: self.register(1), imm: self.imm(2) },
        }
    }

    fn extract(&self, bytes: u8) -> VecForm {
        let (op, src, imm) = (self.op, self.register(1), self.imm(2));
        match self.is_memory(0) {
            true if op == VecOp::Movd => {
                VecForm::MemXmm { op: VecOp::Movaps, src, bytes, aligned: false }
            }
            true => VecForm::MemFromXmm { op, src, bytes, imm },
            false => {
                VecForm::GprXmm { op, dst: self.register(0), dst_bits: self.bits(0), src, imm }
            }
        }
    }

    fn gpr_source(&self, bytes: u8) -> VecForm {
        let (op, dst, imm) = (self.op, self.register(0), self.imm(2));
        match self.is_memory(1) {
            true if op == VecOp::Movd => {
                VecForm::XmmMem { op: VecOp::Movaps, dst, bytes, aligned: false, imm }
            }
            true => VecForm::XmmMemInt { op, dst, bytes, imm },
            false => {
                VecForm::XmmGpr { op, dst, src: self.register(1), src_bits: self.bits(1), imm }
            }
        }
    }

    fn flags(&self, bytes: u8, aligned: bool) -> VecForm {
        let (op, dst) = (self.op, self.register(0));
        match self.is_memory(1) {
            true => VecForm::FlagsXmmMem { op, dst, bytes, aligned },
            false => VecForm::FlagsXmmXmm { op, dst, src: self.register(1) },
        }
    }

    fn blend(&self) -> VecForm {
        let (op, dst) = (self.op, self.register(0));
        match self.is_memory(1) {
            true => VecForm::BlendMem { op, dst },
            false => VecForm::BlendXmm { op, dst, src: self.register(1) },
        }
    }

    fn register(&self, operand: u32) -> u8 {
        register(self.instruction, operand)
    }

    fn is_memory(&self, operand: u32) -> bool {
        is_memory(self.instruction, operand)
    }

    /// The width of a general register operand.
    fn bits(&self, operand: u32) -> u8 {
        (8 * self.instruction.op_register(operand).size()) as u8
    }

    /// The immediate, if the operand is there.
    fn imm(&self, operand: u32) -> u8 {
        if operand < self.instruction.op_count() { self.instruction.immediate8() } else { 0 }
    }
}

fn register(instruction: &Instruction, operand: u32) -> u8 {
    instruction.op_register(operand).number() as u8
}

fn is_memory(instruction: &Instruction, operand: u32) -> bool {
    instruction.op_kind(operand) == OpKind::Memory
}

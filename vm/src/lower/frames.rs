//! Micro-ops that keep account of calls and judge accesses that may leave a frame; see
//! [`crate::memory::frames`].
//!
//! Judged are stores through pointers, and accesses relative to the frame that have an index or go
//! upwards a long way. Not judged: string instructions, and accesses whose addresses are constants
//! inside of any frame.

use super::emit::{Emitter, Place, general};
use crate::fault::AccessKind;
use crate::reg::Reg;
use crate::uop::{Op, Uop};
use iced_x86::{
    FlowControl, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

/// A frame has less bytes than this below a constant distance from the stack pointer.
const NEAR: i32 = 512;

impl Emitter {
    /// Emits what belongs before the instruction at hand.
    pub(super) fn account(&mut self) {
        let instruction = self.instruction;
        match instruction.flow_control() {
            FlowControl::Call | FlowControl::IndirectCall
                if instruction.mnemonic() == Mnemonic::Call =>
            {
                let enter = Uop::new(Op::FrameEnter).with_imm64(instruction.next_ip());
                self.push(enter);
            }
            FlowControl::Return => self.push(Uop::new(Op::FrameLeave)),
            FlowControl::Next if self.switches_stack() => self.push(Uop::new(Op::FrameForget)),
            FlowControl::Next => self.judge_access(),
            _ => {}
        }
    }

    /// Whether the stack pointer may become anything.
    fn switches_stack(&self) -> bool {
        use Mnemonic as M;
        let instruction = &self.instruction;
        let is_rsp = |number| {
            number < instruction.op_count()
                && instruction.op_kind(number) == OpKind::Register
                && instruction.op_register(number).full_register() == Register::RSP
        };
        match instruction.mnemonic() {
            M::Mov if is_rsp(0) => instruction.op1_register() != Register::RBP,
            M::Lea if is_rsp(0) => {
                !matches!(instruction.memory_base(), Register::RSP | Register::RBP)
            }
            M::Pop | M::Or | M::Xor => is_rsp(0),
            M::Xchg | M::Xadd | M::Cmpxchg => is_rsp(0) || is_rsp(1),
            _ => false,
        }
    }

    fn judge_access(&mut self) {
        use Mnemonic as M;
        let instruction = self.instruction;
        let has_memory =
            (0..instruction.op_count()).any(|number| instruction.op_kind(number) == OpKind::Memory);
        let is_stack = matches!(instruction.mnemonic(), M::Push | M::Pop | M::Leave | M::Enter);
        if !has_memory || is_stack || instruction.is_ip_rel_memory_operand() {
            return;
        }
        let mut factory = InstructionInfoFactory::new();
        let memory: Vec<UsedMemory> = factory.info(&instruction).used_memory().to_vec();
        for used in &memory {
            let kind = match used.access() {
                OpAccess::None | OpAccess::NoMemAccess => continue,
                OpAccess::Read | OpAccess::CondRead => AccessKind::Read,
                _ => AccessKind::Write,
            };
            self.judge_place(used, kind);
        }
    }

    fn judge_place(&mut self, used: &UsedMemory, kind: AccessKind) {
        let is_flat = matches!(used.segment(), Register::DS | Register::SS);
        let is_wide = |register: Register| register == Register::None || register.is_gpr64();
        let (base, index) = (used.base(), used.index());
        let (Ok(disp), Ok(size)) =
            (i32::try_from(used.displacement() as i64), u8::try_from(used.memory_size().size()))
        else {
            return;
        };
        if !is_flat || !is_wide(base) || !is_wide(index) || base == Register::None {
            return;
        }
        let of_frame = matches!(base, Register::RSP | Register::RBP);
        let near = match base {
            Register::RSP => 0..NEAR,
            Register::RBP => i32::MIN..NEAR / 8,
            _ => 0..0,
        };
        let is_near = index == Register::None && near.contains(&disp);
        if size == 0 || is_near || kind == AccessKind::Read && !of_frame {
            return;
        }
        let whole = size == 8
            && self.instruction.op_count() == 2
            && self.instruction.mnemonic() == Mnemonic::Mov
            && self.instruction.op_kind(1) == OpKind::Register;
        let src = if whole { general(self.instruction.op_register(1)) } else { Reg::Zero };
        let (base, index, scale) = (general(base), general(index), used.scale() as u8);
        let place = Place { base, index, scale, disp };
        self.mem(Op::FrameJudge, (Reg::Zero, src), place, i32::from(kind == AccessKind::Write));
        if let Some(uop) = self.uops.last_mut() {
            uop.aux = size;
        }
    }
}

//! Stack that a program has just taken is filled with a pattern, where a caller asks for it.
//!
//! What lies on a stack below the red zone is nobody's, so whatever is there when a function takes
//! it for its frame, the function must not depend on it. Executing a program with two patterns
//! shows whether it does. The micro-op stands before `call` (the 128 bytes below the return
//! address: a caller's red zone ends there) and before an instruction that lowers the stack pointer
//! by a number or a register (what becomes part of the frame and its red zone).
//!
//! Left out: frames of functions that are jumped to, stacks that a program switches to, and what
//! exceeds [`FILL_MAX`] bytes of a frame.

use super::emit::{Emitter, Operand};
use crate::reg::Reg;
use crate::uop::{Op, Uop};
use iced_x86::{FlowControl, Mnemonic, Register};

/// Bytes below the stack pointer that a function may use without taking them.
const RED_ZONE: u8 = 128;
/// Most bytes that one instruction fills.
pub(crate) const FILL_MAX: u64 = 32 << 10;
/// Size of a return address.
const RETURN_SIZE: u8 = 8;

impl Emitter {
    /// Emits the filling that belongs before the instruction at hand, if any does.
    pub(super) fn fill_stack(&mut self, pattern: u32) {
        let calls = matches!(
            self.instruction.flow_control(),
            FlowControl::Call | FlowControl::IndirectCall
        );
        if calls && self.instruction.mnemonic() == Mnemonic::Call {
            self.fill(RETURN_SIZE, Reg::Zero, RED_ZONE.into(), pattern);
            return;
        }
        if self.operand(0) != Operand::Low(Reg::Rsp, 3) {
            return;
        }
        match (self.instruction.mnemonic(), self.instruction.op_count()) {
            (Mnemonic::Sub, 2) => match self.operand(1) {
                Operand::Immediate(size) => self.fill(RED_ZONE, Reg::Zero, clamp(size), pattern),
                Operand::Low(size, 3) => self.fill(RED_ZONE, size, 0, pattern),
                _ => {}
            },
            (Mnemonic::Add, 2) | (Mnemonic::And, 2) => {
                if let Operand::Immediate(size) = self.operand(1) {
                    self.fill(RED_ZONE, Reg::Zero, clamp(size.saturating_neg()), pattern);
                }
            }
            (Mnemonic::Lea, 2) if self.instruction.memory_base() == Register::RSP => {
                let size = (self.instruction.memory_displacement64() as i64).saturating_neg();
                self.fill(RED_ZONE, Reg::Zero, clamp(size), pattern);
            }
            _ => {}
        }
    }

    /// Fills so many bytes, or as many as a register says, that end `below` the stack pointer.
    fn fill(&mut self, below: u8, size: Reg, bytes: i32, pattern: u32) {
        if size != Reg::Zero || bytes != 0 {
            let imm = pattern as i32;
            self.push(Uop { src: size, aux: below, disp: bytes, imm, ..Uop::new(Op::FillStack) });
        }
    }
}

fn clamp(size: i64) -> i32 {
    size.clamp(0, FILL_MAX as i64) as i32
}

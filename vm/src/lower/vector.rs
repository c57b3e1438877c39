//! Vector instructions: plain moves get micro-ops of their own, the rest a form in the block.

use super::emit::Emitter;
use crate::reg::Reg;
use crate::uop::Op;
use crate::vector::{VecForm, VecOp, classify};
use iced_x86::OpKind;

impl Emitter {
    /// Lowers a vector instruction; `None` if it is none.
    pub(super) fn vector(&mut self) -> Option<()> {
        let form = classify(&self.instruction)?;
        let is_plain = !self.has_far_segment() && !self.uses_narrow_addresses();
        if matches!(form, VecForm::MaskStore { .. }) && !is_plain {
            return None;
        }
        self.uses_floating = true;
        let reg = |number: u8| Reg::GENERAL[usize::from(number & 15)];
        let (op, dst, src) = match form {
            VecForm::XmmXmm { op: VecOp::Movaps, dst, src, .. } => (Op::VMov, reg(dst), reg(src)),
            VecForm::XmmMem { op: VecOp::Movaps, dst, bytes, aligned, .. } => {
                let op = match (bytes, aligned) {
                    (16, true) => Op::VLd16A,
                    (16, false) => Op::VLd16,
                    (8, _) => Op::VLd8,
                    _ => Op::VLd4,
                };
                (op, reg(dst), Reg::Zero)
            }
            VecForm::MemXmm { op, src, bytes, aligned } if op != VecOp::Movhlps => {
                let op = match (bytes, aligned) {
                    (16, true) => Op::VSt16A,
                    (16, false) => Op::VSt16,
                    (8, _) => Op::VSt8,
                    _ => Op::VSt4,
                };
                (op, Reg::Zero, reg(src))
            }
            _ => return self.vector_form(form),
        };
        if op == Op::VMov {
            self.rr(op, dst, src);
        } else {
            let place = self.place();
            self.mem(op, (dst, src), place, 0);
        }
        Some(())
    }

    fn vector_form(&mut self, form: VecForm) -> Option<()> {
        let instruction = self.instruction;
        let has_memory =
            (0..instruction.op_count()).any(|n| instruction.op_kind(n) == OpKind::Memory);
        let index = self.vectors.len() as i32;
        self.vectors.push(form);
        if has_memory {
            let place = self.place();
            self.mem(Op::Vector, (Reg::Zero, Reg::Zero), place, index);
        } else {
            self.ri(Op::Vector, Reg::Zero, index);
        }
        Some(())
    }
}

//! Control flow: branches, calls, returns and the stack.

use super::emit::{Emitter, Operand, Place, general};
use super::integer::is_comparison;
use super::table;
use crate::flags::Condition;
use crate::kind::Loop;
use crate::reg::Reg;
use crate::uop::{Op, Uop};
use iced_x86::{Code, ConditionCode, FlowControl, Instruction, Mnemonic, OpKind};

/// The machine's condition for iced's, if there is one.
pub(super) fn condition(code: ConditionCode) -> Option<Condition> {
    Some(match code {
        ConditionCode::None => return None,
        ConditionCode::o => Condition::O,
        ConditionCode::no => Condition::No,
        ConditionCode::b => Condition::B,
        ConditionCode::ae => Condition::Ae,
        ConditionCode::e => Condition::E,
        ConditionCode::ne => Condition::Ne,
        ConditionCode::be => Condition::Be,
        ConditionCode::a => Condition::A,
        ConditionCode::s => Condition::S,
        ConditionCode::ns => Condition::Ns,
        ConditionCode::p => Condition::P,
        ConditionCode::np => Condition::Np,
        ConditionCode::l => Condition::L,
        ConditionCode::ge => Condition::Ge,
        ConditionCode::le => Condition::Le,
        ConditionCode::g => Condition::G,
    })
}

impl Emitter {
    /// Fuses the comparison at hand with the branch behind it, if possible.
    pub(super) fn fused(&mut self, next: &Instruction) -> bool {
        if !is_comparison(&self.instruction) || !next.is_jcc_short_or_near() {
            return false;
        }
        let Some(condition) = condition(next.condition_code()) else { return false };
        let test = self.instruction.mnemonic() == Mnemonic::Test;
        let (Operand::Low(dst, width), second) = (self.operand(0), self.operand(1)) else {
            return false;
        };
        let (src, imm, immediate) = match second {
            Operand::Low(src, _) => (src, 0, false),
            Operand::Immediate(value) => (Reg::Zero, value as i32, true),
            _ => return false,
        };
        let Some(op) = table::compare_branch(test, immediate, width, condition) else {
            return false;
        };
        self.push(Uop { dst, src, imm, aux: condition as u8, ..Uop::new(op) });
        self.taken = next.near_branch_target();
        true
    }

    /// Lowers an instruction that changes the flow or the stack; `None` if it is none.
    pub(super) fn control(&mut self) -> Option<()> {
        let instruction = self.instruction;
        match instruction.mnemonic() {
            Mnemonic::Push => return self.push_operand(),
            Mnemonic::Pop => return self.pop_operand(),
            Mnemonic::Pushfq => {
                self.rr(Op::GetFlags, Reg::T0, Reg::Zero);
                self.rr(Op::Push, Reg::Zero, Reg::T0);
                return Some(());
            }
            Mnemonic::Popfq => {
                self.rr(Op::Pop, Reg::T0, Reg::Zero);
                self.rr(Op::SetFlags, Reg::Zero, Reg::T0);
                return Some(());
            }
            Mnemonic::Leave if instruction.code() == Code::Leaveq => {
                self.push(Uop::new(Op::Leave));
                return Some(());
            }
            _ => {}
        }
        match instruction.flow_control() {
            FlowControl::UnconditionalBranch => self.direct(Op::Jmp)?,
            FlowControl::IndirectBranch => self.indirect(Op::JmpReg)?,
            FlowControl::ConditionalBranch => self.conditional()?,
            FlowControl::Return => self.ret()?,
            FlowControl::Call if instruction.is_call_near() => self.direct(Op::Call)?,
            FlowControl::IndirectCall => self.indirect(Op::CallReg)?,
            _ => return None,
        }
        Some(())
    }

    fn direct(&mut self, op: Op) -> Option<()> {
        (self.instruction.op0_kind() == OpKind::NearBranch64).then_some(())?;
        self.taken = self.instruction.near_branch_target();
        self.push(Uop::new(op));
        Some(())
    }

    fn indirect(&mut self, op: Op) -> Option<()> {
        (self.width(0) == Some(3)).then_some(())?;
        if self.instruction.is_call_far_indirect() || self.instruction.is_jmp_far_indirect() {
            return None;
        }
        let target = self.read(0, Reg::T0)?;
        // A call through the stack pointer's own register needs the old value; it has it, because
        // the target is read before the return address is pushed.
        self.rr(Op::MovRr64, Reg::T0, target);
        self.rr(op, Reg::Zero, Reg::T0);
        Some(())
    }

    fn conditional(&mut self) -> Option<()> {
        let instruction = self.instruction;
        self.taken = instruction.near_branch_target();
        let (op, aux) = match instruction.mnemonic() {
            Mnemonic::Jrcxz | Mnemonic::Jecxz => (Op::Jrcxz, 0),
            Mnemonic::Loop => (Op::Loop, Loop::Always as u8),
            Mnemonic::Loope => (Op::Loop, Loop::Equal as u8),
            Mnemonic::Loopne => (Op::Loop, Loop::NotEqual as u8),
            _ => return self.branch(condition(instruction.condition_code())?),
        };
        let narrow = matches!(
            instruction.code(),
            Code::Jecxz_rel8_64
                | Code::Loop_rel8_64_ECX
                | Code::Loope_rel8_64_ECX
                | Code::Loopne_rel8_64_ECX
        );
        self.push(Uop { aux, scale: if narrow { 2 } else { 3 }, ..Uop::new(op) });
        Some(())
    }

    /// A branch on a flag, or on the value that the instruction before put into a register.
    fn branch(&mut self, condition: Condition) -> Option<()> {
        let value = self
            .flags_of
            .and_then(|(reg, width)| Some((reg, table::value_branch(condition, width)?)));
        match value {
            Some((reg, op)) => self.rr(op, Reg::Zero, reg),
            None => self.push(Uop::new(table::BRANCH[condition as usize])),
        }
        Some(())
    }

    fn ret(&mut self) -> Option<()> {
        let extra = match self.instruction.code() {
            Code::Retnq => 0,
            Code::Retnq_imm16 => i32::from(self.instruction.immediate16()),
            _ => return None,
        };
        self.push(Uop { imm: extra, ..Uop::new(Op::Ret) });
        Some(())
    }

    fn push_operand(&mut self) -> Option<()> {
        match self.operand(0) {
            Operand::Low(reg, 3) => self.rr(Op::Push, Reg::Zero, reg),
            Operand::Immediate(value) if self.instruction.stack_pointer_increment() == -8 => {
                self.ri(Op::PushI, Reg::Zero, value as i32);
            }
            Operand::Memory(3) => {
                self.read(0, Reg::T0)?;
                self.rr(Op::Push, Reg::Zero, Reg::T0);
            }
            _ => self.push_word()?,
        }
        Some(())
    }

    fn push_word(&mut self) -> Option<()> {
        let src = self.read(0, Reg::T0)?;
        self.mem(Op::St16, (Reg::Zero, src), Place::at(Reg::Rsp, -2), 0);
        self.mem(Op::Lea64, (Reg::Rsp, Reg::Zero), Place::at(Reg::Rsp, -2), 0);
        Some(())
    }

    fn pop_operand(&mut self) -> Option<()> {
        match self.operand(0) {
            Operand::Low(reg, 3) => self.rr(Op::Pop, reg, Reg::Zero),
            Operand::Low(reg, 1) => {
                self.mem(Op::Ld16, (Reg::T0, Reg::Zero), Place::at(Reg::Rsp, 0), 0);
                self.mem(Op::Lea64, (Reg::Rsp, Reg::Zero), Place::at(Reg::Rsp, 2), 0);
                self.rr(Op::MovRr16, reg, Reg::T0);
            }
            Operand::Memory(width @ (1 | 3)) => {
                let size = 1 << width;
                self.mem(table::LOAD[width], (Reg::T0, Reg::Zero), Place::at(Reg::Rsp, 0), 0);
                // The address counts from the stack pointer after the pop.
                let mut place = self.place();
                if general(self.instruction.memory_base()) == Reg::Rsp {
                    place.disp = place.disp.checked_add(size)?;
                }
                self.mem(table::STORE[width], (Reg::Zero, Reg::T0), place, 0);
                self.mem(Op::Lea64, (Reg::Rsp, Reg::Zero), Place::at(Reg::Rsp, size), 0);
            }
            _ => return None,
        }
        Some(())
    }
}

//! What the families of x87 operations do: find their operands, deal with an empty or a full
//! stack, ask the host, put the result where it belongs.

use super::execute::Effect;
use super::state::*;
use crate::host_fp::x87::{self as host, Frame};

/// An instruction on the host's FPU.
pub(super) type HostOp = fn(&mut Frame);

const CF: u64 = 1 << 0;
const PF: u64 = 1 << 2;
const ZF: u64 = 1 << 6;
/// Overflow and underflow: unmasked, they suppress a store to memory.
const OUT_OF_RANGE: u16 = 0b1_1000;

fn is_nan(value: u128) -> bool {
    value >> 64 & 0x7fff == 0x7fff && value << 65 != 0
}

/// Arithmetic.
impl X87 {
    /// ST(0) = ST(0) op ST(index).
    pub(super) fn combine_top(&mut self, run: HostOp, index: u8) -> Effect {
        match (self.st(0), self.st(index)) {
            (Some(st0), Some(other)) => {
                let frame = self.run(run, st0, other, 0);
                self.finish(&frame, C1, |fpu| fpu.set_st(0, frame.st0))
            }
            _ => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }

    /// ST(index) = ST(index) op ST(0), popping after that if asked to.
    pub(super) fn combine_other(&mut self, run: HostOp, index: u8, pop: bool) -> Effect {
        let deliver = move |fpu: &mut X87, value| {
            fpu.set_st(index, value);
            if pop {
                fpu.pop();
            }
        };
        match (self.st(0), self.st(index)) {
            (Some(st0), Some(other)) => {
                let frame = self.run(run, st0, other, 0);
                self.finish(&frame, C1, |fpu| deliver(fpu, frame.st1))
            }
            _ => self.underflow(|fpu| deliver(fpu, INDEFINITE)),
        }
    }

    /// ST(0) = ST(0) op memory.
    pub(super) fn with_memory(&mut self, run: HostOp, operand: u128) -> Effect {
        match self.st(0) {
            Some(st0) => {
                let frame = self.run(run, st0, 0, operand);
                self.finish(&frame, C1, |fpu| fpu.set_st(0, frame.st0))
            }
            None => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }

    /// ST(0) = op ST(0); `codes` are the condition codes that it defines.
    pub(super) fn unary(&mut self, run: HostOp, codes: u16) -> Effect {
        self.set_codes(codes, 0);
        match self.st(0) {
            Some(st0) => {
                let frame = self.run(run, st0, 0, 0);
                self.finish(&frame, codes, |fpu| fpu.set_st(0, frame.st0))
            }
            None => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }

    /// FPREM and FPREM1; without a quotient (NaN, suppressed) its codes stay.
    pub(super) fn remainder(&mut self, run: HostOp) -> Effect {
        self.set_codes(C2, 0);
        match (self.st(0), self.st(1)) {
            (Some(st0), Some(st1)) => {
                let frame = self.run(run, st0, st1, 0);
                if self.conclude(frame.status, C1 | C2) {
                    self.set_st(0, frame.st0);
                    if !is_nan(frame.st0) {
                        self.set_codes(CODES, frame.status);
                    }
                }
                Effect::Nothing
            }
            _ => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }

    /// ST(0) = ST(0) op ST(1).
    pub(super) fn top_by_next(&mut self, run: HostOp) -> Effect {
        match (self.st(0), self.st(1)) {
            (Some(st0), Some(st1)) => {
                let frame = self.run(run, st0, st1, 0);
                self.finish(&frame, C1, |fpu| fpu.set_st(0, frame.st0))
            }
            _ => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }

    /// ST(1) = ST(1) op ST(0), then pop.
    pub(super) fn next_popping(&mut self, run: HostOp) -> Effect {
        let deliver = |fpu: &mut X87, value| {
            fpu.pop();
            fpu.set_st(0, value);
        };
        match (self.st(0), self.st(1)) {
            (Some(st0), Some(st1)) => {
                let frame = self.run(run, st0, st1, 0);
                self.finish(&frame, C1, |fpu| deliver(fpu, frame.st0))
            }
            _ => self.underflow(|fpu| deliver(fpu, INDEFINITE)),
        }
    }

    /// Replaces ST(0) by two values, unless the host refused to (operand out of range).
    pub(super) fn splitting(&mut self, run: HostOp, codes: u16) -> Effect {
        let deliver = |fpu: &mut X87, below, top| {
            fpu.set_st(0, below);
            fpu.push(top);
        };
        self.set_codes(codes, 0);
        match (self.st(0), self.st(7)) {
            (Some(st0), None) => {
                let frame = self.run(run, st0, 0, 0);
                self.finish(&frame, codes, |fpu| match frame.depth() {
                    2 => deliver(fpu, frame.st1, frame.st0),
                    _ => fpu.set_st(0, frame.st0),
                })
            }
            (None, _) => self.underflow(|fpu| deliver(fpu, INDEFINITE, INDEFINITE)),
            (Some(_), Some(_)) => self.overflow(|fpu| deliver(fpu, INDEFINITE, INDEFINITE)),
        }
    }

    /// Flips or clears the sign of ST(0).
    pub(super) fn change_sign(&mut self, flip: bool) -> Effect {
        match self.st(0) {
            Some(st0) => {
                let value = if flip { st0 ^ F80_SIGN } else { st0 & !F80_SIGN };
                self.set_codes(C1, 0);
                self.set_st(0, value);
                Effect::Nothing
            }
            None => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }
}

/// Loads and stores.
impl X87 {
    /// Pushes what the host's instruction pushes.
    pub(super) fn load(&mut self, run: HostOp, operand: u128) -> Effect {
        if self.st(7).is_some() {
            return self.overflow(|fpu| fpu.push(INDEFINITE));
        }
        let frame = self.run(run, 0, 0, operand);
        self.conclude(frame.status, C1);
        if frame.depth() == 1 {
            self.push(frame.st0);
        }
        Effect::Nothing
    }

    /// Pushes an 80-bit value as it is.
    pub(super) fn load_exactly(&mut self, value: u128) -> Effect {
        if self.st(7).is_some() {
            return self.overflow(|fpu| fpu.push(INDEFINITE));
        }
        self.set_codes(C1, 0);
        self.push(value);
        Effect::Nothing
    }

    /// Pushes ST(index).
    pub(super) fn load_register(&mut self, index: u8) -> Effect {
        match (self.st(index), self.st(7)) {
            (Some(value), None) => self.load_exactly(value),
            (None, _) => self.underflow(|fpu| fpu.push(INDEFINITE)),
            (Some(_), Some(_)) => self.overflow(|fpu| fpu.push(INDEFINITE)),
        }
    }

    /// Stores ST(0) converted by the host to `bits` bits.
    pub(super) fn store(&mut self, run: HostOp, bits: u32, pop: bool) -> Effect {
        let frame = match self.st(0) {
            Some(st0) => {
                let frame = self.run(run, st0, 0, 0);
                let suppressed = self.unmasked(frame.status) & OUT_OF_RANGE != 0;
                if !self.conclude(frame.status, C1) || suppressed {
                    return Effect::Nothing;
                }
                frame
            }
            None if self.stack_fault(false) => self.run(run, INDEFINITE, 0, 0),
            None => return Effect::Nothing,
        };
        if pop {
            self.pop();
        }
        Effect::Store(frame.memory & (u128::MAX >> (128 - bits)))
    }

    /// Stores ST(0) as it is, and pops.
    pub(super) fn store_exactly(&mut self) -> Effect {
        let value = match self.st(0) {
            Some(value) => {
                self.set_codes(C1, 0);
                value
            }
            None if self.stack_fault(false) => INDEFINITE,
            None => return Effect::Nothing,
        };
        self.pop();
        Effect::Store(value)
    }

    /// ST(index) = ST(0), popping after that if asked to.
    pub(super) fn store_register(&mut self, index: u8, pop: bool) -> Effect {
        let deliver = |fpu: &mut X87, value| {
            fpu.set_st(index, value);
            if pop {
                fpu.pop();
            }
        };
        match self.st(0) {
            Some(value) => {
                self.set_codes(C1, 0);
                deliver(self, value);
                Effect::Nothing
            }
            None => self.underflow(|fpu| deliver(fpu, INDEFINITE)),
        }
    }
}

/// Comparisons.
impl X87 {
    /// Compares ST(0) with ST(index) into the condition codes, then pops.
    pub(super) fn compare(&mut self, run: HostOp, index: u8, pops: u8) -> Effect {
        let operands = self.st(0).zip(self.st(index));
        let frame = operands.map(|(st0, other)| self.run(run, st0, other, 0));
        self.conclude_compare(frame, pops)
    }

    /// Compares ST(0) with memory, or with zero.
    pub(super) fn compare_memory(&mut self, run: HostOp, operand: u128, pops: u8) -> Effect {
        let frame = self.st(0).map(|st0| self.run(run, st0, 0, operand));
        self.conclude_compare(frame, pops)
    }

    fn conclude_compare(&mut self, frame: Option<Frame>, pops: u8) -> Effect {
        let pop = |fpu: &mut X87| (0..pops).for_each(|_| fpu.pop());
        match frame {
            Some(frame) => self.finish(&frame, CODES, pop),
            None => {
                self.set_codes(CODES, C0 | C2 | C3);
                self.underflow(pop)
            }
        }
    }

    /// Compares ST(0) with ST(index) into ZF, PF and CF; only the pop is suppressed by an unmasked
    /// exception.
    pub(super) fn compare_to_flags(&mut self, run: HostOp, index: u8, pop: bool) -> Effect {
        let (codes, counts) = match (self.st(0), self.st(index)) {
            (Some(st0), Some(other)) => {
                let frame = self.run(run, st0, other, 0);
                (frame.status, self.conclude(frame.status, 0))
            }
            _ => (C0 | C2 | C3, self.stack_fault(false)),
        };
        if pop && counts {
            self.pop();
        }
        let flag = |code, flag| if codes & code != 0 { flag } else { 0 };
        Effect::Flags(flag(C3, ZF) | flag(C2, PF) | flag(C0, CF))
    }

    /// FXAM: the class of ST(0). The sign of an empty register is that of its old value on
    /// hardware, and positive here.
    pub(super) fn examine(&mut self) -> Effect {
        let codes = match self.st(0) {
            Some(st0) => self.run(host::fxam, st0, 0, 0).status,
            None => C3 | C0,
        };
        self.set_codes(CODES, codes);
        Effect::Nothing
    }
}

/// The register stack.
impl X87 {
    /// Exchanges ST(0) and ST(index); empty ones become NaNs first.
    pub(super) fn exchange(&mut self, index: u8) -> Effect {
        let (top, other) = (self.st(0), self.st(index));
        let swap = |fpu: &mut X87| {
            fpu.set_st(0, other.unwrap_or(INDEFINITE));
            fpu.set_st(index, top.unwrap_or(INDEFINITE));
        };
        if top.is_none() || other.is_none() {
            return self.underflow(swap);
        }
        self.set_codes(C1, 0);
        swap(self);
        Effect::Nothing
    }

    /// ST(0) = ST(index) if the condition holds; both must be in use anyway.
    pub(super) fn move_if(&mut self, condition: bool, index: u8) -> Effect {
        match (self.st(0), self.st(index)) {
            (Some(_), Some(value)) => {
                if condition {
                    self.set_st(0, value);
                }
                Effect::Nothing
            }
            _ => self.underflow(|fpu| fpu.set_st(0, INDEFINITE)),
        }
    }

    /// Moves TOP without touching registers.
    pub(super) fn turn(&mut self, delta: i8) -> Effect {
        self.rotate(delta);
        self.set_codes(C1, 0);
        Effect::Nothing
    }

    /// FFREE: marks ST(index) as empty; FFREEP pops after that.
    pub(super) fn release(&mut self, index: u8, pop: bool) -> Effect {
        self.set_codes(C1, 0);
        self.free(index);
        if pop {
            self.pop();
        }
        Effect::Nothing
    }

    /// A change of state that has no effect outside.
    pub(super) fn quietly(&mut self, change: impl FnOnce(&mut X87)) -> Effect {
        change(self);
        Effect::Nothing
    }
}

/// Asking the host, and what follows.
impl X87 {
    fn run(&self, run: HostOp, st0: u128, st1: u128, memory: u128) -> Frame {
        let mut frame = Frame { st0, st1, memory, control: self.control(), status: 0 };
        run(&mut frame);
        frame
    }

    /// Takes over the host's status, and delivers the result if it counts.
    fn finish(&mut self, frame: &Frame, codes: u16, deliver: impl FnOnce(&mut X87)) -> Effect {
        if self.conclude(frame.status, codes) {
            deliver(self);
        }
        Effect::Nothing
    }

    /// An operand register is empty: delivers the masked response, if it is masked.
    fn underflow(&mut self, deliver: impl FnOnce(&mut X87)) -> Effect {
        if self.stack_fault(false) {
            deliver(self);
        }
        Effect::Nothing
    }

    /// The register to push into is in use: delivers the masked response, if it is masked.
    fn overflow(&mut self, deliver: impl FnOnce(&mut X87)) -> Effect {
        if self.stack_fault(true) {
            deliver(self);
        }
        Effect::Nothing
    }
}

//! The rest of the integer side: conditions, flags, strings, the machine itself.

use super::control::condition;
use super::emit::{Emitter, Operand, Place};
use super::request::is_request;
use super::table;
use crate::kind::{FlagOp, Repeat, Str, Widen};
use crate::reg::Reg;
use crate::uop::{Op, Uop};
use iced_x86::{CpuidFeature, Instruction, Mnemonic, Register};

impl Emitter {
    /// Lowers the instruction at hand; what nobody knows becomes [`Op::Unsupported`].
    pub(super) fn instruction(&mut self) {
        if let Some(pattern) = self.style.stack_fill {
            self.fill_stack(pattern);
        }
        if self.style.frames {
            self.account();
        }
        let mark = self.uops.len();
        if self.instruction.is_invalid() {
            self.push(Uop::new(Op::Illegal));
            return;
        }
        let lowered = (is_permitted(&self.instruction, self.profile.has_v2()))
            .then(|| self.integer().or_else(|| self.others(mark)))
            .flatten();
        if lowered.is_none() {
            self.uops.truncate(mark);
            self.unsupported();
        }
    }

    fn others(&mut self, mark: usize) -> Option<()> {
        self.uops.truncate(mark);
        self.control()
            .or_else(|| self.conditional_data())
            .or_else(|| self.string())
            .or_else(|| self.system())
            .or_else(|| self.vector())
            .or_else(|| self.x87())
    }

    fn conditional_data(&mut self) -> Option<()> {
        let condition = condition(self.instruction.condition_code())?;
        if self.instruction.op_count() == 1 {
            match self.operand(0) {
                Operand::Low(reg, 0) => {
                    self.rr(table::SET[condition as usize], reg, Reg::Zero);
                }
                _ => {
                    self.rr(table::SET[condition as usize], Reg::T0, Reg::Zero);
                    self.write(0, Reg::T0);
                }
            }
            return Some(());
        }
        let Operand::Low(dst, width) = self.operand(0) else { return None };
        let src = self.read(1, Reg::T0)?;
        let op = match width {
            2 | 3 => table::MOVE_IF[width - 2][condition as usize],
            _ => Op::Cmov16,
        };
        self.push(Uop { dst, src, aux: condition as u8, ..Uop::new(op) });
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        use Mnemonic as M;
        let (kind, width) = match self.instruction.mnemonic() {
            M::Movsb => (Str::Movs, 0),
            M::Movsw => (Str::Movs, 1),
            M::Movsd if self.instruction.is_string_instruction() => (Str::Movs, 2),
            M::Movsq => (Str::Movs, 3),
            M::Stosb => (Str::Stos, 0),
            M::Stosw => (Str::Stos, 1),
            M::Stosd => (Str::Stos, 2),
            M::Stosq => (Str::Stos, 3),
            M::Lodsb => (Str::Lods, 0),
            M::Lodsw => (Str::Lods, 1),
            M::Lodsd => (Str::Lods, 2),
            M::Lodsq => (Str::Lods, 3),
            M::Cmpsb => (Str::Cmps, 0),
            M::Cmpsw => (Str::Cmps, 1),
            M::Cmpsd if self.instruction.is_string_instruction() => (Str::Cmps, 2),
            M::Cmpsq => (Str::Cmps, 3),
            M::Scasb => (Str::Scas, 0),
            M::Scasw => (Str::Scas, 1),
            M::Scasd => (Str::Scas, 2),
            M::Scasq => (Str::Scas, 3),
            _ => return None,
        };
        if self.uses_narrow_addresses() || self.has_far_segment() {
            return None;
        }
        let compares = matches!(kind, Str::Cmps | Str::Scas);
        let repeat = match (self.instruction.has_rep_prefix(), self.instruction.has_repne_prefix())
        {
            (false, false) => Repeat::Once,
            (true, _) => Repeat::While,
            (false, true) if compares => Repeat::Until,
            (false, true) => Repeat::While,
        };
        if !self.style.fuse_memory {
            self.string_split(kind, repeat, width);
            return Some(());
        }
        self.general(Op::String, (Reg::Zero, Reg::Zero), kind as u8, width);
        self.uops.last_mut()?.imm = repeat as i32;
        Some(())
    }

    /// A string operation as micro-ops of one access each; a repeated one is a loop of one
    /// instruction.
    fn string_split(&mut self, kind: Str, repeat: Repeat, width: usize) {
        let none = (Reg::Zero, Reg::Zero);
        let (from, to) = (Place::at(Reg::Rsi, 0), Place::at(Reg::Rdi, 0));
        if repeat != Repeat::Once {
            self.push(Uop::new(Op::StringGuard));
        }
        let load = table::LOAD[width];
        match kind {
            Str::Movs => {
                self.mem(load, (Reg::T0, Reg::Zero), from, 0);
                self.mem(table::STORE[width], (Reg::Zero, Reg::T0), to, 0);
            }
            Str::Stos => self.mem(table::STORE[width], (Reg::Zero, Reg::Rax), to, 0),
            Str::Lods => {
                self.mem(load, (Reg::T0, Reg::Zero), from, 0);
                self.rr(table::MOVE[width], Reg::Rax, Reg::T0);
            }
            Str::Cmps => {
                self.mem(load, (Reg::T0, Reg::Zero), from, 0);
                self.mem(load, (Reg::T1, Reg::Zero), to, 0);
                self.rr(table::CMP.rr[width], Reg::T0, Reg::T1);
            }
            Str::Scas => {
                self.mem(load, (Reg::T1, Reg::Zero), to, 0);
                self.rr(table::CMP.rr[width], Reg::Rax, Reg::T1);
            }
        }
        self.general(Op::StringAdvance, none, kind as u8, width);
        if repeat != Repeat::Once {
            self.general(Op::StringAgain, none, kind as u8, width);
            self.taken = self.instruction.ip();
            if let Some(last) = self.uops.last_mut() {
                last.imm = repeat as i32;
            }
        }
    }

    pub(super) fn has_far_segment(&self) -> bool {
        matches!(self.instruction.segment_prefix(), Register::FS | Register::GS)
    }

    pub(super) fn uses_narrow_addresses(&self) -> bool {
        use iced_x86::OpKind as K;
        let narrow =
            [K::MemorySegESI, K::MemoryESEDI, K::MemorySegEDI, K::MemorySegSI, K::MemoryESDI];
        (0..self.instruction.op_count()).any(|n| narrow.contains(&self.instruction.op_kind(n)))
    }

    fn system(&mut self) -> Option<()> {
        use Mnemonic as M;
        let plain = |op| Some(Uop::new(op));
        let flag = |kind: FlagOp| Some(Uop { aux: kind as u8, ..Uop::new(Op::FlagOp) });
        let widen = |kind: Widen| Some(Uop { aux: kind as u8, ..Uop::new(Op::Widen) });
        let uop = match self.instruction.mnemonic() {
            M::Nop if is_request(&self.instruction) => plain(Op::Request),
            M::Nop
            | M::Endbr64
            | M::Endbr32
            | M::Prefetchnta
            | M::Prefetcht0
            | M::Prefetcht1
            | M::Prefetcht2
            | M::Prefetchw
            | M::Prefetch
            | M::Reservednop => None,
            // Without a shadow stack, reading its pointer does nothing: unwinders rely on it.
            M::Rdsspd | M::Rdsspq => None,
            M::Clflush => return self.touch(),
            M::Pause => plain(Op::Pause),
            M::Mfence | M::Lfence | M::Sfence => plain(Op::Fence),
            M::Syscall => plain(Op::Syscall),
            M::Cpuid => plain(Op::Cpuid),
            M::Rdtsc => plain(Op::TimeStamp),
            M::Int3 => plain(Op::Breakpoint),
            M::Ud2 | M::Ud1 | M::Ud0 => plain(Op::Illegal),
            M::Cbw => widen(Widen::Cbw),
            M::Cwde => widen(Widen::Cwde),
            M::Cdqe => widen(Widen::Cdqe),
            M::Cwd => widen(Widen::Cwd),
            M::Cdq => widen(Widen::Cdq),
            M::Cqo => widen(Widen::Cqo),
            M::Clc => flag(FlagOp::Clc),
            M::Stc => flag(FlagOp::Stc),
            M::Cmc => flag(FlagOp::Cmc),
            M::Cld => flag(FlagOp::Cld),
            M::Std => flag(FlagOp::Std),
            M::Lahf => flag(FlagOp::Lahf),
            M::Sahf => flag(FlagOp::Sahf),
            M::Cmpxchg8b => return self.memory_op(Op::Cmpxchg8b),
            M::Cmpxchg16b => return self.memory_op(Op::Cmpxchg16b),
            M::Crc32 => return self.crc32(),
            _ => return None,
        };
        if let Some(uop) = uop {
            self.push(uop);
        }
        Some(())
    }

    fn memory_op(&mut self, op: Op) -> Option<()> {
        let place = self.place();
        self.mem(op, (Reg::Zero, Reg::Zero), place, 0);
        Some(())
    }

    /// Reads a byte for the sake of the fault that it may cause.
    fn touch(&mut self) -> Option<()> {
        let place = self.place();
        self.mem(Op::Ld8, (Reg::T0, Reg::Zero), place, 0);
        Some(())
    }

    fn crc32(&mut self) -> Option<()> {
        let Operand::Low(dst, _) = self.operand(0) else { return None };
        let width = self.width(1)?;
        let src = self.read(1, Reg::T0)?;
        self.general(Op::Crc32, (dst, src), 0, width);
        Some(())
    }
}

/// Whether the profile's processor has the instruction at all.
fn is_permitted(instruction: &Instruction, v2: bool) -> bool {
    use CpuidFeature as F;
    instruction.cpuid_features().iter().all(|feature| match feature {
        F::INTEL8086
        | F::INTEL8086_ONLY
        | F::INTEL186
        | F::INTEL286
        | F::INTEL386
        | F::INTEL486
        | F::X64
        | F::CPUID
        | F::CMOV
        | F::CX8
        | F::CMPXCHG16B
        | F::CLFSH
        | F::FPU
        | F::FPU287
        | F::FPU387
        | F::FXSR
        | F::SSE
        | F::SSE2
        | F::SYSCALL
        | F::TSC
        | F::MULTIBYTENOP
        | F::PAUSE
        | F::CET_IBT
        // Only RDSSP, which does nothing without shadow stacks, is lowered.
        | F::CET_SS
        | F::PREFETCHW
        | F::MMX => true,
        // LAHF and SAHF are on every processor of this century.
        F::SSE3 | F::SSSE3 | F::SSE4_1 | F::SSE4_2 | F::POPCNT => v2,
        _ => false,
    })
}

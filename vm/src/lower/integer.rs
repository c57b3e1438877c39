//! Integer instructions: moves, arithmetic, shifts, bits.

use super::emit::{Emitter, Operand, Place, WidthIndex};
use super::table::{self, Family};
use crate::kind::{BitScan, BitTest, MulDiv, Rmw, Shift};
use crate::reg::Reg;
use crate::uop::{Op, Uop};
use iced_x86::{Instruction, Mnemonic};

impl Emitter {
    /// Lowers an integer instruction; `None` if it is none.
    pub(super) fn integer(&mut self) -> Option<()> {
        use Mnemonic as M;
        match self.instruction.mnemonic() {
            M::Mov | M::Movnti => self.mov()?,
            M::Movzx => self.extend(false)?,
            M::Movsx | M::Movsxd => self.extend(true)?,
            M::Lea => self.lea()?,
            M::Add => self.binary(&table::ADD)?,
            M::Sub => self.binary(&table::SUB)?,
            M::And => self.binary(&table::AND)?,
            M::Or => self.binary(&table::OR)?,
            M::Xor => self.binary(&table::XOR)?,
            M::Cmp => self.binary(&table::CMP)?,
            M::Test => self.binary(&table::TEST)?,
            M::Adc => self.binary(&table::ADC)?,
            M::Sbb => self.binary(&table::SBB)?,
            M::Inc => self.unary(&table::INC, Rmw::Inc)?,
            M::Dec => self.unary(&table::DEC, Rmw::Dec)?,
            M::Neg => self.unary(&table::NEG, Rmw::Neg)?,
            M::Not => self.unary(&table::NOT, Rmw::Not)?,
            M::Shl | M::Sal => self.shift(Shift::Shl)?,
            M::Shr => self.shift(Shift::Shr)?,
            M::Sar => self.shift(Shift::Sar)?,
            M::Rol => self.shift(Shift::Rol)?,
            M::Ror => self.shift(Shift::Ror)?,
            M::Rcl => self.shift(Shift::Rcl)?,
            M::Rcr => self.shift(Shift::Rcr)?,
            M::Shld => self.shift_double(true)?,
            M::Shrd => self.shift_double(false)?,
            M::Imul => self.imul()?,
            M::Mul => self.mul_div(MulDiv::Mul)?,
            M::Div => self.mul_div(MulDiv::Div)?,
            M::Idiv => self.mul_div(MulDiv::Idiv)?,
            M::Bt => self.bit_test(BitTest::Test)?,
            M::Bts => self.bit_test(BitTest::Set)?,
            M::Btr => self.bit_test(BitTest::Reset)?,
            M::Btc => self.bit_test(BitTest::Complement)?,
            M::Bsf => self.bit_scan(BitScan::Forward)?,
            M::Bsr => self.bit_scan(BitScan::Reverse)?,
            M::Popcnt if self.profile.has_v2() => self.bit_scan(BitScan::Population)?,
            M::Bswap => self.bswap()?,
            M::Xchg => self.xchg()?,
            M::Xadd => self.xadd()?,
            M::Cmpxchg => self.cmpxchg()?,
            _ => return None,
        }
        Some(())
    }

    fn mov(&mut self) -> Option<()> {
        match (self.operand(0), self.operand(1)) {
            (Operand::Low(dst, width), Operand::Low(src, _)) => {
                self.rr(table::MOVE[width], dst, src);
            }
            (Operand::Low(dst, width), Operand::Immediate(value)) => match width {
                0 => self.ri(Op::MovI8, dst, value as i32),
                1 => self.ri(Op::MovI16, dst, value as i32),
                2 => self.constant(dst, value as u32 as u64),
                _ => self.constant(dst, value as u64),
            },
            (Operand::Low(dst, width), Operand::Memory(_)) => {
                let place = self.place();
                let flat = place.index == Reg::Zero;
                let op = match width {
                    0 => Op::LdMerge8,
                    1 => Op::LdMerge16,
                    2 if flat => Op::Ld32B,
                    3 if flat => Op::Ld64B,
                    width => table::LOAD[width],
                };
                self.mem(op, (dst, Reg::Zero), place, 0);
            }
            (Operand::Memory(width), Operand::Low(src, _)) => {
                let place = self.place();
                let flat = place.index == Reg::Zero;
                let op = match width {
                    2 if flat => Op::St32B,
                    3 if flat => Op::St64B,
                    width => table::STORE[width],
                };
                self.mem(op, (Reg::Zero, src), place, 0);
            }
            (Operand::Memory(width), Operand::Immediate(value)) => {
                let place = self.place();
                let none = (Reg::Zero, Reg::Zero);
                self.mem(table::STORE_IMMEDIATE[width], none, place, value as i32);
            }
            (Operand::Other, _) | (_, Operand::Other) => return None,
            _ => {
                let src = self.read(1, Reg::T0)?;
                self.write(0, src);
            }
        }
        Some(())
    }

    fn extend(&mut self, signed: bool) -> Option<()> {
        let (Operand::Low(dst, to), from) = (self.operand(0), self.width(1)?) else { return None };
        let (register, memory) = match (signed, from, to) {
            (false, 0, _) => (Op::Zx8, Op::Ld8),
            (false, 1, _) => (Op::Zx16, Op::Ld16),
            (true, 0, 3) => (Op::Sx8to64, Op::Lds8to64),
            (true, 0, _) => (Op::Sx8to32, Op::Lds8to32),
            (true, 1, 3) => (Op::Sx16to64, Op::Lds16to64),
            (true, 1, _) => (Op::Sx16to32, Op::Lds16to32),
            (true, 2, 3) => (Op::Sx32to64, Op::Lds32to64),
            (true, 2, _) => (Op::MovRr32, Op::Ld32),
            _ => return None,
        };
        // A 16-bit destination keeps its upper bits.
        let target = if to == 1 { Reg::T0 } else { dst };
        match self.operand(1) {
            Operand::Low(src, _) => self.rr(register, target, src),
            Operand::High(src) => {
                self.rr(Op::GetHigh, Reg::T0, src);
                self.rr(register, target, Reg::T0);
            }
            _ => {
                let place = self.place();
                self.mem(memory, (target, Reg::Zero), place, 0);
            }
        }
        if to == 1 {
            self.rr(Op::MovRr16, dst, Reg::T0);
        }
        Some(())
    }

    fn lea(&mut self) -> Option<()> {
        let Operand::Low(dst, width) = self.operand(0) else { return None };
        // The effective address leaves segments out.
        self.instruction.set_segment_prefix(iced_x86::Register::None);
        let place = self.place();
        match width {
            3 => self.mem(Op::Lea64, (dst, Reg::Zero), place, 0),
            2 => self.mem(Op::Lea32, (dst, Reg::Zero), place, 0),
            _ => {
                self.mem(Op::Lea64, (Reg::T0, Reg::Zero), place, 0);
                self.rr(Op::MovRr16, dst, Reg::T0);
            }
        }
        Some(())
    }

    fn binary(&mut self, family: &Family) -> Option<()> {
        let quiet = if self.flags_dead { family.quiet } else { None };
        match (self.operand(0), self.operand(1)) {
            (Operand::Low(dst, width), Operand::Low(src, _)) => {
                let op = quiet_or(quiet.map(|(rr, _)| rr), family.rr, width);
                self.rr(op, dst, src);
            }
            (Operand::Low(dst, width), Operand::Immediate(value)) => {
                let op = quiet_or(quiet.map(|(_, ri)| ri), family.ri, width);
                self.ri(op, dst, value as i32);
            }
            (Operand::Low(dst, width), Operand::Memory(_)) if family.rm.is_some() => {
                let place = self.place();
                self.mem(family.rm?[width], (dst, Reg::Zero), place, 0);
            }
            (Operand::Memory(width), source) => self.binary_memory(family, width, source)?,
            (Operand::Other, _) | (_, Operand::Other) => return None,
            _ => {
                let a = self.read(0, Reg::T0)?;
                let b = self.read(1, Reg::T1)?;
                self.rr(Op::MovRr64, Reg::T0, a);
                self.rr(family.rr[0], Reg::T0, b);
                if family.compared.is_none() {
                    self.write(0, Reg::T0);
                }
            }
        }
        Some(())
    }

    fn binary_memory(&mut self, family: &Family, width: WidthIndex, source: Operand) -> Option<()> {
        let locked = self.instruction.has_lock_prefix();
        if let (true, Some(kind)) = (locked, family.rmw) {
            let src = self.read(1, Reg::T1)?;
            return self.rmw(kind, width, src);
        }
        let forms = match (family.compared, family.fused) {
            (Some((mr, mi)), _) => Some((mr[width], mi[width])),
            (None, Some((mr, mi))) if width >= 2 && self.style.fuse_memory => {
                Some((mr[width - 2], mi[width - 2]))
            }
            _ => None,
        };
        match (forms, source) {
            (Some((mr, _)), Operand::Low(src, _)) => {
                let place = self.place();
                self.mem(mr, (Reg::Zero, src), place, 0);
            }
            (Some((_, mi)), Operand::Immediate(value)) => {
                let place = self.place();
                self.mem(mi, (Reg::Zero, Reg::Zero), place, value as i32);
            }
            _ => {
                let src = self.read(1, Reg::T1)?;
                let place = self.place();
                self.mem(table::LOAD_WRITABLE[width], (Reg::T0, Reg::Zero), place, 0);
                self.rr(family.rr[width], Reg::T0, src);
                self.write(0, Reg::T0);
            }
        }
        Some(())
    }

    /// A read-modify-write in one piece.
    fn rmw(&mut self, kind: Rmw, width: WidthIndex, src: Reg) -> Option<()> {
        let place = self.place();
        self.mem(table::RMW[width], (Reg::Zero, src), place, kind as i32);
        let locked = self.instruction.has_lock_prefix() || kind == Rmw::Xchg;
        self.uops.last_mut()?.aux = u8::from(locked);
        Some(())
    }

    fn unary(&mut self, ops: &[Op; 4], kind: Rmw) -> Option<()> {
        match self.operand(0) {
            Operand::Low(reg, width) => self.rr(ops[width], reg, Reg::Zero),
            Operand::Memory(width) if self.instruction.has_lock_prefix() => {
                self.rmw(kind, width, Reg::Zero)?;
            }
            Operand::Memory(width) => {
                let place = self.place();
                self.mem(table::LOAD_WRITABLE[width], (Reg::T0, Reg::Zero), place, 0);
                self.rr(ops[width], Reg::T0, Reg::Zero);
                self.write(0, Reg::T0);
            }
            _ => {
                self.read(0, Reg::T0)?;
                self.rr(ops[0], Reg::T0, Reg::Zero);
                self.write(0, Reg::T0);
            }
        }
        Some(())
    }

    /// The first operand in a register that may be changed, loaded if need be.
    fn target(&mut self) -> Option<(Reg, WidthIndex)> {
        match self.operand(0) {
            Operand::Low(reg, width) => Some((reg, width)),
            Operand::Memory(width) => {
                let place = self.place();
                self.mem(table::LOAD_WRITABLE[width], (Reg::T0, Reg::Zero), place, 0);
                Some((Reg::T0, width))
            }
            Operand::High(reg) => {
                self.rr(Op::GetHigh, Reg::T0, reg);
                Some((Reg::T0, 0))
            }
            _ => None,
        }
    }

    fn put_back(&mut self, reg: Reg) {
        if reg == Reg::T0 {
            self.write(0, Reg::T0);
        }
    }

    fn shift(&mut self, kind: Shift) -> Option<()> {
        let (reg, width) = self.target()?;
        match self.operand(1) {
            Operand::Immediate(count) => {
                let count = count as i32 & if width == 3 { 63 } else { 31 };
                let fast = match kind {
                    Shift::Shl => Some([Op::ShlNf32, Op::ShlNf64]),
                    Shift::Shr => Some([Op::ShrNf32, Op::ShrNf64]),
                    Shift::Sar => Some([Op::SarNf32, Op::SarNf64]),
                    Shift::Rol | Shift::Ror => Some([Op::RolNf32, Op::RolNf64]),
                    _ => None,
                };
                let loud = match kind {
                    Shift::Shl => Some([Op::ShlI32, Op::ShlI64]),
                    Shift::Shr => Some([Op::ShrI32, Op::ShrI64]),
                    Shift::Sar => Some([Op::SarI32, Op::SarI64]),
                    _ => None,
                };
                match fast {
                    _ if !self.flags_dead && width >= 2 && count != 0 && loud.is_some() => {
                        self.ri(loud?[width - 2], reg, count);
                    }
                    Some(fast) if self.flags_dead && width >= 2 => {
                        let left = if kind == Shift::Ror { -count } else { count };
                        self.ri(fast[width - 2], reg, left);
                    }
                    _ => {
                        self.general(Op::ShiftI, (reg, Reg::Zero), kind as u8, width);
                        self.uops.last_mut()?.imm = count;
                    }
                }
            }
            _ => self.general(Op::ShiftCl, (reg, Reg::Zero), kind as u8, width),
        }
        self.put_back(reg);
        Some(())
    }

    fn shift_double(&mut self, left: bool) -> Option<()> {
        let (reg, width) = self.target()?;
        let Operand::Low(src, _) = self.operand(1) else { return None };
        let (by_cl, count) = match self.operand(2) {
            Operand::Immediate(count) => (false, count as i32),
            _ => (true, 0),
        };
        let aux = u8::from(left) | u8::from(by_cl) << 1;
        self.general(Op::ShiftDouble, (reg, src), aux, width);
        self.uops.last_mut()?.imm = count;
        self.put_back(reg);
        Some(())
    }

    fn imul(&mut self) -> Option<()> {
        match self.instruction.op_count() {
            1 => self.mul_div(MulDiv::Imul),
            2 => {
                let Operand::Low(dst, width) = self.operand(0) else { return None };
                let src = self.read(1, Reg::T0)?;
                match width {
                    2 if self.flags_dead => self.rr(Op::ImulNf32, dst, src),
                    3 if self.flags_dead => self.rr(Op::ImulNf64, dst, src),
                    _ => self.general(Op::Imul, (dst, src), 0, width),
                }
                Some(())
            }
            _ => {
                let Operand::Low(dst, width) = self.operand(0) else { return None };
                let Operand::Immediate(factor) = self.operand(2) else { return None };
                let src = self.read(1, Reg::T0)?;
                match width {
                    2 if self.flags_dead => self.rr(Op::ImulINf32, dst, src),
                    3 if self.flags_dead => self.rr(Op::ImulINf64, dst, src),
                    _ => self.general(Op::Imul, (dst, src), 1, width),
                }
                self.uops.last_mut()?.imm = factor as i32;
                Some(())
            }
        }
    }

    fn mul_div(&mut self, kind: MulDiv) -> Option<()> {
        let width = self.width(0)?;
        let src = self.read(0, Reg::T0)?;
        self.general(Op::MulDiv, (Reg::Zero, src), kind as u8, width);
        Some(())
    }

    fn bit_test(&mut self, kind: BitTest) -> Option<()> {
        let width = self.width(0)?;
        let bit = match self.operand(1) {
            Operand::Low(reg, _) => Ok(reg),
            Operand::Immediate(value) => Err(value as i32 & ((8 << width) - 1)),
            _ => return None,
        };
        let (src, imm) = (bit.unwrap_or(Reg::Zero), bit.err().unwrap_or(0));
        let push = |emitter: &mut Emitter, dst| {
            let uop =
                Uop { dst, src, imm, aux: kind as u8, scale: width as u8, ..Uop::new(Op::BitTest) };
            emitter.push(uop);
        };
        if let Operand::Low(dst, _) = self.operand(0) {
            push(self, dst);
            return Some(());
        }
        let place = self.place();
        let at = if bit.is_ok() {
            self.mem(Op::BitAddr, (Reg::T1, src), place, 0);
            self.uops.last_mut()?.aux = width as u8;
            let at = Place::at(Reg::T1, 0);
            if self.has_narrow_address() {
                if place.base != Reg::Zero {
                    return None;
                }
                self.mem(Op::Lea32, (Reg::T1, Reg::Zero), at, 0);
            }
            at
        } else {
            place
        };
        let rmw = match kind {
            BitTest::Test => None,
            BitTest::Set => Some(Rmw::Bts),
            BitTest::Reset => Some(Rmw::Btr),
            BitTest::Complement => Some(Rmw::Btc),
        };
        if let (true, Some(rmw)) = (self.instruction.has_lock_prefix(), rmw) {
            let operand = if bit.is_ok() { src } else { Reg::T2 };
            if bit.is_err() {
                self.constant(Reg::T2, imm as u64);
            }
            self.mem(table::RMW[width], (Reg::Zero, operand), at, rmw as i32);
            self.uops.last_mut()?.aux = 1;
            return Some(());
        }
        let load = if rmw.is_some() { table::LOAD_WRITABLE } else { table::LOAD };
        self.mem(load[width], (Reg::T0, Reg::Zero), at, 0);
        push(self, Reg::T0);
        if rmw.is_some() {
            self.mem(table::STORE[width], (Reg::Zero, Reg::T0), at, 0);
        }
        Some(())
    }

    fn bit_scan(&mut self, kind: BitScan) -> Option<()> {
        let Operand::Low(dst, width) = self.operand(0) else { return None };
        let src = self.read(1, Reg::T0)?;
        self.general(Op::BitScan, (dst, src), kind as u8, width);
        Some(())
    }

    fn bswap(&mut self) -> Option<()> {
        match self.operand(0) {
            Operand::Low(reg, 2) => self.rr(Op::Bswap32, reg, Reg::Zero),
            Operand::Low(reg, 3) => self.rr(Op::Bswap64, reg, Reg::Zero),
            _ => return None,
        }
        Some(())
    }

    fn xchg(&mut self) -> Option<()> {
        match (self.operand(0), self.operand(1)) {
            (Operand::Low(a, width), Operand::Low(b, _)) => {
                self.rr(Op::MovRr64, Reg::T0, a);
                self.rr(table::MOVE[width], a, b);
                self.rr(table::MOVE[width], b, Reg::T0);
            }
            (Operand::Memory(width), Operand::Low(reg, _)) => {
                self.rmw(Rmw::Xchg, width, reg)?;
            }
            (Operand::Memory(_), Operand::High(_)) => {
                self.read(1, Reg::T1)?;
                self.rmw(Rmw::Xchg, 0, Reg::T1)?;
                self.write(1, Reg::T1);
            }
            _ => {
                let a = self.read(0, Reg::T0)?;
                let b = self.read(1, Reg::T1)?;
                self.rr(Op::MovRr64, Reg::T2, a);
                self.write(0, b);
                self.write(1, Reg::T2);
            }
        }
        Some(())
    }

    fn xadd(&mut self) -> Option<()> {
        if let Operand::Memory(width) = self.operand(0) {
            let src = self.read(1, Reg::T1)?;
            self.rmw(Rmw::Xadd, width, src)?;
            if src == Reg::T1 {
                self.write(1, Reg::T1);
            }
            return Some(());
        }
        let width = self.width(0)?;
        let a = self.read(0, Reg::T0)?;
        let b = self.read(1, Reg::T1)?;
        self.rr(Op::MovRr64, Reg::T2, b);
        self.rr(Op::MovRr64, Reg::T3, a);
        self.write(1, Reg::T3);
        self.rr(table::ADD.rr[width], Reg::T2, Reg::T3);
        self.write(0, Reg::T2);
        Some(())
    }

    fn cmpxchg(&mut self) -> Option<()> {
        if let Operand::Memory(width) = self.operand(0) {
            let src = self.read(1, Reg::T1)?;
            return self.rmw(Rmw::Cmpxchg, width, src);
        }
        let width = self.width(0)?;
        let a = self.read(0, Reg::T0)?;
        let b = self.read(1, Reg::T1)?;
        self.general(Op::CmpxchgReg, (a, b), 0, width);
        if a == Reg::T0 {
            self.write(0, Reg::T0);
        }
        Some(())
    }
}

fn quiet_or(quiet: Option<[Op; 2]>, loud: [Op; 4], width: WidthIndex) -> Op {
    match quiet {
        Some(quiet) if width >= 2 => quiet[width - 2],
        _ => loud[width],
    }
}

/// Whether an instruction is one of this module's comparisons.
pub(super) fn is_comparison(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test)
}

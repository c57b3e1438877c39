//! Vector instructions: operands from registers and memory, arithmetic in [`crate::vector`].

use super::Refusal;
use super::cell::{watch, watch_sequel};
use crate::context::{Core, Floating};
use crate::fault::AccessKind;
use crate::flags::Flags;
use crate::memory::Memory;
use crate::monitor::Monitor;
use crate::reg::Reg;
use crate::vector::classify::StringKind;
use crate::vector::string::{self, Lengths};
use crate::vector::{self as unit, VecForm, mxcsr};

/// Memory as the vector unit sees it: up to 16 bytes, zero-extended.
struct Port<'a, M> {
    memory: &'a mut Memory,
    monitor: &'a mut M,
    addr: u64,
    /// An access was made already: the instruction cannot stop any more.
    begun: bool,
}

impl<M: Monitor> Port<'_, M> {
    fn announce(&mut self, place: (u64, u32), kind: AccessKind) -> Result<(), Refusal> {
        if std::mem::replace(&mut self.begun, true) {
            watch_sequel::<M>(self.monitor, place, kind);
            return Ok(());
        }
        watch::<M>(self.monitor, place, kind, false)
    }

    fn load(&mut self, bytes: u8, aligned: bool) -> Result<u128, Refusal> {
        let (addr, size) = (self.addr, u32::from(bytes));
        if aligned && addr & 15 != 0 {
            return Err(Refusal::Misaligned { addr, kind: AccessKind::Read });
        }
        self.announce((addr, size), AccessKind::Read)?;
        let loaded = match bytes {
            1 => self.memory.load::<1, M>(addr).map(|b| u128::from(u8::from_le_bytes(b))),
            2 => self.memory.load::<2, M>(addr).map(|b| u128::from(u16::from_le_bytes(b))),
            4 => self.memory.load::<4, M>(addr).map(|b| u128::from(u32::from_le_bytes(b))),
            8 => self.memory.load::<8, M>(addr).map(|b| u128::from(u64::from_le_bytes(b))),
            _ => self.memory.load::<16, M>(addr).map(u128::from_le_bytes),
        };
        loaded.ok_or(Refusal::Access { addr, size, kind: AccessKind::Read })
    }

    fn store(&mut self, bytes: u8, aligned: bool, value: u128) -> Result<(), Refusal> {
        let (addr, size) = (self.addr, u32::from(bytes));
        if aligned && addr & 15 != 0 {
            return Err(Refusal::Misaligned { addr, kind: AccessKind::Write });
        }
        self.announce((addr, size), AccessKind::Write)?;
        let stored = match bytes {
            1 => self.memory.store::<1, M>(addr, (value as u8).to_le_bytes()),
            2 => self.memory.store::<2, M>(addr, (value as u16).to_le_bytes()),
            4 => self.memory.store::<4, M>(addr, (value as u32).to_le_bytes()),
            8 => self.memory.store::<8, M>(addr, (value as u64).to_le_bytes()),
            _ => self.memory.store::<16, M>(addr, value.to_le_bytes()),
        };
        stored.ok_or(Refusal::Access { addr, size, kind: AccessKind::Write })
    }
}

fn trapping<T>(state: &mut u32, operation: impl FnOnce(&mut u32) -> T) -> Result<T, Refusal> {
    mxcsr::trapping(state, operation).map_err(|_| Refusal::FloatingPoint)
}

/// Executes one vector instruction whose memory operand, if any, is at `addr`.
pub(super) fn vector<M: Monitor>(
    core: &mut Core,
    floating: &mut Floating,
    memory: &mut Memory,
    monitor: &mut M,
    form: VecForm,
    addr: u64,
) -> Result<(), Refusal> {
    let mut port = Port { memory, monitor, addr, begun: false };
    let Floating { xmm, mxcsr: state, .. } = floating;
    let at = |reg: u8| usize::from(reg & 15);
    match form {
        VecForm::XmmXmm { op, dst, src, imm } => {
            let (a, b) = (xmm[at(dst)], xmm[at(src)]);
            xmm[at(dst)] = trapping(state, |state| unit::apply(op, a, b, imm, state))?;
        }
        VecForm::XmmMem { op, dst, bytes, aligned, imm } => {
            let b = port.load(bytes, aligned)?;
            let a = xmm[at(dst)];
            xmm[at(dst)] = trapping(state, |state| unit::apply(op, a, b, imm, state))?;
        }
        VecForm::MemXmm { op, src, bytes, aligned } => {
            port.store(bytes, aligned, unit::store_value(op, xmm[at(src)]))?;
        }
        VecForm::GprXmm { op, dst, dst_bits, src, imm } => {
            let a = xmm[at(src)];
            let value = trapping(state, |state| unit::to_gpr(op, dst_bits, a, imm, state))?;
            core.regs[at(dst)] = value;
        }
        VecForm::GprMem { op, dst, dst_bits, bytes } => {
            let a = port.load(bytes, false)?;
            let value = trapping(state, |state| unit::to_gpr(op, dst_bits, a, 0, state))?;
            core.regs[at(dst)] = value;
        }
        VecForm::XmmGpr { op, dst, src, src_bits, imm } => {
            let (a, b) = (xmm[at(dst)], core.regs[at(src)]);
            xmm[at(dst)] = trapping(state, |state| unit::from_gpr(op, src_bits, a, b, imm, state))?;
        }
        VecForm::XmmMemInt { op, dst, bytes, imm } => {
            let b = port.load(bytes, false)? as u64;
            let a = xmm[at(dst)];
            xmm[at(dst)] =
                trapping(state, |state| unit::from_gpr(op, 8 * bytes, a, b, imm, state))?;
        }
        VecForm::MemFromXmm { op, src, bytes, imm } => {
            let value = unit::to_gpr(op, 64, xmm[at(src)], imm, state);
            port.store(bytes, false, u128::from(value))?;
        }
        VecForm::FlagsXmmXmm { op, dst, src } => {
            let (a, b) = (xmm[at(dst)], xmm[at(src)]);
            let flags = trapping(state, |state| unit::compare_flags(op, a, b, state))?;
            core.flags = Flags::eager(flags);
        }
        VecForm::FlagsXmmMem { op, dst, bytes, aligned } => {
            let b = port.load(bytes, aligned)?;
            let a = xmm[at(dst)];
            let flags = trapping(state, |state| unit::compare_flags(op, a, b, state))?;
            core.flags = Flags::eager(flags);
        }
        VecForm::BlendXmm { op, dst, src } => {
            xmm[at(dst)] = unit::blend(op, xmm[at(dst)], xmm[at(src)], xmm[0]);
        }
        VecForm::BlendMem { op, dst } => {
            let b = port.load(16, true)?;
            xmm[at(dst)] = unit::blend(op, xmm[at(dst)], b, xmm[0]);
        }
        VecForm::StringXmm { kind, dst, src, imm } => {
            let b = xmm[at(src)];
            compare_strings(core, xmm, kind, (at(dst), b), imm);
        }
        VecForm::StringMem { kind, dst, imm } => {
            let b = port.load(16, false)?;
            compare_strings(core, xmm, kind, (at(dst), b), imm);
        }
        VecForm::MaskStore { src, mask } => {
            let address = |offset: u8| core[Reg::Rdi].wrapping_add(u64::from(offset));
            let bytes = || unit::masked_bytes(xmm[at(src)], xmm[at(mask)]);
            // All bytes or none, should one of them be out of reach.
            let refused = bytes().find(|&(offset, _)| !port.memory.is_writable(address(offset), 1));
            if let Some((offset, _)) = refused {
                let (addr, kind) = (address(offset), AccessKind::Write);
                return Err(Refusal::Access { addr, size: 1, kind });
            }
            for (offset, byte) in bytes() {
                port.addr = address(offset);
                port.store(1, false, u128::from(byte))?;
            }
        }
        VecForm::LoadMxcsr => {
            let value = port.load(4, false)? as u32;
            if !mxcsr::is_valid(value) {
                return Err(Refusal::Misaligned { addr, kind: AccessKind::Read });
            }
            *state = value;
        }
        VecForm::StoreMxcsr => port.store(4, false, u128::from(*state))?,
    }
    Ok(())
}

fn compare_strings(
    core: &mut Core,
    xmm: &mut [u128; 16],
    kind: StringKind,
    (dst, b): (usize, u128),
    imm: u8,
) {
    let length = |reg: u64| if kind.wide { reg as i64 } else { i64::from(reg as i32) };
    let lengths = if kind.explicit {
        Lengths::Explicit(length(core[Reg::Rax]), length(core[Reg::Rdx]))
    } else {
        Lengths::Implicit
    };
    let result = string::compare(xmm[dst], b, lengths, imm);
    if kind.mask {
        xmm[0] = result.mask;
    } else {
        core[Reg::Rcx] = u64::from(result.index);
    }
    core.flags = Flags::eager(result.flags);
}

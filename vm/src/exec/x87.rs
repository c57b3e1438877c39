//! x87 instructions: operands from memory, arithmetic in [`crate::x87`].
//!
//! A store works on a copy of the x87 unit until the memory has taken it, so a refused access
//! leaves the unit as it was.

use super::Refusal;
use super::cell::watch;
use crate::context::{Core, Floating};
use crate::fault::AccessKind;
use crate::flags::Flags;
use crate::memory::Memory;
use crate::monitor::Monitor;
use crate::reg::Reg;
use crate::x87::image::{FXSAVE_WRITTEN, fldenv, fnsave, fnstenv, frstor};
use crate::x87::{Effect, Image, Pending, X87Form, execute, fxrstor, fxsave};

impl From<Pending> for Refusal {
    fn from(_: Pending) -> Refusal {
        Refusal::FloatingPoint
    }
}

/// Memory at the address of the operand.
struct Port<'a, M> {
    memory: &'a mut Memory,
    monitor: &'a mut M,
    addr: u64,
}

impl<M: Monitor> Port<'_, M> {
    fn load<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (addr, size, kind) = (self.addr, N as u32, AccessKind::Read);
        watch::<M>(self.monitor, (addr, size), kind, false)?;
        self.memory.load::<N, M>(addr).ok_or(Refusal::Access { addr, size, kind })
    }

    fn store<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), Refusal> {
        let (addr, size, kind) = (self.addr, N as u32, AccessKind::Write);
        watch::<M>(self.monitor, (addr, size), kind, false)?;
        self.memory.store::<N, M>(addr, bytes).ok_or(Refusal::Access { addr, size, kind })
    }

    /// An operand of 2, 4, 8 or 10 bytes, zero-extended.
    fn load_operand(&mut self, bytes: u8) -> Result<u128, Refusal> {
        Ok(match bytes {
            2 => u128::from(u16::from_le_bytes(self.load()?)),
            4 => u128::from(u32::from_le_bytes(self.load()?)),
            8 => u128::from(u64::from_le_bytes(self.load()?)),
            _ => {
                let mut wide = [0; 16];
                wide[..10].copy_from_slice(&self.load::<10>()?);
                u128::from_le_bytes(wide)
            }
        })
    }

    /// Stores the low 2, 4, 8 or 10 bytes.
    fn store_operand(&mut self, bytes: u8, value: u128) -> Result<(), Refusal> {
        match bytes {
            2 => self.store((value as u16).to_le_bytes()),
            4 => self.store((value as u32).to_le_bytes()),
            8 => self.store((value as u64).to_le_bytes()),
            _ => self.store::<10>(prefix(&value.to_le_bytes())),
        }
    }

    fn aligned(&self, kind: AccessKind) -> Result<(), Refusal> {
        match self.addr & 15 {
            0 => Ok(()),
            _ => Err(Refusal::Misaligned { addr: self.addr, kind }),
        }
    }
}

/// The first `N` bytes.
fn prefix<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut first = [0; N];
    first.copy_from_slice(&bytes[..N]);
    first
}

/// Executes one x87 instruction whose memory operand, if any, is at `addr`.
pub(super) fn x87<M: Monitor>(
    core: &mut Core,
    floating: &mut Floating,
    memory: &mut Memory,
    monitor: &mut M,
    form: X87Form,
    addr: u64,
) -> Result<(), Refusal> {
    let mut port = Port { memory, monitor, addr };
    let fpu = &mut floating.x87;
    match form {
        X87Form::Registers { op, index } => {
            execute(op, fpu, index, 0, 0)?;
        }
        X87Form::Conditional { op, index } => {
            execute(op, fpu, index, 0, core.rflags())?;
        }
        X87Form::Flags { op, index } => {
            if let Effect::Flags(flags) = execute(op, fpu, index, 0, 0)? {
                core.flags = Flags::eager(flags);
            }
        }
        X87Form::Load { op, bytes } => {
            // An exception that waits comes before a fault of the operand; all loads wait.
            fpu.check_pending()?;
            let operand = port.load_operand(bytes)?;
            execute(op, fpu, 0, operand, 0)?;
        }
        X87Form::Store { op, bytes } => {
            let mut after = *fpu;
            if let Effect::Store(value) = execute(op, &mut after, 0, 0, 0)? {
                port.store_operand(bytes, value)?;
            }
            *fpu = after;
        }
        X87Form::StoreAx { op } => {
            if let Effect::Store(value) = execute(op, fpu, 0, 0, 0)? {
                core[Reg::Rax] = core[Reg::Rax] & !0xffff | value as u64;
            }
        }
        X87Form::Image(kind) => image(floating, &mut port, kind)?,
    }
    Ok(())
}

/// Stores or loads a whole image.
fn image<M: Monitor>(
    floating: &mut Floating,
    port: &mut Port<'_, M>,
    kind: Image,
) -> Result<(), Refusal> {
    let mut after = floating.x87;
    if matches!(kind, Image::Fldenv | Image::Frstor) {
        after.check_pending()?;
    }
    match kind {
        Image::Fnstenv => port.store(fnstenv(&mut after))?,
        Image::Fnsave => port.store(fnsave(&mut after))?,
        Image::Fldenv => fldenv(&mut after, &port.load()?)?,
        Image::Frstor => frstor(&mut after, &port.load()?)?,
        Image::Fxsave => {
            port.aligned(AccessKind::Write)?;
            let image = fxsave(&after, &floating.xmm, floating.mxcsr);
            port.store::<FXSAVE_WRITTEN>(prefix(&image))?;
        }
        Image::Fxrstor => {
            port.aligned(AccessKind::Read)?;
            let refused = Refusal::Misaligned { addr: port.addr, kind: AccessKind::Read };
            let (fpu, xmm, mxcsr) = fxrstor(&port.load()?).ok_or(refused)?;
            (after, floating.xmm, floating.mxcsr) = (fpu, xmm, mxcsr);
        }
    }
    floating.x87 = after;
    Ok(())
}

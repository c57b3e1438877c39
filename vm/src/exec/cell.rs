//! Read-modify-write of memory in one piece: `lock` forms, `xchg`, `xadd`, `cmpxchg`.
//!
//! The load requires the place to be writable, so a refused access leaves registers and flags as
//! they were.

use super::Refusal;
use super::alu::{self, Alu};
use super::width::Width;
use crate::context::Core;
use crate::fault::AccessKind;
use crate::flags::{Flags, ZF};
use crate::kind::{BitTest, Rmw};
use crate::memory::Memory;
use crate::monitor::{Access, Decision, Monitor};
use crate::reg::Reg;
use crate::uop::Uop;

/// Asks the monitor about an access.
pub(super) fn watch<M: Monitor>(
    monitor: &mut M,
    place: (u64, u32),
    kind: AccessKind,
    locked: bool,
) -> Result<(), Refusal> {
    if M::ACCESSES {
        let (addr, size) = place;
        let access = Access { addr, size, kind, locked, sequel: false };
        if monitor.before_access(access) == Decision::Stop {
            return Err(Refusal::Monitor(access));
        }
    }
    Ok(())
}

/// Tells the monitor about a further access of the same micro-op.
pub(super) fn watch_sequel<M: Monitor>(
    monitor: &mut M,
    (addr, size): (u64, u32),
    kind: AccessKind,
) {
    if M::ACCESSES {
        monitor.before_access(Access { addr, size, kind, locked: false, sequel: true });
    }
}

/// Executes the operation that `u.imm` names on `[addr]`; `u.aux` tells a `lock` form.
#[inline(always)]
pub(super) fn rmw<W: Width, M: Monitor>(
    core: &mut Core,
    memory: &mut Memory,
    monitor: &mut M,
    u: &Uop,
    addr: u64,
) -> Result<(), Refusal> {
    watch::<M>(monitor, (addr, W::BYTES), AccessKind::Write, u.aux != 0)?;
    let refused = Refusal::Access { addr, size: W::BYTES, kind: AccessKind::Write };
    if !memory.is_writable(addr, W::BYTES) {
        return Err(refused);
    }
    let Some(old) = W::load::<M>(memory, addr) else {
        return Err(Refusal::Access { addr, size: W::BYTES, kind: AccessKind::Read });
    };
    let before = core.flags;
    let kind = Rmw::from_number(u.imm as u8);
    let new = combine(core, kind, old, u);
    if new.store::<M>(memory, addr).is_none() {
        core.flags = before;
        return Err(refused);
    }
    match kind {
        Rmw::Xchg | Rmw::Xadd => core[u.src] = old.merge(core[u.src]),
        Rmw::Cmpxchg if !core.flags.zero() => {
            core[Reg::Rax] = old.merge(core[Reg::Rax]);
        }
        _ => {}
    }
    Ok(())
}

/// The value to be stored; sets the flags.
#[inline(always)]
fn combine<W: Width>(core: &mut Core, kind: Rmw, old: W, u: &Uop) -> W {
    let operand = W::of(core[u.src]);
    let bit = |core: &mut Core, kind| {
        W::of(alu::bit_test(core, kind, W::BITS, old.wide(), operand.wide()))
    };
    match kind {
        Rmw::Add | Rmw::Xadd => alu::Add::apply(core, old, operand),
        Rmw::Or => alu::Or::apply(core, old, operand),
        Rmw::Adc => alu::Adc::apply(core, old, operand),
        Rmw::Sbb => alu::Sbb::apply(core, old, operand),
        Rmw::And => alu::And::apply(core, old, operand),
        Rmw::Sub => alu::Sub::apply(core, old, operand),
        Rmw::Xor => alu::Xor::apply(core, old, operand),
        Rmw::Xchg => operand,
        Rmw::Inc => alu::step(core, old, true),
        Rmw::Dec => alu::step(core, old, false),
        Rmw::Neg => alu::negate(core, old),
        Rmw::Not => W::of(!old.wide()),
        Rmw::Bts => bit(core, BitTest::Set),
        Rmw::Btr => bit(core, BitTest::Reset),
        Rmw::Btc => bit(core, BitTest::Complement),
        Rmw::Cmpxchg => {
            let expected = W::of(core[Reg::Rax]);
            alu::Cmp::apply(core, expected, old);
            if expected == old { operand } else { old }
        }
    }
}

fn set_zero(core: &mut Core, on: bool) {
    let bits = core.flags.bits() & !ZF;
    core.flags = Flags::eager(if on { bits | ZF } else { bits });
}

/// `cmpxchg8b [addr]`.
pub(super) fn cmpxchg8b<M: Monitor>(
    core: &mut Core,
    memory: &mut Memory,
    monitor: &mut M,
    addr: u64,
) -> Result<(), Refusal> {
    watch::<M>(monitor, (addr, 8), AccessKind::Write, true)?;
    let refused = Refusal::Access { addr, size: 8, kind: AccessKind::Write };
    if !memory.is_writable(addr, 8) {
        return Err(refused);
    }
    let Some(old) = u64::load::<M>(memory, addr) else { return Err(refused) };
    let pair = |high: u64, low: u64| high << 32 | low & 0xffff_ffff;
    let equal = old == pair(core[Reg::Rdx], core[Reg::Rax]);
    let new = if equal { pair(core[Reg::Rcx], core[Reg::Rbx]) } else { old };
    if new.store::<M>(memory, addr).is_none() {
        return Err(refused);
    }
    if !equal {
        core[Reg::Rdx] = old >> 32;
        core[Reg::Rax] = old & 0xffff_ffff;
    }
    set_zero(core, equal);
    Ok(())
}

/// `cmpxchg16b [addr]`.
pub(super) fn cmpxchg16b<M: Monitor>(
    core: &mut Core,
    memory: &mut Memory,
    monitor: &mut M,
    addr: u64,
) -> Result<(), Refusal> {
    if addr & 15 != 0 {
        return Err(Refusal::Misaligned { addr, kind: AccessKind::Write });
    }
    watch::<M>(monitor, (addr, 16), AccessKind::Write, true)?;
    let refused = Refusal::Access { addr, size: 16, kind: AccessKind::Write };
    if !memory.is_writable(addr, 16) {
        return Err(refused);
    }
    let Some(old) = memory.load::<16, M>(addr).map(u128::from_le_bytes) else {
        return Err(refused);
    };
    let pair = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
    let equal = old == pair(core[Reg::Rdx], core[Reg::Rax]);
    let new = if equal { pair(core[Reg::Rcx], core[Reg::Rbx]) } else { old };
    if memory.store::<16, M>(addr, new.to_le_bytes()).is_none() {
        return Err(refused);
    }
    if !equal {
        core[Reg::Rdx] = (old >> 64) as u64;
        core[Reg::Rax] = old as u64;
    }
    set_zero(core, equal);
    Ok(())
}

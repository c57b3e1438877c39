//! String operations: one element at a time, registers kept up to date, so that a stop or a fault
//! in the middle leaves exactly the state that a CPU would leave.

use super::Refusal;
use super::alu::{self, Alu};
use super::cell::{watch, watch_sequel};
use super::width::Width;
use crate::context::Core;
use crate::fault::AccessKind;
use crate::kind::{Repeat, Str};
use crate::memory::Memory;
use crate::monitor::Monitor;
use crate::reg::Reg;
use crate::uop::Uop;

/// Executes a string operation to its end, or to the first refusal.
pub(super) fn execute<M: Monitor>(
    core: &mut Core,
    memory: &mut Memory,
    monitor: &mut M,
    u: &Uop,
) -> Result<(), Refusal> {
    match u.scale {
        0 => repeat::<u8, M>(core, memory, monitor, u),
        1 => repeat::<u16, M>(core, memory, monitor, u),
        2 => repeat::<u32, M>(core, memory, monitor, u),
        _ => repeat::<u64, M>(core, memory, monitor, u),
    }
}

fn repeat<W: Width, M: Monitor>(
    core: &mut Core,
    memory: &mut Memory,
    monitor: &mut M,
    u: &Uop,
) -> Result<(), Refusal> {
    let kind = Str::from_number(u.aux);
    let repeat = Repeat::from_number(u.imm as u8);
    if repeat == Repeat::Once {
        return element::<W, M>(core, memory, monitor, kind);
    }
    while core[Reg::Rcx] != 0 {
        element::<W, M>(core, memory, monitor, kind)?;
        core[Reg::Rcx] -= 1;
        let compares = matches!(kind, Str::Cmps | Str::Scas);
        if compares && core.flags.zero() != (repeat == Repeat::While) {
            break;
        }
    }
    Ok(())
}

#[inline(always)]
fn element<W: Width, M: Monitor>(
    core: &mut Core,
    memory: &mut Memory,
    monitor: &mut M,
    kind: Str,
) -> Result<(), Refusal> {
    let (from, to) = (core[Reg::Rsi], core[Reg::Rdi]);
    let place = |addr| (addr, W::BYTES);
    match kind {
        Str::Movs => {
            watch::<M>(monitor, place(from), AccessKind::Read, false)?;
            let value = load::<W, M>(memory, from)?;
            watch_sequel::<M>(monitor, place(to), AccessKind::Write);
            store::<W, M>(memory, to, value)?;
        }
        Str::Stos => {
            watch::<M>(monitor, place(to), AccessKind::Write, false)?;
            store::<W, M>(memory, to, W::of(core[Reg::Rax]))?;
        }
        Str::Lods => {
            watch::<M>(monitor, place(from), AccessKind::Read, false)?;
            let value = load::<W, M>(memory, from)?;
            core[Reg::Rax] = value.merge(core[Reg::Rax]);
        }
        Str::Cmps => {
            watch::<M>(monitor, place(from), AccessKind::Read, false)?;
            let a = load::<W, M>(memory, from)?;
            watch_sequel::<M>(monitor, place(to), AccessKind::Read);
            let b = load::<W, M>(memory, to)?;
            alu::Cmp::apply(core, a, b);
        }
        Str::Scas => {
            watch::<M>(monitor, place(to), AccessKind::Read, false)?;
            let b = load::<W, M>(memory, to)?;
            alu::Cmp::apply(core, W::of(core[Reg::Rax]), b);
        }
    }
    advance(core, kind, W::BYTES);
    Ok(())
}

/// Moves the pointers of a string operation on by one element.
pub(super) fn advance(core: &mut Core, kind: Str, bytes: u32) {
    let step = if core.direction { -i64::from(bytes) } else { i64::from(bytes) } as u64;
    if matches!(kind, Str::Movs | Str::Lods | Str::Cmps) {
        core[Reg::Rsi] = core[Reg::Rsi].wrapping_add(step);
    }
    if !matches!(kind, Str::Lods) {
        core[Reg::Rdi] = core[Reg::Rdi].wrapping_add(step);
    }
}

/// Counts an element of a repeated string operation; whether there is another one.
pub(super) fn again(core: &mut Core, u: &Uop) -> bool {
    core[Reg::Rcx] = core[Reg::Rcx].wrapping_sub(1);
    let compares = matches!(Str::from_number(u.aux), Str::Cmps | Str::Scas);
    let goes_on =
        !compares || core.flags.zero() == (Repeat::from_number(u.imm as u8) == Repeat::While);
    core[Reg::Rcx] != 0 && goes_on
}

#[inline(always)]
fn load<W: Width, M: Monitor>(memory: &Memory, addr: u64) -> Result<W, Refusal> {
    let kind = AccessKind::Read;
    W::load::<M>(memory, addr).ok_or(Refusal::Access { addr, size: W::BYTES, kind })
}

#[inline(always)]
fn store<W: Width, M: Monitor>(memory: &mut Memory, addr: u64, value: W) -> Result<(), Refusal> {
    let kind = AccessKind::Write;
    value.store::<M>(memory, addr).ok_or(Refusal::Access { addr, size: W::BYTES, kind })
}

//! String operations: one element at a time, registers kept up to date, so that a stop or a fault
//! in the middle leaves exactly the state that a CPU would leave.

use super::Refusal;
use super::alu::{self, Alu};
use super::cell::watch;
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
    let step = if core.direction { -i64::from(W::BYTES) } else { i64::from(W::BYTES) } as u64;
    let (from, to) = (core[Reg::Rsi], core[Reg::Rdi]);
    match kind {
        Str::Movs => {
            let value = load::<W, M>(memory, monitor, from)?;
            store::<W, M>(memory, monitor, to, value)?;
        }
        Str::Stos => store::<W, M>(memory, monitor, to, W::of(core[Reg::Rax]))?,
        Str::Lods => {
            let value = load::<W, M>(memory, monitor, from)?;
            core[Reg::Rax] = value.merge(core[Reg::Rax]);
        }
        Str::Cmps => {
            let a = load::<W, M>(memory, monitor, from)?;
            let b = load::<W, M>(memory, monitor, to)?;
            alu::Cmp::apply(core, a, b);
        }
        Str::Scas => {
            let b = load::<W, M>(memory, monitor, to)?;
            alu::Cmp::apply(core, W::of(core[Reg::Rax]), b);
        }
    }
    if matches!(kind, Str::Movs | Str::Lods | Str::Cmps) {
        core[Reg::Rsi] = from.wrapping_add(step);
    }
    if !matches!(kind, Str::Lods) {
        core[Reg::Rdi] = to.wrapping_add(step);
    }
    Ok(())
}

#[inline(always)]
fn load<W: Width, M: Monitor>(memory: &Memory, monitor: &mut M, addr: u64) -> Result<W, Refusal> {
    watch::<M>(monitor, (addr, W::BYTES), AccessKind::Read, false)?;
    W::load::<M>(memory, addr).ok_or(Refusal::Access {
        addr,
        size: W::BYTES,
        kind: AccessKind::Read,
    })
}

#[inline(always)]
fn store<W: Width, M: Monitor>(
    memory: &mut Memory,
    monitor: &mut M,
    addr: u64,
    value: W,
) -> Result<(), Refusal> {
    watch::<M>(monitor, (addr, W::BYTES), AccessKind::Write, false)?;
    value.store::<M>(memory, addr).ok_or(Refusal::Access {
        addr,
        size: W::BYTES,
        kind: AccessKind::Write,
    })
}

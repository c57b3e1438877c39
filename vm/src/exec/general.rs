//! Operations too rare for a micro-op per width: width and kind come from the micro-op.

use super::alu;
use crate::context::Core;
use crate::fault::{AccessKind, Fault};
use crate::flags::{AF, CF, FlagKind, Flags, PF, SF, ZF};
use crate::kind::{BitScan, BitTest, FlagOp, Loop, MulDiv, Shift, Widen};
use crate::lower::FILL_MAX;
use crate::memory::Memory;
use crate::memory::frames::Reach;
use crate::reg::Reg;
use crate::uop::Uop;

/// Writes the low `bits` of a value to a register as the CPU does.
pub(super) fn put(core: &mut Core, reg: Reg, bits: u32, value: u64) {
    core[reg] = match bits {
        8 => core[reg] & !0xff | value & 0xff,
        16 => core[reg] & !0xffff | value & 0xffff,
        32 => value & 0xffff_ffff,
        _ => value,
    };
}

pub(super) fn shift(core: &mut Core, u: &Uop, count: u64) {
    let a = core[u.dst];
    let result = alu::shift(core, Shift::from_number(u.aux), u.bits(), a, count);
    put(core, u.dst, u.bits(), result);
}

/// `aux` bit 0: to the left; bit 1: the count is in `cl`.
pub(super) fn shift_double(core: &mut Core, u: &Uop) {
    let count = if u.aux & 2 != 0 { core[Reg::Rcx] & 0xff } else { u.imm as u64 };
    let operands = (core[u.dst], core[u.src]);
    let result = alu::shift_double(core, u.aux & 1 != 0, u.bits(), operands, count);
    put(core, u.dst, u.bits(), result);
}

/// `dst = dst * src`, or `dst = src * imm` where `aux` is set.
pub(super) fn imul(core: &mut Core, u: &Uop) {
    let (a, b) =
        if u.aux != 0 { (core[u.src], u.imm as i64 as u64) } else { (core[u.dst], core[u.src]) };
    let result = alu::imul(core, u.bits(), a, b);
    put(core, u.dst, u.bits(), result);
}

/// Multiplies or divides `rdx:rax` (`ax` for bytes) by `src`; `None` is a divide error.
pub(super) fn mul_div(core: &mut Core, u: &Uop) -> Option<()> {
    let bits = u.bits();
    let (operand, rax) = (core[u.src], core[Reg::Rax]);
    let high = if bits == 8 { rax >> 8 & 0xff } else { core[Reg::Rdx] };
    let (low, high) = match MulDiv::from_number(u.aux) {
        MulDiv::Mul => alu::multiply(core, false, bits, rax, operand),
        MulDiv::Imul => alu::multiply(core, true, bits, rax, operand),
        MulDiv::Div => alu::divide(false, bits, (rax, high), operand)?,
        MulDiv::Idiv => alu::divide(true, bits, (rax, high), operand)?,
    };
    if bits == 8 {
        put(core, Reg::Rax, 16, high << 8 | low);
    } else {
        put(core, Reg::Rax, bits, low);
        put(core, Reg::Rdx, bits, high);
    }
    Some(())
}

/// The bit number is `src`, or `imm` where `src` is the zero register.
pub(super) fn bit_test(core: &mut Core, u: &Uop) {
    let bit = if u.src == Reg::Zero { u.imm as u64 } else { core[u.src] };
    let kind = BitTest::from_number(u.aux);
    let a = core[u.dst];
    let result = alu::bit_test(core, kind, u.bits(), a, bit);
    if kind != BitTest::Test {
        put(core, u.dst, u.bits(), result);
    }
}

pub(super) fn bit_scan(core: &mut Core, u: &Uop) {
    let (a, old) = (core[u.src], core[u.dst]);
    let kind = BitScan::from_number(u.aux);
    let result = alu::bit_scan(core, kind, u.bits(), a, old);
    let keeps = matches!(kind, BitScan::Forward | BitScan::Reverse) && core.flags.zero();
    if !keeps {
        put(core, u.dst, u.bits(), result);
    }
}

pub(super) fn widen(core: &mut Core, u: &Uop) {
    let rax = core[Reg::Rax];
    match Widen::from_number(u.aux) {
        Widen::Cbw => put(core, Reg::Rax, 16, rax as i8 as u64),
        Widen::Cwde => put(core, Reg::Rax, 32, rax as i16 as u64),
        Widen::Cdqe => core[Reg::Rax] = rax as i32 as u64,
        Widen::Cwd => put(core, Reg::Rdx, 16, (rax as i16 >> 15) as u64),
        Widen::Cdq => put(core, Reg::Rdx, 32, (rax as i32 >> 31) as u64),
        Widen::Cqo => core[Reg::Rdx] = (rax as i64 >> 63) as u64,
    }
}

pub(super) fn flag_op(core: &mut Core, u: &Uop) {
    let old = core.flags.bits();
    match FlagOp::from_number(u.aux) {
        FlagOp::Clc => core.flags = Flags::eager(old & !CF),
        FlagOp::Stc => core.flags = Flags::eager(old | CF),
        FlagOp::Cmc => core.flags = Flags::eager(old ^ CF),
        FlagOp::Cld => core.direction = false,
        FlagOp::Std => core.direction = true,
        FlagOp::Lahf => {
            let low = (old & (SF | ZF | AF | PF | CF)) | 2;
            core[Reg::Rax] = core[Reg::Rax] & !0xff00 | low << 8;
        }
        FlagOp::Sahf => {
            let kept = SF | ZF | AF | PF | CF;
            core.flags = Flags::eager(old & !kept | core[Reg::Rax] >> 8 & kept);
        }
    }
}

/// `crc32` of SSE4.2: `dst` is the checksum, `src` the data.
pub(super) fn crc32(core: &mut Core, u: &Uop) {
    let mut sum = core[u.dst] as u32;
    for byte in &core[u.src].to_le_bytes()[..1 << u.scale] {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 != 0 { 0x82f6_3b78 } else { 0 };
        }
    }
    core[u.dst] = u64::from(sum);
}

/// `cmpxchg` between registers. When they differ, the destination keeps all its 64 bits even if
/// the operation has 32: manuals are vague, processors agree.
pub(super) fn cmpxchg(core: &mut Core, u: &Uop) {
    let bits = u.bits();
    let mask = u64::MAX >> (64 - bits);
    let (expected, current) = (core[Reg::Rax] & mask, core[u.dst] & mask);
    let difference = expected.wrapping_sub(current);
    core.flags = Flags::lazy(FlagKind::Sub, bits, difference, current);
    if expected == current {
        let new = core[u.src];
        put(core, u.dst, bits, new);
    } else {
        put(core, Reg::Rax, bits, current);
    }
}

/// The loop counter: `rcx`, or `ecx` where `scale` says 32 bits.
pub(super) fn counter(core: &Core, u: &Uop) -> u64 {
    if u.scale == 2 { core[Reg::Rcx] & 0xffff_ffff } else { core[Reg::Rcx] }
}

/// Counts down and says whether `loop` goes round again.
pub(super) fn loop_again(core: &mut Core, u: &Uop) -> bool {
    let count = counter(core, u).wrapping_sub(1);
    put(core, Reg::Rcx, u.bits(), count);
    let wanted = match Loop::from_number(u.aux) {
        Loop::Always => true,
        Loop::Equal => core.flags.zero(),
        Loop::NotEqual => !core.flags.zero(),
    };
    counter(core, u) != 0 && wanted
}

/// Fills stack that nobody owns, as far as it can be written.
#[cold]
pub(super) fn fill_stack(core: &Core, memory: &mut Memory, u: &Uop) {
    let size = (core[u.src].min(FILL_MAX)).max(u.disp as u64);
    let end = core[Reg::Rsp].wrapping_sub(u64::from(u.aux)) & !7;
    memory.fill_words(end.saturating_sub(size) & !7, end, u.imm as u32);
}

/// What is wrong with an access that may leave its frame.
#[cold]
pub(super) fn judge_frame(core: &Core, memory: &Memory, u: &Uop, addr: u64) -> Option<Fault> {
    let rsp = core[Reg::Rsp];
    let chain = memory.frames.above(core[Reg::Frame], rsp);
    // A frame pointer points just below the return address.
    let is_frame_pointer = || memory.frames.is_just_above(chain, core[Reg::Rbp].wrapping_add(8));
    let of_frame = u.base == Reg::Rsp || u.base == Reg::Rbp && is_frame_pointer();
    let kind = if u.imm == 1 { AccessKind::Write } else { AccessKind::Read };
    let value = (u.src != Reg::Zero).then(|| core[u.src]);
    let reach = Reach { addr, size: u32::from(u.aux), kind, of_frame, value };
    memory.judge_reach(chain, rsp, &reach)
}

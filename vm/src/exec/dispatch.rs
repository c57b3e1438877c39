//! The `match` over micro-ops: the hot path of the whole project.
//!
//! Arms decide nothing that the decoder knew, memory accesses go through one inlined test of the
//! page's flags, and nothing allocates. A memory access that cannot happen leaves the loop before
//! the instruction changed anything. Cost: about one indirect jump a micro-op.

use super::alu::{self, Alu};
use super::width::Width;
use super::{Exit, Refusal, cell, float, general, string, x87};
use crate::code::{Block, BlockId, Code};
use crate::context::{Core, Floating};
use crate::cpuid::Profile;
use crate::fault::{AccessKind, Fault, FaultReason};
use crate::flags::{Condition, FlagKind, Flags};
use crate::kind::Str;
use crate::memory::Memory;
use crate::monitor::{Access, Decision, Monitor};
use crate::reg::Reg;
use crate::stop::{HookId, Stop};
use crate::uop::{Op, Uop};

/// Where execution stands: `rest` of a block is next, `left` instructions may be executed.
pub(super) struct Cursor<'a> {
    /// The block's number.
    pub id: BlockId,
    /// The block.
    pub block: &'a Block,
    /// Micro-ops that are not begun.
    pub rest: std::slice::Iter<'a, Uop>,
    /// The budget before this block; it covers the whole of it unless `rest` was cut short.
    pub left: u64,
}

/// The match loop over the micro-ops of a block and of those that follow it through known links,
/// as long as the budget covers whole blocks and the journal needs nothing.
#[allow(clippy::too_many_arguments, reason = "separate borrows keep the hot values in registers")]
#[inline(always)]
pub(super) fn uops<'a, M: Monitor>(
    core: &mut Core,
    floating: &mut Floating,
    memory: &mut Memory,
    monitor: &mut M,
    profile: &Profile,
    code: &'a Code,
    floating_saved: bool,
    cursor: &mut Cursor<'a>,
) -> Exit {
    macro_rules! ea {
        ($u:expr) => {
            core[$u.base]
                .wrapping_add(core[$u.index].wrapping_mul(u64::from($u.scale)))
                .wrapping_add($u.disp as i64 as u64)
        };
    }
    macro_rules! near {
        ($u:expr) => {
            core[$u.base].wrapping_add($u.disp as i64 as u64)
        };
    }
    macro_rules! aligned {
        ($u:expr) => {{
            let addr = ea!($u);
            if addr & 15 != 0 {
                return Exit::Stop(Stop::Fault(misaligned(addr, AccessKind::Read)));
            }
            addr
        }};
    }
    macro_rules! watch {
        ($addr:expr, $size:expr, $kind:ident) => {
            if M::ACCESSES {
                let access = Access {
                    addr: $addr,
                    size: $size,
                    kind: AccessKind::$kind,
                    locked: false,
                    sequel: false,
                };
                if monitor.before_access(access) == Decision::Stop {
                    return Exit::Stop(Stop::Access(access));
                }
            }
        };
    }
    macro_rules! load {
        ($width:ty, $addr:expr) => {{
            let addr = $addr;
            watch!(addr, <$width>::BYTES, Read);
            match <$width>::load::<M>(memory, addr) {
                Some(value) => value,
                None => return refused(memory, addr, <$width>::BYTES, AccessKind::Read),
            }
        }};
    }
    macro_rules! store {
        ($value:expr, $addr:expr) => {{
            let (value, addr) = ($value, $addr);
            watch!(addr, bytes_of(value), Write);
            if value.store::<M>(memory, addr).is_none() {
                return refused(memory, addr, bytes_of(value), AccessKind::Write);
            }
        }};
    }
    macro_rules! load_writable {
        ($width:ty, $addr:expr) => {{
            let addr = $addr;
            let value = load!($width, addr);
            if !memory.is_writable(addr, <$width>::BYTES) {
                return refused(memory, addr, <$width>::BYTES, AccessKind::Write);
            }
            value
        }};
    }
    macro_rules! load_bytes {
        ($size:literal, $addr:expr) => {{
            let addr = $addr;
            watch!(addr, $size, Read);
            match memory.load::<$size, M>(addr) {
                Some(bytes) => bytes,
                None => return refused(memory, addr, $size, AccessKind::Read),
            }
        }};
    }
    macro_rules! store_bytes {
        ($size:literal, $bytes:expr, $addr:expr) => {{
            let (bytes, addr) = ($bytes, $addr);
            watch!(addr, $size, Write);
            if memory.store::<$size, M>(addr, bytes).is_none() {
                return refused(memory, addr, $size, AccessKind::Write);
            }
        }};
    }
    macro_rules! alu_rm {
        ($alu:ty, $width:ty, $u:expr) => {{
            let b = load!($width, ea!($u));
            let result = <$alu>::apply(core, <$width>::of(core[$u.dst]), b);
            if <$alu>::WRITES {
                core[$u.dst] = result.merge(core[$u.dst]);
            }
        }};
    }
    macro_rules! alu_mem {
        ($alu:ty, $width:ty, $u:expr, $b:expr) => {{
            let addr = ea!($u);
            let a = load_writable!($width, addr);
            let result = <$alu>::apply(core, a, $b);
            store!(result, addr);
        }};
    }
    macro_rules! compare_mem {
        ($alu:ty, $width:ty, $u:expr, $b:expr) => {{
            let a = load!($width, ea!($u));
            <$alu>::apply(core, a, $b);
        }};
    }
    macro_rules! rmw {
        ($width:ty, $u:expr) => {
            attempt!(cell::rmw::<$width, M>(core, memory, monitor, $u, ea!($u)))
        };
    }
    macro_rules! attempt {
        ($result:expr) => {
            if let Err(refusal) = $result {
                return refuse(memory, refusal);
            }
        };
    }
    macro_rules! condition {
        ($condition:ident) => {
            core.flags.test(Condition::$condition)
        };
    }
    macro_rules! compare_rr {
        ($u:expr, $width:ty, $view:ty, $op:tt) => {{
            let (a, b) = (<$width>::of(core[$u.dst]), <$width>::of(core[$u.src]));
            alu::Cmp::apply(core, a, b);
            (a as $view) $op (b as $view)
        }};
    }
    macro_rules! compare_ri {
        ($u:expr, $width:ty, $view:ty, $op:tt) => {{
            let (a, b) = (<$width>::of(core[$u.dst]), $u.imm as i64 as $width);
            alu::Cmp::apply(core, a, b);
            (a as $view) $op (b as $view)
        }};
    }
    macro_rules! test_rr {
        ($u:expr, $width:ty, $view:ty, $op:tt) => {{
            let (a, b) = (<$width>::of(core[$u.dst]), <$width>::of(core[$u.src]));
            alu::Test::apply(core, a, b);
            ((a & b) as $view) $op 0
        }};
    }
    macro_rules! test_ri {
        ($u:expr, $width:ty, $view:ty, $op:tt) => {{
            let (a, b) = (<$width>::of(core[$u.dst]), $u.imm as i64 as $width);
            alu::Test::apply(core, a, b);
            ((a & b) as $view) $op 0
        }};
    }
    macro_rules! general_rr {
        ($alu:ty, $u:expr, $width:ty) => {{
            alu_rr::<$alu, $width>(core, $u);
            core.flags.test(Condition::from_code($u.aux))
        }};
    }
    macro_rules! general_ri {
        ($alu:ty, $u:expr, $width:ty) => {{
            alu_ri::<$alu, $width>(core, $u);
            core.flags.test(Condition::from_code($u.aux))
        }};
    }
    'blocks: loop {
        if M::BLOCKS {
            monitor.enter_block(cursor.block.fall);
        }
        let next = 'next: {
            let taken = 'branch: {
                let pc = loop {
                    let Some(u) = cursor.rest.next() else { return Exit::Cut };
                    match u.op {
                        // Moves.
                        Op::MovRr8 => core[u.dst] = u8::of(core[u.src]).merge(core[u.dst]),
                        Op::MovRr16 => core[u.dst] = u16::of(core[u.src]).merge(core[u.dst]),
                        Op::MovRr32 => core[u.dst] = u32::of(core[u.src]).merge(core[u.dst]),
                        Op::MovRr64 => core[u.dst] = u64::of(core[u.src]).merge(core[u.dst]),
                        Op::MovI => core[u.dst] = u.imm64(),
                        Op::MovI8 => core[u.dst] = (u.imm as u8).merge(core[u.dst]),
                        Op::MovI16 => core[u.dst] = (u.imm as u16).merge(core[u.dst]),
                        Op::Zx8 => core[u.dst] = core[u.src] & 0xff,
                        Op::Zx16 => core[u.dst] = core[u.src] & 0xffff,
                        Op::Sx8to32 => core[u.dst] = core[u.src] as i8 as i32 as u32 as u64,
                        Op::Sx8to64 => core[u.dst] = core[u.src] as i8 as i64 as u64,
                        Op::Sx16to32 => core[u.dst] = core[u.src] as i16 as i32 as u32 as u64,
                        Op::Sx16to64 => core[u.dst] = core[u.src] as i16 as i64 as u64,
                        Op::Sx32to64 => core[u.dst] = core[u.src] as i32 as i64 as u64,
                        Op::GetHigh => core[u.dst] = core[u.src] >> 8 & 0xff,
                        Op::SetHigh => {
                            core[u.dst] = core[u.dst] & !0xff00 | (core[u.src] & 0xff) << 8
                        }
                        // Loads.
                        Op::Ld8 => core[u.dst] = load!(u8, ea!(u)).wide(),
                        Op::Ld16 => core[u.dst] = load!(u16, ea!(u)).wide(),
                        Op::Ld32 => core[u.dst] = load!(u32, ea!(u)).wide(),
                        Op::Ld64 => core[u.dst] = load!(u64, ea!(u)).wide(),
                        Op::Ld32B => core[u.dst] = load!(u32, near!(u)).wide(),
                        Op::Ld64B => core[u.dst] = load!(u64, near!(u)).wide(),
                        Op::Lds8to32 => core[u.dst] = load!(u8, ea!(u)) as i8 as i32 as u32 as u64,
                        Op::Lds8to64 => core[u.dst] = load!(u8, ea!(u)) as i8 as i64 as u64,
                        Op::Lds16to32 => {
                            core[u.dst] = load!(u16, ea!(u)) as i16 as i32 as u32 as u64
                        }
                        Op::Lds16to64 => core[u.dst] = load!(u16, ea!(u)) as i16 as i64 as u64,
                        Op::Lds32to64 => core[u.dst] = load!(u32, ea!(u)) as i32 as i64 as u64,
                        Op::LdMerge8 => core[u.dst] = load!(u8, ea!(u)).merge(core[u.dst]),
                        Op::LdMerge16 => core[u.dst] = load!(u16, ea!(u)).merge(core[u.dst]),
                        Op::LdW8 => core[u.dst] = load_writable!(u8, ea!(u)).wide(),
                        Op::LdW16 => core[u.dst] = load_writable!(u16, ea!(u)).wide(),
                        Op::LdW32 => core[u.dst] = load_writable!(u32, ea!(u)).wide(),
                        Op::LdW64 => core[u.dst] = load_writable!(u64, ea!(u)).wide(),
                        // Stores.
                        Op::St8 => store!(u8::of(core[u.src]), ea!(u)),
                        Op::St16 => store!(u16::of(core[u.src]), ea!(u)),
                        Op::St32 => store!(u32::of(core[u.src]), ea!(u)),
                        Op::St64 => store!(u64::of(core[u.src]), ea!(u)),
                        Op::St32B => store!(u32::of(core[u.src]), near!(u)),
                        Op::St64B => store!(u64::of(core[u.src]), near!(u)),
                        Op::StI8 => store!(u.imm as i64 as u8, ea!(u)),
                        Op::StI16 => store!(u.imm as i64 as u16, ea!(u)),
                        Op::StI32 => store!(u.imm as i64 as u32, ea!(u)),
                        Op::StI64 => store!(u.imm as i64 as u64, ea!(u)),
                        // Addresses.
                        Op::Lea64 => core[u.dst] = ea!(u),
                        Op::Lea32 => core[u.dst] = ea!(u) & 0xffff_ffff,
                        Op::BitAddr => core[u.dst] = bit_address(ea!(u), core[u.src], u.aux),
                        // Add.
                        Op::AddRr8 => alu_rr::<alu::Add, u8>(core, u),
                        Op::AddRr16 => alu_rr::<alu::Add, u16>(core, u),
                        Op::AddRr32 => alu_rr::<alu::Add, u32>(core, u),
                        Op::AddRr64 => alu_rr::<alu::Add, u64>(core, u),
                        Op::AddRi8 => alu_ri::<alu::Add, u8>(core, u),
                        Op::AddRi16 => alu_ri::<alu::Add, u16>(core, u),
                        Op::AddRi32 => alu_ri::<alu::Add, u32>(core, u),
                        Op::AddRi64 => alu_ri::<alu::Add, u64>(core, u),
                        Op::AddRm8 => alu_rm!(alu::Add, u8, u),
                        Op::AddRm16 => alu_rm!(alu::Add, u16, u),
                        Op::AddRm32 => alu_rm!(alu::Add, u32, u),
                        Op::AddRm64 => alu_rm!(alu::Add, u64, u),
                        // Sub.
                        Op::SubRr8 => alu_rr::<alu::Sub, u8>(core, u),
                        Op::SubRr16 => alu_rr::<alu::Sub, u16>(core, u),
                        Op::SubRr32 => alu_rr::<alu::Sub, u32>(core, u),
                        Op::SubRr64 => alu_rr::<alu::Sub, u64>(core, u),
                        Op::SubRi8 => alu_ri::<alu::Sub, u8>(core, u),
                        Op::SubRi16 => alu_ri::<alu::Sub, u16>(core, u),
                        Op::SubRi32 => alu_ri::<alu::Sub, u32>(core, u),
                        Op::SubRi64 => alu_ri::<alu::Sub, u64>(core, u),
                        Op::SubRm8 => alu_rm!(alu::Sub, u8, u),
                        Op::SubRm16 => alu_rm!(alu::Sub, u16, u),
                        Op::SubRm32 => alu_rm!(alu::Sub, u32, u),
                        Op::SubRm64 => alu_rm!(alu::Sub, u64, u),
                        // And.
                        Op::AndRr8 => alu_rr::<alu::And, u8>(core, u),
                        Op::AndRr16 => alu_rr::<alu::And, u16>(core, u),
                        Op::AndRr32 => alu_rr::<alu::And, u32>(core, u),
                        Op::AndRr64 => alu_rr::<alu::And, u64>(core, u),
                        Op::AndRi8 => alu_ri::<alu::And, u8>(core, u),
                        Op::AndRi16 => alu_ri::<alu::And, u16>(core, u),
                        Op::AndRi32 => alu_ri::<alu::And, u32>(core, u),
                        Op::AndRi64 => alu_ri::<alu::And, u64>(core, u),
                        Op::AndRm8 => alu_rm!(alu::And, u8, u),
                        Op::AndRm16 => alu_rm!(alu::And, u16, u),
                        Op::AndRm32 => alu_rm!(alu::And, u32, u),
                        Op::AndRm64 => alu_rm!(alu::And, u64, u),
                        // Or.
                        Op::OrRr8 => alu_rr::<alu::Or, u8>(core, u),
                        Op::OrRr16 => alu_rr::<alu::Or, u16>(core, u),
                        Op::OrRr32 => alu_rr::<alu::Or, u32>(core, u),
                        Op::OrRr64 => alu_rr::<alu::Or, u64>(core, u),
                        Op::OrRi8 => alu_ri::<alu::Or, u8>(core, u),
                        Op::OrRi16 => alu_ri::<alu::Or, u16>(core, u),
                        Op::OrRi32 => alu_ri::<alu::Or, u32>(core, u),
                        Op::OrRi64 => alu_ri::<alu::Or, u64>(core, u),
                        Op::OrRm8 => alu_rm!(alu::Or, u8, u),
                        Op::OrRm16 => alu_rm!(alu::Or, u16, u),
                        Op::OrRm32 => alu_rm!(alu::Or, u32, u),
                        Op::OrRm64 => alu_rm!(alu::Or, u64, u),
                        // Xor.
                        Op::XorRr8 => alu_rr::<alu::Xor, u8>(core, u),
                        Op::XorRr16 => alu_rr::<alu::Xor, u16>(core, u),
                        Op::XorRr32 => alu_rr::<alu::Xor, u32>(core, u),
                        Op::XorRr64 => alu_rr::<alu::Xor, u64>(core, u),
                        Op::XorRi8 => alu_ri::<alu::Xor, u8>(core, u),
                        Op::XorRi16 => alu_ri::<alu::Xor, u16>(core, u),
                        Op::XorRi32 => alu_ri::<alu::Xor, u32>(core, u),
                        Op::XorRi64 => alu_ri::<alu::Xor, u64>(core, u),
                        Op::XorRm8 => alu_rm!(alu::Xor, u8, u),
                        Op::XorRm16 => alu_rm!(alu::Xor, u16, u),
                        Op::XorRm32 => alu_rm!(alu::Xor, u32, u),
                        Op::XorRm64 => alu_rm!(alu::Xor, u64, u),
                        // Cmp.
                        Op::CmpRr8 => alu_rr::<alu::Cmp, u8>(core, u),
                        Op::CmpRr16 => alu_rr::<alu::Cmp, u16>(core, u),
                        Op::CmpRr32 => alu_rr::<alu::Cmp, u32>(core, u),
                        Op::CmpRr64 => alu_rr::<alu::Cmp, u64>(core, u),
                        Op::CmpRi8 => alu_ri::<alu::Cmp, u8>(core, u),
                        Op::CmpRi16 => alu_ri::<alu::Cmp, u16>(core, u),
                        Op::CmpRi32 => alu_ri::<alu::Cmp, u32>(core, u),
                        Op::CmpRi64 => alu_ri::<alu::Cmp, u64>(core, u),
                        Op::CmpRm8 => alu_rm!(alu::Cmp, u8, u),
                        Op::CmpRm16 => alu_rm!(alu::Cmp, u16, u),
                        Op::CmpRm32 => alu_rm!(alu::Cmp, u32, u),
                        Op::CmpRm64 => alu_rm!(alu::Cmp, u64, u),
                        // Test.
                        Op::TestRr8 => alu_rr::<alu::Test, u8>(core, u),
                        Op::TestRr16 => alu_rr::<alu::Test, u16>(core, u),
                        Op::TestRr32 => alu_rr::<alu::Test, u32>(core, u),
                        Op::TestRr64 => alu_rr::<alu::Test, u64>(core, u),
                        Op::TestRi8 => alu_ri::<alu::Test, u8>(core, u),
                        Op::TestRi16 => alu_ri::<alu::Test, u16>(core, u),
                        Op::TestRi32 => alu_ri::<alu::Test, u32>(core, u),
                        Op::TestRi64 => alu_ri::<alu::Test, u64>(core, u),
                        // Adc.
                        Op::AdcRr8 => alu_rr::<alu::Adc, u8>(core, u),
                        Op::AdcRr16 => alu_rr::<alu::Adc, u16>(core, u),
                        Op::AdcRr32 => alu_rr::<alu::Adc, u32>(core, u),
                        Op::AdcRr64 => alu_rr::<alu::Adc, u64>(core, u),
                        Op::AdcRi8 => alu_ri::<alu::Adc, u8>(core, u),
                        Op::AdcRi16 => alu_ri::<alu::Adc, u16>(core, u),
                        Op::AdcRi32 => alu_ri::<alu::Adc, u32>(core, u),
                        Op::AdcRi64 => alu_ri::<alu::Adc, u64>(core, u),
                        Op::AdcRm8 => alu_rm!(alu::Adc, u8, u),
                        Op::AdcRm16 => alu_rm!(alu::Adc, u16, u),
                        Op::AdcRm32 => alu_rm!(alu::Adc, u32, u),
                        Op::AdcRm64 => alu_rm!(alu::Adc, u64, u),
                        // Sbb.
                        Op::SbbRr8 => alu_rr::<alu::Sbb, u8>(core, u),
                        Op::SbbRr16 => alu_rr::<alu::Sbb, u16>(core, u),
                        Op::SbbRr32 => alu_rr::<alu::Sbb, u32>(core, u),
                        Op::SbbRr64 => alu_rr::<alu::Sbb, u64>(core, u),
                        Op::SbbRi8 => alu_ri::<alu::Sbb, u8>(core, u),
                        Op::SbbRi16 => alu_ri::<alu::Sbb, u16>(core, u),
                        Op::SbbRi32 => alu_ri::<alu::Sbb, u32>(core, u),
                        Op::SbbRi64 => alu_ri::<alu::Sbb, u64>(core, u),
                        Op::SbbRm8 => alu_rm!(alu::Sbb, u8, u),
                        Op::SbbRm16 => alu_rm!(alu::Sbb, u16, u),
                        Op::SbbRm32 => alu_rm!(alu::Sbb, u32, u),
                        Op::SbbRm64 => alu_rm!(alu::Sbb, u64, u),
                        // Without flags.
                        Op::AddNfRr32 => alu_rr::<alu::AddNf, u32>(core, u),
                        Op::AddNfRr64 => alu_rr::<alu::AddNf, u64>(core, u),
                        Op::AddNfRi32 => alu_ri::<alu::AddNf, u32>(core, u),
                        Op::AddNfRi64 => alu_ri::<alu::AddNf, u64>(core, u),
                        Op::SubNfRr32 => alu_rr::<alu::SubNf, u32>(core, u),
                        Op::SubNfRr64 => alu_rr::<alu::SubNf, u64>(core, u),
                        Op::SubNfRi32 => alu_ri::<alu::SubNf, u32>(core, u),
                        Op::SubNfRi64 => alu_ri::<alu::SubNf, u64>(core, u),
                        Op::AndNfRr32 => alu_rr::<alu::AndNf, u32>(core, u),
                        Op::AndNfRr64 => alu_rr::<alu::AndNf, u64>(core, u),
                        Op::AndNfRi32 => alu_ri::<alu::AndNf, u32>(core, u),
                        Op::AndNfRi64 => alu_ri::<alu::AndNf, u64>(core, u),
                        Op::OrNfRr32 => alu_rr::<alu::OrNf, u32>(core, u),
                        Op::OrNfRr64 => alu_rr::<alu::OrNf, u64>(core, u),
                        Op::OrNfRi32 => alu_ri::<alu::OrNf, u32>(core, u),
                        Op::OrNfRi64 => alu_ri::<alu::OrNf, u64>(core, u),
                        Op::XorNfRr32 => alu_rr::<alu::XorNf, u32>(core, u),
                        Op::XorNfRr64 => alu_rr::<alu::XorNf, u64>(core, u),
                        Op::XorNfRi32 => alu_ri::<alu::XorNf, u32>(core, u),
                        Op::XorNfRi64 => alu_ri::<alu::XorNf, u64>(core, u),
                        // Memory operand.
                        Op::AddMr32 => alu_mem!(alu::Add, u32, u, u32::of(core[u.src])),
                        Op::AddMr64 => alu_mem!(alu::Add, u64, u, u64::of(core[u.src])),
                        Op::AddMi32 => alu_mem!(alu::Add, u32, u, u.imm as i64 as u32),
                        Op::AddMi64 => alu_mem!(alu::Add, u64, u, u.imm as i64 as u64),
                        Op::SubMr32 => alu_mem!(alu::Sub, u32, u, u32::of(core[u.src])),
                        Op::SubMr64 => alu_mem!(alu::Sub, u64, u, u64::of(core[u.src])),
                        Op::SubMi32 => alu_mem!(alu::Sub, u32, u, u.imm as i64 as u32),
                        Op::SubMi64 => alu_mem!(alu::Sub, u64, u, u.imm as i64 as u64),
                        Op::AndMr32 => alu_mem!(alu::And, u32, u, u32::of(core[u.src])),
                        Op::AndMr64 => alu_mem!(alu::And, u64, u, u64::of(core[u.src])),
                        Op::AndMi32 => alu_mem!(alu::And, u32, u, u.imm as i64 as u32),
                        Op::AndMi64 => alu_mem!(alu::And, u64, u, u.imm as i64 as u64),
                        Op::OrMr32 => alu_mem!(alu::Or, u32, u, u32::of(core[u.src])),
                        Op::OrMr64 => alu_mem!(alu::Or, u64, u, u64::of(core[u.src])),
                        Op::OrMi32 => alu_mem!(alu::Or, u32, u, u.imm as i64 as u32),
                        Op::OrMi64 => alu_mem!(alu::Or, u64, u, u.imm as i64 as u64),
                        Op::XorMr32 => alu_mem!(alu::Xor, u32, u, u32::of(core[u.src])),
                        Op::XorMr64 => alu_mem!(alu::Xor, u64, u, u64::of(core[u.src])),
                        Op::XorMi32 => alu_mem!(alu::Xor, u32, u, u.imm as i64 as u32),
                        Op::XorMi64 => alu_mem!(alu::Xor, u64, u, u.imm as i64 as u64),
                        Op::CmpMr8 => compare_mem!(alu::Cmp, u8, u, u8::of(core[u.src])),
                        Op::CmpMr16 => compare_mem!(alu::Cmp, u16, u, u16::of(core[u.src])),
                        Op::CmpMr32 => compare_mem!(alu::Cmp, u32, u, u32::of(core[u.src])),
                        Op::CmpMr64 => compare_mem!(alu::Cmp, u64, u, u64::of(core[u.src])),
                        Op::CmpMi8 => compare_mem!(alu::Cmp, u8, u, u.imm as i64 as u8),
                        Op::CmpMi16 => compare_mem!(alu::Cmp, u16, u, u.imm as i64 as u16),
                        Op::CmpMi32 => compare_mem!(alu::Cmp, u32, u, u.imm as i64 as u32),
                        Op::CmpMi64 => compare_mem!(alu::Cmp, u64, u, u.imm as i64 as u64),
                        Op::TestMr8 => compare_mem!(alu::Test, u8, u, u8::of(core[u.src])),
                        Op::TestMr16 => compare_mem!(alu::Test, u16, u, u16::of(core[u.src])),
                        Op::TestMr32 => compare_mem!(alu::Test, u32, u, u32::of(core[u.src])),
                        Op::TestMr64 => compare_mem!(alu::Test, u64, u, u64::of(core[u.src])),
                        Op::TestMi8 => compare_mem!(alu::Test, u8, u, u.imm as i64 as u8),
                        Op::TestMi16 => compare_mem!(alu::Test, u16, u, u.imm as i64 as u16),
                        Op::TestMi32 => compare_mem!(alu::Test, u32, u, u.imm as i64 as u32),
                        Op::TestMi64 => compare_mem!(alu::Test, u64, u, u.imm as i64 as u64),
                        // One operand.
                        Op::Inc8 => unary(core, u, |core, a: u8| alu::step(core, a, true)),
                        Op::Inc16 => unary(core, u, |core, a: u16| alu::step(core, a, true)),
                        Op::Inc32 => unary(core, u, |core, a: u32| alu::step(core, a, true)),
                        Op::Inc64 => unary(core, u, |core, a: u64| alu::step(core, a, true)),
                        Op::Dec8 => unary(core, u, |core, a: u8| alu::step(core, a, false)),
                        Op::Dec16 => unary(core, u, |core, a: u16| alu::step(core, a, false)),
                        Op::Dec32 => unary(core, u, |core, a: u32| alu::step(core, a, false)),
                        Op::Dec64 => unary(core, u, |core, a: u64| alu::step(core, a, false)),
                        Op::Neg8 => unary(core, u, alu::negate::<u8>),
                        Op::Neg16 => unary(core, u, alu::negate::<u16>),
                        Op::Neg32 => unary(core, u, alu::negate::<u32>),
                        Op::Neg64 => unary(core, u, alu::negate::<u64>),
                        Op::Not8 => unary(core, u, |_, a: u8| !a),
                        Op::Not16 => unary(core, u, |_, a: u16| !a),
                        Op::Not32 => unary(core, u, |_, a: u32| !a),
                        Op::Not64 => unary(core, u, |_, a: u64| !a),
                        // Shifts.
                        Op::ShlNf32 => unary(core, u, |_, a: u32| a << (u.imm as u32 & 31)),
                        Op::ShlNf64 => unary(core, u, |_, a: u64| a << (u.imm as u32 & 63)),
                        Op::ShrNf32 => unary(core, u, |_, a: u32| a >> (u.imm as u32 & 31)),
                        Op::ShrNf64 => unary(core, u, |_, a: u64| a >> (u.imm as u32 & 63)),
                        Op::SarNf32 => {
                            unary(core, u, |_, a: u32| (a as i32 >> (u.imm as u32 & 31)) as u32)
                        }
                        Op::SarNf64 => {
                            unary(core, u, |_, a: u64| (a as i64 >> (u.imm as u32 & 63)) as u64)
                        }
                        Op::RolNf32 => unary(core, u, |_, a: u32| a.rotate_left(u.imm as u32 & 31)),
                        Op::RolNf64 => unary(core, u, |_, a: u64| a.rotate_left(u.imm as u32 & 63)),
                        Op::ShlI32 => unary(core, u, |core, a: u32| {
                            let result = a << u.imm;
                            let carry = a >> (32 - u.imm) & 1;
                            shifted(
                                core,
                                result,
                                carry.wide(),
                                carry.wide() ^ (result >> 31).wide(),
                            )
                        }),
                        Op::ShrI32 => unary(core, u, |core, a: u32| {
                            shifted(
                                core,
                                a >> u.imm,
                                (a >> (u.imm - 1) & 1).wide(),
                                (a >> 31).wide(),
                            )
                        }),
                        Op::SarI32 => unary(core, u, |core, a: u32| {
                            shifted(
                                core,
                                (a as i32 >> u.imm) as u32,
                                (a >> (u.imm - 1) & 1).wide(),
                                0,
                            )
                        }),
                        Op::ShlI64 => unary(core, u, |core, a: u64| {
                            let result = a << u.imm;
                            let carry = a >> (64 - u.imm) & 1;
                            shifted(
                                core,
                                result,
                                carry.wide(),
                                carry.wide() ^ (result >> 63).wide(),
                            )
                        }),
                        Op::ShrI64 => unary(core, u, |core, a: u64| {
                            shifted(
                                core,
                                a >> u.imm,
                                (a >> (u.imm - 1) & 1).wide(),
                                (a >> 63).wide(),
                            )
                        }),
                        Op::SarI64 => unary(core, u, |core, a: u64| {
                            shifted(
                                core,
                                (a as i64 >> u.imm) as u64,
                                (a >> (u.imm - 1) & 1).wide(),
                                0,
                            )
                        }),
                        Op::ShiftI => general::shift(core, u, u.imm as u64),
                        Op::ShiftCl => general::shift(core, u, core[Reg::Rcx] & 0xff),
                        Op::ShiftDouble => general::shift_double(core, u),
                        // Multiplication and division.
                        Op::ImulNf32 => alu_rr::<alu::MulNf, u32>(core, u),
                        Op::ImulNf64 => alu_rr::<alu::MulNf, u64>(core, u),
                        Op::ImulINf32 => {
                            core[u.dst] =
                                u32::of(core[u.src]).wrapping_mul(u.imm as i64 as u32).wide()
                        }
                        Op::ImulINf64 => {
                            core[u.dst] =
                                u64::of(core[u.src]).wrapping_mul(u.imm as i64 as u64).wide()
                        }
                        Op::Imul => general::imul(core, u),
                        Op::MulDiv => {
                            if general::mul_div(core, u).is_none() {
                                return Exit::Stop(Stop::DivideError);
                            }
                        }
                        // Bits and conditions.
                        Op::BitTest => general::bit_test(core, u),
                        Op::BitScan => general::bit_scan(core, u),
                        Op::Bswap32 => unary(core, u, |_, a: u32| a.swap_bytes()),
                        Op::Bswap64 => unary(core, u, |_, a: u64| a.swap_bytes()),
                        Op::SetO => core[u.dst] = u8::from(condition!(O)).merge(core[u.dst]),
                        Op::SetNo => core[u.dst] = u8::from(condition!(No)).merge(core[u.dst]),
                        Op::SetB => core[u.dst] = u8::from(condition!(B)).merge(core[u.dst]),
                        Op::SetAe => core[u.dst] = u8::from(condition!(Ae)).merge(core[u.dst]),
                        Op::SetE => core[u.dst] = u8::from(condition!(E)).merge(core[u.dst]),
                        Op::SetNe => core[u.dst] = u8::from(condition!(Ne)).merge(core[u.dst]),
                        Op::SetBe => core[u.dst] = u8::from(condition!(Be)).merge(core[u.dst]),
                        Op::SetA => core[u.dst] = u8::from(condition!(A)).merge(core[u.dst]),
                        Op::SetS => core[u.dst] = u8::from(condition!(S)).merge(core[u.dst]),
                        Op::SetNs => core[u.dst] = u8::from(condition!(Ns)).merge(core[u.dst]),
                        Op::SetP => core[u.dst] = u8::from(condition!(P)).merge(core[u.dst]),
                        Op::SetNp => core[u.dst] = u8::from(condition!(Np)).merge(core[u.dst]),
                        Op::SetL => core[u.dst] = u8::from(condition!(L)).merge(core[u.dst]),
                        Op::SetGe => core[u.dst] = u8::from(condition!(Ge)).merge(core[u.dst]),
                        Op::SetLe => core[u.dst] = u8::from(condition!(Le)).merge(core[u.dst]),
                        Op::SetG => core[u.dst] = u8::from(condition!(G)).merge(core[u.dst]),
                        Op::Cmov16 => {
                            if core.flags.test(Condition::from_code(u.aux)) {
                                core[u.dst] = (core[u.src] as u16).merge(core[u.dst]);
                            }
                        }
                        Op::CmovO32 => move_if::<u32>(core, u, condition!(O)),
                        Op::CmovNo32 => move_if::<u32>(core, u, condition!(No)),
                        Op::CmovB32 => move_if::<u32>(core, u, condition!(B)),
                        Op::CmovAe32 => move_if::<u32>(core, u, condition!(Ae)),
                        Op::CmovE32 => move_if::<u32>(core, u, condition!(E)),
                        Op::CmovNe32 => move_if::<u32>(core, u, condition!(Ne)),
                        Op::CmovBe32 => move_if::<u32>(core, u, condition!(Be)),
                        Op::CmovA32 => move_if::<u32>(core, u, condition!(A)),
                        Op::CmovS32 => move_if::<u32>(core, u, condition!(S)),
                        Op::CmovNs32 => move_if::<u32>(core, u, condition!(Ns)),
                        Op::CmovP32 => move_if::<u32>(core, u, condition!(P)),
                        Op::CmovNp32 => move_if::<u32>(core, u, condition!(Np)),
                        Op::CmovL32 => move_if::<u32>(core, u, condition!(L)),
                        Op::CmovGe32 => move_if::<u32>(core, u, condition!(Ge)),
                        Op::CmovLe32 => move_if::<u32>(core, u, condition!(Le)),
                        Op::CmovG32 => move_if::<u32>(core, u, condition!(G)),
                        Op::CmovO64 => move_if::<u64>(core, u, condition!(O)),
                        Op::CmovNo64 => move_if::<u64>(core, u, condition!(No)),
                        Op::CmovB64 => move_if::<u64>(core, u, condition!(B)),
                        Op::CmovAe64 => move_if::<u64>(core, u, condition!(Ae)),
                        Op::CmovE64 => move_if::<u64>(core, u, condition!(E)),
                        Op::CmovNe64 => move_if::<u64>(core, u, condition!(Ne)),
                        Op::CmovBe64 => move_if::<u64>(core, u, condition!(Be)),
                        Op::CmovA64 => move_if::<u64>(core, u, condition!(A)),
                        Op::CmovS64 => move_if::<u64>(core, u, condition!(S)),
                        Op::CmovNs64 => move_if::<u64>(core, u, condition!(Ns)),
                        Op::CmovP64 => move_if::<u64>(core, u, condition!(P)),
                        Op::CmovNp64 => move_if::<u64>(core, u, condition!(Np)),
                        Op::CmovL64 => move_if::<u64>(core, u, condition!(L)),
                        Op::CmovGe64 => move_if::<u64>(core, u, condition!(Ge)),
                        Op::CmovLe64 => move_if::<u64>(core, u, condition!(Le)),
                        Op::CmovG64 => move_if::<u64>(core, u, condition!(G)),
                        Op::Widen => general::widen(core, u),
                        Op::FlagOp => general::flag_op(core, u),
                        Op::GetFlags => core[u.dst] = core.rflags(),
                        Op::SetFlags => core.set_rflags(core[u.src]),
                        Op::Crc32 => general::crc32(core, u),
                        // Stack.
                        Op::Push => {
                            store!(core[u.src], core[Reg::Rsp].wrapping_sub(8));
                            core[Reg::Rsp] = core[Reg::Rsp].wrapping_sub(8);
                        }
                        Op::PushI => {
                            store!(u.imm as i64 as u64, core[Reg::Rsp].wrapping_sub(8));
                            core[Reg::Rsp] = core[Reg::Rsp].wrapping_sub(8);
                        }
                        Op::Pop => {
                            let value = load!(u64, core[Reg::Rsp]);
                            core[Reg::Rsp] = core[Reg::Rsp].wrapping_add(8);
                            core[u.dst] = value;
                        }
                        Op::Leave => {
                            let value = load!(u64, core[Reg::Rbp]);
                            core[Reg::Rsp] = core[Reg::Rbp].wrapping_add(8);
                            core[Reg::Rbp] = value;
                        }
                        // Read-modify-write.
                        Op::Rmw8 => rmw!(u8, u),
                        Op::Rmw16 => rmw!(u16, u),
                        Op::Rmw32 => rmw!(u32, u),
                        Op::Rmw64 => rmw!(u64, u),
                        Op::CmpxchgReg => general::cmpxchg(core, u),
                        Op::Cmpxchg8b => {
                            attempt!(cell::cmpxchg8b::<M>(core, memory, monitor, ea!(u)))
                        }
                        Op::Cmpxchg16b => {
                            attempt!(cell::cmpxchg16b::<M>(core, memory, monitor, ea!(u)))
                        }
                        Op::StringGuard => {
                            if core[Reg::Rcx] == 0 {
                                break 'branch false;
                            }
                        }
                        Op::StringAdvance => {
                            string::advance(core, Str::from_number(u.aux), u.bits() / 8)
                        }
                        Op::StringAgain => break 'branch string::again(core, u),
                        Op::String => attempt!(string::execute::<M>(core, memory, monitor, u)),
                        // Vectors and x87.
                        Op::VMov => floating.xmm[xmm(u.dst)] = floating.xmm[xmm(u.src)],
                        Op::VLd16 => {
                            floating.xmm[xmm(u.dst)] = u128::from_le_bytes(load_bytes!(16, ea!(u)))
                        }
                        Op::VLd16A => {
                            floating.xmm[xmm(u.dst)] =
                                u128::from_le_bytes(load_bytes!(16, aligned!(u)))
                        }
                        Op::VLd8 => floating.xmm[xmm(u.dst)] = u128::from(load!(u64, ea!(u))),
                        Op::VLd4 => floating.xmm[xmm(u.dst)] = u128::from(load!(u32, ea!(u))),
                        Op::VSt16 => {
                            store_bytes!(16, floating.xmm[xmm(u.src)].to_le_bytes(), ea!(u))
                        }
                        Op::VSt16A => {
                            store_bytes!(16, floating.xmm[xmm(u.src)].to_le_bytes(), aligned!(u))
                        }
                        Op::VSt8 => store!(floating.xmm[xmm(u.src)] as u64, ea!(u)),
                        Op::VSt4 => store!(floating.xmm[xmm(u.src)] as u32, ea!(u)),
                        Op::Vector => {
                            let form = cursor.block.vectors[u.imm as usize];
                            attempt!(float::vector::<M>(
                                core,
                                floating,
                                memory,
                                monitor,
                                form,
                                ea!(u)
                            ))
                        }
                        Op::X87 => {
                            let form = cursor.block.x87[u.imm as usize];
                            attempt!(x87::x87::<M>(core, floating, memory, monitor, form, ea!(u)))
                        }
                        // The machine itself.
                        Op::Fence => {}
                        Op::Pause => monitor.pause(),
                        Op::FrameEnter => {
                            let slot = core[Reg::Rsp].wrapping_sub(8);
                            let chain = core[Reg::Frame];
                            core[Reg::Frame] = memory.frames.enter(chain, slot, u.imm64());
                        }
                        Op::FrameLeave => {
                            let above = core[Reg::Rsp].wrapping_add(8);
                            core[Reg::Frame] = memory.frames.above(core[Reg::Frame], above);
                        }
                        Op::FrameForget => core[Reg::Frame] = 0,
                        Op::FrameJudge => {
                            let addr = ea!(u);
                            let end = addr.wrapping_add(u64::from(u.aux));
                            if !memory.frames.is_below(core[Reg::Frame], end)
                                && let Some(fault) = general::judge_frame(core, memory, u, addr)
                            {
                                return Exit::Stop(Stop::Fault(fault));
                            }
                        }
                        Op::FillStack => general::fill_stack(core, memory, u),
                        Op::Cpuid => cpuid(core, profile),
                        Op::Syscall => return Exit::After(Stop::Syscall),
                        Op::Request => return Exit::After(Stop::Request),
                        Op::TimeStamp => return Exit::After(Stop::TimeStamp),
                        Op::Breakpoint => return Exit::After(Stop::Breakpoint),
                        Op::Hook => return Exit::Stop(Stop::Hook(HookId(u.imm as u32))),
                        Op::Illegal => return Exit::Stop(Stop::IllegalInstruction),
                        Op::NoFetch => {
                            return refused(memory, cursor.block.start, 1, AccessKind::Execute);
                        }
                        Op::Unsupported => return Exit::Stop(Stop::Unsupported),
                        // Ends of a block.
                        Op::End => break 'branch false,
                        Op::Jmp => break 'branch true,
                        Op::JmpReg => break core[u.src],
                        Op::JO => break 'branch condition!(O),
                        Op::JNo => break 'branch condition!(No),
                        Op::JB => break 'branch condition!(B),
                        Op::JAe => break 'branch condition!(Ae),
                        Op::JE => break 'branch condition!(E),
                        Op::JNe => break 'branch condition!(Ne),
                        Op::JBe => break 'branch condition!(Be),
                        Op::JA => break 'branch condition!(A),
                        Op::JS => break 'branch condition!(S),
                        Op::JNs => break 'branch condition!(Ns),
                        Op::JP => break 'branch condition!(P),
                        Op::JNp => break 'branch condition!(Np),
                        Op::JL => break 'branch condition!(L),
                        Op::JGe => break 'branch condition!(Ge),
                        Op::JLe => break 'branch condition!(Le),
                        Op::JG => break 'branch condition!(G),
                        Op::JzR32 => break 'branch core[u.src] as u32 == 0,
                        Op::JnzR32 => break 'branch core[u.src] as u32 != 0,
                        Op::JsR32 => break 'branch (core[u.src] as i32) < 0,
                        Op::JnsR32 => break 'branch core[u.src] as i32 >= 0,
                        Op::JzR64 => break 'branch core[u.src] == 0,
                        Op::JnzR64 => break 'branch core[u.src] != 0,
                        Op::JsR64 => break 'branch (core[u.src] as i64) < 0,
                        Op::JnsR64 => break 'branch core[u.src] as i64 >= 0,
                        Op::CmpJERr32 => break 'branch compare_rr!(u, u32, u32, ==),
                        Op::CmpJNeRr32 => break 'branch compare_rr!(u, u32, u32, !=),
                        Op::CmpJBRr32 => break 'branch compare_rr!(u, u32, u32, <),
                        Op::CmpJAeRr32 => break 'branch compare_rr!(u, u32, u32, >=),
                        Op::CmpJBeRr32 => break 'branch compare_rr!(u, u32, u32, <=),
                        Op::CmpJARr32 => break 'branch compare_rr!(u, u32, u32, >),
                        Op::CmpJLRr32 => break 'branch compare_rr!(u, u32, i32, <),
                        Op::CmpJGeRr32 => break 'branch compare_rr!(u, u32, i32, >=),
                        Op::CmpJLeRr32 => break 'branch compare_rr!(u, u32, i32, <=),
                        Op::CmpJGRr32 => break 'branch compare_rr!(u, u32, i32, >),
                        Op::CmpJERr64 => break 'branch compare_rr!(u, u64, u64, ==),
                        Op::CmpJNeRr64 => break 'branch compare_rr!(u, u64, u64, !=),
                        Op::CmpJBRr64 => break 'branch compare_rr!(u, u64, u64, <),
                        Op::CmpJAeRr64 => break 'branch compare_rr!(u, u64, u64, >=),
                        Op::CmpJBeRr64 => break 'branch compare_rr!(u, u64, u64, <=),
                        Op::CmpJARr64 => break 'branch compare_rr!(u, u64, u64, >),
                        Op::CmpJLRr64 => break 'branch compare_rr!(u, u64, i64, <),
                        Op::CmpJGeRr64 => break 'branch compare_rr!(u, u64, i64, >=),
                        Op::CmpJLeRr64 => break 'branch compare_rr!(u, u64, i64, <=),
                        Op::CmpJGRr64 => break 'branch compare_rr!(u, u64, i64, >),
                        Op::CmpJERr8 => break 'branch compare_rr!(u, u8, u8, ==),
                        Op::CmpJNeRr8 => break 'branch compare_rr!(u, u8, u8, !=),
                        Op::CmpJBRr8 => break 'branch compare_rr!(u, u8, u8, <),
                        Op::CmpJAeRr8 => break 'branch compare_rr!(u, u8, u8, >=),
                        Op::CmpJBeRr8 => break 'branch compare_rr!(u, u8, u8, <=),
                        Op::CmpJARr8 => break 'branch compare_rr!(u, u8, u8, >),
                        Op::CmpJERi32 => break 'branch compare_ri!(u, u32, u32, ==),
                        Op::CmpJNeRi32 => break 'branch compare_ri!(u, u32, u32, !=),
                        Op::CmpJBRi32 => break 'branch compare_ri!(u, u32, u32, <),
                        Op::CmpJAeRi32 => break 'branch compare_ri!(u, u32, u32, >=),
                        Op::CmpJBeRi32 => break 'branch compare_ri!(u, u32, u32, <=),
                        Op::CmpJARi32 => break 'branch compare_ri!(u, u32, u32, >),
                        Op::CmpJLRi32 => break 'branch compare_ri!(u, u32, i32, <),
                        Op::CmpJGeRi32 => break 'branch compare_ri!(u, u32, i32, >=),
                        Op::CmpJLeRi32 => break 'branch compare_ri!(u, u32, i32, <=),
                        Op::CmpJGRi32 => break 'branch compare_ri!(u, u32, i32, >),
                        Op::CmpJERi64 => break 'branch compare_ri!(u, u64, u64, ==),
                        Op::CmpJNeRi64 => break 'branch compare_ri!(u, u64, u64, !=),
                        Op::CmpJBRi64 => break 'branch compare_ri!(u, u64, u64, <),
                        Op::CmpJAeRi64 => break 'branch compare_ri!(u, u64, u64, >=),
                        Op::CmpJBeRi64 => break 'branch compare_ri!(u, u64, u64, <=),
                        Op::CmpJARi64 => break 'branch compare_ri!(u, u64, u64, >),
                        Op::CmpJLRi64 => break 'branch compare_ri!(u, u64, i64, <),
                        Op::CmpJGeRi64 => break 'branch compare_ri!(u, u64, i64, >=),
                        Op::CmpJLeRi64 => break 'branch compare_ri!(u, u64, i64, <=),
                        Op::CmpJGRi64 => break 'branch compare_ri!(u, u64, i64, >),
                        Op::CmpJERi8 => break 'branch compare_ri!(u, u8, u8, ==),
                        Op::CmpJNeRi8 => break 'branch compare_ri!(u, u8, u8, !=),
                        Op::CmpJBRi8 => break 'branch compare_ri!(u, u8, u8, <),
                        Op::CmpJAeRi8 => break 'branch compare_ri!(u, u8, u8, >=),
                        Op::CmpJBeRi8 => break 'branch compare_ri!(u, u8, u8, <=),
                        Op::CmpJARi8 => break 'branch compare_ri!(u, u8, u8, >),
                        Op::TestJERr32 => break 'branch test_rr!(u, u32, i32, ==),
                        Op::TestJNeRr32 => break 'branch test_rr!(u, u32, i32, !=),
                        Op::TestJSRr32 => break 'branch test_rr!(u, u32, i32, <),
                        Op::TestJNsRr32 => break 'branch test_rr!(u, u32, i32, >=),
                        Op::TestJLeRr32 => break 'branch test_rr!(u, u32, i32, <=),
                        Op::TestJGRr32 => break 'branch test_rr!(u, u32, i32, >),
                        Op::TestJERr64 => break 'branch test_rr!(u, u64, i64, ==),
                        Op::TestJNeRr64 => break 'branch test_rr!(u, u64, i64, !=),
                        Op::TestJSRr64 => break 'branch test_rr!(u, u64, i64, <),
                        Op::TestJNsRr64 => break 'branch test_rr!(u, u64, i64, >=),
                        Op::TestJLeRr64 => break 'branch test_rr!(u, u64, i64, <=),
                        Op::TestJGRr64 => break 'branch test_rr!(u, u64, i64, >),
                        Op::TestJERr8 => break 'branch test_rr!(u, u8, i8, ==),
                        Op::TestJNeRr8 => break 'branch test_rr!(u, u8, i8, !=),
                        Op::TestJSRr8 => break 'branch test_rr!(u, u8, i8, <),
                        Op::TestJNsRr8 => break 'branch test_rr!(u, u8, i8, >=),
                        Op::TestJERi8 => break 'branch test_ri!(u, u8, i8, ==),
                        Op::TestJNeRi8 => break 'branch test_ri!(u, u8, i8, !=),
                        Op::TestJERi32 => break 'branch test_ri!(u, u32, i32, ==),
                        Op::TestJNeRi32 => break 'branch test_ri!(u, u32, i32, !=),
                        Op::CmpJRr8 => break 'branch general_rr!(alu::Cmp, u, u8),
                        Op::CmpJRr16 => break 'branch general_rr!(alu::Cmp, u, u16),
                        Op::CmpJRi8 => break 'branch general_ri!(alu::Cmp, u, u8),
                        Op::CmpJRi16 => break 'branch general_ri!(alu::Cmp, u, u16),
                        Op::TestJRr8 => break 'branch general_rr!(alu::Test, u, u8),
                        Op::TestJRr16 => break 'branch general_rr!(alu::Test, u, u16),
                        Op::TestJRi8 => break 'branch general_ri!(alu::Test, u, u8),
                        Op::TestJRi16 => break 'branch general_ri!(alu::Test, u, u16),
                        Op::TestJRi32 => break 'branch general_ri!(alu::Test, u, u32),
                        Op::TestJRi64 => break 'branch general_ri!(alu::Test, u, u64),
                        Op::Jrcxz => break 'branch general::counter(core, u) == 0,
                        Op::Loop => break 'branch general::loop_again(core, u),
                        Op::Call => {
                            let fall = cursor.block.fall;
                            store!(fall, core[Reg::Rsp].wrapping_sub(8));
                            core[Reg::Rsp] = core[Reg::Rsp].wrapping_sub(8);
                            break 'branch true;
                        }
                        Op::CallReg => {
                            let fall = cursor.block.fall;
                            store!(fall, core[Reg::Rsp].wrapping_sub(8));
                            core[Reg::Rsp] = core[Reg::Rsp].wrapping_sub(8);
                            break core[u.src];
                        }
                        Op::Ret => {
                            let target = load!(u64, core[Reg::Rsp]);
                            let popped = 8 + u.imm as u32 as u64;
                            core[Reg::Rsp] = core[Reg::Rsp].wrapping_add(popped);
                            if core[Reg::Rsp] > core.return_watch {
                                return Exit::Return(target);
                            }
                            break target;
                        }
                    }
                };
                match code.known(pc) {
                    Some(id) => break 'next id,
                    None => return Exit::Indirect(pc),
                }
            };
            // Two paths, so that the host predicts the guest's branch as one of its own.
            if taken {
                let Some(id) = cursor.block.links[1] else { return Exit::Branch(true) };
                let length = u64::from(cursor.block.length);
                if id == cursor.id && cursor.left >= 2 * length {
                    cursor.left -= length;
                    cursor.rest = cursor.block.uops.iter();
                    continue 'blocks;
                }
                id
            } else {
                let Some(id) = cursor.block.links[0] else { return Exit::Branch(false) };
                id
            }
        };
        let block = code.block(next);
        let left = cursor.left - u64::from(cursor.block.length);
        if left < u64::from(block.length) || M::JOURNAL && block.uses_floating && !floating_saved {
            return Exit::Next(next);
        }
        core[Reg::BlockStart] = block.start;
        *cursor = Cursor { id: next, block, rest: block.uops.iter(), left };
    }
}

#[inline(always)]
fn alu_rr<A: Alu, W: Width>(core: &mut Core, u: &Uop) {
    let result = A::apply(core, W::of(core[u.dst]), W::of(core[u.src]));
    if A::WRITES {
        core[u.dst] = result.merge(core[u.dst]);
    }
}

#[inline(always)]
fn alu_ri<A: Alu, W: Width>(core: &mut Core, u: &Uop) {
    let result = A::apply(core, W::of(core[u.dst]), W::of(u.imm as i64 as u64));
    if A::WRITES {
        core[u.dst] = result.merge(core[u.dst]);
    }
}

#[inline(always)]
fn unary<W: Width>(core: &mut Core, u: &Uop, operation: impl FnOnce(&mut Core, W) -> W) {
    let result = operation(core, W::of(core[u.dst]));
    core[u.dst] = result.merge(core[u.dst]);
}

/// Notes the flags of a shift.
#[inline(always)]
fn shifted<W: Width>(core: &mut Core, result: W, carry: u64, overflow: u64) -> W {
    let carries = carry | overflow << 1;
    core.flags = Flags::lazy(FlagKind::Carries, W::BITS, result.wide(), carries);
    result
}

#[inline(always)]
fn bytes_of<W: Width>(_: W) -> u32 {
    W::BYTES
}

#[inline(always)]
fn xmm(reg: Reg) -> usize {
    reg as usize & 15
}

#[inline(always)]
fn move_if<W: Width>(core: &mut Core, u: &Uop, condition: bool) {
    let (new, old) = (core[u.src], core[u.dst]);
    core[u.dst] = W::of(if condition { new } else { old }).wide();
}

/// Address of the word that holds bit `offset` (a signed operand of `8 << width` bits).
fn bit_address(base: u64, offset: u64, width: u8) -> u64 {
    let bits = 8u32 << width;
    let offset = ((offset << (64 - bits)) as i64) >> (64 - bits);
    base.wrapping_add(((offset >> (3 + width)) << width) as u64)
}

fn cpuid(core: &mut Core, profile: &Profile) {
    let [a, b, c, d] = profile.cpuid(core[Reg::Rax] as u32, core[Reg::Rcx] as u32);
    core[Reg::Rax] = u64::from(a);
    core[Reg::Rbx] = u64::from(b);
    core[Reg::Rcx] = u64::from(c);
    core[Reg::Rdx] = u64::from(d);
}

fn misaligned(addr: u64, kind: AccessKind) -> Fault {
    Fault { addr, size: 16, kind, reason: FaultReason::Misaligned }
}

#[cold]
#[inline(never)]
fn refused(memory: &Memory, addr: u64, size: u32, kind: AccessKind) -> Exit {
    if kind == AccessKind::Write && memory.is_code(addr, u64::from(size)) {
        return Exit::CodeWrite;
    }
    Exit::Stop(Stop::Fault(memory.explain(addr, size, kind)))
}

#[cold]
fn refuse(memory: &Memory, refusal: Refusal) -> Exit {
    match refusal {
        Refusal::Monitor(access) => Exit::Stop(Stop::Access(access)),
        Refusal::Access { addr, size, kind } => refused(memory, addr, size, kind),
        Refusal::Misaligned { addr, kind } => Exit::Stop(Stop::Fault(misaligned(addr, kind))),
        Refusal::FloatingPoint => Exit::Stop(Stop::FloatingPointError),
    }
}

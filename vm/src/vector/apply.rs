//! What each vector operation computes: one arm per operation, each naming a pure function.
//!
//! The operations fall into groups by what they read and write; a function called with an
//! operation of another group is an internal error.

use super::lanes::{zip_bytes, zip_dwords, zip_words};
use super::{VecOp, packed, round, shuffle};
use crate::host_fp::{sse, sse2};

const CF: u64 = 1 << 0;
const ZF: u64 = 1 << 6;
/// The low half of a vector register.
const LOW: u128 = u64::MAX as u128;

/// The new value of the destination register of `op dst, src, imm`.
///
/// A memory operand shorter than 16 bytes is passed zero-extended. Exceptions raised are added to
/// the guest's `mxcsr` as sticky flags; see [`super::mxcsr::trapping`] for unmasked ones.
pub fn apply(op: VecOp, dst: u128, src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    use VecOp::*;
    match op {
        Movaps => src,
        Movq => src & LOW,
        Movss => dst >> 32 << 32 | src as u32 as u128,
        Movsd => dst & !LOW | src & LOW,
        Movhlps => dst & !LOW | src >> 64,
        Movddup => src & LOW | src << 64,
        Movshdup => shuffle::movshdup(src),
        Movsldup => shuffle::movsldup(src),

        Pand => dst & src,
        Pandn => !dst & src,
        Por => dst | src,
        Pxor => dst ^ src,

        Paddb => sse2::paddb(dst, src),
        Paddw => sse2::paddw(dst, src),
        Paddd => sse2::paddd(dst, src),
        Paddq => sse2::paddq(dst, src),
        Psubb => sse2::psubb(dst, src),
        Psubw => sse2::psubw(dst, src),
        Psubd => sse2::psubd(dst, src),
        Psubq => sse2::psubq(dst, src),
        Paddsb => sse2::paddsb(dst, src),
        Paddsw => sse2::paddsw(dst, src),
        Paddusb => sse2::paddusb(dst, src),
        Paddusw => sse2::paddusw(dst, src),
        Psubsb => sse2::psubsb(dst, src),
        Psubsw => sse2::psubsw(dst, src),
        Psubusb => sse2::psubusb(dst, src),
        Psubusw => sse2::psubusw(dst, src),
        Pmullw => sse2::pmullw(dst, src),
        Pmulhw => sse2::pmulhw(dst, src),
        Pmulhuw => sse2::pmulhuw(dst, src),
        Pmuludq => sse2::pmuludq(dst, src),
        Pmaddwd => sse2::pmaddwd(dst, src),
        Pavgb => sse2::pavgb(dst, src),
        Pavgw => sse2::pavgw(dst, src),
        Psadbw => sse2::psadbw(dst, src),
        Pmaxub => sse2::pmaxub(dst, src),
        Pmaxsw => sse2::pmaxsw(dst, src),
        Pminub => sse2::pminub(dst, src),
        Pminsw => sse2::pminsw(dst, src),
        Pcmpeqb => sse2::pcmpeqb(dst, src),
        Pcmpeqw => sse2::pcmpeqw(dst, src),
        Pcmpeqd => sse2::pcmpeqd(dst, src),
        Pcmpgtb => sse2::pcmpgtb(dst, src),
        Pcmpgtw => sse2::pcmpgtw(dst, src),
        Pcmpgtd => sse2::pcmpgtd(dst, src),
        Psllw => sse2::psllw(dst, src),
        Pslld => sse2::pslld(dst, src),
        Psllq => sse2::psllq(dst, src),
        Psrlw => sse2::psrlw(dst, src),
        Psrld => sse2::psrld(dst, src),
        Psrlq => sse2::psrlq(dst, src),
        Psraw => sse2::psraw(dst, src),
        Psrad => sse2::psrad(dst, src),
        Packsswb => sse2::packsswb(dst, src),
        Packssdw => sse2::packssdw(dst, src),
        Packuswb => sse2::packuswb(dst, src),
        Punpcklbw => sse2::punpcklbw(dst, src),
        Punpcklwd => sse2::punpcklwd(dst, src),
        Punpckldq => sse2::punpckldq(dst, src),
        Punpcklqdq => sse2::punpcklqdq(dst, src),
        Punpckhbw => sse2::punpckhbw(dst, src),
        Punpckhwd => sse2::punpckhwd(dst, src),
        Punpckhdq => sse2::punpckhdq(dst, src),
        Punpckhqdq => sse2::punpckhqdq(dst, src),

        PsllwImm => sse2::psllw(dst, imm as u128),
        PslldImm => sse2::pslld(dst, imm as u128),
        PsllqImm => sse2::psllq(dst, imm as u128),
        PsrlwImm => sse2::psrlw(dst, imm as u128),
        PsrldImm => sse2::psrld(dst, imm as u128),
        PsrlqImm => sse2::psrlq(dst, imm as u128),
        PsrawImm => sse2::psraw(dst, imm as u128),
        PsradImm => sse2::psrad(dst, imm as u128),
        Pslldq => shuffle::pslldq(dst, imm),
        Psrldq => shuffle::psrldq(dst, imm),
        Pshufd => shuffle::pshufd(src, imm),
        Pshuflw => shuffle::pshuflw(src, imm),
        Pshufhw => shuffle::pshufhw(src, imm),
        Shufps => shuffle::shufps(dst, src, imm),
        Shufpd => shuffle::shufpd(dst, src, imm),

        Addps => sse::addps(dst, src, mxcsr),
        Addpd => sse::addpd(dst, src, mxcsr),
        Addss => sse::addss(dst, src, mxcsr),
        Addsd => sse::addsd(dst, src, mxcsr),
        Subps => sse::subps(dst, src, mxcsr),
        Subpd => sse::subpd(dst, src, mxcsr),
        Subss => sse::subss(dst, src, mxcsr),
        Subsd => sse::subsd(dst, src, mxcsr),
        Mulps => sse::mulps(dst, src, mxcsr),
        Mulpd => sse::mulpd(dst, src, mxcsr),
        Mulss => sse::mulss(dst, src, mxcsr),
        Mulsd => sse::mulsd(dst, src, mxcsr),
        Divps => sse::divps(dst, src, mxcsr),
        Divpd => sse::divpd(dst, src, mxcsr),
        Divss => sse::divss(dst, src, mxcsr),
        Divsd => sse::divsd(dst, src, mxcsr),
        Minps => sse::minps(dst, src, mxcsr),
        Minpd => sse::minpd(dst, src, mxcsr),
        Minss => sse::minss(dst, src, mxcsr),
        Minsd => sse::minsd(dst, src, mxcsr),
        Maxps => sse::maxps(dst, src, mxcsr),
        Maxpd => sse::maxpd(dst, src, mxcsr),
        Maxss => sse::maxss(dst, src, mxcsr),
        Maxsd => sse::maxsd(dst, src, mxcsr),
        Sqrtps => sse::sqrtps(dst, src, mxcsr),
        Sqrtpd => sse::sqrtpd(dst, src, mxcsr),
        Sqrtss => sse::sqrtss(dst, src, mxcsr),
        Sqrtsd => sse::sqrtsd(dst, src, mxcsr),
        Rcpps => sse::rcpps(dst, src, mxcsr),
        Rcpss => sse::rcpss(dst, src, mxcsr),
        Rsqrtps => sse::rsqrtps(dst, src, mxcsr),
        Rsqrtss => sse::rsqrtss(dst, src, mxcsr),
        Addsubps => sse::addsubps(dst, src, mxcsr),
        Addsubpd => sse::addsubpd(dst, src, mxcsr),
        Haddps => sse::haddps(dst, src, mxcsr),
        Haddpd => sse::haddpd(dst, src, mxcsr),
        Hsubps => sse::hsubps(dst, src, mxcsr),
        Hsubpd => sse::hsubpd(dst, src, mxcsr),
        Cvtps2pd => sse::cvtps2pd(dst, src, mxcsr),
        Cvtpd2ps => sse::cvtpd2ps(dst, src, mxcsr),
        Cvtss2sd => sse::cvtss2sd(dst, src, mxcsr),
        Cvtsd2ss => sse::cvtsd2ss(dst, src, mxcsr),
        Cvtdq2ps => sse::cvtdq2ps(dst, src, mxcsr),
        Cvtdq2pd => sse::cvtdq2pd(dst, src, mxcsr),
        Cvtps2dq => sse::cvtps2dq(dst, src, mxcsr),
        Cvttps2dq => sse::cvttps2dq(dst, src, mxcsr),
        Cvtpd2dq => sse::cvtpd2dq(dst, src, mxcsr),
        Cvttpd2dq => sse::cvttpd2dq(dst, src, mxcsr),
        Cmpps => sse::cmpps(imm, dst, src, mxcsr),
        Cmppd => sse::cmppd(imm, dst, src, mxcsr),
        Cmpss => sse::cmpss(imm, dst, src, mxcsr),
        Cmpsd => sse::cmpsd(imm, dst, src, mxcsr),

        _ => apply_ssse3(op, dst, src, imm, mxcsr),
    }
}

/// The operations of SSSE3 and SSE4 that give a vector register.
fn apply_ssse3(op: VecOp, dst: u128, src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    use VecOp::*;
    match op {
        Pshufb => shuffle::pshufb(dst, src),
        Palignr => shuffle::palignr(dst, src, imm),
        Phaddw => packed::horizontal_words(dst, src, u16::wrapping_add),
        Phaddd => packed::horizontal_dwords(dst, src, u32::wrapping_add),
        Phaddsw => packed::horizontal_words(dst, src, packed::add_saturating),
        Phsubw => packed::horizontal_words(dst, src, u16::wrapping_sub),
        Phsubd => packed::horizontal_dwords(dst, src, u32::wrapping_sub),
        Phsubsw => packed::horizontal_words(dst, src, packed::sub_saturating),
        Pmaddubsw => packed::pmaddubsw(dst, src),
        Pmulhrsw => packed::pmulhrsw(dst, src),
        Psignb => packed::psignb(dst, src),
        Psignw => packed::psignw(dst, src),
        Psignd => packed::psignd(dst, src),
        Pabsb => packed::pabsb(src),
        Pabsw => packed::pabsw(src),
        Pabsd => packed::pabsd(src),

        Pmulld => zip_dwords(dst, src, u32::wrapping_mul),
        Pmuldq => packed::pmuldq(dst, src),
        Pminsb => zip_bytes(dst, src, |a, b| (a as i8).min(b as i8) as u8),
        Pminuw => zip_words(dst, src, u16::min),
        Pminsd => zip_dwords(dst, src, |a, b| (a as i32).min(b as i32) as u32),
        Pminud => zip_dwords(dst, src, u32::min),
        Pmaxsb => zip_bytes(dst, src, |a, b| (a as i8).max(b as i8) as u8),
        Pmaxuw => zip_words(dst, src, u16::max),
        Pmaxsd => zip_dwords(dst, src, |a, b| (a as i32).max(b as i32) as u32),
        Pmaxud => zip_dwords(dst, src, u32::max),
        Pcmpeqq => packed::pcmpeqq(dst, src),
        Pcmpgtq => packed::pcmpgtq(dst, src),
        Packusdw => packed::packusdw(dst, src),
        Phminposuw => packed::phminposuw(src),
        Mpsadbw => packed::mpsadbw(dst, src, imm),
        Pmovsxbw => packed::sign_extend(src, 8, 16),
        Pmovsxbd => packed::sign_extend(src, 8, 32),
        Pmovsxbq => packed::sign_extend(src, 8, 64),
        Pmovsxwd => packed::sign_extend(src, 16, 32),
        Pmovsxwq => packed::sign_extend(src, 16, 64),
        Pmovsxdq => packed::sign_extend(src, 32, 64),
        Pmovzxbw => packed::zero_extend(src, 8, 16),
        Pmovzxbd => packed::zero_extend(src, 8, 32),
        Pmovzxbq => packed::zero_extend(src, 8, 64),
        Pmovzxwd => packed::zero_extend(src, 16, 32),
        Pmovzxwq => packed::zero_extend(src, 16, 64),
        Pmovzxdq => packed::zero_extend(src, 32, 64),
        Pblendw => shuffle::pblendw(dst, src, imm),
        Blendps => shuffle::blendps(dst, src, imm),
        Blendpd => shuffle::blendpd(dst, src, imm),
        Insertps => shuffle::insertps(dst, src, imm),

        Roundps => round::roundps(src, imm, mxcsr),
        Roundpd => round::roundpd(src, imm, mxcsr),
        Roundss => round::roundss(dst, src, imm, mxcsr),
        Roundsd => round::roundsd(dst, src, imm, mxcsr),
        Dpps => round::dpps(dst, src, imm, mxcsr),
        Dppd => round::dppd(dst, src, imm, mxcsr),
        _ => unreachable!("{op:?} does not give a vector from two vectors"),
    }
}

/// The value a store writes: its low bytes, as many as the form says.
#[inline]
pub fn store_value(op: VecOp, src: u128) -> u128 {
    if op == VecOp::Movhlps { src >> 64 } else { src }
}

/// The new value of a general register of `dst_bits` bits (32 or 64), zero-extended.
pub fn to_gpr(op: VecOp, dst_bits: u8, src: u128, imm: u8, mxcsr: &mut u32) -> u64 {
    use VecOp::*;
    match (op, dst_bits) {
        (Movd, 32) => src as u32 as u64,
        (Movd, _) => src as u64,
        (Pmovmskb, _) => sse2::pmovmskb(src) as u64,
        (Movmskps, _) => movmskps(src),
        (Movmskpd, _) => (src >> 63 & 1 | src >> 127 << 1) as u64,
        (Pextrb, _) => shuffle::extract(src, 8, imm),
        (Pextrw, _) => shuffle::extract(src, 16, imm),
        (Pextrd, _) => shuffle::extract(src, 32, imm),
        (Pextrq, _) => shuffle::extract(src, 64, imm),
        (Cvtss2si, 32) => sse::cvtss2si_32(src, mxcsr),
        (Cvtss2si, _) => sse::cvtss2si_64(src, mxcsr),
        (Cvtsd2si, 32) => sse::cvtsd2si_32(src, mxcsr),
        (Cvtsd2si, _) => sse::cvtsd2si_64(src, mxcsr),
        (Cvttss2si, 32) => sse::cvttss2si_32(src, mxcsr),
        (Cvttss2si, _) => sse::cvttss2si_64(src, mxcsr),
        (Cvttsd2si, 32) => sse::cvttsd2si_32(src, mxcsr),
        (Cvttsd2si, _) => sse::cvttsd2si_64(src, mxcsr),
        _ => unreachable!("{op:?} does not give a general register"),
    }
}

/// `movmskps`: the signs of the four double words.
fn movmskps(src: u128) -> u64 {
    (0..4).fold(0, |signs, lane| signs | ((src >> (32 * lane + 31) & 1) as u64) << lane)
}

/// The new value of a vector register from an integer of `src_bits` bits; higher bits of `src`
/// do not matter.
pub fn from_gpr(op: VecOp, src_bits: u8, dst: u128, src: u64, imm: u8, mxcsr: &mut u32) -> u128 {
    use VecOp::*;
    match (op, src_bits) {
        (Movd, 32) => src as u32 as u128,
        (Movd, _) => src as u128,
        (Pinsrb, _) => shuffle::insert(dst, src, 8, imm),
        (Pinsrw, _) => shuffle::insert(dst, src, 16, imm),
        (Pinsrd, _) => shuffle::insert(dst, src, 32, imm),
        (Pinsrq, _) => shuffle::insert(dst, src, 64, imm),
        (Cvtsi2ss, 32) => sse::cvtsi2ss_32(dst, src, mxcsr),
        (Cvtsi2ss, _) => sse::cvtsi2ss_64(dst, src, mxcsr),
        (Cvtsi2sd, 32) => sse::cvtsi2sd_32(dst, src, mxcsr),
        (Cvtsi2sd, _) => sse::cvtsi2sd_64(dst, src, mxcsr),
        _ => unreachable!("{op:?} does not take a general register"),
    }
}

/// The new ZF, PF and CF at their rflags positions; OF, SF and AF become zero.
pub fn compare_flags(op: VecOp, dst: u128, src: u128, mxcsr: &mut u32) -> u64 {
    let when = |condition: bool, flag: u64| if condition { flag } else { 0 };
    match op {
        VecOp::Comiss => sse::comiss(dst, src, mxcsr),
        VecOp::Comisd => sse::comisd(dst, src, mxcsr),
        VecOp::Ucomiss => sse::ucomiss(dst, src, mxcsr),
        VecOp::Ucomisd => sse::ucomisd(dst, src, mxcsr),
        VecOp::Ptest => when(dst & src == 0, ZF) | when(!dst & src == 0, CF),
        _ => unreachable!("{op:?} does not set flags"),
    }
}

/// The new destination of a blend whose mask is XMM0.
pub fn blend(op: VecOp, dst: u128, src: u128, mask: u128) -> u128 {
    match op {
        VecOp::Pblendvb => shuffle::pblendvb(dst, src, mask),
        VecOp::Blendvps => shuffle::blendvps(dst, src, mask),
        VecOp::Blendvpd => shuffle::blendvpd(dst, src, mask),
        _ => unreachable!("{op:?} does not blend by a register"),
    }
}

/// The bytes that MASKMOVDQU writes, as (offset, byte) in ascending order.
pub fn masked_bytes(src: u128, mask: u128) -> impl Iterator<Item = (u8, u8)> {
    let (bytes, mask) = (src.to_le_bytes(), sse2::pmovmskb(mask));
    (0..16u8).filter(move |at| mask >> at & 1 == 1).map(move |at| (at, bytes[at as usize]))
}

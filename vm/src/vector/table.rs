//! Which instruction encodings mean which vector operation: a table by decoder code.

use iced_x86::Code;

use super::VecOp;

/// How an encoding's operands are laid out; `u8` is the width of a memory operand in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// `xmm, xmm/m128`, memory aligned to 16.
    Aligned,
    /// `xmm, xmm/m`, any alignment.
    Source(u8),
    /// `xmm, xmm/m32` or `xmm/m64` where a load zeroes the rest and a register move keeps it.
    ScalarLoad(u8),
    /// `xmm/m, xmm`; the operation is that of the register form.
    Store(u8),
    /// `xmm/m128, xmm`, memory aligned to 16.
    AlignedStore,
    /// `m64, xmm` from the high half.
    StoreHigh,
    /// `xmm, imm8`.
    Immediate,
    /// `xmm, xmm/m32, imm8` whose immediate chooses a source lane in the register form only.
    LaneSource,
    /// `r, xmm/m [, imm8]`.
    ToGpr(u8),
    /// `r/m, xmm, imm8` or `r/m, xmm`.
    Extract(u8),
    /// `xmm, r/m [, imm8]`.
    FromGpr(u8),
    /// `xmm, xmm/m` into flags.
    Flags(u8),
    /// `xmm, xmm/m128` into flags, memory aligned to 16.
    AlignedFlags,
    /// `xmm, xmm/m128` with the mask in XMM0.
    Blend,
}

/// The operation and operand layout of an encoding; `None` if it is no plain vector instruction.
pub(super) fn shape(code: Code) -> Option<(VecOp, Shape)> {
    let found = moves(code).or_else(|| registers(code)).or_else(|| scalars(code));
    if found.is_some() {
        return found;
    }
    aligned(code).map(|op| (op, Shape::Aligned)).or_else(|| immediate(code))
}

/// Moves: loads, stores and copies between vector registers.
fn moves(code: Code) -> Option<(VecOp, Shape)> {
    use Shape::*;
    use VecOp::*;
    Some(match code {
        Code::Movaps_xmm_xmmm128 | Code::Movapd_xmm_xmmm128 => (Movaps, Aligned),
        Code::Movdqa_xmm_xmmm128 | Code::Movntdqa_xmm_m128 => (Movaps, Aligned),
        Code::Movups_xmm_xmmm128 | Code::Movupd_xmm_xmmm128 => (Movaps, Source(16)),
        Code::Movdqu_xmm_xmmm128 | Code::Lddqu_xmm_m128 => (Movaps, Source(16)),
        Code::Movaps_xmmm128_xmm | Code::Movapd_xmmm128_xmm => (Movaps, AlignedStore),
        Code::Movdqa_xmmm128_xmm | Code::Movntdq_m128_xmm => (Movaps, AlignedStore),
        Code::Movntps_m128_xmm | Code::Movntpd_m128_xmm => (Movaps, AlignedStore),
        Code::Movups_xmmm128_xmm | Code::Movupd_xmmm128_xmm => (Movaps, Store(16)),
        Code::Movdqu_xmmm128_xmm => (Movaps, Store(16)),
        Code::Movss_xmm_xmmm32 => (Movss, ScalarLoad(4)),
        Code::Movsd_xmm_xmmm64 => (Movsd, ScalarLoad(8)),
        Code::Movss_xmmm32_xmm => (Movss, Store(4)),
        Code::Movsd_xmmm64_xmm => (Movsd, Store(8)),
        Code::Movq_xmm_xmmm64 => (Movq, Source(8)),
        Code::Movq_xmmm64_xmm => (Movq, Store(8)),
        Code::Movlps_xmm_m64 | Code::Movlpd_xmm_m64 => (Movsd, Source(8)),
        Code::Movlps_m64_xmm | Code::Movlpd_m64_xmm => (Movsd, Store(8)),
        Code::Movhps_xmm_m64 | Code::Movhpd_xmm_m64 => (Punpcklqdq, Source(8)),
        Code::Movhps_m64_xmm | Code::Movhpd_m64_xmm => (Movhlps, StoreHigh),
        Code::Movhlps_xmm_xmm => (Movhlps, Source(8)),
        Code::Movlhps_xmm_xmm => (Punpcklqdq, Source(8)),
        Code::Movddup_xmm_xmmm64 => (Movddup, Source(8)),
        _ => return None,
    })
}

/// Instructions that touch general registers or flags, and those with odd operands.
fn registers(code: Code) -> Option<(VecOp, Shape)> {
    use Shape::*;
    use VecOp::*;
    Some(match code {
        Code::Movd_xmm_rm32 => (Movd, FromGpr(4)),
        Code::Movq_xmm_rm64 => (Movd, FromGpr(8)),
        Code::Movd_rm32_xmm => (Movd, Extract(4)),
        Code::Movq_rm64_xmm => (Movd, Extract(8)),
        Code::Pmovmskb_r32_xmm | Code::Pmovmskb_r64_xmm => (Pmovmskb, ToGpr(16)),
        Code::Movmskps_r32_xmm | Code::Movmskps_r64_xmm => (Movmskps, ToGpr(16)),
        Code::Movmskpd_r32_xmm | Code::Movmskpd_r64_xmm => (Movmskpd, ToGpr(16)),
        Code::Pextrw_r32_xmm_imm8 | Code::Pextrw_r64_xmm_imm8 => (Pextrw, ToGpr(16)),
        Code::Cvtss2si_r32_xmmm32 | Code::Cvtss2si_r64_xmmm32 => (Cvtss2si, ToGpr(4)),
        Code::Cvttss2si_r32_xmmm32 | Code::Cvttss2si_r64_xmmm32 => (Cvttss2si, ToGpr(4)),
        Code::Cvtsd2si_r32_xmmm64 | Code::Cvtsd2si_r64_xmmm64 => (Cvtsd2si, ToGpr(8)),
        Code::Cvttsd2si_r32_xmmm64 | Code::Cvttsd2si_r64_xmmm64 => (Cvttsd2si, ToGpr(8)),
        Code::Cvtsi2ss_xmm_rm32 => (Cvtsi2ss, FromGpr(4)),
        Code::Cvtsi2ss_xmm_rm64 => (Cvtsi2ss, FromGpr(8)),
        Code::Cvtsi2sd_xmm_rm32 => (Cvtsi2sd, FromGpr(4)),
        Code::Cvtsi2sd_xmm_rm64 => (Cvtsi2sd, FromGpr(8)),
        Code::Pinsrb_xmm_r32m8_imm8 | Code::Pinsrb_xmm_r64m8_imm8 => (Pinsrb, FromGpr(1)),
        Code::Pinsrw_xmm_r32m16_imm8 | Code::Pinsrw_xmm_r64m16_imm8 => (Pinsrw, FromGpr(2)),
        Code::Pinsrd_xmm_rm32_imm8 => (Pinsrd, FromGpr(4)),
        Code::Pinsrq_xmm_rm64_imm8 => (Pinsrq, FromGpr(8)),
        Code::Pextrb_r32m8_xmm_imm8 | Code::Pextrb_r64m8_xmm_imm8 => (Pextrb, Extract(1)),
        Code::Pextrw_r32m16_xmm_imm8 | Code::Pextrw_r64m16_xmm_imm8 => (Pextrw, Extract(2)),
        Code::Pextrd_rm32_xmm_imm8 | Code::Extractps_rm32_xmm_imm8 => (Pextrd, Extract(4)),
        Code::Extractps_r64m32_xmm_imm8 => (Pextrd, Extract(4)),
        Code::Pextrq_rm64_xmm_imm8 => (Pextrq, Extract(8)),
        Code::Comiss_xmm_xmmm32 => (Comiss, Flags(4)),
        Code::Comisd_xmm_xmmm64 => (Comisd, Flags(8)),
        Code::Ucomiss_xmm_xmmm32 => (Ucomiss, Flags(4)),
        Code::Ucomisd_xmm_xmmm64 => (Ucomisd, Flags(8)),
        Code::Ptest_xmm_xmmm128 => (Ptest, AlignedFlags),
        Code::Pblendvb_xmm_xmmm128 => (Pblendvb, Blend),
        Code::Blendvps_xmm_xmmm128 => (Blendvps, Blend),
        Code::Blendvpd_xmm_xmmm128 => (Blendvpd, Blend),
        Code::Insertps_xmm_xmmm32_imm8 => (Insertps, LaneSource),
        _ => return None,
    })
}

/// Shifts by an immediate.
fn immediate(code: Code) -> Option<(VecOp, Shape)> {
    let op = match code {
        Code::Psllw_xmm_imm8 => VecOp::PsllwImm,
        Code::Pslld_xmm_imm8 => VecOp::PslldImm,
        Code::Psllq_xmm_imm8 => VecOp::PsllqImm,
        Code::Psrlw_xmm_imm8 => VecOp::PsrlwImm,
        Code::Psrld_xmm_imm8 => VecOp::PsrldImm,
        Code::Psrlq_xmm_imm8 => VecOp::PsrlqImm,
        Code::Psraw_xmm_imm8 => VecOp::PsrawImm,
        Code::Psrad_xmm_imm8 => VecOp::PsradImm,
        Code::Pslldq_xmm_imm8 => VecOp::Pslldq,
        Code::Psrldq_xmm_imm8 => VecOp::Psrldq,
        _ => return None,
    };
    Some((op, Shape::Immediate))
}

/// Scalars, conversions and extensions: a source narrower than a register, any alignment.
fn scalars(code: Code) -> Option<(VecOp, Shape)> {
    use Shape::Source;
    use VecOp::*;
    Some(match code {
        Code::Addss_xmm_xmmm32 => (Addss, Source(4)),
        Code::Addsd_xmm_xmmm64 => (Addsd, Source(8)),
        Code::Subss_xmm_xmmm32 => (Subss, Source(4)),
        Code::Subsd_xmm_xmmm64 => (Subsd, Source(8)),
        Code::Mulss_xmm_xmmm32 => (Mulss, Source(4)),
        Code::Mulsd_xmm_xmmm64 => (Mulsd, Source(8)),
        Code::Divss_xmm_xmmm32 => (Divss, Source(4)),
        Code::Divsd_xmm_xmmm64 => (Divsd, Source(8)),
        Code::Minss_xmm_xmmm32 => (Minss, Source(4)),
        Code::Minsd_xmm_xmmm64 => (Minsd, Source(8)),
        Code::Maxss_xmm_xmmm32 => (Maxss, Source(4)),
        Code::Maxsd_xmm_xmmm64 => (Maxsd, Source(8)),
        Code::Sqrtss_xmm_xmmm32 => (Sqrtss, Source(4)),
        Code::Sqrtsd_xmm_xmmm64 => (Sqrtsd, Source(8)),
        Code::Rcpss_xmm_xmmm32 => (Rcpss, Source(4)),
        Code::Rsqrtss_xmm_xmmm32 => (Rsqrtss, Source(4)),
        Code::Cvtps2pd_xmm_xmmm64 => (Cvtps2pd, Source(8)),
        Code::Cvtss2sd_xmm_xmmm32 => (Cvtss2sd, Source(4)),
        Code::Cvtsd2ss_xmm_xmmm64 => (Cvtsd2ss, Source(8)),
        Code::Cvtdq2pd_xmm_xmmm64 => (Cvtdq2pd, Source(8)),
        Code::Cmpss_xmm_xmmm32_imm8 => (Cmpss, Source(4)),
        Code::Cmpsd_xmm_xmmm64_imm8 => (Cmpsd, Source(8)),
        Code::Roundss_xmm_xmmm32_imm8 => (Roundss, Source(4)),
        Code::Roundsd_xmm_xmmm64_imm8 => (Roundsd, Source(8)),
        Code::Pmovsxbw_xmm_xmmm64 => (Pmovsxbw, Source(8)),
        Code::Pmovsxbd_xmm_xmmm32 => (Pmovsxbd, Source(4)),
        Code::Pmovsxbq_xmm_xmmm16 => (Pmovsxbq, Source(2)),
        Code::Pmovsxwd_xmm_xmmm64 => (Pmovsxwd, Source(8)),
        Code::Pmovsxwq_xmm_xmmm32 => (Pmovsxwq, Source(4)),
        Code::Pmovsxdq_xmm_xmmm64 => (Pmovsxdq, Source(8)),
        Code::Pmovzxbw_xmm_xmmm64 => (Pmovzxbw, Source(8)),
        Code::Pmovzxbd_xmm_xmmm32 => (Pmovzxbd, Source(4)),
        Code::Pmovzxbq_xmm_xmmm16 => (Pmovzxbq, Source(2)),
        Code::Pmovzxwd_xmm_xmmm64 => (Pmovzxwd, Source(8)),
        Code::Pmovzxwq_xmm_xmmm32 => (Pmovzxwq, Source(4)),
        Code::Pmovzxdq_xmm_xmmm64 => (Pmovzxdq, Source(8)),
        _ => return None,
    })
}

/// `xmm, xmm/m128 [, imm8]`: the bulk of the instruction set.
fn aligned(code: Code) -> Option<VecOp> {
    use VecOp::*;
    Some(match code {
        Code::Paddb_xmm_xmmm128 => Paddb,
        Code::Paddw_xmm_xmmm128 => Paddw,
        Code::Paddd_xmm_xmmm128 => Paddd,
        Code::Paddq_xmm_xmmm128 => Paddq,
        Code::Psubb_xmm_xmmm128 => Psubb,
        Code::Psubw_xmm_xmmm128 => Psubw,
        Code::Psubd_xmm_xmmm128 => Psubd,
        Code::Psubq_xmm_xmmm128 => Psubq,
        Code::Paddsb_xmm_xmmm128 => Paddsb,
        Code::Paddsw_xmm_xmmm128 => Paddsw,
        Code::Paddusb_xmm_xmmm128 => Paddusb,
        Code::Paddusw_xmm_xmmm128 => Paddusw,
        Code::Psubsb_xmm_xmmm128 => Psubsb,
        Code::Psubsw_xmm_xmmm128 => Psubsw,
        Code::Psubusb_xmm_xmmm128 => Psubusb,
        Code::Psubusw_xmm_xmmm128 => Psubusw,
        Code::Pmullw_xmm_xmmm128 => Pmullw,
        Code::Pmulhw_xmm_xmmm128 => Pmulhw,
        Code::Pmulhuw_xmm_xmmm128 => Pmulhuw,
        Code::Pmuludq_xmm_xmmm128 => Pmuludq,
        Code::Pmaddwd_xmm_xmmm128 => Pmaddwd,
        Code::Pavgb_xmm_xmmm128 => Pavgb,
        Code::Pavgw_xmm_xmmm128 => Pavgw,
        Code::Psadbw_xmm_xmmm128 => Psadbw,
        Code::Pmaxub_xmm_xmmm128 => Pmaxub,
        Code::Pmaxsw_xmm_xmmm128 => Pmaxsw,
        Code::Pminub_xmm_xmmm128 => Pminub,
        Code::Pminsw_xmm_xmmm128 => Pminsw,
        Code::Pcmpeqb_xmm_xmmm128 => Pcmpeqb,
        Code::Pcmpeqw_xmm_xmmm128 => Pcmpeqw,
        Code::Pcmpeqd_xmm_xmmm128 => Pcmpeqd,
        Code::Pcmpgtb_xmm_xmmm128 => Pcmpgtb,
        Code::Pcmpgtw_xmm_xmmm128 => Pcmpgtw,
        Code::Pcmpgtd_xmm_xmmm128 => Pcmpgtd,
        Code::Psllw_xmm_xmmm128 => Psllw,
        Code::Pslld_xmm_xmmm128 => Pslld,
        Code::Psllq_xmm_xmmm128 => Psllq,
        Code::Psrlw_xmm_xmmm128 => Psrlw,
        Code::Psrld_xmm_xmmm128 => Psrld,
        Code::Psrlq_xmm_xmmm128 => Psrlq,
        Code::Psraw_xmm_xmmm128 => Psraw,
        Code::Psrad_xmm_xmmm128 => Psrad,
        Code::Packsswb_xmm_xmmm128 => Packsswb,
        Code::Packssdw_xmm_xmmm128 => Packssdw,
        Code::Packuswb_xmm_xmmm128 => Packuswb,
        Code::Punpcklbw_xmm_xmmm128 => Punpcklbw,
        Code::Punpcklwd_xmm_xmmm128 => Punpcklwd,
        Code::Punpckldq_xmm_xmmm128 | Code::Unpcklps_xmm_xmmm128 => Punpckldq,
        Code::Punpcklqdq_xmm_xmmm128 | Code::Unpcklpd_xmm_xmmm128 => Punpcklqdq,
        Code::Punpckhbw_xmm_xmmm128 => Punpckhbw,
        Code::Punpckhwd_xmm_xmmm128 => Punpckhwd,
        Code::Punpckhdq_xmm_xmmm128 | Code::Unpckhps_xmm_xmmm128 => Punpckhdq,
        Code::Punpckhqdq_xmm_xmmm128 | Code::Unpckhpd_xmm_xmmm128 => Punpckhqdq,
        Code::Andps_xmm_xmmm128 | Code::Andpd_xmm_xmmm128 | Code::Pand_xmm_xmmm128 => Pand,
        Code::Andnps_xmm_xmmm128 | Code::Andnpd_xmm_xmmm128 | Code::Pandn_xmm_xmmm128 => Pandn,
        Code::Orps_xmm_xmmm128 | Code::Orpd_xmm_xmmm128 | Code::Por_xmm_xmmm128 => Por,
        Code::Xorps_xmm_xmmm128 | Code::Xorpd_xmm_xmmm128 | Code::Pxor_xmm_xmmm128 => Pxor,
        Code::Pshufb_xmm_xmmm128 => Pshufb,
        Code::Phaddw_xmm_xmmm128 => Phaddw,
        Code::Phaddd_xmm_xmmm128 => Phaddd,
        Code::Phaddsw_xmm_xmmm128 => Phaddsw,
        Code::Phsubw_xmm_xmmm128 => Phsubw,
        Code::Phsubd_xmm_xmmm128 => Phsubd,
        Code::Phsubsw_xmm_xmmm128 => Phsubsw,
        Code::Pmaddubsw_xmm_xmmm128 => Pmaddubsw,
        Code::Pmulhrsw_xmm_xmmm128 => Pmulhrsw,
        Code::Psignb_xmm_xmmm128 => Psignb,
        Code::Psignw_xmm_xmmm128 => Psignw,
        Code::Psignd_xmm_xmmm128 => Psignd,
        Code::Pabsb_xmm_xmmm128 => Pabsb,
        Code::Pabsw_xmm_xmmm128 => Pabsw,
        Code::Pabsd_xmm_xmmm128 => Pabsd,
        Code::Pmulld_xmm_xmmm128 => Pmulld,
        Code::Pmuldq_xmm_xmmm128 => Pmuldq,
        Code::Pminsb_xmm_xmmm128 => Pminsb,
        Code::Pminuw_xmm_xmmm128 => Pminuw,
        Code::Pminsd_xmm_xmmm128 => Pminsd,
        Code::Pminud_xmm_xmmm128 => Pminud,
        Code::Pmaxsb_xmm_xmmm128 => Pmaxsb,
        Code::Pmaxuw_xmm_xmmm128 => Pmaxuw,
        Code::Pmaxsd_xmm_xmmm128 => Pmaxsd,
        Code::Pmaxud_xmm_xmmm128 => Pmaxud,
        Code::Pcmpeqq_xmm_xmmm128 => Pcmpeqq,
        Code::Pcmpgtq_xmm_xmmm128 => Pcmpgtq,
        Code::Packusdw_xmm_xmmm128 => Packusdw,
        Code::Phminposuw_xmm_xmmm128 => Phminposuw,
        Code::Movshdup_xmm_xmmm128 => Movshdup,
        Code::Movsldup_xmm_xmmm128 => Movsldup,
        Code::Pshufd_xmm_xmmm128_imm8 => Pshufd,
        Code::Pshuflw_xmm_xmmm128_imm8 => Pshuflw,
        Code::Pshufhw_xmm_xmmm128_imm8 => Pshufhw,
        Code::Shufps_xmm_xmmm128_imm8 => Shufps,
        Code::Shufpd_xmm_xmmm128_imm8 => Shufpd,
        Code::Cmpps_xmm_xmmm128_imm8 => Cmpps,
        Code::Cmppd_xmm_xmmm128_imm8 => Cmppd,
        Code::Palignr_xmm_xmmm128_imm8 => Palignr,
        Code::Mpsadbw_xmm_xmmm128_imm8 => Mpsadbw,
        Code::Pblendw_xmm_xmmm128_imm8 => Pblendw,
        Code::Blendps_xmm_xmmm128_imm8 => Blendps,
        Code::Blendpd_xmm_xmmm128_imm8 => Blendpd,
        Code::Roundps_xmm_xmmm128_imm8 => Roundps,
        Code::Roundpd_xmm_xmmm128_imm8 => Roundpd,
        Code::Dpps_xmm_xmmm128_imm8 => Dpps,
        Code::Dppd_xmm_xmmm128_imm8 => Dppd,
        Code::Addps_xmm_xmmm128 => Addps,
        Code::Addpd_xmm_xmmm128 => Addpd,
        Code::Subps_xmm_xmmm128 => Subps,
        Code::Subpd_xmm_xmmm128 => Subpd,
        Code::Mulps_xmm_xmmm128 => Mulps,
        Code::Mulpd_xmm_xmmm128 => Mulpd,
        Code::Divps_xmm_xmmm128 => Divps,
        Code::Divpd_xmm_xmmm128 => Divpd,
        Code::Minps_xmm_xmmm128 => Minps,
        Code::Minpd_xmm_xmmm128 => Minpd,
        Code::Maxps_xmm_xmmm128 => Maxps,
        Code::Maxpd_xmm_xmmm128 => Maxpd,
        Code::Sqrtps_xmm_xmmm128 => Sqrtps,
        Code::Sqrtpd_xmm_xmmm128 => Sqrtpd,
        Code::Rcpps_xmm_xmmm128 => Rcpps,
        Code::Rsqrtps_xmm_xmmm128 => Rsqrtps,
        Code::Addsubps_xmm_xmmm128 => Addsubps,
        Code::Addsubpd_xmm_xmmm128 => Addsubpd,
        Code::Haddps_xmm_xmmm128 => Haddps,
        Code::Haddpd_xmm_xmmm128 => Haddpd,
        Code::Hsubps_xmm_xmmm128 => Hsubps,
        Code::Hsubpd_xmm_xmmm128 => Hsubpd,
        Code::Cvtpd2ps_xmm_xmmm128 => Cvtpd2ps,
        Code::Cvtdq2ps_xmm_xmmm128 => Cvtdq2ps,
        Code::Cvtps2dq_xmm_xmmm128 => Cvtps2dq,
        Code::Cvttps2dq_xmm_xmmm128 => Cvttps2dq,
        Code::Cvtpd2dq_xmm_xmmm128 => Cvtpd2dq,
        Code::Cvttpd2dq_xmm_xmmm128 => Cvttpd2dq,
        _ => return None,
    })
}

//! The list of vector operations, one per meaning.
//!
//! Instructions that differ only in the type they pretend to handle share an operation: `movdqu`,
//! `movapd` and a 16-byte load are all [`VecOp::Movaps`]; `andpd` is [`VecOp::Pand`]; `movhps`
//! from memory is [`VecOp::Punpcklqdq`]. [`super::classify`] knows the mapping.

macro_rules! vec_ops {
    ($($(#[doc = $doc:literal])* $name:ident),* $(,)?) => {
        /// One vector operation; named after the instruction that stands for it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum VecOp {
            $(
                #[doc = concat!("The operation of `", stringify!($name), "`.")]
                $(#[doc = ""] #[doc = $doc])*
                $name,
            )*
        }

        impl VecOp {
            /// All operations, in the order of their indices.
            pub const ALL: &'static [VecOp] = &[$(VecOp::$name),*];
        }
    };
}

vec_ops! {
    // Moves.
    /// The source as it is; a shorter memory operand arrives zero-extended.
    Movaps,
    /// The low half of the source, zero-extended.
    Movq,
    /// The source's low 32 bits replace those of the destination.
    Movss,
    /// The source's low 64 bits replace those of the destination.
    Movsd,
    /// The source's high half replaces the destination's low half.
    Movhlps,
    Movddup, Movshdup, Movsldup,
    /// A general register, zero-extended, or the low bits of a vector register.
    Movd,

    // Logic.
    Pand, Pandn, Por, Pxor,

    // Integer arithmetic.
    Paddb, Paddw, Paddd, Paddq, Psubb, Psubw, Psubd, Psubq,
    Paddsb, Paddsw, Paddusb, Paddusw, Psubsb, Psubsw, Psubusb, Psubusw,
    Pmullw, Pmulhw, Pmulhuw, Pmuludq, Pmaddwd, Pavgb, Pavgw, Psadbw,
    Pmaxub, Pmaxsw, Pminub, Pminsw,
    Pcmpeqb, Pcmpeqw, Pcmpeqd, Pcmpgtb, Pcmpgtw, Pcmpgtd,
    Psllw, Pslld, Psllq, Psrlw, Psrld, Psrlq, Psraw, Psrad,
    /// `psllw dst, imm8`; the source is not used. The same holds for the other `Imm` shifts.
    PsllwImm,
    PslldImm, PsllqImm, PsrlwImm, PsrldImm, PsrlqImm, PsrawImm, PsradImm, Pslldq, Psrldq,
    Packsswb, Packssdw, Packuswb,
    Punpcklbw, Punpcklwd, Punpckldq, Punpcklqdq, Punpckhbw, Punpckhwd, Punpckhdq, Punpckhqdq,
    Pshufd, Pshuflw, Pshufhw, Shufps, Shufpd,
    Pmovmskb, Movmskps, Movmskpd,

    // SSSE3.
    Pshufb, Phaddw, Phaddd, Phaddsw, Phsubw, Phsubd, Phsubsw, Pmaddubsw, Pmulhrsw,
    Psignb, Psignw, Psignd, Pabsb, Pabsw, Pabsd, Palignr,

    // SSE4.1 and SSE4.2, integer.
    Pmulld, Pmuldq, Pminsb, Pminuw, Pminsd, Pminud, Pmaxsb, Pmaxuw, Pmaxsd, Pmaxud,
    Pcmpeqq, Pcmpgtq, Packusdw, Phminposuw, Mpsadbw,
    Pmovsxbw, Pmovsxbd, Pmovsxbq, Pmovsxwd, Pmovsxwq, Pmovsxdq,
    Pmovzxbw, Pmovzxbd, Pmovzxbq, Pmovzxwd, Pmovzxwq, Pmovzxdq,
    Pblendw, Blendps, Blendpd, Pblendvb, Blendvps, Blendvpd,
    Insertps, Pinsrb, Pinsrw, Pinsrd, Pinsrq, Pextrb, Pextrw, Pextrd, Pextrq, Ptest,

    // Floating point.
    Addps, Addpd, Addss, Addsd, Subps, Subpd, Subss, Subsd,
    Mulps, Mulpd, Mulss, Mulsd, Divps, Divpd, Divss, Divsd,
    Minps, Minpd, Minss, Minsd, Maxps, Maxpd, Maxss, Maxsd,
    Sqrtps, Sqrtpd, Sqrtss, Sqrtsd, Rcpps, Rcpss, Rsqrtps, Rsqrtss,
    Addsubps, Addsubpd, Haddps, Haddpd, Hsubps, Hsubpd,
    Cmpps, Cmppd, Cmpss, Cmpsd, Comiss, Comisd, Ucomiss, Ucomisd,
    Roundps, Roundpd, Roundss, Roundsd, Dpps, Dppd,

    // Conversions.
    Cvtps2pd, Cvtpd2ps, Cvtss2sd, Cvtsd2ss, Cvtdq2ps, Cvtdq2pd,
    Cvtps2dq, Cvttps2dq, Cvtpd2dq, Cvttpd2dq,
    Cvtsi2ss, Cvtsi2sd, Cvtss2si, Cvtsd2si, Cvttss2si, Cvttsd2si,
}

impl VecOp {
    /// The operation with this index.
    ///
    /// # Panics
    /// If no operation has the index: it did not come from [`VecOp::index`].
    #[inline]
    pub fn from_index(index: u16) -> VecOp {
        VecOp::ALL[index as usize]
    }

    /// The operation's place in [`VecOp::ALL`].
    #[inline]
    pub fn index(self) -> u16 {
        self as u16
    }
}

//! SSE2 integer instructions by the compiler's intrinsics: every x86-64 host has them.

use core::arch::x86_64::*;

use super::{bits, vector};

/// `name(dst, src)`: the instruction `name dst, src`.
macro_rules! binary {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), " dst, src`.")]
        #[inline(always)]
        pub fn $name(dst: u128, src: u128) -> u128 {
            // SAFETY: SSE2 is part of x86-64; the intrinsic is a function of its values.
            bits(unsafe { $intrinsic(vector(dst), vector(src)) })
        }
    )*};
}

binary! {
    paddb = _mm_add_epi8; paddw = _mm_add_epi16; paddd = _mm_add_epi32; paddq = _mm_add_epi64;
    psubb = _mm_sub_epi8; psubw = _mm_sub_epi16; psubd = _mm_sub_epi32; psubq = _mm_sub_epi64;
    paddsb = _mm_adds_epi8; paddsw = _mm_adds_epi16;
    paddusb = _mm_adds_epu8; paddusw = _mm_adds_epu16;
    psubsb = _mm_subs_epi8; psubsw = _mm_subs_epi16;
    psubusb = _mm_subs_epu8; psubusw = _mm_subs_epu16;
    pmullw = _mm_mullo_epi16; pmulhw = _mm_mulhi_epi16; pmulhuw = _mm_mulhi_epu16;
    pmuludq = _mm_mul_epu32; pmaddwd = _mm_madd_epi16;
    pavgb = _mm_avg_epu8; pavgw = _mm_avg_epu16; psadbw = _mm_sad_epu8;
    pmaxub = _mm_max_epu8; pmaxsw = _mm_max_epi16; pminub = _mm_min_epu8; pminsw = _mm_min_epi16;
    pcmpeqb = _mm_cmpeq_epi8; pcmpeqw = _mm_cmpeq_epi16; pcmpeqd = _mm_cmpeq_epi32;
    pcmpgtb = _mm_cmpgt_epi8; pcmpgtw = _mm_cmpgt_epi16; pcmpgtd = _mm_cmpgt_epi32;
    psllw = _mm_sll_epi16; pslld = _mm_sll_epi32; psllq = _mm_sll_epi64;
    psrlw = _mm_srl_epi16; psrld = _mm_srl_epi32; psrlq = _mm_srl_epi64;
    psraw = _mm_sra_epi16; psrad = _mm_sra_epi32;
    packsswb = _mm_packs_epi16; packssdw = _mm_packs_epi32; packuswb = _mm_packus_epi16;
    punpcklbw = _mm_unpacklo_epi8; punpcklwd = _mm_unpacklo_epi16;
    punpckldq = _mm_unpacklo_epi32; punpcklqdq = _mm_unpacklo_epi64;
    punpckhbw = _mm_unpackhi_epi8; punpckhwd = _mm_unpackhi_epi16;
    punpckhdq = _mm_unpackhi_epi32; punpckhqdq = _mm_unpackhi_epi64;
}

/// `pmovmskb`: the top bit of each byte.
#[inline(always)]
pub fn pmovmskb(src: u128) -> u32 {
    // SAFETY: SSE2 is part of x86-64; the intrinsic is a function of its value.
    (unsafe { _mm_movemask_epi8(vector(src)) }) as u32
}

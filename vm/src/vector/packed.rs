//! Integer arithmetic of SSSE3 and SSE4 in plain Rust: the host need not have these extensions.

use core::array::from_fn;

use super::lanes::*;

/// Pairs of neighbouring words of the destination, then of the source, combined by `f`.
pub fn horizontal_words(dst: u128, src: u128, f: impl Fn(u16, u16) -> u16) -> u128 {
    let (low, high) = (words(dst), words(src));
    from_words(from_fn(|lane| {
        let pairs = if lane < 4 { low } else { high };
        let first = 2 * (lane % 4);
        f(pairs[first], pairs[first + 1])
    }))
}

/// Pairs of neighbouring double words of the destination, then of the source, combined by `f`.
pub fn horizontal_dwords(dst: u128, src: u128, f: impl Fn(u32, u32) -> u32) -> u128 {
    let (low, high) = (dwords(dst), dwords(src));
    from_dwords([f(low[0], low[1]), f(low[2], low[3]), f(high[0], high[1]), f(high[2], high[3])])
}

/// Signed saturating addition of words, as `phaddsw` does on pairs.
pub fn add_saturating(a: u16, b: u16) -> u16 {
    (a as i16).saturating_add(b as i16) as u16
}

/// Signed saturating subtraction of words, as `phsubsw` does on pairs.
pub fn sub_saturating(a: u16, b: u16) -> u16 {
    (a as i16).saturating_sub(b as i16) as u16
}

/// `pmaddubsw`: unsigned bytes times signed bytes, pairs added with saturation.
pub fn pmaddubsw(dst: u128, src: u128) -> u128 {
    zip_words(dst, src, |a, b| {
        let ([a0, a1], [b0, b1]) = (a.to_le_bytes(), b.to_le_bytes());
        let sum = a0 as i32 * (b0 as i8) as i32 + a1 as i32 * (b1 as i8) as i32;
        sum.clamp(i16::MIN as i32, i16::MAX as i32) as u16
    })
}

/// `pmulhrsw`: high half of the product of words, rounded.
pub fn pmulhrsw(dst: u128, src: u128) -> u128 {
    zip_words(dst, src, |a, b| {
        let product = (a as i16) as i32 * (b as i16) as i32;
        (((product >> 14) + 1) >> 1) as u16
    })
}

/// `psignb`: the destination's bytes negated, zeroed or kept by the sign of the source's.
pub fn psignb(dst: u128, src: u128) -> u128 {
    zip_bytes(dst, src, |a, b| (a as i8).wrapping_mul((b as i8).signum()) as u8)
}

/// `psignw`: the destination's words negated, zeroed or kept by the sign of the source's.
pub fn psignw(dst: u128, src: u128) -> u128 {
    zip_words(dst, src, |a, b| (a as i16).wrapping_mul((b as i16).signum()) as u16)
}

/// `psignd`: the destination's double words negated, zeroed or kept by the sign of the source's.
pub fn psignd(dst: u128, src: u128) -> u128 {
    zip_dwords(dst, src, |a, b| (a as i32).wrapping_mul((b as i32).signum()) as u32)
}

/// `pabsb`: absolute values of bytes; the minimum stays.
pub fn pabsb(src: u128) -> u128 {
    zip_bytes(src, 0, |lane, _| (lane as i8).unsigned_abs())
}

/// `pabsw`: absolute values of words; the minimum stays.
pub fn pabsw(src: u128) -> u128 {
    zip_words(src, 0, |lane, _| (lane as i16).unsigned_abs())
}

/// `pabsd`: absolute values of double words; the minimum stays.
pub fn pabsd(src: u128) -> u128 {
    zip_dwords(src, 0, |lane, _| (lane as i32).unsigned_abs())
}

/// `pmuldq`: the even double words multiplied as signed numbers.
pub fn pmuldq(dst: u128, src: u128) -> u128 {
    zip_qwords(dst, src, |a, b| ((a as i32) as i64 * (b as i32) as i64) as u64)
}

/// `pcmpeqq`: all ones where quad words are equal.
pub fn pcmpeqq(dst: u128, src: u128) -> u128 {
    zip_qwords(dst, src, |a, b| if a == b { u64::MAX } else { 0 })
}

/// `pcmpgtq`: all ones where the destination's signed quad word is greater.
pub fn pcmpgtq(dst: u128, src: u128) -> u128 {
    zip_qwords(dst, src, |a, b| if a as i64 > b as i64 { u64::MAX } else { 0 })
}

/// `packusdw`: signed double words to unsigned words with saturation.
pub fn packusdw(dst: u128, src: u128) -> u128 {
    let (low, high) = (dwords(dst), dwords(src));
    from_words(from_fn(|lane| {
        let wide = if lane < 4 { low[lane] } else { high[lane - 4] };
        (wide as i32).clamp(0, u16::MAX as i32) as u16
    }))
}

/// `phminposuw`: the least word and its position.
pub fn phminposuw(src: u128) -> u128 {
    let lanes = words(src);
    let position = (0..8).min_by_key(|&lane| lanes[lane]).unwrap_or(0);
    lanes[position] as u128 | (position as u128) << 16
}

/// `mpsadbw`: eight sums of absolute differences of four neighbouring bytes.
pub fn mpsadbw(dst: u128, src: u128, imm: u8) -> u128 {
    let (window, block) = (bytes(dst), bytes(src));
    let window_start = (imm >> 2 & 1) as usize * 4;
    let block_start = (imm & 3) as usize * 4;
    from_words(from_fn(|lane| {
        let difference =
            |k: usize| window[window_start + lane + k].abs_diff(block[block_start + k]);
        (0..4).map(|k| difference(k) as u16).sum()
    }))
}

/// The low lanes of `from` bits, sign-extended to `to` bits each (`pmovsx`).
pub fn sign_extend(src: u128, from: u32, to: u32) -> u128 {
    let fill = u128::MAX >> (128 - to) & !(u128::MAX >> (128 - from));
    extend(src, from, to, |lane| if lane >> (from - 1) == 1 { lane | fill } else { lane })
}

/// The low lanes of `from` bits, zero-extended to `to` bits each (`pmovzx`).
pub fn zero_extend(src: u128, from: u32, to: u32) -> u128 {
    extend(src, from, to, |lane| lane)
}

#[inline(always)]
fn extend(src: u128, from: u32, to: u32, f: impl Fn(u128) -> u128) -> u128 {
    let mask = u128::MAX >> (128 - from);
    (0..128 / to).fold(0, |value, lane| value | f(src >> (lane * from) & mask) << (lane * to))
}

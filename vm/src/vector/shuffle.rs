//! Moves of lanes: shuffles, duplications, blends, insertions and extractions.

use core::array::from_fn;

use super::lanes::*;

/// `pshufd`: four double words chosen by two bits each.
pub fn pshufd(src: u128, imm: u8) -> u128 {
    let lanes = dwords(src);
    from_dwords(from_fn(|lane| lanes[pick2(imm, lane)]))
}

/// `pshuflw`: the low four words chosen by two bits each, the high half as it is.
pub fn pshuflw(src: u128, imm: u8) -> u128 {
    let lanes = words(src);
    from_words(from_fn(|lane| if lane < 4 { lanes[pick2(imm, lane)] } else { lanes[lane] }))
}

/// `pshufhw`: the high four words chosen by two bits each, the low half as it is.
pub fn pshufhw(src: u128, imm: u8) -> u128 {
    let lanes = words(src);
    from_words(from_fn(|lane| if lane < 4 { lanes[lane] } else { lanes[4 + pick2(imm, lane - 4)] }))
}

/// `shufps`: two double words of the destination, then two of the source.
pub fn shufps(dst: u128, src: u128, imm: u8) -> u128 {
    let (low, high) = (dwords(dst), dwords(src));
    from_dwords(from_fn(|lane| if lane < 2 { low } else { high }[pick2(imm, lane)]))
}

/// `shufpd`: one quad word of the destination, then one of the source.
pub fn shufpd(dst: u128, src: u128, imm: u8) -> u128 {
    let low = qwords(dst)[(imm & 1) as usize];
    let high = qwords(src)[(imm >> 1 & 1) as usize];
    from_qwords([low, high])
}

/// `pshufb`: bytes of the destination chosen by the source; a set top bit gives zero.
pub fn pshufb(dst: u128, src: u128) -> u128 {
    let (lanes, control) = (bytes(dst), bytes(src));
    from_bytes(from_fn(|lane| match control[lane] {
        0x80.. => 0,
        index => lanes[(index & 15) as usize],
    }))
}

/// `palignr`: destination and source joined, shifted right by `imm` bytes.
pub fn palignr(dst: u128, src: u128, imm: u8) -> u128 {
    match imm {
        0 => src,
        1..16 => src >> (8 * imm) | dst << (128 - 8 * imm as u32),
        16..32 => dst >> (8 * (imm - 16)),
        _ => 0,
    }
}

/// `pslldq`: the whole value shifted left by `imm` bytes.
pub fn pslldq(dst: u128, imm: u8) -> u128 {
    if imm < 16 { dst << (8 * imm) } else { 0 }
}

/// `psrldq`: the whole value shifted right by `imm` bytes.
pub fn psrldq(dst: u128, imm: u8) -> u128 {
    if imm < 16 { dst >> (8 * imm) } else { 0 }
}

/// `movshdup`: the odd double words, each twice.
pub fn movshdup(src: u128) -> u128 {
    pshufd(src, 0b11_11_01_01)
}

/// `movsldup`: the even double words, each twice.
pub fn movsldup(src: u128) -> u128 {
    pshufd(src, 0b10_10_00_00)
}

/// `pblendw`: word by word, a set bit of `imm` takes the source's.
pub fn pblendw(dst: u128, src: u128, imm: u8) -> u128 {
    let (keep, take) = (words(dst), words(src));
    from_words(from_fn(|lane| if imm >> lane & 1 == 1 { take[lane] } else { keep[lane] }))
}

/// `blendps`: double word by double word, a set bit of `imm` takes the source's.
pub fn blendps(dst: u128, src: u128, imm: u8) -> u128 {
    let (keep, take) = (dwords(dst), dwords(src));
    from_dwords(from_fn(|lane| if imm >> lane & 1 == 1 { take[lane] } else { keep[lane] }))
}

/// `blendpd`: quad word by quad word, a set bit of `imm` takes the source's.
pub fn blendpd(dst: u128, src: u128, imm: u8) -> u128 {
    let (keep, take) = (qwords(dst), qwords(src));
    from_qwords(from_fn(|lane| if imm >> lane & 1 == 1 { take[lane] } else { keep[lane] }))
}

/// `pblendvb`: byte by byte, a set top bit of the mask takes the source's.
pub fn pblendvb(dst: u128, src: u128, mask: u128) -> u128 {
    let spread = zip_bytes(mask, 0, |lane, _| ((lane as i8) >> 7) as u8);
    select(spread, dst, src)
}

/// `blendvps`: double word by double word, a set sign of the mask takes the source's.
pub fn blendvps(dst: u128, src: u128, mask: u128) -> u128 {
    let spread = zip_dwords(mask, 0, |lane, _| ((lane as i32) >> 31) as u32);
    select(spread, dst, src)
}

/// `blendvpd`: quad word by quad word, a set sign of the mask takes the source's.
pub fn blendvpd(dst: u128, src: u128, mask: u128) -> u128 {
    let spread = zip_qwords(mask, 0, |lane, _| ((lane as i64) >> 63) as u64);
    select(spread, dst, src)
}

/// `insertps`: a double word of the source into the destination, then lanes zeroed by `imm`.
pub fn insertps(dst: u128, src: u128, imm: u8) -> u128 {
    let mut lanes = dwords(dst);
    lanes[pick2(imm, 2)] = dwords(src)[pick2(imm, 3)];
    from_dwords(from_fn(|lane| if imm >> lane & 1 == 1 { 0 } else { lanes[lane] }))
}

/// The destination with lane `index` of `bits` bits replaced; the index wraps.
pub fn insert(dst: u128, value: u64, bits: u32, index: u8) -> u128 {
    let (mask, shift) = lane_place(bits, index);
    dst & !(mask << shift) | (value as u128 & mask) << shift
}

/// Lane `index` of `bits` bits, zero-extended; the index wraps.
pub fn extract(src: u128, bits: u32, index: u8) -> u64 {
    let (mask, shift) = lane_place(bits, index);
    (src >> shift & mask) as u64
}

fn lane_place(bits: u32, index: u8) -> (u128, u32) {
    ((1u128 << bits) - 1, index as u32 % (128 / bits) * bits)
}

fn select(mask: u128, clear: u128, set: u128) -> u128 {
    clear & !mask | set & mask
}

/// The two-bit field number `field` of an immediate.
fn pick2(imm: u8, field: usize) -> usize {
    (imm >> (2 * field) & 3) as usize
}

//! A 128-bit value as lanes, lowest first.

use core::array::from_fn;

/// Sixteen bytes.
#[inline(always)]
pub fn bytes(value: u128) -> [u8; 16] {
    value.to_le_bytes()
}

/// Eight 16-bit words.
#[inline(always)]
pub fn words(value: u128) -> [u16; 8] {
    from_fn(|lane| (value >> (16 * lane)) as u16)
}

/// Four 32-bit double words.
#[inline(always)]
pub fn dwords(value: u128) -> [u32; 4] {
    from_fn(|lane| (value >> (32 * lane)) as u32)
}

/// Two 64-bit quad words.
#[inline(always)]
pub fn qwords(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// The value with these bytes.
#[inline(always)]
pub fn from_bytes(lanes: [u8; 16]) -> u128 {
    u128::from_le_bytes(lanes)
}

/// The value with these words.
#[inline(always)]
pub fn from_words(lanes: [u16; 8]) -> u128 {
    lanes.iter().rev().fold(0, |value, &lane| value << 16 | lane as u128)
}

/// The value with these double words.
#[inline(always)]
pub fn from_dwords(lanes: [u32; 4]) -> u128 {
    lanes.iter().rev().fold(0, |value, &lane| value << 32 | lane as u128)
}

/// The value with these quad words.
#[inline(always)]
pub fn from_qwords(lanes: [u64; 2]) -> u128 {
    lanes[0] as u128 | (lanes[1] as u128) << 64
}

/// Lane by lane over two values of bytes.
#[inline(always)]
pub fn zip_bytes(a: u128, b: u128, f: impl Fn(u8, u8) -> u8) -> u128 {
    let (a, b) = (bytes(a), bytes(b));
    from_bytes(from_fn(|lane| f(a[lane], b[lane])))
}

/// Lane by lane over two values of words.
#[inline(always)]
pub fn zip_words(a: u128, b: u128, f: impl Fn(u16, u16) -> u16) -> u128 {
    let (a, b) = (words(a), words(b));
    from_words(from_fn(|lane| f(a[lane], b[lane])))
}

/// Lane by lane over two values of double words.
#[inline(always)]
pub fn zip_dwords(a: u128, b: u128, f: impl Fn(u32, u32) -> u32) -> u128 {
    let (a, b) = (dwords(a), dwords(b));
    from_dwords(from_fn(|lane| f(a[lane], b[lane])))
}

/// Lane by lane over two values of quad words.
#[inline(always)]
pub fn zip_qwords(a: u128, b: u128, f: impl Fn(u64, u64) -> u64) -> u128 {
    let (a, b) = (qwords(a), qwords(b));
    from_qwords([f(a[0], b[0]), f(a[1], b[1])])
}

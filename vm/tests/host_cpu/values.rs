//! Interesting values: corners of the integer and floating-point formats, mixed with random ones.

use crate::rng::Rng;

const CORNERS: [u64; 22] = [
    0,
    1,
    2,
    0x0f,
    0x10,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_0000_0000,
    0xffff_ffff_7fff_ffff,
    0xffff_ffff_8000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

const SINGLES: [u32; 24] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x3f80_0000, // 1
    0xbf80_0000, // -1
    0x3f00_0000, // 0.5
    0x3fc0_0000, // 1.5
    0x4020_0000, // 2.5
    0xc060_0000, // -3.5
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7fc0_0000, // quiet NaN
    0xffc0_0001,
    0x7f80_0001, // signalling NaN
    0xffa0_0000,
    0x0000_0001, // smallest denormal
    0x807f_ffff, // largest denormal
    0x0080_0000, // smallest normal
    0x7f7f_ffff, // largest normal
    0x4eff_ffff, // just below 2^31
    0x4f00_0000, // 2^31
    0xcf00_0000, // -2^31
    0x4b80_0001, // above 2^24
    0x5f00_0000, // 2^63
    0x3eaa_aaab, // 1/3
];

const DOUBLES: [u64; 26] = [
    0x0000_0000_0000_0000, // 0
    0x8000_0000_0000_0000, // -0
    0x3ff0_0000_0000_0000, // 1
    0xbff0_0000_0000_0000, // -1
    0x3fe0_0000_0000_0000, // 0.5
    0x3ff8_0000_0000_0000, // 1.5
    0x4004_0000_0000_0000, // 2.5
    0xc00c_0000_0000_0000, // -3.5
    0x7ff0_0000_0000_0000, // infinity
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000, // quiet NaN
    0xfff8_0000_0000_0001,
    0x7ff0_0000_0000_0001, // signalling NaN
    0xfff4_0000_0000_0000,
    0x0000_0000_0000_0001, // smallest denormal
    0x800f_ffff_ffff_ffff, // largest denormal
    0x0010_0000_0000_0000, // smallest normal
    0x7fef_ffff_ffff_ffff, // largest normal
    0x41df_ffff_ffc0_0000, // 2^31 - 1
    0x41e0_0000_0000_0000, // 2^31
    0xc1e0_0000_0000_0000, // -2^31
    0x43e0_0000_0000_0000, // 2^63
    0xc3e0_0000_0000_0000, // -2^63
    0x47ef_ffff_f000_0000, // rounds beyond the largest single
    0x3690_0000_0000_0000, // rounds to the smallest single denormal
    0x3fd5_5555_5555_5555, // 1/3
];

/// A general register or integer operand.
pub fn integer(rng: &mut Rng) -> u64 {
    match rng.below(8) {
        0..=3 => rng.pick(&CORNERS),
        4 => rng.pick(&CORNERS).wrapping_add(rng.below(5)).wrapping_sub(2),
        5 => rng.below(0x100),
        6 => rng.bits() >> rng.below(64),
        _ => rng.bits(),
    }
}

/// Sixteen bytes that mean something to vector instructions of one element type or another.
pub fn vector(rng: &mut Rng) -> u128 {
    match rng.below(10) {
        0..=2 => lanes(rng, 4, |rng| single(rng).into()),
        3..=5 => lanes(rng, 8, double),
        6 => lanes(rng, 8, integer),
        7 => lanes(rng, 4, integer),
        8 => {
            lanes(rng, 1, |rng| u64::from(rng.pick(&[0u8, 1, 0x7f, 0x80, 0xff, b'a', b'b', 0xfe])))
        }
        _ => lanes(rng, 8, Rng::bits),
    }
}

/// A single-precision bit pattern.
pub fn single(rng: &mut Rng) -> u32 {
    match rng.below(4) {
        0 | 1 => rng.pick(&SINGLES),
        2 => (rng.below(0x1_0000) as f32 / 8.0 - 4096.0).to_bits(),
        _ => rng.bits() as u32,
    }
}

/// A double-precision bit pattern.
pub fn double(rng: &mut Rng) -> u64 {
    match rng.below(4) {
        0 | 1 => rng.pick(&DOUBLES),
        2 => (rng.below(0x1_0000) as f64 / 8.0 - 4096.0).to_bits(),
        _ => rng.bits(),
    }
}

/// The ten bytes of an extended-precision number, mostly of a kind that arithmetic can produce.
pub fn extended(rng: &mut Rng) -> [u8; 10] {
    let sign = (rng.bits() as u16) & 0x8000;
    let (exponent, mantissa) = match rng.below(16) {
        0 => (0, 0),
        1 => (0x7fff, 1 << 63),
        2 => (0x7fff, 3 << 62 | rng.below(4)),
        3 => (0x7fff, (1 << 63) + 1 + rng.below(4)),
        4 => (0, rng.bits() >> (1 + rng.below(63))),
        5 => (0, 1 << 63 | rng.bits()),
        6 => (rng.below(0x8000) as u16, rng.bits()),
        7 => (rng.below(0x7fff) as u16, rng.bits() | 1 << 63),
        8 | 9 => (0x3fff + rng.below(4) as u16, 1 << 63),
        10 | 11 => (0x3fff - 2 + rng.below(66) as u16, 1 << 63 | rng.bits() << rng.below(64)),
        12 => (0x3ffe + rng.below(2) as u16, u64::MAX << rng.below(12)),
        _ => (0x3fff - 70 + rng.below(140) as u16, 1 << 63 | rng.bits()),
    };
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&mantissa.to_le_bytes());
    bytes[8..].copy_from_slice(&(sign | exponent).to_le_bytes());
    bytes
}

/// A packed decimal of eighteen digits and a sign.
pub fn decimal(rng: &mut Rng) -> [u8; 10] {
    let mut bytes = [0; 10];
    let digits = rng.below(19);
    for digit in 0..digits {
        bytes[digit as usize / 2] |= (rng.below(10) as u8) << (4 * (digit % 2));
    }
    bytes[9] = (rng.bits() as u8) & 0x80;
    bytes
}

fn lanes(rng: &mut Rng, bytes: usize, mut lane: impl FnMut(&mut Rng) -> u64) -> u128 {
    let mask = u64::MAX >> (64 - 8 * bytes);
    let mut value = 0;
    for at in (0..16).step_by(bytes) {
        value |= u128::from(lane(rng) & mask) << (8 * at);
    }
    value
}

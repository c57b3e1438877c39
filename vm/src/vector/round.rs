//! ROUNDxx and the dot products of SSE4.1, built from older instructions and plain Rust.
//!
//! Which of several NaNs a dot product delivers is not documented; here it is as on Intel's CPUs,
//! where every lane computes its own sum and the order of the operands decides.

use core::array::from_fn;

use super::lanes::*;
use super::shuffle::pshufd;
use crate::host_fp::sse;

/// MXCSR flags and control used by rounding.
const INVALID: u32 = 1;
const PRECISION: u32 = 1 << 5;
const DENORMALS_ARE_ZERO: u32 = 1 << 6;
const ROUNDING_SHIFT: u32 = 13;

/// The immediate of ROUNDxx: take the rounding mode from MXCSR.
const USE_MXCSR: u8 = 4;
/// The immediate of ROUNDxx: do not report inexact results.
const QUIET_PRECISION: u8 = 8;

/// Rounds one lane to an integer; a family of functions for one width of float.
macro_rules! round_lane {
    ($name:ident, $float:ty, $bits:ty) => {
        fn $name(lane: $bits, imm: u8, mxcsr: &mut u32) -> $bits {
            const QUIET: $bits = 1 << (<$float>::MANTISSA_DIGITS - 2);
            let value = <$float>::from_bits(lane);
            if value.is_nan() {
                if lane & QUIET == 0 {
                    *mxcsr |= INVALID;
                }
                return lane | QUIET;
            }
            if value.is_subnormal() && *mxcsr & DENORMALS_ARE_ZERO != 0 {
                return lane & !(<$bits>::MAX >> 1);
            }
            let mode = if imm & USE_MXCSR != 0 { (*mxcsr >> ROUNDING_SHIFT) as u8 } else { imm };
            let rounded = match mode & 3 {
                0 => value.round_ties_even(),
                1 => value.floor(),
                2 => value.ceil(),
                _ => value.trunc(),
            };
            if rounded != value && imm & QUIET_PRECISION == 0 {
                *mxcsr |= PRECISION;
            }
            rounded.to_bits()
        }
    };
}

round_lane!(round32, f32, u32);
round_lane!(round64, f64, u64);

/// `roundps`.
pub fn roundps(src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    from_dwords(dwords(src).map(|lane| round32(lane, imm, mxcsr)))
}

/// `roundpd`.
pub fn roundpd(src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    from_qwords(qwords(src).map(|lane| round64(lane, imm, mxcsr)))
}

/// `roundss`.
pub fn roundss(dst: u128, src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    dst >> 32 << 32 | round32(src as u32, imm, mxcsr) as u128
}

/// `roundsd`.
pub fn roundsd(dst: u128, src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    dst >> 64 << 64 | round64(src as u64, imm, mxcsr) as u128
}

/// `dpps`: products of chosen lanes, added as (0 + 1) + (2 + 3), into chosen lanes.
pub fn dpps(dst: u128, src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    let chosen = from_dwords(from_fn(|lane| if imm >> (4 + lane) & 1 == 1 { u32::MAX } else { 0 }));
    let product = sse::mulps(dst & chosen, src & chosen, mxcsr);
    let pairs = sse::addps(pshufd(product, 0b10_11_00_01), product, mxcsr);
    let sums = dwords(sse::addps(pairs, pshufd(pairs, 0b01_00_11_10), mxcsr));
    from_dwords(from_fn(|lane| if imm >> lane & 1 == 1 { sums[lane] } else { 0 }))
}

/// `dppd`: products of chosen lanes, added, into chosen lanes.
pub fn dppd(dst: u128, src: u128, imm: u8, mxcsr: &mut u32) -> u128 {
    let chosen = from_qwords(from_fn(|lane| if imm >> (4 + lane) & 1 == 1 { u64::MAX } else { 0 }));
    let product = sse::mulpd(dst & chosen, src & chosen, mxcsr);
    let sums = qwords(sse::addpd(product, product.rotate_left(64), mxcsr));
    from_qwords(from_fn(|lane| if imm >> lane & 1 == 1 { sums[lane] } else { 0 }))
}

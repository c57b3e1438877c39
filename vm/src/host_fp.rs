//! The host's vector and floating-point hardware, driven by inline assembly and intrinsics.
//!
//! Floating-point semantics (NaN payloads, denormals, rounding, sticky flags) are taken from the
//! host CPU instead of being imitated: each function here runs exactly one guest instruction on
//! operands passed by value, under the guest's control register, and hands back the result and the
//! exceptions raised. The host must be x86-64; SSE3 is the newest extension used.
//!
//! Invariants: no function touches guest memory; every function leaves the host's MXCSR control
//! bits and x87 unit as the ABI wants them (default control, empty stack). Unsafe code of the
//! arithmetic lives in this module alone.

pub mod sse;
pub mod sse2;
pub mod x87;

use core::arch::x86_64::__m128i;

#[inline(always)]
fn vector(value: u128) -> __m128i {
    // SAFETY: both types are 16 bytes of plain data, every bit pattern is valid in both.
    unsafe { core::mem::transmute(value) }
}

#[inline(always)]
fn bits(value: __m128i) -> u128 {
    // SAFETY: both types are 16 bytes of plain data, every bit pattern is valid in both.
    unsafe { core::mem::transmute(value) }
}

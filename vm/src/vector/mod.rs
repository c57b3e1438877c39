//! The vector unit: SSE to SSE4.2 as pure functions on 128-bit values.
//!
//! [`classify`] maps a decoded instruction to a [`VecForm`]: which operation, which registers,
//! how wide the memory operand is. [`apply`], [`to_gpr`], [`from_gpr`], [`compare_flags`],
//! [`blend`] and [`string::compare`] compute results. Nothing here touches memory or knows of
//! addresses: the caller loads and stores, and raises the faults.
//!
//! Left out: MMX registers, AVX and later, AES, SHA and carry-less multiplication.

mod apply;
pub mod classify;
mod crc32;
mod lanes;
pub mod mxcsr;
pub mod op;
mod packed;
mod round;
mod shuffle;
pub mod string;
mod table;

pub use apply::{apply, blend, compare_flags, from_gpr, masked_bytes, store_value, to_gpr};
pub use classify::{VecForm, classify};
pub use crc32::crc32;
pub use op::VecOp;

//! The x87 unit: 80-bit floating point on a stack of eight registers.
//!
//! [`classify`] maps a decoded instruction to an [`X87Form`], [`execute`] runs one operation on an
//! [`X87`]; memory operands are passed and returned by value. [`image`] builds and reads the
//! memory images of FNSTENV, FNSAVE and FXSAVE. The arithmetic runs on the host's FPU.
//!
//! Left out: MMX arithmetic, the 16-bit images, and the pointers to the last instruction and
//! operand, which always read as zero.

mod actions;
pub mod classify;
mod execute;
pub mod image;
pub mod op;
mod state;

pub use classify::{X87Form, classify};
pub use execute::{Effect, execute};
pub use image::{Image, fxrstor, fxsave};
pub use op::X87Op;
pub use state::{Pending, X87};

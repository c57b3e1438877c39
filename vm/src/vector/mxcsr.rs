//! MXCSR: which values a guest may load, and when a raised flag is a trap.
//!
//! The arithmetic runs with every exception masked and reports sticky flags. A guest that unmasks
//! exceptions gets them through [`trapping`], which looks at the flags one instruction raised.
//! It departs from hardware in one point: an *exact* tiny result raises unmasked underflow on
//! hardware, and nothing here.

/// MXCSR after reset: all exceptions masked, round to nearest.
pub const DEFAULT: u32 = 0x1f80;
/// The sticky exception flags: invalid, denormal, zero divide, overflow, underflow, precision.
pub const FLAGS: u32 = 0x3f;
/// The bits that may be set, as FXSAVE reports them.
pub const WRITABLE: u32 = 0xffff;
/// Distance from an exception's flag to its mask.
const MASK_SHIFT: u32 = 7;

/// True if LDMXCSR or FXRSTOR accepts the value; otherwise they raise #GP.
pub fn is_valid(value: u32) -> bool {
    value & !WRITABLE == 0
}

/// The exceptions (flag bits) that this MXCSR does not mask.
#[inline]
pub fn unmasked(mxcsr: u32) -> u32 {
    !(mxcsr >> MASK_SHIFT) & FLAGS
}

/// An instruction raised exceptions that the guest does not mask: #XM, no result is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unmasked sse floating-point exception, flags {flags:#04x}")]
pub struct SimdException {
    /// The unmasked flags raised by this instruction.
    pub flags: u32,
}

/// Runs one instruction's arithmetic; an error if it raises an exception the guest does not mask.
#[inline]
pub fn trapping<T>(
    mxcsr: &mut u32,
    instruction: impl FnOnce(&mut u32) -> T,
) -> Result<T, SimdException> {
    let unmasked = unmasked(*mxcsr);
    if unmasked == 0 {
        return Ok(instruction(mxcsr));
    }
    let mut own = *mxcsr & !FLAGS;
    let result = instruction(&mut own);
    let raised = own & FLAGS;
    *mxcsr |= raised;
    match raised & unmasked {
        0 => Ok(result),
        flags => Err(SimdException { flags }),
    }
}

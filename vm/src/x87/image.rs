//! The x87 unit in memory: the images of FNSTENV, FNSAVE and FXSAVE, and back.
//!
//! Images have the 32-bit layout (28 and 108 bytes) that 64-bit code uses. The pointers to the
//! last instruction and operand are stored as zeros and ignored when loaded. Registers marked
//! empty are stored as zeros.

use super::X87;
use super::state::{F80_BITS, Pending};
use crate::vector::mxcsr;

/// Bytes of an environment image.
pub const ENVIRONMENT_BYTES: usize = 28;
/// Bytes of an environment with registers.
pub const SAVE_BYTES: usize = 108;
/// Bytes of the FXSAVE area.
pub const FXSAVE_BYTES: usize = 512;
/// How many of them FXSAVE writes; the rest of the area stays as it is.
pub const FXSAVE_WRITTEN: usize = 416;

/// An instruction that stores or loads a whole image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Image {
    /// Stores 28 bytes by [`fnstenv`].
    Fnstenv,
    /// Loads 28 bytes by [`fldenv`].
    Fldenv,
    /// Stores 108 bytes by [`fnsave`].
    Fnsave,
    /// Loads 108 bytes by [`frstor`].
    Frstor,
    /// Stores [`FXSAVE_WRITTEN`] bytes by [`fxsave`]; aligned to 16.
    Fxsave,
    /// Loads 512 bytes by [`fxrstor`]; aligned to 16.
    Fxrstor,
}

/// FNSTENV: the environment; all exceptions are masked afterwards.
pub fn fnstenv(fpu: &mut X87) -> [u8; ENVIRONMENT_BYTES] {
    let mut image = [0; ENVIRONMENT_BYTES];
    let words = [(0, fpu.control()), (4, fpu.status()), (8, tag_word(fpu)), (24, 0)];
    for (offset, word) in words {
        // The unused halves read as ones on hardware.
        image[offset..offset + 4].copy_from_slice(&(0xffff_0000 | word as u32).to_le_bytes());
    }
    fpu.set_control(fpu.control() | 0x3f);
    image
}

/// FLDENV: the environment as it was stored.
pub fn fldenv(fpu: &mut X87, image: &[u8; ENVIRONMENT_BYTES]) -> Result<(), Pending> {
    fpu.check_pending()?;
    load_environment(fpu, image);
    Ok(())
}

/// FNSAVE: environment and registers; the unit is initialized afterwards.
pub fn fnsave(fpu: &mut X87) -> [u8; SAVE_BYTES] {
    let mut image = [0; SAVE_BYTES];
    image[..ENVIRONMENT_BYTES].copy_from_slice(&fnstenv(&mut fpu.clone()));
    for index in 0..8 {
        let value = fpu.st(index).unwrap_or(0).to_le_bytes();
        let offset = ENVIRONMENT_BYTES + 10 * index as usize;
        image[offset..offset + 10].copy_from_slice(&value[..10]);
    }
    *fpu = X87::default();
    image
}

/// FRSTOR: environment and registers as they were stored.
pub fn frstor(fpu: &mut X87, image: &[u8; SAVE_BYTES]) -> Result<(), Pending> {
    fpu.check_pending()?;
    let (environment, registers) = image.split_at(ENVIRONMENT_BYTES);
    let mut whole = [0; ENVIRONMENT_BYTES];
    whole.copy_from_slice(environment);
    load_environment(fpu, &whole);
    let used = fpu.used();
    for (index, value) in registers.chunks(10).enumerate() {
        fpu.set_st(index as u8, f80(value));
    }
    fpu.set_used(used);
    Ok(())
}

/// FXSAVE: x87 unit, MXCSR and vector registers.
pub fn fxsave(fpu: &X87, xmm: &[u128; 16], mxcsr: u32) -> [u8; FXSAVE_BYTES] {
    let mut image = [0; FXSAVE_BYTES];
    image[0..2].copy_from_slice(&fpu.control().to_le_bytes());
    image[2..4].copy_from_slice(&fpu.status().to_le_bytes());
    image[4] = fpu.used();
    image[24..28].copy_from_slice(&mxcsr.to_le_bytes());
    image[28..32].copy_from_slice(&mxcsr::WRITABLE.to_le_bytes());
    for index in 0..8 {
        let value = fpu.st(index).unwrap_or(0).to_le_bytes();
        image[32 + 16 * index as usize..][..16].copy_from_slice(&value);
    }
    for (value, place) in xmm.iter().zip(image[160..FXSAVE_WRITTEN].chunks_mut(16)) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    image
}

/// FXRSTOR: the x87 unit, the vector registers and MXCSR of an image; `None` (#GP) if the image's
/// MXCSR has reserved bits set.
pub fn fxrstor(image: &[u8; FXSAVE_BYTES]) -> Option<(X87, [u128; 16], u32)> {
    let mxcsr = u32::from_le_bytes([image[24], image[25], image[26], image[27]]);
    if !mxcsr::is_valid(mxcsr) {
        return None;
    }
    let mut fpu = X87::default();
    fpu.set_control(word(image, 0));
    fpu.set_status(word(image, 2));
    for (index, value) in image[32..160].chunks(16).enumerate() {
        fpu.set_st(index as u8, f80(value));
    }
    fpu.set_used(image[4]);
    let mut xmm = [0; 16];
    for (register, value) in xmm.iter_mut().zip(image[160..FXSAVE_WRITTEN].as_chunks().0) {
        *register = u128::from_le_bytes(*value);
    }
    Some((fpu, xmm, mxcsr))
}

fn load_environment(fpu: &mut X87, image: &[u8; ENVIRONMENT_BYTES]) {
    fpu.set_control(word(image, 0));
    fpu.set_status(word(image, 4));
    let tags = word(image, 8);
    let used = |place: &u8| tags >> (2 * place) & 3 != EMPTY;
    fpu.set_used((0..8).filter(used).fold(0, |bits, place| bits | 1 << place));
}

/// The tag of an empty register.
const EMPTY: u16 = 3;

/// Two bits per physical register: valid, zero, special or empty.
fn tag_word(fpu: &X87) -> u16 {
    let tag = |index: u8| match fpu.st(index) {
        None => EMPTY,
        Some(value) => match (value >> 64 & 0x7fff, value as u64) {
            (0, 0) => 1,
            (0 | 0x7fff, _) => 2,
            (_, significand) if significand >> 63 == 0 => 2,
            _ => 0,
        },
    };
    (0..8).fold(0, |tags, index| tags | tag(index) << (2 * ((fpu.top() + index) & 7)))
}

fn word(image: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([image[offset], image[offset + 1]])
}

/// The 80-bit value at the start of `bytes`.
fn f80(bytes: &[u8]) -> u128 {
    bytes.iter().take(10).rev().fold(0, |value, &byte| value << 8 | byte as u128) & F80_BITS
}

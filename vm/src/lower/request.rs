//! The request instruction: how a program speaks to whoever executes it.
//!
//! It is one fixed encoding of the long `nop`, `nopl 0x4f4d4153(%rax)`: nothing on a processor,
//! [`Stop::Request`](crate::stop::Stop::Request) on this machine. What the registers mean is the
//! caller's affair. Every other `nop` stays nothing, prefixed and shorter forms of this one too.

use iced_x86::{Code, Instruction, Register};

/// The instruction's bytes; the displacement spells `SAMO`.
pub const REQUEST: [u8; 7] = [0x0f, 0x1f, 0x80, b'S', b'A', b'M', b'O'];

/// The displacement as a number.
const DISPLACEMENT: u64 = u32::from_le_bytes([b'S', b'A', b'M', b'O']) as u64;

/// Whether this is the request instruction. Its length leaves no room for prefixes and for other
/// ways to write the same operand.
pub(crate) fn is_request(instruction: &Instruction) -> bool {
    instruction.code() == Code::Nop_rm32
        && instruction.len() == REQUEST.len()
        && instruction.memory_base() == Register::RAX
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement64() == DISPLACEMENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn decodes_to_request(bytes: &[u8]) -> bool {
        is_request(&Decoder::new(64, bytes, DecoderOptions::NONE).decode())
    }

    #[test]
    fn exactly_one_encoding_is_a_request() {
        assert!(decodes_to_request(&REQUEST));
        for at in 0..REQUEST.len() {
            for bit in 0..8 {
                let mut other = REQUEST;
                other[at] ^= 1 << bit;
                let mut padded = [0x90; 15];
                padded[..other.len()].copy_from_slice(&other);
                assert!(!decodes_to_request(&padded), "{other:02x?}");
            }
        }
        for prefix in [0x66, 0x64, 0x2e, 0xf3, 0x48, 0x41, 0x67] {
            let prefixed: Vec<u8> = [prefix].into_iter().chain(REQUEST).collect();
            assert!(!decodes_to_request(&prefixed), "prefix {prefix:#x}");
        }
        // The same operand with an index byte.
        assert!(!decodes_to_request(&[0x0f, 0x1f, 0x84, 0x20, b'S', b'A', b'M', b'O']));
    }
}

//! A survey of code that is not being executed: which instructions in it the machine implements.
//!
//! Decodes linearly, so data between functions is taken for instructions, and bytes that are no
//! instruction are stepped over one by one. Cost: one pass over the bytes.

use super::{OPTIONS, is_supported};
use crate::cpuid::Profile;
use iced_x86::{Decoder, Instruction};
use std::collections::BTreeMap;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Number of instructions.
    pub instructions: u64,
    /// Number of bytes at which no instruction starts.
    pub undecodable: u64,
    /// Instructions that the machine does not implement, by lower-case mnemonic.
    pub unsupported: BTreeMap<String, Occurrences>,
}

/// Where an instruction occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrences {
    /// How often.
    pub count: u64,
    /// Where first, in the order of the survey.
    pub first: u64,
}

impl Survey {
    /// Adds the code of `bytes`, the first of which has this address.
    pub fn add(&mut self, bytes: &[u8], address: u64, profile: &Profile) {
        let mut decoder = Decoder::with_ip(64, bytes, address, OPTIONS);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            let position = decoder.position();
            decoder.decode_out(&mut instruction);
            if instruction.is_invalid() {
                self.undecodable += 1;
                // Both stay within the bytes: one was there to be decoded.
                let resumed = decoder.set_position(position + 1).is_ok();
                decoder.set_ip(address + position as u64 + 1);
                if !resumed {
                    return;
                }
                continue;
            }
            self.instructions += 1;
            if !is_supported(&instruction, profile) {
                let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
                let first = Occurrences { count: 0, first: instruction.ip() };
                self.unsupported.entry(name).or_insert(first).count += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_there() {
        // nop; vaddps ymm0, ymm1, ymm2; an invalid byte; ret; vaddps again.
        let code = [0x90, 0xc5, 0xf4, 0x58, 0xc2, 0x06, 0xc3, 0xc5, 0xf4, 0x58, 0xc2];
        let mut survey = Survey::default();
        survey.add(&code, 0x1000, &Profile::V1);
        assert_eq!((survey.instructions, survey.undecodable), (4, 1));
        let names: Vec<&str> = survey.unsupported.keys().map(String::as_str).collect();
        assert_eq!(names, ["vaddps"]);
        assert_eq!(survey.unsupported["vaddps"], Occurrences { count: 2, first: 0x1001 });
    }

    #[test]
    fn ends_within_a_cut_instruction() {
        let mut survey = Survey::default();
        survey.add(&[0x48, 0xb8, 1, 2], 0x1000, &Profile::V1);
        survey.add(&[], 0x1000, &Profile::V1);
        // `movabs` is cut off, and so is its rest; the last two bytes are `add [rdx], eax`.
        assert_eq!((survey.instructions, survey.undecodable), (1, 2));
    }
}

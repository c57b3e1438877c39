//! Nothing that the machine executes escapes the court: every encoding of the legacy opcode maps,
//! and random ones with the newer prefixes, is either refused by the machine, or of a form that is
//! judged, or one of the few named here, whose outcome is not a function of the state. Those are
//! tested where they are served: by whole programs.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{Code, Decoder, DecoderOptions};
use samovar_vm::cpuid::Profile;
use samovar_vm::lower::survey::Survey;

use crate::forms::{Verdict, verdict};
use crate::rng::Rng;

/// Supported and not judged.
const NAMED: &[Code] = &[Code::Cpuid, Code::Rdtsc, Code::Syscall];

/// Without BMI and LZCNT their prefix says nothing; a host with them executes other instructions.
const BASELINE: u32 = DecoderOptions::NO_MPFX_0FBC | DecoderOptions::NO_MPFX_0FBD;

const PREFIXES: [&[u8]; 4] = [&[], &[0x66], &[0xf2], &[0xf3]];
const REX: [&[u8]; 3] = [&[], &[0x40], &[0x48]];
const MAPS: [&[u8]; 4] = [&[], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]];
/// Bytes behind the one that says what the operands are.
const REST: [u8; 12] = [0x10; 12];

/// The forms that the machine supports, of those that were met.
#[derive(Default)]
struct Met {
    supported: BTreeMap<String, Code>,
    judged: BTreeSet<String>,
}

impl Met {
    fn meet(&mut self, bytes: &[u8]) {
        let instruction = Decoder::new(64, bytes, BASELINE).decode();
        let name = format!("{:?}", instruction.code());
        if instruction.is_invalid() || self.supported.contains_key(&name) {
            return;
        }
        let mut survey = Survey::default();
        survey.add(&bytes[..instruction.len()], 0x1000, &Profile::V2);
        if survey.undecodable == 0 && survey.unsupported.is_empty() {
            if verdict(instruction.code()) == Verdict::Judge {
                self.judged.insert(name.clone());
            }
            self.supported.insert(name, instruction.code());
        }
    }
}

#[test]
fn what_is_supported_is_judged_or_named() {
    let mut met = Met::default();
    for (prefix, rex, map) in PREFIXES
        .iter()
        .flat_map(|prefix| REX.iter().flat_map(move |rex| MAPS.map(|map| (prefix, rex, map))))
    {
        for (opcode, operands) in (0..=255).flat_map(|opcode| (0..=255).map(move |o| (opcode, o))) {
            met.meet(&[prefix, *rex, map, &[opcode, operands], &REST].concat());
        }
    }
    let mut rng = Rng::new(7);
    for _ in 0..200_000 {
        let mut bytes = [rng.bits(), rng.bits()].map(u64::to_le_bytes).concat();
        bytes[0] = rng.pick(&[0xc4, 0xc5, 0x62, 0x8f, 0xf0]);
        met.meet(&bytes);
    }
    let unjudged = met.supported.values().filter(|&&code| verdict(code) != Verdict::Judge);
    let strangers: Vec<&Code> = unjudged
        .filter(|code| verdict(**code) != Verdict::HostLacks && !NAMED.contains(code))
        .collect();
    println!("{} forms supported, {} judged", met.supported.len(), met.judged.len());
    let missing = NAMED.iter().filter(|code| !met.supported.contains_key(&format!("{code:?}")));
    assert_eq!(missing.count(), 0, "named and not supported");
    assert!(strangers.is_empty(), "supported, but neither judged nor named: {strangers:?}");
    assert!(met.supported.len() >= crate::FORMS_MIN, "only {} forms", met.supported.len());
}

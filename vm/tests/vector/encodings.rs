//! All encodings of the three opcode maps that the classifier accepts.

use std::collections::HashMap;
use std::fmt;
use std::sync::Once;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind};
use samovar_vm::vector::{VecForm, VecOp, classify};

/// One instruction: its bytes, decoded, classified.
#[derive(Clone, Debug)]
pub struct Encoding {
    pub bytes: Vec<u8>,
    pub instruction: Instruction,
    pub form: VecForm,
}

/// Register and memory forms of every code, with a few choices of registers each.
pub fn encodings() -> Vec<Encoding> {
    let mut found = Vec::new();
    let mut variants: HashMap<(Code, bool), u32> = HashMap::new();
    for bytes in candidates() {
        let Some(encoding) = decode(&bytes) else { continue };
        let memory = encoding.uses_memory();
        let count = variants.entry((encoding.instruction.code(), memory)).or_default();
        if *count < 3 {
            *count += 1;
            found.push(encoding);
        }
    }
    found
}

/// Decodes and classifies the start of `bytes`; `None` if it is no vector instruction.
pub fn decode(bytes: &[u8]) -> Option<Encoding> {
    let instruction = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE).decode();
    if instruction.is_invalid() {
        return None;
    }
    let form = classify(&instruction)?;
    Some(Encoding { bytes: bytes[..instruction.len()].to_vec(), instruction, form })
}

/// Every opcode with every mandatory prefix, REX.W or not; registers 1, 0, 9 and [rdi].
fn candidates() -> impl Iterator<Item = Vec<u8>> {
    let prefixes: [&[u8]; 4] = [&[], &[0x66], &[0xf3], &[0xf2]];
    let maps: [&[u8]; 3] = [&[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]];
    // REX none, W, R, B, WRB; R and B reach registers 8 to 15.
    let rexes: [&[u8]; 5] = [&[], &[0x48], &[0x44], &[0x41], &[0x4d]];
    let first = [1u8, 2, 0, 3, 4, 5, 6, 7];
    maps.into_iter().flat_map(move |map| {
        prefixes.into_iter().flat_map(move |prefix| {
            let escape = move |opcode: &u8| map.len() == 1 && matches!(opcode, 0x38 | 0x3a);
            (0..=255u8).filter(move |opcode| !escape(opcode)).flat_map(move |opcode| {
                rexes.into_iter().flat_map(move |rex| {
                    first.into_iter().flat_map(move |reg| {
                        // With REX.B the base would be r15: no memory form then.
                        let modrms = [0xc0 | reg << 3 | 2, reg << 3 | 7];
                        let choices = if rex.first().is_some_and(|b| b & 1 == 1) { 1 } else { 2 };
                        modrms.into_iter().take(choices).map(move |modrm| {
                            let imm = reg.wrapping_mul(37);
                            [prefix, rex, map, &[opcode, modrm, imm, 0, 0, 0, 0]].concat()
                        })
                    })
                })
            })
        })
    })
}

impl Encoding {
    pub fn uses_memory(&self) -> bool {
        (0..self.instruction.op_count()).any(|i| self.instruction.op_kind(i) == OpKind::Memory)
    }

    pub fn has_imm8(&self) -> bool {
        (0..self.instruction.op_count()).any(|i| self.instruction.op_kind(i) == OpKind::Immediate8)
    }

    pub fn with_imm8(&self, imm: u8) -> Encoding {
        let mut bytes = self.bytes.clone();
        *bytes.last_mut().unwrap() = imm;
        decode(&bytes).unwrap()
    }

    /// The operation, if the form has one.
    pub fn op(&self) -> Option<VecOp> {
        match self.form {
            VecForm::XmmXmm { op, .. }
            | VecForm::XmmMem { op, .. }
            | VecForm::MemXmm { op, .. }
            | VecForm::GprXmm { op, .. }
            | VecForm::GprMem { op, .. }
            | VecForm::XmmGpr { op, .. }
            | VecForm::XmmMemInt { op, .. }
            | VecForm::MemFromXmm { op, .. }
            | VecForm::FlagsXmmXmm { op, .. }
            | VecForm::FlagsXmmMem { op, .. }
            | VecForm::BlendXmm { op, .. }
            | VecForm::BlendMem { op, .. } => Some(op),
            _ => None,
        }
    }

    pub fn is_float(&self) -> bool {
        self.op().is_some_and(|op| op.index() >= VecOp::Addps.index())
    }

    /// False, with a note, if the host lacks the extension.
    pub fn host_has_it(&self) -> bool {
        static NOTE: Once = Once::new();
        let has = self.instruction.cpuid_features().iter().all(|feature| {
            match format!("{feature:?}").as_str() {
                "SSE3" => is_x86_feature_detected!("sse3"),
                "SSSE3" => is_x86_feature_detected!("ssse3"),
                "SSE4_1" => is_x86_feature_detected!("sse4.1"),
                "SSE4_2" => is_x86_feature_detected!("sse4.2"),
                _ => true,
            }
        });
        if !has {
            NOTE.call_once(|| eprintln!("skipped: the host lacks what {self} and others need"));
        }
        has
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} {:02x?} {:?}", self.instruction.code(), self.bytes, self.form)
    }
}

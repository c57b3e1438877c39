//! Every x87 instruction against the host CPU: all encodings of the eight opcodes, all stack
//! depths and tags, corner values crossed, all rounding and precision modes, masked and unmasked
//! exceptions, pending exceptions.

#[path = "../vector_native/mod.rs"]
mod native;

mod machine;
mod model;
mod states;

use std::collections::HashSet;

use iced_x86::{Decoder, DecoderOptions};
use model::judge;
use native::Native;
use samovar_vm::x87::{X87Form, X87Op, classify};
use states::States;

/// One instruction: its bytes and its form.
#[derive(Debug)]
struct Encoding {
    bytes: Vec<u8>,
    form: X87Form,
}

/// Everything under the opcodes D8 to DF, and the few others; memory operands at [rdi].
fn encodings() -> Vec<Encoding> {
    let escapes = (0xd8..=0xdfu8).flat_map(|opcode| {
        let memory = (0..8u8).map(move |reg| vec![opcode, reg << 3 | 7]);
        memory.chain((0xc0..=0xffu8).map(move |modrm| vec![opcode, modrm]))
    });
    let others: [&[u8]; 4] = [&[0x9b], &[0x0f, 0x77], &[0x0f, 0xae, 0x07], &[0x0f, 0xae, 0x0f]];
    escapes.chain(others.map(<[u8]>::to_vec)).filter_map(|bytes| decode(&bytes)).collect()
}

fn decode(bytes: &[u8]) -> Option<Encoding> {
    let instruction = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE).decode();
    if instruction.is_invalid() {
        return None;
    }
    let form = classify(&instruction)?;
    assert_eq!(instruction.len(), bytes.len());
    Some(Encoding { bytes: bytes.to_vec(), form })
}

#[test]
fn every_operation_is_reached() {
    let op = |form| match form {
        X87Form::Registers { op, .. }
        | X87Form::Flags { op, .. }
        | X87Form::Conditional { op, .. }
        | X87Form::Load { op, .. }
        | X87Form::Store { op, .. }
        | X87Form::StoreAx { op } => Some(op),
        X87Form::Image(_) => None,
    };
    let reached: HashSet<_> = encodings().iter().filter_map(|one| op(one.form)).collect();
    let missing: Vec<_> = X87Op::ALL.iter().filter(|op| !reached.contains(op)).collect();
    assert!(missing.is_empty(), "no encoding leads to {missing:?}");
    assert_eq!(encodings().iter().filter(|one| op(one.form).is_none()).count(), 6);
    for op in X87Op::ALL {
        assert_eq!(X87Op::from_index(op.index()), *op);
    }
}

/// The wait in front of FSTCW and its kin is an instruction of its own to the decoder.
#[test]
fn wait_is_decoded_by_itself() {
    let code = [0x9b, 0xd9, 0x3f];
    let instruction = Decoder::with_ip(64, &code, 0, DecoderOptions::NONE).decode();
    assert_eq!(instruction.len(), 1);
}

#[test]
fn corner_values_crossed() {
    let mut native = Native::new();
    for encoding in encodings() {
        native.load(&encoding.bytes);
        let mut states = States::new(1);
        for state in states.crossed() {
            judge(&mut native, &encoding, &state);
        }
    }
}

#[test]
fn random_states() {
    let mut native = Native::new();
    for encoding in encodings() {
        native.load(&encoding.bytes);
        let mut states = States::new(2);
        for _ in 0..3000 {
            judge(&mut native, &encoding, &states.random());
        }
    }
}

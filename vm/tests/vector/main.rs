//! Every vector instruction the classifier accepts, against the host CPU: all encodings found by
//! enumeration, register and memory forms, corner values crossed and random values, all rounding
//! modes, flush-to-zero and denormals-are-zero, all immediates.

#[path = "../vector_native/mod.rs"]
mod native;

mod encodings;
mod faults;
mod inputs;
mod machine;
mod model;

use std::collections::HashSet;

use encodings::{Encoding, encodings};
use inputs::Inputs;
use model::Model;
use native::{Native, State};
use samovar_vm::vector::VecOp;

/// Sticky flags and rounding control, with and without FTZ and DAZ.
fn mxcsr_settings() -> impl Iterator<Item = u32> {
    (0..16u32).map(|bits| 0x1f80 | (bits & 3) << 13 | (bits >> 2 & 1) << 15 | (bits >> 3) << 6)
}

/// Runs the instruction on both machines and compares everything.
fn judge(native: &mut Native, encoding: &Encoding, start: &State) {
    let mut host = start.clone();
    let signal = native.run(&mut host, 0);
    assert_eq!(signal, 0, "{encoding} faults on the host");
    let mut model = Model::new(start);
    model.execute(encoding);
    model.compare(&host, start, encoding);
}

fn each_encoding(mut check: impl FnMut(&mut Native, &Encoding)) {
    let mut native = Native::new();
    for encoding in encodings() {
        if encoding.host_has_it() {
            native.load(&encoding.bytes);
            check(&mut native, &encoding);
        }
    }
}

#[test]
fn every_operation_is_reached() {
    let reached: HashSet<VecOp> = encodings().iter().filter_map(Encoding::op).collect();
    let missing: Vec<_> = VecOp::ALL.iter().filter(|op| !reached.contains(op)).collect();
    assert!(missing.is_empty(), "no encoding leads to {missing:?}");
    for (index, op) in VecOp::ALL.iter().enumerate() {
        assert_eq!(op.index() as usize, index);
        assert_eq!(VecOp::from_index(op.index()), *op);
    }
}

#[test]
fn corner_and_random_values() {
    let inputs = Inputs::new(3000);
    each_encoding(|native, encoding| {
        let mut start = State::new();
        for (number, (dst, src)) in inputs.pairs().enumerate() {
            inputs.fill(&mut start, number, dst, src, encoding);
            judge(native, encoding, &start);
        }
    });
}

#[test]
fn rounding_modes_and_flushing() {
    let inputs = Inputs::new(200);
    each_encoding(|native, encoding| {
        if !encoding.is_float() {
            return;
        }
        let mut start = State::new();
        for mxcsr in mxcsr_settings() {
            for (number, (dst, src)) in inputs.pairs().enumerate() {
                inputs.fill(&mut start, number, dst, src, encoding);
                let sticky = if number % 3 == 0 { number as u32 & 0x3f } else { 0 };
                start.set_mxcsr(mxcsr | sticky);
                judge(native, encoding, &start);
            }
        }
    });
}

#[test]
fn all_immediates() {
    let inputs = Inputs::new(60);
    let mut native = Native::new();
    for encoding in encodings().iter().filter(|encoding| encoding.has_imm8()) {
        if !encoding.host_has_it() {
            continue;
        }
        for imm in 0..=255 {
            let encoding = encoding.with_imm8(imm);
            native.load(&encoding.bytes);
            let mut start = State::new();
            for (number, (dst, src)) in inputs.pairs().enumerate().step_by(13) {
                let number = number + imm as usize;
                inputs.fill(&mut start, number, dst, src, &encoding);
                let modes = (number as u32 & 3) << 13 | (number as u32 >> 2 & 1) << 6;
                start.set_mxcsr(0x1f80 | modes);
                judge(&mut native, &encoding, &start);
            }
        }
    }
}

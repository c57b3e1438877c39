//! Alignment faults and unmasked exceptions, against the host CPU.

use samovar_vm::vector::mxcsr::trapping;
use samovar_vm::vector::{VecForm, apply, crc32};

use crate::each_encoding;
use crate::encodings::{Encoding, decode};
use crate::inputs::{Inputs, Random};
use crate::native::{Native, State};

/// Whether the form demands an aligned address.
pub fn is_aligned(form: VecForm) -> bool {
    match form {
        VecForm::XmmMem { aligned, .. }
        | VecForm::MemXmm { aligned, .. }
        | VecForm::FlagsXmmMem { aligned, .. } => aligned,
        VecForm::BlendMem { .. } => true,
        _ => false,
    }
}

#[test]
fn alignment_is_demanded_where_the_host_demands_it() {
    let mut forms = 0;
    each_encoding(|native, encoding| {
        if !encoding.uses_memory() {
            return;
        }
        forms += 1;
        let mut state = State::new();
        state.memory.0[..64].fill(0);
        let signal = native.run(&mut state, 1);
        let expected = if is_aligned(encoding.form) { libc::SIGSEGV } else { 0 };
        assert_eq!(signal, expected, "{encoding} at an odd address");
    });
    assert!(forms > 300, "only {forms} memory forms");
}

#[test]
fn mxcsr_with_reserved_bits_faults() {
    let ldmxcsr = decode(&[0x0f, 0xae, 0x17]).unwrap();
    assert_eq!(ldmxcsr.form, VecForm::LoadMxcsr);
    let mut native = Native::new();
    native.load(&ldmxcsr.bytes);
    for bit in 0..32 {
        let mut state = State::new();
        state.memory.0[..4].copy_from_slice(&(0x1f80u32 ^ 1 << bit).to_le_bytes());
        let accepted = native.run(&mut state, 0) == 0;
        // Bit 17 exists on some makes of the host; the virtual CPU has none above 15.
        if bit != 17 {
            let valid = samovar_vm::vector::mxcsr::is_valid(0x1f80 ^ 1 << bit);
            assert_eq!(accepted, valid, "bit {bit}");
        }
    }
}

/// True if the operation's exact result is tiny: the documented difference.
fn may_underflow_exactly(unmasked: u32) -> bool {
    unmasked & 0x10 != 0
}

#[test]
fn unmasked_exceptions_trap() {
    let inputs = Inputs::new(50);
    let mut traps = 0;
    each_encoding(|native, encoding: &Encoding| {
        let VecForm::XmmXmm { op, dst, src, imm } = encoding.form else { return };
        if !encoding.is_float() {
            return;
        }
        let mut start = State::new();
        for (number, (a, b)) in inputs.pairs().enumerate().step_by(29) {
            let unmasked = (number as u32).wrapping_mul(0x9e37_79b9) >> 26;
            if may_underflow_exactly(unmasked) {
                continue;
            }
            inputs.fill(&mut start, number, a, b, encoding);
            start.set_mxcsr(0x1f80 & !(unmasked << 7));
            let mut host = start.clone();
            let signal = native.run(&mut host, 0);
            let (a, b) = (start.xmm(dst as usize), start.xmm(src as usize));
            let mut mxcsr = start.mxcsr();
            let result = trapping(&mut mxcsr, |mxcsr| apply(op, a, b, imm, mxcsr));
            assert_eq!(signal == libc::SIGFPE, result.is_err(), "{encoding} {unmasked:02x}");
            traps += result.is_err() as u32;
            let kept = result.unwrap_or(a);
            assert_eq!(host.xmm(dst as usize), kept, "{encoding} {unmasked:02x}");
        }
    });
    assert!(traps > 1000, "only {traps} traps");
}

#[test]
fn crc32_as_the_host_computes_it() {
    if !is_x86_feature_detected!("sse4.2") {
        eprintln!("skipped: the host lacks crc32");
        return;
    }
    let mut native = Native::new();
    let mut random = Random(77);
    // crc32 eax, cl / cx / ecx / rcx
    let encodings: [(u8, &[u8]); 4] = [
        (1, &[0xf2, 0x0f, 0x38, 0xf0, 0xc1]),
        (2, &[0x66, 0xf2, 0x0f, 0x38, 0xf1, 0xc1]),
        (4, &[0xf2, 0x0f, 0x38, 0xf1, 0xc1]),
        (8, &[0xf2, 0x48, 0x0f, 0x38, 0xf1, 0xc1]),
    ];
    for (bytes, code) in encodings {
        native.load(code);
        for _ in 0..2000 {
            let (accumulator, data) = (random.next(), random.next());
            let mut state = State::new();
            state.gpr[0] = accumulator;
            state.gpr[1] = data;
            assert_eq!(native.run(&mut state, 0), 0);
            assert_eq!(state.gpr[0], crc32(bytes, accumulator as u32, data) as u64);
        }
    }
}

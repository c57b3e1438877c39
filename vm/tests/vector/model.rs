//! A machine of registers and one memory operand that executes forms by the functions under test.

use samovar_vm::vector::classify::StringKind;
use samovar_vm::vector::string::{Comparison, Lengths};
use samovar_vm::vector::*;

use crate::encodings::Encoding;
use crate::native::State;

/// The status flags.
const STATUS: u64 = 0x8d5;

/// The virtual CPU's side of a comparison.
pub struct Model {
    pub xmm: [u128; 16],
    pub gpr: [u64; 16],
    pub rflags: u64,
    pub mxcsr: u32,
    pub memory: [u8; 512],
}

impl Model {
    pub fn new(start: &State) -> Model {
        Model {
            xmm: std::array::from_fn(|index| start.xmm(index)),
            gpr: start.gpr,
            rflags: start.rflags,
            mxcsr: start.mxcsr(),
            memory: start.memory.0,
        }
    }

    pub fn execute(&mut self, encoding: &Encoding) {
        let mxcsr = &mut self.mxcsr.clone();
        match encoding.form {
            VecForm::XmmXmm { op, dst, src, imm } => {
                let result = apply(op, self.xmm(dst), self.xmm(src), imm, mxcsr);
                self.xmm[dst as usize] = result;
            }
            VecForm::XmmMem { op, dst, bytes, imm, .. } => {
                let result = apply(op, self.xmm(dst), self.load(bytes), imm, mxcsr);
                self.xmm[dst as usize] = result;
            }
            VecForm::MemXmm { op, src, bytes, .. } => {
                self.store(store_value(op, self.xmm(src)), bytes)
            }
            VecForm::GprXmm { op, dst, dst_bits, src, imm } => {
                self.gpr[dst as usize] = to_gpr(op, dst_bits, self.xmm(src), imm, mxcsr);
            }
            VecForm::GprMem { op, dst, dst_bits, bytes } => {
                self.gpr[dst as usize] = to_gpr(op, dst_bits, self.load(bytes), 0, mxcsr);
            }
            VecForm::XmmGpr { op, dst, src, src_bits, imm } => {
                let value = self.gpr[src as usize];
                self.xmm[dst as usize] = from_gpr(op, src_bits, self.xmm(dst), value, imm, mxcsr);
            }
            VecForm::XmmMemInt { op, dst, bytes, imm } => {
                let value = self.load(bytes) as u64;
                self.xmm[dst as usize] = from_gpr(op, 8 * bytes, self.xmm(dst), value, imm, mxcsr);
            }
            VecForm::MemFromXmm { op, src, bytes, imm } => {
                self.store(to_gpr(op, 64, self.xmm(src), imm, mxcsr) as u128, bytes)
            }
            VecForm::FlagsXmmXmm { op, dst, src } => {
                self.set_flags(compare_flags(op, self.xmm(dst), self.xmm(src), mxcsr))
            }
            VecForm::FlagsXmmMem { op, dst, bytes, .. } => {
                self.set_flags(compare_flags(op, self.xmm(dst), self.load(bytes), mxcsr))
            }
            VecForm::BlendXmm { op, dst, src } => {
                self.xmm[dst as usize] = blend(op, self.xmm(dst), self.xmm(src), self.xmm[0]);
            }
            VecForm::BlendMem { op, dst } => {
                self.xmm[dst as usize] = blend(op, self.xmm(dst), self.load(16), self.xmm[0]);
            }
            VecForm::StringXmm { kind, dst, src, imm } => {
                self.string(kind, self.xmm(dst), self.xmm(src), imm)
            }
            VecForm::StringMem { kind, dst, imm } => {
                self.string(kind, self.xmm(dst), self.load(16), imm)
            }
            VecForm::MaskStore { src, mask } => {
                for (at, byte) in masked_bytes(self.xmm(src), self.xmm(mask)) {
                    self.memory[at as usize] = byte;
                }
            }
            VecForm::LoadMxcsr => *mxcsr = self.load(4) as u32,
            VecForm::StoreMxcsr => self.store(self.mxcsr as u128, 4),
        }
        self.mxcsr = *mxcsr;
    }

    fn string(&mut self, kind: StringKind, first: u128, second: u128, imm: u8) {
        let length = |value: u64| if kind.wide { value as i64 } else { value as i32 as i64 };
        let lengths = match kind.explicit {
            true => Lengths::Explicit(length(self.gpr[0]), length(self.gpr[2])),
            false => Lengths::Implicit,
        };
        let Comparison { index, mask, flags } = string::compare(first, second, lengths, imm);
        match kind.mask {
            true => self.xmm[0] = mask,
            false => self.gpr[1] = index as u64,
        }
        self.set_flags(flags);
    }

    fn xmm(&self, index: u8) -> u128 {
        self.xmm[index as usize]
    }

    fn load(&self, bytes: u8) -> u128 {
        let mut value = [0; 16];
        value[..bytes as usize].copy_from_slice(&self.memory[..bytes as usize]);
        u128::from_le_bytes(value)
    }

    fn store(&mut self, value: u128, bytes: u8) {
        self.memory[..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }

    fn set_flags(&mut self, flags: u64) {
        self.rflags = self.rflags & !STATUS | flags;
    }

    /// Panics unless the host did exactly the same.
    pub fn compare(&self, host: &State, start: &State, encoding: &Encoding) {
        let same_nans = nan_width(encoding);
        let same = (0..16).all(|index| same_value(self.xmm[index], host.xmm(index), same_nans))
            && self.gpr == host.gpr
            && self.rflags & STATUS == host.rflags & STATUS
            && self.mxcsr == host.mxcsr()
            && self.memory == host.memory.0;
        if !same {
            self.report(host, start, encoding);
        }
    }

    fn report(&self, host: &State, start: &State, encoding: &Encoding) -> ! {
        eprintln!("mxcsr {:04x} memory {:02x?}", start.mxcsr(), &start.memory.0[..16]);
        for index in 0..16 {
            eprintln!(
                "xmm{index:<2} {:032x} model {:032x} host {:032x}",
                start.xmm(index),
                self.xmm[index],
                host.xmm(index),
            );
            if self.gpr[index] != host.gpr[index] {
                let (model, host) = (self.gpr[index], host.gpr[index]);
                eprintln!(
                    "gpr{index} {:016x} model {model:016x} host {host:016x}",
                    start.gpr[index]
                );
            }
        }
        eprintln!("flags model {:03x} host {:03x}", self.rflags & STATUS, host.rflags & STATUS);
        eprintln!("mxcsr model {:04x} host {:04x}", self.mxcsr, host.mxcsr());
        panic!("{encoding} differs from the host");
    }
}

/// Bits of the lanes in which one NaN is as good as another: which of several comes out of a sum of
/// products is up to the order of summing, in which makes of processors differ.
fn nan_width(encoding: &Encoding) -> Option<u32> {
    match encoding.op() {
        Some(VecOp::Dpps) => Some(32),
        Some(VecOp::Dppd) => Some(64),
        _ => None,
    }
}

fn same_value(mine: u128, theirs: u128, same_nans: Option<u32>) -> bool {
    let Some(width) = same_nans else { return mine == theirs };
    (0..128 / width).all(|lane| {
        let [mine, theirs] = [mine, theirs].map(|value| (value >> (lane * width)) as u64);
        match width {
            32 => {
                let [mine, theirs] = [mine, theirs].map(|bits| f32::from_bits(bits as u32));
                mine.to_bits() == theirs.to_bits() || mine.is_nan() && theirs.is_nan()
            }
            _ => {
                let [first, second] = [mine, theirs].map(f64::from_bits);
                mine == theirs || first.is_nan() && second.is_nan()
            }
        }
    })
}

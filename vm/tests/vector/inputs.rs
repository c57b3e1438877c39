//! Operand values: corners of all element types crossed, and random ones.

use iced_x86::OpKind;
use samovar_vm::vector::VecForm;

use crate::encodings::Encoding;
use crate::native::State;

const CORNERS64: [u64; 34] = [
    0,
    1,
    u64::MAX,
    1 << 63,               // -0.0, i64::MIN
    (1 << 63) - 1,         // NaN, i64::MAX
    0x3ff0_0000_0000_0000, // 1.0
    0xbff0_0000_0000_0000, // -1.0
    0x3fe0_0000_0000_0000, // 0.5
    0xbff8_0000_0000_0000, // -1.5
    0x4004_0000_0000_0000, // 2.5
    0x3ff0_0000_0000_0001, // 1.0 and a bit
    0x3fb9_9999_9999_999a, // 0.1
    0x0010_0000_0000_0000, // least normal
    0x0010_0000_0000_0001,
    0x000f_ffff_ffff_ffff, // greatest denormal
    0x8000_0000_0000_0003, // a negative denormal
    0x7fef_ffff_ffff_ffff, // greatest finite
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000, // infinities
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000, // quiet NaNs
    0xfff8_1234_5678_9abc,
    0x7ff0_0000_0000_0001, // signalling NaNs
    0xfff4_0000_dead_beef,
    0x41df_ffff_ffc0_0000, // i32::MAX
    0x41df_ffff_ffe0_0000, // i32::MAX + 0.5
    0x41e0_0000_0000_0000, // 2^31
    0xc1e0_0000_0020_0000, // i32::MIN - 1
    0xc1e0_0000_0010_0000, // i32::MIN - 0.5
    0x43df_ffff_ffff_ffff, // below 2^63
    0x43e0_0000_0000_0000, // 2^63
    0xc3e0_0000_0000_0000, // -2^63
    0x3810_0000_0000_0000, // least normal float as double
    0x47ef_ffff_f000_0000, // rounds beyond the greatest float
];

const CORNERS32: [u32; 32] = [
    0,
    1,
    u32::MAX,
    1 << 31,       // -0.0, i32::MIN
    (1 << 31) - 1, // NaN, i32::MAX
    0x3f80_0000,   // 1.0
    0xbf80_0000,   // -1.0
    0x3f00_0000,   // 0.5
    0xbfc0_0000,   // -1.5
    0x4020_0000,   // 2.5
    0x3f80_0001,
    0x3dcc_cccd, // 0.1
    0x0080_0000, // least normal
    0x0080_0001,
    0x007f_ffff, // greatest denormal
    0x8000_0003, // a negative denormal
    0x7f7f_ffff, // greatest finite
    0xff7f_ffff,
    0x7f80_0000, // infinities
    0xff80_0000,
    0x7fc0_0000, // quiet NaNs
    0xffc1_2345,
    0x7f80_0001, // signalling NaNs
    0xffa0_beef,
    0x4eff_ffff, // below 2^31
    0x4f00_0000, // 2^31
    0xcf00_0000, // -2^31
    0x5eff_ffff, // below 2^63
    0x5f00_0000, // 2^63
    0x7fff_8000,
    0x8000_7fff,
    0x00ff_ff00,
];

/// Pairs of operands, the same in every run.
pub struct Inputs {
    pairs: Vec<(u128, u128)>,
}

impl Inputs {
    /// All corner pairs of both widths, and `random` further ones.
    pub fn new(random: usize) -> Inputs {
        let mut pairs = Vec::new();
        let wide = CORNERS64.len();
        for i in 0..wide {
            for j in 0..wide {
                let high = (CORNERS64[(7 * i + j) % wide], CORNERS64[(5 * j + i) % wide]);
                pairs.push((join(CORNERS64[i], high.0), join(CORNERS64[j], high.1)));
            }
        }
        for i in 0..CORNERS32.len() {
            for j in 0..CORNERS32.len() {
                pairs.push((quad(i, [1, 7, 3], j), quad(j, [1, 5, 11], i)));
            }
        }
        let mut random_source = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..random {
            let dst = random_source.next128();
            // Close operands now and then: cancellation and equality.
            let src = match random_source.next() % 4 {
                0 => dst ^ (random_source.next128() & random_source.next128() & 0x8000_0000_0001),
                _ => random_source.next128(),
            };
            pairs.push((dst, src));
        }
        Inputs { pairs }
    }

    pub fn pairs(&self) -> impl Iterator<Item = (u128, u128)> {
        self.pairs.iter().copied()
    }

    /// A state with the operands where the instruction looks for them.
    pub fn fill(&self, state: &mut State, number: usize, dst: u128, src: u128, to: &Encoding) {
        let other = |k: usize| self.pairs[(number * 31 + k * 17) % self.pairs.len()].0;
        for index in 0..16 {
            state.set_xmm(index, other(index));
            state.gpr[index] = (other(index + 16) >> (8 * (index % 5))) as u64;
        }
        // String lengths in RAX and RDX: mostly near the limits.
        if !number.is_multiple_of(4) {
            state.gpr[0] = ((number % 41) as i64 - 20) as u64;
            state.gpr[2] = ((number % 37) as i64 - 18) as u64;
        }
        state.gpr[4] = 0;
        state.gpr[7] = 0;
        state.rflags = 0x202 | if number.is_multiple_of(2) { 0x8d5 } else { 0 };
        state.set_mxcsr(0x1f80);
        state.memory.0[..16].copy_from_slice(&src.to_le_bytes());
        state.memory.0[16..32].fill(0xa5);
        if to.form == VecForm::LoadMxcsr {
            state.memory.0[2..4].fill(0);
        }
        let values = if to.uses_memory() { [dst, dst, dst] } else { [dst, src, src] };
        for (operand, value) in (0..to.instruction.op_count()).zip(values) {
            if to.instruction.op_kind(operand) == OpKind::Register {
                let register = to.instruction.op_register(operand);
                match register.number() {
                    number if register.is_xmm() => state.set_xmm(number, value),
                    4 | 7 => {}
                    number => state.gpr[number] = value as u64,
                }
            }
        }
    }
}

fn join(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}

fn quad(first: usize, steps: [usize; 3], other: usize) -> u128 {
    let corner = |index: usize| CORNERS32[index % CORNERS32.len()] as u128;
    let [a, b, c] = steps.map(|step| corner(first * step + other));
    corner(first) | a << 32 | b << 64 | c << 96
}

/// Xorshift: the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn next128(&mut self) -> u128 {
        join(self.next(), self.next())
    }
}

//! Start states: corner values on the stack and in memory, modes, tags.

use crate::native::State;

/// Sign and exponent, significand.
const CORNERS: [(u16, u64); 36] = [
    (0, 0),
    (0x8000, 0),
    (0x3fff, 1 << 63),               // 1
    (0xbfff, 1 << 63),               // -1
    (0x3ffe, 1 << 63),               // 0.5
    (0xbffe, 0xc000_0000_0000_0000), // -0.75
    (0x4000, 0xa000_0000_0000_0000), // 2.5
    (0x3fff, 0x8000_0000_0000_0001),
    (0x4000, 0xc90f_daa2_2168_c235), // pi
    (0x3ffb, 0xcccc_cccc_cccc_cccd), // 0.1
    (0x0001, 1 << 63),               // least normal
    (0x0001, 0x8000_0000_0000_0001),
    (0x0000, 0x7fff_ffff_ffff_ffff), // greatest denormal
    (0x8000, 1),                     // a denormal
    (0x0000, 1 << 63),               // a pseudo-denormal
    (0x7ffe, u64::MAX),              // greatest finite
    (0xfffe, u64::MAX),
    (0x7fff, 1 << 63), // infinities
    (0xffff, 1 << 63),
    (0x7fff, 0xc000_0000_0000_0000), // quiet NaNs
    (0xffff, 0xc000_1234_5678_9abc),
    (0x7fff, 0x8000_0000_0000_0001), // signalling NaNs
    (0xffff, 0xa000_dead_beef_0000),
    (0x7fff, 0x4000_0000_0000_0000), // pseudo-NaN, pseudo-infinity, unnormal
    (0x7fff, 0),
    (0x4000, 0x2000_0000_0000_0000),
    (0x400d, 0xfffe_0000_0000_0000), // 32767
    (0xc00e, 0x8000_8000_0000_0000), // -32768.5
    (0x401d, 0xffff_fffe_0000_0000), // i32::MAX
    (0x401d, 0xffff_ffff_0000_0000), // i32::MAX + 0.5
    (0xc01e, 1 << 63),               // i32::MIN
    (0x403d, 0xffff_ffff_ffff_fffe), // i64::MAX
    (0xc03e, 1 << 63),               // i64::MIN
    (0x403e, 1 << 63),               // 2^63
    (0x407e, 0xffff_ff80_0000_0000), // beyond the greatest float
    (0x43fe, 0xffff_ffff_ffff_fc00), // beyond the greatest double
];

/// Memory operands; they are read as floats and as integers of all widths.
const MEMORY: [u128; 24] = [
    0,
    1,
    u128::MAX >> 48,
    0x3f80_0000,
    0xbf00_0000,
    0x7fc0_0001,
    0x7f80_0001,
    0xff80_0000,
    0x0000_0003,
    0x7f7f_ffff,
    0x8000_0000,
    0x3ff0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0xfff0_0000_0000_0001,
    0x7ff0_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x7fef_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x4000_c90f_daa2_2168_c235,
    0xffff_a000_dead_beef_0000,
    0x8012_3456_7890_1234_5678,
    0x0099_9999_9999_9999_9999,
];

/// Sticky exceptions and stack fault, condition codes.
const FLAGS: u16 = 0x7f;
const CODES: u16 = 0x4700;

/// A source of start states, the same in every run.
pub struct States(u64);

impl States {
    pub fn new(seed: u64) -> States {
        States(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// All pairs of corners on the stack with changing modes, everything masked.
    pub fn crossed(&mut self) -> Vec<State> {
        let pairs = CORNERS.iter().flat_map(|&a| CORNERS.iter().map(move |&b| (a, b)));
        let states = pairs.enumerate().map(|(number, (a, b))| {
            let mut state = *self.random();
            set_control(&mut state, 0x7f | modes(number as u16));
            set_status(&mut state, (self.next() as u16 & CODES) | 3 << 11);
            state.fx[4] = 0b0111_1000;
            set_register(&mut state, 0, a);
            set_register(&mut state, 1, b);
            // What FCOM and others take as ST(2) and ST(3).
            set_register(&mut state, 2, b);
            set_register(&mut state, 3, a);
            state
        });
        states.collect()
    }

    /// Anything: full and empty stacks, unmasked and pending exceptions.
    pub fn random(&mut self) -> Box<State> {
        let mut state = State::new();
        for index in 0..8 {
            let value = self.value();
            set_register(&mut state, index, value);
        }
        let used = match self.next() % 4 {
            0 => 0,
            1 => 0xff,
            _ => self.next() as u8,
        };
        state.fx[4] = used;
        let masks = if self.next().is_multiple_of(2) { 0x3f } else { self.next() as u16 & 0x3f };
        let control = 0x40 | masks | modes(self.next() as u16);
        set_control(&mut state, control);
        let random = self.next() as u16;
        let mut status = random & (CODES | 7 << 11);
        match self.next() % 8 {
            0..3 => {}
            // Exceptions that do not wait to be reported, or any.
            3..7 => status |= self.next() as u16 & FLAGS & (masks | 0x40),
            _ => status |= self.next() as u16 & FLAGS,
        }
        if status & 0x3f & !masks != 0 {
            status |= 0x8080;
        }
        set_status(&mut state, status);
        self.fill_memory(&mut state);
        for (index, gpr) in state.gpr.iter_mut().enumerate() {
            *gpr = 0x1234_5678_9abc_0000 + index as u64;
        }
        state.gpr[4] = 0;
        state.gpr[7] = 0;
        state.rflags = 0x202 | self.next() & 0x8d5;
        for index in 0..16 {
            let value = self.next() as u128 | (self.next() as u128) << 64;
            state.set_xmm(index, value);
        }
        state
    }

    /// An operand at the start; the rest makes a plausible image for FLDENV, FRSTOR, FXRSTOR.
    fn fill_memory(&mut self, state: &mut State) {
        for byte in state.memory.0.iter_mut() {
            *byte = self.next() as u8;
        }
        state.memory.0[26..32].fill(0);
        let choice = self.next() as usize;
        if !choice.is_multiple_of(4) {
            let operand = MEMORY[choice / 4 % MEMORY.len()].to_le_bytes();
            state.memory.0[..16].copy_from_slice(&operand);
        }
    }

    fn value(&mut self) -> (u16, u64) {
        let (random, significand) = (self.next(), self.next());
        match random % 4 {
            0 | 1 => CORNERS[(random / 4) as usize % CORNERS.len()],
            2 => (0x3fff - 40 + (random / 4 % 80) as u16, significand | 1 << 63),
            _ => ((random >> 16) as u16, significand | 1 << 63),
        }
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 3
    }
}

/// Rounding control and the three precisions.
fn modes(number: u16) -> u16 {
    (number & 3) << 10 | [0x300, 0x200, 0][(number / 4 % 3) as usize]
}

fn set_control(state: &mut State, control: u16) {
    state.fx[0..2].copy_from_slice(&control.to_le_bytes());
}

fn set_status(state: &mut State, status: u16) {
    state.fx[2..4].copy_from_slice(&status.to_le_bytes());
}

fn set_register(state: &mut State, index: usize, (exponent, significand): (u16, u64)) {
    state.fx[32 + 16 * index..][..8].copy_from_slice(&significand.to_le_bytes());
    state.fx[40 + 16 * index..][..2].copy_from_slice(&exponent.to_le_bytes());
}

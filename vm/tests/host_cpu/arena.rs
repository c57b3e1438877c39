//! Where things are: fixed addresses that mean the same natively and in the guest, so that
//! pointers in registers, return addresses and rip-relative operands can be compared directly.
//!
//! An arena holds a trampoline, a stretch of code slots and two pages of data (operands and
//! stack) with nothing mapped around them. Every lane (a thread of tests) owns two arenas: a low
//! one that 32-bit addresses reach, and a high one whose addresses need more than 32 bits.
//!
//! A code slot has an instruction in the middle and a landing pad on either side of it:
//! `pad 1 | instruction, jmp exit | pad 2`; what lies between is filled with `int3`.

use crate::trampoline::{LANDING_PAD_LEN, jump, landing_pad};

/// How many lanes fit side by side.
pub const LANES: u64 = 16;
/// Bytes of data and stack in an arena.
pub const DATA_LEN: usize = 0x2000;
/// Bytes for code slots in an arena.
pub const CODE_LEN: usize = 0xc0_0000;
/// Distance between two code slots.
pub const SLOT_LEN: u64 = 128;

const LANE_LEN: u64 = 0x400_0000;
const LOW_BASE: u64 = 0x4000_0000;
const HIGH_BASE: u64 = 0x10_0000_0000;
const TRAMPOLINE_OFFSET: u64 = 0x1_0000;
const CODE_OFFSET: u64 = 0x2_0000;
const DATA_OFFSET: u64 = 0x100_0000;

const INSTRUCTION_OFFSET: u64 = 16;
const SECOND_PAD_OFFSET: u64 = SLOT_LEN - LANDING_PAD_LEN as u64;
/// The most bytes of code under test that fit a slot.
pub const INSTRUCTION_LEN_MAX: usize = (SECOND_PAD_OFFSET - INSTRUCTION_OFFSET) as usize - 5;

/// Below or above 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Low,
    High,
}

impl Place {
    pub const ALL: [Place; 2] = [Place::Low, Place::High];
}

/// The addresses of one arena.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    base: u64,
}

impl Arena {
    /// The arena of a lane at a place.
    pub fn new(lane: u64, place: Place) -> Arena {
        assert!(lane < LANES, "no more than {LANES} lanes");
        let start = match place {
            Place::Low => LOW_BASE,
            Place::High => HIGH_BASE,
        };
        Arena { base: start + lane * LANE_LEN }
    }

    /// The page of the control block.
    pub fn control(self) -> u64 {
        self.base
    }

    /// The page of the trampoline.
    pub fn trampoline(self) -> u64 {
        self.base + TRAMPOLINE_OFFSET
    }

    /// Start of the code slots, [`CODE_LEN`] bytes.
    pub fn code(self) -> u64 {
        self.base + CODE_OFFSET
    }

    /// Start of the data, [`DATA_LEN`] bytes: a page for operands, then a page for the stack.
    pub fn data(self) -> u64 {
        self.base + DATA_OFFSET
    }

    /// The slot with this number.
    pub fn slot(self, number: usize) -> Slot {
        assert!(number < CODE_LEN / SLOT_LEN as usize, "arena out of code slots");
        Slot { start: self.code() + number as u64 * SLOT_LEN }
    }
}

/// The addresses of one code slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub start: u64,
}

impl Slot {
    /// Where the code under test starts.
    pub fn instruction(self) -> u64 {
        self.start + INSTRUCTION_OFFSET
    }

    /// The landing pad before the instruction (number 1) or after it (number 2).
    pub fn pad(self, number: u32) -> u64 {
        match number {
            1 => self.start,
            2 => self.start + SECOND_PAD_OFFSET,
            _ => unreachable!("a slot has two pads"),
        }
    }

    /// The bytes of the whole slot around `code`.
    pub fn contents(self, code: &[u8], control: u64, exit: u64) -> Vec<u8> {
        assert!(code.len() <= INSTRUCTION_LEN_MAX, "code does not fit its slot");
        let mut bytes = vec![0xcc; SLOT_LEN as usize];
        let mut place = |address: u64, part: &[u8]| {
            let at = (address - self.start) as usize;
            bytes[at..at + part.len()].copy_from_slice(part);
        };
        for number in [1, 2] {
            let pad = self.pad(number);
            place(pad, &landing_pad(pad, number, control, exit));
        }
        place(self.instruction(), code);
        let next = self.instruction() + code.len() as u64;
        place(next, &jump(next, exit));
        bytes
    }
}

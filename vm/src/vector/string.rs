//! The string comparisons of SSE4.2: PCMPESTRI, PCMPESTRM, PCMPISTRI, PCMPISTRM.
//!
//! One comparison yields everything the four instructions deliver; the caller takes the index
//! (to ECX) or the mask (to XMM0), and always the flags.

use core::array::from_fn;

use super::lanes::{bytes, from_bytes, from_words, words};

const CF: u64 = 1 << 0;
const ZF: u64 = 1 << 6;
const SF: u64 = 1 << 7;
const OF: u64 = 1 << 11;

/// How the valid elements of the operands are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lengths {
    /// Up to the first zero element.
    Implicit,
    /// By RAX (first operand) and RDX (second), sign-extended if the instruction is 32-bit.
    Explicit(i64, i64),
}

/// All results of one comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Position of the first or last match, or the number of elements if there is none.
    pub index: u32,
    /// The matches as bits or as all-ones elements.
    pub mask: u128,
    /// CF, ZF, SF, OF at their rflags positions; AF and PF are cleared.
    pub flags: u64,
}

/// Compares as `imm` says; `first` is the destination operand, `second` the source.
pub fn compare(first: u128, second: u128, lengths: Lengths, imm: u8) -> Comparison {
    let count = if imm & 1 == 0 { 16 } else { 8 };
    let (first, second) = (elements(first, imm), elements(second, imm));
    let (first_len, second_len) = match lengths {
        Lengths::Implicit => (terminated(&first[..count]), terminated(&second[..count])),
        Lengths::Explicit(a, b) => (saturated(a, count), saturated(b, count)),
    };
    let (set, string) = (&first[..first_len], &second[..second_len]);
    let matches = (0..count)
        .filter(|&at| matches_at(imm >> 2 & 3, set, string, count, at))
        .fold(0u32, |matches, at| matches | 1 << at);
    let all = u32::MAX >> (32 - count);
    let valid = all & !(u32::MAX << second_len);
    let matches = match imm >> 4 & 3 {
        1 => matches ^ all,
        3 => matches ^ valid,
        _ => matches,
    };
    Comparison {
        index: index(matches, count as u32, imm & 0x40 != 0),
        mask: mask(matches, count, imm & 0x40 != 0),
        flags: flags(matches, second_len < count, first_len < count),
    }
}

/// The elements in the format of `imm`, widened; bytes fill 16 places, words 8.
fn elements(value: u128, imm: u8) -> [i32; 16] {
    let (narrow, wide) = (bytes(value), words(value));
    from_fn(|at| match imm & 3 {
        0 => narrow[at] as i32,
        1 => wide[at % 8] as i32,
        2 => narrow[at] as i8 as i32,
        _ => wide[at % 8] as i16 as i32,
    })
}

fn terminated(elements: &[i32]) -> usize {
    elements.iter().position(|&element| element == 0).unwrap_or(elements.len())
}

fn saturated(length: i64, count: usize) -> usize {
    length.unsigned_abs().min(count as u64) as usize
}

/// Whether place `at` of the string matches under the aggregation of the immediate.
fn matches_at(aggregation: u8, set: &[i32], string: &[i32], count: usize, at: usize) -> bool {
    match aggregation {
        0 => string.get(at).is_some_and(|element| set.contains(element)),
        1 => string.get(at).is_some_and(|element| {
            set.as_chunks::<2>().0.iter().any(|[low, high]| low <= element && element <= high)
        }),
        2 => set.get(at) == string.get(at),
        _ => set
            .iter()
            .take(count - at)
            .enumerate()
            .all(|(offset, element)| string.get(at + offset) == Some(element)),
    }
}

fn index(matches: u32, count: u32, last: bool) -> u32 {
    match (matches, last) {
        (0, _) => count,
        (_, false) => matches.trailing_zeros(),
        (_, true) => matches.ilog2(),
    }
}

fn mask(matches: u32, count: usize, expanded: bool) -> u128 {
    let is_match = |at: usize| matches >> at & 1 == 1;
    match (expanded, count) {
        (false, _) => matches as u128,
        (true, 16) => from_bytes(from_fn(|at| if is_match(at) { u8::MAX } else { 0 })),
        (true, _) => from_words(from_fn(|at| if is_match(at) { u16::MAX } else { 0 })),
    }
}

fn flags(matches: u32, second_ends: bool, first_ends: bool) -> u64 {
    let when = |condition: bool, flag: u64| if condition { flag } else { 0 };
    when(matches != 0, CF)
        | when(second_ends, ZF)
        | when(first_ends, SF)
        | when(matches & 1 == 1, OF)
}

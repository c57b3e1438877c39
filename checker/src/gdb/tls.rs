//! Where thread-local variables are: what gdb asks a server because it depends on the library.
//!
//! The program's own block ends at the thread pointer. Blocks of libraries are found through the
//! thread's vector, by the number that the dynamic linker gives to every library that has one, in
//! the order in which it has loaded them.

use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

/// Libraries that are looked at before giving up.
const LIBRARIES_MAX: usize = 4096;
/// Members of the dynamic linker's public record of a library.
const NEXT: u64 = 24;
const PREVIOUS: u64 = 32;

/// The thread-local segment of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    addr: u64,
    size: u64,
    align: u64,
}

impl Segment {
    /// How far below the thread pointer the first block starts.
    fn first_offset(self) -> u64 {
        let mask = self.align.max(1) - 1;
        // The first byte keeps its place within the alignment.
        let odd = self.addr.wrapping_neg() & mask;
        ((self.size.wrapping_sub(odd).wrapping_add(mask)) & !mask).wrapping_add(odd)
    }
}

/// The address of a thread-local variable: its offset in the block of the library that the dynamic
/// linker's record `record` is about, zero for the program itself.
pub fn address(process: &Process, thread: ThreadId, offset: u64, record: u64) -> Option<u64> {
    let memory = &process.machine.memory;
    let pointer = process.machine.core(thread)[Reg::FsBase];
    let program = process.modules().first()?;
    let own =
        record == 0 || memory.read_u64(record).ok()? == program.bias && is_first(process, record);
    if own {
        let segment = segment(program.image.bytes())?;
        return Some(pointer.wrapping_sub(segment.first_offset()).wrapping_add(offset));
    }
    let vector = memory.read_u64(pointer.wrapping_add(8)).ok()?;
    let number = number_of(process, record)?;
    let start = memory.read_u64(vector.wrapping_add(16 * number)).ok()?;
    // All ones: not allocated yet.
    (start != u64::MAX).then(|| start.wrapping_add(offset))
}

fn is_first(process: &Process, record: u64) -> bool {
    process.machine.memory.read_u64(record.wrapping_add(PREVIOUS)).is_ok_and(|it| it == 0)
}

/// The number of a library among those with thread-local variables, from one.
fn number_of(process: &Process, record: u64) -> Option<u64> {
    let memory = &process.machine.memory;
    let member = |record: u64, at: u64| memory.read_u64(record.wrapping_add(at)).ok();
    let mut first = record;
    for _ in 0..LIBRARIES_MAX {
        match member(first, PREVIOUS)? {
            0 => break,
            previous => first = previous,
        }
    }
    let mut number = 0;
    let mut present = first;
    for _ in 0..LIBRARIES_MAX {
        let bias = member(present, 0)?;
        let module = process.modules().iter().find(|module| module.bias == bias);
        if module.is_some_and(|module| segment(module.image.bytes()).is_some()) {
            number += 1;
        }
        if present == record {
            return Some(number);
        }
        present = member(present, NEXT)?;
    }
    None
}

/// The thread-local segment of a file, from its program headers.
fn segment(file: &[u8]) -> Option<Segment> {
    const ENTRY: usize = 56;
    const TLS: u64 = 7;
    let number = |bytes: &[u8], at: usize, len: usize| {
        let bytes = bytes.get(at..at + len)?;
        Some(bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte)))
    };
    let (table, count) = (number(file, 32, 8)? as usize, number(file, 56, 2)? as usize);
    (0..count).find_map(|index| {
        let entry = file.get(table.checked_add(index * ENTRY)?..)?.get(..ENTRY)?;
        let word = |at| number(entry, at, 8);
        let (addr, size, align) = (word(16)?, word(40)?, word(48)?);
        (number(entry, 0, 4)? == TLS).then_some(Segment { addr, size, align })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_the_thread_pointer() {
        let offset = |addr, size, align| Segment { addr, size, align }.first_offset();
        assert_eq!(offset(0x1000, 4, 4), 4);
        assert_eq!(offset(0x1000, 20, 16), 32);
        assert_eq!(offset(0x1008, 8, 16), 8);
        assert_eq!(offset(0x1008, 12, 16), 24);
    }

    #[test]
    fn nonsense_has_no_segment() {
        assert_eq!(segment(&[]), None);
        assert_eq!(segment(&[0xff; 64]), None);
    }
}

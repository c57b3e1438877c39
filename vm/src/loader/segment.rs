//! Loadable segments: the PT_LOAD entries of a file, checked so that every later sum of an
//! address, offset or size is known not to overflow.
//!
//! Invariants of a returned list: at least one segment, in file order; addresses pairwise
//! disjoint; `vaddr + memsz` and `offset + filesz` do not overflow; the file holds all `filesz`
//! bytes; file offset and address agree modulo the page size; the whole spans at most
//! [`IMAGE_SPAN_MAX`](super::IMAGE_SPAN_MAX) bytes.

use goblin::elf::ProgramHeader;
use goblin::elf::program_header::{PF_R, PF_W, PF_X, PT_LOAD};

use super::error::LoadError;
use super::{ADDRESS_SPACE_END, IMAGE_SPAN_MAX, PAGE_SIZE, page_ceil, page_floor};

/// Largest alignment a segment may ask for.
const ALIGN_MAX: u64 = 1 << 30;

/// Linux maps nothing below this address for ordinary users (`mmap_min_addr`).
const ADDRESS_MIN: u64 = 0x1_0000;

/// What may be done with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Perms {
    /// May be read.
    pub read: bool,
    /// May be written.
    pub write: bool,
    /// May be executed.
    pub exec: bool,
}

impl Perms {
    /// Readable and writable, the permissions of data.
    pub const READ_WRITE: Perms = Perms { read: true, write: true, exec: false };

    /// From the `p_flags` of a program header.
    pub(super) fn from_flags(flags: u32) -> Perms {
        Perms { read: flags & PF_R != 0, write: flags & PF_W != 0, exec: flags & PF_X != 0 }
    }
}

impl std::fmt::Display for Perms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letter = |set: bool, letter: char| if set { letter } else { '-' };
        write!(f, "{}{}{}", letter(self.read, 'r'), letter(self.write, 'w'), letter(self.exec, 'x'))
    }
}

/// One PT_LOAD entry, in the file's own addresses (before any bias).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Position in the program header table.
    pub index: usize,
    /// First address.
    pub vaddr: u64,
    /// Bytes in memory; the part beyond `filesz` is zero.
    pub memsz: u64,
    /// Offset of the first byte in the file.
    pub offset: u64,
    /// Bytes taken from the file.
    pub filesz: u64,
    /// Alignment asked for.
    pub align: u64,
    /// Access rights.
    pub perms: Perms,
}

impl Segment {
    /// First address after the segment.
    pub fn end(&self) -> u64 {
        self.vaddr + self.memsz
    }

    /// Whether `address` lies in the segment.
    pub fn contains(&self, address: u64) -> bool {
        self.vaddr <= address && address < self.end()
    }
}

/// Collects and checks the loadable segments. `fixed`: the file is loaded at its own addresses.
pub(super) fn read_segments(
    headers: &[ProgramHeader],
    file_len: u64,
    fixed: bool,
    file: &str,
) -> Result<Vec<Segment>, LoadError> {
    let mut segments = Vec::new();
    for (index, header) in headers.iter().enumerate() {
        if header.p_type == PT_LOAD {
            let segment = check_segment(index, header, file_len, fixed, file)?;
            if segment.memsz > 0 {
                segments.push(segment);
            }
        }
    }
    check_together(&segments, file)?;
    Ok(segments)
}

/// Checks one segment on its own.
fn check_segment(
    index: usize,
    header: &ProgramHeader,
    file_len: u64,
    fixed: bool,
    file: &str,
) -> Result<Segment, LoadError> {
    let segment = Segment {
        index,
        vaddr: header.p_vaddr,
        memsz: header.p_memsz,
        offset: header.p_offset,
        filesz: header.p_filesz,
        align: header.p_align,
        perms: Perms::from_flags(header.p_flags),
    };
    let fault = |problem| Err(LoadError::Segment { file: file.to_string(), index, problem });
    let Segment { vaddr, memsz, offset, filesz, align, .. } = segment;
    if filesz > memsz {
        return fault(format!("{filesz:#x} bytes in the file, but only {memsz:#x} in memory"));
    }
    if align > 1 && !align.is_power_of_two() {
        return fault(format!("the alignment {align:#x} is not a power of two"));
    }
    if align > ALIGN_MAX {
        return fault(format!("the alignment {align:#x} is more than {ALIGN_MAX:#x}"));
    }
    let memory_end = vaddr.checked_add(memsz).and_then(page_ceil);
    if memory_end.is_none_or(|end| end > ADDRESS_SPACE_END) {
        return fault(format!(
            "{memsz:#x} bytes at {vaddr:#x} reach beyond the address space, which ends at \
             {ADDRESS_SPACE_END:#x}"
        ));
    }
    if offset % PAGE_SIZE != vaddr % PAGE_SIZE && filesz > 0 {
        return fault(format!(
            "file offset {offset:#x} and address {vaddr:#x} disagree modulo the page size"
        ));
    }
    if fixed && vaddr < ADDRESS_MIN && memsz > 0 {
        return fault(format!("the address {vaddr:#x} is below {ADDRESS_MIN:#x}"));
    }
    if filesz > 0 && offset.checked_add(filesz).is_none_or(|end| end > file_len) {
        let what = format!(
            "program header {index} wants {filesz:#x} bytes at offset {offset:#x}, but the file \
             has {file_len:#x}"
        );
        return Err(LoadError::Truncated { file: file.to_string(), what });
    }
    Ok(segment)
}

/// Checks the segments against each other.
fn check_together(segments: &[Segment], file: &str) -> Result<(), LoadError> {
    let mut sorted: Vec<&Segment> = segments.iter().collect();
    sorted.sort_by_key(|segment| segment.vaddr);
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Err(LoadError::NoSegments { file: file.to_string() });
    };
    for pair in sorted.windows(2) {
        if pair[1].vaddr < pair[0].end() {
            let problem = format!(
                "{:#x}..{:#x} overlaps program header {} at {:#x}..{:#x}",
                pair[1].vaddr,
                pair[1].end(),
                pair[0].index,
                pair[0].vaddr,
                pair[0].end()
            );
            let index = pair[1].index;
            return Err(LoadError::Segment { file: file.to_string(), index, problem });
        }
    }
    let span = last.end() - page_floor(first.vaddr);
    if span > IMAGE_SPAN_MAX {
        let file = file.to_string();
        return Err(LoadError::TooLarge { file, span, limit: IMAGE_SPAN_MAX });
    }
    Ok(())
}

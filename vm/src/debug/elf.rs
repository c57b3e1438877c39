//! The parts of an ELF file that debug information needs: section ranges, load segments, the TLS
//! segment, build id and debug link. Parsed with goblin's table readers, without its eager `Elf`.
//!
//! Nothing here is inflated or copied: a section is a range of the file's bytes.

use std::ops::Range;
use std::sync::Arc;

use goblin::container::{Container, Ctx, Endian};
use goblin::elf::header::{EI_CLASS, EI_DATA, ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_EXEC};
use goblin::elf::program_header::{PF_X, PT_INTERP, PT_LOAD, PT_TLS, ProgramHeader};
use goblin::elf::section_header::{SHT_NOBITS, SHT_NOTE, SectionHeader};
use goblin::elf::{Elf, Header};

use super::error::DebugError;

/// Reading context of every table: 64 bit, little endian.
pub(super) const CTX: Ctx = Ctx { container: Container::Big, le: Endian::Little };

/// One section: where its bytes are in the file and where it is loaded.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) name: Box<str>,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) addr: u64,
    pub(super) link: u32,
    /// None if the section has no bytes in the file or reaches beyond its end.
    pub(super) range: Option<Range<usize>>,
    pub(super) is_truncated: bool,
}

/// One `PT_LOAD` segment, in addresses of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) is_executable: bool,
}

/// The `PT_TLS` segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct TlsSegment {
    pub(super) addr: u64,
    pub(super) size: u64,
    pub(super) align: u64,
}

impl TlsSegment {
    /// Distance from the start of the block down from the thread pointer when the module is the
    /// first one of the static TLS area (x86-64, variant II), as ld.so computes it.
    pub(super) fn first_offset(self) -> Option<u64> {
        let align = self.align.max(1);
        if !align.is_power_of_two() {
            return None;
        }
        let first_byte = self.addr.wrapping_neg() & (align - 1);
        let body = self.size.saturating_sub(first_byte);
        body.checked_next_multiple_of(align)?.checked_add(first_byte)
    }
}

/// An ELF file's bytes with its tables read.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) bytes: Arc<[u8]>,
    pub(super) sections: Vec<Section>,
    pub(super) segments: Vec<Segment>,
    pub(super) tls: Option<TlsSegment>,
    /// True for executables, as far as their headers tell: they name a program interpreter or
    /// have a fixed address.
    pub(super) is_program: bool,
}

impl Image {
    /// Reads headers and tables; fails only if this is no ELF file of our kind.
    pub(super) fn parse(bytes: Arc<[u8]>) -> Result<Image, DebugError> {
        let not_elf = |reason: &str| DebugError::NotElf(reason.to_string());
        let header = Elf::parse_header(&bytes).map_err(|error| not_elf(&error.to_string()))?;
        if header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB {
            return Err(not_elf("not 64-bit little-endian"));
        }
        if header.e_machine != EM_X86_64 {
            return Err(not_elf(&format!("machine {}", header.e_machine)));
        }
        let headers = program_headers(&bytes, &header);
        let has_interpreter = headers.iter().any(|header| header.p_type == PT_INTERP);
        let (segments, tls) = segments(&headers);
        let sections = sections(&bytes, &header);
        let is_program = has_interpreter || header.e_type == ET_EXEC;
        Ok(Image { bytes, sections, segments, tls, is_program })
    }

    /// The section with this name.
    pub(super) fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| &*section.name == name)
    }

    /// The bytes of a section as they lie in the file; empty if it has none.
    pub(super) fn data(&self, section: &Section) -> &[u8] {
        section.range.clone().and_then(|range| self.bytes.get(range)).unwrap_or(&[])
    }

    /// True if a load segment covers this address of the file.
    pub(super) fn is_mapped(&self, addr: u64) -> bool {
        self.segments.iter().any(|segment| (segment.start..segment.end).contains(&addr))
    }

    /// True if an executable load segment covers this address of the file.
    pub(super) fn is_code(&self, addr: u64) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.is_executable && (segment.start..segment.end).contains(&addr))
    }

    /// Lowest and highest address of the load segments.
    pub(super) fn extent(&self) -> Range<u64> {
        let start = self.segments.iter().map(|segment| segment.start).min().unwrap_or(0);
        let end = self.segments.iter().map(|segment| segment.end).max().unwrap_or(0);
        start..end
    }

    /// The build id, if the linker wrote one.
    pub(super) fn build_id(&self) -> Option<&[u8]> {
        let notes = self.sections.iter().filter(|section| section.kind == SHT_NOTE);
        notes.filter_map(|section| gnu_build_id(self.data(section))).next()
    }

    /// File name and checksum of `.gnu_debuglink`.
    pub(super) fn debug_link(&self) -> Option<(&str, u32)> {
        let data = self.data(self.section(".gnu_debuglink")?);
        let length = data.iter().position(|&byte| byte == 0)?;
        let name = std::str::from_utf8(&data[..length]).ok()?;
        let checksum = data.get((length + 1).next_multiple_of(4)..)?.first_chunk::<4>()?;
        Some((name, u32::from_le_bytes(*checksum)))
    }
}

fn program_headers(bytes: &[u8], header: &Header) -> Vec<ProgramHeader> {
    let offset = usize::try_from(header.e_phoff).unwrap_or(usize::MAX);
    let count = usize::from(header.e_phnum);
    ProgramHeader::parse(bytes, offset, count, CTX).unwrap_or_default()
}

fn segments(headers: &[ProgramHeader]) -> (Vec<Segment>, Option<TlsSegment>) {
    let tls = headers.iter().find(|header| header.p_type == PT_TLS).map(|header| TlsSegment {
        addr: header.p_vaddr,
        size: header.p_memsz,
        align: header.p_align,
    });
    let loads = headers.iter().filter(|header| header.p_type == PT_LOAD);
    let segments = loads
        .map(|header| Segment {
            start: header.p_vaddr,
            end: header.p_vaddr.saturating_add(header.p_memsz),
            is_executable: header.p_flags & PF_X != 0,
        })
        .collect();
    (segments, tls)
}

fn sections(bytes: &[u8], header: &Header) -> Vec<Section> {
    let offset = usize::try_from(header.e_shoff).unwrap_or(usize::MAX);
    let count = usize::from(header.e_shnum);
    let headers = SectionHeader::parse(bytes, offset, count, CTX).unwrap_or_default();
    let names = headers.get(usize::from(header.e_shstrndx)).and_then(range_of);
    let names = names.and_then(|range| bytes.get(range)).unwrap_or(&[]);
    headers
        .iter()
        .map(|header| {
            let range = range_of(header).filter(|range| bytes.get(range.clone()).is_some());
            Section {
                name: string_at(names, header.sh_name).into(),
                kind: header.sh_type,
                flags: header.sh_flags,
                addr: header.sh_addr,
                link: header.sh_link,
                is_truncated: range.is_none() && header.sh_type != SHT_NOBITS,
                range,
            }
        })
        .collect()
}

fn range_of(header: &SectionHeader) -> Option<Range<usize>> {
    if header.sh_type == SHT_NOBITS {
        return None;
    }
    let start = usize::try_from(header.sh_offset).ok()?;
    let end = start.checked_add(usize::try_from(header.sh_size).ok()?)?;
    Some(start..end)
}

/// The string at an offset of a section-name table; section names are short.
fn string_at(table: &[u8], offset: usize) -> &str {
    const LONGEST: usize = 256;
    let tail = table.get(offset..).unwrap_or(&[]);
    let tail = &tail[..tail.len().min(LONGEST)];
    let length = tail.iter().position(|&byte| byte == 0).unwrap_or(0);
    std::str::from_utf8(&tail[..length]).unwrap_or("")
}

/// Finds the `NT_GNU_BUILD_ID` note in a note section.
fn gnu_build_id(mut notes: &[u8]) -> Option<&[u8]> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let word = |index: usize| {
            let bytes = notes.get(index * 4..)?.first_chunk::<4>()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let (name_size, size, kind) = (word(0)? as usize, word(1)? as usize, word(2)?);
        let start = 12 + name_size.checked_next_multiple_of(4)?;
        let end = start.checked_add(size)?;
        let content = notes.get(start..end)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..16) == Some(b"GNU\0") {
            return Some(content);
        }
        notes = notes.get(end.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_tls_offset_follows_the_variant_two_rule() {
        let offset = |addr, size, align| TlsSegment { addr, size, align }.first_offset();
        assert_eq!(offset(0x1000, 4, 4), Some(4));
        assert_eq!(offset(0x1000, 5, 8), Some(8));
        assert_eq!(offset(0x1000, 0x68, 64), Some(128));
        // An image that starts 8 bytes into its alignment unit.
        assert_eq!(offset(0x1038, 8, 64), Some(8));
        assert_eq!(offset(0, 4, 3), None);
        assert_eq!(offset(0, u64::MAX, 4096), None);
    }

    #[test]
    fn build_id_survives_garbage() {
        assert_eq!(gnu_build_id(&[]), None);
        assert_eq!(gnu_build_id(&[0xff; 64]), None);
        let mut note = vec![4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
        note.extend_from_slice(b"GNU\0\xab\xcd");
        assert_eq!(gnu_build_id(&note), Some(&[0xab, 0xcd][..]));
    }
}

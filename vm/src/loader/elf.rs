//! Bounded access to the raw tables of an ELF file, on top of goblin's record types.
//!
//! goblin's own eager parse is not used: it reads tables a loader does not need, and a fault in
//! one of them (a stripped section table, say) would refuse a program that Linux runs. Here every
//! table is first cut out of the file with a checked slice, and only then decoded, so no count in
//! the file can cause an allocation larger than the file, or a read outside it.

use goblin::container::{Container, Ctx};
use goblin::elf::header::{self, Header};
use goblin::elf::{ProgramHeader, SectionHeader};

use super::error::LoadError;

/// Most program headers a file may have; Linux refuses tables over 64 KiB.
const PROGRAM_HEADERS_MAX: usize = 65536 / 56;

/// Size of one 64-bit program header.
pub(super) const PROGRAM_HEADER_SIZE: u64 = 56;

/// Size of one 64-bit section header.
const SECTION_HEADER_SIZE: u64 = 64;

/// The reading context of every file that passed [`read_header`].
pub(super) fn context() -> Ctx {
    Ctx::new(Container::Big, goblin::container::Endian::Little)
}

/// `len` bytes from `offset`, or `None` if they are not all there.
pub(super) fn slice(bytes: &[u8], offset: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(len)?).ok()?;
    bytes.get(start..end)
}

/// The zero-terminated string at `offset`, if it ends within `len_max` bytes.
pub(super) fn c_string(bytes: &[u8], offset: u64, len_max: usize) -> Option<&[u8]> {
    let tail = bytes.get(usize::try_from(offset).ok()?..)?;
    let window = &tail[..tail.len().min(len_max.saturating_add(1))];
    let end = window.iter().position(|&byte| byte == 0)?;
    Some(&window[..end])
}

/// A little-endian 32-bit number at `offset`.
pub(super) fn u32_at(bytes: &[u8], offset: u64) -> Option<u32> {
    let word = slice(bytes, offset, 4)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

/// Reads and judges the file header: an x86-64 executable or shared object.
pub(super) fn read_header(bytes: &[u8], file: &str) -> Result<Header, LoadError> {
    let file = file.to_string();
    if bytes.is_empty() {
        return Err(LoadError::Empty { file });
    }
    if bytes.starts_with(b"#!") {
        return Err(LoadError::Script { file, interpreter: script_interpreter(bytes) });
    }
    if !bytes.starts_with(header::ELFMAG) {
        return Err(LoadError::NotElf { file });
    }
    let Some(ident) = bytes.get(..20) else {
        return Err(LoadError::Truncated { file, what: "the ELF header is cut off".to_string() });
    };
    let big_endian = ident[header::EI_DATA] == header::ELFDATA2MSB;
    let half = |at: usize| {
        let pair = [ident[at], ident[at + 1]];
        if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    };
    let machine = machine_name(half(18));
    match ident[header::EI_CLASS] {
        header::ELFCLASS64 => {}
        header::ELFCLASS32 => return Err(LoadError::Bits32 { file, machine }),
        class => return Err(LoadError::Header { file, problem: format!("class {class}") }),
    }
    match ident[header::EI_DATA] {
        header::ELFDATA2LSB => {}
        header::ELFDATA2MSB => return Err(LoadError::BigEndian { file, machine }),
        order => return Err(LoadError::Header { file, problem: format!("byte order {order}") }),
    }
    if half(18) != header::EM_X86_64 {
        return Err(LoadError::WrongMachine { file, machine });
    }
    match half(16) {
        header::ET_EXEC | header::ET_DYN => {}
        header::ET_REL => return Err(LoadError::Relocatable { file }),
        header::ET_CORE => return Err(LoadError::CoreFile { file }),
        other => return Err(LoadError::Header { file, problem: format!("file type {other:#x}") }),
    }
    goblin::elf::Elf::parse_header(bytes)
        .map_err(|_| LoadError::Truncated { file, what: "the ELF header is cut off".to_string() })
}

/// Reads the program header table.
pub(super) fn read_program_headers(
    bytes: &[u8],
    header: &Header,
    file: &str,
) -> Result<Vec<ProgramHeader>, LoadError> {
    let count = usize::from(header.e_phnum);
    if count == 0 {
        return Err(LoadError::NoSegments { file: file.to_string() });
    }
    if u64::from(header.e_phentsize) != PROGRAM_HEADER_SIZE || count > PROGRAM_HEADERS_MAX {
        let problem = format!("{count} program headers of {} bytes", header.e_phentsize);
        return Err(LoadError::Header { file: file.to_string(), problem });
    }
    let truncated = || LoadError::Truncated {
        file: file.to_string(),
        what: format!("the {count} program headers at offset {:#x} are cut off", header.e_phoff),
    };
    let table = slice(bytes, header.e_phoff, count as u64 * PROGRAM_HEADER_SIZE);
    let table = table.ok_or_else(truncated)?;
    ProgramHeader::parse(table, 0, count, context()).map_err(|_| truncated())
}

/// Reads the section header table. Programs run without one, so any fault gives an empty table.
pub(super) fn read_section_headers(bytes: &[u8], header: &Header) -> Vec<SectionHeader> {
    let entry_size = u64::from(header.e_shentsize);
    if header.e_shoff == 0 || header.e_shnum == 0 || entry_size != SECTION_HEADER_SIZE {
        return Vec::new();
    }
    let count = usize::from(header.e_shnum);
    let table = slice(bytes, header.e_shoff, count as u64 * SECTION_HEADER_SIZE);
    let Some(table) = table else { return Vec::new() };
    SectionHeader::parse_from(table, 0, count, context()).unwrap_or_default()
}

/// What stands behind `#!`, shortened to something printable.
fn script_interpreter(bytes: &[u8]) -> String {
    let line = bytes[2..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = &line[..line.len().min(128)];
    let text: String =
        String::from_utf8_lossy(line).trim().chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() { "an unnamed interpreter".to_string() } else { text }
}

/// The usual name of a machine number.
fn machine_name(machine: u16) -> String {
    let name = match machine {
        header::EM_386 => "i386",
        header::EM_X86_64 => "x86-64",
        header::EM_ARM => "ARM",
        header::EM_AARCH64 => "AArch64",
        header::EM_RISCV => "RISC-V",
        header::EM_MIPS => "MIPS",
        header::EM_PPC => "PowerPC",
        header::EM_PPC64 => "PowerPC64",
        header::EM_S390 => "s390",
        header::EM_SPARC => "SPARC",
        header::EM_SPARCV9 => "SPARC V9",
        header::EM_IA_64 => "Itanium",
        header::EM_68K => "m68k",
        header::EM_SH => "SuperH",
        header::EM_BPF => "BPF",
        258 => "LoongArch",
        other => return format!("machine number {other}"),
    };
    name.to_string()
}

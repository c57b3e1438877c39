//! One ELF file, checked and understood: what a loader needs to know about it.
//!
//! An `Image` keeps the file's bytes and gives views into them; symbols and relocations are read
//! when asked for. All addresses are the file's own; [`plan`](super::plan) adds the bias.

use std::ops::Range;
use std::sync::Arc;

use goblin::elf::header::ET_EXEC;
use goblin::elf::note::NoteDataIterator;
use goblin::elf::program_header::{PT_GNU_STACK, PT_INTERP, PT_NOTE, PT_TLS};
use goblin::elf::reloc::{
    R_X86_64_COPY, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE,
};
use goblin::elf::section_header::{SHF_EXECINSTR, SHT_FINI_ARRAY, SHT_INIT_ARRAY, SHT_STRTAB};
use goblin::elf::{ProgramHeader, SectionHeader};

use super::dynamic::{DynamicInfo, bytes_at, read_dynamic};
use super::elf;
use super::error::LoadError;
use super::segment::{Perms, Segment, read_segments};
use super::symbol::{SYMBOL_SIZE, Symbol, SymbolBinding, SymbolSource, relocations};

/// Longest path of an interpreter (PATH_MAX of Linux).
const INTERPRETER_LEN_MAX: u64 = 4096;

/// Type of the note that holds the build identifier.
const NT_GNU_BUILD_ID: u32 = 3;

/// What sort of file an image is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// Linked at fixed addresses, without shared libraries.
    StaticExec,
    /// Loadable anywhere, without shared libraries; relocates itself.
    StaticPie,
    /// Linked at fixed addresses, with shared libraries.
    DynamicExec,
    /// Loadable anywhere, with shared libraries.
    DynamicPie,
    /// A library (the dynamic linker is one, too).
    SharedLibrary,
}

impl std::fmt::Display for ImageKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ImageKind::StaticExec => "static executable",
            ImageKind::StaticPie => "static position-independent executable",
            ImageKind::DynamicExec => "dynamic executable",
            ImageKind::DynamicPie => "dynamic position-independent executable",
            ImageKind::SharedLibrary => "shared library",
        })
    }
}

/// The template of each thread's own variables (PT_TLS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TlsSegment {
    /// Address of the initial values.
    pub vaddr: u64,
    /// Bytes of initial values.
    pub filesz: u64,
    /// Bytes in each thread; the rest is zero.
    pub memsz: u64,
    /// Alignment.
    pub align: u64,
}

/// How many relocations of each sort the file asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RelocationSummary {
    /// Bias added to a word.
    pub relative: usize,
    /// Bytes of packed relative relocations (DT_RELR).
    pub packed_bytes: u64,
    /// Address of a symbol stored in the global offset table.
    pub global_data: usize,
    /// Address of a function stored in the procedure linkage table.
    pub jump_slot: usize,
    /// Address returned by a function called at start-up.
    pub indirect: usize,
    /// A library's variable copied into the program.
    pub copy: usize,
    /// All others.
    pub other: usize,
}

/// A checked ELF file.
#[derive(Clone)]
pub struct Image {
    name: String,
    bytes: Arc<[u8]>,
    kind: ImageKind,
    fixed: bool,
    entry: u64,
    segments: Vec<Segment>,
    sections: Vec<SectionHeader>,
    program_headers: (u64, usize),
    notes: Vec<ProgramHeader>,
    interpreter: Option<String>,
    tls: Option<TlsSegment>,
    stack: Option<Perms>,
    dynamic: DynamicInfo,
}

impl Image {
    /// Checks `bytes` and reads what a loader needs. `name` is used in messages.
    pub fn parse(bytes: impl Into<Arc<[u8]>>, name: &str) -> Result<Image, LoadError> {
        let bytes: Arc<[u8]> = bytes.into();
        let header = elf::read_header(&bytes, name)?;
        let headers = elf::read_program_headers(&bytes, &header, name)?;
        let fixed = header.e_type == ET_EXEC;
        let segments = read_segments(&headers, bytes.len() as u64, fixed, name)?;
        let dynamic = read_dynamic(&bytes, &headers, &segments, name)?;
        let interpreter = read_interpreter(&bytes, &headers, name)?;
        let find = |kind: u32| headers.iter().find(|header| header.p_type == kind);
        let mut image = Image {
            name: name.to_string(),
            kind: ImageKind::SharedLibrary,
            fixed,
            entry: header.e_entry,
            sections: elf::read_section_headers(&bytes, &header),
            program_headers: (header.e_phoff, headers.len()),
            notes: headers.iter().filter(|header| header.p_type == PT_NOTE).cloned().collect(),
            interpreter,
            tls: find(PT_TLS).map(|header| TlsSegment {
                vaddr: header.p_vaddr,
                filesz: header.p_filesz,
                memsz: header.p_memsz,
                align: header.p_align,
            }),
            stack: find(PT_GNU_STACK).map(|header| Perms::from_flags(header.p_flags)),
            segments,
            dynamic,
            bytes,
        };
        image.kind = classify(&image);
        if image.kind != ImageKind::SharedLibrary && !image.entry_is_executable() {
            return Err(LoadError::Entry { file: image.name, entry: image.entry });
        }
        Ok(image)
    }

    /// The name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole file.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// What sort of file it is.
    pub fn kind(&self) -> ImageKind {
        self.kind
    }

    /// Whether it is loaded at its own addresses, without a bias.
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Address of the first instruction; zero in most libraries.
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// Whether the entry point lies in an executable segment.
    pub fn entry_is_executable(&self) -> bool {
        self.segments.iter().any(|segment| segment.perms.exec && segment.contains(self.entry))
    }

    /// The loadable segments, in file order; never empty.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Lowest and highest address of the segments (the end is exclusive).
    pub fn span(&self) -> Range<u64> {
        let start = self.segments.iter().map(|segment| segment.vaddr).min().unwrap_or(0);
        let end = self.segments.iter().map(Segment::end).max().unwrap_or(0);
        start..end
    }

    /// Path of the dynamic linker (PT_INTERP).
    pub fn interpreter(&self) -> Option<&str> {
        self.interpreter.as_deref()
    }

    /// The template of thread-local variables.
    pub fn tls(&self) -> Option<TlsSegment> {
        self.tls
    }

    /// Access rights of the stack as the file asks for them (PT_GNU_STACK), if it does.
    pub fn stack_perms(&self) -> Option<Perms> {
        self.stack
    }

    /// Address at which the program headers are loaded, if they are.
    pub fn program_headers_address(&self) -> Option<u64> {
        let (offset, _) = self.program_headers;
        let segment =
            self.segments.iter().find(|s| s.offset <= offset && offset - s.offset < s.filesz)?;
        Some(segment.vaddr + (offset - segment.offset))
    }

    /// Number of program headers.
    pub fn program_headers_count(&self) -> usize {
        self.program_headers.1
    }

    /// Size of one program header.
    pub fn program_header_size(&self) -> u64 {
        elf::PROGRAM_HEADER_SIZE
    }

    /// What the dynamic section says.
    pub fn dynamic(&self) -> &DynamicInfo {
        &self.dynamic
    }

    /// The bytes that are loaded from the file at `vaddr`, up to the end of the segment's part of
    /// the file.
    pub fn bytes_at(&self, vaddr: u64) -> Option<&[u8]> {
        bytes_at(&self.bytes, &self.segments, vaddr)
    }

    /// The dynamic symbol table: what is imported and exported.
    pub fn dynamic_symbols(&self) -> impl Iterator<Item = Symbol<'_>> {
        let tables = &self.dynamic.tables;
        SymbolSource::dynamic(&self.bytes, &self.segments, &self.sections, tables).iter()
    }

    /// The full symbol table; empty in a stripped file.
    pub fn full_symbols(&self) -> impl Iterator<Item = Symbol<'_>> {
        SymbolSource::full(&self.bytes, &self.sections).iter()
    }

    /// Symbols defined elsewhere, which the dynamic linker must find.
    pub fn imports(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.dynamic_symbols().filter(|symbol| !symbol.defined)
    }

    /// Imports that need not be found, each with the address of its entry in the dynamic symbol
    /// table.
    pub fn weak_imports(&self) -> impl Iterator<Item = (u64, Symbol<'_>)> {
        let tables = &self.dynamic.tables;
        let table = tables.symbols.unwrap_or_default();
        SymbolSource::dynamic(&self.bytes, &self.segments, &self.sections, tables)
            .numbered()
            .filter(|(_, symbol)| !symbol.defined && symbol.binding == SymbolBinding::Weak)
            .map(move |(index, symbol)| (table + index as u64 * SYMBOL_SIZE, symbol))
    }

    /// Functions defined here, from both tables; one that is in both appears twice.
    pub fn functions(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.dynamic_symbols().chain(self.full_symbols()).filter(Symbol::is_function)
    }

    /// Addresses of the constructors' table, from the dynamic section or the section headers.
    pub fn init_array(&self) -> Option<Range<u64>> {
        self.dynamic.init_array.clone().or_else(|| self.section_range(SHT_INIT_ARRAY))
    }

    /// Addresses of the destructors' table, from the dynamic section or the section headers.
    pub fn fini_array(&self) -> Option<Range<u64>> {
        self.dynamic.fini_array.clone().or_else(|| self.section_range(SHT_FINI_ARRAY))
    }

    /// Addresses of code: of the executable sections, or of whole segments if there is no section
    /// table. Disjoint and ascending.
    pub fn code_ranges(&self) -> Vec<Range<u64>> {
        let executable = |section: &&SectionHeader| {
            section.sh_flags & u64::from(SHF_EXECINSTR) != 0 && section.sh_addr != 0
        };
        let sections = self.sections.iter().filter(executable);
        let mut ranges: Vec<Range<u64>> =
            sections.filter_map(|s| Some(s.sh_addr..s.sh_addr.checked_add(s.sh_size)?)).collect();
        if ranges.is_empty() {
            let segments = self.segments.iter().filter(|segment| segment.perms.exec);
            ranges = segments.map(|s| s.vaddr..s.vaddr + s.filesz).collect();
        }
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut covered = 0;
        for range in &mut ranges {
            range.start = range.start.max(covered);
            covered = covered.max(range.end);
        }
        ranges.retain(|range| !range.is_empty());
        ranges
    }

    /// Counts the relocations by sort.
    pub fn relocations(&self) -> RelocationSummary {
        let tables = &self.dynamic.tables;
        let mut summary = RelocationSummary {
            packed_bytes: tables.relr.map_or(0, |(_, size)| size),
            ..RelocationSummary::default()
        };
        for range in [tables.rela, tables.plt] {
            let Some(table) = relocations(&self.bytes, &self.segments, range) else { continue };
            for relocation in table.iter() {
                *match relocation.r_type {
                    R_X86_64_RELATIVE => &mut summary.relative,
                    R_X86_64_GLOB_DAT => &mut summary.global_data,
                    R_X86_64_JUMP_SLOT => &mut summary.jump_slot,
                    R_X86_64_IRELATIVE => &mut summary.indirect,
                    R_X86_64_COPY => &mut summary.copy,
                    _ => &mut summary.other,
                } += 1;
            }
        }
        summary
    }

    /// The identifier that links a program to its separate debug information.
    pub fn build_id(&self) -> Option<&[u8]> {
        self.notes.iter().find_map(|header| {
            let data = elf::slice(&self.bytes, header.p_offset, header.p_filesz)?;
            let align = if header.p_align == 8 { 8 } else { 4 };
            let ctx = (align, elf::context());
            let mut notes = NoteDataIterator { data, size: data.len(), offset: 0, ctx };
            let note = notes.find_map(|note| {
                let note = note.ok()?;
                (note.n_type == NT_GNU_BUILD_ID && note.name == "GNU").then_some(note.desc)
            });
            note.filter(|id| !id.is_empty() && id.len() <= 64)
        })
    }

    /// The addresses of a section by its name; a stripped section table has none.
    pub fn section_named(&self, wanted: &str) -> Option<Range<u64>> {
        let name = |strings: &SectionHeader, section: &SectionHeader| {
            let at = strings.sh_offset.checked_add(u64::try_from(section.sh_name).ok()?)?;
            let rest = self.bytes.get(usize::try_from(at).ok()?..)?;
            let end = rest.iter().take(64).position(|&byte| byte == 0)?;
            Some(&rest[..end])
        };
        // The table of names holds its own.
        let is_names = |one: &&SectionHeader| {
            one.sh_type == SHT_STRTAB && name(one, one) == Some(b".shstrtab".as_slice())
        };
        let strings = self.sections.iter().find(is_names)?;
        let is_wanted = |one: &&SectionHeader| name(strings, one) == Some(wanted.as_bytes());
        let section = self.sections.iter().find(is_wanted)?;
        Some(section.sh_addr..section.sh_addr.checked_add(section.sh_size)?)
    }

    /// The addresses of the first section of a type.
    fn section_range(&self, kind: u32) -> Option<Range<u64>> {
        let section = self.sections.iter().find(|section| section.sh_type == kind)?;
        Some(section.sh_addr..section.sh_addr.checked_add(section.sh_size)?)
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("entry", &format_args!("{:#x}", self.entry))
            .field("segments", &self.segments)
            .finish_non_exhaustive()
    }
}

/// Tells programs from libraries: both may be of type ET_DYN. Only newer linkers mark programs
/// (DF_1_PIE); before that, a library is known by its name, its needs or its exports.
fn classify(image: &Image) -> ImageKind {
    let dynamic = &image.dynamic;
    let interpreter = image.interpreter.is_some();
    let exports = || image.dynamic_symbols().any(|symbol| symbol.defined);
    let library = || {
        dynamic.soname.is_some()
            || image.entry == 0
            || !interpreter && (!dynamic.needed.is_empty() || exports())
    };
    match (image.fixed, interpreter) {
        (true, true) => ImageKind::DynamicExec,
        (true, false) => ImageKind::StaticExec,
        (false, _) if !dynamic.pie && library() => ImageKind::SharedLibrary,
        (false, true) => ImageKind::DynamicPie,
        (false, false) => ImageKind::StaticPie,
    }
}

/// The path in PT_INTERP.
fn read_interpreter(
    bytes: &[u8],
    headers: &[ProgramHeader],
    file: &str,
) -> Result<Option<String>, LoadError> {
    let Some(header) = headers.iter().find(|header| header.p_type == PT_INTERP) else {
        return Ok(None);
    };
    let fault = |problem: &str| {
        Err(LoadError::Dynamic { file: file.to_string(), problem: problem.to_string() })
    };
    if !(2..=INTERPRETER_LEN_MAX).contains(&header.p_filesz) {
        return fault("the dynamic linker's name has an impossible length");
    }
    let Some(path) = elf::slice(bytes, header.p_offset, header.p_filesz) else {
        return fault("the dynamic linker's name lies outside the file");
    };
    let Some((0, path)) = path.split_last() else {
        return fault("the dynamic linker's name does not end with a zero byte");
    };
    let path = path.split(|&byte| byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(path) {
        Ok(path) if !path.is_empty() && !path.contains(char::is_control) => {
            Ok(Some(path.to_string()))
        }
        _ => fault("the dynamic linker's name is not readable"),
    }
}

//! Symbols as the file lists them: the dynamic table and, unless stripped, the full one.
//!
//! Reading is lenient: symbols are not needed to run a program, so entries that make no sense
//! are passed over, and a broken table is an empty one. Names that are not UTF-8 are left out.
//! Cost: one pass over the table; the names together may not exceed a small multiple of the
//! file, so that overlapping names cannot make the pass quadratic.

use goblin::elf::SectionHeader;
use goblin::elf::reloc::RelocSection;
use goblin::elf::section_header::{SHN_UNDEF, SHT_DYNSYM, SHT_SYMTAB};
use goblin::elf::sym::{self, Sym, Symtab};

use super::dynamic::{Tables, bytes_at, string_table};
use super::elf::{c_string, context, slice, u32_at};
use super::segment::Segment;

/// Size of one 64-bit symbol.
pub(super) const SYMBOL_SIZE: u64 = 24;

/// The bit of a version index that marks a version which new programs do not link to.
const VERSION_HIDDEN: u16 = 0x8000;

/// What a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A function that, called at start-up, returns the address of the real one.
    IndirectFunction,
    /// A variable.
    Object,
    /// A thread-local variable; its value is an offset in the thread-local segment.
    ThreadLocal,
    /// Nothing particular: hand-written assembly often leaves it so.
    Untyped,
    /// A section or a source file.
    Other,
}

/// How far a symbol is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolBinding {
    /// Within its object file.
    Local,
    /// Everywhere.
    Global,
    /// Everywhere, but yields to a global one.
    Weak,
}

/// One symbol of one file, in the file's own addresses (before any bias).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// The name, without a version.
    pub name: &'a str,
    /// Address, or offset for a thread-local one; zero if undefined.
    pub value: u64,
    /// Bytes covered; zero if unknown.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// How far it is visible.
    pub binding: SymbolBinding,
    /// Defined in this file, not imported.
    pub defined: bool,
    /// Its value is an address in this file (not absolute, common or thread-local).
    pub addressed: bool,
    /// False for a version kept only for old programs (`name@VERSION` with a single `@`).
    pub default_version: bool,
}

impl Symbol<'_> {
    /// A function defined in this file.
    pub fn is_function(&self) -> bool {
        let function = matches!(self.kind, SymbolKind::Function | SymbolKind::IndirectFunction);
        function && self.addressed
    }
}

/// A symbol table cut out of the file.
#[derive(Clone, Copy, Default)]
pub(super) struct SymbolSource<'a> {
    entries: &'a [u8],
    strings: &'a [u8],
    versions: &'a [u8],
}

impl<'a> SymbolSource<'a> {
    /// The full symbol table, found through the section headers.
    pub(super) fn full(bytes: &'a [u8], sections: &[SectionHeader]) -> SymbolSource<'a> {
        let found = || {
            let section = sections.iter().find(|section| section.sh_type == SHT_SYMTAB)?;
            let strings = sections.get(usize::try_from(section.sh_link).ok()?)?;
            Some(SymbolSource {
                entries: slice(bytes, section.sh_offset, section.sh_size)?,
                strings: slice(bytes, strings.sh_offset, strings.sh_size)?,
                versions: &[],
            })
        };
        found().unwrap_or_default()
    }

    /// The dynamic symbol table, found through the dynamic section.
    pub(super) fn dynamic(
        bytes: &'a [u8],
        segments: &[Segment],
        sections: &[SectionHeader],
        tables: &Tables,
    ) -> SymbolSource<'a> {
        let found = || {
            let at = tables.symbols?;
            let table = bytes_at(bytes, segments, at)?;
            let count = dynamic_count(bytes, segments, sections, tables, at);
            let count = count.min(table.len() as u64 / SYMBOL_SIZE);
            let versions = tables.versions.and_then(|at| bytes_at(bytes, segments, at));
            Some(SymbolSource {
                entries: slice(table, 0, count * SYMBOL_SIZE)?,
                strings: string_table(bytes, segments, tables)?,
                versions: versions.unwrap_or_default(),
            })
        };
        found().unwrap_or_default()
    }

    /// All symbols with a name, in table order.
    pub(super) fn iter(self) -> impl Iterator<Item = Symbol<'a>> {
        self.numbered().map(|(_, symbol)| symbol)
    }

    /// The same with their places in the table.
    pub(super) fn numbered(self) -> impl Iterator<Item = (usize, Symbol<'a>)> {
        let count = self.entries.len() / SYMBOL_SIZE as usize;
        let table = Symtab::parse(self.entries, 0, count, context()).unwrap_or_default();
        // Up to its last zero byte, so that looking for the end of a name always succeeds.
        let strings_len = self.strings.iter().rposition(|&byte| byte == 0).map_or(0, |at| at + 1);
        let strings = &self.strings[..strings_len];
        let mut budget = (self.strings.len() + self.entries.len()).saturating_mul(16);
        let symbols = (0..count).map_while(move |index| {
            let entry = table.get(index)?;
            let name = c_string(strings, entry.st_name as u64, usize::MAX).unwrap_or_default();
            budget = budget.checked_sub(name.len())?;
            Some(self.symbol(index, name, &entry).map(|symbol| (index, symbol)))
        });
        symbols.flatten()
    }

    /// Decodes one entry.
    fn symbol(self, index: usize, name: &'a [u8], entry: &Sym) -> Option<Symbol<'a>> {
        let name = std::str::from_utf8(name).ok()?;
        let (bare, version) = name.split_once('@').unwrap_or((name, "@"));
        if bare.is_empty() {
            return None;
        }
        let kind = match entry.st_type() {
            sym::STT_FUNC => SymbolKind::Function,
            sym::STT_GNU_IFUNC => SymbolKind::IndirectFunction,
            sym::STT_OBJECT | sym::STT_COMMON => SymbolKind::Object,
            sym::STT_TLS => SymbolKind::ThreadLocal,
            sym::STT_NOTYPE => SymbolKind::Untyped,
            _ => SymbolKind::Other,
        };
        let binding = match entry.st_bind() {
            sym::STB_LOCAL => SymbolBinding::Local,
            sym::STB_WEAK => SymbolBinding::Weak,
            _ => SymbolBinding::Global,
        };
        // Section numbers from 0xff00 up are absolute, common and the like.
        let section = entry.st_shndx;
        let defined = section != SHN_UNDEF as usize;
        let in_section = defined && (section < 0xff00 || section == 0xffff);
        Some(Symbol {
            name: bare,
            value: entry.st_value,
            size: entry.st_size,
            kind,
            binding,
            defined,
            addressed: in_section && kind != SymbolKind::ThreadLocal,
            default_version: version.starts_with('@') && !self.version_hidden(index),
        })
    }

    /// Whether the version table hides the symbol from new programs.
    fn version_hidden(self, index: usize) -> bool {
        let pair = self.versions.get(index * 2..index * 2 + 2);
        pair.is_some_and(|pair| u16::from_le_bytes([pair[0], pair[1]]) & VERSION_HIDDEN != 0)
    }
}

/// How many symbols the dynamic table has. No field says so; the section table does if it is
/// there, then the hash tables, then the relocations that refer to symbols.
fn dynamic_count(
    bytes: &[u8],
    segments: &[Segment],
    sections: &[SectionHeader],
    tables: &Tables,
    at: u64,
) -> u64 {
    let section = sections.iter().find(|s| s.sh_type == SHT_DYNSYM && s.sh_addr == at);
    if let Some(section) = section {
        return section.sh_size / SYMBOL_SIZE;
    }
    let table = |at: Option<u64>| at.and_then(|at| bytes_at(bytes, segments, at));
    // DT_HASH: the number of chains is the number of symbols.
    let hashed = table(tables.hash).and_then(|hash| u32_at(hash, 4)).map(u64::from);
    let gnu = || table(tables.gnu_hash).and_then(gnu_hash_count);
    let referred = || {
        let highest = |range: Option<(u64, u64)>| {
            let relocations = relocations(bytes, segments, range)?;
            relocations.iter().map(|relocation| relocation.r_sym as u64 + 1).max()
        };
        highest(tables.rela).max(highest(tables.plt)).unwrap_or(0)
    };
    hashed.unwrap_or_else(|| gnu().unwrap_or(0).max(referred()))
}

/// A relocation table with addends, cut out of the file.
pub(super) fn relocations<'a>(
    bytes: &'a [u8],
    segments: &[Segment],
    range: Option<(u64, u64)>,
) -> Option<RelocSection<'a>> {
    let (at, size) = range?;
    let table = slice(bytes_at(bytes, segments, at)?, 0, size)?;
    RelocSection::parse(table, 0, table.len(), true, context()).ok()
}

/// The number of symbols a GNU hash table reaches: the end of the chain of its highest bucket.
fn gnu_hash_count(hash: &[u8]) -> Option<u64> {
    let buckets = u64::from(u32_at(hash, 0)?);
    let first = u64::from(u32_at(hash, 4)?);
    let bloom_words = u64::from(u32_at(hash, 8)?);
    let bucket_start = 16 + bloom_words * 8;
    let table = slice(hash, bucket_start, buckets * 4)?;
    let bucket = |word: &[u8]| u32_at(word, 0).unwrap_or(0);
    let highest = u64::from(table.chunks_exact(4).map(bucket).max()?);
    if highest < first {
        return Some(first);
    }
    let chain_start = bucket_start + buckets * 4;
    let mut index = highest;
    loop {
        let word = u32_at(hash, chain_start + (index - first) * 4)?;
        index += 1;
        if word & 1 != 0 {
            return Some(index);
        }
    }
}

//! The ELF symbol tables (`.symtab` and `.dynsym`) as sorted indexes: what `locate` and
//! `name_of_data` fall back to when there is no DWARF, and where imported names are defined.
//!
//! Addresses are addresses of the file (no load bias). Aliases at one address are ranked, so that
//! the name people know wins (`pthread_mutex_lock` over `___pthread_mutex_lock`).

use std::collections::HashMap;

use goblin::elf::section_header::{SHN_UNDEF, SHT_DYNSYM, SHT_SYMTAB};
use goblin::elf::sym::{
    STB_GLOBAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT, STT_TLS, Symtab,
};

use super::elf::{CTX, Image};
use super::fuel::Fuel;

/// Longer names are cut.
const NAME_MAX: usize = 4096;
/// How many symbols before the nearest one may still cover an address.
const OVERLAP_MAX: usize = 32;

/// What a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A function (or an indirect function's resolver).
    Function,
    /// A variable.
    Object,
    /// A thread-local variable; the address is an offset in the module's TLS block.
    ThreadLocal,
    /// A label without a type, as in hand-written assembly.
    Label,
}

/// A defined symbol of an ELF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name as in the file, without a version suffix.
    pub name: Box<str>,
    /// Address of the file.
    pub addr: u64,
    /// Size in bytes; 0 if unknown.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// True for symbols that other files can see.
    pub is_global: bool,
}

/// All symbols of a module.
#[derive(Debug, Default)]
pub(super) struct SymbolTable {
    /// Sorted by kind, then address, then rank (best name first).
    symbols: Vec<Symbol>,
    by_name: HashMap<Box<str>, Vec<u32>>,
}

impl SymbolTable {
    /// Reads the tables of the program and of its separate debug file.
    pub(super) fn load(images: &[&Image], fuel: &Fuel) -> SymbolTable {
        let mut symbols = Vec::new();
        for image in images {
            read_tables(image, fuel, &mut symbols);
        }
        symbols.sort_by(|a, b| {
            (a.kind, a.addr, rank(a), &a.name).cmp(&(b.kind, b.addr, rank(b), &b.name))
        });
        symbols.dedup_by(|b, a| a.kind == b.kind && a.addr == b.addr && a.name == b.name);
        let mut by_name: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        for (index, symbol) in symbols.iter().enumerate() {
            by_name.entry(symbol.name.clone()).or_default().push(index as u32);
        }
        SymbolTable { symbols, by_name }
    }

    /// The best symbol that covers an address; a symbol without a size reaches to the next one.
    pub(super) fn covering(&self, kind: SymbolKind, addr: u64) -> Option<&Symbol> {
        let after =
            self.symbols.partition_point(|symbol| (symbol.kind, symbol.addr) <= (kind, addr));
        let before = &self.symbols[after.saturating_sub(OVERLAP_MAX)..after];
        let covers = |symbol: &&Symbol| symbol.kind == kind && addr - symbol.addr < symbol.size;
        let nearest = before.iter().rev().find(covers);
        let nearest = nearest
            .or_else(|| before.last().filter(|symbol| symbol.kind == kind && symbol.size == 0))?;
        // The best-ranked name among those at the same address.
        let first = self
            .symbols
            .partition_point(|symbol| (symbol.kind, symbol.addr) < (kind, nearest.addr));
        let same = self.symbols[first..]
            .iter()
            .take_while(|symbol| symbol.kind == kind && symbol.addr == nearest.addr);
        same.take(OVERLAP_MAX).find(|symbol| symbol.size >= nearest.size).or(Some(nearest))
    }

    /// All symbols of a kind, in address order.
    pub(super) fn of_kind(&self, kind: SymbolKind) -> &[Symbol] {
        let start = self.symbols.partition_point(|symbol| symbol.kind < kind);
        let end = self.symbols.partition_point(|symbol| symbol.kind <= kind);
        &self.symbols[start..end]
    }

    /// The symbols with this exact name.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Symbol> {
        let indexes = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        indexes.iter().filter_map(|&index| self.symbols.get(index as usize))
    }
}

/// Sort key of aliases: global before local, few leading underscores, sized before unsized.
fn rank(symbol: &Symbol) -> (bool, usize, bool) {
    let underscores = symbol.name.bytes().take_while(|&byte| byte == b'_').count();
    // Mangled names start with `_Z` or `_R`; that underscore is not a sign of a private name.
    let is_mangled = underscores == 1 && matches!(symbol.name.as_bytes().get(1), Some(b'Z' | b'R'));
    (!symbol.is_global, if is_mangled { 0 } else { underscores }, symbol.size == 0)
}

fn read_tables(image: &Image, fuel: &Fuel, symbols: &mut Vec<Symbol>) {
    const ENTRY_SIZE: usize = 24;
    for section in &image.sections {
        if section.kind != SHT_SYMTAB && section.kind != SHT_DYNSYM {
            continue;
        }
        let Some(names) = image.sections.get(section.link as usize) else { continue };
        let (table, names) = (image.data(section), image.data(names));
        let Ok(table) = Symtab::parse(table, 0, table.len() / ENTRY_SIZE, CTX) else { continue };
        for entry in table.iter() {
            let is_defined = entry.st_shndx != SHN_UNDEF as usize;
            let Some(kind) = kind_of(entry.st_type()).filter(|_| is_defined) else { continue };
            let name = name_at(names, entry.st_name);
            if name.is_empty() || !fuel.spend(1 + name.len() as u64) {
                continue;
            }
            let is_in_place = kind == SymbolKind::ThreadLocal || image.is_mapped(entry.st_value);
            if !is_in_place && !image.segments.is_empty() {
                continue;
            }
            symbols.push(Symbol {
                name: name.into(),
                addr: entry.st_value,
                size: entry.st_size,
                kind,
                is_global: matches!(entry.st_bind(), STB_GLOBAL | STB_WEAK),
            });
        }
    }
}

fn kind_of(symbol_type: u8) -> Option<SymbolKind> {
    match symbol_type {
        STT_FUNC | STT_GNU_IFUNC => Some(SymbolKind::Function),
        STT_OBJECT => Some(SymbolKind::Object),
        STT_TLS => Some(SymbolKind::ThreadLocal),
        STT_NOTYPE => Some(SymbolKind::Label),
        _ => None,
    }
}

fn name_at(names: &[u8], offset: usize) -> &str {
    let tail = names.get(offset..).unwrap_or(&[]);
    let tail = &tail[..tail.len().min(NAME_MAX)];
    let end = tail.iter().position(|&byte| byte == 0).unwrap_or(tail.len());
    let name = std::str::from_utf8(&tail[..end]).unwrap_or("");
    name.split('@').next().unwrap_or("")
}

//! Names and addresses of everything loaded: the program and its libraries together.
//!
//! A module is an image with the bias it was loaded at. The index over all modules is built on
//! the first question and thrown away when a module is added; it keeps offsets into the images'
//! string tables instead of copies of names. Cost: building O(n log n), a question O(log n).
//!
//! Indexed are functions, variables and untyped labels in executable code. An
//! indirect function (IFUNC) is found at the address of its resolver, and its kind says so.
//! Thread-local variables have no single address and are left out. Names are not demangled.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::image::Image;
use super::symbol::{Symbol, SymbolBinding, SymbolKind};

/// How many symbols below an address are looked at for one that covers it.
const LOOK_BACK: usize = 64;

/// An image with the bias it is loaded at.
#[derive(Debug, Clone)]
pub struct Module {
    /// Name shown to the user.
    pub name: String,
    /// Added to the image's own addresses.
    pub bias: u64,
    /// The file.
    pub image: Arc<Image>,
}

impl Module {
    /// Whether `address` lies between the module's first and last byte.
    pub fn contains(&self, address: u64) -> bool {
        self.image.span().contains(&address.wrapping_sub(self.bias))
    }

    /// Whether the image's own address lies in executable code.
    fn executes(&self, vaddr: u64) -> bool {
        self.image.segments().iter().any(|segment| segment.perms.exec && segment.contains(vaddr))
    }
}

/// A symbol at its address in the guest.
#[derive(Debug, Clone, Copy)]
pub struct Located<'a> {
    /// The module that defines it.
    pub module: &'a Module,
    /// The name, without a version.
    pub name: &'a str,
    /// Address in the guest.
    pub address: u64,
    /// Bytes covered; zero if unknown.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// How far it is visible.
    pub binding: SymbolBinding,
    /// False for a version kept only for old programs.
    pub default_version: bool,
}

/// The symbol that an address belongs to, as well as can be told.
#[derive(Debug, Clone, Copy)]
pub struct Nearest<'a> {
    /// The symbol.
    pub symbol: Located<'a>,
    /// Bytes from the symbol's start.
    pub offset: u64,
    /// Whether the symbol's size covers the address; otherwise it is merely the nearest before.
    pub inside: bool,
}

/// All symbols of all modules.
#[derive(Debug, Default)]
pub struct SymbolTable {
    modules: Vec<Module>,
    index: OnceLock<Index>,
}

/// The sorted views.
#[derive(Debug)]
struct Index {
    /// By address, and the best name of an address first.
    code: Vec<Entry>,
    data: Vec<Entry>,
    /// Positions in `code` followed by `data`, by name.
    by_name: Vec<u32>,
}

/// One symbol, without borrowing its name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    address: u64,
    size: u64,
    rank: u8,
    kind: SymbolKind,
    binding: SymbolBinding,
    default_version: bool,
    module: u32,
    name_at: usize,
    name_len: usize,
}

impl SymbolTable {
    /// A table without modules.
    pub fn new() -> SymbolTable {
        SymbolTable::default()
    }

    /// Adds a loaded file.
    pub fn add(&mut self, name: &str, bias: u64, image: Arc<Image>) {
        self.modules.push(Module { name: name.to_string(), bias, image });
        self.index = OnceLock::new();
    }

    /// The modules, in the order they were added.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The module whose address range holds `address`.
    pub fn module_at(&self, address: u64) -> Option<&Module> {
        self.modules.iter().find(|module| module.contains(address))
    }

    /// Every symbol of that name, in the order of the modules' addition, then by address.
    pub fn lookup(&self, name: &str) -> Vec<Located<'_>> {
        let index = self.index();
        let bytes = |&position: &u32| self.name_bytes(index.entry(position));
        let start = index.by_name.partition_point(|position| bytes(position) < name.as_bytes());
        let same = index.by_name[start..].iter().take_while(|p| bytes(p) == name.as_bytes());
        same.map(|&position| self.located(index.entry(position))).collect()
    }

    /// The addresses of every function of that name, without repetition.
    pub fn function_addresses(&self, name: &str) -> Vec<u64> {
        let found = self.lookup(name);
        let functions = found.iter().filter(|symbol| symbol.kind != SymbolKind::Object);
        let mut addresses: Vec<u64> = functions.map(|symbol| symbol.address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// All names of the functions that start at exactly `address`, the best one first.
    pub fn functions_starting_at(&self, address: u64) -> Vec<Located<'_>> {
        let code = &self.index().code;
        let start = code.partition_point(|entry| entry.address < address);
        let same = code[start..].iter().take_while(|entry| entry.address == address);
        same.map(|entry| self.located(entry)).collect()
    }

    /// The function that `address` lies in, or else the nearest one before it in its module.
    pub fn function_at(&self, address: u64) -> Option<Nearest<'_>> {
        self.nearest(&self.index().code, address)
    }

    /// The variable that `address` lies in, or else the nearest one before it in its module.
    pub fn object_at(&self, address: u64) -> Option<Nearest<'_>> {
        self.nearest(&self.index().data, address)
    }

    fn nearest<'a>(&'a self, entries: &'a [Entry], address: u64) -> Option<Nearest<'a>> {
        let module = self.module_at(address)?;
        let below = &entries[..entries.partition_point(|entry| entry.address <= address)];
        let near = &below[below.len().saturating_sub(LOOK_BACK)..];
        let covering = near.iter().rev().find(|e| address - e.address < e.size);
        let closest = covering.or(below.last())?;
        // The best name of that address comes first among its equals.
        let first = below.partition_point(|entry| entry.address < closest.address);
        let covers = |entry: &&Entry| covering.is_none() || address - entry.address < entry.size;
        let best = below[first..].iter().find(covers)?;
        if !std::ptr::eq(&self.modules[best.module as usize], module) {
            return None;
        }
        let offset = address - best.address;
        Some(Nearest { symbol: self.located(best), offset, inside: covering.is_some() })
    }

    fn located<'a>(&'a self, entry: &Entry) -> Located<'a> {
        Located {
            module: &self.modules[entry.module as usize],
            // Only names that are UTF-8 were indexed.
            name: std::str::from_utf8(self.name_bytes(entry)).unwrap_or_default(),
            address: entry.address,
            size: entry.size,
            kind: entry.kind,
            binding: entry.binding,
            default_version: entry.default_version,
        }
    }

    fn name_bytes(&self, entry: &Entry) -> &[u8] {
        let bytes = self.modules[entry.module as usize].image.bytes();
        &bytes[entry.name_at..entry.name_at + entry.name_len]
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| self.build())
    }

    fn build(&self) -> Index {
        let (mut code, mut data) = (Vec::new(), Vec::new());
        for (number, module) in self.modules.iter().enumerate() {
            let span = module.image.span();
            let symbols = module.image.dynamic_symbols().chain(module.image.full_symbols());
            for symbol in symbols.filter(|symbol| symbol.addressed) {
                let label = symbol.kind == SymbolKind::Untyped;
                if !span.contains(&symbol.value) || label && !module.executes(symbol.value) {
                    continue;
                }
                let Some(entry) = entry(number, module, &symbol) else { continue };
                match symbol.kind {
                    SymbolKind::Object => data.push(entry),
                    _ => code.push(entry),
                }
            }
        }
        for entries in [&mut code, &mut data] {
            entries.sort_by(|a, b| {
                let key = |entry: &Entry| (entry.address, entry.rank, entry.name_len);
                key(a).cmp(&key(b)).then_with(|| self.name_bytes(a).cmp(self.name_bytes(b)))
            });
            // What both tables of a file list is one symbol.
            entries.dedup_by(|a, b| {
                (a.address, a.module) == (b.address, b.module)
                    && self.name_bytes(a) == self.name_bytes(b)
            });
        }
        let mut index = Index { code, data, by_name: Vec::new() };
        let count = u32::try_from(index.code.len() + index.data.len()).unwrap_or(u32::MAX);
        let mut by_name: Vec<u32> = (0..count).collect();
        by_name.sort_by(|&a, &b| {
            let (a, b) = (index.entry(a), index.entry(b));
            let order = self.name_bytes(a).cmp(self.name_bytes(b));
            order.then_with(|| (a.module, a.address).cmp(&(b.module, b.address)))
        });
        index.by_name = by_name;
        index
    }
}

impl Index {
    fn entry(&self, position: u32) -> &Entry {
        let position = position as usize;
        match position.checked_sub(self.code.len()) {
            None => &self.code[position],
            Some(position) => &self.data[position],
        }
    }
}

/// Indexes one symbol; `None` for a kind that has no address of its own.
fn entry(number: usize, module: &Module, symbol: &Symbol<'_>) -> Option<Entry> {
    if matches!(symbol.kind, SymbolKind::ThreadLocal | SymbolKind::Other) {
        return None;
    }
    let name = offset_in(module.image.bytes(), symbol.name.as_bytes())?;
    Some(Entry {
        address: symbol.value.wrapping_add(module.bias),
        size: symbol.size,
        rank: rank(symbol),
        kind: symbol.kind,
        binding: symbol.binding,
        default_version: symbol.default_version,
        module: u32::try_from(number).ok()?,
        name_at: name.start,
        name_len: name.len(),
    })
}

/// Which of several names of one address a person would use; smaller is better.
fn rank(symbol: &Symbol<'_>) -> u8 {
    let untyped = u8::from(symbol.kind == SymbolKind::Untyped) * 100;
    let binding = match symbol.binding {
        SymbolBinding::Global => 0,
        SymbolBinding::Weak => 1,
        SymbolBinding::Local => 20,
    };
    let underscores = symbol.name.bytes().take_while(|&byte| byte == b'_').count().min(4) as u8;
    untyped + binding + underscores * 2
}

/// Where `part`, a slice of `whole`, lies in it.
fn offset_in(whole: &[u8], part: &[u8]) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let end = start.checked_add(part.len())?;
    (end <= whole.len()).then_some(start..end)
}

//! The content of the report, in the form in which it is written as JSON.
//!
//! Addresses are the file's own, before it is loaded anywhere, and written as hexadecimal text.

use crate::libraries;
use samovar_runtime::Treatment;
use samovar_vm::cpuid::Profile;
use samovar_vm::debug::DebugInfo;
use samovar_vm::loader::{Image, Symbol};
use samovar_vm::lower::survey::Survey;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// Everything that `samovar inspect` knows about a program.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The file, as named by the user.
    pub program: String,
    /// What sort of ELF file it is.
    pub kind: String,
    /// Path of the dynamic linker.
    pub interpreter: Option<String>,
    /// Shared libraries in the order of loading.
    pub libraries: Vec<Library>,
    /// What keeps the program from running.
    pub problems: Vec<String>,
    /// What is loaded into memory.
    pub segments: Vec<Segment>,
    /// The template of thread-local variables.
    pub thread_local: Option<ThreadLocal>,
    /// Where execution can begin.
    pub entry_points: Vec<EntryPoint>,
    /// How many symbols there are.
    pub symbols: SymbolCounts,
    /// Whether there is DWARF debug information.
    pub debug_info: bool,
    /// Identifies the build.
    pub build_id: Option<String>,
    /// Library functions that the program uses, by how they are treated.
    pub imports: Imports,
    /// What the decoder finds in the program's own code.
    pub instructions: Instructions,
}

/// A shared library.
#[derive(Debug, Serialize)]
pub struct Library {
    /// The name that was asked for.
    pub name: String,
    /// Where it was found.
    pub path: String,
    /// Who asked first.
    pub needed_by: String,
}

/// A loadable segment.
#[derive(Debug, Serialize)]
pub struct Segment {
    /// First address.
    pub address: String,
    /// Bytes in memory.
    pub size: u64,
    /// Bytes taken from the file.
    pub file_size: u64,
    /// Where in the file.
    pub offset: String,
    /// `r`, `w` and `x`.
    pub access: String,
}

/// Thread-local variables.
#[derive(Debug, Serialize)]
pub struct ThreadLocal {
    /// Bytes in each thread.
    pub size: u64,
    /// Bytes that are initialised from the file.
    pub file_size: u64,
    /// Alignment.
    pub align: u64,
}

/// A place where execution can begin.
#[derive(Debug, Serialize)]
pub struct EntryPoint {
    /// `entry`, `main` or `constructor`.
    pub role: &'static str,
    /// Its address.
    pub address: String,
    /// Its name, if a symbol tells it.
    pub symbol: Option<String>,
}

/// Numbers of symbols.
#[derive(Debug, Serialize)]
pub struct SymbolCounts {
    /// In the full table; zero in a stripped file.
    pub full: usize,
    /// In the dynamic table.
    pub dynamic: usize,
    /// Functions defined in this file.
    pub functions: usize,
}

/// Library functions by how they are treated under `--model full`.
#[derive(Debug, Default, Serialize)]
pub struct Imports {
    /// Replaced by a model.
    pub modelled: Vec<String>,
    /// The library's own code, without a scheduling point until it returns.
    pub atomic: Vec<String>,
    /// Executed like the program's own code.
    pub plain: Vec<String>,
}

/// What the decoder found.
#[derive(Debug, Serialize)]
pub struct Instructions {
    /// Instructions decoded, linearly.
    pub decoded: u64,
    /// Bytes that start no instruction.
    pub undecodable: u64,
    /// Instructions that the virtual CPU does not have.
    pub unsupported: Vec<UnsupportedInstruction>,
}

/// An instruction that the virtual CPU does not have.
#[derive(Debug, Serialize)]
pub struct UnsupportedInstruction {
    /// Its name.
    pub name: String,
    /// How often it occurs.
    pub count: u64,
    /// Where first.
    pub first: String,
    /// The function that this is in.
    pub function: Option<String>,
}

impl Report {
    /// Looks at a program, and at the host's libraries that it needs.
    pub fn of(image: &Image, path: &Path, profile: Profile) -> Report {
        let variables: Vec<_> = std::env::vars_os().collect();
        let mut problems = Vec::new();
        let closure = libraries::find(image, path, &variables).unwrap_or_else(|error| {
            problems.push(error.to_string());
            Default::default()
        });
        let debug = DebugInfo::new(image.bytes().clone(), 0).ok();
        Report {
            program: image.name().to_string(),
            kind: image.kind().to_string(),
            interpreter: image.interpreter().map(str::to_string),
            libraries: closure.libraries.into_iter().map(Library::of).collect(),
            problems,
            segments: image.segments().iter().map(Segment::of).collect(),
            thread_local: image.tls().map(|tls| ThreadLocal {
                size: tls.memsz,
                file_size: tls.filesz,
                align: tls.align,
            }),
            entry_points: entry_points(image, &debug),
            symbols: SymbolCounts {
                full: image.full_symbols().count(),
                dynamic: image.dynamic_symbols().count(),
                functions: functions(image).len(),
            },
            debug_info: debug.as_ref().is_some_and(DebugInfo::has_dwarf),
            build_id: image.build_id().map(hex_bytes),
            imports: imports(image),
            instructions: Instructions::of(image, profile, &debug),
        }
    }
}

impl Library {
    fn of(library: samovar_vm::loader::Library) -> Library {
        let samovar_vm::loader::Library { name, path, needed_by, .. } = library;
        Library { name, path, needed_by }
    }
}

impl Segment {
    fn of(segment: &samovar_vm::loader::Segment) -> Segment {
        Segment {
            address: hex(segment.vaddr),
            size: segment.memsz,
            file_size: segment.filesz,
            offset: hex(segment.offset),
            access: segment.perms.to_string(),
        }
    }
}

impl Instructions {
    fn of(image: &Image, profile: Profile, debug: &Option<DebugInfo>) -> Instructions {
        let mut survey = Survey::default();
        for range in image.code_ranges() {
            let bytes = image.bytes_at(range.start).unwrap_or_default();
            let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
            survey.add(&bytes[..bytes.len().min(len)], range.start, &profile);
        }
        let mut unsupported: Vec<_> = survey.unsupported.into_iter().collect();
        unsupported.sort_by_key(|(_, occurrences)| occurrences.first);
        let unsupported = unsupported.into_iter().map(|(name, occurrences)| {
            let function = function_at(debug, occurrences.first);
            let first = hex(occurrences.first);
            UnsupportedInstruction { name, count: occurrences.count, first, function }
        });
        Instructions {
            decoded: survey.instructions,
            undecodable: survey.undecodable,
            unsupported: unsupported.collect(),
        }
    }
}

/// The first instruction, `main`, and the constructors.
fn entry_points(image: &Image, debug: &Option<DebugInfo>) -> Vec<EntryPoint> {
    let point = |role, address| EntryPoint {
        role,
        address: hex(address),
        symbol: function_at(debug, address),
    };
    let mut points = vec![point("entry", image.entry())];
    let main = image.functions().find(|symbol| symbol.name == "main");
    points.extend(main.map(|symbol| point("main", symbol.value)));
    let table = image.init_array().unwrap_or_default();
    let bytes = image.bytes_at(table.start).unwrap_or_default();
    let len = usize::try_from(table.end.saturating_sub(table.start)).unwrap_or(usize::MAX);
    let (words, _) = bytes[..bytes.len().min(len)].as_chunks::<8>();
    // A word that the dynamic linker fills in may be zero in the file.
    let words = words.iter().map(|&word| u64::from_le_bytes(word)).filter(|&word| word != 0);
    points.extend(words.map(|address| point("constructor", address)));
    points
}

/// Addresses of the functions defined in this file.
fn functions(image: &Image) -> BTreeSet<u64> {
    image.functions().map(|symbol| symbol.value).collect()
}

/// What the program imports; and for a static program, what it defines and a model knows.
fn imports(image: &Image) -> Imports {
    let mut names: BTreeSet<&str> = image.imports().map(|symbol: Symbol| symbol.name).collect();
    let is_static = image.interpreter().is_none();
    if is_static {
        names.extend(image.functions().map(|symbol| symbol.name));
    }
    let mut imports = Imports::default();
    for name in names {
        match samovar_runtime::treatment_of(name) {
            Treatment::Modelled => imports.modelled.push(name.to_string()),
            Treatment::Atomic => imports.atomic.push(name.to_string()),
            Treatment::Plain if is_static => {}
            Treatment::Plain => imports.plain.push(name.to_string()),
        }
    }
    imports
}

fn function_at(debug: &Option<DebugInfo>, address: u64) -> Option<String> {
    let frames = debug.as_ref()?.locate(address);
    frames.into_iter().find(|frame| !frame.inlined)?.function
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}

fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

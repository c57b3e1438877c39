//! Why a file cannot be loaded: one variant per cause, one sentence each.
//!
//! Messages are lower-case, carry no final stop, and always name the file.

use thiserror::Error;

/// A file that cannot be loaded as a program, or not without something that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file has no bytes.
    #[error("{file}: the file is empty")]
    Empty {
        /// The file.
        file: String,
    },
    /// A text file that names its interpreter in the first line.
    #[error("{file}: a script for {interpreter}, not an ELF program; run the interpreter on it")]
    Script {
        /// The file.
        file: String,
        /// What follows `#!`.
        interpreter: String,
    },
    /// Something else altogether.
    #[error("{file}: not an ELF file")]
    NotElf {
        /// The file.
        file: String,
    },
    /// A 32-bit file (i386, x32, ...).
    #[error("{file}: a 32-bit {machine} program; only 64-bit x86-64 programs are supported")]
    Bits32 {
        /// The file.
        file: String,
        /// Name of the machine in the header.
        machine: String,
    },
    /// Most significant byte first.
    #[error("{file}: a big-endian {machine} program; only x86-64 programs are supported")]
    BigEndian {
        /// The file.
        file: String,
        /// Name of the machine in the header.
        machine: String,
    },
    /// Made for another processor.
    #[error("{file}: made for {machine}; only x86-64 programs are supported")]
    WrongMachine {
        /// The file.
        file: String,
        /// Name of the machine in the header.
        machine: String,
    },
    /// An object file that was not linked.
    #[error("{file}: a relocatable object file; link it into a program first")]
    Relocatable {
        /// The file.
        file: String,
    },
    /// A memory dump of a dead process.
    #[error("{file}: a core dump, not a program")]
    CoreFile {
        /// The file.
        file: String,
    },
    /// An ELF header whose fixed fields make no sense.
    #[error("{file}: malformed ELF header: {problem}")]
    Header {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// The file ends before something that its headers announce.
    #[error("{file}: the file is truncated: {what}")]
    Truncated {
        /// The file.
        file: String,
        /// What lies beyond the end.
        what: String,
    },
    /// A loadable segment that cannot be mapped.
    #[error("{file}: program header {index} cannot be mapped: {problem}")]
    Segment {
        /// The file.
        file: String,
        /// Position in the program header table.
        index: usize,
        /// What is wrong.
        problem: String,
    },
    /// Nothing to load.
    #[error("{file}: no loadable segment")]
    NoSegments {
        /// The file.
        file: String,
    },
    /// The segments reach further than one file may.
    #[error("{file}: the segments span {span:#x} bytes, more than the limit of {limit:#x}")]
    TooLarge {
        /// The file.
        file: String,
        /// Distance from the first to the last byte.
        span: u64,
        /// The limit.
        limit: u64,
    },
    /// The first instruction would not be executable.
    #[error("{file}: the entry point {entry:#x} lies outside the executable segments")]
    Entry {
        /// The file.
        file: String,
        /// The entry point, as in the file.
        entry: u64,
    },
    /// The dynamic section or the interpreter's name cannot be understood.
    #[error("{file}: malformed dynamic linking information: {problem}")]
    Dynamic {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// A library was given where a program is wanted.
    #[error("{file}: a shared library without an entry point, not a program")]
    NotAProgram {
        /// The file.
        file: String,
    },
    /// Two files, or a file and the stack, claim the same addresses.
    #[error("{file}: the segments at {start:#x}..{end:#x} collide with {other}")]
    Collision {
        /// The file.
        file: String,
        /// First address of the mapping.
        start: u64,
        /// First address after the mapping.
        end: u64,
        /// What lies there already.
        other: String,
    },
    /// The program names an interpreter that the caller did not hand in.
    #[error("{file}: needs the dynamic linker {interpreter}, which was not found")]
    MissingInterpreter {
        /// The file.
        file: String,
        /// Path in PT_INTERP.
        interpreter: String,
    },
    /// A shared library is nowhere to be found.
    #[error("{}", missing_library(library, needed_by, looked, *foreign))]
    MissingLibrary {
        /// The library.
        library: String,
        /// The file that needs it.
        needed_by: String,
        /// Directories (and the cache) that were searched; empty if the name is a path.
        looked: Vec<String>,
        /// Whether one for another machine was found.
        foreign: bool,
    },
    /// A program stands where a library is needed.
    #[error("{file}: a program linked at fixed addresses, not a shared library")]
    NotALibrary {
        /// The file.
        file: String,
    },
    /// The search for libraries does not come to an end.
    #[error("{file}: needs more than {libraries} libraries, or a search of over {paths} paths")]
    TooManyLibraries {
        /// The program.
        file: String,
        /// Most libraries.
        libraries: usize,
        /// Most paths tried.
        paths: usize,
    },
    /// Arguments and environment do not fit on the stack.
    #[error("{file}: the argument list is too long: {size} bytes, at most {limit} are allowed")]
    ArgumentsTooLong {
        /// The file.
        file: String,
        /// Bytes asked for.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A string for the guest holds a zero byte.
    #[error("{file}: {what} contains a zero byte")]
    ZeroByte {
        /// The file.
        file: String,
        /// Which string.
        what: String,
    },
}

/// The sentence for a missing library: what, for whom, and where it is not.
fn missing_library(library: &str, needed_by: &str, looked: &[String], foreign: bool) -> String {
    let found = if foreign { "found only for another machine" } else { "not found" };
    let mut sentence = format!("{needed_by}: needs the library {library}, which was {found}");
    if !looked.is_empty() {
        sentence.push_str(&format!(" (looked in {})", looked.join(", ")));
    }
    sentence
}

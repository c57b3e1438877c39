//! What can go wrong when debug information is asked something: three small error enums.
//!
//! [`DebugError`] is about the file (wrong kind, compressed in an unknown way, split, malformed),
//! [`LookupError`] about a name or a path that a user wrote, [`Unavailable`] about a variable that
//! exists but has no value here and now.

use thiserror::Error;

/// A file cannot serve as (complete) debug information.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DebugError {
    /// Not a little-endian 64-bit x86 ELF file.
    #[error("not an x86-64 ELF file: {0}")]
    NotElf(String),
    /// A debug section is compressed in a way that is not supported.
    #[error("debug section {section} is compressed with {method}; recompile with -gz=none")]
    Compressed {
        /// Name of the section.
        section: String,
        /// Compression method.
        method: String,
    },
    /// A compressed debug section does not inflate to what its header says.
    #[error("debug section {0} does not inflate; recompile with -gz=none")]
    Inflate(String),
    /// A debug section reaches beyond the end of the file.
    #[error("debug section {0} reaches beyond the end of the file")]
    Truncated(String),
    /// The debug information lies in another file (`-gsplit-dwarf`).
    #[error("debug information is split into {0}; recompile without -gsplit-dwarf")]
    Split(String),
    /// Parts of the debug information lie in a file shared with other programs (dwz).
    #[error("debug information refers to the supplementary file {0}, which is not read")]
    Supplementary(String),
    /// A unit of the debug information cannot be read.
    #[error("debug information is malformed at offset {offset:#x} of {section}: {reason}")]
    Malformed {
        /// Name of the section.
        section: &'static str,
        /// Offset of the unit in it.
        offset: u64,
        /// What the reader said.
        reason: String,
    },
    /// A separate debug file belongs to another build.
    #[error("debug file has build id {found}, the program has {expected}")]
    WrongBuild {
        /// Build id of the program.
        expected: String,
        /// Build id of the debug file.
        found: String,
    },
    /// The debug information refers to itself so often that reading it was cut short.
    #[error("debug information asks for more work than its size allows; the rest is ignored")]
    TooMuchWork,
}

/// A name or path does not lead to exactly one thing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The text is not a path.
    #[error("cannot read '{text}' at column {column}: expected {expected}")]
    Syntax {
        /// The whole text.
        text: String,
        /// 1-based column of the offending character.
        column: usize,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// Nothing is called that.
    #[error("no variable named '{0}'")]
    Unknown(String),
    /// Several things are called that; the candidates are usable as written.
    #[error("'{name}' is ambiguous: {}", candidates.join(", "))]
    Ambiguous {
        /// The name as asked.
        name: String,
        /// Qualified names that are unique.
        candidates: Vec<String>,
    },
    /// The record has no such member.
    #[error("{ty} has no member named '{member}'")]
    NoMember {
        /// Name of the record type.
        ty: String,
        /// The member asked for.
        member: String,
    },
    /// Member access on something that is no record.
    #[error("'{what}' is {ty}, which has no members")]
    NotRecord {
        /// The text before the access.
        what: String,
        /// Its type.
        ty: String,
    },
    /// Indexing something that is neither an array nor a pointer.
    #[error("'{what}' is {ty}, which cannot be indexed")]
    NotIndexable {
        /// The text before the index.
        what: String,
        /// Its type.
        ty: String,
    },
    /// Dereferencing something that is no pointer.
    #[error("'{what}' is {ty}, which is no pointer")]
    NotPointer {
        /// The text before the dereference.
        what: String,
        /// Its type.
        ty: String,
    },
    /// An index outside the array.
    #[error("index {index} is outside '{what}', which has {count} elements")]
    OutOfBounds {
        /// The text before the index.
        what: String,
        /// The index asked for.
        index: i128,
        /// Number of elements.
        count: u64,
    },
    /// `&` on something that has no address of its own.
    #[error("'{0}' has no address")]
    NoAddress(String),
    /// The thing exists, but not here and now.
    #[error("'{what}' is not available: {why}")]
    Unavailable {
        /// What was asked for.
        what: String,
        /// Why there is no value.
        why: Unavailable,
    },
}

/// Why a variable that the debug information knows has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The compiler kept no copy of it at this address.
    #[error("optimised out")]
    OptimisedOut,
    /// It is only known as the value something had when the function was entered.
    #[error("only known at the function's entry")]
    EntryValue,
    /// It points to something that the compiler dissolved.
    #[error("points to an object that was optimised out")]
    ImplicitPointer,
    /// The state does not know this register (DWARF number).
    #[error("register {0} is unknown in this frame")]
    Register(u16),
    /// The memory cannot be read.
    #[error("memory at {0:#x} cannot be read")]
    Memory(u64),
    /// The function's frame base cannot be computed.
    #[error("frame base is unknown")]
    FrameBase,
    /// The canonical frame address cannot be computed.
    #[error("canonical frame address is unknown")]
    Cfa,
    /// The thread-local block of the module is unknown.
    #[error("thread-local block is unknown")]
    Tls,
    /// The variable is only declared, its definition has no debug information and no symbol.
    #[error("no definition found")]
    NoDefinition,
    /// The size or layout of its type is unknown.
    #[error("type is incomplete")]
    Incomplete,
    /// It is a virtual base class of an object that cannot be read.
    #[error("virtual base class of an unreadable object")]
    VirtualBase,
    /// It is not a number, which was asked for.
    #[error("not a number")]
    NoNumber,
    /// The location expression uses something that is not supported.
    #[error("location uses {0}, which is not supported")]
    Unsupported(&'static str),
    /// The location expression is broken.
    #[error("location is malformed")]
    Malformed,
}

//! The loader: from the bytes of ELF files to a plan of what the guest's memory holds at start.
//!
//! Everything here is pure: callers hand in bytes (and, for libraries, a [`Files`] view), and get
//! back data. Nothing opens a file, maps memory, or applies a relocation: the program's own
//! start-up code and the real dynamic linker relocate inside the guest, as they do natively.
//!
//! ```text
//!  bytes ──Image::parse──▶ Image ──plan──▶ Plan { mappings, stack, entry, rsp, brk }
//!                            │
//!                            ├─resolve_closure──▶ every shared library, or the one that is missing
//!                            └─SymbolTable──▶ name ⇄ address
//! ```
//!
//! Invariants: no input makes this module panic, and time and memory are bounded by a small
//! multiple of the bytes handed in. A file that Linux would refuse is refused with one sentence.

mod auxv;
mod cache;
mod closure;
mod dynamic;
mod elf;
mod error;
mod image;
mod plan;
mod search;
mod segment;
mod stack;
mod symbol;
mod symbols;

pub use auxv::AuxKey;
pub use cache::LibraryCache;
pub use closure::{Closure, Library, resolve_closure};
pub use dynamic::DynamicInfo;
pub use error::LoadError;
pub use image::{Image, ImageKind, RelocationSummary, TlsSegment};
pub use plan::{Layout, Mapping, Plan, PlanOptions, plan};
pub use search::{Files, SearchOptions};
pub use segment::{Perms, Segment};
pub use stack::InitialStack;
pub use symbol::{Symbol, SymbolBinding, SymbolKind};
pub use symbols::{Located, Module, Nearest, SymbolTable};

/// Size of a guest page.
pub const PAGE_SIZE: u64 = 4096;

/// First address above the guest's address space: all mappings lie below it.
pub const ADDRESS_SPACE_END: u64 = 1 << 38;

/// Largest distance between the first and the last byte of one file's segments.
pub const IMAGE_SPAN_MAX: u64 = 1 << 35;

/// Rounds down to the start of the page.
pub(crate) fn page_floor(address: u64) -> u64 {
    address & !(PAGE_SIZE - 1)
}

/// Rounds up to the next page boundary; `None` on overflow.
pub(crate) fn page_ceil(address: u64) -> Option<u64> {
    Some(page_floor(address.checked_add(PAGE_SIZE - 1)?))
}

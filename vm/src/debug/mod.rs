//! Debug information: from addresses to source lines, functions and variable names, and back.
//!
//! Everything here is a pure function of bytes that the caller hands in: an ELF file (and perhaps
//! its separate debug file) in, answers out. Nothing is read from disk and nothing is printed.
//! [`DebugInfo`] is one module (the program or a shared library); [`DebugModules`] is a loaded
//! process and is what most callers want.
//!
//! Parsing is lazy and cached behind locks, so that a `DebugInfo` costs almost nothing until it is
//! asked something and can be shared between threads. Answers are owned values.
//!
//! Untrusted input: no input makes this module panic, recurse without bound or do work out of
//! proportion to its size (see `fuel`). What cannot be read is left out, and
//! [`DebugInfo::problems`] says so. A file without debug information is no problem: lines and types
//! are then unknown, and names come from the ELF symbols.
//!
//! Not done: split DWARF (`.dwo`), supplementary files (dwz), values that are only known as they
//! were at a function's entry, languages other than C, C++ and Rust.

mod atomic_types;
mod attr;
mod backtrace;
mod data_names;
mod debug_file;
mod demangle;
mod dies;
mod elf;
mod error;
mod fuel;
mod function_tree;
mod known_names;
mod library_types;
mod lines;
mod locate;
mod location;
mod modules;
mod name_index;
mod path;
mod places;
mod reading;
mod record_reader;
mod scalars;
mod scopes;
mod sections;
mod state;
mod symbols;
mod tls;
mod type_names;
mod type_reader;
mod types;
mod unit_index;
mod units;
mod unwind;
mod value;
mod variables;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock, RwLock};

pub use self::backtrace::{CallFrame, FrameState};
pub use self::data_names::DataName;
pub use self::debug_file::{DebugFileCandidate, debug_link_checksum};
pub use self::demangle::demangle;
pub use self::error::{DebugError, LookupError, Unavailable};
pub use self::known_names::{Enumerator, LocalOf};
pub use self::locate::{Frame, Function, LineAddresses, SourceLine};
pub use self::modules::DebugModules;
pub use self::path::Path;
pub use self::places::Peeled;
pub use self::scalars::{Scalar, ScalarKind, ScalarPlace, extended};
pub use self::state::{Piece, Place, Source, State, Storage};
pub use self::symbols::{Symbol, SymbolKind};
pub use self::tls::TlsBlock;
pub use self::types::{
    BitRange, Encoding, Flavour, Kind, Member, Qualifier, Record, Type, TypeId, Variant, Variants,
};
pub use self::value::{Limits, Value};
pub use self::variables::{Scope, Variable, VariableKind};

use self::data_names::DataIndex;
use self::elf::Image;
use self::fuel::Fuel;
use self::function_tree::FunctionTree;
use self::name_index::NameIndex;
use self::sections::Sections;
use self::symbols::SymbolTable;
use self::units::{DieId, UnitTable};
use self::unwind::{FrameTable, Row};

/// The debug information of one module, at the place where it is loaded.
#[derive(Debug)]
pub struct DebugInfo {
    image: Image,
    /// The separate debug file.
    extra: Option<Image>,
    bias: u64,
    /// Number among the modules of a process; part of type ids.
    module: u16,
    tls: TlsBlock,
    fuel: Fuel,
    sections: OnceLock<Sections>,
    units: OnceLock<UnitTable>,
    symbols: OnceLock<SymbolTable>,
    names: OnceLock<NameIndex>,
    frames: OnceLock<FrameTable>,
    data: OnceLock<DataIndex>,
    trees: RwLock<HashMap<DieId, Arc<FunctionTree>>>,
    types: RwLock<HashMap<TypeId, Arc<Type>>>,
    unwind_rows: RwLock<HashMap<u64, Option<Arc<Row>>>>,
}

impl DebugInfo {
    /// Takes the bytes of an ELF file that is loaded `bias` above its own addresses.
    pub fn new(bytes: Arc<[u8]>, bias: u64) -> Result<DebugInfo, DebugError> {
        let image = Image::parse(bytes)?;
        let fuel = Fuel::for_size(image.bytes.len());
        let tls = if image.is_program { TlsBlock::Program } else { TlsBlock::Unknown };
        Ok(DebugInfo {
            image,
            extra: None,
            bias,
            module: 0,
            tls,
            fuel,
            sections: OnceLock::new(),
            units: OnceLock::new(),
            symbols: OnceLock::new(),
            names: OnceLock::new(),
            frames: OnceLock::new(),
            data: OnceLock::new(),
            trees: RwLock::default(),
            types: RwLock::default(),
            unwind_rows: RwLock::default(),
        })
    }

    /// Like [`DebugInfo::new`], with the DWARF and the symbols of a separate debug file.
    pub fn with_debug_file(
        bytes: Arc<[u8]>,
        debug_file: Arc<[u8]>,
        bias: u64,
    ) -> Result<DebugInfo, DebugError> {
        let mut info = DebugInfo::new(bytes, bias)?;
        let extra = Image::parse(debug_file)?;
        if let (Some(expected), Some(found)) = (info.image.build_id(), extra.build_id())
            && expected != found
        {
            return Err(DebugError::WrongBuild { expected: hex(expected), found: hex(found) });
        }
        info.fuel.add_bytes(extra.bytes.len());
        info.extra = Some(extra);
        Ok(info)
    }

    /// Difference between guest addresses and addresses of the file.
    pub fn bias(&self) -> u64 {
        self.bias
    }

    /// The guest addresses that the module's segments span.
    pub fn extent(&self) -> Range<u64> {
        let extent = self.image.extent();
        self.to_guest(extent.start)..self.to_guest(extent.end)
    }

    /// True if one of the module's segments covers a guest address.
    pub fn covers(&self, addr: u64) -> bool {
        self.image.is_mapped(self.to_file(addr))
    }

    /// True if one of the module's executable segments covers a guest address.
    pub fn is_code(&self, addr: u64) -> bool {
        self.image.is_code(self.to_file(addr))
    }

    /// True if the file has DWARF units (and not only symbols).
    pub fn has_dwarf(&self) -> bool {
        !self.units().units.is_empty()
    }

    /// What could not be read so far, with advice. Reads the unit headers if need be.
    pub fn problems(&self) -> Vec<DebugError> {
        let mut problems = self.sections().problems.clone();
        problems.extend(self.units().problems.iter().cloned());
        if self.fuel.is_exhausted() {
            problems.push(DebugError::TooMuchWork);
        }
        problems
    }

    fn sections(&self) -> &Sections {
        self.sections.get_or_init(|| {
            // The debug file wins, but a file that was stripped of symbols only has its own DWARF.
            let has_dwarf = |image: &&Image| {
                image.section(".debug_info").or(image.section(".zdebug_info")).is_some()
            };
            let image = self.extra.as_ref().filter(has_dwarf).unwrap_or(&self.image);
            let sections = Sections::load(image);
            self.fuel.add_bytes(sections.inflated_bytes);
            sections
        })
    }

    fn units(&self) -> &UnitTable {
        self.units
            .get_or_init(|| UnitTable::load(&self.sections().dwarf(), &self.image, &self.fuel))
    }

    fn symbols(&self) -> &SymbolTable {
        self.symbols.get_or_init(|| {
            let images: Vec<&Image> = [&self.image].into_iter().chain(&self.extra).collect();
            SymbolTable::load(&images, &self.fuel)
        })
    }

    fn to_file(&self, guest: u64) -> u64 {
        guest.wrapping_sub(self.bias)
    }

    fn to_guest(&self, addr: u64) -> u64 {
        addr.wrapping_add(self.bias)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

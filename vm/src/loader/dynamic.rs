//! The dynamic section: what a file asks of the dynamic linker.
//!
//! Addresses stay as they are in the file (before any bias). Names must be UTF-8: paths are
//! handed on as `str`. Flags and tags that only the dynamic linker needs are left to it.

use std::ops::Range;

use goblin::elf::ProgramHeader;
use goblin::elf::dynamic::*;
use goblin::elf::program_header::PT_DYNAMIC;

use super::elf::{c_string, context};
use super::error::LoadError;
use super::segment::Segment;

/// Most libraries one file may need.
const NEEDED_MAX: usize = 1024;

/// Longest name of a library (PATH_MAX of Linux), and longest search path.
const NAME_LEN_MAX: usize = 4096;
const SEARCH_PATH_LEN_MAX: usize = 16384;

/// Tag of packed relative relocations, and their size in bytes (newer than goblin's list).
const DT_RELR: u64 = 36;
const DT_RELRSZ: u64 = 35;

/// What the dynamic section says. Empty for a file without one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DynamicInfo {
    /// Whether there is a dynamic section at all.
    pub present: bool,
    /// Libraries needed, in order.
    pub needed: Vec<String>,
    /// The library's own name.
    pub soname: Option<String>,
    /// Search path of the old kind, inherited by what is loaded (unexpanded).
    pub rpath: Option<String>,
    /// Search path of the new kind, for this file's own needs only (unexpanded).
    pub runpath: Option<String>,
    /// DF_1_PIE: the file says that it is a program.
    pub pie: bool,
    /// DF_1_NODEFLIB: the default directories are not searched.
    pub no_default_directories: bool,
    /// Addresses of the constructors' table.
    pub init_array: Option<Range<u64>>,
    /// Addresses of the destructors' table.
    pub fini_array: Option<Range<u64>>,
    pub(super) tables: Tables,
}

/// Addresses and sizes of the tables that the dynamic section points at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tables {
    pub strings: Option<(u64, u64)>,
    pub symbols: Option<u64>,
    pub versions: Option<u64>,
    pub hash: Option<u64>,
    pub gnu_hash: Option<u64>,
    pub rela: Option<(u64, u64)>,
    pub plt: Option<(u64, u64)>,
    pub relr: Option<(u64, u64)>,
}

/// The file's bytes that are loaded at `vaddr`, up to the end of that segment's part of the file.
pub(super) fn bytes_at<'a>(bytes: &'a [u8], segments: &[Segment], vaddr: u64) -> Option<&'a [u8]> {
    let segment = segments
        .iter()
        .find(|segment| segment.vaddr <= vaddr && vaddr - segment.vaddr < segment.filesz)?;
    let start = segment.offset + (vaddr - segment.vaddr);
    let end = segment.offset + segment.filesz;
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// Reads the dynamic section, if there is one.
pub(super) fn read_dynamic(
    bytes: &[u8],
    headers: &[ProgramHeader],
    segments: &[Segment],
    file: &str,
) -> Result<DynamicInfo, LoadError> {
    if !headers.iter().any(|header| header.p_type == PT_DYNAMIC) {
        return Ok(DynamicInfo::default());
    }
    let fault = |problem: String| LoadError::Dynamic { file: file.to_string(), problem };
    let entries = match Dynamic::parse(bytes, headers, context()) {
        Ok(Some(dynamic)) => dynamic.dyns,
        _ => return Err(fault("the dynamic section lies outside the file".to_string())),
    };
    let value = |tag: u64| entries.iter().find(|entry| entry.d_tag == tag).map(|e| e.d_val);
    let sized = |at: u64, size: u64| Some((value(at)?, value(size)?));
    let range = |at: u64, size: u64| {
        let (start, len) = sized(at, size)?;
        Some(start..start.checked_add(len)?)
    };
    let tables = Tables {
        strings: sized(DT_STRTAB, DT_STRSZ),
        symbols: value(DT_SYMTAB),
        versions: value(DT_VERSYM),
        hash: value(DT_HASH),
        gnu_hash: value(DT_GNU_HASH),
        rela: sized(DT_RELA, DT_RELASZ),
        plt: sized(DT_JMPREL, DT_PLTRELSZ),
        relr: sized(DT_RELR, DT_RELRSZ),
    };
    let strings = string_table(bytes, segments, &tables);
    let string = |offset: u64, len_max: usize| {
        let name = strings.and_then(|table| c_string(table, offset, len_max));
        let name = name.and_then(|name| std::str::from_utf8(name).ok());
        name.map(str::to_string)
            .ok_or_else(|| fault(format!("no readable string at {offset:#x} of the string table")))
    };
    let name = |offset: u64| string(offset, NAME_LEN_MAX);
    let search_path = |offset: u64| string(offset, SEARCH_PATH_LEN_MAX);
    let needed: Vec<u64> =
        entries.iter().filter(|entry| entry.d_tag == DT_NEEDED).map(|e| e.d_val).collect();
    if needed.len() > NEEDED_MAX {
        return Err(fault(format!("{} libraries needed", needed.len())));
    }
    let flags = value(DT_FLAGS_1).unwrap_or(0);
    Ok(DynamicInfo {
        present: true,
        needed: needed.into_iter().map(name).collect::<Result<_, _>>()?,
        soname: value(DT_SONAME).map(name).transpose()?,
        rpath: value(DT_RPATH).map(search_path).transpose()?,
        runpath: value(DT_RUNPATH).map(search_path).transpose()?,
        pie: flags & DF_1_PIE != 0,
        no_default_directories: flags & DF_1_NODEFLIB != 0,
        init_array: range(DT_INIT_ARRAY, DT_INIT_ARRAYSZ),
        fini_array: range(DT_FINI_ARRAY, DT_FINI_ARRAYSZ),
        tables,
    })
}

/// The dynamic string table.
pub(super) fn string_table<'a>(
    bytes: &'a [u8],
    segments: &[Segment],
    tables: &Tables,
) -> Option<&'a [u8]> {
    let (at, size) = tables.strings?;
    let table = bytes_at(bytes, segments, at)?;
    Some(&table[..table.len().min(usize::try_from(size).unwrap_or(usize::MAX))])
}

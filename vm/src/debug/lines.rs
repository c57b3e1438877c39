//! The line table of one unit as a sorted array of rows: address to line in one binary search, and
//! line to addresses.
//!
//! Rows of all sequences are merged and sorted; a row with line 0 marks code without a line (the
//! end of a sequence, or compiler-made code). Addresses are addresses of the file.

use std::sync::Arc;

use gimli::{ColumnType, DebugLineOffset};

use super::attr;
use super::elf::Image;
use super::fuel::Fuel;
use super::sections::Dwarf;
use super::units::{Unit, UnitEntry};

/// One row: valid from `addr` to the next row's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) addr: u64,
    /// Index in [`LineTable::files`].
    pub(super) file: u32,
    /// 0: no line.
    pub(super) line: u32,
    /// 0: unknown.
    pub(super) column: u32,
    /// A good place to stop: the start of a statement.
    pub(super) is_stmt: bool,
    /// The function's frame is set up here.
    pub(super) is_prologue_end: bool,
}

/// The line table of a unit.
#[derive(Debug, Default)]
pub(super) struct LineTable {
    pub(super) rows: Vec<Row>,
    /// Full paths.
    pub(super) files: Vec<Arc<str>>,
}

impl LineTable {
    /// Runs the unit's line program.
    pub(super) fn build(
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        entry: &UnitEntry,
        image: &Image,
        fuel: &Fuel,
    ) -> LineTable {
        let mut table = LineTable::default();
        let Some(offset) = entry.line_offset else { return table };
        let program = dwarf.debug_line.program(DebugLineOffset(offset), 8, None, None);
        let Ok(program) = program else { return table };
        let header = program.header();
        let size = header.raw_program_buf().slice().len() as u64;
        if !fuel.spend(size.saturating_add(header.file_names().len() as u64 * 16)) {
            return table;
        }
        table.files = file_names(dwarf, unit, entry, header);
        let version = header.version();
        let mut rows = program.rows();
        let mut sequence: Vec<Row> = Vec::new();
        while let Ok(Some((_, row))) = rows.next_row() {
            if row.end_sequence() {
                sequence.push(end_row(row.address()));
                table.accept(&mut sequence, image);
                continue;
            }
            let column = match row.column() {
                ColumnType::LeftEdge => 0,
                ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
            };
            // Before DWARF 5 files are counted from 1; index 0 is the unit itself.
            let file = if version >= 5 { row.file_index() } else { row.file_index().max(1) };
            sequence.push(Row {
                addr: row.address(),
                file: u32::try_from(file).unwrap_or(u32::MAX),
                line: row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(0)),
                column,
                is_stmt: row.is_stmt(),
                is_prologue_end: row.prologue_end(),
            });
        }
        // Ends sort before beginnings at the same address, rows keep their order otherwise.
        table.rows.sort_by_key(|row| (row.addr, row.line != 0));
        table
    }

    /// Takes a finished sequence, unless the linker threw its code away.
    fn accept(&mut self, sequence: &mut Vec<Row>, image: &Image) {
        if sequence.first().is_some_and(|first| image.is_code(first.addr)) {
            self.rows.append(sequence);
        }
        sequence.clear();
    }

    /// The row in force at an address: of several rows at one address the last one.
    pub(super) fn row_at(&self, addr: u64) -> Option<&Row> {
        let after = self.rows.partition_point(|row| row.addr <= addr);
        self.rows.get(after.checked_sub(1)?).filter(|row| row.line != 0)
    }

    /// The rows that start exactly at an address.
    pub(super) fn rows_from(&self, addr: u64) -> &[Row] {
        let start = self.rows.partition_point(|row| row.addr < addr);
        let end = self.rows.partition_point(|row| row.addr <= addr);
        &self.rows[start..end]
    }

    /// The full path of a file.
    pub(super) fn file(&self, index: u32) -> Option<&Arc<str>> {
        self.files.get(index as usize)
    }
}

fn end_row(addr: u64) -> Row {
    Row { addr, file: 0, line: 0, column: 0, is_stmt: false, is_prologue_end: false }
}

type Header<'a> = gimli::LineProgramHeader<super::sections::Slice<'a>>;

/// The paths of the program's files, indexed as rows index them.
fn file_names(
    dwarf: &Dwarf<'_>,
    unit: &Unit<'_>,
    entry: &UnitEntry,
    header: &Header<'_>,
) -> Vec<Arc<str>> {
    let text = |value| attr::string_value(dwarf, unit, value).unwrap_or_default();
    let old = header.version() < 5;
    let directory_of = |index: u64| match header.directory(index) {
        // Directory 0 is the unit's own; before DWARF 5 it is not even listed.
        _ if index == 0 && (old || !entry.directory.is_empty()) => String::new(),
        Some(value) => text(value),
        None => String::new(),
    };
    let path = |name: String, directory: String| -> Arc<str> {
        join(&join(&entry.directory, &directory), &name).into()
    };
    let mut files = Vec::new();
    if old {
        files.push(path(entry.name.to_string(), String::new()));
    }
    for file in header.file_names() {
        files.push(path(text(file.path_name()), directory_of(file.directory_index())));
    }
    files
}

/// Joins a directory and a path as a file system would.
pub(super) fn join(directory: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.starts_with('/') || directory.is_empty() {
        return path.to_string();
    }
    if path.is_empty() || path == "." {
        return directory.to_string();
    }
    format!("{}/{path}", directory.trim_end_matches('/'))
}

/// True if `path` is `wanted`, or ends with it at a directory boundary.
pub(super) fn path_matches(path: &str, wanted: &str) -> bool {
    let wanted = wanted.strip_prefix("./").unwrap_or(wanted);
    path.strip_suffix(wanted).is_some_and(|rest| {
        !wanted.is_empty() && (rest.is_empty() || rest.ends_with('/') || wanted.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_and_match_at_boundaries() {
        assert_eq!(join("/a/b", "c.c"), "/a/b/c.c");
        assert_eq!(join("/a/b/", "./c.c"), "/a/b/c.c");
        assert_eq!(join("/a", "/c.c"), "/c.c");
        assert_eq!(join("", "c.c"), "c.c");
        assert_eq!(join("/a", ""), "/a");
        assert!(path_matches("/a/b/c.c", "c.c"));
        assert!(path_matches("/a/b/c.c", "b/c.c"));
        assert!(path_matches("/a/b/c.c", "/a/b/c.c"));
        assert!(!path_matches("/a/b/c.c", ".c"));
        assert!(!path_matches("/a/bc.c", "c.c"));
        assert!(!path_matches("/a/bc.c", ""));
    }
}

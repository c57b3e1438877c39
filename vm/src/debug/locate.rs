//! Addresses to functions and lines, lines and names to addresses.
//!
//! All addresses in this interface are guest addresses. Answers prefer DWARF; without it a
//! function is the ELF symbol that covers the address, and there is no line.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::DebugInfo;
use super::demangle::{demangle, demangle_path};
use super::dies::Dies;
use super::function_tree::{Block, BlockKind, FunctionTree};
use super::lines::{LineTable, path_matches};
use super::symbols::SymbolKind;
use super::units::DieId;

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// Full path as the compiler wrote it.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column, counted from 1; 0 if unknown.
    pub column: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A function that an address belongs to, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Readable name with scopes; None if not even a symbol covers the address.
    pub function: Option<String>,
    /// Distance of the address from the function's entry; None for inlined functions.
    pub offset: Option<u64>,
    /// Where in the source; None without line information.
    pub line: Option<SourceLine>,
    /// True if this function was inlined into the next frame.
    pub inlined: bool,
}

impl fmt::Display for Frame {
    /// `function at file:line`, or `function+0x1c`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.as_deref().unwrap_or("??"))?;
        match (&self.line, self.offset) {
            (Some(line), _) => write!(f, " at {line}"),
            (None, Some(offset)) if offset != 0 => write!(f, "+{offset:#x}"),
            _ => Ok(()),
        }
    }
}

/// Where the code of a source line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineAddresses {
    /// The line that has code: the one asked for, or the next one that has any.
    pub line: u32,
    /// Guest addresses, sorted: one for each block of code that the line starts.
    pub addresses: Vec<u64>,
}

/// A function with code in this module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Readable name with scopes.
    pub name: String,
    /// The linker's name, if it differs.
    pub linkage_name: Option<String>,
    /// Guest address ranges; the first one starts at the entry point. Never empty.
    pub ranges: Vec<Range<u64>>,
}

impl DebugInfo {
    /// The functions and lines that an address belongs to, innermost (inlined) first.
    ///
    /// For a return address pass the address minus one: the call may be the function's last
    /// instruction.
    pub fn locate(&self, addr: u64) -> Vec<Frame> {
        let file_addr = self.to_file(addr);
        if !self.image.is_code(file_addr) {
            return Vec::new();
        }
        let dies = Dies::new(self);
        let line = self.line_of(addr);
        match self.function_tree_at(&dies, file_addr) {
            Some(tree) => self.frames(&dies, &tree, file_addr, line),
            None => self.symbol_frame(file_addr, line).into_iter().collect(),
        }
    }

    /// The source line of an address; a binary search once the unit's table is built.
    pub fn line_of(&self, addr: u64) -> Option<SourceLine> {
        let addr = self.to_file(addr);
        self.units().at_address(addr).find_map(|unit_number| {
            let table = self.line_table(unit_number);
            let row = table.row_at(addr)?;
            let file = table.file(row.file)?.clone();
            Some(SourceLine { file, line: row.line, column: row.column })
        })
    }

    /// The source files of the unit that an address belongs to, with full paths: the main one, and
    /// others that code or declarations come from.
    pub fn files_of(&self, addr: u64) -> &[Arc<str>] {
        let unit = self.units().at_address(self.to_file(addr)).next();
        unit.map_or(&[], |unit_number| &self.line_table(unit_number).files)
    }

    /// True if a statement of the source starts exactly at this address.
    pub fn is_stmt_start(&self, addr: u64) -> bool {
        let addr = self.to_file(addr);
        self.units().at_address(addr).any(|unit_number| {
            let rows = self.line_table(unit_number).rows_from(addr);
            rows.iter().any(|row| row.is_stmt && row.line != 0)
        })
    }

    /// Where a line's code starts. The file may be given by any trailing part of its path. If the
    /// line has no code, the next line that has some is taken.
    pub fn addresses_of(&self, file: &str, line: u32) -> Option<LineAddresses> {
        let mut best = LineStarts { line: u32::MAX, lasting: Vec::new(), momentary: Vec::new() };
        for unit_number in 0..self.units().units.len() {
            let table = self.line_table(unit_number);
            let is_wanted: Vec<bool> =
                table.files.iter().map(|path| path_matches(path, file)).collect();
            if is_wanted.contains(&true) {
                best.collect(table, &is_wanted, line);
            }
        }
        let found = if best.lasting.is_empty() { best.momentary } else { best.lasting };
        let mut addresses: Vec<u64> = found.into_iter().map(|addr| self.to_guest(addr)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        (!addresses.is_empty()).then_some(LineAddresses { line: best.line, addresses })
    }

    /// The first address of a function's code where its frame is set up and its parameters are
    /// in place: the end of the prologue. Guest addresses.
    pub fn body_start(&self, function: &Function) -> Option<u64> {
        let range = function.ranges.first()?;
        let (low, high) = (self.to_file(range.start), self.to_file(range.end));
        let table = self.line_table(self.units().at_address(low).next()?);
        let start = table.rows.partition_point(|row| row.addr < low);
        let rows = table.rows[start..].iter().take_while(|row| row.addr < high);
        let statements = || rows.clone().filter(|row| row.is_stmt && row.line != 0);
        let marked = statements().find(|row| row.is_prologue_end);
        let second = statements().find(|row| row.addr > low);
        marked.or(second).map(|row| self.to_guest(row.addr))
    }

    /// The functions with code that fit a name best: by qualified name, by the end of it, or by
    /// symbol. Several if the name is ambiguous.
    pub fn functions_named(&self, name: &str) -> Vec<Function> {
        let dies = Dies::new(self);
        let (_, found) = self.function_dies(&dies, name);
        let described = found.into_iter().filter_map(|id| self.function(&dies, id));
        let mut functions: Vec<Function> = described.collect();
        if functions.is_empty() {
            let symbols = self.symbols().named(name);
            let symbols = symbols.filter(|symbol| symbol.kind == SymbolKind::Function);
            functions.extend(symbols.map(|symbol| {
                let end = symbol.addr.saturating_add(symbol.size.max(1));
                Function {
                    name: demangle(&symbol.name),
                    linkage_name: Some(symbol.name.to_string()),
                    ranges: std::iter::once(self.to_guest(symbol.addr)..self.to_guest(end))
                        .collect(),
                }
            }));
        }
        functions
    }

    fn function(&self, dies: &Dies<'_>, id: DieId) -> Option<Function> {
        let unit_number = dies.units.of_die(id)?;
        let functions = &dies.index(unit_number)?.functions;
        let index = functions.binary_search_by_key(&id, |entry| dies.id(unit_number, entry.die));
        let guest = |range: &gimli::Range| self.to_guest(range.begin)..self.to_guest(range.end);
        Some(Function {
            name: self.readable_name(dies, id)?,
            linkage_name: dies.linkage_name(id),
            ranges: functions[index.ok()?].ranges.iter().map(guest).collect(),
        })
    }

    /// True if a function starts exactly at this address.
    pub fn is_function_entry(&self, addr: u64) -> bool {
        let addr = self.to_file(addr);
        let symbol = self.symbols().covering(SymbolKind::Function, addr);
        symbol.is_some_and(|symbol| symbol.addr == addr)
    }

    /// The line table of a unit; computed once.
    pub(super) fn line_table(&self, unit_number: usize) -> &LineTable {
        let entry = &self.units().units[unit_number];
        entry.lines.get_or_init(|| {
            let dwarf = self.sections().dwarf();
            match self.units().open(&dwarf, unit_number) {
                Some(unit) => LineTable::build(&dwarf, &unit, entry, &self.image, &self.fuel),
                None => LineTable::default(),
            }
        })
    }

    /// The readable name of a function or variable.
    pub(super) fn readable_name(&self, dies: &Dies<'_>, id: DieId) -> Option<String> {
        match dies.qualified(id) {
            Some(path) => Some(path.join("::")),
            None => dies.linkage_name(id).map(|name| demangle_path(&name).unwrap_or(name)),
        }
    }

    fn frames(
        &self,
        dies: &Dies<'_>,
        tree: &FunctionTree,
        addr: u64,
        mut line: Option<SourceLine>,
    ) -> Vec<Frame> {
        let mut frames = Vec::new();
        for block in tree.around(addr).into_iter().rev() {
            match block.kind {
                BlockKind::Lexical => {}
                BlockKind::Function => frames.push(Frame {
                    function: self
                        .readable_name(dies, tree.die)
                        .or_else(|| self.symbol_frame(addr, None).and_then(|frame| frame.function)),
                    offset: self.entry_of(dies, tree).and_then(|entry| addr.checked_sub(entry)),
                    line: line.take(),
                    inlined: false,
                }),
                BlockKind::Inlined { origin, .. } => {
                    let function = origin.and_then(|origin| self.readable_name(dies, origin));
                    let call = self.call_line(tree.unit_number, block);
                    let line = std::mem::replace(&mut line, call);
                    frames.push(Frame { function, offset: None, line, inlined: true });
                }
            }
        }
        frames
    }

    fn entry_of(&self, dies: &Dies<'_>, tree: &FunctionTree) -> Option<u64> {
        let function = self.function(dies, tree.die)?;
        function.ranges.first().map(|range| self.to_file(range.start))
    }

    fn call_line(&self, unit_number: usize, block: &Block) -> Option<SourceLine> {
        let BlockKind::Inlined { call_file, call_line, call_column, .. } = block.kind else {
            return None;
        };
        let file = self.line_table(unit_number).file(call_file)?.clone();
        (call_line != 0).then_some(SourceLine { file, line: call_line, column: call_column })
    }

    fn symbol_frame(&self, addr: u64, line: Option<SourceLine>) -> Option<Frame> {
        let symbols = self.symbols();
        let symbol = symbols
            .covering(SymbolKind::Function, addr)
            .or_else(|| symbols.covering(SymbolKind::Label, addr));
        if symbol.is_none() && line.is_none() {
            return None;
        }
        Some(Frame {
            function: symbol.map(|symbol| demangle(&symbol.name)),
            offset: symbol.map(|symbol| addr - symbol.addr),
            line,
            inlined: false,
        })
    }
}

/// Where the code of a line starts, in addresses of the file.
struct LineStarts {
    line: u32,
    /// Starts of instructions that belong to the line.
    lasting: Vec<u64>,
    /// Places that the line passes on to the next one without an instruction of its own.
    momentary: Vec<u64>,
}

impl LineStarts {
    /// Adds the starts in a table, if the line is the best so far.
    fn collect(&mut self, table: &LineTable, is_wanted: &[bool], line: u32) {
        let mut previous = None;
        for (index, row) in table.rows.iter().enumerate() {
            let key = (row.file, row.line);
            let is_start = previous.replace(key) != Some(key);
            let is_file = is_wanted.get(row.file as usize) == Some(&true);
            let is_line = row.line != 0 && (line..=self.line).contains(&row.line);
            if !(is_start && is_file && is_line && row.is_stmt) {
                continue;
            }
            if row.line < self.line {
                *self = LineStarts { line: row.line, lasting: vec![], momentary: vec![] };
            }
            let is_momentary = table.rows.get(index + 1).is_some_and(|next| next.addr == row.addr);
            let starts = if is_momentary { &mut self.momentary } else { &mut self.lasting };
            starts.push(row.addr);
        }
    }
}

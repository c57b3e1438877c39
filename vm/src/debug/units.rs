//! The units of `.debug_info` and `.debug_types`: headers, abbreviations, base offsets and address
//! ranges, read once, and the map from addresses to units.
//!
//! Everything kept is owned, so that nothing borrows from the file; a gimli `Unit` is put together
//! again for each question from what is kept here, without parsing anything but its header.
//! Unreadable units are skipped and reported.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use gimli::{
    Abbreviations, AttributeValue, DebugAbbrev, DebugAbbrevOffset, DebugAddrBase, DebugInfoOffset,
    DebugLocListsBase, DebugRngListsBase, DebugStrOffsetsBase, DebugTypeSignature, DwLang,
    DwarfFileType, LittleEndian, Section, UnitHeader, UnitSectionOffset, UnitType,
};

use super::attr;
use super::elf::Image;
use super::error::DebugError;
use super::fuel::Fuel;
use super::lines::LineTable;
use super::sections::{Dwarf, Slice};
use super::unit_index::UnitIndex;

/// A gimli unit over borrowed sections.
pub(super) type Unit<'a> = gimli::Unit<Slice<'a>>;

/// A debugging information entry: its offset in `.debug_info`, or in `.debug_types` with
/// [`DieId::TYPES`] added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DieId(pub(super) u64);

impl DieId {
    /// Where the offsets of `.debug_types` start.
    const TYPES: u64 = 1 << 40;
}

/// One unit: what is known without reading its entries, and lazily its contents.
#[derive(Debug)]
pub(super) struct UnitEntry {
    /// The header's place; entries of the unit lie behind it.
    pub(super) start: DieId,
    /// One past its last byte.
    pub(super) end: DieId,
    pub(super) name: Box<str>,
    pub(super) directory: Box<str>,
    pub(super) language: Option<DwLang>,
    pub(super) line_offset: Option<usize>,
    pub(super) index: OnceLock<UnitIndex>,
    pub(super) lines: OnceLock<LineTable>,
    abbreviations: Arc<Abbreviations>,
    low_pc: u64,
    str_offsets_base: DebugStrOffsetsBase,
    addr_base: DebugAddrBase,
    loclists_base: DebugLocListsBase,
    rnglists_base: DebugRngListsBase,
}

impl UnitEntry {
    /// True if the unit was compiled from Rust.
    pub(super) fn is_rust(&self) -> bool {
        self.language == Some(gimli::DW_LANG_Rust)
    }
}

/// A range of addresses that belongs to a unit.
#[derive(Debug, Clone, Copy)]
struct Span {
    begin: u64,
    end: u64,
    /// Largest end of this and all spans before it.
    reach: u64,
    unit: u32,
}

/// All units of a module.
#[derive(Debug, Default)]
pub(super) struct UnitTable {
    /// Sorted by `start`.
    pub(super) units: Vec<UnitEntry>,
    spans: Vec<Span>,
    signatures: HashMap<u64, DieId>,
    pub(super) problems: Vec<DebugError>,
}

impl UnitTable {
    /// Reads all unit headers and root entries.
    pub(super) fn load(dwarf: &Dwarf<'_>, image: &Image, fuel: &Fuel) -> UnitTable {
        let mut table = UnitTable::default();
        let headers = table.headers(dwarf);
        let abbreviations = abbreviation_tables(dwarf, &headers);
        for header in headers {
            let offset = section_offset(&header);
            let Some(abbreviations) = abbreviations.get(&header.debug_abbrev_offset().0) else {
                table.report(offset, "abbreviations are unreadable".to_string());
                continue;
            };
            if let Err(error) = table.add(dwarf, header, abbreviations.clone(), image, fuel) {
                table.report(offset, error.to_string());
            }
        }
        table.units.sort_by_key(|unit| unit.start);
        table.index_spans();
        table
    }

    /// The units that may contain an address of the file, innermost range first.
    pub(super) fn at_address(&self, addr: u64) -> impl Iterator<Item = usize> + '_ {
        let after = self.spans.partition_point(|span| span.begin <= addr);
        let before = self.spans[..after].iter().rev();
        let reaching = before.take_while(move |span| span.reach > addr);
        reaching.filter(move |span| addr < span.end).map(|span| span.unit as usize)
    }

    /// The unit that holds an entry.
    pub(super) fn of_die(&self, die: DieId) -> Option<usize> {
        let index = self.units.partition_point(|unit| unit.start <= die).checked_sub(1)?;
        (die < self.units[index].end).then_some(index)
    }

    /// The type with a signature.
    pub(super) fn of_signature(&self, signature: DebugTypeSignature) -> Option<DieId> {
        self.signatures.get(&signature.0).copied()
    }

    /// Puts the gimli unit together again.
    pub(super) fn open<'a>(&self, dwarf: &Dwarf<'a>, index: usize) -> Option<Unit<'a>> {
        let entry = self.units.get(index)?;
        let mut unit = new_unit(header_at(dwarf, entry.start)?, entry.abbreviations.clone());
        unit.low_pc = entry.low_pc;
        unit.str_offsets_base = entry.str_offsets_base;
        unit.addr_base = entry.addr_base;
        unit.loclists_base = entry.loclists_base;
        unit.rnglists_base = entry.rnglists_base;
        Some(unit)
    }

    fn headers<'a>(&mut self, dwarf: &Dwarf<'a>) -> Vec<UnitHeader<Slice<'a>>> {
        let mut headers = Vec::new();
        let mut units = dwarf.units();
        loop {
            match units.next() {
                Ok(Some(header)) => headers.push(header),
                Ok(None) => break,
                Err(error) => {
                    let offset = headers.last().map_or(0, |header| section_offset(header).0);
                    self.report(DieId(offset), format!("after this unit: {error}"));
                    break;
                }
            }
        }
        let mut units = dwarf.type_units();
        while let Ok(Some(header)) = units.next() {
            headers.push(header);
        }
        headers
    }

    fn add<'a>(
        &mut self,
        dwarf: &Dwarf<'a>,
        header: UnitHeader<Slice<'a>>,
        abbreviations: Arc<Abbreviations>,
        image: &Image,
        fuel: &Fuel,
    ) -> gimli::Result<()> {
        let start = section_offset(&header);
        let end = DieId(start.0 + header.length_including_self() as u64);
        if let UnitType::Type { type_signature, type_offset }
        | UnitType::SplitType { type_signature, type_offset } = header.type_()
        {
            self.signatures.insert(type_signature.0, DieId(start.0 + type_offset.0 as u64));
        }
        let mut unit = new_unit(header, abbreviations.clone());
        let mut root = gimli::DebuggingInformationEntry::null();
        unit.entries_raw(None)?.read_entry(&mut root)?;
        read_bases(&mut unit, &root);
        if let Some(low_pc) = root.attr_value(gimli::DW_AT_low_pc) {
            unit.low_pc = dwarf.attr_address(&unit, low_pc).ok().flatten().unwrap_or(0);
        }
        let name = attr::string(dwarf, &unit, &root, gimli::DW_AT_name).unwrap_or_default();
        self.report_split(dwarf, &unit, &root);
        let index = self.units.len() as u32;
        for range in attr::ranges(dwarf, &unit, &root, fuel) {
            if image.is_code(range.begin) {
                self.spans.push(Span { begin: range.begin, end: range.end, reach: 0, unit: index });
            }
        }
        self.units.push(UnitEntry {
            start,
            end,
            name: name.into(),
            directory: attr::string(dwarf, &unit, &root, gimli::DW_AT_comp_dir)
                .unwrap_or_default()
                .into(),
            language: match root.attr_value(gimli::DW_AT_language) {
                Some(AttributeValue::Language(language)) => Some(language),
                _ => None,
            },
            line_offset: match root.attr_value(gimli::DW_AT_stmt_list) {
                Some(AttributeValue::DebugLineRef(offset)) => Some(offset.0),
                _ => None,
            },
            index: OnceLock::new(),
            lines: OnceLock::new(),
            abbreviations,
            low_pc: unit.low_pc,
            str_offsets_base: unit.str_offsets_base,
            addr_base: unit.addr_base,
            loclists_base: unit.loclists_base,
            rnglists_base: unit.rnglists_base,
        });
        Ok(())
    }

    fn report_split(
        &mut self,
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        root: &gimli::DebuggingInformationEntry<Slice<'_>>,
    ) {
        let name = attr::string(dwarf, unit, root, gimli::DW_AT_dwo_name)
            .or_else(|| attr::string(dwarf, unit, root, gimli::DW_AT_GNU_dwo_name));
        if let Some(name) = name {
            self.push_problem(DebugError::Split(name));
        }
    }

    fn report(&mut self, offset: DieId, reason: String) {
        let (section, offset) = match offset.0.checked_sub(DieId::TYPES) {
            Some(offset) => (".debug_types", offset),
            None => (".debug_info", offset.0),
        };
        self.push_problem(DebugError::Malformed { section, offset, reason });
    }

    fn push_problem(&mut self, problem: DebugError) {
        const PROBLEMS_MAX: usize = 16;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }

    fn index_spans(&mut self) {
        // Units were sorted after their spans were recorded, but both in section order: units of
        // `.debug_info` come first in either. So the recorded indexes are still right.
        self.spans.sort_by_key(|span| (span.begin, span.end));
        let mut reach = 0;
        for span in &mut self.spans {
            reach = reach.max(span.end);
            span.reach = reach;
        }
    }
}

/// A unit of which nothing but the header is known yet.
fn new_unit(header: UnitHeader<Slice<'_>>, abbreviations: Arc<Abbreviations>) -> Unit<'_> {
    let (encoding, file) = (header.encoding(), DwarfFileType::Main);
    Unit {
        header,
        abbreviations,
        name: None,
        comp_dir: None,
        low_pc: 0,
        str_offsets_base: DebugStrOffsetsBase::default_for_encoding_and_file(encoding, file),
        addr_base: DebugAddrBase(0),
        loclists_base: DebugLocListsBase::default_for_encoding_and_file(encoding, file),
        rnglists_base: DebugRngListsBase::default_for_encoding_and_file(encoding, file),
        line_program: None,
        dwo_id: None,
    }
}

fn section_offset(header: &UnitHeader<Slice<'_>>) -> DieId {
    match header.debug_info_offset() {
        Some(offset) => DieId(offset.0 as u64),
        None => DieId(DieId::TYPES + header.debug_types_offset().map_or(0, |at| at.0 as u64)),
    }
}

fn header_at<'a>(dwarf: &Dwarf<'a>, start: DieId) -> Option<UnitHeader<Slice<'a>>> {
    match start.0.checked_sub(DieId::TYPES) {
        None => dwarf.unit_header(DebugInfoOffset(start.0 as usize)).ok(),
        Some(offset) => {
            let section = dwarf.debug_types.reader().slice().get(offset as usize..)?;
            let mut units = gimli::DebugTypes::new(section, LittleEndian).units();
            let header = units.next().ok().flatten()?;
            Some(UnitHeader::new(
                header.encoding(),
                header.unit_length(),
                header.type_(),
                header.debug_abbrev_offset(),
                gimli::SectionId::DebugTypes,
                UnitSectionOffset(offset as usize),
                header.range_from(header.root_offset()..).ok()?,
            ))
        }
    }
}

/// Parses every abbreviation table once. A table ends where the next one that is in use begins,
/// so the work is linear in the section even if the offsets are hostile.
fn abbreviation_tables(
    dwarf: &Dwarf<'_>,
    headers: &[UnitHeader<Slice<'_>>],
) -> HashMap<usize, Arc<Abbreviations>> {
    let mut offsets: Vec<usize> =
        headers.iter().map(|header| header.debug_abbrev_offset().0).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let section = dwarf.debug_abbrev.reader().slice();
    let mut tables = HashMap::new();
    for (index, &offset) in offsets.iter().enumerate() {
        let end = offsets.get(index + 1).copied().unwrap_or(section.len()).min(section.len());
        let Some(bytes) = section.get(offset..end) else { continue };
        let table = DebugAbbrev::new(bytes, LittleEndian).abbreviations(DebugAbbrevOffset(0));
        if let Ok(table) = table {
            tables.insert(offset, Arc::new(table));
        }
    }
    tables
}

fn read_bases(unit: &mut Unit<'_>, root: &gimli::DebuggingInformationEntry<Slice<'_>>) {
    for attribute in root.attrs() {
        match attribute.value() {
            AttributeValue::DebugStrOffsetsBase(base) => unit.str_offsets_base = base,
            AttributeValue::DebugAddrBase(base) => unit.addr_base = base,
            AttributeValue::DebugLocListsBase(base) => unit.loclists_base = base,
            AttributeValue::DebugRngListsBase(base) => unit.rnglists_base = base,
            _ => {}
        }
    }
}

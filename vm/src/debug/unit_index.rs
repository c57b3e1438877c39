//! What one unit contains: its functions with their address ranges, its variables with static
//! storage, its named types and its scopes. Built by one walk over the unit's entries.
//!
//! Locals are not indexed here: they are found from their function when asked for
//! (`function_tree`). Cost: linear in the unit, paid from the module's fuel.

use gimli::{AttributeValue, Range};

use super::attr::{self, Entry, Value};
use super::elf::Image;
use super::fuel::Fuel;
use super::scopes::{DEPTH_MAX, Scope, ScopeTable};
use super::sections::Dwarf;
use super::units::Unit;

/// A function with code.
#[derive(Debug)]
pub(super) struct FunctionEntry {
    /// Unit offset of the entry.
    pub(super) die: u32,
    /// Non-empty address ranges; the first one starts at the entry point.
    pub(super) ranges: Vec<Range>,
}

/// A variable that is not a local in a frame.
#[derive(Debug)]
pub(super) struct VariableEntry {
    /// Unit offset of the entry.
    pub(super) die: u32,
    /// True if this is only a declaration, without storage.
    pub(super) is_declaration: bool,
}

/// The contents of one unit.
#[derive(Debug, Default)]
pub(super) struct UnitIndex {
    pub(super) functions: Vec<FunctionEntry>,
    pub(super) variables: Vec<VariableEntry>,
    /// Complete named types: name without scopes, unit offset.
    pub(super) types: Vec<(Box<str>, u32)>,
    /// Complete enumerations, also those without a name: unit offset.
    pub(super) enumerations: Vec<u32>,
    pub(super) scopes: ScopeTable,
    /// Address ranges sorted by start, with the index of their function.
    spans: Vec<(Range, u32)>,
}

impl UnitIndex {
    /// Walks a unit.
    pub(super) fn build(
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        image: &Image,
        fuel: &Fuel,
    ) -> UnitIndex {
        let mut walk = Walk { dwarf, unit, image, fuel, index: UnitIndex::default(), open: vec![] };
        // An unreadable entry ends the walk; what came before it is kept.
        let _ = walk.run();
        let mut index = walk.index;
        for (number, function) in index.functions.iter().enumerate() {
            index.spans.extend(function.ranges.iter().map(|&range| (range, number as u32)));
        }
        index.spans.sort_by_key(|(range, _)| (range.begin, range.end));
        index
    }

    /// The function whose code covers an address of the file.
    pub(super) fn function_at(&self, addr: u64) -> Option<&FunctionEntry> {
        let after = self.spans.partition_point(|(range, _)| range.begin <= addr);
        let (range, number) = self.spans.get(after.checked_sub(1)?)?;
        if range.end <= addr {
            return None;
        }
        self.functions.get(*number as usize)
    }
}

struct Walk<'a, 'd> {
    dwarf: &'a Dwarf<'d>,
    unit: &'a Unit<'d>,
    image: &'a Image,
    fuel: &'a Fuel,
    index: UnitIndex,
    /// Open scopes: depth of their children, and index in the scope table.
    open: Vec<(isize, u32)>,
}

impl<'d> Walk<'_, 'd> {
    fn run(&mut self) -> gimli::Result<()> {
        let mut entries = self.unit.entries_raw(None)?;
        let mut entry = Entry::null();
        while !entries.is_empty() {
            let (depth, offset) = (entries.next_depth(), entries.next_offset().0 as u32);
            self.close_scopes(depth, offset);
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            let attributes = abbreviation.attributes();
            if !self.fuel.spend(1 + attributes.len() as u64) {
                break;
            }
            if !is_interesting(abbreviation) {
                entries.skip_attributes(attributes)?;
                continue;
            }
            entries.read_attributes(attributes, &mut entry.attrs)?;
            let tag = abbreviation.tag();
            self.visit(tag, &entry, offset);
            let nests = abbreviation.has_children() && tag != gimli::DW_TAG_variable;
            if nests && self.open.len() < DEPTH_MAX {
                self.open_scope(tag, &entry, offset, depth + 1);
            }
        }
        self.close_scopes(isize::MIN, u32::MAX);
        Ok(())
    }

    fn visit(&mut self, tag: gimli::DwTag, entry: &Entry<'d>, offset: u32) {
        match tag {
            gimli::DW_TAG_subprogram => {
                let mut ranges = attr::ranges(self.dwarf, self.unit, entry, self.fuel);
                ranges.retain(|range| self.image.is_code(range.begin));
                if !ranges.is_empty() {
                    self.index.functions.push(FunctionEntry { die: offset, ranges });
                }
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_member => self.visit_variable(entry, offset),
            gimli::DW_TAG_namespace | gimli::DW_TAG_module => {}
            _ => {
                let is_complete = !attr::flag(entry, gimli::DW_AT_declaration);
                if tag == gimli::DW_TAG_enumeration_type && is_complete {
                    self.index.enumerations.push(offset);
                }
                if let Some(name) = self.name(entry).filter(|_| is_complete) {
                    self.index.types.push((name.into(), offset));
                }
            }
        }
    }

    fn visit_variable(&mut self, entry: &Entry<'d>, offset: u32) {
        let location = entry.attr_value(gimli::DW_AT_location);
        let is_static = location.is_some_and(|location| is_static_storage(location));
        let in_function = self.index.scopes.is_in_function(offset);
        if in_function && !is_static {
            return;
        }
        let is_declaration = attr::flag(entry, gimli::DW_AT_declaration)
            && !entry.has_attr(gimli::DW_AT_const_value)
            && !is_static;
        self.index.variables.push(VariableEntry { die: offset, is_declaration });
    }

    fn name(&self, entry: &Entry<'d>) -> Option<String> {
        let name = attr::string(self.dwarf, self.unit, entry, gimli::DW_AT_name)?;
        self.fuel.spend(name.len() as u64).then_some(name)
    }

    fn open_scope(&mut self, tag: gimli::DwTag, entry: &Entry<'d>, offset: u32, children: isize) {
        let name = match tag {
            gimli::DW_TAG_namespace if !entry.has_attr(gimli::DW_AT_name) => {
                Some("(anonymous namespace)".to_string())
            }
            // The names of inlined and out-of-line bodies come from their declaration; a scope
            // named by it would need that entry, which may not have been seen yet.
            _ => self.name(entry),
        };
        let index = self.index.scopes.open(Scope {
            start: offset,
            end: u32::MAX,
            parent: self.open.last().map(|&(_, index)| index),
            name: name.map(Into::into),
            is_function: tag == gimli::DW_TAG_subprogram,
        });
        self.open.push((children, index));
    }

    fn close_scopes(&mut self, depth: isize, offset: u32) {
        while let Some(&(children, index)) = self.open.last() {
            if depth >= children {
                break;
            }
            self.index.scopes.close(index, offset);
            self.open.pop();
        }
    }
}

fn is_interesting(abbreviation: &gimli::Abbreviation) -> bool {
    // A static member whose value is all there is to it.
    let is_constant_member = abbreviation.tag() == gimli::DW_TAG_member
        && abbreviation.attributes().iter().any(|at| at.name() == gimli::DW_AT_const_value);
    if is_constant_member {
        return true;
    }
    matches!(
        abbreviation.tag(),
        gimli::DW_TAG_subprogram
            | gimli::DW_TAG_variable
            | gimli::DW_TAG_namespace
            | gimli::DW_TAG_module
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_typedef
            | gimli::DW_TAG_base_type
    )
}

/// True for locations that do not depend on a frame: a fixed address or a thread-local offset.
fn is_static_storage(location: Value<'_>) -> bool {
    let AttributeValue::Exprloc(expression) = location else { return false };
    let bytes = expression.0.slice();
    let is_tls = |byte: &u8| {
        [gimli::DW_OP_form_tls_address.0, gimli::DW_OP_GNU_push_tls_address.0].contains(byte)
    };
    let Some(&first) = bytes.first() else { return false };
    let is_address = [gimli::DW_OP_addr.0, gimli::DW_OP_addrx.0, gimli::DW_OP_GNU_addr_index.0];
    let is_constant = [
        gimli::DW_OP_const4u.0,
        gimli::DW_OP_const8u.0,
        gimli::DW_OP_constx.0,
        gimli::DW_OP_GNU_const_index.0,
    ];
    is_address.contains(&first)
        || (is_constant.contains(&first) && bytes.last().is_some_and(is_tls))
}

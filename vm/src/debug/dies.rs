//! Access to single debugging information entries by their module-wide identity: opening them,
//! following references between units, and their names.
//!
//! A [`Dies`] is made for one question and dropped; it holds only borrowed slices.

use gimli::{AttributeValue, DwAt, UnitOffset};

use super::DebugInfo;
use super::attr::{self, Entry, Value};
use super::sections::Dwarf;
use super::unit_index::UnitIndex;
use super::units::{DieId, Unit, UnitTable};

/// Longest chain of `abstract_origin` / `specification` references.
const ORIGINS_MAX: usize = 8;
/// Deepest nesting of functions in functions.
const FUNCTION_NESTING_MAX: usize = 4;

/// The entries of a module.
pub(super) struct Dies<'a> {
    pub(super) info: &'a DebugInfo,
    pub(super) dwarf: Dwarf<'a>,
    pub(super) units: &'a UnitTable,
}

/// One entry with the unit it lies in.
pub(super) struct Die<'a> {
    pub(super) id: DieId,
    pub(super) unit_number: usize,
    pub(super) unit: Unit<'a>,
    pub(super) entry: Entry<'a>,
}

impl<'a> Dies<'a> {
    /// The entries of `info`.
    pub(super) fn new(info: &'a DebugInfo) -> Dies<'a> {
        Dies { info, dwarf: info.sections().dwarf(), units: info.units() }
    }

    /// Opens a unit.
    pub(super) fn unit(&self, number: usize) -> Option<Unit<'a>> {
        self.units.open(&self.dwarf, number)
    }

    /// What a unit contains; computed once.
    pub(super) fn index(&self, number: usize) -> Option<&'a UnitIndex> {
        let entry = self.units.units.get(number)?;
        Some(entry.index.get_or_init(|| match self.unit(number) {
            Some(unit) => UnitIndex::build(&self.dwarf, &unit, &self.info.image, &self.info.fuel),
            None => UnitIndex::default(),
        }))
    }

    /// Opens an entry.
    pub(super) fn die(&self, id: DieId) -> Option<Die<'a>> {
        let unit_number = self.units.of_die(id)?;
        let unit = self.unit(unit_number)?;
        let offset = id.0 - self.units.units[unit_number].start.0;
        let entry = unit.entry(UnitOffset(offset as usize)).ok()?;
        Some(Die { id, unit_number, unit, entry })
    }

    /// The entry at an offset of a unit.
    pub(super) fn id(&self, unit_number: usize, offset: u32) -> DieId {
        DieId(self.units.units[unit_number].start.0 + u64::from(offset))
    }

    /// Follows a reference attribute.
    pub(super) fn reference(&self, die: &Die<'a>, name: DwAt) -> Option<DieId> {
        self.reference_value(die.unit_number, die.entry.attr_value(name)?)
    }

    /// The entry that a value refers to.
    pub(super) fn reference_value(&self, unit_number: usize, value: Value<'_>) -> Option<DieId> {
        match value {
            AttributeValue::UnitRef(offset) => {
                Some(DieId(self.units.units.get(unit_number)?.start.0 + offset.0 as u64))
            }
            AttributeValue::DebugInfoRef(offset) => Some(DieId(offset.0 as u64)),
            AttributeValue::DebugTypesRef(signature) => self.units.of_signature(signature),
            _ => None,
        }
    }

    /// Looks for an attribute on the entry and on those it was declared by.
    pub(super) fn inherited<T>(&self, id: DieId, get: impl Fn(&Die<'a>) -> Option<T>) -> Option<T> {
        let mut next = Some(id);
        for _ in 0..ORIGINS_MAX {
            let die = self.die(next?)?;
            if let Some(found) = get(&die) {
                return Some(found);
            }
            next = self.origin(&die);
        }
        None
    }

    /// The declaration or abstract instance behind an entry.
    pub(super) fn origin(&self, die: &Die<'a>) -> Option<DieId> {
        self.reference(die, gimli::DW_AT_specification)
            .or_else(|| self.reference(die, gimli::DW_AT_abstract_origin))
    }

    /// A string attribute of an entry.
    pub(super) fn string(&self, die: &Die<'a>, name: DwAt) -> Option<String> {
        attr::string(&self.dwarf, &die.unit, &die.entry, name)
    }

    /// The name of an entry, from its declaration if need be.
    pub(super) fn name(&self, id: DieId) -> Option<String> {
        self.inherited(id, |die| self.string(die, gimli::DW_AT_name))
    }

    /// The linker's name of an entry, from its declaration if need be.
    pub(super) fn linkage_name(&self, id: DieId) -> Option<String> {
        self.inherited(id, |die| {
            self.string(die, gimli::DW_AT_linkage_name)
                .or_else(|| self.string(die, gimli::DW_AT_MIPS_linkage_name))
        })
    }

    /// The type of an entry, from its declaration if need be.
    pub(super) fn type_of(&self, id: DieId) -> Option<DieId> {
        self.inherited(id, |die| self.reference(die, gimli::DW_AT_type))
    }

    /// The name of an entry with the scopes around its declaration, outermost first.
    pub(super) fn qualified(&self, id: DieId) -> Option<Vec<String>> {
        self.qualified_within(id, 0)
    }

    fn qualified_within(&self, id: DieId, depth: usize) -> Option<Vec<String>> {
        // The declaration that is furthest back lies in the scope that the source names.
        let mut home = id;
        for _ in 0..ORIGINS_MAX {
            match self.die(home).and_then(|die| self.origin(&die)) {
                Some(origin) => home = origin,
                None => break,
            }
        }
        let mut names = vec![self.name(id)?];
        let unit_number = self.units.of_die(home)?;
        let offset = home.0 - self.units.units[unit_number].start.0;
        for scope in self.index(unit_number)?.scopes.around(offset as u32) {
            if scope.is_function && depth < FUNCTION_NESTING_MAX {
                // A function may be named, and placed in its scopes, by a declaration elsewhere.
                let function = self.id(unit_number, scope.start);
                if let Some(mut path) = self.qualified_within(function, depth + 1) {
                    names.reverse();
                    path.append(&mut names);
                    return Some(path);
                }
            }
            names.extend(scope.name.as_deref().map(str::to_string));
        }
        names.reverse();
        Some(names)
    }
}

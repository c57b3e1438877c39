//! Reading single attributes of debugging information entries, with bounds that gimli's own
//! conveniences do not have: strings are cut, ranges cannot overflow, bad forms are just absent.

use gimli::{AttributeValue, DebugLineStrOffset, DebugStrOffset, DwAt, Range, Section};

use super::fuel::Fuel;
use super::sections::{Dwarf, Slice};
use super::units::Unit;

/// An entry over borrowed sections.
pub(super) type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;
/// An attribute's value over borrowed sections.
pub(super) type Value<'a> = AttributeValue<Slice<'a>>;

/// Longer strings are cut.
const STRING_MAX: usize = 4096;

/// A string attribute.
pub(super) fn string(
    dwarf: &Dwarf<'_>,
    unit: &Unit<'_>,
    entry: &Entry<'_>,
    name: DwAt,
) -> Option<String> {
    string_value(dwarf, unit, entry.attr_value(name)?)
}

/// The string that a value stands for.
pub(super) fn string_value(dwarf: &Dwarf<'_>, unit: &Unit<'_>, value: Value<'_>) -> Option<String> {
    let bytes = match value {
        AttributeValue::String(text) => text.slice(),
        AttributeValue::DebugStrRef(at) => in_strings(dwarf, at)?,
        AttributeValue::DebugStrOffsetsIndex(index) => {
            in_strings(dwarf, dwarf.string_offset(unit, index).ok()?)?
        }
        AttributeValue::DebugLineStrRef(at) => in_line_strings(dwarf, at)?,
        _ => return None,
    };
    Some(String::from_utf8_lossy(until_zero(bytes)).into_owned())
}

fn in_strings<'a>(dwarf: &Dwarf<'a>, at: DebugStrOffset) -> Option<&'a [u8]> {
    dwarf.debug_str.reader().slice().get(at.0..)
}

fn in_line_strings<'a>(dwarf: &Dwarf<'a>, at: DebugLineStrOffset) -> Option<&'a [u8]> {
    dwarf.debug_line_str.reader().slice().get(at.0..)
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    let bytes = &bytes[..bytes.len().min(STRING_MAX)];
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// The address ranges of an entry, from `low_pc`/`high_pc` or `ranges`; empty ones left out.
pub(super) fn ranges(
    dwarf: &Dwarf<'_>,
    unit: &Unit<'_>,
    entry: &Entry<'_>,
    fuel: &Fuel,
) -> Vec<Range> {
    let mut found = Vec::new();
    if let Some(value) = entry.attr_value(gimli::DW_AT_ranges) {
        if let Ok(Some(mut list)) = dwarf.attr_ranges(unit, value) {
            while let Ok(Some(range)) = list.next() {
                if !fuel.spend(4) {
                    break;
                }
                if range.begin < range.end {
                    found.push(range);
                }
            }
        }
        return found;
    }
    let address = |value| dwarf.attr_address(unit, value).ok().flatten();
    let Some(begin) = entry.attr_value(gimli::DW_AT_low_pc).and_then(address) else {
        return found;
    };
    let end = entry.attr_value(gimli::DW_AT_high_pc).and_then(|value| match value {
        AttributeValue::Udata(size) => begin.checked_add(size),
        value => address(value),
    });
    if let Some(end) = end.filter(|&end| begin < end) {
        found.push(Range { begin, end });
    }
    found
}

/// A non-negative constant.
pub(super) fn unsigned(entry: &Entry<'_>, name: DwAt) -> Option<u64> {
    match entry.attr_value(name)? {
        AttributeValue::FileIndex(index) => Some(index),
        value => value.udata_value(),
    }
}

/// A set flag.
pub(super) fn flag(entry: &Entry<'_>, name: DwAt) -> bool {
    matches!(entry.attr_value(name), Some(AttributeValue::Flag(true)))
}

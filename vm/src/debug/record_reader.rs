//! From entries to records: members, base classes, bit-fields, and the alternatives of Rust enums.

use gimli::{AttributeValue, UnitOffset};

use super::atomic_types::is_atomic_record;
use super::attr::{self, Entry};
use super::dies::Die;
use super::sections::Slice;
use super::type_reader::{CHAIN_MAX, Reader, byte_size, constant};
use super::types::{BitRange, Flavour, Kind, Member, Record, Type, TypeId, Variant, Variants};

impl<'d> Reader<'_, 'd> {
    pub(super) fn record(&self, flavour: Flavour, size: Option<u64>) -> Type {
        let name = self.name();
        if attr::flag(&self.die.entry, gimli::DW_AT_declaration) {
            let elsewhere = self.dies.info.definition_of(&name, self.die.id);
            if let Some(definition) = elsewhere.filter(|_| self.depth < CHAIN_MAX) {
                let id = self.type_id(definition);
                return self.dies.info.read_part(id, self.depth + 1);
            }
            let record = Record { flavour, ..Record::default() };
            return Type { name, size: None, kind: Kind::Record(record), is_atomic: false };
        }
        let mut record = Record { flavour, is_complete: true, ..Record::default() };
        self.children(|child, offset| match child.tag() {
            gimli::DW_TAG_member | gimli::DW_TAG_inheritance => {
                record.members.extend(self.member(&child));
            }
            gimli::DW_TAG_variant_part => record.variants = Some(self.variants(&child, offset)),
            _ => {}
        });
        let is_atomic = is_atomic_record(&name);
        Type { name, size, kind: Kind::Record(record), is_atomic }
    }

    fn member(&self, child: &Entry<'d>) -> Option<Member> {
        let is_base = child.tag() == gimli::DW_TAG_inheritance;
        let is_static =
            attr::flag(child, gimli::DW_AT_external) || attr::flag(child, gimli::DW_AT_declaration);
        if is_static && !is_base {
            return None;
        }
        let ty = child.attr_value(gimli::DW_AT_type)?;
        let ty = self.type_id(self.dies.reference_value(self.die.unit_number, ty)?);
        let name = attr::string(&self.dies.dwarf, &self.die.unit, child, gimli::DW_AT_name);
        let (offset, bits) = self.member_place(child, ty);
        let expression = match child.attr_value(gimli::DW_AT_data_member_location) {
            Some(AttributeValue::Exprloc(expression)) if offset.is_none() => {
                Some(expression.0.slice().into())
            }
            _ => None,
        };
        let name = name.filter(|_| !is_base).unwrap_or_default().into();
        Some(Member { name, ty, offset, expression, bits, is_base })
    }

    fn member_place(&self, child: &Entry<'d>, ty: TypeId) -> (Option<u64>, Option<BitRange>) {
        let offset = match child.attr_value(gimli::DW_AT_data_member_location) {
            None => Some(0),
            Some(AttributeValue::Exprloc(expression)) => constant_offset(expression, &self.die),
            Some(value) => value.udata_value(),
        };
        let number = |name| attr::unsigned(child, name);
        let Some(count) = number(gimli::DW_AT_bit_size) else { return (offset, None) };
        let count = u32::try_from(count).unwrap_or(0).min(128);
        if let Some(first) = number(gimli::DW_AT_data_bit_offset) {
            let bits = BitRange { start: (first % 8) as u32, count };
            return (Some(first / 8), Some(bits));
        }
        // DWARF 3: counted from the most significant bit of a storage unit.
        let declared = || byte_size(&self.underlying(ty)?);
        let storage = number(gimli::DW_AT_byte_size).or_else(declared).unwrap_or(4);
        let from_top = number(gimli::DW_AT_bit_offset).unwrap_or(0);
        let start = storage
            .saturating_mul(8)
            .checked_sub(from_top)
            .and_then(|start| start.checked_sub(u64::from(count)))
            .unwrap_or(0);
        let offset = offset.and_then(|offset| offset.checked_add(start / 8));
        (offset, Some(BitRange { start: (start % 8) as u32, count }))
    }

    fn variants(&self, part: &Entry<'d>, offset: UnitOffset) -> Variants {
        let discriminant = part.attr_value(gimli::DW_AT_discr);
        let discriminant =
            discriminant.and_then(|value| self.dies.reference_value(self.die.unit_number, value));
        let mut found = Variants { discriminant: None, alternatives: Vec::new() };
        let _ = self.try_children(offset, &mut |child: Entry<'d>, at: UnitOffset| {
            let id = self.dies.id(self.die.unit_number, at.0 as u32);
            match child.tag() {
                gimli::DW_TAG_member if discriminant == Some(id) => {
                    let member = self.member(&child);
                    found.discriminant =
                        member.and_then(|member| Some((member.offset?, member.ty)));
                }
                gimli::DW_TAG_variant => {
                    let value = child.attr_value(gimli::DW_AT_discr_value).and_then(constant);
                    let _ = self.try_children(at, &mut |inner: Entry<'d>, _| {
                        if let Some(member) = self.member(&inner) {
                            found.alternatives.push(Variant { value, member });
                        }
                    });
                }
                _ => {}
            }
        });
        found
    }
}

/// Member offsets in old files are expressions; only constants are of use here.
fn constant_offset(expression: gimli::Expression<Slice<'_>>, die: &Die<'_>) -> Option<u64> {
    let mut operations = expression.operations(die.unit.encoding());
    let offset = match operations.next().ok()?? {
        gimli::Operation::PlusConstant { value } => value,
        gimli::Operation::UnsignedConstant { value } => value,
        _ => return None,
    };
    operations.next().ok()?.is_none().then_some(offset)
}

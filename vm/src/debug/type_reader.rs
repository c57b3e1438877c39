//! From entries of the debug information to [`Type`]s.
//!
//! Each entry is read once and cached by the module. Incomplete records are completed from another
//! unit of the module that defines a type of the same qualified name. Reading a type never reads
//! more than one other type, and chains are bounded, so that hostile cycles cost little.

use std::sync::{Arc, PoisonError};

use gimli::{AttributeValue, UnitOffset};

use super::DebugInfo;
use super::atomic_types::is_atomic_typedef;
use super::attr::{self, Entry};
use super::dies::{Die, Dies};
use super::types::{Encoding, Flavour, Kind, Qualifier, Type, TypeId};
use super::units::DieId;

/// No type has more members, enumerators or parameters than this.
const CHILDREN_MAX: usize = 1 << 16;
/// Longest chain of typedefs, qualifiers and arrays of arrays.
pub(super) const CHAIN_MAX: usize = 64;

impl DebugInfo {
    /// The type behind an id of this module.
    pub(super) fn type_at(&self, id: TypeId) -> Arc<Type> {
        let types = self.types.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = types.get(&id) {
            return found.clone();
        }
        drop(types);
        let read = Arc::new(self.read_type(id, 0));
        let mut types = self.types.write().unwrap_or_else(PoisonError::into_inner);
        types.entry(id).or_insert(read).clone()
    }

    fn read_type(&self, id: TypeId, depth: usize) -> Type {
        if let Some(pointers) = id.pointers.checked_sub(1) {
            return Type::pointer(TypeId { pointers, ..id });
        }
        if id.module != self.module {
            return id.of_no_module();
        }
        let dies = Dies::new(self);
        let Some(die) = dies.die(DieId(id.offset)) else { return TypeId::unknown(0).builtin() };
        // A type that lies in a type unit of its own.
        if let Some(home) = dies.reference(&die, gimli::DW_AT_signature) {
            return self.read_part(TypeId { offset: home.0, ..id }, depth + 1);
        }
        let reader = Reader { dies: &dies, die, id, depth };
        if id.skipped_dimensions > 0 { reader.array() } else { reader.read() }
    }

    /// Reads a type as a part of another one; results that may be cut short are not cached.
    pub(super) fn read_part(&self, id: TypeId, depth: usize) -> Type {
        if depth > CHAIN_MAX {
            return TypeId::unknown(0).builtin();
        }
        let types = self.types.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = types.get(&id) {
            return Type::clone(found);
        }
        drop(types);
        self.read_type(id, depth)
    }
}

/// One type being read.
pub(super) struct Reader<'a, 'd> {
    pub(super) dies: &'a Dies<'d>,
    pub(super) die: Die<'d>,
    id: TypeId,
    pub(super) depth: usize,
}

impl<'d> Reader<'_, 'd> {
    fn read(&self) -> Type {
        let target = self.target();
        let size = attr::unsigned(&self.die.entry, gimli::DW_AT_byte_size);
        let named = |ty: Type| Type { is_atomic: is_atomic_typedef(&ty.name), ..ty };
        let plain = |kind, size| Type { name: self.name(), size, kind, is_atomic: false };
        match self.die.entry.tag() {
            gimli::DW_TAG_base_type => named(plain(Kind::Base(self.encoding()), size)),
            gimli::DW_TAG_unspecified_type => plain(Kind::Void, size),
            gimli::DW_TAG_pointer_type => {
                plain(Kind::Pointer { target, is_reference: false }, Some(size.unwrap_or(8)))
            }
            gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                plain(Kind::Pointer { target, is_reference: true }, Some(size.unwrap_or(8)))
            }
            gimli::DW_TAG_ptr_to_member_type => plain(Kind::MemberPointer, size),
            gimli::DW_TAG_typedef => named(plain(Kind::Typedef(target), self.size_of(target))),
            gimli::DW_TAG_const_type => self.qualified(Qualifier::Const, target),
            gimli::DW_TAG_volatile_type => self.qualified(Qualifier::Volatile, target),
            gimli::DW_TAG_restrict_type => self.qualified(Qualifier::Restrict, target),
            gimli::DW_TAG_atomic_type => Type {
                name: "".into(),
                size: self.size_of(target),
                kind: Kind::Atomic(target),
                is_atomic: true,
            },
            gimli::DW_TAG_array_type => self.array(),
            gimli::DW_TAG_enumeration_type => self.enumeration(size, target),
            gimli::DW_TAG_subroutine_type => self.function(target),
            gimli::DW_TAG_structure_type => self.record(Flavour::Struct, size),
            gimli::DW_TAG_class_type => self.record(Flavour::Class, size),
            gimli::DW_TAG_union_type => self.record(Flavour::Union, size),
            _ => plain(Kind::Unknown, size),
        }
    }

    /// The type that this one is made of; void if there is none.
    fn target(&self) -> TypeId {
        let target = self.dies.reference(&self.die, gimli::DW_AT_type);
        target.map_or(TypeId::VOID, |target| self.type_id(target))
    }

    pub(super) fn type_id(&self, die: DieId) -> TypeId {
        TypeId::of_module(self.id.module, die.0)
    }

    fn size_of(&self, target: TypeId) -> Option<u64> {
        // Most types say their size themselves; their members are of no interest here.
        let die = (target.module == self.id.module).then(|| self.dies.die(DieId(target.offset)));
        let size = die.flatten().and_then(|die| byte_size(&die.entry));
        size.or_else(|| self.dies.info.read_part(target, self.depth + 1).size)
    }

    pub(super) fn name(&self) -> Arc<str> {
        let path = self.dies.qualified(self.die.id);
        path.map_or("".into(), |path| path.join("::").into())
    }

    fn qualified(&self, qualifier: Qualifier, target: TypeId) -> Type {
        Type {
            name: "".into(),
            size: self.size_of(target),
            kind: Kind::Qualified(qualifier, target),
            is_atomic: false,
        }
    }

    fn encoding(&self) -> Encoding {
        match encoding(&self.die.entry) {
            // Rust calls its bytes characters.
            Encoding::UnsignedChar if self.is_rust() => Encoding::Unsigned,
            encoding => encoding,
        }
    }

    /// The base type behind typedefs and qualifiers.
    pub(super) fn underlying(&self, id: TypeId) -> Option<Entry<'d>> {
        let mut die = self.dies.die(DieId(id.offset))?;
        for _ in 0..CHAIN_MAX {
            if die.entry.tag() == gimli::DW_TAG_base_type {
                return Some(die.entry);
            }
            die = self.dies.die(self.dies.reference(&die, gimli::DW_AT_type)?)?;
        }
        None
    }

    fn is_rust(&self) -> bool {
        self.dies.units.units[self.die.unit_number].is_rust()
    }

    /// Calls `visit` for each direct child of the entry.
    pub(super) fn children(&self, mut visit: impl FnMut(Entry<'d>, UnitOffset)) {
        let _ = self.try_children(self.die.entry.offset(), &mut visit);
    }

    pub(super) fn try_children(
        &self,
        parent: UnitOffset,
        visit: &mut impl FnMut(Entry<'d>, UnitOffset),
    ) -> gimli::Result<()> {
        let mut entries = self.die.unit.entries_raw(Some(parent))?;
        let Some(abbreviation) = entries.read_abbreviation()? else { return Ok(()) };
        if !abbreviation.has_children() {
            return Ok(());
        }
        entries.skip_attributes(abbreviation.attributes())?;
        let mut seen = 0;
        while !entries.is_empty() && entries.next_depth() >= 1 && seen < CHILDREN_MAX {
            if !self.dies.info.fuel.spend(2) {
                break;
            }
            let (depth, offset) = (entries.next_depth(), entries.next_offset());
            if depth == 1 {
                let mut entry = Entry::null();
                if entries.read_entry(&mut entry)? {
                    visit(entry, offset);
                    seen += 1;
                }
            } else if let Some(abbreviation) = entries.read_abbreviation()? {
                entries.skip_attributes(abbreviation.attributes())?;
            }
        }
        Ok(())
    }

    fn array(&self) -> Type {
        let mut dimensions: Vec<Option<u64>> = Vec::new();
        self.children(|child, _| {
            let is_dimension =
                matches!(child.tag(), gimli::DW_TAG_subrange_type | gimli::DW_TAG_enumeration_type);
            if is_dimension && dimensions.len() < usize::from(u8::MAX) {
                dimensions.push(dimension(&child));
            }
        });
        let rest = dimensions.get(usize::from(self.id.skipped_dimensions)..).unwrap_or(&[]);
        let base = self.target();
        let Some((&count, inner)) = rest.split_first() else {
            // Indexed through all dimensions (or an array without any): the element itself.
            return self.dies.info.read_part(base, self.depth + 1);
        };
        let size = self.size_of(base);
        let stride = inner
            .iter()
            .try_fold(size.unwrap_or(0), |product, &count| product.checked_mul(count.unwrap_or(0)));
        let stride = stride.unwrap_or(0);
        let element = if inner.is_empty() { base } else { self.id.row() };
        Type {
            name: "".into(),
            size: size.and(count.unwrap_or(0).checked_mul(stride)),
            kind: Kind::Array { element, count, stride },
            is_atomic: false,
        }
    }

    fn enumeration(&self, size: Option<u64>, target: TypeId) -> Type {
        let underlying = self.underlying(target);
        let mut enumerators = Vec::new();
        let mut any_negative = false;
        self.children(|child, _| {
            let name = attr::string(&self.dies.dwarf, &self.die.unit, &child, gimli::DW_AT_name);
            let value = child.attr_value(gimli::DW_AT_const_value).and_then(constant);
            if let (gimli::DW_TAG_enumerator, Some(name), Some(value)) = (child.tag(), name, value)
            {
                any_negative |= value < 0;
                enumerators.push((name.into(), value));
            }
        });
        let is_signed = match underlying.as_ref().map(encoding) {
            Some(encoding) => matches!(encoding, Encoding::Signed | Encoding::SignedChar),
            None => any_negative,
        };
        Type {
            name: self.name(),
            size: size.or_else(|| byte_size(&underlying?)),
            kind: Kind::Enum { enumerators, is_signed },
            is_atomic: false,
        }
    }

    fn function(&self, result: TypeId) -> Type {
        let mut parameters = Vec::new();
        self.children(|child, _| {
            if child.tag() == gimli::DW_TAG_formal_parameter {
                let ty = child.attr_value(gimli::DW_AT_type);
                let ty = ty.and_then(|ty| self.dies.reference_value(self.die.unit_number, ty));
                parameters.push(ty.map_or(TypeId::VOID, |ty| self.type_id(ty)));
            }
        });
        Type {
            name: "".into(),
            size: None,
            kind: Kind::Function { result, parameters },
            is_atomic: false,
        }
    }
}

pub(super) fn byte_size(entry: &Entry<'_>) -> Option<u64> {
    attr::unsigned(entry, gimli::DW_AT_byte_size)
}

/// The encoding of a base type.
fn encoding(entry: &Entry<'_>) -> Encoding {
    let Some(AttributeValue::Encoding(encoding)) = entry.attr_value(gimli::DW_AT_encoding) else {
        return Encoding::Other;
    };
    match encoding {
        gimli::DW_ATE_boolean => Encoding::Bool,
        gimli::DW_ATE_signed => Encoding::Signed,
        gimli::DW_ATE_unsigned | gimli::DW_ATE_address => Encoding::Unsigned,
        gimli::DW_ATE_signed_char => Encoding::SignedChar,
        gimli::DW_ATE_unsigned_char => Encoding::UnsignedChar,
        gimli::DW_ATE_UTF | gimli::DW_ATE_UCS | gimli::DW_ATE_ASCII => Encoding::Unicode,
        gimli::DW_ATE_float => Encoding::Float,
        gimli::DW_ATE_complex_float => Encoding::Complex,
        _ => Encoding::Other,
    }
}

/// Number of elements of one array dimension.
fn dimension(child: &Entry<'_>) -> Option<u64> {
    if let Some(count) = attr::unsigned(child, gimli::DW_AT_count) {
        return Some(count);
    }
    let lower = attr::unsigned(child, gimli::DW_AT_lower_bound).unwrap_or(0);
    let upper = match child.attr_value(gimli::DW_AT_upper_bound)? {
        // An array without elements has the upper bound -1.
        AttributeValue::Sdata(-1) => return Some(0),
        AttributeValue::Data8(u64::MAX) | AttributeValue::Udata(u64::MAX) => return Some(0),
        AttributeValue::Data4(u32::MAX) => return Some(0),
        value => value.udata_value()?,
    };
    upper.checked_sub(lower)?.checked_add(1)
}

/// A constant of any size and sign.
pub(super) fn constant(value: attr::Value<'_>) -> Option<i128> {
    match value {
        AttributeValue::Sdata(value) => Some(i128::from(value)),
        AttributeValue::Udata(value) => Some(i128::from(value)),
        AttributeValue::Data16(value) => Some(value as i128),
        value => value.udata_value().map(i128::from),
    }
}

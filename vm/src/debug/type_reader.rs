//! From entries of the debug information to [`Type`]s.
//!
//! Each entry is read once and cached by the module. Incomplete records are completed from another
//! unit of the module that defines a type of the same qualified name. Reading a type never reads
//! more than one other type, and chains are bounded, so that hostile cycles cost little.

use std::sync::{Arc, PoisonError};

use gimli::{AttributeValue, UnitOffset};

use super::DebugInfo;
use super::attr::{self, Entry};
use super::dies::{Die, Dies};
use super::types::{
    BitRange, Encoding, Flavour, Kind, Member, Qualifier, Record, Type, TypeId, Variant, Variants,
};
use super::units::DieId;

/// No type has more members, enumerators or parameters than this.
const CHILDREN_MAX: usize = 1 << 16;
/// Longest chain of typedefs, qualifiers and arrays of arrays.
const CHAIN_MAX: usize = 64;

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
    fn read_part(&self, id: TypeId, depth: usize) -> Type {
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

struct Reader<'a, 'd> {
    dies: &'a Dies<'d>,
    die: Die<'d>,
    id: TypeId,
    depth: usize,
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

    fn type_id(&self, die: DieId) -> TypeId {
        TypeId::of_module(self.id.module, die.0)
    }

    fn size_of(&self, target: TypeId) -> Option<u64> {
        // Most types say their size themselves; their members are of no interest here.
        let die = (target.module == self.id.module).then(|| self.dies.die(DieId(target.offset)));
        let size = die.flatten().and_then(|die| byte_size(&die.entry));
        size.or_else(|| self.dies.info.read_part(target, self.depth + 1).size)
    }

    fn name(&self) -> Arc<str> {
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
    fn underlying(&self, id: TypeId) -> Option<Entry<'d>> {
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
    fn children(&self, mut visit: impl FnMut(Entry<'d>, UnitOffset)) {
        let _ = self.try_children(self.die.entry.offset(), &mut visit);
    }

    fn try_children(
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

    fn record(&self, flavour: Flavour, size: Option<u64>) -> Type {
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
        let is_atomic = is_atomic_name(&name);
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
        let name = name.filter(|_| !is_base).unwrap_or_default().into();
        Some(Member { name, ty, offset, bits, is_base })
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

fn byte_size(entry: &Entry<'_>) -> Option<u64> {
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
fn constant(value: attr::Value<'_>) -> Option<i128> {
    match value {
        AttributeValue::Sdata(value) => Some(i128::from(value)),
        AttributeValue::Udata(value) => Some(i128::from(value)),
        AttributeValue::Data16(value) => Some(value as i128),
        value => value.udata_value().map(i128::from),
    }
}

/// Member offsets in old files are expressions; only constants are of use here.
fn constant_offset(
    expression: gimli::Expression<super::sections::Slice<'_>>,
    die: &Die<'_>,
) -> Option<u64> {
    let mut operations = expression.operations(die.unit.encoding());
    let offset = match operations.next().ok()?? {
        gimli::Operation::PlusConstant { value } => value,
        gimli::Operation::UnsignedConstant { value } => value,
        _ => return None,
    };
    operations.next().ok()?.is_none().then_some(offset)
}

/// True for the typedefs of `stdatomic.h`. Before DWARF 5 they are all that tells an atomic.
fn is_atomic_typedef(name: &str) -> bool {
    const NAMES: [&str; 24] = [
        "bool",
        "char",
        "schar",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "llong",
        "ullong",
        "char16_t",
        "char32_t",
        "wchar_t",
        "intptr_t",
        "uintptr_t",
        "size_t",
        "ptrdiff_t",
        "intmax_t",
        "uintmax_t",
        "flag",
        "int_least32_t",
        "uint_least32_t",
    ];
    let name = name.strip_prefix("std::").unwrap_or(name);
    name.strip_prefix("atomic_").is_some_and(|rest| NAMES.contains(&rest))
}

/// True for the library types whose accesses are atomic.
fn is_atomic_name(name: &str) -> bool {
    let base = name.split('<').next().unwrap_or(name);
    match base.strip_prefix("core::sync::atomic::") {
        Some(rust) => rust.starts_with("Atomic"),
        None => {
            let (scope, last) = base.rsplit_once("::").unwrap_or(("", base));
            let is_std = scope == "std" || scope.starts_with("std::");
            is_std
                && matches!(
                    last,
                    "atomic"
                        | "__atomic_base"
                        | "__atomic_float"
                        | "atomic_flag"
                        | "atomic_ref"
                        | "__atomic_flag_base"
                        | "__cxx_atomic_impl"
                        | "__cxx_atomic_base_impl"
                )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_atomic_name;

    #[test]
    fn atomic_types_are_told_by_their_names() {
        for name in [
            "std::atomic<int>",
            "std::__atomic_base<int>",
            "std::atomic_flag",
            "std::__1::atomic<bool>",
            "core::sync::atomic::AtomicUsize",
            "core::sync::atomic::AtomicPtr<u8>",
            "core::sync::atomic::Atomic<u32>",
        ] {
            assert!(is_atomic_name(name), "{name}");
        }
        for name in ["atomic<int>", "my::atomic<int>", "std::vector<std::atomic<int>>", "int"] {
            assert!(!is_atomic_name(name), "{name}");
        }
    }
}

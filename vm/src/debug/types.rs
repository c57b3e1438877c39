//! Types as the program declared them: what they are called, how large they are and how they are
//! laid out.
//!
//! A [`TypeId`] is small and copyable; the [`Type`] behind it comes from
//! [`DebugModules::ty`](super::DebugModules::ty) and names other types by their ids, so that
//! recursive types are no problem. Ids also cover types that no entry of the debug information
//! stands for: pointers to any type, rows of arrays, and data of unknown type.

use std::sync::Arc;

/// A type of a loaded module. Equal ids are equal types; the converse does not hold (each unit
/// describes its types anew).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId {
    /// Offset of the entry in the module's debug information, or the size of unknown data.
    pub(super) offset: u64,
    /// Index of the module; [`TypeId::NO_MODULE`] for types that belong to none.
    pub(super) module: u16,
    /// So many dimensions of the array type are already indexed.
    pub(super) skipped_dimensions: u8,
    /// So many pointers stand before the type.
    pub(super) pointers: u8,
}

impl TypeId {
    pub(super) const NO_MODULE: u16 = u16::MAX;
    const VOID_OFFSET: u64 = u64::MAX;

    /// `void`.
    pub const VOID: TypeId = TypeId {
        offset: TypeId::VOID_OFFSET,
        module: TypeId::NO_MODULE,
        skipped_dimensions: 0,
        pointers: 0,
    };

    /// Data of which only the size is known.
    pub fn unknown(size: u64) -> TypeId {
        TypeId { offset: size, ..TypeId::VOID }
    }

    /// The type of a pointer to this type; None after 255 of them.
    pub fn pointer_to(self) -> Option<TypeId> {
        Some(TypeId { pointers: self.pointers.checked_add(1)?, ..self })
    }

    pub(super) fn of_module(module: u16, offset: u64) -> TypeId {
        TypeId { offset, module, skipped_dimensions: 0, pointers: 0 }
    }

    /// The type of a row: this array type with one more dimension indexed.
    pub(super) fn row(self) -> TypeId {
        TypeId { skipped_dimensions: self.skipped_dimensions.saturating_add(1), ..self }
    }

    /// Types of no module, with the pointers before them.
    pub(super) fn of_no_module(self) -> Type {
        match self.pointers.checked_sub(1) {
            Some(pointers) => Type::pointer(TypeId { pointers, ..self }),
            None => self.builtin(),
        }
    }

    /// Types that no module describes.
    pub(super) fn builtin(self) -> Type {
        let is_void = self.offset == TypeId::VOID_OFFSET;
        Type {
            name: if is_void { "void".into() } else { "<unknown type>".into() },
            size: (!is_void).then_some(self.offset),
            kind: if is_void { Kind::Void } else { Kind::Unknown },
            is_atomic: false,
        }
    }
}

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Name as declared, with scopes; empty for types that have none of their own (pointers,
    /// arrays, anonymous records). See [`DebugModules::type_name`](super::DebugModules::type_name).
    pub name: Arc<str>,
    /// Size in bytes; None if the type is incomplete.
    pub size: Option<u64>,
    /// Its structure.
    pub kind: Kind,
    /// True if accesses to it are atomic: C's `_Atomic`, `std::atomic`, Rust's `Atomic*`.
    pub is_atomic: bool,
}

impl Type {
    /// A pointer that the debug information does not mention.
    pub(super) fn pointer(target: TypeId) -> Type {
        Type {
            name: "".into(),
            size: Some(8),
            kind: Kind::Pointer { target, is_reference: false },
            is_atomic: false,
        }
    }
}

/// The structure of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Void,
    /// Data of which only the size is known.
    Unknown,
    /// A number, character or truth value.
    Base(Encoding),
    /// A pointer, or a C++ or Rust reference.
    Pointer {
        /// What it points to.
        target: TypeId,
        /// True for C++ references, which are written without `*`.
        is_reference: bool,
    },
    /// An array.
    Array {
        /// Type of one element (a row, if there are more dimensions).
        element: TypeId,
        /// Number of elements; None for flexible arrays.
        count: Option<u64>,
        /// Distance of the elements in bytes.
        stride: u64,
    },
    /// A structure, class or union.
    Record(Record),
    /// An enumeration.
    Enum {
        /// Names and values, in order of declaration.
        enumerators: Vec<(Arc<str>, i128)>,
        /// True if the representation is signed.
        is_signed: bool,
    },
    /// Another name for a type.
    Typedef(TypeId),
    /// `const`, `volatile` or `restrict`.
    Qualified(Qualifier, TypeId),
    /// C's `_Atomic`.
    Atomic(TypeId),
    /// A function.
    Function {
        /// Type of its result.
        result: TypeId,
        /// Types of its parameters.
        parameters: Vec<TypeId>,
    },
    /// A C++ pointer to a member.
    MemberPointer,
}

/// A qualifier that changes nothing about the representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Qualifier {
    /// `const`
    Const,
    /// `volatile`
    Volatile,
    /// `restrict`
    Restrict,
}

/// How the bytes of a base type are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Two's complement.
    Signed,
    /// Binary.
    Unsigned,
    /// A character that is a signed number.
    SignedChar,
    /// A character that is an unsigned number.
    UnsignedChar,
    /// A Unicode code unit (`char16_t`, Rust's `char`).
    Unicode,
    /// `bool`.
    Bool,
    /// IEEE 754; 16 bytes are the x87 format.
    Float,
    /// Two floating-point numbers.
    Complex,
    /// Something else; shown as bytes.
    Other,
}

/// A structure, class or union.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// The keyword it was declared with.
    pub flavour: Flavour,
    /// Base classes and data members, in order of declaration. Static members are globals.
    pub members: Vec<Member>,
    /// The alternatives of a Rust enum.
    pub variants: Option<Variants>,
    /// False if only the name is known.
    pub is_complete: bool,
}

/// The keyword of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flavour {
    /// `struct`
    #[default]
    Struct,
    /// `class`
    Class,
    /// `union`
    Union,
}

/// A data member or base class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name; empty for anonymous records and base classes.
    pub name: Arc<str>,
    /// Its type.
    pub ty: TypeId,
    /// Where it starts; None for virtual base classes, whose place depends on the object.
    pub offset: Option<u64>,
    /// For virtual base classes: the DWARF expression that computes their address from the
    /// object's.
    pub(super) expression: Option<Arc<[u8]>>,
    /// For bit-fields: the first bit, counted from bit 0 of the byte at `offset`, and the number
    /// of bits.
    pub bits: Option<BitRange>,
    /// True for base classes.
    pub is_base: bool,
}

/// A range of bits in little-endian order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// First bit, counted from the least significant bit of the first byte.
    pub start: u32,
    /// Number of bits.
    pub count: u32,
}

/// The alternatives of a Rust enum, told apart by a discriminant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variants {
    /// Offset and type of the discriminant; None if there is only one alternative.
    pub discriminant: Option<(u64, TypeId)>,
    /// The alternatives.
    pub alternatives: Vec<Variant>,
}

/// One alternative of a Rust enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Value of the discriminant; None for the alternative that takes all other values.
    pub value: Option<i128>,
    /// The record with the alternative's fields.
    pub member: Member,
}

impl Kind {
    /// True for types that are read as one number.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Kind::Base(_) | Kind::Pointer { .. } | Kind::Enum { .. })
    }
}

//! What a part of a formula is while it is being tied to a program: a value or a place, with its
//! type.

use super::code::{Form, Node, Place};
use super::number::NumberType;
use samovar_vm::debug::{self, BitRange, Encoding, Kind, ScalarKind, TypeId};

/// A part of a formula.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A number or an address.
    Value(Node, Type),
    /// Data of the program.
    Place { place: Place, ty: TypeId, bits: Option<BitRange> },
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Number(NumberType),
    /// A pointer to something.
    Pointer(TypeId),
}

impl Type {
    /// The type in which values are compared; addresses are unsigned numbers.
    pub(super) fn number(self) -> NumberType {
        match self {
            Type::Number(ty) => ty,
            Type::Pointer(_) => NumberType::UNSIGNED_LONG,
        }
    }

    pub(super) fn is_pointer(self) -> bool {
        matches!(self, Type::Pointer(_))
    }
}

/// The arithmetic type of data; None if it is no number, or none that formulas know.
pub(super) fn number_type(ty: &debug::Type) -> Option<NumberType> {
    let size = u8::try_from(ty.size?).ok()?;
    let integer = |is_signed| {
        let is_known = matches!(size, 1 | 2 | 4 | 8);
        is_known.then_some(NumberType::Integer { size, is_signed })
    };
    match &ty.kind {
        Kind::Base(Encoding::Bool) if size == 1 => Some(NumberType::Bool),
        Kind::Base(Encoding::Signed | Encoding::SignedChar) => integer(true),
        Kind::Base(Encoding::Unsigned | Encoding::UnsignedChar) => integer(false),
        Kind::Base(Encoding::Unicode | Encoding::Bool) => integer(false),
        Kind::Base(Encoding::Float) => match size {
            4 => Some(NumberType::Single),
            8 => Some(NumberType::Double),
            // The x87 format; a quadruple of the same size is another one.
            12 | 16 if !ty.name.contains("128") => Some(NumberType::Double),
            _ => None,
        },
        Kind::Enum { is_signed, .. } => integer(*is_signed),
        // Symbols without debug information.
        Kind::Unknown => integer(false),
        _ => None,
    }
}

/// How data of an arithmetic type is read, and the type of what comes out: small bit-fields are
/// numbers of type `int`.
pub(super) fn form(
    ty: &debug::Type,
    number: NumberType,
    bits: Option<BitRange>,
) -> Option<(Form, NumberType)> {
    let kind = match number {
        NumberType::Bool | NumberType::Integer { is_signed: false, .. } => ScalarKind::Unsigned,
        NumberType::Integer { is_signed: true, .. } => ScalarKind::Signed,
        NumberType::Single | NumberType::Double => ScalarKind::Float,
    };
    let Some(range) = bits else {
        let size = u8::try_from(ty.size?).ok()?;
        return Some((Form { size, kind, bits: None }, number));
    };
    let size = (range.start.checked_add(range.count)?).div_ceil(8);
    let size = u8::try_from(size).ok().filter(|&size| size <= 16)?;
    let is_small = range.count < 32 || (range.count == 32 && kind == ScalarKind::Signed);
    let number = if is_small { NumberType::INT } else { number };
    Some((Form { size, kind, bits }, number))
}

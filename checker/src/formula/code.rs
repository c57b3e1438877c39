//! A formula that is tied to a program: what is left to do in each state. All names, types, sizes
//! and conversions are settled; addresses of variables with static storage are numbers.

use super::local::Local;
use super::number::{NumberType, Value};
use super::syntax::BinaryOperator;
use samovar_vm::debug::{BitRange, ScalarKind};
use std::ops::Range;

/// A computation.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Known beforehand.
    Constant(Value),
    /// A number in memory or in a register.
    Read(Place, Form),
    /// The address of a place.
    Address(Place),
    /// A conversion.
    Convert(NumberType, Box<Node>),
    /// `-x`, where x is of the type.
    Negate(NumberType, Box<Node>),
    /// `~x`, where x is of the type.
    Complement(NumberType, Box<Node>),
    /// `!x`
    Not(Box<Node>),
    /// Both operands are of the type, or the left one for shifts.
    Arithmetic(BinaryOperator, NumberType, Box<[Node; 2]>),
    /// Both operands are of one type.
    Compare(BinaryOperator, Box<[Node; 2]>),
    /// `a && b`
    And(Box<[Node; 2]>),
    /// `a || b`
    Or(Box<[Node; 2]>),
    /// `a ? b : c`
    Conditional(Box<[Node; 3]>),
}

/// Where data is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// At an address that never changes.
    Fixed(u64),
    /// So many bytes behind where a pointer points.
    Pointed { pointer: Box<Node>, offset: u64 },
    /// So many bytes into an element of an array; indexes from `count` on lead nowhere.
    Element { array: Box<Place>, index: Box<Node>, stride: u64, count: Option<u64>, offset: u64 },
    /// So many bytes into a local of a thread.
    Local { local: Box<Local>, offset: u64 },
}

/// How a number is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Bytes to read, at most 16.
    pub size: u8,
    pub kind: ScalarKind,
    /// Which bits of these, for bit-fields.
    pub bits: Option<BitRange>,
}

impl Form {
    pub(super) const POINTER: Form = Form { size: 8, kind: ScalarKind::Unsigned, bits: None };
}

impl Place {
    /// The place so many bytes further on.
    pub(super) fn at(self, bytes: u64) -> Place {
        match self {
            Place::Fixed(addr) => Place::Fixed(addr.wrapping_add(bytes)),
            Place::Pointed { pointer, offset } => {
                Place::Pointed { pointer, offset: offset.wrapping_add(bytes) }
            }
            Place::Element { array, index, stride, count, offset } => {
                let offset = offset.wrapping_add(bytes);
                Place::Element { array, index, stride, count, offset }
            }
            Place::Local { local, offset } => {
                Place::Local { local, offset: offset.wrapping_add(bytes) }
            }
        }
    }

    /// Where a pointer points.
    pub(super) fn pointed(pointer: Node, offset: u64) -> Place {
        match pointer {
            Node::Constant(Value::Integer(addr)) => {
                Place::Fixed((addr as u64).wrapping_add(offset))
            }
            pointer => Place::Pointed { pointer: Box::new(pointer), offset },
        }
    }

    /// The addresses that `size` bytes at this place can have; None if they can be anywhere.
    pub(super) fn extent(&self, size: u64) -> Option<Range<u64>> {
        match self {
            Place::Fixed(addr) => Some(*addr..addr.saturating_add(size)),
            Place::Element { array, stride, count: Some(count), .. } => {
                array.extent(stride.saturating_mul(*count))
            }
            _ => None,
        }
    }
}

impl Node {
    /// Calls `visit` for every place that is read, wherever it occurs.
    pub(super) fn reads(&self, visit: &mut dyn FnMut(&Place, Form)) {
        match self {
            Node::Constant(_) => {}
            Node::Read(place, form) => {
                visit(place, *form);
                place.reads(visit);
            }
            Node::Address(place) => place.reads(visit),
            Node::Convert(_, inner)
            | Node::Negate(_, inner)
            | Node::Complement(_, inner)
            | Node::Not(inner) => inner.reads(visit),
            Node::Arithmetic(_, _, parts)
            | Node::Compare(_, parts)
            | Node::And(parts)
            | Node::Or(parts) => parts.iter().for_each(|part| part.reads(visit)),
            Node::Conditional(parts) => parts.iter().for_each(|part| part.reads(visit)),
        }
    }

    /// Whether a local of a thread is looked at anywhere.
    pub(super) fn has_locals(&self) -> bool {
        match self {
            Node::Constant(_) => false,
            Node::Read(place, _) | Node::Address(place) => place.has_locals(),
            Node::Convert(_, inner)
            | Node::Negate(_, inner)
            | Node::Complement(_, inner)
            | Node::Not(inner) => inner.has_locals(),
            Node::Arithmetic(_, _, parts)
            | Node::Compare(_, parts)
            | Node::And(parts)
            | Node::Or(parts) => parts.iter().any(Node::has_locals),
            Node::Conditional(parts) => parts.iter().any(Node::has_locals),
        }
    }
}

impl Place {
    fn reads(&self, visit: &mut dyn FnMut(&Place, Form)) {
        match self {
            Place::Fixed(_) | Place::Local { .. } => {}
            Place::Pointed { pointer, .. } => pointer.reads(visit),
            Place::Element { array, index, .. } => {
                array.reads(visit);
                index.reads(visit);
            }
        }
    }

    fn has_locals(&self) -> bool {
        match self {
            Place::Fixed(_) => false,
            Place::Local { .. } => true,
            Place::Pointed { pointer, .. } => pointer.has_locals(),
            Place::Element { array, index, .. } => array.has_locals() || index.has_locals(),
        }
    }
}

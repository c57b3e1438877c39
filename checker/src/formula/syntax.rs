//! The syntax tree of a formula. Every node knows which bytes of the text it stands for.

use super::number::NumberType;
use std::ops::Range;

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    /// The bytes of the text.
    pub at: Range<usize>,
    /// What it is.
    pub kind: ExpressionKind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpressionKind {
    /// An integer or character.
    Integer { value: u64, ty: NumberType },
    /// A floating-point number.
    Float { value: f64, ty: NumberType },
    /// `NULL`
    Null,
    /// A variable, an enumerator or a function.
    Name(String),
    /// `thread[2]::f::x`: a local, or a thread-local variable, of one thread.
    Local { thread: u32, name: String },
    /// `object.name`, `object->name`
    Member { object: Box<Expression>, name: String, is_arrow: bool, name_at: Range<usize> },
    /// `array[index]`
    Index { array: Box<Expression>, index: Box<Expression> },
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `condition ? then : otherwise`
    Conditional(Box<[Expression; 3]>),
    /// `(type) operand`
    Cast(NumberType, Box<Expression>),
    /// `sizeof operand`
    SizeOf(Box<Expression>),
    /// `sizeof(type)`
    SizeOfType(NumberType),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOperator {
    Plus,
    Minus,
    Not,
    Complement,
    Deref,
    AddressOf,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryOperator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl BinaryOperator {
    /// How tightly it binds; the operators of one level group from the left.
    pub(super) fn precedence(self) -> u8 {
        use BinaryOperator::*;
        match self {
            Multiply | Divide | Remainder => 10,
            Add | Subtract => 9,
            ShiftLeft | ShiftRight => 8,
            Less | LessOrEqual | Greater | GreaterOrEqual => 7,
            Equal | NotEqual => 6,
            BitAnd => 5,
            BitXor => 4,
            BitOr => 3,
            And => 2,
            Or => 1,
        }
    }

    /// As it is written.
    pub(super) fn symbol(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            Add => "+",
            Subtract => "-",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            Less => "<",
            LessOrEqual => "<=",
            Greater => ">",
            GreaterOrEqual => ">=",
            Equal => "==",
            NotEqual => "!=",
            BitAnd => "&",
            BitXor => "^",
            BitOr => "|",
            And => "&&",
            Or => "||",
        }
    }
}

impl Expression {
    /// True for what names a piece of the program's data, as a whole.
    pub(super) fn is_path(&self) -> bool {
        use ExpressionKind::*;
        matches!(
            self.kind,
            Name(_) | Local { .. } | Member { .. } | Index { .. } | Unary(UnaryOperator::Deref, _)
        )
    }

    /// The nodes right below.
    pub(super) fn children(&self) -> Vec<&Expression> {
        use ExpressionKind::*;
        match &self.kind {
            Integer { .. } | Float { .. } | Null | Name(_) | Local { .. } | SizeOfType(_) => vec![],
            Member { object, .. } => vec![object],
            Unary(_, inner) | Cast(_, inner) | SizeOf(inner) => vec![inner],
            Index { array: first, index: second } | Binary(_, first, second) => {
                vec![first, second]
            }
            Conditional(parts) => parts.iter().collect(),
        }
    }
}

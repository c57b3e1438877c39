//! Numbers as C sees them: the arithmetic types of x86-64 Linux, and values.

/// What a formula comes to in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing is known; see the head of [`super`].
    Undefined,
    /// A whole number: integers, characters, truth values, enumerators, addresses.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

impl Value {
    /// Whether the value counts as true; None if it is undefined.
    pub fn is_true(self) -> Option<bool> {
        match self {
            Value::Undefined => None,
            Value::Integer(value) => Some(value != 0),
            Value::Float(value) => Some(value != 0.0),
        }
    }

    pub(super) fn of_truth(truth: Option<bool>) -> Value {
        truth.map_or(Value::Undefined, |truth| Value::Integer(i128::from(truth)))
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Undefined => f.write_str("undefined"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value}"),
        }
    }
}

/// An arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    /// `bool`: whatever is converted to it becomes 0 or 1.
    Bool,
    /// An integer of 1, 2, 4 or 8 bytes.
    Integer { size: u8, is_signed: bool },
    /// `float`
    Single,
    /// `double`, and `long double` rounded to it.
    Double,
}

impl NumberType {
    pub(super) const INT: NumberType = NumberType::Integer { size: 4, is_signed: true };
    pub(super) const UNSIGNED: NumberType = NumberType::Integer { size: 4, is_signed: false };
    pub(super) const LONG: NumberType = NumberType::Integer { size: 8, is_signed: true };
    pub(super) const UNSIGNED_LONG: NumberType = NumberType::Integer { size: 8, is_signed: false };

    pub(super) fn is_float(self) -> bool {
        matches!(self, NumberType::Single | NumberType::Double)
    }

    /// Size in bytes.
    pub(super) fn size(self) -> u8 {
        match self {
            NumberType::Bool => 1,
            NumberType::Integer { size, .. } => size,
            NumberType::Single => 4,
            NumberType::Double => 8,
        }
    }

    /// The type after the integer promotions.
    pub(super) fn promoted(self) -> NumberType {
        match self {
            NumberType::Bool | NumberType::Integer { size: 1 | 2, .. } => NumberType::INT,
            other => other,
        }
    }

    /// The common type of two operands, by the usual arithmetic conversions.
    pub(super) fn common(self, other: NumberType) -> NumberType {
        if self == NumberType::Double || other == NumberType::Double {
            return NumberType::Double;
        }
        if self.is_float() || other.is_float() {
            return NumberType::Single;
        }
        let (a, b) = (self.promoted(), other.promoted());
        match (a, b) {
            (
                NumberType::Integer { size, is_signed },
                NumberType::Integer { size: other_size, is_signed: other_signed },
            ) if size == other_size => {
                NumberType::Integer { size, is_signed: is_signed && other_signed }
            }
            // A signed type that is wider holds every value of the other.
            _ if b.size() < a.size() => a,
            _ => b,
        }
    }

    /// A value as this type holds it.
    pub(super) fn convert(self, value: Value) -> Value {
        match (self, value) {
            (_, Value::Undefined) => Value::Undefined,
            (NumberType::Bool, value) => Value::of_truth(value.is_true()),
            (NumberType::Integer { .. }, Value::Integer(value)) => Value::Integer(self.wrap(value)),
            (NumberType::Integer { .. }, Value::Float(value)) => self.truncate(value),
            (NumberType::Single, Value::Integer(value)) => Value::Float(f64::from(value as f32)),
            (NumberType::Single, Value::Float(value)) => Value::Float(f64::from(value as f32)),
            (NumberType::Double, Value::Integer(value)) => Value::Float(value as f64),
            (NumberType::Double, value) => value,
        }
    }

    /// The low bits of a number, read as this integer type.
    pub(super) fn wrap(self, value: i128) -> i128 {
        match self {
            NumberType::Integer { size, is_signed } => {
                let unused = 128 - u32::from(size) * 8;
                if is_signed {
                    (value << unused) >> unused
                } else {
                    (((value as u128) << unused) >> unused) as i128
                }
            }
            _ => value,
        }
    }

    /// A floating-point number without its fraction; undefined if the type cannot hold it.
    fn truncate(self, value: f64) -> Value {
        let whole = value.trunc();
        let is_small = whole.abs() < 1e30;
        match whole as i128 {
            number if is_small && self.wrap(number) == number => Value::Integer(number),
            _ => Value::Undefined,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAR: NumberType = NumberType::Integer { size: 1, is_signed: true };

    #[test]
    fn operands_find_their_common_type() {
        let common = |a: NumberType, b: NumberType| a.common(b);
        assert_eq!(common(CHAR, CHAR), NumberType::INT);
        assert_eq!(common(NumberType::Bool, NumberType::UNSIGNED), NumberType::UNSIGNED);
        assert_eq!(common(NumberType::LONG, NumberType::UNSIGNED), NumberType::LONG);
        assert_eq!(common(NumberType::LONG, NumberType::UNSIGNED_LONG), NumberType::UNSIGNED_LONG);
        assert_eq!(common(NumberType::LONG, NumberType::Single), NumberType::Single);
        assert_eq!(common(NumberType::Single, NumberType::Double), NumberType::Double);
    }

    #[test]
    fn conversions_wrap_and_truncate() {
        assert_eq!(CHAR.convert(Value::Integer(200)), Value::Integer(-56));
        assert_eq!(NumberType::UNSIGNED.convert(Value::Integer(-1)), Value::Integer(0xffff_ffff));
        assert_eq!(NumberType::INT.convert(Value::Float(-2.9)), Value::Integer(-2));
        assert_eq!(NumberType::INT.convert(Value::Float(3e9)), Value::Undefined);
        assert_eq!(NumberType::INT.convert(Value::Float(f64::NAN)), Value::Undefined);
        assert_eq!(NumberType::Bool.convert(Value::Float(0.5)), Value::Integer(1));
        let third = 16_777_217;
        assert_eq!(NumberType::Single.convert(Value::Integer(third)), Value::Float(16_777_216.0));
    }
}

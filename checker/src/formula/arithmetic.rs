//! C's operators on values, as pure functions. Operands are already converted to the type of the
//! operation.

use super::number::{NumberType, Value};
use super::syntax::BinaryOperator;
use std::cmp::Ordering;

/// `a operator b` in a type; for shifts the type of `a`.
pub(super) fn binary(operator: BinaryOperator, ty: NumberType, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => integer(operator, ty, a, b)
            .map_or(Value::Undefined, |value| Value::Integer(ty.wrap(value))),
        (Value::Float(a), Value::Float(b)) => float(operator, ty, a, b),
        _ => Value::Undefined,
    }
}

fn integer(operator: BinaryOperator, ty: NumberType, a: i128, b: i128) -> Option<i128> {
    let width = i128::from(ty.size()) * 8;
    let is_shift_in_range = (0..width).contains(&b);
    // The one quotient that its type cannot hold traps like a division by zero.
    let quotient = || a.checked_div(b).filter(|&quotient| ty.wrap(quotient) == quotient);
    Some(match operator {
        BinaryOperator::Add => a.wrapping_add(b),
        BinaryOperator::Subtract => a.wrapping_sub(b),
        BinaryOperator::Multiply => a.wrapping_mul(b),
        BinaryOperator::Divide => quotient()?,
        BinaryOperator::Remainder => quotient().and_then(|_| a.checked_rem(b))?,
        BinaryOperator::ShiftLeft if is_shift_in_range => a.wrapping_shl(b as u32),
        BinaryOperator::ShiftRight if is_shift_in_range => a.wrapping_shr(b as u32),
        BinaryOperator::BitAnd => a & b,
        BinaryOperator::BitOr => a | b,
        BinaryOperator::BitXor => a ^ b,
        _ => return None,
    })
}

fn float(operator: BinaryOperator, ty: NumberType, a: f64, b: f64) -> Value {
    // A double holds enough digits that rounding its result once more is the float's result.
    ty.convert(Value::Float(match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        // Unlike that of integers, division by zero has a value.
        BinaryOperator::Divide => a / b,
        _ => return Value::Undefined,
    }))
}

/// `-a`
pub(super) fn negate(ty: NumberType, a: Value) -> Value {
    match a {
        Value::Integer(a) => Value::Integer(ty.wrap(-a)),
        Value::Float(a) => Value::Float(-a),
        Value::Undefined => Value::Undefined,
    }
}

/// `~a`
pub(super) fn complement(ty: NumberType, a: Value) -> Value {
    match a {
        Value::Integer(a) => Value::Integer(ty.wrap(!a)),
        _ => Value::Undefined,
    }
}

/// Whether a comparison holds; None if an operand is undefined.
pub(super) fn compare(operator: BinaryOperator, a: Value, b: Value) -> Option<bool> {
    let order = match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        _ => return None,
    };
    // What is no number is different from everything and in no order to it.
    Some(match operator {
        BinaryOperator::Equal => order == Some(Ordering::Equal),
        BinaryOperator::NotEqual => order != Some(Ordering::Equal),
        BinaryOperator::Less => order == Some(Ordering::Less),
        BinaryOperator::LessOrEqual => order.is_some_and(Ordering::is_le),
        BinaryOperator::Greater => order == Some(Ordering::Greater),
        BinaryOperator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOperator::*;

    fn of(operator: BinaryOperator, ty: NumberType, a: i128, b: i128) -> Value {
        binary(operator, ty, Value::Integer(a), Value::Integer(b))
    }

    #[test]
    fn integers_wrap_and_trap() {
        let (int, unsigned) = (NumberType::INT, NumberType::UNSIGNED);
        let least = i128::from(i32::MIN);
        assert_eq!(of(Add, int, i128::from(i32::MAX), 1), Value::Integer(least));
        assert_eq!(of(Subtract, unsigned, 0, 1), Value::Integer(0xffff_ffff));
        assert_eq!(of(Divide, int, -7, 2), Value::Integer(-3));
        assert_eq!(of(Remainder, int, -7, 2), Value::Integer(-1));
        assert_eq!(of(Divide, int, 1, 0), Value::Undefined);
        assert_eq!(of(Divide, int, least, -1), Value::Undefined);
        assert_eq!(of(Remainder, int, least, -1), Value::Undefined);
        assert_eq!(of(ShiftRight, int, -8, 1), Value::Integer(-4));
        assert_eq!(of(ShiftLeft, int, 1, 31), Value::Integer(least));
        assert_eq!(of(ShiftLeft, int, 1, 32), Value::Undefined);
        assert_eq!(of(ShiftLeft, int, 1, -1), Value::Undefined);
        let all = i128::from(u64::MAX);
        assert_eq!(of(Multiply, NumberType::UNSIGNED_LONG, all, all), Value::Integer(1));
    }

    #[test]
    fn floats_follow_the_standard() {
        let divided = |a, b| binary(Divide, NumberType::Double, Value::Float(a), Value::Float(b));
        assert_eq!(divided(1.0, 0.0), Value::Float(f64::INFINITY));
        let nan = Value::Float(f64::NAN);
        assert_eq!(compare(Equal, nan, nan), Some(false));
        assert_eq!(compare(NotEqual, nan, nan), Some(true));
        assert_eq!(compare(LessOrEqual, nan, Value::Float(1.0)), Some(false));
        assert_eq!(compare(Less, Value::Undefined, Value::Integer(1)), None);
    }
}

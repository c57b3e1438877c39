//! How far a state is from one in which a formula holds, as a number for guided searches: zero if
//! and only if the formula holds.
//!
//! `a == b` is |a - b| away, `a < b` is a - b + 1 away, `a != b` is 1 away. A conjunction is as far
//! as both sides together, a disjunction as far as the nearer side, a negation is pushed inwards.
//! What is undefined is as far as can be.

use super::arithmetic;
use super::code::Node;
use super::evaluate::{Evaluation, Reader};
use super::number::Value;
use super::syntax::BinaryOperator;

/// As far away as can be.
const FAR: u64 = u64::MAX;

impl<R: Reader> Evaluation<'_, R> {
    /// The distance from `node` being true, or from being false.
    pub(super) fn distance(&mut self, node: &Node, wanted: bool) -> u64 {
        match node {
            Node::Not(inner) => self.distance(inner, !wanted),
            Node::And(parts) | Node::Or(parts) => {
                let first = self.distance(&parts[0], wanted);
                let second = self.distance(&parts[1], wanted);
                // What has to be false is the other operator with both sides false.
                let needs_both = matches!(node, Node::And(_)) == wanted;
                if needs_both { first.saturating_add(second) } else { first.min(second) }
            }
            Node::Conditional(parts) => match self.truth(&parts[0]) {
                Some(true) => self.distance(&parts[1], wanted),
                Some(false) => self.distance(&parts[2], wanted),
                None => FAR,
            },
            Node::Compare(operator, parts) => {
                let (a, b) = (self.value(&parts[0]), self.value(&parts[1]));
                between(*operator, a, b, wanted)
            }
            _ => between(BinaryOperator::NotEqual, self.value(node), Value::Integer(0), wanted),
        }
    }
}

/// The distance of two values from satisfying a comparison, or from not satisfying it.
fn between(operator: BinaryOperator, a: Value, b: Value, wanted: bool) -> u64 {
    let (a, b) = match (a, b) {
        (Value::Float(_), Value::Integer(0)) => (a, Value::Float(0.0)),
        pair => pair,
    };
    match arithmetic::compare(operator, a, b) {
        None => return FAR,
        Some(truth) if truth == wanted => return 0,
        Some(_) => {}
    }
    let gap = gap(a, b);
    let is_equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
    let has_to_be_equal = (operator == BinaryOperator::Equal) == wanted;
    let includes_equal =
        matches!(operator, BinaryOperator::LessOrEqual | BinaryOperator::GreaterOrEqual) == wanted;
    match (is_equality, has_to_be_equal, includes_equal) {
        (true, true, _) => gap.max(1),
        (true, false, _) => 1,
        (false, _, true) => gap.max(1),
        (false, _, false) => gap.saturating_add(1),
    }
}

/// How far two numbers are apart, rounded up.
fn gap(a: Value, b: Value) -> u64 {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => u64::try_from(a.abs_diff(b)).unwrap_or(FAR),
        (Value::Float(a), Value::Float(b)) => {
            let gap = (a - b).abs().ceil();
            // Also what is no number at all is far away.
            if gap < 1e19 { gap as u64 } else { FAR }
        }
        _ => FAR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOperator::*;
    use proptest::prelude::*;

    const COMPARISONS: [BinaryOperator; 6] =
        [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual];

    fn away(operator: BinaryOperator, a: i64, b: i64, wanted: bool) -> u64 {
        between(operator, Value::Integer(a.into()), Value::Integer(b.into()), wanted)
    }

    fn far_apart(operator: BinaryOperator, a: f64, b: f64, wanted: bool) -> u64 {
        between(operator, Value::Float(a), Value::Float(b), wanted)
    }

    #[test]
    fn comparisons_are_as_far_as_their_operands() {
        assert_eq!(away(Equal, 7, 3, true), 4);
        assert_eq!(away(NotEqual, 3, 3, true), 1);
        assert_eq!(away(Less, 7, 3, true), 5);
        assert_eq!(away(LessOrEqual, 7, 3, true), 4);
        assert_eq!(away(Greater, 3, 3, true), 1);
        assert_eq!(away(GreaterOrEqual, 3, 3, false), 1);
        assert_eq!(away(Equal, 7, 3, false), 0);
        assert_eq!(away(NotEqual, 7, 3, false), 4);
        assert_eq!(away(Equal, i64::MIN, i64::MAX, true), u64::MAX);
        assert_eq!(away(Less, i64::MAX, i64::MIN, true), u64::MAX);
        assert_eq!(far_apart(Equal, 1.25, 1.0, true), 1);
        assert_eq!(far_apart(Less, f64::NAN, 1.0, true), u64::MAX);
        assert_eq!(between(Less, Value::Undefined, Value::Integer(1), true), u64::MAX);
        assert_eq!(between(Less, Value::Undefined, Value::Integer(1), false), u64::MAX);
    }

    proptest! {
        #[test]
        fn zero_means_that_it_holds(a in -9i64..9, b in -9i64..9, wanted: bool) {
            for operator in COMPARISONS {
                let values = (Value::Integer(a.into()), Value::Integer(b.into()));
                let holds = arithmetic::compare(operator, values.0, values.1) == Some(wanted);
                prop_assert_eq!(away(operator, a, b, wanted) == 0, holds);
            }
        }

        #[test]
        fn zero_means_that_it_holds_for_floats(a: f64, b: f64, wanted: bool) {
            for operator in COMPARISONS {
                let values = (Value::Float(a), Value::Float(b));
                let holds = arithmetic::compare(operator, values.0, values.1) == Some(wanted);
                prop_assert_eq!(far_apart(operator, a, b, wanted) == 0, holds);
            }
        }

        #[test]
        fn nearer_is_smaller(a: i64, step in 1i64..1000, b: i64, wanted: bool) {
            // One step of `a` towards what is wanted makes the distance no larger.
            for operator in [Less, LessOrEqual, Greater, GreaterOrEqual] {
                let downwards = matches!(operator, Less | LessOrEqual) == wanted;
                let nearer = if downwards { a.checked_sub(step) } else { a.checked_add(step) };
                if let Some(nearer) = nearer {
                    let from = away(operator, a, b, wanted);
                    let to = away(operator, nearer, b, wanted);
                    prop_assert!(to <= from);
                    // And smaller by exactly the step, as long as it does not arrive.
                    if to > 0 && from < u64::MAX {
                        prop_assert_eq!(from - to, step as u64);
                    }
                }
            }
        }

        #[test]
        fn equality_is_a_distance(a: i64, b: i64) {
            prop_assert_eq!(away(Equal, a, b, true), a.abs_diff(b));
            prop_assert_eq!(away(Equal, a, b, true), away(Equal, b, a, true));
            prop_assert_eq!(away(NotEqual, a, b, false), a.abs_diff(b));
        }
    }
}

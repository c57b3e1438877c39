//! Makes the nodes of a tied formula; what depends on constants only is computed at once.

use super::arithmetic;
use super::code::{Node, Place};
use super::number::{NumberType, Value};
use super::syntax::BinaryOperator;

/// A value of type `from` as one of type `to`.
pub(super) fn converted(node: Node, from: NumberType, to: NumberType) -> Node {
    match node {
        Node::Constant(value) => Node::Constant(to.convert(value)),
        node if from == to => node,
        node => Node::Convert(to, Box::new(node)),
    }
}

pub(super) fn negated(ty: NumberType, node: Node) -> Node {
    match node {
        Node::Constant(value) => Node::Constant(arithmetic::negate(ty, value)),
        node => Node::Negate(ty, Box::new(node)),
    }
}

pub(super) fn complement(ty: NumberType, node: Node) -> Node {
    match node {
        Node::Constant(value) => Node::Constant(arithmetic::complement(ty, value)),
        node => Node::Complement(ty, Box::new(node)),
    }
}

pub(super) fn not(node: Node) -> Node {
    match node {
        Node::Constant(value) => {
            Node::Constant(Value::of_truth(value.is_true().map(|truth| !truth)))
        }
        node => Node::Not(Box::new(node)),
    }
}

pub(super) fn arithmetic(operator: BinaryOperator, ty: NumberType, sides: [Node; 2]) -> Node {
    match sides {
        [Node::Constant(a), Node::Constant(b)] => {
            Node::Constant(arithmetic::binary(operator, ty, a, b))
        }
        sides => Node::Arithmetic(operator, ty, Box::new(sides)),
    }
}

pub(super) fn comparison(operator: BinaryOperator, sides: [Node; 2]) -> Node {
    match sides {
        [Node::Constant(a), Node::Constant(b)] => {
            Node::Constant(Value::of_truth(arithmetic::compare(operator, a, b)))
        }
        sides => Node::Compare(operator, Box::new(sides)),
    }
}

/// `&&` or `||`; decided if one side is.
pub(super) fn logical(operator: BinaryOperator, sides: [Node; 2]) -> Node {
    let is_and = operator == BinaryOperator::And;
    let truth = |node: &Node| match node {
        Node::Constant(value) => value.is_true(),
        _ => None,
    };
    let truths = [truth(&sides[0]), truth(&sides[1])];
    if truths.contains(&Some(!is_and)) {
        return Node::Constant(Value::of_truth(Some(!is_and)));
    }
    match (truths, &sides) {
        ([Some(a), Some(b)], _) => {
            Node::Constant(Value::of_truth(Some(if is_and { a && b } else { a || b })))
        }
        (_, [Node::Constant(_), Node::Constant(_)]) => Node::Constant(Value::Undefined),
        _ if is_and => Node::And(Box::new(sides)),
        _ => Node::Or(Box::new(sides)),
    }
}

pub(super) fn choice(parts: [Node; 3]) -> Node {
    let [condition, then, otherwise] = parts;
    match condition {
        Node::Constant(value) => match value.is_true() {
            Some(true) => then,
            Some(false) => otherwise,
            None => Node::Constant(Value::Undefined),
        },
        condition => Node::Conditional(Box::new([condition, then, otherwise])),
    }
}

/// The address of a place.
pub(super) fn address(place: Place) -> Node {
    match place {
        Place::Fixed(addr) => Node::Constant(Value::Integer(addr.into())),
        place => Node::Address(place),
    }
}

/// A pointer that is moved by so many strides.
pub(super) fn moved(pointer: Node, index: Node, stride: u64) -> Node {
    let index = match index {
        Node::Constant(value) => Node::Constant(value),
        node => Node::Convert(NumberType::LONG, Box::new(node)),
    };
    let stride = Node::Constant(Value::Integer(stride.into()));
    let bytes = arithmetic(BinaryOperator::Multiply, NumberType::LONG, [index, stride]);
    arithmetic(BinaryOperator::Add, NumberType::UNSIGNED_LONG, [pointer, bytes])
}

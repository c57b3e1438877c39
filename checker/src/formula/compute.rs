//! Operators on values: which conversions they need, and what is not permitted.

use super::code::Node;
use super::error::Complaint;
use super::fold;
use super::number::{NumberType, Value};
use super::operand::Type;
use super::resolve::Resolver;
use super::syntax::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};

type Resolved<T> = Result<T, Complaint>;

impl Resolver<'_> {
    /// The value of an operator and its operands.
    pub(super) fn computed(&self, expression: &Expression) -> Resolved<(Node, Type)> {
        match &expression.kind {
            ExpressionKind::Unary(operator, inner) => self.unary(*operator, inner),
            ExpressionKind::Binary(operator, a, b) => self.binary(*operator, a, b),
            ExpressionKind::Conditional(parts) => self.choice(parts),
            ExpressionKind::Cast(ty, inner) => {
                let (node, from) = self.value(inner)?;
                if from.is_pointer() && ty.is_float() {
                    return Err(self.no_number_but_pointer(inner));
                }
                Ok((fold::converted(node, from.number(), *ty), Type::Number(*ty)))
            }
            _ => self.value(expression),
        }
    }

    fn no_number_but_pointer(&self, expression: &Expression) -> Complaint {
        let sentence = format!("'{}' is a pointer, a number is needed", self.shown(expression));
        Complaint::new(&expression.at, sentence)
    }

    /// A value that has to be a number.
    fn as_number(
        &self,
        expression: &Expression,
        (node, ty): (Node, Type),
    ) -> Resolved<(Node, NumberType)> {
        match ty {
            Type::Number(ty) => Ok((node, ty)),
            Type::Pointer(_) => Err(self.no_number_but_pointer(expression)),
        }
    }

    /// A value that has to be an integer, after the promotions.
    fn as_whole_number(
        &self,
        expression: &Expression,
        value: (Node, Type),
    ) -> Resolved<(Node, NumberType)> {
        let (node, ty) = self.as_number(expression, value)?;
        if ty.is_float() {
            let shown = self.shown(expression);
            let sentence = format!("'{shown}' may have a fraction, a whole number is needed");
            return Err(Complaint::new(&expression.at, sentence));
        }
        Ok((fold::converted(node, ty, ty.promoted()), ty.promoted()))
    }

    /// An integer after the promotions.
    pub(super) fn whole_number(&self, expression: &Expression) -> Resolved<(Node, NumberType)> {
        self.as_whole_number(expression, self.value(expression)?)
    }

    fn unary(&self, operator: UnaryOperator, inner: &Expression) -> Resolved<(Node, Type)> {
        match operator {
            UnaryOperator::Not => {
                let node = fold::not(self.condition(inner)?);
                Ok((node, Type::Number(NumberType::INT)))
            }
            UnaryOperator::Complement => {
                let (node, ty) = self.whole_number(inner)?;
                Ok((fold::complement(ty, node), Type::Number(ty)))
            }
            UnaryOperator::Plus | UnaryOperator::Minus => {
                let (node, ty) = self.as_number(inner, self.value(inner)?)?;
                let node = fold::converted(node, ty, ty.promoted());
                let ty = ty.promoted();
                let is_plus = operator == UnaryOperator::Plus;
                Ok((if is_plus { node } else { fold::negated(ty, node) }, Type::Number(ty)))
            }
            // These are places or addresses, which are dealt with before.
            UnaryOperator::Deref | UnaryOperator::AddressOf => self.value(inner),
        }
    }

    fn binary(
        &self,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
    ) -> Resolved<(Node, Type)> {
        use BinaryOperator::*;
        let int = Type::Number(NumberType::INT);
        match operator {
            And | Or => {
                let sides = [self.condition(a)?, self.condition(b)?];
                Ok((fold::logical(operator, sides), int))
            }
            Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual => {
                let ((left, left_type), (right, right_type)) = (self.value(a)?, self.value(b)?);
                self.no_float_beside_pointer((a, left_type), (b, right_type))?;
                let ty = left_type.number().common(right_type.number());
                let left = fold::converted(left, left_type.number(), ty);
                let right = fold::converted(right, right_type.number(), ty);
                Ok((fold::comparison(operator, [left, right]), int))
            }
            ShiftLeft | ShiftRight => {
                let ((left, ty), (right, _)) = (self.whole_number(a)?, self.whole_number(b)?);
                Ok((fold::arithmetic(operator, ty, [left, right]), Type::Number(ty)))
            }
            Remainder | BitAnd | BitOr | BitXor => {
                let (left, right) = (self.whole_number(a)?, self.whole_number(b)?);
                Ok(common(operator, left, right))
            }
            Add | Subtract | Multiply | Divide => {
                let (left, right) = (self.value(a)?, self.value(b)?);
                let has_pointer = left.1.is_pointer() || right.1.is_pointer();
                if has_pointer && matches!(operator, Add | Subtract) {
                    return self.pointer_sum(operator, (a, left), (b, right));
                }
                Ok(common(operator, self.as_number(a, left)?, self.as_number(b, right)?))
            }
        }
    }

    fn no_float_beside_pointer(
        &self,
        (a, a_type): (&Expression, Type),
        (b, b_type): (&Expression, Type),
    ) -> Resolved<()> {
        if a_type.is_pointer() && b_type.number().is_float() {
            return Err(self.no_number_but_pointer(a));
        }
        if b_type.is_pointer() && a_type.number().is_float() {
            return Err(self.no_number_but_pointer(b));
        }
        Ok(())
    }

    /// A sum or difference with a pointer in it.
    fn pointer_sum(
        &self,
        operator: BinaryOperator,
        (a, left): (&Expression, (Node, Type)),
        (b, right): (&Expression, (Node, Type)),
    ) -> Resolved<(Node, Type)> {
        match (left, right, operator) {
            ((p, Type::Pointer(target)), right @ (_, Type::Number(_)), _) => {
                let stride = self.stride(a, target)?;
                let (mut index, ty) = self.as_whole_number(b, right)?;
                if operator == BinaryOperator::Subtract {
                    let long = fold::converted(index, ty, NumberType::LONG);
                    index = fold::negated(NumberType::LONG, long);
                }
                Ok((fold::moved(p, index, stride), Type::Pointer(target)))
            }
            (left @ (_, Type::Number(_)), (p, Type::Pointer(target)), BinaryOperator::Add) => {
                let stride = self.stride(b, target)?;
                let (index, _) = self.as_whole_number(a, left)?;
                Ok((fold::moved(p, index, stride), Type::Pointer(target)))
            }
            ((p, Type::Pointer(target)), (q, Type::Pointer(_)), BinaryOperator::Subtract) => {
                let stride = Node::Constant(Value::Integer(self.stride(a, target)?.into()));
                let bytes = fold::arithmetic(operator, NumberType::LONG, [p, q]);
                let count =
                    fold::arithmetic(BinaryOperator::Divide, NumberType::LONG, [bytes, stride]);
                Ok((count, Type::Number(NumberType::LONG)))
            }
            _ => Err(self.no_number_but_pointer(b)),
        }
    }

    fn choice(&self, parts: &[Expression; 3]) -> Resolved<(Node, Type)> {
        let condition = self.condition(&parts[0])?;
        let ((then, then_type), (otherwise, otherwise_type)) =
            (self.value(&parts[1])?, self.value(&parts[2])?);
        self.no_float_beside_pointer((&parts[1], then_type), (&parts[2], otherwise_type))?;
        let ty = match (then_type, otherwise_type) {
            (pointer @ Type::Pointer(_), _) | (_, pointer @ Type::Pointer(_)) => pointer,
            (Type::Number(a), Type::Number(b)) => Type::Number(a.common(b)),
        };
        let then = fold::converted(then, then_type.number(), ty.number());
        let otherwise = fold::converted(otherwise, otherwise_type.number(), ty.number());
        Ok((fold::choice([condition, then, otherwise]), ty))
    }
}

/// An operation in the common type of its operands.
fn common(
    operator: BinaryOperator,
    (a, a_type): (Node, NumberType),
    (b, b_type): (Node, NumberType),
) -> (Node, Type) {
    let ty = a_type.common(b_type);
    let sides = [fold::converted(a, a_type, ty), fold::converted(b, b_type, ty)];
    (fold::arithmetic(operator, ty, sides), Type::Number(ty))
}

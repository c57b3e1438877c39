//! Ties a syntax tree to a program: names become addresses, types become conversions.

use super::code::{Form, Node, Place};
use super::error::Complaint;
use super::fold;
use super::lookup::{self, NoState};
use super::nearest::suggestion;
use super::number::{NumberType, Value};
use super::operand::{Operand, Type, form, number_type};
use super::syntax::{Expression, ExpressionKind, UnaryOperator};
use super::watched::{Watched, WatchedVariable};
use samovar_vm::debug::{self, DebugModules, Kind, LookupError, TypeId};
use std::sync::Arc;

type Resolved<T> = Result<T, Complaint>;

/// Ties a whole formula.
pub(super) fn resolve(
    text: &Arc<str>,
    root: &Expression,
    debug: &Arc<DebugModules>,
) -> Resolved<Watched> {
    let resolver = Resolver { text, debug };
    let node = resolver.condition(root)?;
    if let Node::Constant(Value::Undefined) = node {
        return Err(Complaint::new(&root.at, "this is undefined whatever the program does"));
    }
    let mut variables = Vec::new();
    resolver.collect(root, &mut variables);
    Ok(Watched { text: Arc::clone(text), root: node, variables, debug: Arc::clone(debug) })
}

pub(super) struct Resolver<'a> {
    text: &'a str,
    pub(super) debug: &'a DebugModules,
}

impl Resolver<'_> {
    /// The part of the text that an expression stands for.
    pub(super) fn shown(&self, expression: &Expression) -> &str {
        &self.text[expression.at.clone()]
    }

    /// An expression as it is: a place stays a place. References are followed.
    fn operand(&self, expression: &Expression) -> Resolved<Operand> {
        use ExpressionKind::*;
        let complain = |sentence: String| Complaint::new(&expression.at, sentence);
        let constant = |value, ty| Ok(Operand::Value(Node::Constant(value), Type::Number(ty)));
        let operand = match &expression.kind {
            Integer { value, ty } => constant(Value::Integer(ty.wrap(i128::from(*value))), *ty),
            Float { value, ty } => constant(Value::Float(*value), *ty),
            Null => {
                let null = Node::Constant(Value::Integer(0));
                Ok(Operand::Value(null, Type::Pointer(TypeId::VOID)))
            }
            Name(name) => lookup::name(self.debug, name).map_err(complain),
            Local { thread, name } => lookup::local(self.debug, *thread, name).map_err(complain),
            Member { object, name, is_arrow, name_at } => {
                self.member(object, name, *is_arrow).map_err(|complaint| {
                    complaint.unwrap_or_else(|sentence| Complaint::new(name_at, sentence))
                })
            }
            Index { array, index } => self.element(array, index),
            Unary(UnaryOperator::Deref, inner) => self.deref(inner),
            Unary(UnaryOperator::AddressOf, inner) => self.address_of(inner),
            SizeOf(inner) => self.size_of(inner),
            SizeOfType(ty) => constant(Value::Integer(ty.size().into()), NumberType::UNSIGNED_LONG),
            Unary(..) | Binary(..) | Conditional(_) | Cast(..) => {
                self.computed(expression).map(|(node, ty)| Operand::Value(node, ty))
            }
        };
        Ok(self.followed(operand?))
    }

    /// What a C++ reference refers to; anything else as it is.
    fn followed(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Place { place, ty, bits } => match self.debug.peel(ty).ty.kind {
                Kind::Pointer { target, is_reference: true } => {
                    let pointer = Node::Read(place, Form::POINTER);
                    Operand::Place { place: Place::pointed(pointer, 0), ty: target, bits: None }
                }
                _ => Operand::Place { place, ty, bits },
            },
            value => value,
        }
    }

    /// An expression as a value: numbers are read, arrays are pointers to their first element.
    pub(super) fn value(&self, expression: &Expression) -> Resolved<(Node, Type)> {
        self.value_of(expression, self.operand(expression)?)
    }

    /// The value of an operand that an expression came to. Nothing is tied twice, or the work would
    /// double with every level of the tree.
    fn value_of(&self, expression: &Expression, operand: Operand) -> Resolved<(Node, Type)> {
        let (place, ty, bits) = match operand {
            Operand::Value(node, ty) => return Ok((node, ty)),
            Operand::Place { place, ty, bits } => (place, ty, bits),
        };
        let (place, ty) = self.inside_atomic(place, ty);
        let peeled = self.debug.peel(ty);
        match peeled.ty.kind {
            Kind::Pointer { target, .. } => {
                return Ok((Node::Read(place, Form::POINTER), Type::Pointer(target)));
            }
            Kind::Array { element, .. } => {
                return Ok((fold::address(place), Type::Pointer(element)));
            }
            _ => {}
        }
        let number = number_type(&peeled.ty).and_then(|number| form(&peeled.ty, number, bits));
        let (form, number) =
            number.ok_or_else(|| Complaint::new(&expression.at, self.no_number(expression, ty)))?;
        Ok((Node::Read(place, form), Type::Number(number)))
    }

    fn no_number(&self, expression: &Expression, ty: TypeId) -> String {
        let (shown, name) = (self.shown(expression), self.debug.type_name(ty));
        let peeled = self.debug.peel(ty);
        match &peeled.ty.kind {
            Kind::Record(record) => {
                let members = record.members.iter().filter(|member| !member.name.is_empty());
                let names: Vec<&str> = members.map(|member| &*member.name).take(8).collect();
                let advice = match names.is_empty() {
                    true => String::new(),
                    false => format!("; name one of its members: {}", names.join(", ")),
                };
                format!("'{shown}' is {name}, not a number{advice}")
            }
            Kind::Unknown => {
                let size = peeled.ty.size.unwrap_or(0);
                format!("'{shown}' is {size} bytes of unknown type; compile the program with -g")
            }
            _ => format!("'{shown}' is {name}, which is no number that formulas know"),
        }
    }

    /// The value inside `std::atomic` and its like.
    fn inside_atomic(&self, place: Place, ty: TypeId) -> (Place, TypeId) {
        let peeled = self.debug.peel(ty);
        let is_wrapper = peeled.is_atomic && matches!(peeled.ty.kind, Kind::Record(_));
        let inner = is_wrapper.then(|| self.debug.innermost(&debug::Place::memory(0, ty)));
        match inner.flatten() {
            Some(inner) => (place.at(inner.addr().unwrap_or(0)), inner.ty),
            None => (place, ty),
        }
    }

    /// An expression whose truth is wanted.
    pub(super) fn condition(&self, expression: &Expression) -> Resolved<Node> {
        let operand = self.operand(expression)?;
        if let Operand::Place { ty, .. } = &operand
            && let Kind::Array { .. } = self.debug.peel(*ty).ty.kind
        {
            let (shown, name) = (self.shown(expression), self.debug.type_name(*ty));
            let sentence = format!("'{shown}' is {name}, not a number; name one of its elements");
            return Err(Complaint::new(&expression.at, sentence));
        }
        Ok(self.value_of(expression, operand)?.0)
    }

    /// A member of a record. Errors about the member itself come as sentences.
    fn member(
        &self,
        object: &Expression,
        name: &str,
        is_arrow: bool,
    ) -> Result<Operand, Result<Complaint, String>> {
        let shown = self.shown(object);
        let (place, ty) = match self.operand(object).map_err(Ok)? {
            Operand::Place { place, ty, .. }
                if matches!(self.debug.peel(ty).ty.kind, Kind::Record(_)) && !is_arrow =>
            {
                (place, ty)
            }
            operand => match self.pointer(object, operand).map_err(Ok)? {
                Some((pointer, target)) => (Place::pointed(pointer, 0), target),
                None => {
                    let advice =
                        if is_arrow { "is no pointer; write '.'" } else { "has no members" };
                    return Err(Ok(Complaint::new(&object.at, format!("'{shown}' {advice}"))));
                }
            },
        };
        match self.debug.member(&debug::Place::memory(0, ty), name, &NoState, shown) {
            Ok(found) => {
                let place = place.at(found.storage.addr().unwrap_or(0));
                Ok(Operand::Place { place, ty: found.ty, bits: found.bits })
            }
            Err(error @ LookupError::NoMember { .. }) => {
                let members = self.members(ty);
                let suggestion = suggestion(name, members.iter().map(String::as_str));
                Err(Err(format!("{error}{suggestion}")))
            }
            Err(error) => Err(Err(error.to_string())),
        }
    }

    fn members(&self, ty: TypeId) -> Vec<String> {
        match &self.debug.peel(ty).ty.kind {
            Kind::Record(record) => {
                record.members.iter().map(|member| member.name.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// An operand as a pointer, if it is one.
    fn pointer(
        &self,
        expression: &Expression,
        operand: Operand,
    ) -> Resolved<Option<(Node, TypeId)>> {
        if let Operand::Place { ty, .. } = &operand {
            let (_, ty) = self.inside_atomic(Place::Fixed(0), *ty);
            if !matches!(self.debug.peel(ty).ty.kind, Kind::Pointer { .. } | Kind::Array { .. }) {
                return Ok(None);
            }
        }
        Ok(match self.value_of(expression, operand)? {
            (node, Type::Pointer(target)) => Some((node, target)),
            _ => None,
        })
    }

    fn deref(&self, inner: &Expression) -> Resolved<Operand> {
        match self.pointer(inner, self.operand(inner)?)? {
            Some((pointer, ty)) => {
                Ok(Operand::Place { place: Place::pointed(pointer, 0), ty, bits: None })
            }
            None => {
                let sentence = format!("'{}' is no pointer", self.shown(inner));
                Err(Complaint::new(&inner.at, sentence))
            }
        }
    }

    fn element(&self, array: &Expression, index: &Expression) -> Resolved<Operand> {
        let (number, _) = self.whole_number(index)?;
        let operand = self.operand(array)?;
        if let Operand::Place { place, ty, .. } = &operand
            && let Kind::Array { element, count, stride } = self.debug.peel(*ty).ty.kind
        {
            // `int tail[0]` and `int tail[1]` at the end of records are flexible arrays of old.
            let is_fixed = matches!(place, Place::Fixed(_));
            let count = count.filter(|&count| count > 1 || (count == 1 && is_fixed));
            let place = self.indexed(place.clone(), (index, number), stride, count)?;
            return Ok(Operand::Place { place, ty: element, bits: None });
        }
        let Some((pointer, target)) = self.pointer(array, operand)? else {
            let sentence = format!("'{}' is neither an array nor a pointer", self.shown(array));
            return Err(Complaint::new(&array.at, sentence));
        };
        let stride = self.stride(array, target)?;
        let place = Place::pointed(fold::moved(pointer, number, stride), 0);
        Ok(Operand::Place { place, ty: target, bits: None })
    }

    fn indexed(
        &self,
        array: Place,
        (index, number): (&Expression, Node),
        stride: u64,
        count: Option<u64>,
    ) -> Resolved<Place> {
        let Node::Constant(Value::Integer(constant)) = number else {
            let (array, index) = (Box::new(array), Box::new(number));
            return Ok(Place::Element { array, index, stride, count, offset: 0 });
        };
        if let Some(count) = count
            && !(0..i128::from(count)).contains(&constant)
        {
            let sentence = format!("the array has {count} elements, and none at {constant}");
            return Err(Complaint::new(&index.at, sentence));
        }
        Ok(array.at((constant as u64).wrapping_mul(stride)))
    }

    /// The distance of what a pointer points to one after the other.
    pub(super) fn stride(&self, pointer: &Expression, target: TypeId) -> Resolved<u64> {
        self.debug.size_of(target).filter(|&size| size > 0).ok_or_else(|| {
            let name = self.debug.type_name(target);
            let sentence =
                format!("'{}' points to {name}, whose size is unknown", self.shown(pointer));
            Complaint::new(&pointer.at, sentence)
        })
    }

    fn address_of(&self, inner: &Expression) -> Resolved<Operand> {
        match self.operand(inner)? {
            Operand::Place { place, ty, bits: None } => {
                Ok(Operand::Value(fold::address(place), Type::Pointer(ty)))
            }
            // A function is its address already.
            Operand::Value(node, ty @ Type::Pointer(TypeId::VOID)) if inner.is_path() => {
                Ok(Operand::Value(node, ty))
            }
            _ => {
                let sentence = format!("'{}' has no address", self.shown(inner));
                Err(Complaint::new(&inner.at, sentence))
            }
        }
    }

    fn size_of(&self, inner: &Expression) -> Resolved<Operand> {
        let size = match self.operand(inner)? {
            Operand::Place { ty, bits: None, .. } => self.debug.size_of(ty),
            Operand::Place { .. } => None,
            Operand::Value(_, ty) => Some(ty.number().size().into()),
        };
        let size = size.ok_or_else(|| {
            Complaint::new(&inner.at, format!("'{}' has no size", self.shown(inner)))
        })?;
        let node = Node::Constant(Value::Integer(size.into()));
        Ok(Operand::Value(node, Type::Number(NumberType::UNSIGNED_LONG)))
    }

    /// The pieces of data that an expression names, each once.
    fn collect(&self, expression: &Expression, found: &mut Vec<WatchedVariable>) {
        if expression.is_path()
            && let Ok(Operand::Place { place, ty, bits }) = self.operand(expression)
        {
            let text = self.shown(expression).to_string();
            if found.iter().all(|known| known.text != text) {
                found.push(WatchedVariable { text, place, ty, bits });
            }
            self.collect_indexes(expression, found);
            return;
        }
        if !matches!(expression.kind, ExpressionKind::SizeOf(_)) {
            expression.children().into_iter().for_each(|child| self.collect(child, found));
        }
    }

    /// The same for the indexes on the way to a piece of data.
    fn collect_indexes(&self, path: &Expression, found: &mut Vec<WatchedVariable>) {
        match &path.kind {
            ExpressionKind::Index { array, index } => {
                self.collect_indexes(array, found);
                self.collect(index, found);
            }
            _ => path.children().into_iter().for_each(|inner| self.collect_indexes(inner, found)),
        }
    }
}

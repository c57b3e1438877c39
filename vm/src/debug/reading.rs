//! Reading the value at a place, guided by its type.
//!
//! Atomics are shown as their value, C++ references as what they refer to, and a few library
//! types as what they stand for (see `library_types`).

use super::DebugModules;
use super::error::Unavailable;
use super::scalars::Scalar;
use super::state::{Place, State, Storage};
use super::types::{Encoding, Kind, Member, Record, Type, TypeId, Variants};
use super::value::{Limits, Value};

/// Values in one tree.
const NODES_MAX: usize = 4096;

impl DebugModules {
    /// The value at a place, as far as the limits go.
    pub fn value(&self, place: &Place, state: &dyn State, limits: &Limits) -> Value {
        let mut reading = Reading { modules: self, state, limits, nodes_left: NODES_MAX };
        reading.value(place, 0)
    }
}

/// One value being read.
pub(super) struct Reading<'a> {
    pub(super) modules: &'a DebugModules,
    pub(super) state: &'a dyn State,
    limits: &'a Limits,
    nodes_left: usize,
}

impl Reading<'_> {
    fn value(&mut self, place: &Place, depth: usize) -> Value {
        self.nodes_left = match self.nodes_left.checked_sub(1) {
            Some(left) => left,
            None => return Value::Elided,
        };
        let peeled = self.modules.peel(place.ty);
        match &peeled.ty.kind {
            Kind::Void | Kind::Function { .. } => Value::Nothing,
            Kind::Base(encoding) => self.base(place, *encoding, &peeled.ty),
            Kind::Enum { enumerators, .. } => match self.scalar(place) {
                Ok(Scalar::Integer(value)) => {
                    Value::Enumerator { name: enumerator_name(enumerators, value), value }
                }
                Ok(Scalar::Float(value)) => Value::Float(value),
                Err(why) => Value::Unavailable(why),
            },
            Kind::Pointer { is_reference, .. } => self.pointer(place, *is_reference, depth),
            Kind::Array { .. } | Kind::Record(_) if depth >= self.limits.depth => Value::Elided,
            Kind::Array { count, .. } => self.array(place, *count, depth),
            Kind::Record(record) => self.record(place, &peeled.ty, record, depth),
            _ => self.bytes(place, &peeled.ty),
        }
    }

    pub(super) fn scalar(&self, place: &Place) -> Result<Scalar, Unavailable> {
        self.modules.read_scalar(place, self.state)
    }

    fn base(&self, place: &Place, encoding: Encoding, ty: &Type) -> Value {
        if ty.size == Some(0) {
            // Rust's unit type.
            return Value::Record { variant: None, members: Vec::new(), is_cut: false };
        }
        let number = match self.scalar(place) {
            Ok(number) => number,
            Err(Unavailable::NoNumber) => return self.bytes(place, ty),
            Err(why) => return Value::Unavailable(why),
        };
        match (number, encoding) {
            (Scalar::Float(value), _) if ty.size == Some(4) => Value::Single(value as f32),
            (Scalar::Float(value), _) => Value::Float(value),
            (Scalar::Integer(value @ (0 | 1)), Encoding::Bool) => Value::Bool(value == 1),
            (Scalar::Integer(value), Encoding::SignedChar | Encoding::UnsignedChar) => {
                Value::Character(value as u8)
            }
            (Scalar::Integer(value), Encoding::Unicode) => Value::Unicode(value as u32),
            (Scalar::Integer(value), _) => Value::Integer(value),
        }
    }

    fn bytes(&self, place: &Place, ty: &Type) -> Value {
        let Some(size) = ty.size else { return Value::Unavailable(Unavailable::Incomplete) };
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(self.limits.items);
        let mut bytes = vec![0; size];
        match place.storage.read(self.state, &mut bytes) {
            Ok(()) => Value::Bytes(bytes),
            Err(why) => Value::Unavailable(why),
        }
    }

    fn pointer(&mut self, place: &Place, is_reference: bool, depth: usize) -> Value {
        let addr = match self.scalar(place) {
            Ok(Scalar::Integer(addr)) => addr as u64,
            Ok(Scalar::Float(_)) => return Value::Elided,
            Err(why) => return Value::Unavailable(why),
        };
        let target = match self.modules.peel(place.ty).ty.kind {
            Kind::Pointer { target, .. } => target,
            _ => return Value::Pointer { addr, target: None },
        };
        if is_reference && depth < self.limits.depth {
            return self.value(&Place::memory(addr, target), depth + 1);
        }
        let kind = &self.modules.peel(target).ty.kind;
        let is_text = matches!(kind, Kind::Base(Encoding::SignedChar | Encoding::UnsignedChar));
        if is_text
            && addr != 0
            && let Some(text) = self.text(addr, None)
        {
            return text;
        }
        Value::Pointer { addr, target: self.modules.name_of_pointer(addr, target) }
    }

    /// The string at an address: `length` bytes, or up to the terminator. None if it cannot be
    /// read.
    pub(super) fn text(&self, addr: u64, length: Option<u64>) -> Option<Value> {
        let mut bytes = Vec::new();
        let limit = self.limits.text as u64;
        while (bytes.len() as u64) < length.unwrap_or(u64::MAX).min(limit) {
            let mut byte = [0];
            if !self.state.read(addr.wrapping_add(bytes.len() as u64), &mut byte) {
                return None;
            }
            if length.is_none() && byte == [0] {
                return Some(Value::Text { bytes, is_cut: false });
            }
            bytes.push(byte[0]);
        }
        let is_cut = length != Some(bytes.len() as u64);
        Some(Value::Text { bytes, is_cut })
    }

    fn array(&mut self, place: &Place, count: Option<u64>, depth: usize) -> Value {
        let peeled = self.modules.peel(place.ty);
        let Kind::Array { element, stride, .. } = peeled.ty.kind else { return Value::Elided };
        let count = count.unwrap_or(0);
        let element_kind = &self.modules.peel(element).ty.kind;
        if stride == 1
            && matches!(element_kind, Kind::Base(Encoding::SignedChar | Encoding::UnsignedChar))
        {
            return self.character_array(place, count);
        }
        self.elements(&place.storage, element, count, stride, depth)
    }

    /// `count` values in a row.
    pub(super) fn elements(
        &mut self,
        storage: &Storage,
        element: TypeId,
        count: u64,
        stride: u64,
        depth: usize,
    ) -> Value {
        let mut items: Vec<(Value, u64)> = Vec::new();
        for index in 0..count {
            // Long runs of equal elements count as one item, but not without end.
            let is_full = items.len() >= self.limits.items || self.nodes_left == 0;
            if is_full || index >= NODES_MAX as u64 {
                return Value::Array { items, is_cut: true };
            }
            let storage = storage.at(index.wrapping_mul(stride));
            let value = self.value(&Place { storage, ty: element, bits: None }, depth + 1);
            match items.last_mut() {
                Some((last, times)) if *last == value => *times += 1,
                _ => items.push((value, 1)),
            }
        }
        Value::Array { items, is_cut: false }
    }

    /// An array of characters is a string if nothing but zeros follows its terminator.
    fn character_array(&self, place: &Place, count: u64) -> Value {
        let shown = count.min(self.limits.text as u64);
        let mut bytes = vec![0; shown as usize];
        if let Err(why) = place.storage.read(self.state, &mut bytes) {
            return Value::Unavailable(why);
        }
        let end = bytes.iter().position(|&byte| byte == 0);
        let is_cut = end.is_none() && shown < count;
        let end = end.unwrap_or(bytes.len());
        let is_string = bytes[end..].iter().all(|&byte| byte == 0);
        if is_string {
            bytes.truncate(end);
        }
        Value::Text { bytes, is_cut }
    }

    fn record(&mut self, place: &Place, ty: &Type, record: &Record, depth: usize) -> Value {
        if !record.is_complete {
            return Value::Unavailable(Unavailable::Incomplete);
        }
        if ty.is_atomic
            && let Some(inner) = self.modules.innermost(place)
        {
            return match self.value(&inner, depth) {
                Value::Integer(value @ (0 | 1)) if ty.name.ends_with("::AtomicBool") => {
                    Value::Bool(value == 1)
                }
                value => value,
            };
        }
        if let Some(value) = self.library_value(place, ty, depth) {
            return value;
        }
        if let Some(variants) = &record.variants {
            return self.variant(place, variants, depth);
        }
        self.members(place, &record.members, None, depth)
    }

    fn members(
        &mut self,
        place: &Place,
        members: &[Member],
        variant: Option<String>,
        depth: usize,
    ) -> Value {
        let mut shown = Vec::new();
        for member in members {
            let is_empty_base = member.is_base && self.is_empty_record(member);
            if is_empty_base {
                continue;
            }
            if shown.len() >= self.limits.items {
                return Value::Record { variant, members: shown, is_cut: true };
            }
            let value = match self.modules.member_storage(&place.storage, member, self.state) {
                Some(storage) => {
                    self.value(&Place { storage, ty: member.ty, bits: member.bits }, depth + 1)
                }
                None => Value::Unavailable(Unavailable::VirtualBase),
            };
            shown.push((member.name.to_string(), value));
        }
        Value::Record { variant, members: shown, is_cut: false }
    }

    fn is_empty_record(&self, member: &Member) -> bool {
        match &self.modules.peel(member.ty).ty.kind {
            Kind::Record(record) => {
                record.members.iter().all(|inner| inner.is_base && inner.ty != member.ty)
                    && record.members.len() <= 1
            }
            _ => false,
        }
    }

    /// The active alternative of a Rust enum.
    fn variant(&mut self, place: &Place, variants: &Variants, depth: usize) -> Value {
        let discriminant = match variants.discriminant {
            None => None,
            Some((offset, ty)) => {
                let place = Place { storage: place.storage.at(offset), ty, bits: None };
                match self.scalar(&place) {
                    Ok(Scalar::Integer(value)) => Some(value),
                    Ok(Scalar::Float(_)) => return Value::Elided,
                    Err(why) => return Value::Unavailable(why),
                }
            }
        };
        let all = &variants.alternatives;
        let exact = all.iter().find(|one| discriminant.is_some() && one.value == discriminant);
        let Some(active) = exact.or_else(|| all.iter().find(|one| one.value.is_none())) else {
            return Value::Unavailable(Unavailable::Malformed);
        };
        let name = active.member.name.to_string();
        let storage = place.storage.at(active.member.offset.unwrap_or(0));
        let inner = Place { storage, ty: active.member.ty, bits: None };
        match &self.modules.peel(active.member.ty).ty.kind {
            Kind::Record(record) => self.members(&inner, &record.members, Some(name), depth),
            _ => self.value(&inner, depth + 1),
        }
    }
}

/// The name of an enumeration's value; a sum of flags is written as such.
fn enumerator_name(enumerators: &[(std::sync::Arc<str>, i128)], value: i128) -> Option<String> {
    if let Some((name, _)) = enumerators.iter().find(|(_, number)| *number == value) {
        return Some(name.to_string());
    }
    let is_flag = |number: i128| number > 0 && number & (number - 1) == 0;
    if value <= 0 || !enumerators.iter().all(|(_, number)| *number == 0 || is_flag(*number)) {
        return None;
    }
    let mut names = Vec::new();
    let mut rest = value;
    for (name, number) in enumerators {
        if *number != 0 && rest & number != 0 {
            names.push(&**name);
            rest &= !number;
        }
    }
    (rest == 0 && !names.is_empty()).then(|| names.join(" | "))
}

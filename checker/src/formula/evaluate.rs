//! What a formula comes to in a state. Nothing is allocated and no debug information is looked at,
//! except for locals of threads.

use super::arithmetic;
use super::code::{Form, Node, Place};
use super::number::Value;
use samovar_runtime::Process;
use samovar_vm::debug::{DebugModules, ScalarKind, Storage, extended};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::PAGE_SIZE;
use samovar_vm::view::ThreadView;
use std::ops::Range;

/// Who wants to know what was read.
pub(super) trait Reader {
    /// So many bytes were looked at.
    fn note(&mut self, addr: u64, size: u64);
}

impl Reader for () {
    fn note(&mut self, _: u64, _: u64) {}
}

impl Reader for Vec<Range<u64>> {
    fn note(&mut self, addr: u64, size: u64) {
        self.push(addr..addr.saturating_add(size));
    }
}

/// One evaluation.
pub(super) struct Evaluation<'a, R> {
    pub process: &'a Process,
    pub debug: &'a DebugModules,
    pub reader: R,
}

/// Where data is in the present state.
pub(super) enum Spot {
    /// In memory that is there as long as the program is.
    Static(u64),
    /// In memory that may be gone.
    Memory(u64),
    /// Wherever a local may be.
    Storage(Storage),
}

impl<R: Reader> Evaluation<'_, R> {
    /// The value of a computation.
    pub(super) fn value(&mut self, node: &Node) -> Value {
        match node {
            Node::Constant(value) => *value,
            Node::Read(place, form) => self.read(place, *form).unwrap_or(Value::Undefined),
            Node::Address(place) => match self.spot(place) {
                Some(Spot::Static(addr) | Spot::Memory(addr)) => Value::Integer(addr.into()),
                Some(Spot::Storage(storage)) => {
                    storage.addr().map_or(Value::Undefined, |addr| Value::Integer(addr.into()))
                }
                None => Value::Undefined,
            },
            Node::Convert(ty, inner) => ty.convert(self.value(inner)),
            Node::Negate(ty, inner) => arithmetic::negate(*ty, self.value(inner)),
            Node::Complement(ty, inner) => arithmetic::complement(*ty, self.value(inner)),
            Node::Arithmetic(operator, ty, parts) => {
                let (a, b) = (self.value(&parts[0]), self.value(&parts[1]));
                arithmetic::binary(*operator, *ty, a, b)
            }
            Node::Not(_) | Node::Compare(..) | Node::And(_) | Node::Or(_) => {
                Value::of_truth(self.truth(node))
            }
            Node::Conditional(parts) => match self.truth(&parts[0]) {
                Some(true) => self.value(&parts[1]),
                Some(false) => self.value(&parts[2]),
                None => Value::Undefined,
            },
        }
    }

    /// Whether a computation comes to something that counts as true.
    pub(super) fn truth(&mut self, node: &Node) -> Option<bool> {
        match node {
            Node::Not(inner) => self.truth(inner).map(|truth| !truth),
            Node::Compare(operator, parts) => {
                let (a, b) = (self.value(&parts[0]), self.value(&parts[1]));
                arithmetic::compare(*operator, a, b)
            }
            Node::And(parts) => self.decided(parts, false),
            Node::Or(parts) => self.decided(parts, true),
            _ => self.value(node).is_true(),
        }
    }

    /// `&&` is decided by one false side, `||` by one true side, whatever the other is.
    fn decided(&mut self, parts: &[Node; 2], by: bool) -> Option<bool> {
        let first = self.truth(&parts[0]);
        if first == Some(by) {
            return first;
        }
        match self.truth(&parts[1]) {
            Some(second) if second == by => Some(by),
            second => first.and(second),
        }
    }

    /// Where a place is now.
    pub(super) fn spot(&mut self, place: &Place) -> Option<Spot> {
        match place {
            Place::Fixed(addr) => Some(Spot::Static(*addr)),
            Place::Pointed { pointer, offset } => match self.value(pointer) {
                // Behind a null pointer there is nothing, however large the object would be.
                Value::Integer(addr) if i128::from(PAGE_SIZE) <= addr => {
                    Some(Spot::Memory((addr as u64).wrapping_add(*offset)))
                }
                _ => None,
            },
            Place::Element { array, index, stride, count, offset } => {
                let Value::Integer(index) = self.value(index) else { return None };
                if count.is_some_and(|count| !(0..i128::from(count)).contains(&index)) {
                    return None;
                }
                let bytes = (index as u64).wrapping_mul(*stride).wrapping_add(*offset);
                Some(match self.spot(array)? {
                    Spot::Static(addr) => Spot::Static(addr.wrapping_add(bytes)),
                    Spot::Memory(addr) => Spot::Memory(addr.wrapping_add(bytes)),
                    Spot::Storage(storage) => Spot::Storage(storage.at(bytes)),
                })
            }
            Place::Local { local, offset } => {
                Some(Spot::Storage(local.find(self.process, self.debug)?.at(*offset)))
            }
        }
    }

    fn read(&mut self, place: &Place, form: Form) -> Option<Value> {
        let mut bytes = [0; 16];
        let part = bytes.get_mut(..usize::from(form.size))?;
        let memory = &self.process.machine.memory;
        match self.spot(place)? {
            Spot::Static(addr) => {
                self.reader.note(addr, form.size.into());
                memory.read(addr, part).ok()?;
            }
            Spot::Memory(addr) => {
                self.reader.note(addr, form.size.into());
                memory.read(addr, part).ok()?;
                let end = addr + u64::from(form.size);
                if !(addr..end).all(|at| memory.is_live(at)) {
                    return None;
                }
            }
            Spot::Storage(storage) => {
                if let Some(addr) = storage.addr() {
                    self.reader.note(addr, form.size.into());
                }
                let view = ThreadView { machine: &self.process.machine, thread: ThreadId(0) };
                storage.read(&view, part).ok()?;
            }
        }
        Some(decode(u128::from_le_bytes(bytes), form))
    }
}

/// The number that the bits stand for.
fn decode(bits: u128, form: Form) -> Value {
    let (bits, width) = match form.bits {
        Some(range) => (bits.checked_shr(range.start).unwrap_or(0), range.count),
        None => (bits, u32::from(form.size) * 8),
    };
    let unused = 128 - width.clamp(1, 128);
    match form.kind {
        ScalarKind::Signed => Value::Integer((bits << unused) as i128 >> unused),
        ScalarKind::Unsigned => Value::Integer(((bits << unused) >> unused) as i128),
        ScalarKind::Float if form.size == 4 => Value::Float(f64::from(f32::from_bits(bits as u32))),
        ScalarKind::Float if form.size == 8 => Value::Float(f64::from_bits(bits as u64)),
        ScalarKind::Float => Value::Float(extended(bits)),
    }
}

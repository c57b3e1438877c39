//! Where a variable is: location expressions and location lists, evaluated in a frame.
//!
//! Every expression is bounded in steps. What an expression needs and the state cannot give
//! (a register, memory, the caller's entry values) ends in an [`Unavailable`] that says so.

use std::sync::Arc;

use gimli::{AttributeValue, EvaluationResult, Expression, Location, UnitOffset, ValueType};

use super::attr;
use super::dies::{Die, Dies};
use super::error::Unavailable;
use super::sections::Slice;
use super::state::{Piece, Source, State, Storage};
use super::units::Unit;

/// Steps of one expression.
const STEPS_MAX: u32 = 4096;
/// Entries of one location list.
const LIST_MAX: usize = 1 << 16;

/// A frame to look at: the machine as its function sees it.
#[derive(Clone, Copy)]
pub(super) struct FrameView<'a> {
    pub(super) state: &'a dyn State,
    /// Guest address in the function; None outside any frame.
    pub(super) pc: Option<u64>,
}

impl<'d> Dies<'d> {
    /// Where the variable behind an entry is.
    pub(super) fn storage(
        &self,
        die: &Die<'d>,
        view: FrameView<'_>,
    ) -> Result<Storage, Unavailable> {
        if let Some(location) = die.entry.attr_value(gimli::DW_AT_location) {
            let expression = self.select(&die.unit, location, view)?;
            return self.evaluate_location(&die.unit, expression, view);
        }
        if let Some(value) = die.entry.attr_value(gimli::DW_AT_const_value) {
            return Ok(Storage::single(Source::Constant(constant_bytes(value)?)));
        }
        Err(Unavailable::OptimisedOut)
    }

    /// The expression of a location attribute that holds at the frame's address.
    fn select(
        &self,
        unit: &Unit<'d>,
        location: attr::Value<'d>,
        view: FrameView<'_>,
    ) -> Result<Expression<Slice<'d>>, Unavailable> {
        if let AttributeValue::Exprloc(expression) = location {
            return Ok(expression);
        }
        let list = self.dwarf.attr_locations(unit, location);
        let mut list = list.ok().flatten().ok_or(Unavailable::Malformed)?;
        let pc = self.info.to_file(view.pc.ok_or(Unavailable::OptimisedOut)?);
        for _ in 0..LIST_MAX {
            let Ok(Some(entry)) = list.next() else { break };
            if (entry.range.begin..entry.range.end).contains(&pc) {
                return Ok(entry.data);
            }
        }
        Err(Unavailable::OptimisedOut)
    }

    fn evaluate_location(
        &self,
        unit: &Unit<'d>,
        expression: Expression<Slice<'d>>,
        view: FrameView<'_>,
    ) -> Result<Storage, Unavailable> {
        let found = self.evaluate(unit, expression, view, true)?;
        if let [piece] = &found[..]
            && piece.size_in_bits.is_none()
        {
            return match source(piece)? {
                Source::Missing(why) => Err(why),
                source => Ok(Storage::single(source)),
            };
        }
        let mut pieces = Vec::new();
        for piece in &found {
            let bits = piece.size_in_bits.unwrap_or(0);
            if bits % 8 != 0 || piece.bit_offset.unwrap_or(0) != 0 {
                return Err(Unavailable::Unsupported("pieces of single bits"));
            }
            pieces.push(Piece { size: bits / 8, source: source(piece)? });
        }
        if pieces.is_empty() {
            return Err(Unavailable::OptimisedOut);
        }
        Ok(Storage::Pieces { pieces: pieces.into(), offset: 0 })
    }

    /// Runs an expression to its end.
    fn evaluate(
        &self,
        unit: &Unit<'d>,
        expression: Expression<Slice<'d>>,
        view: FrameView<'_>,
        may_use_frame_base: bool,
    ) -> Result<Vec<gimli::Piece<Slice<'d>>>, Unavailable> {
        let mut evaluation = expression.evaluation(unit.encoding());
        evaluation.set_max_iterations(STEPS_MAX);
        let mut result = evaluation.evaluate();
        loop {
            result = match result.map_err(|_| Unavailable::Malformed)? {
                EvaluationResult::Complete => return Ok(evaluation.result()),
                EvaluationResult::RequiresMemory { address, size, space: None, base_type } => {
                    let bits = read_word(view.state, address, size)?;
                    let value = self.typed(unit, base_type, bits)?;
                    evaluation.resume_with_memory(value)
                }
                EvaluationResult::RequiresRegister { register, base_type } => {
                    let number = register.0;
                    let bits = view.state.register(number);
                    let bits = bits.ok_or(Unavailable::Register(number))?;
                    evaluation.resume_with_register(self.typed(unit, base_type, bits)?)
                }
                EvaluationResult::RequiresFrameBase if may_use_frame_base => {
                    evaluation.resume_with_frame_base(self.frame_base(view)?)
                }
                EvaluationResult::RequiresFrameBase => return Err(Unavailable::FrameBase),
                EvaluationResult::RequiresTls(offset) => {
                    evaluation.resume_with_tls(self.info.tls_address(offset, view.state)?)
                }
                EvaluationResult::RequiresCallFrameCfa => {
                    let cfa = view.pc.and_then(|pc| self.info.cfa(pc, view.state));
                    evaluation.resume_with_call_frame_cfa(cfa.ok_or(Unavailable::Cfa)?)
                }
                EvaluationResult::RequiresRelocatedAddress(addr) => {
                    evaluation.resume_with_relocated_address(self.info.to_guest(addr))
                }
                EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                    let addr = self.dwarf.address(unit, index);
                    let addr = addr.map_err(|_| Unavailable::Malformed)?;
                    let addr = if relocate { self.info.to_guest(addr) } else { addr };
                    evaluation.resume_with_indexed_address(addr)
                }
                EvaluationResult::RequiresBaseType(offset) => {
                    evaluation.resume_with_base_type(value_type(unit, offset)?)
                }
                EvaluationResult::RequiresEntryValue(_)
                | EvaluationResult::RequiresParameterRef(_) => return Err(Unavailable::EntryValue),
                EvaluationResult::RequiresAtLocation(_) => {
                    return Err(Unavailable::Unsupported("calls of other expressions"));
                }
                _ => return Err(Unavailable::Unsupported("another address space")),
            };
        }
    }

    /// The offset that a thread-local location adds to its block; None for other locations.
    pub(super) fn tls_offset(
        &self,
        unit: &Unit<'d>,
        expression: Expression<Slice<'d>>,
    ) -> Option<u64> {
        let mut evaluation = expression.evaluation(unit.encoding());
        evaluation.set_max_iterations(STEPS_MAX);
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::RequiresTls(offset) => return Some(offset),
                EvaluationResult::RequiresIndexedAddress { index, relocate: false } => {
                    let value = self.dwarf.address(unit, index).ok()?;
                    evaluation.resume_with_indexed_address(value).ok()?
                }
                _ => return None,
            };
        }
    }

    /// The frame base of the function around the view's address.
    fn frame_base(&self, view: FrameView<'_>) -> Result<u64, Unavailable> {
        let unknown = Unavailable::FrameBase;
        let pc = view.pc.ok_or(unknown.clone())?;
        let tree =
            self.info.function_tree_at(self, self.info.to_file(pc)).ok_or(unknown.clone())?;
        let die = self.die(tree.die).ok_or(unknown.clone())?;
        let base = die.entry.attr_value(gimli::DW_AT_frame_base).ok_or(unknown.clone())?;
        let expression = self.select(&die.unit, base, view)?;
        match &self.evaluate(&die.unit, expression, view, false)?[..] {
            [piece] => match piece.location {
                Location::Address { address } => Ok(address),
                Location::Register { register } => {
                    view.state.register(register.0).ok_or(Unavailable::Register(register.0))
                }
                _ => Err(unknown),
            },
            _ => Err(unknown),
        }
    }

    fn typed(
        &self,
        unit: &Unit<'d>,
        base_type: UnitOffset,
        bits: u64,
    ) -> Result<gimli::Value, Unavailable> {
        if base_type == UnitOffset(0) {
            return Ok(gimli::Value::Generic(bits));
        }
        Ok(match value_type(unit, base_type)? {
            ValueType::F32 => gimli::Value::F32(f32::from_bits(bits as u32)),
            ValueType::F64 => gimli::Value::F64(f64::from_bits(bits)),
            other => gimli::Value::from_u64(other, bits).map_err(|_| Unavailable::Malformed)?,
        })
    }
}

/// Runs an expression that needs nothing but registers and memory, as call frame information and
/// virtual base classes have them; the result is an address.
pub(super) fn evaluate_simple(
    expression: Expression<Slice<'_>>,
    initial: Option<u64>,
    state: &dyn State,
) -> Option<u64> {
    let encoding = gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 4 };
    let mut evaluation = expression.evaluation(encoding);
    evaluation.set_max_iterations(STEPS_MAX);
    if let Some(initial) = initial {
        evaluation.set_initial_value(initial);
    }
    let mut result = evaluation.evaluate().ok()?;
    loop {
        result = match result {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresRegister { register, .. } => {
                let value = gimli::Value::Generic(state.register(register.0)?);
                evaluation.resume_with_register(value).ok()?
            }
            EvaluationResult::RequiresMemory { address, size, .. } => {
                let value = gimli::Value::Generic(read_word(state, address, size).ok()?);
                evaluation.resume_with_memory(value).ok()?
            }
            _ => return None,
        };
    }
    match evaluation.result()[..] {
        [gimli::Piece { location: Location::Address { address }, .. }] => Some(address),
        _ => None,
    }
}

fn value_type(unit: &Unit<'_>, offset: UnitOffset) -> Result<ValueType, Unavailable> {
    if offset == UnitOffset(0) {
        return Ok(ValueType::Generic);
    }
    let entry = unit.entry(offset).map_err(|_| Unavailable::Malformed)?;
    let found = ValueType::from_entry(&entry).ok().flatten();
    found.ok_or(Unavailable::Unsupported("a base type of unusual size"))
}

fn read_word(state: &dyn State, addr: u64, size: u8) -> Result<u64, Unavailable> {
    let mut bytes = [0; 8];
    let part = bytes.get_mut(..usize::from(size)).ok_or(Unavailable::Malformed)?;
    if !state.read(addr, part) {
        return Err(Unavailable::Memory(addr));
    }
    Ok(u64::from_le_bytes(bytes))
}

fn source(piece: &gimli::Piece<Slice<'_>>) -> Result<Source, Unavailable> {
    Ok(match piece.location {
        Location::Empty => Source::Missing(Unavailable::OptimisedOut),
        Location::Register { register } => Source::Register(register.0),
        Location::Address { address } => Source::Memory(address),
        Location::Value { value } => Source::Constant(value_bytes(value)?),
        Location::Bytes { value } => Source::Constant(value.slice().into()),
        Location::ImplicitPointer { .. } => Source::Missing(Unavailable::ImplicitPointer),
    })
}

/// A computed value as the bytes it would have in memory, extended to 16 of them.
fn value_bytes(value: gimli::Value) -> Result<Arc<[u8]>, Unavailable> {
    let bits = match value {
        gimli::Value::F32(value) => u128::from(value.to_bits()),
        gimli::Value::F64(value) => u128::from(value.to_bits()),
        value => {
            let bits = value.to_u64(u64::MAX).map_err(|_| Unavailable::Malformed)?;
            i128::from(bits as i64) as u128
        }
    };
    Ok(bits.to_le_bytes().into())
}

/// The bytes of `DW_AT_const_value`, extended to 16 of them.
fn constant_bytes(value: attr::Value<'_>) -> Result<Arc<[u8]>, Unavailable> {
    let wide = |value: i128| Ok(value.to_le_bytes().into());
    match value {
        AttributeValue::Block(bytes) => Ok(bytes.slice().into()),
        AttributeValue::String(text) => {
            Ok(text.slice().iter().copied().chain([0]).collect::<Vec<u8>>().into())
        }
        AttributeValue::Sdata(value) => wide(i128::from(value)),
        AttributeValue::Data16(value) => wide(value as i128),
        value => wide(i128::from(value.udata_value().ok_or(Unavailable::Malformed)?)),
    }
}

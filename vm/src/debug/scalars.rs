//! Single numbers in a state: resolved once, read often. This is what an invariant over program
//! variables evaluates in every state.

use super::DebugModules;
use super::error::Unavailable;
use super::state::{Place, State, Storage};
use super::types::{BitRange, Encoding, Kind, TypeId};

/// Deepest wrapping of an atomic's value in records.
const WRAPPERS_MAX: usize = 8;

/// A number as the program sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// Integers, characters, truth values, enumerators and pointers (as addresses).
    Integer(i128),
    /// Floating-point numbers; extended precision is rounded.
    Float(f64),
}

/// How the bits of a number are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarKind {
    /// Two's complement.
    Signed,
    /// Binary.
    Unsigned,
    /// IEEE 754 of 4 or 8 bytes, or the x87 format in 10 to 16 bytes.
    Float,
}

/// Where a number is and how it is encoded. Reading it needs no debug information any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalarPlace {
    storage: Storage,
    /// Bytes to read; at most 16.
    size: u8,
    kind: ScalarKind,
    bits: Option<BitRange>,
}

impl ScalarPlace {
    /// An unsigned number of up to 16 bytes.
    pub(super) fn unsigned(storage: Storage, size: u8) -> ScalarPlace {
        ScalarPlace { storage, size, kind: ScalarKind::Unsigned, bits: None }
    }

    /// How the number is encoded.
    pub fn kind(&self) -> ScalarKind {
        self.kind
    }

    /// Address and size in bytes of the memory that holds the number, if it is in memory.
    pub fn memory(&self) -> Option<(u64, u8)> {
        Some((self.storage.addr()?, self.size))
    }

    /// Reads the number.
    pub fn read(&self, state: &dyn State) -> Result<Scalar, Unavailable> {
        let bits = self.read_bits(state)?;
        let width = self.bits.map_or(u32::from(self.size) * 8, |range| range.count);
        Ok(match (self.kind, self.size) {
            (ScalarKind::Signed, _) => Scalar::Integer(sign_extend(bits, width)),
            (ScalarKind::Unsigned, _) => Scalar::Integer(bits as i128),
            (ScalarKind::Float, 4) => Scalar::Float(f64::from(f32::from_bits(bits as u32))),
            (ScalarKind::Float, 8) => Scalar::Float(f64::from_bits(bits as u64)),
            (ScalarKind::Float, _) => Scalar::Float(extended(bits)),
        })
    }

    /// Reads the bits of the number, zero-extended.
    pub(super) fn read_bits(&self, state: &dyn State) -> Result<u128, Unavailable> {
        let mut bytes = [0; 16];
        let part = bytes.get_mut(..usize::from(self.size)).ok_or(Unavailable::NoNumber)?;
        self.storage.read(state, part)?;
        let bits = u128::from_le_bytes(bytes);
        Ok(match self.bits {
            Some(range) => mask(bits.checked_shr(range.start).unwrap_or(0), range.count),
            None => bits,
        })
    }
}

impl DebugModules {
    /// Prepares a place for reading as a number; None if it holds none. Atomics are looked into.
    pub fn scalar(&self, place: &Place) -> Option<ScalarPlace> {
        let mut place = place.clone();
        for _ in 0..WRAPPERS_MAX {
            let peeled = self.peel(place.ty);
            let kind = match &peeled.ty.kind {
                Kind::Base(Encoding::Signed | Encoding::SignedChar) => ScalarKind::Signed,
                Kind::Base(Encoding::Float) => ScalarKind::Float,
                Kind::Base(Encoding::Complex | Encoding::Other) => return None,
                Kind::Base(_) | Kind::Pointer { .. } => ScalarKind::Unsigned,
                Kind::Enum { is_signed: true, .. } => ScalarKind::Signed,
                Kind::Enum { .. } => ScalarKind::Unsigned,
                Kind::Record(_) => {
                    place = self.wrapped(&place)?;
                    continue;
                }
                _ => return None,
            };
            let size = match place.bits {
                Some(range) => u64::from((range.start + range.count).div_ceil(8)),
                None => peeled.ty.size?,
            };
            let size = u8::try_from(size).ok().filter(|&size| size <= 16)?;
            return Some(ScalarPlace { storage: place.storage, size, kind, bits: place.bits });
        }
        None
    }

    /// The value inside a wrapper (`std::atomic`, a Rust newtype): the only member that is not
    /// empty, if it is as large as the wrapper.
    fn wrapped(&self, place: &Place) -> Option<Place> {
        let peeled = self.peel(place.ty);
        let Kind::Record(record) = &peeled.ty.kind else { return None };
        if record.variants.is_some() {
            return None;
        }
        let whole = peeled.ty.size?;
        let mut members = record
            .members
            .iter()
            .filter(|member| self.size_of(member.ty) == Some(whole) && member.bits.is_none());
        let (member, second) = (members.next()?, members.next());
        if second.is_some() || member.offset != Some(0) {
            return None;
        }
        Some(Place { storage: place.storage.clone(), ty: member.ty, bits: None })
    }

    /// The value inside all wrappers; None if the place is no wrapper of a single value.
    pub fn innermost(&self, place: &Place) -> Option<Place> {
        let mut place = self.wrapped(place)?;
        for _ in 0..WRAPPERS_MAX {
            match self.wrapped(&place) {
                Some(inner) => place = inner,
                None => break,
            }
        }
        let is_record = matches!(self.peel(place.ty).ty.kind, Kind::Record(_));
        (!is_record).then_some(place)
    }

    /// The number at an address of a known type, for one-off questions.
    pub fn read_scalar(&self, place: &Place, state: &dyn State) -> Result<Scalar, Unavailable> {
        let scalar = self.scalar(place);
        scalar.ok_or(Unavailable::NoNumber)?.read(state)
    }

    /// True if the type, or what it wraps, is read as one number.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.scalar(&Place::memory(0, id)).is_some()
    }
}

fn mask(bits: u128, width: u32) -> u128 {
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}

fn sign_extend(bits: u128, width: u32) -> i128 {
    let unused = 128u32.saturating_sub(width);
    if unused >= 128 { 0 } else { ((bits << unused) as i128) >> unused }
}

/// The x87 extended format, rounded to double precision.
pub fn extended(bits: u128) -> f64 {
    let mantissa = bits as u64;
    let exponent = (bits >> 64) as i32 & 0x7fff;
    let sign = if (bits >> 79) & 1 == 1 { -1.0 } else { 1.0 };
    match (exponent, mantissa) {
        (0x7fff, 0x8000_0000_0000_0000) => sign * f64::INFINITY,
        (0x7fff, _) => f64::NAN,
        _ => {
            // Two steps, so that the scale itself neither overflows nor vanishes.
            let scale = exponent - 16383 - 63;
            sign * (mantissa as f64) * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::state::Source;
    use crate::debug::variables::NoState;

    fn read(bytes: &[u8], kind: ScalarKind, bits: Option<(u32, u32)>) -> Scalar {
        let place = ScalarPlace {
            storage: Storage::single(Source::Constant(bytes.into())),
            size: bytes.len() as u8,
            kind,
            bits: bits.map(|(start, count)| BitRange { start, count }),
        };
        place.read(&NoState).unwrap()
    }

    #[test]
    fn numbers_of_all_kinds() {
        assert_eq!(read(&[0xfe], ScalarKind::Signed, None), Scalar::Integer(-2));
        assert_eq!(read(&[0xfe], ScalarKind::Unsigned, None), Scalar::Integer(254));
        assert_eq!(read(&[0xff; 16], ScalarKind::Signed, None), Scalar::Integer(-1));
        assert_eq!(read(&1.5f32.to_le_bytes(), ScalarKind::Float, None), Scalar::Float(1.5));
        // 0b0110_1000: three bits from bit 3.
        assert_eq!(read(&[0x68], ScalarKind::Signed, Some((3, 3))), Scalar::Integer(-3));
        assert_eq!(read(&[0x68], ScalarKind::Unsigned, Some((3, 3))), Scalar::Integer(5));
        assert_eq!(read(&[0x68], ScalarKind::Unsigned, Some((3, 0))), Scalar::Integer(0));
        // -2.5 in x87 format: mantissa 0xa000…, exponent 16384.
        let mut bytes = [0; 16];
        bytes[7] = 0xa0;
        bytes[8..10].copy_from_slice(&(0x8000u16 | 16384).to_le_bytes());
        assert_eq!(read(&bytes, ScalarKind::Float, None), Scalar::Float(-2.5));
    }
}

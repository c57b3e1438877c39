//! From places to places: members, elements, targets of pointers and addresses. The steps that a
//! path (`tiles[3].next->x`) or an expression language is made of.

use std::sync::Arc;

use gimli::{EndianSlice, Expression, LittleEndian};

use super::DebugModules;
use super::error::{LookupError, Unavailable};
use super::location::evaluate_simple;
use super::scalars::ScalarPlace;
use super::state::{Place, Source, State, Storage};
use super::types::{Kind, Member, Type, TypeId};

/// Longest chain of typedefs and qualifiers.
const CHAIN_MAX: usize = 64;
/// Base classes and anonymous members that are looked into.
const PARTS_MAX: usize = 256;

/// A type without the names and qualifiers around it.
#[derive(Debug, Clone)]
pub struct Peeled {
    /// The type itself.
    pub id: TypeId,
    /// What it is: never a typedef, qualified or `_Atomic`.
    pub ty: Arc<Type>,
    /// True if it, or anything peeled off, was atomic.
    pub is_atomic: bool,
}

impl DebugModules {
    /// Removes typedefs, qualifiers and `_Atomic` from a type.
    pub fn peel(&self, id: TypeId) -> Peeled {
        let mut peeled = Peeled { id, ty: self.ty(id), is_atomic: false };
        for _ in 0..CHAIN_MAX {
            peeled.is_atomic |= peeled.ty.is_atomic;
            let target = match peeled.ty.kind {
                Kind::Typedef(target) | Kind::Qualified(_, target) | Kind::Atomic(target) => target,
                _ => return peeled,
            };
            peeled.id = target;
            peeled.ty = self.ty(target);
        }
        peeled
    }

    /// The size of a type in bytes; None if it is incomplete.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        let ty = self.ty(id);
        ty.size.or_else(|| self.peel(id).ty.size)
    }

    /// What a C++ reference refers to; any other place as it is. `what` names the place in errors.
    pub fn follow_reference(
        &self,
        place: Place,
        state: &dyn State,
        what: &str,
    ) -> Result<Place, LookupError> {
        match self.peel(place.ty).ty.kind {
            Kind::Pointer { is_reference: true, .. } => self.deref(&place, state, what),
            _ => Ok(place),
        }
    }

    /// The member of a record (or of the record that a pointer points to). Members of base
    /// classes and of anonymous members count as members.
    pub fn member(
        &self,
        place: &Place,
        name: &str,
        state: &dyn State,
        what: &str,
    ) -> Result<Place, LookupError> {
        let mut place = place.clone();
        let mut peeled = self.peel(place.ty);
        // Up to two pointers: a pointer, or a reference to one.
        for _ in 0..2 {
            if matches!(peeled.ty.kind, Kind::Pointer { .. }) {
                place = self.deref(&place, state, what)?;
                peeled = self.peel(place.ty);
            }
        }
        let Kind::Record(record) = &peeled.ty.kind else {
            let ty = self.type_name(place.ty);
            return Err(LookupError::NotRecord { what: what.to_string(), ty });
        };
        match self.find_member(&place.storage, peeled.id, name, state) {
            Some(found) => Ok(found),
            None if !record.is_complete => {
                let why = Unavailable::Incomplete;
                Err(LookupError::Unavailable { what: what.to_string(), why })
            }
            None => {
                let ty = self.type_name(place.ty);
                Err(LookupError::NoMember { ty, member: name.to_string() })
            }
        }
    }

    /// Looks for a member in a record, then in its base classes and anonymous members, nearest
    /// first. A type is looked into only once, so that the work is linear.
    fn find_member(
        &self,
        storage: &Storage,
        id: TypeId,
        name: &str,
        state: &dyn State,
    ) -> Option<Place> {
        let mut queue = vec![(storage.clone(), id)];
        let mut next = 0;
        while let Some((storage, id)) = queue.get(next).cloned() {
            next += 1;
            let Kind::Record(record) = &self.peel(id).ty.kind else { continue };
            let alternatives = record.variants.iter().flat_map(|variants| &variants.alternatives);
            let all = || record.members.iter().chain(alternatives.clone().map(|one| &one.member));
            if let Some(found) = all().find(|member| *member.name == *name && !member.is_base) {
                let storage = self.member_storage(&storage, found, state)?;
                return Some(Place { storage, ty: found.ty, bits: found.bits });
            }
            for member in all().filter(|member| member.name.is_empty()) {
                let is_new = queue.iter().all(|(_, seen)| *seen != member.ty);
                if is_new
                    && queue.len() < PARTS_MAX
                    && let Some(place) = self.member_storage(&storage, member, state)
                {
                    queue.push((place, member.ty));
                }
            }
        }
        None
    }

    /// Where a member of an object is; None for virtual base classes of unreadable objects.
    pub(super) fn member_storage(
        &self,
        object: &Storage,
        member: &Member,
        state: &dyn State,
    ) -> Option<Storage> {
        if let Some(offset) = member.offset {
            return Some(object.at(offset));
        }
        let (addr, expression) = (object.addr()?, member.expression.as_ref()?);
        evaluate_simple(Expression(EndianSlice::new(expression, LittleEndian)), Some(addr), state)
            .map(Storage::Memory)
    }

    /// The element of an array, or of the memory that a pointer points into. Indexes outside an
    /// array of known length are refused.
    pub fn index(
        &self,
        place: &Place,
        index: i128,
        state: &dyn State,
        what: &str,
    ) -> Result<Place, LookupError> {
        let place = self.follow_reference(place.clone(), state, what)?;
        let peeled = self.peel(place.ty);
        let (storage, element, stride) = match peeled.ty.kind {
            Kind::Array { element, count, stride } => {
                let is_outside = |&count: &u64| !(0..i128::from(count)).contains(&index);
                // `int tail[0]` and `int tail[1]` at the end of records are flexible arrays of old.
                if let Some(count) = count.filter(|&count| count > 1).filter(is_outside) {
                    let what = what.to_string();
                    return Err(LookupError::OutOfBounds { what, index, count });
                }
                (place.storage.clone(), element, stride)
            }
            Kind::Pointer { target, .. } => {
                let stride = self.size_of(target).unwrap_or(1);
                (self.deref(&place, state, what)?.storage, target, stride)
            }
            _ => {
                let ty = self.type_name(place.ty);
                return Err(LookupError::NotIndexable { what: what.to_string(), ty });
            }
        };
        let offset = index.wrapping_mul(i128::from(stride)) as u64;
        Ok(Place { storage: storage.at(offset), ty: element, bits: None })
    }

    /// What a pointer points to.
    pub fn deref(
        &self,
        place: &Place,
        state: &dyn State,
        what: &str,
    ) -> Result<Place, LookupError> {
        let peeled = self.peel(place.ty);
        match peeled.ty.kind {
            Kind::Pointer { target, .. } => {
                let unavailable = |why| LookupError::Unavailable { what: what.to_string(), why };
                let pointer = ScalarPlace::unsigned(place.storage.clone(), 8);
                let addr = pointer.read_bits(state).map_err(unavailable)? as u64;
                Ok(Place::memory(addr, target))
            }
            // An array is a pointer to its first element.
            Kind::Array { element, .. } => {
                Ok(Place { storage: place.storage.clone(), ty: element, bits: None })
            }
            _ => {
                let ty = self.type_name(place.ty);
                Err(LookupError::NotPointer { what: what.to_string(), ty })
            }
        }
    }

    /// A pointer to an object, as a value of its own.
    pub fn address_of(&self, place: &Place, what: &str) -> Result<Place, LookupError> {
        let no_address = || LookupError::NoAddress(what.to_string());
        let addr = place.addr().ok_or_else(no_address)?;
        let ty = place.ty.pointer_to().ok_or_else(no_address)?;
        let bytes: Arc<[u8]> = addr.to_le_bytes().into();
        Ok(Place { storage: Storage::single(Source::Constant(bytes)), ty, bits: None })
    }
}

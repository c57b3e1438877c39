//! Library types that are better shown as what they stand for than as what they are made of:
//! `std::string`, `std::vector`, and Rust's strings.
//!
//! The layouts are those of libstdc++ and of Rust's standard library; anything else is shown
//! member by member.

use super::reading::Reading;
use super::scalars::Scalar;
use super::state::{Place, Storage};
use super::types::{Kind, Type, TypeId};
use super::value::Value;

impl Reading<'_> {
    /// The value of a library type; None if the type is none of them, or looks different.
    pub(super) fn library_value(
        &mut self,
        place: &Place,
        ty: &Type,
        depth: usize,
    ) -> Option<Value> {
        let name = &*ty.name;
        let (pointer, length): (&[&str], &[&str]) = match name {
            "&str" | "&mut str" => (&["data_ptr"], &["length"]),
            "alloc::string::String" => {
                (&["vec", "buf", "inner", "ptr", "pointer", "pointer"], &["vec", "len"])
            }
            _ if name.starts_with("std::__cxx11::basic_string<char,") => {
                (&["_M_dataplus", "_M_p"], &["_M_string_length"])
            }
            _ if name.starts_with("std::vector<") => return self.vector(place, depth),
            _ => return None,
        };
        let (addr, _) = self.number(place, pointer)?;
        let (length, _) = self.number(place, length)?;
        self.text(addr, Some(length))
    }

    fn vector(&mut self, place: &Place, depth: usize) -> Option<Value> {
        let (start, pointer) = self.number(place, &["_M_impl", "_M_start"])?;
        let (finish, _) = self.number(place, &["_M_impl", "_M_finish"])?;
        let Kind::Pointer { target, .. } = self.modules.peel(pointer).ty.kind else { return None };
        let size = self.modules.size_of(target).filter(|&size| size > 0)?;
        let count = finish.checked_sub(start)? / size;
        Some(self.elements(&Storage::Memory(start), target, count, size, depth))
    }

    /// The number at the end of a path of members, and its type.
    fn number(&self, place: &Place, path: &[&str]) -> Option<(u64, TypeId)> {
        let mut at = place.clone();
        for name in path {
            at = self.modules.member(&at, name, self.state, "").ok()?;
        }
        match self.scalar(&at) {
            Ok(Scalar::Integer(value)) => Some((u64::try_from(value).ok()?, at.ty)),
            _ => None,
        }
    }
}

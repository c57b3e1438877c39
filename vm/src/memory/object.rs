//! Objects: heap blocks and globals with exact bounds, and the shadow byte behind every byte.
//!
//! Pages that hold objects carry the `SHADOW` flag; on such pages a shadow byte says whether its
//! byte belongs to a live object and whether it was initialised. The table of objects is consulted
//! only to explain a fault, so the cost of exact bounds is one extra load per access.

use std::collections::BTreeMap;

/// The byte holds a value that the program put there.
pub const SHADOW_INIT: u8 = 1;
/// The byte belongs to no live object.
pub const SHADOW_POISON: u8 = 2;
/// The byte belonged to a heap block that was freed (set together with poison).
pub const SHADOW_FREED: u8 = 4;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A block of the allocator, by the thread that asked for it.
    Heap {
        /// Allocating thread.
        thread: u32,
    },
    /// A heap block after its release.
    Freed {
        /// Releasing thread.
        thread: u32,
    },
    /// A variable with static storage.
    Global,
}

/// An object: its address is the key in [`Objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// Exact size in bytes.
    pub size: u64,
    /// What it is.
    pub kind: ObjectKind,
}

/// The table of objects by address.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    by_addr: BTreeMap<u64, Object>,
}

impl Objects {
    /// The object that starts at `addr`.
    pub fn get(&self, addr: u64) -> Option<&Object> {
        self.by_addr.get(&addr)
    }

    /// The last object that starts at or before `addr`.
    pub fn before(&self, addr: u64) -> Option<(u64, &Object)> {
        self.by_addr.range(..=addr).next_back().map(|(&at, object)| (at, object))
    }

    /// The object that holds `addr`.
    pub fn at(&self, addr: u64) -> Option<(u64, &Object)> {
        self.before(addr).filter(|(start, object)| addr - start < object.size.max(1))
    }

    /// All objects by ascending address.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Object)> {
        self.by_addr.iter().map(|(&at, object)| (at, object))
    }

    /// Adds, replaces or removes the object at `addr`; returns what was there.
    pub(crate) fn set(&mut self, addr: u64, object: Option<Object>) -> Option<Object> {
        match object {
            Some(object) => self.by_addr.insert(addr, object),
            None => self.by_addr.remove(&addr),
        }
    }
}

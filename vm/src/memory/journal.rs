//! The journal: old values of everything a step changed, newest last.
//!
//! Undoing pops entries and puts the old values back; nothing else is needed to return to an
//! earlier state exactly. Small memory writes take one 16-byte entry and no allocation; larger or
//! rarer changes put a marker in the same log and keep their old value on a side stack, so that
//! the order of all changes is one order.
//!
//! Invariant: while the journal is on, every change of memory contents, page flags, shadow bytes,
//! regions, objects and thread contexts is logged before it happens.

use super::object::Object;
use super::region::{Region, RegionMap};
use crate::context::{Core, Floating};
use std::sync::Arc;

/// Position in the journal; undo goes back to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

const TAG_SHIFT: u32 = 56;
const ADDR_MASK: u64 = (1 << TAG_SHIFT) - 1;
const TAG_SHADOW: u64 = 0x10;
const TAG_CORE: u64 = 0x20;
const TAG_FLOATING: u64 = 0x21;
const TAG_DEED: u64 = 0x22;

/// One log entry: a tag and an address, and up to eight old bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tagged: u64,
    old: u64,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// A change that does not fit into a log entry.
#[derive(Debug)]
pub(crate) enum Deed {
    /// The region map was replaced.
    Regions(Arc<RegionMap>),
    /// Page flags of consecutive pages.
    PageFlags { first: usize, old: Box<[u8]> },
    /// Contents of a range that was dropped or overwritten wholesale.
    Contents { addr: u64, old: Box<[u8]> },
    /// Shadow bytes of a range.
    Shadow { addr: u64, old: Box<[u8]> },
    /// A heap or global object appeared, changed or went.
    Object { addr: u64, old: Option<Object> },
    /// A thread was added.
    ThreadAdded,
}

impl Deed {
    /// Memory that it keeps alive, about.
    fn bytes(&self) -> usize {
        let kept = match self {
            Deed::Regions(old) => old.len() * size_of::<Region>(),
            Deed::PageFlags { old, .. } | Deed::Contents { old, .. } | Deed::Shadow { old, .. } => {
                old.len()
            }
            Deed::Object { .. } | Deed::ThreadAdded => 0,
        };
        size_of::<Deed>() + kept
    }
}

/// Something that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Contents of memory.
    Contents {
        /// First byte.
        addr: u64,
        /// Number of bytes.
        len: u64,
    },
    /// Shadow bytes.
    Shadow {
        /// First byte.
        addr: u64,
        /// Number of bytes.
        len: u64,
    },
    /// Flags of pages.
    Pages {
        /// First page.
        first: u64,
        /// Number of pages.
        count: u64,
    },
    /// The map of regions.
    Regions,
    /// The object at an address.
    Object(u64),
    /// General registers of a thread.
    Core(u32),
    /// Floating-point registers of a thread.
    Floating(u32),
    /// A thread was added; it is the last but for those added later.
    ThreadAdded,
}

/// What undo has to put back next.
#[allow(clippy::large_enum_variant, reason = "moved once, never stored")]
pub(crate) enum Undo {
    Bytes { addr: u64, size: usize, old: u64 },
    ShadowBytes { addr: u64, size: usize, old: u64 },
    Core { thread: usize, core: Core },
    Floating { thread: usize, floating: Floating },
    Deed(Deed),
}

/// See the module head.
#[derive(Debug, Default)]
pub struct Journal {
    on: bool,
    entries: Vec<Entry>,
    cores: Vec<Core>,
    floating: Vec<Floating>,
    deeds: Vec<Deed>,
    /// Memory that the deeds keep alive.
    deed_bytes: usize,
}

impl Journal {
    /// Whether changes are being logged.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Starts or stops logging; stopping forgets everything logged so far.
    pub fn set_on(&mut self, on: bool) {
        self.on = on;
        if !on {
            self.entries.clear();
            self.cores.clear();
            self.floating.clear();
            self.deeds.clear();
            self.deed_bytes = 0;
        }
    }

    /// Memory that what is logged takes, about.
    pub fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
            + self.cores.len() * size_of::<Core>()
            + self.floating.len() * size_of::<Floating>()
            + self.deed_bytes
    }

    /// The present position.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.entries.len())
    }

    /// Number of entries since `mark`.
    pub fn len_since(&self, mark: Mark) -> usize {
        self.entries.len() - mark.0
    }

    /// Calls `changed` with the address and length of every change of memory contents since `mark`,
    /// newest first; the same bytes may come more than once.
    pub fn changes_since(&self, mark: Mark, mut changed: impl FnMut(u64, u64)) {
        self.contents_since(mark, |addr, old| {
            changed(addr, old.len() as u64);
            true
        });
    }

    /// Calls `overwritten` with the address and the old bytes of every change of memory contents
    /// since `mark`, newest first, for as long as it wants more.
    pub fn contents_since(&self, mark: Mark, mut overwritten: impl FnMut(u64, &[u8]) -> bool) {
        let mut deeds = self.deeds.iter().rev();
        for entry in self.entries[mark.0..].iter().rev() {
            let wants_more = match entry.tagged >> TAG_SHIFT {
                size @ 1..=8 => {
                    let old = entry.old.to_le_bytes();
                    overwritten(entry.tagged & ADDR_MASK, &old[..size as usize])
                }
                TAG_DEED => match deeds.next() {
                    Some(Deed::Contents { addr, old }) => overwritten(*addr, old),
                    _ => true,
                },
                _ => true,
            };
            if !wants_more {
                return;
            }
        }
    }

    /// Calls `changed` with everything that was changed since `mark`, newest first; the same thing
    /// may come more than once.
    pub fn each_since(&self, mark: Mark, mut changed: impl FnMut(Changed)) {
        let mut deeds = self.deeds.iter().rev();
        for entry in self.entries[mark.0..].iter().rev() {
            let addr = entry.tagged & ADDR_MASK;
            match entry.tagged >> TAG_SHIFT {
                size @ 1..=8 => changed(Changed::Contents { addr, len: size }),
                TAG_CORE => changed(Changed::Core(entry.old as u32)),
                TAG_FLOATING => changed(Changed::Floating(entry.old as u32)),
                TAG_DEED => match deeds.next() {
                    Some(Deed::Regions(_)) => changed(Changed::Regions),
                    Some(Deed::PageFlags { first, old }) => {
                        changed(Changed::Pages { first: *first as u64, count: old.len() as u64 });
                    }
                    Some(Deed::Contents { addr, old }) => {
                        changed(Changed::Contents { addr: *addr, len: old.len() as u64 });
                    }
                    Some(Deed::Shadow { addr, old }) => {
                        changed(Changed::Shadow { addr: *addr, len: old.len() as u64 });
                    }
                    Some(Deed::Object { addr, .. }) => changed(Changed::Object(*addr)),
                    Some(Deed::ThreadAdded) => changed(Changed::ThreadAdded),
                    None => {}
                },
                shadow => {
                    let size = shadow & 7;
                    changed(Changed::Shadow { addr, len: if size == 0 { 8 } else { size } });
                }
            }
        }
    }

    /// The regions as they were at `mark`, if they have changed since.
    pub fn regions_at(&self, mark: Mark) -> Option<&RegionMap> {
        let is_deed = |entry: &&Entry| entry.tagged >> TAG_SHIFT == TAG_DEED;
        let count = self.entries[mark.0..].iter().filter(is_deed).count();
        self.deeds[self.deeds.len() - count..].iter().find_map(|deed| match deed {
            Deed::Regions(old) => Some(&**old),
            _ => None,
        })
    }

    /// Numbers of the threads whose registers were logged since `mark`.
    pub fn threads_since(&self, mark: Mark) -> impl Iterator<Item = u32> + '_ {
        self.entries[mark.0..]
            .iter()
            .filter(|entry| matches!(entry.tagged >> TAG_SHIFT, TAG_CORE | TAG_FLOATING))
            .map(|entry| entry.old as u32)
    }

    #[inline(always)]
    pub(crate) fn log_bytes(&mut self, addr: u64, size: usize, old: u64) {
        debug_assert!(matches!(size, 1..=8));
        self.entries.push(Entry { tagged: addr | (size as u64) << TAG_SHIFT, old });
    }

    #[inline(always)]
    pub(crate) fn log_shadow(&mut self, addr: u64, size: usize, old: u64) {
        debug_assert!(matches!(size, 1..=8));
        let tag = TAG_SHADOW | (size as u64 & 7);
        self.entries.push(Entry { tagged: addr | tag << TAG_SHIFT, old });
    }

    pub(crate) fn log_core(&mut self, thread: usize, core: &Core) {
        self.entries.push(Entry { tagged: TAG_CORE << TAG_SHIFT, old: thread as u64 });
        self.cores.push(*core);
    }

    pub(crate) fn log_floating(&mut self, thread: usize, floating: &Floating) {
        self.entries.push(Entry { tagged: TAG_FLOATING << TAG_SHIFT, old: thread as u64 });
        self.floating.push(floating.clone());
    }

    pub(crate) fn log_deed(&mut self, deed: Deed) {
        self.entries.push(Entry { tagged: TAG_DEED << TAG_SHIFT, old: 0 });
        self.deed_bytes += deed.bytes();
        self.deeds.push(deed);
    }

    /// Takes the newest entry back to front until `mark` is reached.
    pub(crate) fn pop_until(&mut self, mark: Mark) -> Option<Undo> {
        if self.entries.len() <= mark.0 {
            return None;
        }
        let Entry { tagged, old } = self.entries.pop()?;
        let addr = tagged & ADDR_MASK;
        let tag = tagged >> TAG_SHIFT;
        Some(match tag {
            TAG_CORE => Undo::Core { thread: old as usize, core: self.cores.pop()? },
            TAG_FLOATING => Undo::Floating { thread: old as usize, floating: self.floating.pop()? },
            TAG_DEED => {
                let deed = self.deeds.pop()?;
                self.deed_bytes -= deed.bytes();
                Undo::Deed(deed)
            }
            size @ 1..=8 => Undo::Bytes { addr, size: size as usize, old },
            shadow => {
                let size = match shadow & 7 {
                    0 => 8,
                    size => size as usize,
                };
                Undo::ShadowBytes { addr, size, old }
            }
        })
    }
}

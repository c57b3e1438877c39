//! Reading and putting back whole states, past the journal.
//!
//! A search that jumps from one stored state to another writes only what differs. These functions
//! show memory as it is, whatever its permissions, and set it without logging; whoever calls them
//! turns the journal off first, because undoing across a jump would mix two states.
//!
//! Invariant kept: a page that was given contents is no longer fresh, and decoded code that may be
//! stale is known to be.

use super::object::Object;
use super::region::RegionMap;
use super::{CODE, FRESH, Memory, PAGE_SHIFT, PAGE_SIZE, SHADOW, SHADOW_INIT};
use std::sync::Arc;

impl Memory {
    /// Bytes as they are, whatever the permissions.
    ///
    /// # Panics
    /// If the range leaves the address space.
    pub fn raw(&self, addr: u64, len: u64) -> &[u8] {
        &self.space.data()[addr as usize..(addr + len) as usize]
    }

    /// Shadow bytes as they are.
    ///
    /// # Panics
    /// If the range leaves the address space.
    pub fn raw_shadow(&self, addr: u64, len: u64) -> &[u8] {
        &self.shadow.bytes()[addr as usize..(addr + len) as usize]
    }

    /// The shadow of the pages of a range that are judged by the byte, by ascending address; nobody
    /// ever looks at the rest. The range must begin and end with pages.
    pub fn shadowed(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, &[u8])> {
        let pages = (start..end).step_by(PAGE_SIZE as usize);
        let is_judged = |page: &u64| self.space.flags(*page) & SHADOW != 0;
        pages.filter(is_judged).map(|page| (page, self.raw_shadow(page, PAGE_SIZE)))
    }

    /// The flags of consecutive pages, without those that only say what samovar itself did.
    pub fn page_states(&self, first: u64, into: &mut [u8]) {
        let first = first as usize;
        into.copy_from_slice(&self.space.pages()[first..first + into.len()]);
        for flags in into {
            *flags &= !(CODE | FRESH);
        }
    }

    /// What is mapped where, to be kept.
    pub fn region_map(&self) -> &Arc<RegionMap> {
        &self.regions
    }

    /// Puts contents back.
    pub fn restore(&mut self, addr: u64, bytes: &[u8]) {
        debug_assert!(!self.journal.is_on(), "jumps are not journalled");
        self.space.data_mut()[addr as usize..addr as usize + bytes.len()].copy_from_slice(bytes);
        for page in addr >> PAGE_SHIFT..=(addr + bytes.len() as u64 - 1) >> PAGE_SHIFT {
            let flags = &mut self.space.pages_mut()[page as usize];
            *flags &= !FRESH;
            self.code_dirty |= *flags & CODE != 0;
        }
    }

    /// Puts shadow bytes back.
    pub fn restore_shadow(&mut self, addr: u64, bytes: &[u8]) {
        debug_assert!(!self.journal.is_on(), "jumps are not journalled");
        self.shadow.bytes_mut()[addr as usize..addr as usize + bytes.len()].copy_from_slice(bytes);
    }

    /// Puts flags of pages back, as [`Memory::page_states`] gave them. Contents come after this: a
    /// page that was not mapped counts as fresh until something is put there.
    pub fn restore_page_states(&mut self, first: u64, states: &[u8]) {
        debug_assert!(!self.journal.is_on(), "jumps are not journalled");
        let pages = &mut self.space.pages_mut()[first as usize..first as usize + states.len()];
        for (page, &state) in pages.iter_mut().zip(states) {
            self.code_dirty |= *page & CODE != 0 && *page & !(CODE | FRESH) != state;
            let fresh = if *page & !(CODE | FRESH) == 0 { FRESH } else { *page & FRESH };
            *page = *page & CODE | state | if state == 0 { 0 } else { fresh };
        }
    }

    /// Puts the map of regions back.
    pub fn restore_regions(&mut self, regions: &Arc<RegionMap>) {
        debug_assert!(!self.journal.is_on(), "jumps are not journalled");
        self.regions = Arc::clone(regions);
    }

    /// Puts an object back, or its absence.
    pub fn restore_object(&mut self, addr: u64, object: Option<Object>) {
        debug_assert!(!self.journal.is_on(), "jumps are not journalled");
        self.objects.set(addr, object);
    }
}

/// Shadow bytes without what nobody asks for: whether a byte was initialised.
pub fn judged(shadow: &[u8], into: &mut [u8]) {
    for (to, from) in into.iter_mut().zip(shadow) {
        *to = from & !SHADOW_INIT;
    }
}

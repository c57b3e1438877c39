//! Operations on ranges: mapping, protection, whole-buffer reads and writes, objects, undo.
//!
//! These serve the loader, the system calls and debuggers; the execution loop uses the small
//! loads and stores of the parent module.

use super::journal::{Deed, Mark, Undo};
use super::object::{Object, ObjectKind, SHADOW_FREED, SHADOW_INIT, SHADOW_POISON};
use super::reads::REGIONS;
use super::region::{Perms, Region};
use super::{
    ADDRESS_LIMIT, CODE, EXEC, FRESH, Memory, PAGE_SHIFT, PAGE_SIZE, READ, SHADOW, WRITE, log_old,
};
use crate::fault::{AccessKind, Fault};
use std::ops::Range;
use std::sync::Arc;

fn flags_of(perms: Perms) -> u8 {
    [(perms.read, READ), (perms.write, WRITE), (perms.exec, EXEC)]
        .into_iter()
        .filter_map(|(on, flag)| on.then_some(flag))
        .sum()
}

/// Pages that are cleared by hand at most.
const FEW_PAGES: usize = 16;

/// The shortest range that holds all pages with a property. Cost: groups of pages without it are
/// passed over as a whole.
fn span(pages: &[u8], is: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    const GROUP: usize = 64;
    let any = |group: &[u8]| group.iter().fold(false, |any, &page| any | is(page));
    let first = pages.chunks(GROUP).position(any)?;
    let last = pages.chunks(GROUP).rposition(any)?;
    let groups = first * GROUP..pages.len().min((last + 1) * GROUP);
    let start = groups.start + pages[groups.clone()].iter().position(|&page| is(page))?;
    let end = groups.start + pages[groups.clone()].iter().rposition(|&page| is(page))? + 1;
    Some(start..end)
}

/// Whether `[addr, addr + len)` is a page-aligned, non-empty range of the address space.
pub fn is_page_range(addr: u64, len: u64) -> bool {
    addr.is_multiple_of(PAGE_SIZE)
        && len.is_multiple_of(PAGE_SIZE)
        && len > 0
        && addr.checked_add(len).is_some_and(|end| end <= ADDRESS_LIMIT)
}

impl Memory {
    /// Maps fresh zero pages in place of whatever was there.
    ///
    /// # Panics
    /// If the range is not page-aligned or leaves the address space.
    pub fn map(&mut self, addr: u64, len: u64, region: (Perms, Arc<str>, u64)) {
        assert!(is_page_range(addr, len), "bad mapping {addr:#x}+{len:#x}");
        let (perms, name, file_offset) = region;
        self.drop_contents(addr, len);
        self.replace_regions(|regions| {
            regions.insert(addr, Region { end: addr + len, perms, name, file_offset });
        });
        self.set_page_flags(addr, len, |_| flags_of(perms) | FRESH);
    }

    /// Removes mappings; the contents are gone.
    pub fn unmap(&mut self, addr: u64, len: u64) {
        assert!(is_page_range(addr, len), "bad unmapping {addr:#x}+{len:#x}");
        self.drop_contents(addr, len);
        self.replace_regions(|regions| regions.remove(addr, addr + len));
        self.set_page_flags(addr, len, |_| 0);
    }

    /// Drops the contents of mapped pages, which read as zero afterwards.
    pub fn clear(&mut self, addr: u64, len: u64) {
        assert!(is_page_range(addr, len), "bad clearing {addr:#x}+{len:#x}");
        self.drop_contents(addr, len);
        self.set_page_flags(addr, len, |old| old & !CODE | FRESH);
    }

    /// Changes the permissions of mapped pages.
    pub fn protect(&mut self, addr: u64, len: u64, perms: Perms) {
        assert!(is_page_range(addr, len), "bad protection {addr:#x}+{len:#x}");
        self.replace_regions(|regions| regions.protect(addr, addr + len, perms));
        let flags = flags_of(perms);
        self.set_page_flags(addr, len, |old| old & (SHADOW | FRESH) | flags);
    }

    fn replace_regions(&mut self, change: impl FnOnce(&mut super::RegionMap)) {
        self.reads.note_beyond(REGIONS, 0);
        if self.journal.is_on() {
            self.journal.log_deed(Deed::Regions(Arc::clone(&self.regions)));
        }
        change(Arc::make_mut(&mut self.regions));
    }

    fn set_page_flags(&mut self, addr: u64, len: u64, new: impl Fn(u8) -> u8) {
        let first = (addr >> PAGE_SHIFT) as usize;
        let pages = &mut self.space.pages_mut()[first..first + (len >> PAGE_SHIFT) as usize];
        let Some(changed) = span(pages, |page| new(page) != page) else { return };
        let pages = &mut pages[changed.clone()];
        if self.journal.is_on() {
            let first = first + changed.start;
            self.journal.log_deed(Deed::PageFlags { first, old: (&*pages).into() });
        }
        for page in pages {
            self.code_dirty |= *page & CODE != 0;
            *page = new(*page);
        }
    }

    fn drop_contents(&mut self, addr: u64, len: u64) {
        if !self.regions().overlaps(addr, addr + len) {
            return;
        }
        let first = (addr >> PAGE_SHIFT) as usize;
        if self.regions.overlaps(addr, addr + len) {
            self.reads.note_pages(first as u64, len >> PAGE_SHIFT);
            // What goes away, and so what changes, depends on what is there.
            self.reads.note_dropped(addr, len);
        }
        let pages = &self.space.pages()[first..first + (len >> PAGE_SHIFT) as usize];
        let Some(touched) = span(pages, |page| page & (FRESH | SHADOW) != FRESH) else { return };
        let start = (first + touched.start) as u64 * PAGE_SIZE;
        let end = (first + touched.end) as u64 * PAGE_SIZE;
        let mut dirty = false;
        for page in (start..end).step_by(PAGE_SIZE as usize) {
            let flags = self.page_flags(page);
            let unmapped = flags == 0 && self.regions.at(page).is_none();
            if unmapped || flags & (FRESH | SHADOW) == FRESH {
                continue;
            }
            dirty = true;
            if !self.journal.is_on() {
                break;
            }
            self.log_page(page, flags);
        }
        if dirty {
            self.zero_pages(start, end - start);
        }
    }

    /// Makes pages and their shadow bytes zero: few of them by hand, which keeps their host memory
    /// for the next use, many by giving it back.
    fn zero_pages(&mut self, addr: u64, len: u64) {
        let (at, len) = (addr as usize, len as usize);
        if len > FEW_PAGES * PAGE_SIZE as usize {
            self.space.discard(at, len);
            self.shadow.discard(at, len);
            return;
        }
        for bytes in [self.space.data_mut(), self.shadow.bytes_mut()] {
            for page in bytes[at..at + len].chunks_mut(PAGE_SIZE as usize) {
                if page.iter().any(|&byte| byte != 0) {
                    page.fill(0);
                }
            }
        }
    }

    /// Logs the contents of a page that is about to be dropped.
    fn log_page(&mut self, page: u64, flags: u8) {
        let range = page as usize..(page + PAGE_SIZE) as usize;
        let old = &self.space.data()[range.clone()];
        if old.iter().any(|&byte| byte != 0) {
            self.journal.log_deed(Deed::Contents { addr: page, old: old.into() });
        }
        if flags & SHADOW != 0 {
            let old = self.shadow.bytes()[range].into();
            self.journal.log_deed(Deed::Shadow { addr: page, old });
        }
    }

    /// Copies bytes out; the guest must be permitted to read them.
    pub fn read(&self, addr: u64, into: &mut [u8]) -> Result<(), Fault> {
        let size = into.len() as u64;
        into.copy_from_slice(self.slice(addr, size)?);
        Ok(())
    }

    /// Borrows bytes; the guest must be permitted to read them.
    pub fn slice(&self, addr: u64, len: u64) -> Result<&[u8], Fault> {
        self.reads.note(addr, len);
        if self.permits(addr, len, READ).is_none() {
            return Err(self.explain(addr, len as u32, AccessKind::Read));
        }
        // No bytes may be read anywhere, even beyond the address space.
        Ok(self.space.data().get(addr as usize..(addr + len) as usize).unwrap_or_default())
    }

    /// The bytes of a range that were ever written, in pieces of at most a page by ascending
    /// address, whatever their permissions; everything else in it is zero.
    pub fn touched(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, &[u8])> {
        let pages = start >> PAGE_SHIFT..end.min(ADDRESS_LIMIT).div_ceil(PAGE_SIZE);
        pages.filter_map(move |page| {
            let flags = self.space.pages()[page as usize];
            let from = start.max(page << PAGE_SHIFT);
            let to = end.min((page + 1) << PAGE_SHIFT);
            let bytes = self.space.data().get(from as usize..to as usize)?;
            (flags & FRESH == 0).then_some((from, bytes))
        })
    }

    /// Copies bytes in; the guest must be permitted to write them.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Fault> {
        if self.permits(addr, bytes.len() as u64, WRITE).is_none() {
            return Err(self.explain(addr, bytes.len() as u32, AccessKind::Write));
        }
        self.write_any(addr, bytes);
        Ok(())
    }

    /// Copies bytes into mapped memory whatever its permissions: for loaders and debuggers.
    ///
    /// # Panics
    /// If the range leaves the address space.
    pub fn write_any(&mut self, addr: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.reads.note(addr, bytes.len() as u64);
        let at = addr as usize;
        let target = &mut self.space.data_mut()[at..at + bytes.len()];
        if self.journal.is_on() {
            if bytes.len() <= 64 {
                log_old(&mut self.journal, addr, target);
            } else {
                self.journal.log_deed(Deed::Contents { addr, old: (&*target).into() });
            }
        }
        target.copy_from_slice(bytes);
        self.mark_written(addr, bytes.len() as u64);
    }

    /// Fills a range of aligned words with zeros. Only words that are not zero cost anything.
    ///
    /// # Panics
    /// If the range leaves the address space.
    pub fn zero_words(&mut self, start: u64, end: u64) {
        if start < end {
            self.reads.note(start, end - start);
        }
        let words = self.space.data_mut()[start as usize..end as usize].chunks_exact_mut(8);
        for (word, addr) in words.zip((start..).step_by(8)) {
            if *word != [0; 8] {
                if self.journal.is_on() {
                    log_old(&mut self.journal, addr, word);
                }
                word.fill(0);
            }
        }
    }

    /// Fills a range of aligned words with a pattern, as far as the guest may write there.
    pub fn fill_words(&mut self, start: u64, end: u64, pattern: u32) {
        let word = (u64::from(pattern) << 32 | u64::from(pattern)).to_le_bytes();
        for addr in (start..end).step_by(8).filter(|&addr| addr < ADDRESS_LIMIT) {
            if self.page_flags(addr) & (WRITE | CODE) != WRITE {
                continue;
            }
            let target = &mut self.space.data_mut()[addr as usize..addr as usize + 8];
            if *target != word {
                if self.journal.is_on() {
                    log_old(&mut self.journal, addr, target);
                }
                target.copy_from_slice(&word);
                self.touch(addr);
            }
        }
    }

    fn mark_written(&mut self, addr: u64, len: u64) {
        for page in addr >> PAGE_SHIFT..=(addr + len - 1) >> PAGE_SHIFT {
            let flags = self.space.pages()[page as usize];
            self.code_dirty |= flags & CODE != 0;
            self.touch(page << PAGE_SHIFT);
            if flags & SHADOW != 0 {
                let from = addr.max(page << PAGE_SHIFT);
                let to = (addr + len).min((page + 1) << PAGE_SHIFT);
                self.initialise(from, to - from);
            }
        }
    }

    /// Reads a little-endian 64-bit word.
    pub fn read_u64(&self, addr: u64) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        self.read(addr, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a little-endian 32-bit word.
    pub fn read_u32(&self, addr: u64) -> Result<u32, Fault> {
        let mut bytes = [0; 4];
        self.read(addr, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Writes a little-endian 64-bit word.
    pub fn write_u64(&mut self, addr: u64, value: u64) -> Result<(), Fault> {
        self.write(addr, &value.to_le_bytes())
    }

    /// Writes a little-endian 32-bit word.
    pub fn write_u32(&mut self, addr: u64, value: u32) -> Result<(), Fault> {
        self.write(addr, &value.to_le_bytes())
    }

    /// Reads a string up to its terminating zero, at most `max` bytes.
    pub fn read_c_string(&self, addr: u64, max: usize) -> Result<Vec<u8>, Fault> {
        let mut string = Vec::new();
        for at in addr..addr.saturating_add(max as u64) {
            match self.slice(at, 1)?[0] {
                0 => break,
                byte => string.push(byte),
            }
        }
        Ok(string)
    }

    /// Bytes from `addr` to the end of its page that may be executed; empty if none.
    pub(crate) fn fetch(&self, addr: u64, max: usize) -> &[u8] {
        let mut len = 0;
        while len < max && self.page_flags(addr.saturating_add(len as u64)) & EXEC != 0 {
            let at = addr + len as u64;
            len += (PAGE_SIZE - at % PAGE_SIZE) as usize;
        }
        self.space.data().get(addr as usize..addr as usize + len.min(max)).unwrap_or(&[])
    }

    /// Notes that instructions of `[addr, addr + len)` were decoded.
    pub(crate) fn note_code(&mut self, addr: u64, len: u64) {
        for page in addr >> PAGE_SHIFT..=(addr + len.max(1) - 1) >> PAGE_SHIFT {
            self.space.pages_mut()[page as usize] |= CODE;
        }
    }

    /// Forgets which pages hold code, because all blocks were thrown away.
    pub(crate) fn forget_all_code(&mut self) {
        let regions = Arc::clone(&self.regions);
        for (start, region) in regions.iter().filter(|(_, region)| region.perms.exec) {
            let pages = (start >> PAGE_SHIFT) as usize..(region.end >> PAGE_SHIFT) as usize;
            for page in &mut self.space.pages_mut()[pages] {
                *page &= !CODE;
            }
        }
        self.code_dirty = false;
    }

    /// Whether an access would hit decoded code.
    pub(crate) fn is_code(&self, addr: u64, len: u64) -> bool {
        self.permits(addr, len, WRITE).is_some()
            && (addr >> PAGE_SHIFT..=(addr + len - 1) >> PAGE_SHIFT)
                .any(|page| self.space.pages()[page as usize] & CODE != 0)
    }

    /// Whether decoded code may be stale; asking resets the answer.
    pub(crate) fn take_code_dirty(&mut self) -> bool {
        std::mem::take(&mut self.code_dirty)
    }

    /// Turns on byte-exact judgement for pages; every byte belongs to no object at first, or to
    /// one initialised whole where `addressable`.
    pub fn shadow_pages(&mut self, addr: u64, len: u64, addressable: bool) {
        self.set_shadow(addr, len, if addressable { SHADOW_INIT } else { SHADOW_POISON });
        self.set_page_flags(addr, len, |old| old | SHADOW);
    }

    /// Makes a variable of `size` bytes; the `gap` bytes behind it, on shadowed pages, belong to no
    /// object.
    pub fn create_global(&mut self, addr: u64, size: u64, gap: u64) {
        self.set_object(addr, Some(Object { size, kind: ObjectKind::Global }));
        self.set_shadow(addr + size, gap, SHADOW_POISON);
    }

    fn set_shadow(&mut self, addr: u64, len: u64, state: u8) {
        let shadow = &mut self.shadow.bytes_mut()[addr as usize..(addr + len) as usize];
        if self.journal.is_on() {
            self.journal.log_deed(Deed::Shadow { addr, old: (&*shadow).into() });
        }
        shadow.fill(state);
    }

    fn set_object(&mut self, addr: u64, object: Option<Object>) {
        let old = self.objects.set(addr, object);
        if self.journal.is_on() {
            self.journal.log_deed(Deed::Object { addr, old });
        }
    }

    /// Makes an object with exact bounds on shadowed pages.
    pub fn create_object(&mut self, addr: u64, object: Object, initialised: bool) {
        self.set_object(addr, Some(object));
        self.set_shadow(addr, object.size, if initialised { SHADOW_INIT } else { 0 });
    }

    /// Marks a heap block as freed: later accesses are use after free.
    pub fn free_object(&mut self, addr: u64, thread: u32) {
        if let Some(&object) = self.objects.get(addr) {
            self.set_object(addr, Some(Object { kind: ObjectKind::Freed { thread }, ..object }));
            self.set_shadow(addr, object.size, SHADOW_POISON | SHADOW_FREED);
        }
    }

    /// Removes an object from the table; its bytes belong to no object.
    pub fn forget_object(&mut self, addr: u64) {
        if let Some(&object) = self.objects.get(addr) {
            self.set_object(addr, None);
            self.set_shadow(addr, object.size, SHADOW_POISON);
        }
    }

    /// Puts back one entry; entries about threads go back to the caller.
    pub(crate) fn undo_one(&mut self, mark: Mark) -> Option<Option<Undo>> {
        match self.journal.pop_until(mark)? {
            Undo::Bytes { addr, size, old } => {
                let at = addr as usize;
                self.space.data_mut()[at..at + size].copy_from_slice(&old.to_le_bytes()[..size]);
                self.code_dirty |= self.page_flags(addr) & CODE != 0;
            }
            Undo::ShadowBytes { addr, size, old } => {
                let at = addr as usize;
                self.shadow.bytes_mut()[at..at + size].copy_from_slice(&old.to_le_bytes()[..size]);
            }
            Undo::Deed(Deed::Regions(old)) => self.regions = old,
            Undo::Deed(Deed::PageFlags { first, old }) => {
                // Decoding is not journalled: a page keeps its code mark.
                let pages = &mut self.space.pages_mut()[first..first + old.len()];
                for (page, &flags) in pages.iter_mut().zip(&old) {
                    self.code_dirty |= (*page | flags) & CODE != 0;
                    *page = flags;
                }
            }
            Undo::Deed(Deed::Contents { addr, old }) => {
                self.space.data_mut()[addr as usize..addr as usize + old.len()]
                    .copy_from_slice(&old);
                self.code_dirty |= self.page_flags(addr) & CODE != 0;
            }
            Undo::Deed(Deed::Shadow { addr, old }) => {
                self.shadow.bytes_mut()[addr as usize..addr as usize + old.len()]
                    .copy_from_slice(&old);
            }
            Undo::Deed(Deed::Object { addr, old }) => {
                self.objects.set(addr, old);
            }
            other => return Some(Some(other)),
        }
        Some(None)
    }
}

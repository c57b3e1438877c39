//! Guest memory: one flat address space with page flags, optional shadow bytes and a journal.
//!
//! A guest address is an offset into one large reservation, so an access is a page-flag test and a
//! host access. The flags of a page decide what may happen there; pages with the `SHADOW` flag are
//! judged byte by byte (see [`object`]) when the monitor asks for it.
//!
//! Invariants: pages that are not mapped read as zero in the reservation, so a fresh mapping needs
//! no clearing; every change is journalled while the journal is on; a store never reaches a page
//! that holds decoded code (`CODE`) without the machine knowing.

pub mod frames;
pub mod journal;
pub mod object;
mod range;
pub mod reads;
pub mod region;
pub mod restore;
mod space;

use crate::fault::{AccessKind, Fault, FaultReason};
use crate::monitor::Monitor;
use frames::Frames;
use journal::Journal;
use object::{Object, Objects, SHADOW_FREED, SHADOW_INIT, SHADOW_POISON};
use reads::Reads;
use region::{Region, RegionMap};
use space::{Reservation, Space};
use std::io;
use std::sync::Arc;

/// Size of a page.
pub const PAGE_SIZE: u64 = 4096;
/// Addresses from here on do not exist.
pub const ADDRESS_LIMIT: u64 = 1 << 38;
const PAGE_SHIFT: u32 = 12;

const READ: u8 = 1;
const WRITE: u8 = 2;
const EXEC: u8 = 4;
const SHADOW: u8 = 8;
const CODE: u8 = 16;
/// Mapped and never written since: reads as zero.
const FRESH: u8 = 32;

/// See the module head.
#[derive(Debug)]
pub struct Memory {
    space: Space,
    shadow: Reservation,
    regions: Arc<RegionMap>,
    objects: Objects,
    /// Old values of everything changed; see [`journal`].
    pub journal: Journal,
    /// Return addresses on the stacks; see [`frames`].
    pub(crate) frames: Frames,
    /// What steps look at; see [`reads`].
    pub reads: Reads,
    code_dirty: bool,
}

impl Memory {
    /// Reserves an empty address space.
    pub fn new() -> io::Result<Memory> {
        Ok(Memory {
            space: Space::new()?,
            shadow: Reservation::new(ADDRESS_LIMIT as usize)?,
            regions: Arc::default(),
            objects: Objects::default(),
            journal: Journal::default(),
            frames: Frames::default(),
            reads: Reads::default(),
            code_dirty: false,
        })
    }

    /// What is mapped where.
    pub fn regions(&self) -> &RegionMap {
        self.reads.note_beyond(reads::REGIONS, 0);
        &self.regions
    }

    /// The region that holds an address, with its start.
    pub fn region_at(&self, addr: u64) -> Option<(u64, &Region)> {
        self.reads.note_region(addr);
        self.regions.at(addr)
    }

    /// Heap blocks and globals.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The block or global that begins at an address, for somebody who acts on it.
    pub fn object(&self, addr: u64) -> Option<&Object> {
        self.reads.note_object(addr);
        self.objects.get(addr)
    }

    #[inline(always)]
    fn page_flags(&self, addr: u64) -> u8 {
        self.space.flags(addr)
    }

    /// Loads `N` bytes for the execution loop; `None` means a fault that [`Memory::explain`] names.
    #[inline(always)]
    pub(crate) fn load<const N: usize, M: Monitor>(&self, addr: u64) -> Option<[u8; N]> {
        if M::ACCESSES {
            self.reads.note(addr, N as u64);
        }
        let mask = if M::SHADOW { READ | SHADOW } else { READ };
        match self.space.probe::<N>(addr, mask, READ) {
            Some(spot) => Some(self.space.get(spot)),
            None => self.load_slow::<N, M>(addr),
        }
    }

    #[cold]
    #[inline(never)]
    fn load_slow<const N: usize, M: Monitor>(&self, addr: u64) -> Option<[u8; N]> {
        self.permits(addr, N as u64, READ)?;
        if M::SHADOW {
            self.readable::<N>(addr)?;
        }
        let at = addr as usize;
        self.space.data().get(at..at + N)?.try_into().ok()
    }

    /// Stores `N` bytes for the execution loop; `None` means a fault or a write to decoded code.
    #[inline(always)]
    pub(crate) fn store<const N: usize, M: Monitor>(
        &mut self,
        addr: u64,
        value: [u8; N],
    ) -> Option<()> {
        if M::ACCESSES {
            self.reads.note(addr, N as u64);
        }
        let mask = WRITE | CODE | FRESH | if M::SHADOW { SHADOW } else { 0 };
        let Some(spot) = self.space.probe::<N>(addr, mask, WRITE) else {
            return self.store_slow::<N, M>(addr, value);
        };
        if M::JOURNAL {
            log_old(&mut self.journal, addr, &self.space.get(spot));
        }
        self.space.set(spot, value);
        Some(())
    }

    #[cold]
    #[inline(never)]
    fn store_slow<const N: usize, M: Monitor>(&mut self, addr: u64, value: [u8; N]) -> Option<()> {
        self.permits(addr, N as u64, WRITE)?;
        if self.holds_code(addr, N as u64) {
            return None;
        }
        if M::SHADOW {
            self.unpoisoned(addr, N as u64)?;
            self.initialise(addr, N as u64);
        }
        self.touch(addr);
        self.touch(addr + N as u64 - 1);
        let at = addr as usize;
        let target = self.space.data_mut().get_mut(at..at + N)?;
        if M::JOURNAL {
            log_old(&mut self.journal, addr, target);
        }
        target.copy_from_slice(&value);
        Some(())
    }

    /// Notes that a page is written to.
    fn touch(&mut self, addr: u64) {
        self.space.pages_mut()[(addr >> PAGE_SHIFT) as usize] &= !FRESH;
    }

    /// Whether the guest may write there; decoded code counts as writable.
    #[inline(always)]
    pub(crate) fn is_writable(&self, addr: u64, size: u32) -> bool {
        let last = addr.wrapping_add(u64::from(size) - 1);
        self.page_flags(addr) & self.page_flags(last) & WRITE != 0
    }

    fn permits(&self, addr: u64, len: u64, flag: u8) -> Option<()> {
        let end = addr.checked_add(len)?;
        if len == 0 {
            return Some(());
        }
        let pages = self
            .space
            .pages()
            .get((addr >> PAGE_SHIFT) as usize..=((end - 1) >> PAGE_SHIFT) as usize)?;
        pages.iter().all(|page| page & flag != 0).then_some(())
    }

    fn holds_code(&self, addr: u64, len: u64) -> bool {
        (self.page_flags(addr) | self.page_flags(addr + len - 1)) & CODE != 0
    }

    /// Whether objects permit a load. Aligned loads of 16 bytes are judged by their page alone:
    /// string functions read whole groups of them around an object, and what they read outside of
    /// it does not decide anything. The price is that such a load by the program's own vector code
    /// goes unnoticed behind the end of an object; stores and all other loads are exact.
    fn readable<const N: usize>(&self, addr: u64) -> Option<()> {
        if N == 16 && addr.is_multiple_of(16) {
            return Some(());
        }
        self.unpoisoned(addr, N as u64)
    }

    fn unpoisoned(&self, addr: u64, len: u64) -> Option<()> {
        let shadow = &self.shadow.bytes()[addr as usize..(addr + len) as usize];
        let poisoned = (addr..)
            .zip(shadow)
            .any(|(at, &byte)| byte & SHADOW_POISON != 0 && self.page_flags(at) & SHADOW != 0);
        (!poisoned).then_some(())
    }

    fn initialise(&mut self, addr: u64, len: u64) {
        for at in addr..addr + len {
            let old = self.shadow.bytes()[at as usize];
            if old & SHADOW_INIT == 0 && self.page_flags(at) & SHADOW != 0 {
                if self.journal.is_on() {
                    self.journal.log_shadow(at, 1, u64::from(old));
                }
                self.shadow.bytes_mut()[at as usize] = old | SHADOW_INIT;
            }
        }
    }

    /// Whether all of these bytes hold values that the program put there. Pages without objects
    /// count as initialised: the operating system fills them.
    pub fn is_initialised(&self, addr: u64, len: u64) -> bool {
        self.reads.note(addr, len);
        (addr..addr + len).all(|at| {
            self.page_flags(at) & SHADOW == 0 || self.shadow.bytes()[at as usize] & SHADOW_INIT != 0
        })
    }

    /// Whether a byte belongs to a live object, or to a readable page without objects.
    pub fn is_live(&self, addr: u64) -> bool {
        self.reads.note(addr, 1);
        let is_poisoned = |at: u64| {
            self.page_flags(at) & SHADOW != 0
                && self.shadow.bytes()[at as usize] & SHADOW_POISON != 0
        };
        self.permits(addr, 1, READ).is_some() && !is_poisoned(addr)
    }

    /// The reason why an access is refused; to be asked after a load or store said `None`.
    pub fn explain(&self, addr: u64, size: u32, kind: AccessKind) -> Fault {
        let fault = |reason| Fault { addr, size, kind, reason };
        if addr < PAGE_SIZE {
            return fault(FaultReason::Null);
        }
        let wanted = match kind {
            AccessKind::Read => READ,
            AccessKind::Write => WRITE,
            AccessKind::Execute => EXEC,
        };
        let len = u64::from(size);
        if self.permits(addr, len, wanted).is_some() {
            let shadow = &self.shadow.bytes()[addr as usize..(addr + len) as usize];
            let freed = shadow.iter().any(|byte| byte & SHADOW_FREED != 0);
            return fault(if freed { FaultReason::UseAfterFree } else { FaultReason::OutOfBounds });
        }
        let Some(end) = addr.checked_add(len) else { return fault(FaultReason::Unmapped) };
        if self.regions().covers(addr, end) {
            fault(FaultReason::Protected)
        } else {
            fault(FaultReason::Unmapped)
        }
    }
}

/// Logs the old contents of a small write.
#[inline(always)]
fn log_old(journal: &mut Journal, addr: u64, old: &[u8]) {
    for (chunk, at) in old.chunks(8).zip((addr..).step_by(8)) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        journal.log_bytes(at, chunk.len(), u64::from_le_bytes(bytes));
    }
}

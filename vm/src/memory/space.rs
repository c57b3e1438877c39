//! The host side of guest memory: huge, lazily backed arrays, and the only unsafe code of memory.
//!
//! A reservation costs address space only; the host spends a page when one is first written. Bytes
//! never written read as zero. [`Space`] keeps the guest's bytes and a byte of flags for each page.
//! A [`Spot`] is the proof that an access was judged: it can only be had from [`Space::probe`],
//! which saw flags on its page, and pages with flags lie inside the reservation; so reading and
//! writing through a spot needs no further check.

use super::{ADDRESS_LIMIT, PAGE_SHIFT, PAGE_SIZE};
use memmap2::{MmapMut, MmapOptions, UncheckedAdvice};
use std::io;

/// A zero-filled array that is backed by host memory only where it was touched.
#[derive(Debug)]
pub(super) struct Reservation {
    bytes: MmapMut,
}

impl Reservation {
    /// Reserves `len` bytes.
    pub fn new(len: usize) -> io::Result<Reservation> {
        let bytes = MmapOptions::new().len(len).no_reserve_swap().map_anon()?;
        Ok(Reservation { bytes })
    }

    /// All bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, writable.
    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Gives the host memory of a page-aligned range back; the range reads as zero afterwards.
    pub fn discard(&mut self, start: usize, len: usize) {
        debug_assert!(start.is_multiple_of(4096) && len.is_multiple_of(4096));
        if len == 0 {
            return;
        }
        // SAFETY: the mapping is private and anonymous, so dropped pages come back as zeros; we
        // hold `&mut self`, so no reference into the range is alive; the call checks bounds.
        let advised =
            unsafe { self.bytes.unchecked_advise_range(UncheckedAdvice::DontNeed, start, len) };
        if advised.is_err() {
            self.bytes[start..start + len].fill(0);
        }
    }
}

/// Proof that `N` bytes from here on lie in one page that has flags; see the module head.
#[derive(Clone, Copy)]
pub(super) struct Spot<const N: usize>(usize);

/// The guest's bytes and page flags.
#[derive(Debug)]
pub(super) struct Space {
    data: Reservation,
    flags: Reservation,
}

impl Space {
    /// An empty address space.
    pub fn new() -> io::Result<Space> {
        Ok(Space {
            data: Reservation::new(ADDRESS_LIMIT as usize)?,
            flags: Reservation::new((ADDRESS_LIMIT >> PAGE_SHIFT) as usize)?,
        })
    }

    /// The flags of the page that holds `addr`; none beyond the address space.
    #[inline(always)]
    pub fn flags(&self, addr: u64) -> u8 {
        if addr < ADDRESS_LIMIT {
            // SAFETY: the reservation has one byte for each page below the limit.
            unsafe { *self.flags.bytes().as_ptr().add((addr >> PAGE_SHIFT) as usize) }
        } else {
            0
        }
    }

    /// Judges an access: of the flags in `mask`, exactly `wanted` (not none) are set on the page,
    /// and the access does not leave it.
    #[inline(always)]
    pub fn probe<const N: usize>(&self, addr: u64, mask: u8, wanted: u8) -> Option<Spot<N>> {
        debug_assert!(wanted != 0);
        let within = addr & (PAGE_SIZE - 1) <= PAGE_SIZE - N as u64;
        (self.flags(addr) & mask == wanted && within).then_some(Spot(addr as usize))
    }

    /// The bytes at a judged place.
    #[inline(always)]
    pub fn get<const N: usize>(&self, spot: Spot<N>) -> [u8; N] {
        // SAFETY: the page of a spot has flags, so it lies inside the reservation, and so do the
        // `N` bytes, which do not leave the page. Alignment of a byte array is one.
        unsafe { *self.data.bytes().as_ptr().add(spot.0).cast::<[u8; N]>() }
    }

    /// Writes bytes at a judged place.
    #[inline(always)]
    pub fn set<const N: usize>(&mut self, spot: Spot<N>, value: [u8; N]) {
        // SAFETY: as for `get`; `&mut self` makes the access exclusive.
        unsafe { *self.data.bytes_mut().as_mut_ptr().add(spot.0).cast::<[u8; N]>() = value }
    }

    /// All bytes of the guest.
    pub fn data(&self) -> &[u8] {
        self.data.bytes()
    }

    /// All bytes of the guest, writable.
    pub fn data_mut(&mut self) -> &mut [u8] {
        self.data.bytes_mut()
    }

    /// Flags of all pages.
    pub fn pages(&self) -> &[u8] {
        self.flags.bytes()
    }

    /// Flags of all pages, writable.
    pub fn pages_mut(&mut self) -> &mut [u8] {
        self.flags.bytes_mut()
    }

    /// Makes a page-aligned range read as zero.
    pub fn discard(&mut self, start: usize, len: usize) {
        self.data.discard(start, len);
    }
}

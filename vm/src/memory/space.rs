//! Reservations: huge, lazily backed arrays of bytes.
//!
//! A reservation costs address space only; the host spends a page when one is first written. Bytes
//! never written read as zero. This is the one place where memory of the host is unmapped behind
//! Rust's back, hence the one unsafe block.

use memmap2::{MmapMut, MmapOptions, UncheckedAdvice};
use std::io;

/// A zero-filled array that is backed by host memory only where it was touched.
#[derive(Debug)]
pub struct Reservation {
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
        // hold `&mut self`, so no reference into the range is alive; `advise_range` checks bounds.
        let advised =
            unsafe { self.bytes.unchecked_advise_range(UncheckedAdvice::DontNeed, start, len) };
        if advised.is_err() {
            self.bytes[start..start + len].fill(0);
        }
    }
}

//! A bound on the work that one file can cause, so that hostile input costs time linear in its
//! size: every indexing pass pays for what it reads, and stops quietly when the purse is empty.
//!
//! Honest files stay far below the bound (each byte is read a few times at most); only tables
//! that refer to the same bytes over and over again reach it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Work units per byte of the file.
const PER_BYTE: u64 = 64;
/// Work units that even the smallest file gets.
const FLOOR: u64 = 1 << 20;

/// Remaining work units of one module.
#[derive(Debug)]
pub(super) struct Fuel {
    left: AtomicU64,
}

impl Fuel {
    /// A purse for a file (or inflated sections) of `bytes` bytes.
    pub(super) fn for_size(bytes: usize) -> Fuel {
        Fuel { left: AtomicU64::new((bytes as u64).saturating_mul(PER_BYTE).max(FLOOR)) }
    }

    /// Takes `units`; false if there were not that many left.
    pub(super) fn spend(&self, units: u64) -> bool {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                Some(left.saturating_sub(units))
            })
            .is_ok_and(|before| before >= units)
    }

    /// Adds units, for sections that turned out larger than the file.
    pub(super) fn add_bytes(&self, bytes: usize) {
        let units = (bytes as u64).saturating_mul(PER_BYTE);
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            Some(left.saturating_add(units))
        });
    }

    /// True once something had to be left out.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spending_more_than_left_fails_and_empties() {
        let fuel = Fuel::for_size(0);
        assert!(fuel.spend(FLOOR - 1));
        assert!(!fuel.is_exhausted());
        assert!(!fuel.spend(2));
        assert!(fuel.is_exhausted());
        fuel.add_bytes(1);
        assert!(fuel.spend(PER_BYTE));
    }
}

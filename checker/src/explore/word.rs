//! Aligned words of memory, and pseudo-words that stand for objects: what threads contend for.

use samovar_vm::monitor::Access;

/// An aligned 8-byte word, by its address divided by eight; pseudo-addresses of objects included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(pub u64);

/// Accesses of so many bytes are looked at as a whole, not word by word: system calls make them,
/// and some take very much memory away.
pub const LARGE: u32 = 4096;

impl Word {
    /// Whether it overlaps an access.
    pub fn is_in(self, access: &Access) -> bool {
        let last = access.addr + u64::from(access.size.max(1)) - 1;
        (access.addr / 8..=last / 8).contains(&self.0)
    }

    /// The words that an access overlaps.
    #[inline]
    pub fn of(access: &Access) -> impl Iterator<Item = Word> + use<> {
        let last = access.addr + u64::from(access.size.max(1)) - 1;
        (access.addr / 8..=last / 8).map(Word)
    }

    /// Address of the first byte.
    pub fn address(self) -> u64 {
        self.0 * 8
    }

    /// The bytes of the word that lie in `[start, end)`, one bit each.
    #[inline]
    pub fn bytes_within(self, start: u64, end: u64) -> u8 {
        let first = start.saturating_sub(self.address()).min(8) as u32;
        let last = end.saturating_sub(self.address()).min(8) as u32;
        ((1u32 << last) - (1u32 << first)) as u8
    }
}

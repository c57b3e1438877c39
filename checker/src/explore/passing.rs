//! Whether a move changed memory, be it only for a while.
//!
//! Who takes a lock and gives it back has changed nothing, taken as a whole, and yet has got on: a
//! search that stops before every access sees two changes there. So that others call the same runs
//! a livelock, every write of a move counts, by what it overwrote, not only what is left of them.

use ahash::{AHashMap, RandomState};
use samovar_vm::memory::Memory;
use samovar_vm::memory::journal::Mark;

/// Whether a write since `mark` changed bytes that count when it was made.
pub fn changed(memory: &Memory, mark: Mark, counts: impl Fn(u64, usize) -> bool) -> bool {
    let mut later = Later::new();
    let mut found = false;
    memory.journal.contents_since(mark, |addr, old| {
        if counts(addr, old.len()) {
            let now = memory.raw(addr, old.len() as u64);
            found = later.differs(addr, old, now);
        }
        !found
    });
    found
}

/// Bytes as they were after writes, which are looked at from the last one to the first.
#[derive(Debug)]
struct Later {
    bytes: AHashMap<u64, u8>,
}

impl Later {
    fn new() -> Later {
        Later { bytes: AHashMap::with_hasher(RandomState::with_seeds(51, 52, 53, 54)) }
    }

    /// Whether a write changed something that overwrote these bytes; `now` is there at the end.
    fn differs(&mut self, addr: u64, old: &[u8], now: &[u8]) -> bool {
        let mut differs = false;
        for ((addr, &old), &now) in (addr..).zip(old).zip(now) {
            differs |= old != self.bytes.insert(addr, old).unwrap_or(now);
        }
        differs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_was_changed() {
        let mut later = Later::new();
        assert!(!later.differs(100, &[1, 2], &[1, 2]), "the same is written");
        assert!(!later.differs(100, &[1], &[1]));
        assert!(later.differs(101, &[7], &[2]), "it was 7 before it was 2");
        assert!(!later.differs(101, &[7], &[2]), "that is what it was then");
        assert!(later.differs(101, &[2], &[2]));
    }
}

//! What a step looked at: the lines of memory that it read or wrote, in the order of first sight.
//!
//! A step of a thread is a function of its registers, of the operating system and of the memory
//! that it looks at. Whoever remembers what steps do needs to know the latter. While recording is
//! on, every load and store of the guest (under a monitor that asks for accesses) and every read on
//! its behalf adds the 64-byte lines that it touches. Stores count as looks, because what is left
//! of a line after one depends on what was there.
//!
//! So do writes on its behalf, and pages whose contents are dropped, even if nothing was written to
//! them on this path: what changes, and what stays the same, depends on what was there.

use super::PAGE_SIZE;
use ahash::{AHashSet, RandomState};
use std::cell::{Cell, RefCell};

/// Bytes in a line.
pub const LINE: u64 = 64;

/// So many lines are looked through one by one before a set is used.
const FEW: usize = 16;
/// More lines than this are not recorded: nobody wants to remember such a step.
const LINES_MAX: usize = 2048;

/// What is mapped where, as a whole: the code that is there does not count. Kinds of others who
/// note looks beyond memory have smaller numbers.
pub const REGIONS: u32 = u32::MAX;

/// Something that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A line of memory, by address divided by [`LINE`].
    Line(u64),
    /// The flags of consecutive pages.
    Pages {
        /// The first, by address divided by the size of a page.
        first: u64,
        /// How many.
        count: u64,
    },
    /// All contents of consecutive lines, which are dropped: those of lines that hold nothing are
    /// not told from those that were never written.
    Dropped {
        /// The first, by address divided by [`LINE`].
        first: u64,
        /// The last.
        last: u64,
    },
    /// The entry of an address in the table of objects.
    Object(u64),
    /// The region that a page is in, by address divided by the size of a page.
    Region(u64),
    /// Who may use a line of memory, by address divided by [`LINE`].
    Guard(u64),
    /// Something that is not in memory, by numbers of the caller's.
    Beyond {
        /// What kind of thing it is.
        kind: u32,
        /// Which one.
        which: u64,
    },
}

/// See the module head.
#[derive(Debug)]
pub struct Reads {
    on: Cell<bool>,
    last: Cell<u64>,
    log: RefCell<Log>,
}

#[derive(Debug)]
struct Log {
    seen: Vec<Seen>,
    lines: AHashSet<u64>,
}

impl Default for Reads {
    fn default() -> Reads {
        let lines = AHashSet::with_hasher(RandomState::with_seeds(1, 2, 3, 4));
        let log = RefCell::new(Log { seen: Vec::new(), lines });
        Reads { on: Cell::new(false), last: Cell::new(u64::MAX), log }
    }
}

impl Reads {
    /// Starts recording anew.
    pub fn begin(&self) {
        let mut log = self.log.borrow_mut();
        log.seen.clear();
        log.lines.clear();
        self.last.set(u64::MAX);
        self.on.set(true);
    }

    /// Stops recording and tells what was looked at; nothing if it was too much.
    pub fn end(&self, seen: &mut Vec<Seen>) -> bool {
        self.on.set(false);
        let log = self.log.borrow();
        seen.clear();
        seen.extend_from_slice(&log.seen);
        log.seen.len() < LINES_MAX
    }

    /// Notes a look at some bytes.
    #[inline(always)]
    pub(crate) fn note(&self, addr: u64, len: u64) {
        if self.on.get() {
            let (first, last) = (addr / LINE, addr.saturating_add(len.max(1) - 1) / LINE);
            if first != self.last.get() || first != last {
                self.add(first, last);
            }
        }
    }

    /// Notes a look at what pages are.
    pub(crate) fn note_pages(&self, first: u64, count: u64) {
        self.note_other(Seen::Pages { first, count });
    }

    /// Notes that the contents of some bytes are dropped.
    pub(crate) fn note_dropped(&self, addr: u64, len: u64) {
        self.note_other(Seen::Dropped { first: addr / LINE, last: (addr + len.max(1) - 1) / LINE });
    }

    /// Notes a look at the table of objects.
    pub(crate) fn note_object(&self, addr: u64) {
        self.note_other(Seen::Object(addr));
    }

    /// Notes a look at the region around an address.
    pub(crate) fn note_region(&self, addr: u64) {
        self.note_other(Seen::Region(addr / PAGE_SIZE));
    }

    /// Notes a look at who may use some bytes.
    pub fn note_guards(&self, addr: u64, len: u64) {
        let lines = addr / LINE..=addr.saturating_add(len.max(1) - 1) / LINE;
        for line in lines.take(LINES_MAX) {
            self.note_other(Seen::Guard(line));
        }
    }

    /// Notes a look at something that is not in memory.
    pub fn note_beyond(&self, kind: u32, which: u64) {
        self.note_other(Seen::Beyond { kind, which });
    }

    /// Notes what is no line. Where there is too much already, nobody wants to know.
    fn note_other(&self, what: Seen) {
        if self.on.get() {
            let mut log = self.log.borrow_mut();
            if log.seen.len() < LINES_MAX && !log.seen.contains(&what) {
                log.seen.push(what);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, first: u64, last: u64) {
        let mut log = self.log.borrow_mut();
        for line in first..=last {
            if LINES_MAX <= log.seen.len() {
                break;
            }
            if log.is_new(line) {
                log.seen.push(Seen::Line(line));
            }
        }
        self.last.set(last);
    }
}

impl Log {
    fn is_new(&mut self, line: u64) -> bool {
        if self.seen.len() < FEW {
            return !self.seen.contains(&Seen::Line(line));
        }
        if self.lines.is_empty() {
            self.lines.extend(self.seen.iter().filter_map(|seen| match seen {
                Seen::Line(line) => Some(*line),
                _ => None,
            }));
        }
        self.lines.insert(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_once_in_the_order_of_first_sight() {
        let reads = Reads::default();
        reads.note(0, 8);
        reads.begin();
        for addr in [640, 648, 64, 640] {
            reads.note(addr, 8);
        }
        reads.note(127, 2);
        reads.note_object(9);
        for line in 100..200 {
            reads.note(line * LINE, 1);
            reads.note(640, 1);
        }
        let mut seen = Vec::new();
        assert!(reads.end(&mut seen));
        let mut expected = vec![Seen::Line(10), Seen::Line(1), Seen::Line(2), Seen::Object(9)];
        expected.extend((100..200).map(Seen::Line));
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_is_dropped_is_told_whole() {
        let reads = Reads::default();
        reads.begin();
        reads.note_dropped(4096, 4096);
        reads.note_dropped(4096, 4096);
        let mut seen = Vec::new();
        assert!(reads.end(&mut seen));
        assert_eq!(seen, [Seen::Dropped { first: 64, last: 127 }]);
    }

    #[test]
    fn too_much_is_said_to_be_too_much() {
        let reads = Reads::default();
        reads.begin();
        reads.note(0, LINE * LINES_MAX as u64 * 2);
        assert!(!reads.end(&mut Vec::new()));
        reads.begin();
        (0..2 * LINES_MAX as u64).for_each(|addr| reads.note_object(addr));
        assert!(!reads.end(&mut Vec::new()));
    }
}

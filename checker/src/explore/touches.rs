//! What the moves of a state touch, and what each thread ever touched.
//!
//! In every expanded state the next moves of all threads are compared: two of them *conflict*
//! where they touch the same byte and one of them changes it. What is reported, and becomes
//! contended, is the word around it. An access that is not aligned or wider than a word touches
//! every word that it overlaps, so accesses of mixed sizes are compared rightly, and neighbours in
//! one word do not disturb each other.
//!
//! The same table remembers for each half of a word which threads have ever read or changed it, in
//! all states and rounds of a search, and numbers the halves for which the order of two threads can
//! matter. It only grows.
//!
//! Cost: one look-up an access, no allocation; a new state begins by counting up a stamp.

use super::future::Thing;
use super::word::Word;
use crate::state::slots::fold;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Access;

/// Bytes of a word that were touched, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes {
    touched: u8,
    written: u8,
    /// Touched by the program's own plain instructions.
    plain: u8,
    plain_written: u8,
    /// Touched by something that is neither an atomic instruction nor an operation on an object.
    loose: u8,
}

impl Bytes {
    fn join(&mut self, other: Bytes) {
        self.touched |= other.touched;
        self.written |= other.written;
        self.plain |= other.plain;
        self.plain_written |= other.plain_written;
        self.loose |= other.loose;
    }
}

/// A word in the table.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The word plus one; zero for a free place.
    key: u64,
    /// Its halves.
    halves: [Half; 2],
    /// The state in which the rest was filled in.
    stamp: u32,
    /// The thread of `present`.
    thread: u32,
    /// What threads before it did in this state.
    before: Bytes,
    /// What this thread did in this state.
    present: Bytes,
    reported: bool,
}

/// Who has ever touched half of a word.
#[derive(Clone, Copy, Debug, Default)]
struct Half {
    /// Threads that have touched it.
    readers: u64,
    /// Threads that have changed it.
    writers: u64,
    /// Its number plus one, once the order of two threads matters.
    thing: u32,
}

/// Two moves that touch the same bytes, one changing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The word.
    pub word: Word,
    /// All accesses were atomic instructions or operations on objects.
    pub atomic: bool,
    /// Plain accesses of the program's own code, one of them a store.
    pub plain: bool,
}

/// How an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// By an atomic instruction, or as an operation on an object.
    Atomic,
    /// By a plain instruction of the program.
    Plain,
    /// Otherwise: by the library or the system on the program's behalf.
    Other,
}

/// See the module head.
#[derive(Debug)]
pub struct Touches {
    entries: Vec<Entry>,
    used: usize,
    stamp: u32,
    conflicts: Vec<Conflict>,
    /// Halves that were numbered.
    things: u32,
}

/// The bit of a thread; all from the 64th on share one.
pub fn bit(thread: ThreadId) -> u64 {
    1 << thread.0.min(63)
}

impl Default for Touches {
    fn default() -> Touches {
        let entries = vec![Entry::default(); 1024];
        Touches { entries, used: 0, stamp: 0, conflicts: Vec::new(), things: 0 }
    }
}

impl Touches {
    /// Begins with a new state.
    pub fn begin_state(&mut self) {
        self.conflicts.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            // Once in 2^32 states: nothing may look as if it were of this one.
            self.entries.iter_mut().for_each(|entry| entry.stamp = u32::MAX);
        }
    }

    /// Notes an access of a thread's next move. `shared` is called with the things in it: what
    /// another thread has touched in a way that makes the order of the two matter.
    #[inline]
    pub fn add(
        &mut self,
        thread: ThreadId,
        access: &Access,
        manner: Manner,
        mut shared: impl FnMut(Thing, bool),
    ) {
        let (start, end) = (access.addr, access.addr + u64::from(access.size.max(1)));
        let write = access.kind == AccessKind::Write;
        for word in Word::of(access) {
            let bytes = word.bytes_within(start, end);
            self.touch(thread, (word, bytes), write, manner, &mut shared);
        }
    }

    /// Notes a change that no access announced, made on the guest's behalf.
    pub fn add_write(
        &mut self,
        thread: ThreadId,
        addr: u64,
        len: u64,
        mut shared: impl FnMut(Thing, bool),
    ) {
        let end = addr + len.max(1);
        for word in (addr / 8..=(end - 1) / 8).map(Word) {
            let bytes = word.bytes_within(addr, end);
            self.touch(thread, (word, bytes), true, Manner::Atomic, &mut shared);
        }
    }

    fn touch(
        &mut self,
        thread: ThreadId,
        (word, bytes): (Word, u8),
        write: bool,
        manner: Manner,
        shared: &mut impl FnMut(Thing, bool),
    ) {
        let (stamp, mine) = (self.stamp, bit(thread));
        let at = self.find(word);
        let entry = &mut self.entries[at];
        if entry.key == 0 {
            *entry = Entry { key: word.0 + 1, stamp: stamp.wrapping_sub(1), ..Entry::default() };
            self.used += 1;
        }
        for (half, part) in entry.halves.iter_mut().zip([bytes & 15, bytes >> 4]) {
            if part == 0 {
                continue;
            }
            half.readers |= mine;
            half.writers |= if write { mine } else { 0 };
            let others = if write { half.readers } else { half.writers } & !mine;
            if others != 0 {
                if half.thing == 0 {
                    self.things += 1;
                    half.thing = self.things;
                }
                shared(Thing(half.thing - 1), write);
            }
        }
        if entry.stamp != stamp {
            entry.stamp = stamp;
            entry.thread = thread.0;
            (entry.before, entry.present) = (Bytes::default(), Bytes::default());
            entry.reported = false;
        } else if entry.thread != thread.0 {
            let past = std::mem::take(&mut entry.present);
            entry.before.join(past);
            entry.thread = thread.0;
        }
        let when = |on: bool| if on { bytes } else { 0 };
        let is_plain = manner == Manner::Plain;
        let now = Bytes {
            touched: bytes,
            written: when(write),
            plain: when(is_plain),
            plain_written: when(is_plain && write),
            loose: when(manner != Manner::Atomic),
        };
        entry.present.join(now);
        let (before, present) = (entry.before, entry.present);
        if present.written & before.touched | present.touched & before.written != 0 {
            self.report(at, word, before, present);
        }
        if self.entries.len() < self.used * 2 {
            self.grow();
        }
    }

    #[cold]
    fn report(&mut self, at: usize, word: Word, before: Bytes, present: Bytes) {
        let conflict = Conflict {
            word,
            atomic: (before.loose | present.loose) == 0,
            plain: present.plain_written & before.plain | present.plain & before.plain_written != 0,
        };
        if std::mem::replace(&mut self.entries[at].reported, true) {
            let known = self.conflicts.iter_mut().find(|known| known.word == word);
            if let Some(known) = known {
                *known = conflict;
            }
        } else {
            self.conflicts.push(conflict);
        }
    }

    /// The conflicts between the moves of this state so far.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// The threads that have ever changed a part of a word.
    pub fn changed_by(&self, word: Word) -> u64 {
        let entry = &self.entries[self.find(word)];
        entry.halves[0].writers | entry.halves[1].writers
    }

    /// The first half of a word at which the order of two threads matters, if there is one.
    pub fn thing_in(&self, word: Word) -> Option<Thing> {
        let entry = &self.entries[self.find(word)];
        entry.halves.iter().find_map(|half| half.thing.checked_sub(1)).map(Thing)
    }

    /// Number of things found so far.
    pub fn things(&self) -> u32 {
        self.things
    }

    #[inline]
    fn find(&self, word: Word) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = fold(word.0, 0x9e37_79b9_7f4a_7c15) as usize & mask;
        while self.entries[at].key != word.0 + 1 && self.entries[at].key != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.entries.len() * 2;
        let old = std::mem::replace(&mut self.entries, vec![Entry::default(); size]);
        for entry in old.into_iter().filter(|entry| entry.key != 0) {
            let at = self.find(Word(entry.key - 1));
            self.entries[at] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(addr: u64, size: u32, kind: AccessKind) -> Access {
        Access { addr, size, kind, locked: false, sequel: false }
    }

    fn conflicts(accesses: &[(u32, u64, u32, AccessKind)]) -> Vec<u64> {
        let mut touches = Touches::default();
        touches.begin_state();
        for &(thread, addr, size, kind) in accesses {
            touches.add(ThreadId(thread), &access(addr, size, kind), Manner::Plain, |_, _| ());
        }
        touches.conflicts().iter().map(|conflict| conflict.word.address()).collect()
    }

    use AccessKind::{Read, Write};

    #[test]
    fn mixed_sizes_meet_in_their_words() {
        assert_eq!(conflicts(&[(0, 0x1006, 4, Write), (1, 0x1008, 1, Read)]), [0x1008]);
    }

    #[test]
    fn neighbours_in_a_word_do_not_conflict() {
        let neighbours = [(0, 0x1000, 4, Write), (1, 0x1004, 4, Write)];
        assert!(conflicts(&neighbours).is_empty());
        let with_third = [neighbours[0], neighbours[1], (2, 0x1003, 1, Read)];
        assert_eq!(conflicts(&with_third), [0x1000]);
    }

    #[test]
    fn reads_and_own_accesses_do_not_conflict() {
        assert!(conflicts(&[(0, 0x1000, 8, Read), (1, 0x1000, 8, Read)]).is_empty());
        assert!(conflicts(&[(0, 0x1000, 8, Write), (0, 0x1000, 8, Read)]).is_empty());
    }

    #[test]
    fn states_are_apart_and_history_is_not() {
        let mut touches = Touches::default();
        touches.begin_state();
        let mut shared = Vec::new();
        let mut note = |thing, write| shared.push((thing, write));
        touches.add(ThreadId(0), &access(0x1000, 8, Write), Manner::Plain, &mut note);
        touches.begin_state();
        assert_eq!(touches.things(), 0);
        touches.add(ThreadId(1), &access(0x1000, 8, Read), Manner::Atomic, &mut note);
        assert!(touches.conflicts().is_empty());
        assert_eq!(touches.changed_by(Word(0x200)), 1);
        assert_eq!(touches.changed_by(Word(0x201)), 0);
        assert_eq!(touches.thing_in(Word(0x200)), Some(Thing(0)));
        assert_eq!(touches.thing_in(Word(0x201)), None);
        assert_eq!(touches.things(), 2);
        touches.add(ThreadId(1), &access(0x1000, 8, Read), Manner::Atomic, &mut note);
        assert_eq!(touches.things(), 2);
        assert_eq!(shared, [Thing(0), Thing(1), Thing(0), Thing(1)].map(|one| (one, false)));
    }

    #[test]
    fn the_manner_of_both_sides_counts() {
        let mut touches = Touches::default();
        for (first, second, atomic, plain) in [
            (Manner::Atomic, Manner::Atomic, true, false),
            (Manner::Atomic, Manner::Plain, false, false),
            (Manner::Plain, Manner::Plain, false, true),
            (Manner::Other, Manner::Plain, false, false),
        ] {
            touches.begin_state();
            touches.add(ThreadId(0), &access(0x1000, 8, Write), first, |_, _| ());
            touches.add(ThreadId(1), &access(0x1000, 8, Read), second, |_, _| ());
            let word = Word(0x200);
            assert_eq!(touches.conflicts(), [Conflict { word, atomic, plain }]);
        }
    }
}

//! What moves touch, and what each thread ever touched.
//!
//! In every expanded state the next moves of all threads are compared: two of them *conflict*
//! where they touch the same byte and one of them changes it. What is reported, and becomes
//! contended, is the word around it. An access that is not aligned or wider than a word touches
//! every word that it overlaps, so accesses of mixed sizes are compared rightly, and neighbours in
//! one word do not disturb each other.
//!
//! A table remembers for each half of a word whether one thread or several have ever touched or
//! changed it, in all states and rounds of a search, and numbers the halves for which the order of
//! two threads can matter: *things*. It only grows. Executing a move fills in the table, one
//! look-up an access, no allocation. Comparing the moves of a state needs their things only, which
//! a remembered move keeps (as [`Share`]s, good as long as [`Touches::version`] stays the same).
//!
//! Large accesses, of system calls that take memory away, touch those words that anybody has
//! touched so far. If one of theirs is touched for the first time later, what is known of moves
//! with [large accesses](Touches::is_large) is not all any more: [`Touches::take_missed`] says so,
//! and they have to be executed again before they are compared with anything. Before that nobody
//! touched the word, so no conflict was overlooked.

use super::expanse::Expanse;
use super::future::Thing;
use super::word::{LARGE, Word};
use crate::state::slots::fold;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Access;

/// Bytes of a word that were touched, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes {
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

    fn within(self, mask: u8) -> Bytes {
        Bytes {
            touched: self.touched & mask,
            written: self.written & mask,
            plain: self.plain & mask,
            plain_written: self.plain_written & mask,
            loose: self.loose & mask,
        }
    }
}

/// The bytes in the halves of a word.
const HALVES: [u8; 2] = [0x0f, 0xf0];

/// What a move does to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touched {
    word: Word,
    bytes: Bytes,
}

impl Touched {
    /// The word.
    pub fn word(&self) -> Word {
        self.word
    }
}

/// What a move does to a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    /// The thing.
    pub thing: Thing,
    word: Word,
    bytes: Bytes,
}

impl Share {
    /// The word that it is in.
    pub fn word(&self) -> Word {
        self.word
    }

    /// Whether the move changes it.
    pub fn change(&self) -> bool {
        self.bytes.written != 0
    }
}

/// A word in the table.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The word plus one; zero for a free place.
    key: u64,
    /// Its halves.
    halves: [Half; 2],
    /// Threads that have worked on it atomically, or as on an object.
    operators: Party,
    /// The move that touched it last.
    stamp: u64,
    /// Its index among the words of that move.
    index: u32,
}

/// Who has ever touched half of a word.
#[derive(Clone, Copy, Debug, Default)]
struct Half {
    touchers: Party,
    changers: Party,
    /// Its number plus one, once the order of two threads matters.
    thing: u32,
}

/// Nobody, one thread (its number plus one), or several: all that matters about who did something
/// is whether another one did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Party(u32);

impl Party {
    const SEVERAL: Party = Party(u32::MAX);

    /// These and a thread.
    fn and(self, thread: ThreadId) -> Party {
        match self.0 {
            0 => Party(thread.0 + 1),
            one if one == thread.0 + 1 => self,
            _ => Party::SEVERAL,
        }
    }

    /// Whether another thread is among them.
    fn has_other(self, thread: ThreadId) -> bool {
        self.0 != 0 && self.0 != thread.0 + 1
    }
}

impl Half {
    /// Takes in that a thread touches it; whether that makes a difference to anybody.
    fn take(&mut self, thread: ThreadId, write: bool) -> bool {
        let before = (self.touchers, self.changers);
        self.touchers = self.touchers.and(thread);
        if write {
            self.changers = self.changers.and(thread);
        }
        before != (self.touchers, self.changers)
    }

    /// Whether several threads have touched it, one changing it.
    fn is_shared(&self) -> bool {
        self.touchers == Party::SEVERAL && self.changers != Party::default()
    }

    /// Whether another thread has touched it, or has changed it.
    fn has_other(&self, thread: ThreadId, changed: bool) -> bool {
        let threads = if changed { self.changers } else { self.touchers };
        threads.has_other(thread)
    }
}

/// What the moves of a state that were compared so far do to a thing.
#[derive(Clone, Copy, Debug, Default)]
struct Present {
    /// The state that this is about.
    stamp: u64,
    thread: u32,
    /// What threads before it do.
    before: Bytes,
    /// What this thread does.
    own: Bytes,
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
    /// Moves executed and states compared so far.
    stamp: u64,
    /// Words of the move in progress.
    touched: Vec<Touched>,
    /// Halves that were numbered.
    things: u32,
    /// How often something was learned that can make shares differ.
    version: u64,
    /// Words that several threads have worked on atomically, or as on objects.
    common_objects: Vec<Word>,
    /// By thing.
    present: Vec<Present>,
    conflicts: Vec<Conflict>,
    /// Large accesses, and what they are about.
    expanse: Expanse,
    /// See [`Touches::take_missed`].
    missed: bool,
    /// The move in progress made a large access.
    is_large: bool,
}

impl Default for Touches {
    fn default() -> Touches {
        Touches {
            entries: vec![Entry::default(); 1024],
            used: 0,
            stamp: 0,
            touched: Vec::new(),
            things: 0,
            version: 1,
            common_objects: Vec::new(),
            present: Vec::new(),
            conflicts: Vec::new(),
            expanse: Expanse::default(),
            missed: false,
            is_large: false,
        }
    }
}

impl Touches {
    /// Begins with a move that is executed.
    pub fn begin_move(&mut self) {
        self.stamp += 1;
        self.touched.clear();
        self.is_large = false;
    }

    /// Whether the move in progress made a large access.
    pub fn is_large(&self) -> bool {
        self.is_large
    }

    /// What the move in progress has touched so far.
    pub fn touched(&self) -> &[Touched] {
        &self.touched
    }

    /// Notes an access of the move in progress.
    #[inline]
    pub fn add(&mut self, thread: ThreadId, access: &Access, manner: Manner) {
        if LARGE <= access.size {
            return self.add_large(thread, access, manner);
        }
        let (start, end) = (access.addr, access.addr + u64::from(access.size.max(1)));
        let write = access.kind == AccessKind::Write;
        for word in Word::of(access) {
            self.touch(thread, (word, word.bytes_within(start, end)), write, manner);
        }
    }

    /// Notes a large access: to those of its words that anybody has touched.
    #[cold]
    fn add_large(&mut self, thread: ThreadId, access: &Access, manner: Manner) {
        self.is_large = true;
        let (start, end) = (access.addr, access.addr + u64::from(access.size));
        let write = access.kind == AccessKind::Write;
        let range = start / 8..end.div_ceil(8);
        let words = self.expanse.touched(range.clone());
        for word in words {
            self.touch(thread, (word, word.bytes_within(start, end)), write, manner);
        }
        self.expanse.take(range);
    }

    /// Whether a word of a large access was touched that was not known when that was noted.
    pub fn take_missed(&mut self) -> bool {
        std::mem::take(&mut self.missed)
    }

    /// Notes a change that no access announced, made on the guest's behalf.
    pub fn add_write(&mut self, thread: ThreadId, addr: u64, len: u64) {
        let end = addr + len.max(1);
        for word in (addr / 8..=(end - 1) / 8).map(Word) {
            self.touch(thread, (word, word.bytes_within(addr, end)), true, Manner::Atomic);
        }
    }

    fn touch(&mut self, thread: ThreadId, (word, bytes): (Word, u8), write: bool, manner: Manner) {
        let at = self.find(word);
        let entry = &mut self.entries[at];
        if entry.key == 0 {
            *entry = Entry { key: word.0 + 1, ..Entry::default() };
            self.used += 1;
            self.missed |= self.expanse.add(word);
        }
        for (half, mask) in entry.halves.iter_mut().zip(HALVES) {
            if bytes & mask != 0 && half.take(thread, write) && half.is_shared() {
                self.version += 1;
                if half.thing == 0 {
                    self.things += 1;
                    half.thing = self.things;
                }
            }
        }
        if manner == Manner::Atomic {
            let before = entry.operators;
            entry.operators = before.and(thread);
            if entry.operators == Party::SEVERAL && before != Party::SEVERAL {
                self.common_objects.push(word);
            }
        }
        if entry.stamp != self.stamp {
            entry.stamp = self.stamp;
            entry.index = self.touched.len() as u32;
            self.touched.push(Touched { word, bytes: Bytes::default() });
        }
        let when = |on: bool| if on { bytes } else { 0 };
        let is_plain = manner == Manner::Plain;
        self.touched[entry.index as usize].bytes.join(Bytes {
            touched: bytes,
            written: when(write),
            plain: when(is_plain),
            plain_written: when(is_plain && write),
            loose: when(manner != Manner::Atomic),
        });
        if self.entries.len() < self.used + self.used / 3 {
            self.grow();
        }
    }

    /// Shares are good as long as this stays the same.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The things in what a move of a thread touches: what another thread has touched in a way that
    /// makes the order of the two matter.
    pub fn shares(&self, thread: ThreadId, touched: &[Touched], into: &mut Vec<Share>) {
        into.clear();
        for &Touched { word, bytes } in touched {
            let entry = &self.entries[self.find(word)];
            for (half, mask) in entry.halves.iter().zip(HALVES) {
                let bytes = bytes.within(mask);
                if bytes.touched != 0 && half.has_other(thread, bytes.written == 0) {
                    debug_assert_ne!(half.thing, 0);
                    into.push(Share { thing: Thing(half.thing - 1), word, bytes });
                }
            }
        }
    }

    /// Begins to compare the moves of a state.
    pub fn begin_state(&mut self) {
        self.conflicts.clear();
        self.stamp += 1;
        self.present.resize(self.things as usize, Present::default());
    }

    /// Compares a move with those of other threads that were given before it. All shares must be of
    /// the present version.
    #[inline]
    pub fn compare(&mut self, thread: ThreadId, shares: &[Share]) {
        for &Share { thing, word, bytes } in shares {
            let present = &mut self.present[thing.0 as usize];
            if present.stamp != self.stamp {
                let (stamp, thread, before) = (self.stamp, thread.0, Bytes::default());
                *present = Present { stamp, thread, before, own: bytes };
                continue;
            }
            if present.thread != thread.0 {
                let past = std::mem::take(&mut present.own);
                present.before.join(past);
                present.thread = thread.0;
            }
            present.own.join(bytes);
            let (before, own) = (present.before, present.own);
            if own.written & before.touched | own.touched & before.written != 0 {
                self.report(word, before, own);
            }
        }
    }

    fn report(&mut self, word: Word, before: Bytes, own: Bytes) {
        let conflict = Conflict {
            word,
            atomic: (before.loose | own.loose) == 0,
            plain: own.plain_written & before.plain | own.plain & before.plain_written != 0,
        };
        match self.conflicts.iter_mut().find(|known| known.word == word) {
            Some(known) => {
                known.atomic &= conflict.atomic;
                known.plain |= conflict.plain;
            }
            None => self.conflicts.push(conflict),
        }
    }

    /// The conflicts between the moves of this state so far.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// Whether another thread has ever changed a part of a word.
    pub fn is_changed_by_other(&self, word: Word, thread: ThreadId) -> bool {
        let entry = &self.entries[self.find(word)];
        entry.halves.iter().any(|half| half.has_other(thread, true))
    }

    /// Whether another thread has ever touched a part of a word.
    pub fn is_touched_by_other(&self, word: Word, thread: ThreadId) -> bool {
        let entry = &self.entries[self.find(word)];
        entry.halves.iter().any(|half| half.has_other(thread, false))
    }

    /// Words that several threads have worked on atomically or as on objects, one changing them.
    pub fn common_objects(&self) -> impl Iterator<Item = Word> + '_ {
        self.common_objects.iter().copied().filter(|word| self.thing_in(*word).is_some())
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

    type Deed = (u32, u64, u32, AccessKind, Manner);

    /// Each access is a move of its own.
    fn compare(touches: &mut Touches, deeds: &[Deed]) -> Vec<Conflict> {
        let mut moves = Vec::new();
        for &(thread, addr, size, kind, manner) in deeds {
            touches.begin_move();
            touches.add(ThreadId(thread), &access(addr, size, kind), manner);
            moves.push((ThreadId(thread), touches.touched().to_vec()));
        }
        touches.begin_state();
        let mut shares = Vec::new();
        for (thread, touched) in moves {
            touches.shares(thread, &touched, &mut shares);
            touches.compare(thread, &shares);
        }
        touches.conflicts().to_vec()
    }

    fn conflicts(accesses: &[(u32, u64, u32, AccessKind)]) -> Vec<u64> {
        let plain = |&(thread, addr, size, kind): &_| (thread, addr, size, kind, Manner::Plain);
        let deeds: Vec<Deed> = accesses.iter().map(plain).collect();
        let conflicts = compare(&mut Touches::default(), &deeds);
        conflicts.iter().map(|conflict| conflict.word.address()).collect()
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
        let same_half = [(0, 0x1000, 1, Write), (1, 0x1001, 1, Write)];
        assert!(conflicts(&same_half).is_empty());
    }

    #[test]
    fn reads_and_own_accesses_do_not_conflict() {
        assert!(conflicts(&[(0, 0x1000, 8, Read), (1, 0x1000, 8, Read)]).is_empty());
        assert!(conflicts(&[(0, 0x1000, 8, Write), (0, 0x1000, 8, Read)]).is_empty());
    }

    #[test]
    fn large_accesses_touch_what_anybody_has_touched() {
        let mut touches = Touches::default();
        let read = (1, 0x2008, 4, Read, Manner::Plain);
        let take = (0, 0x1000, 0x20_0000, Write, Manner::Atomic);
        assert_eq!(compare(&mut touches, &[read, take]).len(), 1, "the word is known");
        assert!(touches.is_large() && !touches.take_missed());
        let mut touches = Touches::default();
        assert_eq!(compare(&mut touches, &[take, read]), [], "nobody knew of the word");
        assert!(touches.take_missed() && !touches.is_large());
        assert_eq!(compare(&mut touches, &[take, read])[0].word, Word(0x401));
        assert!(!touches.take_missed());
        let outside = (1, 0x20_1000, 4, Read, Manner::Plain);
        assert_eq!(compare(&mut touches, &[take, outside]), []);
        assert!(!touches.take_missed());
    }

    #[test]
    fn many_threads_are_told_apart() {
        assert_eq!(conflicts(&[(64, 0x1000, 4, Write), (65, 0x1000, 4, Read)]), [0x1000]);
        assert!(conflicts(&[(64, 0x1000, 4, Write), (64, 0x1000, 4, Read)]).is_empty());
        assert!(conflicts(&[(64, 0x1000, 4, Read), (65, 0x1000, 4, Read)]).is_empty());
        let mut touches = Touches::default();
        let [write, read] = [(70, Write), (71, Read)].map(|(t, kind)| (t, 0x1000, 4, kind));
        let deeds = [write, read].map(|(t, addr, size, kind)| (t, addr, size, kind, Manner::Plain));
        compare(&mut touches, &deeds);
        let changed_for = |thread| touches.is_changed_by_other(Word(0x200), ThreadId(thread));
        assert!(changed_for(71) && !changed_for(70), "only the 71st thread changed it");
    }

    #[test]
    fn common_objects_are_worked_on_by_several_threads() {
        let mut touches = Touches::default();
        for (addr, threads, kind, manner) in [
            (0x1000, [1, 2], Write, Manner::Atomic),
            (0x2000, [1, 1], Write, Manner::Atomic),
            (0x3000, [1, 2], Read, Manner::Atomic),
            (0x4000, [1, 2], Write, Manner::Plain),
        ] {
            compare(&mut touches, &threads.map(|thread| (thread, addr, 8, kind, manner)));
        }
        assert_eq!(touches.common_objects().collect::<Vec<_>>(), [Word(0x200)]);
    }

    #[test]
    fn states_are_apart_and_history_is_not() {
        let mut touches = Touches::default();
        assert!(compare(&mut touches, &[(0, 0x1000, 8, Write, Manner::Plain)]).is_empty());
        assert_eq!(touches.things(), 0);
        let version = touches.version();
        assert!(compare(&mut touches, &[(1, 0x1000, 8, Read, Manner::Atomic)]).is_empty());
        assert_ne!(touches.version(), version);
        let changed_for = |word, thread| touches.is_changed_by_other(Word(word), ThreadId(thread));
        assert!(changed_for(0x200, 1) && !changed_for(0x200, 0));
        assert!(!changed_for(0x201, 1));
        assert_eq!(touches.thing_in(Word(0x200)), Some(Thing(0)));
        assert_eq!(touches.thing_in(Word(0x201)), None);
        assert_eq!(touches.things(), 2);
        let version = touches.version();
        compare(&mut touches, &[(1, 0x1000, 8, Read, Manner::Atomic)]);
        assert_eq!((touches.things(), touches.version()), (2, version));
        let mut shares = Vec::new();
        touches.shares(ThreadId(1), touches.touched(), &mut shares);
        let things: Vec<(Thing, bool)> =
            shares.iter().map(|share| (share.thing, share.change())).collect();
        assert_eq!(things, [(Thing(0), false), (Thing(1), false)]);
    }

    #[test]
    fn a_later_writer_makes_the_shares_of_readers_differ() {
        let mut touches = Touches::default();
        let read = (0, 0x1000, 4, Read, Manner::Plain);
        compare(&mut touches, &[read, (0, 0x1000, 4, Write, Manner::Plain)]);
        compare(&mut touches, &[(1, 0x1000, 4, Read, Manner::Plain)]);
        let version = touches.version();
        compare(&mut touches, &[(2, 0x1000, 4, Write, Manner::Plain)]);
        assert_ne!(touches.version(), version);
    }

    #[test]
    fn the_manner_of_both_sides_counts() {
        for (first, second, atomic, plain) in [
            (Manner::Atomic, Manner::Atomic, true, false),
            (Manner::Atomic, Manner::Plain, false, false),
            (Manner::Plain, Manner::Plain, false, true),
            (Manner::Other, Manner::Plain, false, false),
        ] {
            let deeds = [(0, 0x1000, 8, Write, first), (1, 0x1000, 8, Read, second)];
            let word = Word(0x200);
            let expected = [Conflict { word, atomic, plain }];
            assert_eq!(compare(&mut Touches::default(), &deeds), expected);
        }
    }
}

//! The parts of the operating system in a state, by number, and the world that they make up.
//!
//! Parts lie in the state vector like everything else. Whoever stands in a state keeps the numbers
//! of its parts in a roster, too, which is brought up to date from what changes, and knows the
//! number of the world (see [`super::worlds`]): a hash of all parts is kept as they change, so
//! finding the world costs one look into a table, and only where a part has changed.
//!
//! Invariant: between [`Roster::set`] and the next look at the world it has to be found again.

use super::contents::ABSENT;
use super::slots::fold;
use super::worlds::Worlds;
use samovar_runtime::Os;
use samovar_vm::machine::ThreadId;
use std::sync::{Arc, OnceLock};

/// The part that belongs to no thread. The others are records of threads, by their numbers.
pub const COMMON_PART: u32 = u32::MAX;

/// What a part with a number adds to the hash of a world. Mixed twice: sums of what is mixed once
/// come to the same low bits where threads do alike.
#[inline]
pub fn mix(part: u32, number: u32) -> u64 {
    let key = u64::from(part) << 32 | u64::from(number);
    let once = fold(key ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
    fold(once ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9)
}

/// See the module head.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    common: u32,
    /// By thread; [`ABSENT`] for those that do not exist, and never at the end.
    records: Vec<u32>,
    hash: u64,
    world: u32,
    /// Parts that were changed, and what they were.
    log: Vec<(u32, u32)>,
    is_changed: bool,
    /// The world itself, if somebody wanted to see it.
    os: OnceLock<Arc<Os>>,
}

/// Where a roster stood, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct RosterMark {
    changes: usize,
    world: u32,
}

impl Roster {
    /// The roster of a world.
    pub fn new(worlds: &Worlds, world: u32) -> Roster {
        let mut roster = Roster { common: ABSENT, ..Roster::default() };
        worlds.each_part(world, |part, number| roster.replace(part, number));
        Roster { world, ..roster }
    }

    /// The number of the world.
    #[inline]
    pub fn world(&self) -> u32 {
        debug_assert!(!self.is_changed, "the world is not known");
        self.world
    }

    /// The world itself.
    pub fn os(&self, worlds: &Worlds) -> &Arc<Os> {
        self.os.get_or_init(|| worlds.os(self.world()))
    }

    /// The number of what belongs to no thread.
    pub fn common(&self) -> u32 {
        self.common
    }

    /// The numbers of the records of all threads.
    pub fn records(&self) -> &[u32] {
        &self.records
    }

    /// The number of the record of a thread; [`ABSENT`] if it does not exist.
    #[inline]
    pub fn record(&self, thread: ThreadId) -> u32 {
        self.records.get(thread.0 as usize).copied().unwrap_or(ABSENT)
    }

    /// A hash of all parts.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The number of a part.
    #[inline]
    pub fn part(&self, part: u32) -> u32 {
        if part == COMMON_PART { self.common } else { self.record(ThreadId(part)) }
    }

    /// Changes a part.
    #[inline]
    pub fn set(&mut self, part: u32, number: u32) {
        let before = self.part(part);
        if before != number {
            self.log.push((part, before));
            self.is_changed = true;
            self.replace(part, number);
        }
    }

    fn replace(&mut self, part: u32, number: u32) {
        let weight = |number| if number == ABSENT { 0 } else { mix(part, number) };
        let before = self.part(part);
        self.hash = self.hash.wrapping_sub(weight(before)).wrapping_add(weight(number));
        if part == COMMON_PART {
            self.common = number;
            return;
        }
        let thread = part as usize;
        if self.records.len() <= thread {
            self.records.resize(thread + 1, ABSENT);
        }
        self.records[thread] = number;
        while self.records.last() == Some(&ABSENT) {
            self.records.pop();
        }
    }

    /// Finds the world that the parts make up now, or makes it.
    #[inline]
    pub fn find(&mut self, worlds: &mut Worlds) {
        if std::mem::take(&mut self.is_changed) {
            let world = worlds.find(self).unwrap_or_else(|| worlds.make(self, self.world));
            self.go(world);
        }
    }

    /// The same, to look at it only: the world may pass.
    pub fn glimpse(&mut self, worlds: &mut Worlds) {
        if std::mem::take(&mut self.is_changed) {
            let world = worlds.find(self).unwrap_or_else(|| worlds.pass(self, self.world));
            self.go(world);
        }
    }

    /// The world does not pass.
    pub fn keep(&mut self, worlds: &mut Worlds) {
        self.world = worlds.keep(self.world);
    }

    /// Finds the world if there is such a one already; whether there is.
    #[inline]
    pub fn find_known(&mut self, worlds: &Worlds) -> bool {
        self.is_changed |= worlds.is_forgotten(self.world);
        if self.is_changed
            && let Some(known) = worlds.find(self)
        {
            self.is_changed = false;
            self.go(known);
        }
        !self.is_changed
    }

    fn go(&mut self, world: u32) {
        if std::mem::replace(&mut self.world, world) != world {
            self.os.take();
        }
    }

    /// Remembers the roster, whose world must be known.
    #[inline]
    pub fn mark(&self) -> RosterMark {
        RosterMark { changes: self.log.len(), world: self.world }
    }

    /// Takes back all changes since `mark`.
    #[inline]
    pub fn undo_to(&mut self, mark: RosterMark) {
        while mark.changes < self.log.len() {
            let Some((part, before)) = self.log.pop() else { break };
            self.replace(part, before);
        }
        self.is_changed = false;
        self.go(mark.world);
    }

    /// Makes the world again if it was forgotten.
    #[inline]
    pub fn renew(&mut self, worlds: &mut Worlds) {
        if worlds.is_forgotten(self.world) {
            self.is_changed = true;
            self.find(worlds);
        }
    }

    /// Forgets how to take changes back.
    pub fn forget(&mut self) {
        self.log.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_back_whole() {
        let mut roster = Roster { common: 3, ..Roster::default() };
        (0..4).for_each(|thread| roster.set(thread, thread + 10));
        (roster.world, roster.is_changed) = (7, false);
        let (mark, hash) = (roster.mark(), roster.hash());
        roster.set(2, 99);
        roster.set(6, 5);
        roster.set(4, 4);
        roster.set(5, 4);
        assert_eq!(roster.records(), [10, 11, 99, 13, 4, 4, 5]);
        assert_ne!(roster.hash(), hash);
        roster.set(6, ABSENT);
        roster.set(COMMON_PART, 4);
        assert_eq!((roster.common(), roster.records().len()), (4, 6));
        roster.undo_to(mark);
        assert_eq!((roster.common(), roster.records()), (3, &[10, 11, 12, 13][..]));
        assert_eq!((roster.hash(), roster.world()), (hash, 7));
    }

    /// Worlds are found by the low bits of their hashes.
    #[test]
    fn low_bits_of_hashes_are_spread() {
        let (threads, numbers, bits) = (6, 7u32, 17);
        let worlds = numbers.pow(threads);
        let mut taken = vec![0u32; 1 << bits];
        for world in 0..worlds {
            let number = |thread| world / numbers.pow(thread) % numbers + 1;
            let parts = (0..threads).map(|thread| mix(thread + 1, number(thread)));
            let hash = parts.fold(0, u64::wrapping_add);
            taken[hash as usize & ((1 << bits) - 1)] += 1;
        }
        let pairs: u64 = taken.iter().map(|&one| u64::from(one) * u64::from(one)).sum();
        // As many as if they fell at random, give or take some.
        let random = u64::from(worlds) + ((u64::from(worlds) * u64::from(worlds)) >> bits);
        assert!(pairs < random + random / 4, "{pairs} pairs in the same place, not {random}");
    }

    #[test]
    fn the_hash_does_not_depend_on_the_way() {
        let of = |changes: &[(u32, u32)]| {
            let mut roster = Roster::default();
            changes.iter().for_each(|&(part, number)| roster.set(part, number));
            roster.hash()
        };
        assert_eq!(of(&[(0, 1), (1, 2)]), of(&[(1, 5), (0, 1), (1, 2), (2, 7), (2, ABSENT)]));
        assert_ne!(of(&[(0, 1), (1, 2)]), of(&[(0, 2), (1, 1)]));
    }
}

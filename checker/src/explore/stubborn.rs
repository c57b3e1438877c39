//! Which moves of a state suffice: a stubborn set, computed from what threads were ever seen to do.
//!
//! # The rule
//! A set T of threads suffices in a state if nothing that the other threads can do, as long as the
//! threads of T stand still, gets in the way of a next move of T. Starting from one thread, T is
//! closed under two rules. For a thread of T that can move: every thread that was ever seen, in
//! any state of any round, to touch something that this move touches, one of them changing it, is
//! in T. For a thread of T that cannot move: the threads that could let it go on are in T (the
//! thread that is joined, whoever was ever seen to touch the lock, condition variable or futex, and
//! whoever does something to threads, because a thread that waits can be cancelled). Threads that do not exist yet act through those that were seen to create threads. Then
//! only the moves of T have to be explored.
//!
//! # Why what was seen is enough
//! Suppose that in some state only T was explored, and that other threads could get, with T
//! standing still, to an access which conflicts with a move m of T; take the shortest such run. No
//! access before it conflicts with m, so the same run is possible after m, and ends with the same
//! access by the same thread: the reduced space contains a rearrangement of it, and the access is
//! seen there, in this round. The history has grown then, which is why a search whose history grew
//! is repeated until it does not grow any more.
//!
//! # Ignoring
//! A thread could be put off for ever round a cycle of states. So the moves of T are enough only
//! if one of them leads to a state that was not seen before; otherwise all moves are explored.
//! From every state, then, a chain of states each seen after the one before leads to one with all
//! moves.

use super::touches::{Touches, bit};
use super::word::Word;
use samovar_runtime::WaitFor;
use samovar_vm::machine::ThreadId;

/// What the next move of a thread is like.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Who.
    pub thread: ThreadId,
    /// Whether the move can be made.
    pub enabled: bool,
    /// If not: what the thread waits for, as far as it is known.
    pub wait: Option<WaitFor>,
    /// What the move does to threads.
    pub deed: ThreadDeed,
    /// Where the words lie that the move shares with other threads.
    pub words: std::ops::Range<usize>,
}

/// What a move does to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadDeed {
    /// Nothing, or it ends its own.
    None,
    /// Creates one.
    Create,
    /// Waits for the end of another, or something else to another.
    Other,
}

/// Threads that were ever seen to create threads, and to do something to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deeds {
    /// Creators.
    pub creators: u64,
    /// Those who join, detach or the like.
    pub others: u64,
}

/// Threads whose closures are tried; more would cost more than they save.
const ATTEMPTS: usize = 16;

/// The moves of one state.
#[derive(Debug)]
pub struct Choices<'a> {
    /// All threads that are there and have not ended.
    pub movers: &'a [Mover],
    /// The words of all moves.
    pub words: &'a [(Word, bool)],
    /// What was ever touched.
    pub touches: &'a Touches,
    /// What was ever done to threads.
    pub deeds: Deeds,
    /// Number of threads that exist.
    pub count: u32,
}

impl Choices<'_> {
    /// Threads whose moves suffice, as a mask, if that is less than all.
    pub fn sufficient(&self) -> Option<u64> {
        if 63 < self.count {
            return None;
        }
        let enabled = self.mask(|mover| mover.enabled);
        let mut best: Option<u64> = None;
        let candidates = self.movers.iter().filter(|mover| mover.enabled).take(ATTEMPTS);
        for mover in candidates {
            let set = self.close(bit(mover.thread)) & enabled;
            let fewest = best.unwrap_or(enabled).count_ones();
            if set.count_ones() < fewest {
                best = Some(set);
                if set.count_ones() == 1 {
                    break;
                }
            }
        }
        best
    }

    fn mask(&self, wanted: impl Fn(&Mover) -> bool) -> u64 {
        self.movers.iter().filter(|mover| wanted(mover)).map(|mover| bit(mover.thread)).sum()
    }

    /// The closure of a set of threads.
    fn close(&self, start: u64) -> u64 {
        let (mut set, mut done) = (start, 0);
        while set != done {
            let next = (set & !done).trailing_zeros();
            done |= 1 << next;
            if let Some(mover) = self.movers.iter().find(|mover| mover.thread.0 == next) {
                set |= self.needed_for(mover);
            }
        }
        set
    }

    /// Threads that the presence of this one asks for.
    fn needed_for(&self, mover: &Mover) -> u64 {
        let mine = bit(mover.thread);
        if !mover.enabled {
            return self.enablers(mover) & !mine;
        }
        let mut needed = match mover.deed {
            ThreadDeed::None => 0,
            ThreadDeed::Create => self.deeds.creators,
            ThreadDeed::Other => self.deeds.others,
        };
        for &(word, write) in &self.words[mover.words.clone()] {
            needed |= self.touches.disturbed_by(word, write);
        }
        self.existing(needed & !mine, mine) & !mine
    }

    /// Threads that do not exist yet stand for those that create threads, other than `mine`.
    fn existing(&self, threads: u64, mine: u64) -> u64 {
        let there = (1u64 << self.count) - 1;
        let future = threads & !there != 0;
        threads & there | if future { self.deeds.creators & !mine } else { 0 }
    }

    /// Threads that could let a thread go on.
    fn enablers(&self, mover: &Mover) -> u64 {
        let touching =
            |addr: u64| self.existing(self.touches.disturbed_by(Word(addr / 8), true), 0);
        match &mover.wait {
            Some(WaitFor::Join { thread, .. }) => bit(ThreadId(*thread)) | self.deeds.others,
            Some(
                WaitFor::Mutex { addr, .. }
                | WaitFor::Futex { addr, .. }
                | WaitFor::Condition { addr, .. }
                | WaitFor::ReaderWriter { addr, .. }
                | WaitFor::Semaphore { addr, .. }
                | WaitFor::Barrier { addr }
                | WaitFor::Spin { addr }
                | WaitFor::Once { addr },
            ) => touching(*addr) | self.deeds.others,
            _ => !0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::touches::Manner;
    use samovar_vm::fault::AccessKind;
    use samovar_vm::monitor::Access;

    fn mover(thread: u32, words: std::ops::Range<usize>) -> Mover {
        let (thread, deed) = (ThreadId(thread), ThreadDeed::None);
        Mover { thread, enabled: true, wait: None, deed, words }
    }

    fn touch(touches: &mut Touches, thread: u32, word: u64, kind: AccessKind) {
        let access = Access { addr: word * 8, size: 8, kind, locked: false, sequel: false };
        touches.add(ThreadId(thread), &access, Manner::Plain, |_, _| ());
    }

    fn choices<'a>(
        movers: &'a [Mover],
        words: &'a [(Word, bool)],
        touches: &'a Touches,
    ) -> Choices<'a> {
        let deeds = Deeds { creators: 1, others: 1 };
        Choices { movers, words, touches, deeds, count: 3 }
    }

    #[test]
    fn private_moves_suffice_alone() {
        let touches = Touches::default();
        let movers = [mover(0, 0..0), mover(1, 0..0)];
        assert_eq!(choices(&movers, &[], &touches).sufficient(), Some(1));
    }

    #[test]
    fn readers_bring_their_writers() {
        let mut touches = Touches::default();
        touches.begin_state();
        touch(&mut touches, 1, 7, AccessKind::Read);
        touch(&mut touches, 2, 7, AccessKind::Write);
        touch(&mut touches, 0, 7, AccessKind::Read);
        let movers = [mover(0, 0..1), mover(1, 0..1), mover(2, 1..2)];
        let words = [(Word(7), false), (Word(7), true)];
        // The first reader needs the writer, which needs the second reader.
        assert_eq!(choices(&movers, &words, &touches).sufficient(), None);
        let private_writer = [mover(0, 0..1), mover(1, 0..1), mover(2, 2..2)];
        assert_eq!(choices(&private_writer, &words, &touches).sufficient(), Some(4));
    }

    #[test]
    fn who_waits_brings_whom_it_waits_for() {
        let mut touches = Touches::default();
        touches.begin_state();
        touch(&mut touches, 0, 7, AccessKind::Read);
        touch(&mut touches, 1, 7, AccessKind::Write);
        let join = Some(WaitFor::Join { thread: 1, deadline: None });
        let waiting = Mover { enabled: false, wait: join, ..mover(0, 0..0) };
        // The result of thread 1 is read by thread 0, which waits for the end of thread 1.
        let movers = [waiting, mover(1, 0..1), mover(2, 1..1)];
        let words = [(Word(7), true)];
        assert_eq!(choices(&movers, &words, &touches).sufficient(), Some(2));
    }

    #[test]
    fn threads_to_come_act_through_their_creators() {
        let mut touches = Touches::default();
        touches.begin_state();
        touch(&mut touches, 1, 7, AccessKind::Write);
        touch(&mut touches, 3, 7, AccessKind::Write);
        let words = [(Word(7), true)];
        let movers = [mover(0, 1..1), mover(1, 0..1)];
        let choices = choices(&movers, &words, &touches);
        assert_eq!(choices.close(2), 3);
    }
}

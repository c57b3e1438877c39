//! Which moves of a state suffice: a stubborn set, computed from what threads were ever seen to do.
//!
//! # The rule
//! A set T of threads suffices in a state if nothing that the other threads can do, as long as the
//! threads of T stand still, gets in the way of a next move of T. Starting from one thread, T is
//! closed under two rules. For a thread of T that can move: every thread is in T whose future (all
//! that it was ever seen to touch from where it stands on, see [`super::future`]) has something
//! that this move touches, one of them changing it. For a thread of T that cannot move: the threads
//! that could let it go on are in T (the thread that is joined, whoever has the lock, condition
//! variable or futex in its future, and whoever does something to threads, because a thread that
//! waits can be cancelled). Threads that do not exist yet act through the future of those that
//! create them. Then only the moves of T have to be explored.
//!
//! # Why what was seen is enough
//! Suppose that in some state only T was explored, and that other threads could get, with T
//! standing still, to an access which conflicts with a move m of T; take the shortest such run. No
//! access before it conflicts with m, so the same run is possible after m, through the same places,
//! and ends with the same access by the same thread: the reduced space contains a rearrangement of
//! it, and its places are linked and the access is noted there, in this round. A future has grown
//! then, which is why a search whose futures grew is repeated until they do not grow any more.
//!
//! # Ignoring
//! A thread could be put off for ever round a cycle of states. So the moves of T are enough only
//! if one of them leads to a state that does not close a cycle: one that is not on the stack of a
//! depth-first search, or one that no other search has seen; otherwise all moves are explored.
//! From every state, then, a chain of states each left before, or seen after, the one before leads
//! to one with all moves.

use super::future::{Futures, Place, Thing};
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
    /// Where it stands.
    pub place: Place,
    /// Where the things lie that the move shares with other threads.
    pub things: std::ops::Range<usize>,
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
    /// The things of all moves.
    pub things: &'a [(Thing, bool)],
    /// What was ever touched.
    pub touches: &'a Touches,
    /// What may be touched.
    pub futures: &'a Futures,
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
        for other in self.movers {
            let is_disturbed = |&(thing, change): &(Thing, bool)| {
                self.futures.disturbs(other.place, thing, change)
            };
            if other.thread != mover.thread
                && self.things[mover.things.clone()].iter().any(is_disturbed)
            {
                needed |= bit(other.thread);
            }
        }
        needed & !mine
    }

    /// Threads that could let a thread go on.
    fn enablers(&self, mover: &Mover) -> u64 {
        let touching = |addr: u64| match self.touches.thing_in(Word(addr / 8)) {
            Some(thing) => self.mask(|other| self.futures.disturbs(other.place, thing, true)),
            // Nobody else was seen there: that will change, or nobody ever lets it go on.
            None => !0,
        };
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

    /// Things and whether they are changed.
    type Accesses<'a> = &'a [(u32, bool)];

    /// Threads at places of their own, and what their moves and futures have.
    struct Scene {
        futures: Futures,
        touches: Touches,
        movers: Vec<Mover>,
        things: Vec<(Thing, bool)>,
    }

    impl Scene {
        /// For each thread: the things of its next move, and of its future.
        fn new(threads: &[(Accesses<'_>, Accesses<'_>)]) -> Scene {
            let (mut futures, mut movers, mut things) = (Futures::default(), vec![], vec![]);
            for (number, (next, later)) in threads.iter().enumerate() {
                let thread = ThreadId(number as u32);
                let place = futures.place(thread, 1);
                for &(thing, change) in next.iter().chain(*later) {
                    futures.note(place, Thing(thing), change);
                }
                let first = things.len();
                things.extend(next.iter().map(|&(thing, change)| (Thing(thing), change)));
                let (wait, deed, things) = (None, ThreadDeed::None, first..things.len());
                movers.push(Mover { thread, enabled: true, wait, deed, place, things });
            }
            Scene { futures, touches: Touches::default(), movers, things }
        }

        fn sufficient(&self) -> Option<u64> {
            let Scene { futures, touches, movers, things } = self;
            let deeds = Deeds { creators: 1, others: 1 };
            Choices { movers, things, touches, futures, deeds, count: 3 }.sufficient()
        }
    }

    #[test]
    fn private_moves_suffice_alone() {
        assert_eq!(Scene::new(&[(&[], &[]), (&[], &[])]).sufficient(), Some(1));
    }

    #[test]
    fn readers_bring_their_writers() {
        let (read, write) = ((7, false), (7, true));
        // The first reader needs the writer, which needs the second reader.
        let scene = Scene::new(&[(&[read], &[]), (&[read], &[]), (&[write], &[])]);
        assert_eq!(scene.sufficient(), None);
        // The same if the writer only comes to it later; its own move is private, and suffices.
        let scene = Scene::new(&[(&[read], &[]), (&[read], &[]), (&[], &[write])]);
        assert_eq!(scene.sufficient(), Some(4));
    }

    #[test]
    fn what_is_past_does_not_count() {
        let scene = Scene::new(&[(&[(7, true)], &[]), (&[(8, true)], &[(9, true)])]);
        assert_eq!(scene.sufficient(), Some(1));
    }

    #[test]
    fn who_waits_brings_whom_it_waits_for() {
        // The result of thread 1 is read by thread 0, which waits for the end of thread 1.
        let later = [(7, false)];
        let mut scene = Scene::new(&[(&[], &later), (&[(7, true)], &[]), (&[(7, false)], &[])]);
        scene.movers.pop();
        scene.movers[0].enabled = false;
        scene.movers[0].wait = Some(WaitFor::Join { thread: 1, deadline: None });
        assert_eq!(scene.sufficient(), None, "there is only one move anyway");
        let free = Mover { thread: ThreadId(2), things: 0..0, ..scene.movers[1].clone() };
        scene.movers.push(free);
        scene.movers[2].place = scene.futures.place(ThreadId(2), 99);
        assert_eq!(scene.sufficient(), Some(2));
    }
}

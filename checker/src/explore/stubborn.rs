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
//!
//! A move of a thread that stands where it never comes back to (see [`Futures::is_straight`]) is
//! enough, too, wherever it leads. Order the places of a thread by which can be reached from
//! which, those on a cycle together: no move takes a thread back in this order, such a move takes
//! it on, and as numbers of threads are not used again, threads begin finitely often. So a chain
//! has such moves only finitely often, and its rest is one as above.

use super::crowd::Crowd;
use super::future::{Futures, Place, Thing};
use super::thread_set::ThreadSet;
use super::touches::Touches;
use super::word::Word;
use samovar_runtime::WaitFor;
use samovar_vm::machine::ThreadId;
use std::ops::Range;

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
    pub things: Range<usize>,
}

impl Mover {
    /// Whether it creates a thread.
    pub fn creates(&self) -> bool {
        self.deed == ThreadDeed::Create
    }
}

/// What a move does to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadDeed {
    /// Nothing, or it ends its own.
    None,
    /// Creates one.
    Create,
    /// Waits for the end of another, or something else to another.
    Other,
}

/// Threads that were ever seen to create threads, and to do something to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deeds {
    /// Creators.
    pub creators: ThreadSet,
    /// Those who join, detach or the like.
    pub others: ThreadSet,
}

/// Threads whose closures are tried; more would cost more than they save.
const ATTEMPTS: usize = 16;

/// Beyond so many threads, who may touch a thing is looked up in an index.
pub const MANY: usize = 32;
/// So many threads are looked at in all attempts of a state before no more is made.
const VISITS_MAX: usize = 2048;

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
    pub deeds: &'a Deeds,
    /// What may be left out.
    pub scope: Scope,
}

/// By place among the movers: others that a mover asks for, and movers in general, one bit each.
type Movers = u32;

/// Which closures may be left out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that are smaller than everything.
    Any,
    /// A single thread that creates one: for reductions that leave out nothing else.
    Creation,
    /// None.
    Nothing,
}

impl Scope {
    /// Whether a thread that can move is one to begin with.
    fn begins_with(self, creates: bool) -> bool {
        self == Scope::Any || (self == Scope::Creation && creates)
    }

    /// Closures must have fewer threads that can move than this, if so many can.
    fn most(self, enabled: usize) -> usize {
        if self == Scope::Creation { enabled.min(2) } else { enabled }
    }
}

/// Movers of a state that can move, and those of them that create threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Able {
    /// Those who can.
    pub enabled: Movers,
    /// Those who create.
    pub creators: Movers,
}

impl Able {
    /// Adds a mover that can move.
    pub fn add(&mut self, at: usize, creates: bool) {
        self.enabled |= 1 << at;
        self.creators |= Movers::from(creates) << at;
    }
}

/// Of movers that each ask for others: those that can move in the smallest closure of one that can,
/// if that is less than all. Closures of the first movers are tried only.
pub fn fewest(scope: Scope, able: Able, needs: &[Movers]) -> Option<Movers> {
    let enabled = able.enabled;
    let mut starts = match scope {
        Scope::Any => enabled,
        Scope::Creation => able.creators,
        Scope::Nothing => 0,
    };
    let (mut best, mut fewest) = (None, scope.most(enabled.count_ones() as usize) as u32);
    for _ in 0..ATTEMPTS.min(starts.count_ones() as usize) {
        let start = starts & starts.wrapping_neg();
        starts ^= start;
        let (mut set, mut waiting) = (start, start);
        while waiting != 0 && (set & enabled).count_ones() < fewest {
            let needed = needs[waiting.trailing_zeros() as usize];
            waiting = (waiting & (waiting - 1)) | (needed & !set);
            set |= needed;
        }
        let moving = set & enabled;
        if moving.count_ones() < fewest {
            (best, fewest) = (Some(moving), moving.count_ones());
            if fewest == 1 {
                break;
            }
        }
    }
    best
}

impl Choices<'_> {
    /// Threads whose moves suffice, if that is less than all.
    pub fn sufficient(&self) -> Option<ThreadSet> {
        match self.needs() {
            Some(needs) => self.sufficient_of_few(&needs),
            None => self.sufficient_in(&Crowd::new(self.movers)),
        }
    }

    fn sufficient_of_few(&self, needs: &[Movers; MANY]) -> Option<ThreadSet> {
        let mut able = Able::default();
        for (at, mover) in self.movers.iter().enumerate().filter(|one| one.1.enabled) {
            able.add(at, mover.creates());
        }
        let set = fewest(self.scope, able, needs)?;
        let movers = self.movers.iter().enumerate();
        Some(movers.filter(|(at, _)| set & 1 << at != 0).map(|(_, one)| one.thread).collect())
    }

    /// Whom each mover asks for, unless there are too many.
    pub fn needs(&self) -> Option<[Movers; MANY]> {
        if MANY < self.movers.len() {
            return None;
        }
        let mut needs = [0; MANY];
        for (mover, needed) in self.movers.iter().zip(&mut needs) {
            *needed = self.needed_for(mover);
        }
        Some(needs)
    }

    /// Those that the presence of a thread asks for.
    fn needed_for(&self, mover: &Mover) -> Movers {
        let rules = self.rules(mover);
        let is_needed = |other: &Mover| {
            let disturbs = |&(thing, change)| self.futures.disturbs(other.place, thing, change);
            rules.everybody
                || rules.joined == Some(other.thread)
                || rules.deeds.is_some_and(|deeds| deeds.contains(other.thread))
                || self.things[rules.things.clone()].iter().chain(&rules.object).any(disturbs)
        };
        let others = self.movers.iter().enumerate().filter(|one| one.1.thread != mover.thread);
        others.fold(0, |bits, (at, other)| bits | Movers::from(is_needed(other)) << at)
    }

    fn sufficient_in(&self, crowd: &Crowd<'_>) -> Option<ThreadSet> {
        let enabled = self.movers.iter().filter(|mover| mover.enabled);
        let mut fewest = self.scope.most(enabled.clone().count());
        let (mut best, mut visits) = (None, 0);
        let candidates = enabled.filter(|mover| self.scope.begins_with(mover.creates()));
        let candidates = candidates.take(ATTEMPTS);
        for mover in candidates {
            if VISITS_MAX <= visits {
                break;
            }
            let set = self.close_in(crowd, mover.thread, fewest, &mut visits);
            if let Some((set, enabled)) = set {
                (best, fewest) = (Some(set), enabled);
                if enabled == 1 {
                    break;
                }
            }
        }
        best
    }

    /// The threads that can move in the closure of a thread, and their number, if there are fewer
    /// than `fewest`; those asked for are found by an index.
    fn close_in(
        &self,
        crowd: &Crowd<'_>,
        start: ThreadId,
        fewest: usize,
        visits: &mut usize,
    ) -> Option<(ThreadSet, usize)> {
        let (mut set, mut kept) = (ThreadSet::one(start), ThreadSet::default());
        let mut enabled = 0;
        let mut asked = vec![[false; 2]; self.futures.things()];
        let (mut waiting, mut is_deed_done) = (vec![start], [false; 2]);
        while let Some(next) = waiting.pop() {
            let Some(mover) = crowd.mover(next) else { continue };
            *visits += 1;
            if mover.enabled {
                kept.insert(next);
                enabled += 1;
                if enabled == fewest {
                    return None;
                }
            }
            let rules = self.rules(mover);
            let mut add = |thread: ThreadId| {
                if set.insert(thread) {
                    waiting.push(thread);
                }
            };
            rules.joined.into_iter().for_each(&mut add);
            let is_other = usize::from(mover.deed != ThreadDeed::Create);
            if let Some(deeds) = rules.deeds
                && !std::mem::replace(&mut is_deed_done[is_other], true)
            {
                self.movers
                    .iter()
                    .map(|it| it.thread)
                    .filter(|it| deeds.contains(*it))
                    .for_each(&mut add);
            }
            if rules.everybody {
                self.movers.iter().for_each(|mover| add(mover.thread));
            }
            for &(thing, change) in self.things[rules.things].iter().chain(&rules.object) {
                let Some(asked) = asked.get_mut(thing.0 as usize) else { continue };
                if !std::mem::replace(&mut asked[usize::from(change)], true) {
                    crowd.disturbers(self.futures, thing, change).for_each(&mut add);
                }
            }
        }
        Some((kept, enabled))
    }

    /// Whom the presence of a thread asks for.
    fn rules(&self, mover: &Mover) -> Rules<'_> {
        let mut rules = Rules { things: mover.things.clone(), ..Rules::default() };
        if mover.enabled {
            rules.deeds = match mover.deed {
                ThreadDeed::None => None,
                ThreadDeed::Create => Some(&self.deeds.creators),
                ThreadDeed::Other => Some(&self.deeds.others),
            };
            return rules;
        }
        // Those who could let it go on.
        rules.things = 0..0;
        rules.deeds = Some(&self.deeds.others);
        match &mover.wait {
            Some(WaitFor::Join { thread, .. }) => rules.joined = Some(ThreadId(*thread)),
            Some(
                WaitFor::Mutex { addr, .. }
                | WaitFor::Futex { addr, .. }
                | WaitFor::Condition { addr, .. }
                | WaitFor::ReaderWriter { addr, .. }
                | WaitFor::Semaphore { addr, .. }
                | WaitFor::Barrier { addr }
                | WaitFor::Spin { addr }
                | WaitFor::Once { addr }
                | WaitFor::Lock { addr },
            ) => {
                rules.object = self.touches.thing_in(Word(addr / 8)).map(|thing| (thing, true));
                // Nobody else was seen there: that will change, or nobody ever lets it go on.
                rules.everybody = rules.object.is_none();
            }
            // Who gives it back announces all of it.
            Some(WaitFor::Privilege { start, end }) if start / 8 == (end - 1) / 8 => {
                rules.object = self.touches.thing_in(Word(start / 8)).map(|thing| (thing, true));
                rules.everybody = rules.object.is_none();
            }
            _ => rules.everybody = true,
        }
        rules
    }
}

/// Whom the presence of a thread asks for.
#[derive(Debug, Default)]
struct Rules<'a> {
    /// These.
    deeds: Option<&'a ThreadSet>,
    /// This one.
    joined: Option<ThreadId>,
    /// Whoever disturbs these.
    things: Range<usize>,
    /// Whoever disturbs this.
    object: Option<(Thing, bool)>,
    /// All.
    everybody: bool,
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
                    futures.note(place, [(Thing(thing), change)].into_iter());
                }
                let first = things.len();
                things.extend(next.iter().map(|&(thing, change)| (Thing(thing), change)));
                let (wait, deed, things) = (None, ThreadDeed::None, first..things.len());
                movers.push(Mover { thread, enabled: true, wait, deed, place, things });
            }
            Scene { futures, touches: Touches::default(), movers, things }
        }

        /// The threads that suffice; the index must find the same.
        fn sufficient(&self) -> Option<ThreadSet> {
            let Scene { futures, touches, movers, things } = self;
            let main = ThreadSet::one(ThreadId(0));
            let deeds = &Deeds { creators: main.clone(), others: main };
            let judge = |scope| {
                let choices = Choices { movers, things, touches, futures, deeds, scope };
                let found = choices.sufficient_in(&Crowd::new(movers));
                if movers.len() <= MANY {
                    assert_eq!(choices.sufficient(), found, "{scope:?}");
                }
                found
            };
            assert_eq!(judge(Scope::Nothing), None);
            if let Some(set) = judge(Scope::Creation) {
                let mut alone = movers.iter().filter(|one| set.contains(one.thread));
                assert!(alone.next().is_some_and(Mover::creates) && alone.next().is_none());
            }
            judge(Scope::Any)
        }
    }

    fn only(thread: u32) -> Option<ThreadSet> {
        Some(ThreadSet::one(ThreadId(thread)))
    }

    #[test]
    fn private_moves_suffice_alone() {
        assert_eq!(Scene::new(&[(&[], &[]), (&[], &[])]).sufficient(), only(0));
    }

    #[test]
    fn readers_bring_their_writers() {
        let (read, write) = ((7, false), (7, true));
        // The first reader needs the writer, which needs the second reader.
        let scene = Scene::new(&[(&[read], &[]), (&[read], &[]), (&[write], &[])]);
        assert_eq!(scene.sufficient(), None);
        // The same if the writer only comes to it later; its own move is private, and suffices.
        let scene = Scene::new(&[(&[read], &[]), (&[read], &[]), (&[], &[write])]);
        assert_eq!(scene.sufficient(), only(2));
    }

    #[test]
    fn what_is_past_does_not_count() {
        let scene = Scene::new(&[(&[(7, true)], &[]), (&[(8, true)], &[(9, true)])]);
        assert_eq!(scene.sufficient(), only(0));
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
        assert_eq!(scene.sufficient(), only(1));
    }

    #[test]
    fn many_threads_are_judged_like_few() {
        let mut random = crate::run::random::Random::new(7);
        for _ in 0..300 {
            let most = if random.below(2) == 0 { 31 } else { 90 };
            let count = 2 + random.below(most) as usize;
            let density = 1 + random.below(4);
            let mut some = |most: u64| -> Vec<(u32, bool)> {
                let accesses = 0..random.below(most);
                let mut access = |_| (random.below(2 * count as u64) as u32, random.below(2) == 0);
                accesses.map(&mut access).collect()
            };
            let made: Vec<_> = (0..count).map(|_| (some(density), some(3))).collect();
            let threads: Vec<(Accesses<'_>, Accesses<'_>)> =
                made.iter().map(|(next, later)| (&next[..], &later[..])).collect();
            let mut scene = Scene::new(&threads);
            for at in 0..count {
                scene.movers[at].enabled = random.below(3) != 0;
                scene.movers[at].deed = match random.below(8) {
                    0 => ThreadDeed::Create,
                    1 => ThreadDeed::Other,
                    _ => ThreadDeed::None,
                };
                let thread = random.below(count as u64) as u32;
                if random.below(4) != 0 {
                    scene.movers[at].wait = Some(WaitFor::Join { thread, deadline: None });
                }
            }
            scene.sufficient();
        }
    }
}

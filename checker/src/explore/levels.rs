//! Breadth-first search by levels, on any number of processor cores, with the same outcome on all.
//!
//! States are ranked: a level is the list of states that are so many moves away, in the order of
//! their first parents and of the moves there. A level is expanded in batches of consecutive ranks.
//! Hands expand what is known already, at the same time (see [`super::space::hand`]); the states
//! that they call hard are then expanded by the space itself, one by one in the order of ranks,
//! which is where things are learned, errors found and rounds ended. What a hand knows is fixed
//! before its batch and batches do not depend on the number of hands, so neither does anything that
//! this search comes to: counts, verdict and trail are those of one hand.
//!
//! The parent of a state is the one with the lowest rank, whoever comes first: parents are noted by
//! an atomic minimum. Moves are left out only where one of those that are made leads to the next
//! level (states of this and earlier levels count as closing a cycle), which is known exactly. A
//! move to this or an earlier level may close a cycle; if there is none, no run is without end.
//!
//! Cost: 12 bytes a state for its parent and its rank.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, Watchdog};
use super::engine::{Engine, Expansion};
use super::origins;
use super::space::Space;
use super::space::finder::Hard;
use super::space::hand::{Hand, Known};
use crate::state::StateId;
use crate::state::reserve::Reserve;
use crate::state::table::ENTRIES_MAX;
use crate::sync::{AtomicU64, BLOCK, Ordering};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::AtomicUsize;

/// States of a batch.
const BATCH: usize = 1 << 14;
/// States that a hand takes at a time.
const PIECE: usize = 64;
/// States that a hand expands at once, so that it need not wait for memory.
const AT_ONCE: usize = 16;
/// Smaller batches are not worth a hand.
const FEW: usize = 64;
/// Hard states that are expanded before hands try the others again.
const LESSONS: usize = 8;
/// Pairs for which there is room at least before hands begin.
const ROOM: usize = 1 << 17;
/// Hands at most: all of them together must not be able to overfill that room unawares.
const JOBS_MAX: usize = 64;
const _: () = assert!(JOBS_MAX * (BLOCK as usize) < ROOM / 16);
/// Bits of a rank within its level; the rest is the level.
const RANK_BITS: u32 = 40;

/// A state that was reached from a rank of the present level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    rank: u64,
    /// Which of the successors it is.
    index: u32,
    state: StateId,
}

/// What a piece of a batch came to.
#[derive(Debug, Default)]
struct Piece {
    /// The piece it is.
    number: usize,
    reached: Vec<Reached>,
    hard: Vec<u64>,
    counts: Counts,
}

/// Numbers about moves.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    transitions: u64,
    /// They lead to this or an earlier level.
    closing: u64,
    cut: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.transitions += other.transitions;
        self.closing += other.closing;
        self.cut += other.cut;
    }
}

/// Where states came from.
#[derive(Debug)]
struct Parents {
    /// By state: the complement of level and parent's rank, so that what was never noted is least.
    keys: Reserve<AtomicU64>,
}

impl Parents {
    /// Notes a parent; whether it is better than all before it.
    fn note(&self, state: StateId, level: u64, rank: u64) -> bool {
        let key = !(level << RANK_BITS | rank);
        self.keys[state.0 as usize].fetch_max(key, Ordering::Relaxed) < key
    }

    /// The level of a state and the rank of its parent.
    fn of(&self, state: StateId) -> Option<(u64, u64)> {
        let key = self.keys[state.0 as usize].load(Ordering::Relaxed);
        (key != 0).then_some((!key >> RANK_BITS, !key & ((1 << RANK_BITS) - 1)))
    }
}

/// See the module head.
pub struct Levels<'e, 's> {
    space: &'e mut Space<'s>,
    depth_max: u64,
    pool: Option<ThreadPool>,
    hands: Vec<Hand>,
    parents: Parents,
    /// All states by level and rank, and where levels begin.
    order: Vec<StateId>,
    begins: Vec<usize>,
    counts: Counts,
    expanded: u64,
}

impl<'e, 's> Levels<'e, 's> {
    /// A search with so many hands that follows no path further than `depth_max` moves.
    pub fn new(space: &'e mut Space<'s>, depth_max: u64, jobs: usize) -> Levels<'e, 's> {
        let jobs = jobs.clamp(1, JOBS_MAX);
        let pool = (1 < jobs).then(|| ThreadPoolBuilder::new().num_threads(jobs).build().ok());
        let hands = (0..jobs).map(|_| space.hand()).collect();
        Levels {
            space,
            depth_max: depth_max.min(1 << 20),
            pool: pool.flatten(),
            hands,
            parents: Parents { keys: Reserve::at_most(ENTRIES_MAX) },
            order: Vec::new(),
            begins: Vec::new(),
            counts: Counts::default(),
            expanded: 0,
        }
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.space.state();
        self.parents.note(start, 0, 0);
        self.order.push(start);
        self.space.on_stack(start, true);
        let mut level = 0..1;
        while !level.is_empty() {
            self.begins.push(level.start);
            for begin in level.clone().step_by(BATCH) {
                let batch = begin..level.end.min(begin + BATCH);
                if let Some(round) = self.expand_batch(batch) {
                    self.publish(stats, level.len());
                    return round;
                }
                self.publish(stats, level.end - begin + self.order.len() - level.end);
                if self.space.is_full() {
                    let reason = "the table of states is full".to_string();
                    return Round::Over(Found::Stopped { reason });
                }
                if let Some(reason) = watchdog(stats) {
                    return Round::Over(Found::Stopped { reason });
                }
            }
            for at in level.end..self.order.len() {
                self.space.on_stack(self.order[at], true);
            }
            level = level.end..self.order.len();
        }
        self.publish(stats, 0);
        Round::Over(Found::Nothing)
    }

    fn publish(&self, stats: &mut Stats, frontier: usize) {
        let states = self.order.len() as u64;
        let Counts { transitions, closing, cut } = self.counts;
        let depth = self.begins.len() as u64 - 1;
        stats.take(&Stats {
            states,
            expanded: self.expanded,
            transitions,
            revisits: transitions - cut - (states - 1).min(transitions - cut),
            depth,
            cut,
            frontier: frontier as u64,
            ..Stats::default()
        });
        stats.closing = closing;
        let parents = self.space.ids() * size_of::<u64>();
        stats.order_bytes = (parents + self.order.capacity() * size_of::<StateId>()) as u64;
    }

    fn level(&self) -> u64 {
        self.begins.len() as u64 - 1
    }

    /// Expands states of the present level and queues what is new. Where hands get stuck, it is
    /// mostly at the same few things that are new, so a few hard states teach them all.
    fn expand_batch(&mut self, batch: std::ops::Range<usize>) -> Option<Round> {
        let first = self.begins[self.begins.len() - 1];
        self.expanded += batch.len() as u64;
        let mut ranks: Vec<u64> =
            ((batch.start - first) as u64..(batch.end - first) as u64).collect();
        let (mut reached, mut lessons) = (Vec::new(), LESSONS);
        while !ranks.is_empty() {
            let mut hard = self.use_hands(&ranks, first, &mut reached);
            // If the last lessons did not help, more are due.
            lessons = if ranks.len() < hard.len() * 2 { lessons * 2 } else { LESSONS };
            ranks = hard.split_off(hard.len().min(lessons));
            for rank in hard {
                if let Some(round) = self.expand_hard(rank, first, &mut reached) {
                    return Some(round);
                }
            }
        }
        // Hands left it in sorted runs.
        reached.sort();
        let next = self.level() + 1;
        let is_first = |one: &&Reached| self.parents.of(one.state) == Some((next, one.rank));
        self.order.extend(reached.iter().filter(is_first).map(|one| one.state));
        None
    }

    /// Has hands expand what they can and adds what they reached; the ranks of what they could not.
    fn use_hands(&mut self, ranks: &[u64], first: usize, reached: &mut Vec<Reached>) -> Vec<u64> {
        if ranks.len() < FEW {
            return ranks.to_vec();
        }
        self.space.reserve(ROOM, self.hands.len());
        if self.hands.iter().any(|hand| !self.space.can_use(hand)) {
            self.hands = self.hands.iter().map(|_| self.space.hand()).collect();
        }
        let level = self.level();
        let Some(known) = self.space.for_hands() else {
            return ranks.to_vec();
        };
        let (next, states) = (AtomicUsize::new(0), &self.order[first..]);
        let may_go_on = level < self.depth_max;
        let job = Job { known, parents: &self.parents, level, may_go_on, states, ranks };
        let mut lists: Vec<Vec<Piece>> = self.hands.iter().map(|_| Vec::new()).collect();
        let work = |(hand, list): (&mut Hand, &mut Vec<Piece>)| job.work(hand, &next, list);
        match &self.pool {
            None => self.hands.iter_mut().zip(&mut lists).for_each(work),
            Some(pool) => pool.scope(|scope| {
                for one in self.hands.iter_mut().zip(&mut lists) {
                    scope.spawn(|_| work(one));
                }
            }),
        }
        self.space.take_in(&mut self.hands);
        let mut pieces: Vec<Piece> = lists.into_iter().flatten().collect();
        pieces.sort_unstable_by_key(|piece| piece.number);
        let mut hard = Vec::new();
        for piece in pieces {
            self.counts.add(piece.counts);
            reached.extend(piece.reached);
            hard.extend(piece.hard);
        }
        hard
    }

    /// Expands a state by the space itself.
    fn expand_hard(
        &mut self,
        rank: u64,
        first: usize,
        reached: &mut Vec<Reached>,
    ) -> Option<Round> {
        let (level, state) = (self.level(), self.order[first + rank as usize]);
        self.space.jump(state);
        match self.space.expand() {
            Expansion::Successors => {}
            end => return origins::end(end, |last| self.path(state, last)),
        }
        let successors = self.space.successors().iter().map(|one| one.state);
        let may_go_on = level < self.depth_max;
        note_all(&self.parents, (level, rank, may_go_on), successors, reached, &mut self.counts);
        None
    }

    /// The moves to a state, and one more.
    fn path(&mut self, state: StateId, last: Option<Choice>) -> Vec<Choice> {
        let (mut states, mut at) = (vec![state], state);
        while let Some((level, rank)) = self.parents.of(at).filter(|&(level, _)| 0 < level) {
            at = self.order[self.begins[level as usize - 1] + rank as usize];
            states.push(at);
        }
        states.reverse();
        let steps = states.windows(2).map(|two| self.space.choice_between(two[0], two[1]));
        steps.chain(last).collect()
    }
}

/// What hands do with a batch.
struct Job<'a> {
    known: Known<'a>,
    parents: &'a Parents,
    level: u64,
    may_go_on: bool,
    /// The level.
    states: &'a [StateId],
    /// What to expand of it.
    ranks: &'a [u64],
}

impl Job<'_> {
    /// Takes pieces until there are none left.
    fn work(&self, hand: &mut Hand, next: &AtomicUsize, list: &mut Vec<Piece>) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(ranks) = self.ranks.chunks(PIECE).nth(number) else { return };
            let mut piece = Piece { number, ..Piece::default() };
            for ranks in ranks.chunks(AT_ONCE) {
                let states = ranks.iter().map(|&rank| (rank, self.states[rank as usize]));
                hand.expand(&self.known, states, |rank, successors| match successors {
                    Ok(successors) => {
                        let of = (self.level, rank, self.may_go_on);
                        let successors = successors.iter().copied();
                        let Piece { reached, counts, .. } = &mut piece;
                        note_all(self.parents, of, successors, reached, counts);
                    }
                    Err(Hard) => piece.hard.push(rank),
                });
            }
            piece.hard.sort_unstable();
            list.push(piece);
        }
    }
}

/// Notes the successors of a state with a rank on a level.
fn note_all(
    parents: &Parents,
    (level, rank, may_go_on): (u64, u64, bool),
    successors: impl Iterator<Item = StateId>,
    reached: &mut Vec<Reached>,
    counts: &mut Counts,
) {
    for (state, index) in successors.zip(0..) {
        counts.transitions += 1;
        let known = parents.of(state);
        counts.closing += u64::from(known.is_some_and(|(other, _)| other <= level));
        if known.is_none() && !may_go_on {
            counts.cut += 1;
        } else if parents.note(state, level + 1, rank) {
            reached.push(Reached { rank, index, state });
        }
    }
}

//! Breadth-first search by levels, on any number of processor cores, with the same outcome on all.
//!
//! States are ranked: a level is the list of states that are so many moves away, in the order of
//! their first parents and of the moves there. A level is expanded in batches of consecutive ranks.
//! Hands expand what is known already, at the same time (see [`super::hands`]); the states
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
use super::hands::{Hands, Lessons, Listed, Listing, Reached, Task};
use super::origins;
use super::space::Space;
use super::space::hand::Known;
use crate::state::StateId;
use crate::state::reserve::Reserve;
use crate::state::table::ENTRIES_MAX;
use crate::sync::{AtomicU64, Ordering};

/// States of a batch.
const BATCH: usize = 1 << 14;
/// Bits of a rank within its level; the rest is the level.
const RANK_BITS: u32 = 40;

/// What a piece of a batch came to.
#[derive(Debug, Default)]
struct Noted {
    reached: Vec<Reached>,
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
        let (key, known) = (!(level << RANK_BITS | rank), &self.keys[state.0 as usize]);
        // Who only reads leaves the cache line to others.
        known.load(Ordering::Relaxed) < key && known.fetch_max(key, Ordering::Relaxed) < key
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
    hands: Hands,
    lessons: Lessons,
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
        let hands = Hands::new(space, jobs);
        space.lean_on_straight();
        Levels {
            space,
            depth_max: depth_max.min(1 << 20),
            hands,
            lessons: Lessons::default(),
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

    /// Expands states of the present level and queues what is new.
    fn expand_batch(&mut self, batch: std::ops::Range<usize>) -> Option<Round> {
        let first = self.begins[self.begins.len() - 1];
        self.expanded += batch.len() as u64;
        let ranks = (batch.start - first) as u64..;
        let list = ranks.zip(self.order[batch].iter().copied()).collect();
        let reached = match self.expand_list(list) {
            Ok(reached) => reached,
            Err(round) => return Some(round),
        };
        let next = self.level() + 1;
        let parent = |one: &Reached| self.parents.of(one.state);
        let is_first = |one: &&Reached| parent(one) == Some((next, one.from.into()));
        self.order.extend(reached.iter().filter(is_first).map(|one| one.state));
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

impl Listing for Levels<'_, '_> {
    fn use_hands(&mut self, list: &[Listed], reached: &mut Vec<Reached>) -> Vec<Listed> {
        let level = self.level();
        let job = Job { parents: &self.parents, level, may_go_on: level < self.depth_max };
        let (outcomes, hard) = self.hands.expand(self.space, list, &job);
        for noted in outcomes {
            self.counts.add(noted.counts);
            reached.extend(noted.reached);
        }
        hard
    }

    fn expand_hard(&mut self, (rank, state): Listed, reached: &mut Vec<Reached>) -> Option<Round> {
        let level = self.level();
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

    fn lessons(&mut self) -> &mut Lessons {
        &mut self.lessons
    }
}

/// What hands do with a batch.
struct Job<'a> {
    parents: &'a Parents,
    level: u64,
    may_go_on: bool,
}

impl Task for Job<'_> {
    type Outcome = Noted;

    fn is_open(&self, known: &Known<'_>, _: u64, successor: StateId) -> bool {
        known.is_open(successor)
    }

    fn take(&self, rank: u64, successors: &[StateId], noted: &mut Noted) {
        let of = (self.level, rank, self.may_go_on);
        let Noted { reached, counts } = noted;
        note_all(self.parents, of, successors.iter().copied(), reached, counts);
    }

    fn prepare(&self, _: &mut Space<'_>, _: u64) -> bool {
        true
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
            reached.push(Reached { from: rank as u32, index, state });
        }
    }
}

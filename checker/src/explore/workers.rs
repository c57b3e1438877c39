//! Depth-first search by workers with different orders, on any number of processor cores, with the
//! same outcome on all.
//!
//! There is one table of states, and one stack for each worker (see [`stacks`]). All workers take
//! some states from their stacks at a time: a *batch*. Hands expand what is known already of it, at
//! the same time (see [`super::hands`]); the states that they call hard are then expanded by the
//! space itself, one by one in the order of the batch, which is where things are learned, errors
//! found and rounds ended. Then each worker puts what was found first from its states on its stack.
//! Workers are not threads: there are always as many, and hands only do their work. What a hand
//! knows is fixed before its batch, so counts, verdict and trail do not depend on the number of
//! hands, nor on which is faster.
//!
//! When a state is expanded, it is further from the start than all that lead to it so far (see
//! [`super::findings`]). Moves of a state are left out only if one of those that are made leads
//! further from the start, which is so if it leads to a state that was not expanded yet. Going on
//! and on in this way ends, because there are finitely many states, in one that was expanded in
//! full: what is left out is not put off for ever (the argument of [`super::levels`], with
//! distances for levels).
//!
//! If every move leads further from the start there is no cycle, and no run without end. Otherwise
//! there may be one; [`ends`] mostly sees that it can be left for good. If not, a depth-first
//! search on one core has to look (see `strategy`).
//!
//! Cost: 12 bytes a state for how it was found and its place.

mod stacks;

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, Watchdog};
use super::ends::{self, Explored};
use super::engine::{Engine, Expansion};
use super::findings::{DEPTH_MAX, Finding, Findings};
use super::hands::{Hands, Lessons, Listed, Listing, Reached, Task};
use super::origins;
use super::space::Space;
use super::space::hand::Known;
use crate::state::StateId;
use crate::sync::Arc;
use stacks::{Batch, Stacks};

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
    cut: u64,
    /// The furthest from the start of what was expanded.
    depth: u32,
    /// They do not lead further from the start.
    closing: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.transitions += other.transitions;
        self.cut += other.cut;
        self.depth = self.depth.max(other.depth);
        self.closing += other.closing;
    }
}

/// See the module head.
pub struct Workers<'e, 's> {
    space: &'e mut Space<'s>,
    depth_max: u32,
    hands: Hands,
    lessons: Lessons,
    findings: Arc<Findings>,
    stacks: Stacks,
    /// All states that were expanded.
    order: Vec<StateId>,
    found: u64,
    counts: Counts,
    /// States in which the program can end.
    ends: Vec<StateId>,
    /// Where the moves of hard states lead, by place.
    hard_edges: Vec<(u32, StateId)>,
}

impl<'e, 's> Workers<'e, 's> {
    /// A search with so many hands that follows no path further than `depth_max` moves.
    pub fn new(space: &'e mut Space<'s>, depth_max: u64, jobs: usize) -> Workers<'e, 's> {
        let (hands, start) = (Hands::new(space, jobs), space.state());
        let findings = Arc::new(Findings::new(start));
        space.judge_by(&findings);
        space.lean_on_straight();
        Workers {
            space,
            depth_max: depth_max.min(DEPTH_MAX.into()) as u32,
            hands,
            lessons: Lessons::default(),
            findings,
            stacks: Stacks::new(start),
            order: Vec::new(),
            found: 1,
            counts: Counts::default(),
            ends: Vec::new(),
            hard_edges: Vec::new(),
        }
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date; nothing is
    /// said to close a cycle if all runs can end.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        loop {
            let batch = self.stacks.take();
            if batch.states.is_empty() {
                break;
            }
            let round = self.expand_batch(&batch);
            self.publish(stats);
            if round.is_some() {
                return round.unwrap_or(Round::Anew);
            }
            let full = self.space.is_full().then(|| "the table of states is full".to_string());
            if let Some(reason) = full.or_else(|| watchdog(stats)) {
                return Round::Over(Found::Stopped { reason });
            }
        }
        let may_judge = self.counts.cut == 0 && !self.space.is_unsettled();
        if 0 < self.counts.closing && may_judge && self.can_always_end() {
            stats.closing = 0;
        }
        Round::Over(Found::Nothing)
    }

    fn publish(&self, stats: &mut Stats) {
        let Counts { transitions, cut, depth, closing } = self.counts;
        stats.take(&Stats {
            states: self.found,
            expanded: self.order.len() as u64,
            transitions,
            revisits: transitions - cut - (self.found - 1).min(transitions - cut),
            depth: depth.into(),
            cut,
            frontier: self.stacks.len() as u64,
            ..Stats::default()
        });
        stats.closing = closing;
        let bytes = self.space.ids() * size_of::<u64>()
            + self.order.capacity() * size_of::<StateId>()
            + self.hard_edges.capacity() * size_of::<(u32, StateId)>()
            + self.stacks.bytes();
        stats.order_bytes = bytes as u64;
    }

    /// Expands a batch and gives workers what they found.
    fn expand_batch(&mut self, batch: &Batch) -> Option<Round> {
        let begin = self.order.len();
        batch.states.iter().for_each(|state| self.findings.begin(*state));
        self.order.extend_from_slice(&batch.states);
        let list = (begin as u64..).zip(batch.states.iter().copied()).collect();
        let mut reached = match self.expand_list(list) {
            Ok(reached) => reached,
            Err(round) => return Some(round),
        };
        let parent = |one: &Reached| self.findings.of(one.state).and_then(Finding::parent);
        reached.retain(|one| parent(one) == Some(one.from));
        self.take_over(batch, begin, &reached);
        None
    }

    /// Gives workers what they found.
    fn take_over(&mut self, batch: &Batch, begin: usize, reached: &[Reached]) {
        self.found += reached.len() as u64;
        let mut rest = reached;
        for (worker, range) in &batch.shares {
            let end = (begin + range.end) as u32;
            let (found, more) = rest.split_at(rest.partition_point(|one| one.from < end));
            rest = more;
            self.stacks.give(*worker, found.iter().map(|one| one.state));
        }
        reached.iter().for_each(|one| self.findings.let_wait(one.state));
    }

    /// Whether all runs can end, as far as that is seen.
    fn can_always_end(&mut self) -> bool {
        let Workers { space, hands, findings, order, ends, hard_edges, .. } = self;
        let seen = Seen { findings, order };
        ends::can_always_end(space, hands, &seen, ends, hard_edges)
    }

    /// The moves to a state, and one more.
    fn path(&mut self, state: StateId, last: Option<Choice>) -> Vec<Choice> {
        let (mut states, mut at) = (vec![state], state);
        let seen = Seen { findings: &self.findings, order: &self.order };
        while let Some(parent) = seen.parent(at) {
            at = self.order[parent];
            states.push(at);
        }
        states.reverse();
        let steps = states.windows(2).map(|two| self.space.choice_between(two[0], two[1]));
        steps.chain(last).collect()
    }
}

impl Listing for Workers<'_, '_> {
    fn use_hands(&mut self, list: &[Listed], reached: &mut Vec<Reached>) -> Vec<Listed> {
        let Workers { space, hands, findings, order, depth_max, .. } = self;
        let noting = Noting { findings, order, depth_max: *depth_max };
        let (outcomes, hard) = hands.expand(space, list, &noting);
        for noted in outcomes {
            self.counts.add(noted.counts);
            reached.extend(noted.reached);
        }
        hard
    }

    fn expand_hard(&mut self, (place, state): Listed, reached: &mut Vec<Reached>) -> Option<Round> {
        self.space.jump(state);
        self.space.stand_at(self.findings.depth(state));
        match self.space.expand() {
            Expansion::Successors => {}
            end => return origins::end(end, |last| self.path(state, last)),
        }
        let successors: Vec<StateId> =
            self.space.successors().iter().map(|one| one.state).collect();
        if self.space.ends() || successors.is_empty() {
            self.ends.push(state);
        }
        self.hard_edges.extend(successors.iter().map(|one| (place as u32, *one)));
        let mut noted = Noted::default();
        let Workers { findings, order, depth_max, .. } = &*self;
        Noting { findings, order, depth_max: *depth_max }.take(place, &successors, &mut noted);
        self.counts.add(noted.counts);
        reached.append(&mut noted.reached);
        None
    }

    fn lessons(&mut self) -> &mut Lessons {
        &mut self.lessons
    }
}

/// What comes of the states of a batch: their successors are noted.
struct Noting<'a> {
    findings: &'a Findings,
    order: &'a [StateId],
    depth_max: u32,
}

impl Noting<'_> {
    /// How far from the start the state at a place is.
    fn depth(&self, place: u64) -> u32 {
        self.findings.depth(self.order[place as usize])
    }
}

impl Task for Noting<'_> {
    type Outcome = Noted;

    fn is_open(&self, _: &Known<'_>, place: u64, successor: StateId) -> bool {
        self.findings.may_close(self.depth(place), successor)
    }

    fn take(&self, place: u64, successors: &[StateId], noted: &mut Noted) {
        let depth = self.depth(place);
        let finding = Finding::from(place as u32, depth);
        let Noted { reached, counts } = noted;
        counts.depth = counts.depth.max(depth);
        for (&state, index) in successors.iter().zip(0..) {
            counts.transitions += 1;
            // Of what other hands do meanwhile, only the best finding may be seen.
            match self.findings.of(state) {
                Some(known) if known.is_expanded() => {
                    counts.closing += u64::from(known.depth() <= depth);
                }
                known => {
                    let is_old = known.is_some_and(Finding::is_old);
                    if !is_old && self.depth_max <= depth {
                        counts.cut += 1;
                    } else if self.findings.note(state, known, finding) && !is_old {
                        reached.push(Reached { from: place as u32, index, state });
                    }
                }
            }
        }
    }

    fn prepare(&self, space: &mut Space<'_>, place: u64) -> bool {
        space.stand_at(self.depth(place));
        true
    }
}

/// What was explored, to be looked at again.
struct Seen<'a> {
    findings: &'a Findings,
    order: &'a [StateId],
}

impl Explored for Seen<'_> {
    fn order(&self) -> &[StateId] {
        self.order
    }

    fn parent(&self, state: StateId) -> Option<usize> {
        self.findings.of(state)?.parent().map(|place| place as usize)
    }

    fn is_open(&self, place: usize, successor: StateId) -> bool {
        // What was not expanded then is further away now.
        self.findings.may_close(self.findings.depth(self.order[place]), successor)
    }
}

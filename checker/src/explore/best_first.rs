//! Best-first search and A*: the most promising state is expanded next.
//!
//! Best-first goes by the heuristic alone; A* adds the moves made so far, and takes a state up
//! again if it is reached by fewer of them. Of states that are as promising, the one found last
//! comes first, so that a search gets somewhere. Both visit the whole space if nothing is found;
//! runs without end are not judged here.

use super::choice::{Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::heuristic::Heuristic;
use super::origins::Origins;
use super::view::PathFacts;
use crate::state::StateId;
use std::collections::BinaryHeap;

/// A state to be expanded; the greatest is the most promising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The negated value.
    promise: i64,
    /// When it was found.
    number: u64,
    state: StateId,
    /// Moves to it, as they were then.
    moves: u32,
}

/// A directed search from where an engine stands.
#[derive(Debug)]
pub struct BestFirst<'e, E, H> {
    engine: &'e mut E,
    heuristic: H,
    /// Moves count as well: A*.
    count_moves: bool,
    depth_max: u64,
    origins: Origins,
    /// By state: the path that it was reached by.
    facts: Vec<PathFacts>,
    queue: BinaryHeap<Candidate>,
    stats: Stats,
}

impl<'e, E: Engine, H: Heuristic> BestFirst<'e, E, H> {
    /// A search that follows no path further than `depth_max` moves.
    pub fn new(engine: &'e mut E, heuristic: H, count_moves: bool, depth_max: u64) -> Self {
        BestFirst {
            engine,
            heuristic,
            count_moves,
            depth_max,
            origins: Origins::default(),
            facts: Vec::new(),
            queue: BinaryHeap::new(),
            stats: Stats::default(),
        }
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        self.origins.begin(start);
        self.queue_up(start, PathFacts::default(), 0);
        self.stats.states = 1;
        let mut last_look = 0;
        while let Some(Candidate { state, moves, .. }) = self.queue.pop() {
            if self.facts[state.0 as usize].moves < moves {
                // It was reached by a shorter path since.
                continue;
            }
            if let Some(round) = self.expand(state) {
                self.publish(stats);
                return round;
            }
            if last_look + WATCH_EVERY <= self.stats.transitions {
                last_look = self.stats.transitions;
                self.publish(stats);
                if let Some(reason) = watchdog(stats) {
                    return Round::Over(Found::Stopped { reason });
                }
            }
        }
        self.publish(stats);
        Round::Over(Found::Nothing)
    }

    fn publish(&self, stats: &mut Stats) {
        stats.take(&Stats { frontier: self.queue.len() as u64, ..self.stats });
    }

    fn queue_up(&mut self, state: StateId, facts: PathFacts, value: i64) {
        let index = state.0 as usize;
        if self.facts.len() <= index {
            self.facts.resize(index + 1, PathFacts::default());
        }
        self.facts[index] = facts;
        self.stats.depth = self.stats.depth.max(facts.moves.into());
        let cost = if self.count_moves { facts.moves.into() } else { 0 };
        let promise = value.saturating_add(cost).saturating_neg();
        let number = self.stats.transitions;
        self.queue.push(Candidate { promise, number, state, moves: facts.moves });
    }

    fn expand(&mut self, state: StateId) -> Option<Round> {
        self.engine.jump(state);
        self.stats.expanded += 1;
        let expansion = self.engine.expand();
        let end = self.origins.end(state, expansion);
        if end.is_some() {
            return end;
        }
        let facts = self.facts[state.0 as usize];
        for at in 0..self.engine.successors().len() {
            let Successor { choice, state: next, .. } = self.engine.successors()[at];
            self.stats.transitions += 1;
            let known = self.origins.knows(next);
            let is_shorter =
                || self.count_moves && facts.moves + 1 < self.facts[next.0 as usize].moves;
            if known {
                self.stats.revisits += 1;
                if !is_shorter() {
                    continue;
                }
            } else if self.depth_max <= facts.moves.into() {
                self.stats.cut += 1;
                continue;
            }
            self.stats.states += u64::from(!known);
            let mut value = 0;
            let heuristic = &mut self.heuristic;
            let facts = self.engine.look(choice, facts, &mut |view| value = heuristic.value(view));
            self.origins.set(next, state, choice);
            self.queue_up(next, facts, value);
        }
        None
    }
}

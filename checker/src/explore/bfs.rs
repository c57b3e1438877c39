//! Breadth-first search: the first error found is as few moves away as any.
//!
//! The queue holds numbers of states; going to a state writes what differs. Each state remembers
//! the move that led to it first, which gives the way back. Runs without end are not judged here.

use super::choice::{Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::origins::Origins;
use crate::state::StateId;
use std::collections::VecDeque;

/// A breadth-first search from where an engine stands.
#[derive(Debug)]
pub struct BreadthFirst<'e, E> {
    engine: &'e mut E,
    depth_max: u64,
    origins: Origins,
    queue: VecDeque<StateId>,
    /// States of the level that is being expanded which are still in the queue.
    level_left: usize,
    stats: Stats,
}

impl<'e, E: Engine> BreadthFirst<'e, E> {
    /// A search that follows no path further than `depth_max` moves.
    pub fn new(engine: &'e mut E, depth_max: u64) -> BreadthFirst<'e, E> {
        BreadthFirst {
            engine,
            depth_max,
            origins: Origins::default(),
            queue: VecDeque::new(),
            level_left: 0,
            stats: Stats::default(),
        }
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        self.origins.begin(start);
        self.reach(start);
        self.level_left = 1;
        let mut last_look = 0;
        while let Some(state) = self.queue.pop_front() {
            if self.level_left == 0 {
                self.stats.depth += 1;
                self.level_left = self.queue.len() + 1;
            }
            self.level_left -= 1;
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

    /// Queues a state that was reached for the first time.
    fn reach(&mut self, state: StateId) {
        self.queue.push_back(state);
        self.stats.states += 1;
    }

    fn expand(&mut self, state: StateId) -> Option<Round> {
        self.engine.jump(state);
        self.stats.expanded += 1;
        let expansion = self.engine.expand();
        let end = self.origins.end(state, expansion);
        if end.is_some() {
            return end;
        }
        for at in 0..self.engine.successors().len() {
            let Successor { choice, state: next, .. } = self.engine.successors()[at];
            self.stats.transitions += 1;
            if self.origins.knows(next) {
                self.stats.revisits += 1;
            } else if self.depth_max <= self.stats.depth {
                self.stats.cut += 1;
            } else {
                self.origins.set(next, state, choice);
                self.reach(next);
            }
        }
        None
    }
}

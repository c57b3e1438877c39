//! Breadth-first search: the first error found is as few moves away as any.
//!
//! The queue holds numbers of states; going to a state writes what differs. Each state remembers
//! the move that led to it first, which gives the way back. Runs without end are not judged here.

use super::choice::{Choice, Found, Stats, Wrong};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Expansion, Successor};
use crate::state::StateId;
use samovar_vm::machine::ThreadId;
use std::collections::VecDeque;

/// How a state was reached first.
#[derive(Clone, Copy, Debug)]
struct Origin {
    parent: StateId,
    choice: Choice,
}

/// No state was reached like this.
const UNKNOWN: Origin = Origin {
    parent: StateId(u32::MAX),
    choice: Choice { thread: ThreadId(u32::MAX), alternative: 0 },
};

/// A breadth-first search from where an engine stands.
#[derive(Debug)]
pub struct BreadthFirst<'e, E> {
    engine: &'e mut E,
    depth_max: u64,
    /// By state.
    origins: Vec<Origin>,
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
            origins: Vec::new(),
            queue: VecDeque::new(),
            level_left: 0,
            stats: Stats::default(),
        }
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        let choice = Choice { thread: ThreadId(0), alternative: 0 };
        self.reach(start, Origin { parent: start, choice });
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
        stats.states = self.stats.states;
        stats.transitions = self.stats.transitions;
        stats.revisits = self.stats.revisits;
        stats.depth = self.stats.depth;
        stats.cut = self.stats.cut;
        stats.frontier = self.queue.len() as u64;
    }

    /// Notes how a state was reached; whether that is the first time.
    fn reach(&mut self, state: StateId, origin: Origin) -> bool {
        let index = state.0 as usize;
        if self.origins.len() <= index {
            self.origins.resize(self.engine.ids().max(index + 1), UNKNOWN);
        }
        if self.origins[index].parent != UNKNOWN.parent {
            return false;
        }
        self.origins[index] = origin;
        self.queue.push_back(state);
        self.stats.states += 1;
        true
    }

    fn expand(&mut self, state: StateId) -> Option<Round> {
        self.engine.jump(state);
        match self.engine.expand() {
            Expansion::Successors => {}
            Expansion::Anew => return Some(Round::Anew),
            Expansion::Wrong(last, error) => return Some(self.error(state, last, error)),
            Expansion::Unsupported(last, what) => {
                let path = self.path(state, Some(last));
                return Some(Round::Over(Found::Unsupported { path, what }));
            }
        }
        for at in 0..self.engine.successors().len() {
            let Successor { choice, state: next, .. } = self.engine.successors()[at];
            self.stats.transitions += 1;
            let is_known = |origins: &[Origin]| {
                let origin = origins.get(next.0 as usize);
                origin.is_some_and(|origin| origin.parent != UNKNOWN.parent)
            };
            if is_known(&self.origins) {
                self.stats.revisits += 1;
            } else if self.depth_max <= self.stats.depth {
                self.stats.cut += 1;
            } else {
                self.reach(next, Origin { parent: state, choice });
            }
        }
        None
    }

    fn error(&self, state: StateId, last: Option<Choice>, error: Wrong) -> Round {
        Round::Over(Found::Error { path: self.path(state, last), error })
    }

    /// The choices that lead to a state, and one more.
    fn path(&self, state: StateId, last: Option<Choice>) -> Vec<Choice> {
        let mut path: Vec<Choice> = last.into_iter().collect();
        let mut at = state;
        loop {
            let Origin { parent, choice } = self.origins[at.0 as usize];
            if parent == at {
                break;
            }
            path.push(choice);
            at = parent;
        }
        path.reverse();
        path
    }
}

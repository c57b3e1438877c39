//! Beam search: level by level like breadth-first, but only the most promising states of each
//! level are kept.
//!
//! Whatever is left out may be where the error is: a search that left out nothing is exhaustive,
//! any other is incomplete.

use super::choice::{Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::heuristic::Heuristic;
use super::origins::Origins;
use super::view::{PathFacts, View};
use crate::state::StateId;

/// A state of the next level.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    value: i64,
    state: StateId,
    facts: PathFacts,
}

/// A beam search from where an engine stands.
#[derive(Debug)]
pub struct Beam<'e, E, H> {
    engine: &'e mut E,
    heuristic: H,
    width: usize,
    depth_max: u64,
    origins: Origins,
    next: Vec<Candidate>,
    left_out: u64,
    stats: Stats,
}

impl<'e, E: Engine, H: Heuristic> Beam<'e, E, H> {
    /// A search that keeps `width` states of each level, and follows no path further than
    /// `depth_max` moves.
    pub fn new(engine: &'e mut E, heuristic: H, width: usize, depth_max: u64) -> Self {
        Beam {
            engine,
            heuristic,
            width,
            depth_max,
            origins: Origins::default(),
            next: Vec::new(),
            left_out: 0,
            stats: Stats::default(),
        }
    }

    /// Searches until no level is left, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        self.origins.begin(start);
        self.stats.states = 1;
        let mut level = vec![Candidate { value: 0, state: start, facts: PathFacts::default() }];
        let mut last_look = 0;
        while !level.is_empty() {
            for candidate in &level {
                if let Some(round) = self.expand(*candidate) {
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
            level = std::mem::take(&mut self.next);
            // States that are as promising stay in the order in which they were found.
            level.sort_by_key(|candidate| candidate.value);
            self.left_out += level.len().saturating_sub(self.width) as u64;
            level.truncate(self.width);
            self.stats.depth += u64::from(!level.is_empty());
        }
        self.publish(stats);
        Round::Over(match self.left_out {
            0 => Found::Nothing,
            count => Found::Stopped {
                reason: format!(
                    "the beam of {} states left {count} states out; {} were explored",
                    self.width, self.stats.expanded
                ),
            },
        })
    }

    fn publish(&self, stats: &mut Stats) {
        stats.take(&Stats { frontier: self.next.len() as u64, ..self.stats });
    }

    fn expand(&mut self, Candidate { state, facts, .. }: Candidate) -> Option<Round> {
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
                continue;
            }
            if self.depth_max <= self.stats.depth {
                self.stats.cut += 1;
                continue;
            }
            self.stats.states += 1;
            self.origins.set(next, state, choice);
            let mut value = 0;
            let heuristic = &mut self.heuristic;
            let with_process = heuristic.needs_process();
            let look = &mut |view: &View<'_>| value = heuristic.value(view);
            let facts = self.engine.look(choice, facts, with_process, look);
            self.next.push(Candidate { value, state: next, facts });
        }
        None
    }
}

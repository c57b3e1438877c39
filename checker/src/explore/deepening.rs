//! Iterative deepening: depth-first, with a bound on the depth that grows by one until nothing is
//! cut off.
//!
//! The first error is one with the fewest moves. A state that is reached by fewer moves than before
//! is taken up again, so the bound cuts off nothing that is nearer. Runs without end are not judged
//! here.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::origins;
use crate::state::StateId;

/// A state that was not reached yet.
const UNKNOWN: u32 = u32::MAX;

/// One depth-first pass from where an engine stands, with a bound.
#[derive(Debug)]
pub struct Deepening<'e, E> {
    engine: &'e mut E,
    bound: u32,
    /// The moves to the present state.
    path: Vec<Choice>,
    /// By level: where its successors begin that were not looked at yet.
    frames: Vec<usize>,
    pending: Vec<Successor>,
    /// By state: fewest moves to it so far.
    depths: Vec<u32>,
    stats: Stats,
}

impl<'e, E: Engine> Deepening<'e, E> {
    /// A pass that follows no path further than `bound` moves. Whether anything was cut off is in
    /// its numbers.
    pub fn new(engine: &'e mut E, bound: u32) -> Deepening<'e, E> {
        Deepening {
            engine,
            bound,
            path: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            depths: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Searches up to the bound, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        self.reach(start, 0);
        let mut round = self.enter();
        let mut last_look = 0;
        while round.is_none() && !self.frames.is_empty() {
            round = self.step();
            if round.is_none() && last_look + WATCH_EVERY <= self.stats.transitions {
                last_look = self.stats.transitions;
                self.publish(stats);
                if let Some(reason) = watchdog(stats) {
                    let reason = format!("{reason}; all paths of {} steps", self.bound);
                    return Round::Over(Found::Stopped { reason: reason + " were being explored" });
                }
            }
        }
        self.publish(stats);
        round.unwrap_or(Round::Over(Found::Nothing))
    }

    fn publish(&self, stats: &mut Stats) {
        stats.take(&Stats { frontier: self.pending.len() as u64, ..self.stats });
    }

    /// Notes that a state is so many moves away; whether it was known to be further, or not at all.
    fn reach(&mut self, state: StateId, depth: u32) -> bool {
        let index = state.0 as usize;
        if self.depths.len() <= index {
            self.depths.resize(self.engine.ids().max(index + 1), UNKNOWN);
        }
        let known = self.depths[index];
        self.stats.states += u64::from(known == UNKNOWN);
        self.depths[index] = known.min(depth);
        depth < known
    }

    fn enter(&mut self) -> Option<Round> {
        self.stats.depth = self.stats.depth.max(self.path.len() as u64);
        self.stats.expanded += 1;
        self.frames.push(self.pending.len());
        let expansion = self.engine.expand();
        let path = &self.path;
        let end = origins::end(expansion, |last| path.iter().copied().chain(last).collect());
        if end.is_none() {
            // The last is taken first, so that threads come in their order.
            self.pending.extend(self.engine.successors().iter().rev());
        }
        end
    }

    fn step(&mut self) -> Option<Round> {
        if self.pending.len() == *self.frames.last()? {
            self.frames.pop();
            if self.path.pop().is_some() {
                self.engine.back();
            }
            return None;
        }
        let Successor { choice, state, .. } = self.pending.pop()?;
        self.stats.transitions += 1;
        let depth = self.path.len() as u32 + 1;
        if self.bound < depth {
            let known = self.depths.get(state.0 as usize).is_some_and(|known| *known != UNKNOWN);
            if known {
                self.stats.revisits += 1;
            } else {
                self.stats.cut += 1;
            }
            return None;
        }
        if !self.reach(state, depth) {
            self.stats.revisits += 1;
            return None;
        }
        self.engine.forward(choice);
        self.path.push(choice);
        self.enter()
    }
}

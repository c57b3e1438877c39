//! Depth-first search that remembers fingerprints of states instead of states.
//!
//! The way down and up is that of [`super::dfs`]: by undoing, without any stored state. Whether a
//! state was visited, a set of fingerprints says that may be wrong, so nothing is proved, and runs
//! without end, which take the whole graph to judge, are not judged. Errors are real: they are at
//! the end of a path.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor, in_turn};
use super::origins;
use super::space::Space;
use crate::store::{Added, Visited};
use samovar_vm::machine::ThreadId;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where its successors begin that were not looked at yet.
    pending: usize,
    /// The move that led here.
    choice: Choice,
}

/// A depth-first search over a space that tells states by fingerprints.
pub struct LossyDepthFirst<'e, 'p, V> {
    space: &'e mut Space<'p>,
    visited: V,
    depth_max: u64,
    frames: Vec<Frame>,
    pending: Vec<(Choice, u64)>,
    stats: Stats,
}

impl<'e, 'p, V: Visited> LossyDepthFirst<'e, 'p, V> {
    /// A search that follows no path further than `depth_max` moves.
    pub fn new(space: &'e mut Space<'p>, visited: V, depth_max: u64) -> Self {
        let (frames, pending) = (Vec::new(), Vec::new());
        LossyDepthFirst { space, visited, depth_max, frames, pending, stats: Stats::default() }
    }

    /// What was visited.
    pub fn visited(&self) -> &V {
        &self.visited
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        self.visited.add(self.space.print());
        let mut round = self.enter(Choice { thread: ThreadId(0), alternative: 0 });
        while round.is_none() && !self.frames.is_empty() {
            round = self.step();
            if round.is_none() && self.stats.transitions.is_multiple_of(WATCH_EVERY) {
                self.publish(stats);
                if let Some(reason) = watchdog(stats) {
                    round = Some(Round::Over(Found::Stopped { reason }));
                }
            }
        }
        self.publish(stats);
        round.unwrap_or(Round::Over(Found::Nothing))
    }

    fn publish(&self, stats: &mut Stats) {
        let frontier = self.pending.len() as u64;
        stats.take(&Stats { frontier, expanded: self.stats.states, ..self.stats });
    }

    /// Looks at the next successor of the state on top, or leaves it.
    fn step(&mut self) -> Option<Round> {
        if self.pending.len() == self.frames.last()?.pending {
            self.frames.pop();
            self.space.on_stack(self.space.state(), false);
            self.space.back();
            return None;
        }
        let (choice, print) = self.pending.pop()?;
        self.stats.transitions += 1;
        if self.depth_max < self.frames.len() as u64 {
            self.stats.cut += 1;
            return None;
        }
        match self.visited.add(print) {
            Added::Old => {
                self.stats.revisits += 1;
                None
            }
            Added::Full => {
                let reason = "the table of fingerprints is as full as the memory limit lets it be";
                Some(Round::Over(Found::Stopped { reason: reason.to_string() }))
            }
            Added::New => {
                self.space.forward(choice);
                debug_assert_eq!(self.space.print(), print);
                self.enter(choice)
            }
        }
    }

    /// Makes the present state the top of the path.
    fn enter(&mut self, choice: Choice) -> Option<Round> {
        self.space.on_stack(self.space.state(), true);
        self.stats.states += 1;
        self.stats.depth = self.stats.depth.max(self.frames.len() as u64);
        self.frames.push(Frame { pending: self.pending.len(), choice });
        let expansion = self.space.expand();
        let frames = &self.frames;
        let end = origins::end(expansion, |last| {
            frames.iter().skip(1).map(|frame| frame.choice).chain(last).collect()
        });
        if end.is_none() {
            let successors = self.space.successors();
            let printed = |at| {
                let Successor { choice, state, .. } = successors[at];
                (choice, self.space.print_of(state))
            };
            // The last is taken first.
            self.pending.extend(in_turn(successors, choice.thread).rev().map(printed));
        }
        end
    }
}

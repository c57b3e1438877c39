//! Iterated search refinement: many depth-first passes that remember states in deliberately tiny
//! tables of bits, each time hashed in another way, with sizes that grow.
//!
//! A tiny table makes a pass skip states as if they were known, so that it is short and different
//! from the others, and reaches depths that a thorough search comes to late. An error that was
//! found bounds the depth of all further passes to one move less, so that trails get shorter and
//! shorter. A pass that skipped nothing and was not bounded has seen everything.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::origins;
use crate::run::random::Random;
use crate::state::StateId;

/// Bits of the first table, as a power of two.
const FIRST: u32 = 6;
/// Bits of the last one.
const LAST: u32 = 24;
/// Passes with tables of each size.
const PASSES: u64 = 3;

/// Passes from where an engine stands.
#[derive(Debug)]
pub struct Refine<'e, E> {
    engine: &'e mut E,
    random: Random,
    depth_max: u64,
    best: Option<Found>,
    stats: Stats,
    passes: u64,
}

/// What one pass has.
#[derive(Debug)]
struct Pass {
    salt: u64,
    mask: u64,
    table: Vec<u64>,
    /// What was really seen, one bit each.
    seen: Vec<u64>,
    path: Vec<Choice>,
    frames: Vec<usize>,
    pending: Vec<Successor>,
    /// States that were taken for others.
    skipped: u64,
    cut: u64,
}

impl<'e, E: Engine> Refine<'e, E> {
    /// Passes that follow no path further than `depth_max` moves.
    pub fn new(engine: &'e mut E, seed: u64, depth_max: u64) -> Refine<'e, E> {
        let random = Random::new(seed);
        let (best, stats) = (None, Stats::default());
        Refine { engine, random, depth_max, best, stats, passes: 0 }
    }

    /// Makes all passes; the shortest way to an error that any of them found.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        for size in FIRST..=LAST {
            for _ in 0..PASSES {
                self.engine.jump(start);
                let mut pass = Pass::new(size, self.random.next_bits());
                let end = pass.run(self, stats, watchdog);
                self.passes += 1;
                self.publish(stats, &pass);
                match end {
                    None if pass.skipped == 0 && pass.cut == 0 => {
                        return Round::Over(self.best.take().unwrap_or(Found::Nothing));
                    }
                    None => {}
                    Some(Round::Over(Found::Error { path, error })) => {
                        self.depth_max = (path.len() as u64).saturating_sub(1);
                        let is_last = path.is_empty();
                        self.best = Some(Found::Error { path, error });
                        if is_last {
                            return Round::Over(self.best.take().unwrap_or(Found::Nothing));
                        }
                    }
                    Some(Round::Over(Found::Stopped { reason })) => {
                        let reason = format!("{reason} after {} passes", self.passes);
                        let stopped = Found::Stopped { reason };
                        return Round::Over(self.best.take().unwrap_or(stopped));
                    }
                    Some(round) => return round,
                }
            }
        }
        let reason = format!("{} passes, up to 2^{LAST} bits each, found nothing", self.passes);
        Round::Over(self.best.take().unwrap_or(Found::Stopped { reason }))
    }

    fn publish(&self, stats: &mut Stats, pass: &Pass) {
        let states = self.engine.ids() as u64;
        stats.take(&Stats { states, frontier: pass.pending.len() as u64, ..self.stats });
    }
}

impl Pass {
    fn new(size: u32, salt: u64) -> Pass {
        Pass {
            salt: salt | 1,
            mask: (1 << size) - 1,
            table: vec![0; (1 << size) / 64],
            seen: Vec::new(),
            path: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            skipped: 0,
            cut: 0,
        }
    }

    /// Searches up to the first error; `None` if there was none.
    fn run<E: Engine>(
        &mut self,
        all: &mut Refine<'_, E>,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Option<Round> {
        self.enters(all.engine.state());
        let mut end = self.enter(all);
        let mut last_look = all.stats.transitions;
        while end.is_none() && !self.frames.is_empty() {
            end = self.step(all);
            if last_look + WATCH_EVERY <= all.stats.transitions {
                last_look = all.stats.transitions;
                all.publish(stats, self);
                if let Some(reason) = watchdog(stats) {
                    return Some(Round::Over(Found::Stopped { reason }));
                }
            }
        }
        end
    }

    /// Whether a state has two bits that are not both set yet; they are afterwards.
    fn enters(&mut self, state: StateId) -> bool {
        let hash = (u64::from(state.0) + 1).wrapping_mul(self.salt);
        let hash = (hash ^ hash >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut is_new = false;
        for place in [hash >> 32 & self.mask, hash & 0xffff_ffff & self.mask] {
            let word = &mut self.table[place as usize / 64];
            is_new |= *word & 1 << (place % 64) == 0;
            *word |= 1 << (place % 64);
        }
        let index = state.0 as usize / 64;
        if self.seen.len() <= index {
            self.seen.resize((index + 1).next_power_of_two(), 0);
        }
        let bit = 1 << (state.0 % 64);
        self.skipped += u64::from(!is_new && self.seen[index] & bit == 0);
        self.seen[index] |= bit;
        is_new
    }

    fn enter<E: Engine>(&mut self, all: &mut Refine<'_, E>) -> Option<Round> {
        all.stats.expanded += 1;
        all.stats.depth = all.stats.depth.max(self.path.len() as u64);
        self.frames.push(self.pending.len());
        let expansion = all.engine.expand();
        let path = &self.path;
        let end = origins::end(expansion, |last| path.iter().copied().chain(last).collect());
        match end {
            // The move that goes wrong may be one too many.
            Some(Round::Over(Found::Error { path, .. }))
                if all.depth_max < path.len() as u64 && all.best.is_some() =>
            {
                self.cut += 1;
                None
            }
            None => {
                let from = self.pending.len();
                self.pending.extend(all.engine.successors());
                // Another order each time: where it is begun depends on the pass.
                let count = self.pending.len() - from;
                if 0 < count {
                    self.pending[from..].rotate_left((self.salt % count as u64) as usize);
                }
                None
            }
            end => end,
        }
    }

    fn step<E: Engine>(&mut self, all: &mut Refine<'_, E>) -> Option<Round> {
        if self.pending.len() == *self.frames.last()? {
            self.frames.pop();
            if self.path.pop().is_some() {
                all.engine.back();
            }
            return None;
        }
        let Successor { choice, state, .. } = self.pending.pop()?;
        all.stats.transitions += 1;
        if all.depth_max <= self.path.len() as u64 {
            self.cut += 1;
            return None;
        }
        if !self.enters(state) {
            all.stats.revisits += 1;
            return None;
        }
        all.engine.forward(choice);
        self.path.push(choice);
        self.enter(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::graph::Graph;

    #[test]
    fn small_spaces_are_seen_whole_and_errors_are_found() {
        let (mut errors, mut proofs) = (0, 0);
        for seed in 0..300 {
            let mut graph = Graph::random(seed);
            let wrong = graph.nodes.iter().map(|node| node.wrong).collect::<Vec<_>>();
            let distances = graph.distances();
            let exists = (0..wrong.len()).any(|at| wrong[at] && distances[at].is_some());
            let round =
                Refine::new(&mut graph, seed, u64::MAX).run(&mut Stats::default(), &mut |_| None);
            match round {
                Round::Over(Found::Error { path, .. }) => {
                    let choices = path.iter().map(|choice| choice.thread.0 as usize);
                    let end = choices.fold(0, |at, thread| graph.nodes[at].next[thread]);
                    assert!(wrong[end], "seed {seed}");
                    errors += 1;
                }
                Round::Over(Found::Nothing) => {
                    assert!(!exists, "seed {seed}");
                    proofs += 1;
                }
                round => panic!("seed {seed}: {round:?}"),
            }
        }
        assert!(50 < errors && 50 < proofs, "{errors} errors, {proofs} proofs");
    }
}

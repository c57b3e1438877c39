//! Iterative-deepening A*: depth-first, with a bound on the moves made plus those expected, which
//! grows to the smallest number that was beyond it until nothing is cut off.
//!
//! Where the heuristic never says more than the moves that are left, the first error is one with
//! the fewest moves. A state that is reached by fewer moves than before is taken up again. Runs
//! without end are not judged here.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::heuristic::Heuristic;
use super::origins;
use super::view::{PathFacts, View};
use crate::state::StateId;

/// A state that was not reached yet.
const UNKNOWN: u32 = u32::MAX;

/// A successor, with what is known of the path to it and how far it seems to be.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    choice: Choice,
    state: StateId,
    facts: PathFacts,
    /// Moves to it, and those expected.
    total: i64,
}

/// One depth-first pass from where an engine stands, with a bound.
#[derive(Debug)]
pub struct IdaStar<'e, E, H> {
    engine: &'e mut E,
    heuristic: H,
    bound: i64,
    /// The smallest number beyond the bound.
    beyond: Option<i64>,
    depth_max: u64,
    path: Vec<Choice>,
    /// By level: where its successors begin that were not looked at yet.
    frames: Vec<usize>,
    pending: Vec<Ahead>,
    /// By state: fewest moves to it so far.
    depths: Vec<u32>,
    stats: Stats,
}

impl<'e, E: Engine, H: Heuristic> IdaStar<'e, E, H> {
    /// A pass that follows no path beyond `bound`, nor further than `depth_max` moves.
    pub fn new(engine: &'e mut E, heuristic: H, bound: i64, depth_max: u64) -> Self {
        IdaStar {
            engine,
            heuristic,
            bound,
            beyond: None,
            depth_max,
            path: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            depths: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The bound for the next pass, if this one has cut something off because of its own.
    pub fn beyond(&self) -> Option<i64> {
        self.beyond
    }

    /// Searches up to the bound, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        self.reach(start, 0);
        let mut round = self.enter(PathFacts::default());
        let mut last_look = 0;
        while round.is_none() && !self.frames.is_empty() {
            round = self.step();
            if round.is_none() && last_look + WATCH_EVERY <= self.stats.transitions {
                last_look = self.stats.transitions;
                self.publish(stats);
                if let Some(reason) = watchdog(stats) {
                    return Round::Over(Found::Stopped { reason });
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

    fn enter(&mut self, facts: PathFacts) -> Option<Round> {
        self.stats.depth = self.stats.depth.max(self.path.len() as u64);
        self.stats.expanded += 1;
        self.frames.push(self.pending.len());
        let expansion = self.engine.expand();
        let path = &self.path;
        let end = origins::end(expansion, |last| path.iter().copied().chain(last).collect());
        if end.is_some() {
            return end;
        }
        let from = self.pending.len();
        for at in 0..self.engine.successors().len() {
            let Successor { choice, state, .. } = self.engine.successors()[at];
            let (mut value, heuristic) = (0, &mut self.heuristic);
            let with_process = heuristic.needs_process();
            let look = &mut |view: &View<'_>| value = heuristic.value(view);
            let facts = self.engine.look(choice, facts, with_process, look);
            let total = value.saturating_add(facts.moves.into());
            self.pending.push(Ahead { choice, state, facts, total });
        }
        // The last is taken first: the most promising one, else in the order of threads.
        self.pending[from..].reverse();
        self.pending[from..].sort_by_key(|ahead| std::cmp::Reverse(ahead.total));
        self.engine.has_grown().then_some(Round::Anew)
    }

    fn step(&mut self) -> Option<Round> {
        if self.pending.len() == *self.frames.last()? {
            self.frames.pop();
            if self.path.pop().is_some() {
                self.engine.back();
            }
            return None;
        }
        let Ahead { choice, state, facts, total } = self.pending.pop()?;
        self.stats.transitions += 1;
        if self.depth_max < facts.moves.into() {
            self.stats.cut += 1;
            return None;
        }
        if self.bound < total {
            self.beyond = Some(self.beyond.map_or(total, |least| least.min(total)));
            return None;
        }
        if !self.reach(state, facts.moves) {
            self.stats.revisits += 1;
            return None;
        }
        self.engine.forward(choice);
        self.path.push(choice);
        self.enter(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::graph::Graph;

    #[derive(Debug)]
    struct Zero;

    impl Heuristic for Zero {
        fn value(&mut self, _: &View<'_>) -> i64 {
            0
        }
    }

    /// The length of the path to the first error.
    fn first(graph: &mut Graph) -> Option<usize> {
        let mut bound = 0;
        loop {
            graph.jump(StateId(0));
            let mut pass = IdaStar::new(graph, Zero, bound, u64::MAX);
            let round = pass.run(&mut Stats::default(), &mut |_| None);
            match (round, pass.beyond()) {
                (Round::Over(Found::Error { path, .. }), _) => return Some(path.len()),
                (_, Some(next)) => bound = next,
                (_, None) => return None,
            }
        }
    }

    #[test]
    fn the_first_error_is_a_nearest_one() {
        for seed in 0..1000 {
            let mut graph = Graph::random(seed);
            let wrong = graph.nodes.iter().map(|node| node.wrong);
            let distances = graph.distances();
            let nearest = distances.iter().zip(wrong).filter(|(_, wrong)| *wrong);
            let nearest = nearest.filter_map(|(distance, _)| *distance).min();
            assert_eq!(first(&mut graph), nearest, "seed {seed}");
        }
    }
}

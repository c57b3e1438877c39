//! Random walks from the start: cheap, and surprisingly good at finding common errors.
//!
//! Nothing is remembered between walks but the states that were seen, for counting them. The same
//! seed makes the same walks. A walk proves nothing.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, Watchdog};
use super::engine::Engine;
use super::origins;
use crate::run::random::Random;

/// How many walks, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    /// Walks.
    pub count: u64,
    /// Moves of one walk at most.
    pub moves_max: u64,
    /// Decides the walks.
    pub seed: u64,
}

/// Walks from where an engine stands, up to the first error. `stats` is kept up to date.
pub fn run<E: Engine>(
    engine: &mut E,
    walks: Walks,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    let mut random = Random::new(walks.seed);
    let start = engine.state();
    let mut own = Stats::default();
    for number in 0..walks.count {
        engine.jump(start);
        let round = walk(engine, walks.moves_max, &mut random, &mut own);
        own.states = engine.ids() as u64;
        stats.take(&own);
        if let Some(round) = round {
            return round;
        }
        if let Some(reason) = watchdog(stats) {
            let reason = format!("{reason} after {} random walks", number + 1);
            return Round::Over(Found::Stopped { reason });
        }
    }
    let reason = format!(
        "{} random walks of at most {} steps met nothing wrong; {} states were seen",
        walks.count, own.depth, own.states
    );
    Round::Over(Found::Stopped { reason })
}

fn walk<E: Engine>(
    engine: &mut E,
    moves_max: u64,
    random: &mut Random,
    stats: &mut Stats,
) -> Option<Round> {
    let mut path: Vec<Choice> = Vec::new();
    loop {
        stats.expanded += 1;
        let expansion = engine.expand();
        let end = origins::end(expansion, |last| path.iter().copied().chain(last).collect());
        let count = engine.successors().len() as u64;
        if end.is_some() || count == 0 || moves_max <= path.len() as u64 {
            return end;
        }
        let choice = engine.successors()[random.below(count) as usize].choice;
        stats.transitions += 1;
        engine.forward(choice);
        path.push(choice);
        stats.depth = stats.depth.max(path.len() as u64);
    }
}

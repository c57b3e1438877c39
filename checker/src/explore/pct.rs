//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010): random
//! walks with a bound on the probability of missing an error.
//!
//! Every thread gets a random priority, and the first that can move does; at `d - 1` random moves
//! the thread that would move falls behind all others. An error that needs `d` orderings between
//! moves is found by one walk with a probability of at least `1 / (n k^(d - 1))`, for `n` threads
//! and `k` moves. This needs all moves of every state: none may be left out.
//!
//! `k` is not known before: it is the length of the longest walk so far, and only walks that turn
//! out no longer count for the bound. The passing of time is a thread of its own.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, Watchdog};
use super::engine::Engine;
use super::origins;
use super::random_walk::Walks;
use crate::run::random::Random;
use samovar_vm::machine::ThreadId;

/// Walks from where an engine stands.
#[derive(Debug)]
pub struct Pct<'e, E> {
    engine: &'e mut E,
    walks: Walks,
    /// How many orderings an error needs that is to be found.
    orderings: u32,
    random: Random,
    /// By thread; the largest goes first.
    priorities: Vec<u64>,
    /// Most threads in a walk.
    threads: u64,
    /// Most moves in a walk.
    moves: u64,
    /// Walks that the bound holds for.
    counted: u64,
    /// Some move left a value open: which one was taken is not part of the bound.
    met_choice: bool,
    stats: Stats,
}

impl<'e, E: Engine> Pct<'e, E> {
    /// These walks, for errors that need so many orderings.
    pub fn new(engine: &'e mut E, walks: Walks, orderings: u32) -> Pct<'e, E> {
        Pct {
            engine,
            walks,
            orderings,
            random: Random::new(walks.seed),
            priorities: Vec::new(),
            threads: 1,
            moves: 1,
            counted: 0,
            met_choice: false,
            stats: Stats::default(),
        }
    }

    /// Walks up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        for number in 0..self.walks.count {
            self.engine.jump(start);
            let expected = self.moves;
            let round = self.walk();
            // Whoever changes priorities later than any walk is long changes nothing.
            if expected < self.moves {
                self.counted = 0;
            } else {
                self.counted += 1;
            }
            self.stats.states = self.engine.ids() as u64;
            stats.take(&self.stats);
            if let Some(round) = round {
                return round;
            }
            if let Some(reason) = watchdog(stats) {
                let reason = format!("{reason}; {}", self.covered(number + 1));
                return Round::Over(Found::Stopped { reason });
            }
        }
        let reason = self.covered(self.walks.count);
        Round::Over(Found::Stopped { reason })
    }

    /// What walks that found nothing tell.
    fn covered(&self, walks: u64) -> String {
        let once =
            1.0 / (self.threads as f64 * (self.moves as f64).powi(self.orderings as i32 - 1));
        let missed = (1.0 - once).powf(self.counted as f64);
        let but = if self.met_choice { " for one choice of values" } else { "" };
        format!(
            "{walks} random walks found nothing; with {} threads and {} steps, an error that needs \
             {} orderings is found by one with a probability of at least {once:.2e}{but}, and \
             missed by all with one of at most {missed:.3}",
            self.threads, self.moves, self.orderings
        )
    }

    fn walk(&mut self) -> Option<Round> {
        let mut changes: Vec<u64> =
            (1..self.orderings).map(|_| 1 + self.random.below(self.moves)).collect();
        changes.sort_unstable();
        self.priorities.clear();
        let mut path: Vec<Choice> = Vec::new();
        loop {
            self.stats.expanded += 1;
            let expansion = self.engine.expand();
            let end = origins::end(expansion, |last| path.iter().copied().chain(last).collect());
            let moves = path.len() as u64;
            if end.is_some() || self.walks.moves_max <= moves {
                return end;
            }
            let mut thread = self.first();
            for (number, _) in changes.iter().enumerate().filter(|(_, at)| **at == moves + 1) {
                // Initial priorities are larger than all of these.
                let index = thread.map(|thread| thread.0 as usize);
                if let Some(priority) = index.and_then(|index| self.priorities.get_mut(index)) {
                    *priority = (changes.len() - number) as u64;
                }
                thread = self.first();
            }
            let choice = self.alternative(thread?)?;
            self.stats.transitions += 1;
            self.engine.forward(choice);
            path.push(choice);
            self.moves = self.moves.max(moves + 1);
            self.stats.depth = self.moves;
        }
    }

    /// The thread with the largest priority of those that can move; also time is one.
    fn first(&mut self) -> Option<ThreadId> {
        let count = self.engine.thread_count();
        let time = self.engine.successors().iter().any(|one| one.choice.thread.0 == count);
        while self.priorities.len() < count as usize + usize::from(time) {
            let priority = self.random.next_bits() | 1 << 63;
            self.priorities.push(priority);
        }
        self.threads = self.threads.max(self.priorities.len() as u64);
        let engine = &self.engine;
        let can_move = |thread: &ThreadId| engine.can_move(*thread) || (time && thread.0 == count);
        let threads = (0..=count).map(ThreadId).filter(can_move);
        threads.max_by_key(|thread| self.priorities[thread.0 as usize])
    }

    /// A random alternative of a thread's move; none if the move ends the program.
    fn alternative(&mut self, thread: ThreadId) -> Option<Choice> {
        let all = self.engine.successors().iter().map(|one| one.choice);
        let all: Vec<Choice> = all.filter(|choice| choice.thread == thread).collect();
        self.met_choice |= 1 < all.len();
        match all.len() as u64 {
            0 => None,
            count => Some(all[self.random.below(count) as usize]),
        }
    }
}

//! A random schedule that changes its mood.
//!
//! Errors hide where threads are at particular places at the same time. Uniformly random switching
//! rarely brings them there, because a thread is often done before the next one is created. So a
//! mood has an order of threads and turns of a certain magnitude, and after a while all that is
//! drawn anew. No thread waits for ever: no mood lasts longer than some ten thousand instructions.

use super::random::Random;
use super::schedule::Turn;
use samovar_vm::machine::ThreadId;

/// Shortest and longest mood, and longest turn, as powers of two.
const MOOD_LOG2: (u64, u64) = (8, 16);
const TURN_LOG2_MAX: u64 = 12;

/// See the module head.
#[derive(Clone, Debug)]
pub struct Moods {
    random: Random,
    /// Instructions until the mood changes.
    left: u64,
    /// Longest turn, as a power of two.
    turn_log2: u64,
    order: Order,
    /// Equals take turns of the same length one after the other, as if in step; otherwise chance
    /// decides who is next and for how long.
    in_step: bool,
    last: ThreadId,
}

/// Who comes first.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// All are equal.
    Equal,
    /// Every thread has a rank, by chance.
    Ranked { salt: u64 },
    /// Threads from this one on run only if no older one can.
    NewcomersLast { first: ThreadId },
}

impl Order {
    /// Threads with the lowest rank run.
    fn rank(self, thread: ThreadId) -> u64 {
        match self {
            Order::Equal => 0,
            Order::Ranked { salt } => Random::new(salt ^ u64::from(thread.0)).next_bits(),
            Order::NewcomersLast { first } => u64::from(first <= thread),
        }
    }
}

impl Moods {
    /// Moods drawn from this sequence.
    pub fn new(random: Random) -> Moods {
        Moods {
            random,
            left: 0,
            turn_log2: 0,
            order: Order::Equal,
            in_step: false,
            last: ThreadId(0),
        }
    }

    fn change(&mut self, newest: ThreadId) {
        let (shortest, longest) = MOOD_LOG2;
        self.left = 1 << (shortest + self.random.below(longest - shortest + 1));
        // The smaller of two: short turns find more.
        let draws = [0; 2].map(|_| self.random.below(TURN_LOG2_MAX + 1));
        self.turn_log2 = draws[0].min(draws[1]);
        self.order = match self.random.below(3) {
            0 => Order::Equal,
            1 => Order::Ranked { salt: self.random.next_bits() },
            _ => Order::NewcomersLast { first: ThreadId(newest.0 + 1) },
        };
        self.in_step = self.random.below(2) == 0;
    }

    /// Picks one of the threads that can run, given in ascending order; there must be one.
    pub fn next_turn(&mut self, runnable: &[ThreadId]) -> Turn {
        if self.left == 0 {
            self.change(runnable[runnable.len() - 1]);
        }
        let order = self.order;
        let ranks = runnable.iter().map(|&thread| order.rank(thread));
        let best = ranks.min().unwrap_or(0);
        let equals = || runnable.iter().filter(|&&thread| order.rank(thread) == best);
        let chosen = match self.in_step {
            true => equals().find(|&&thread| self.last < thread).or_else(|| equals().next()),
            false => equals().nth(self.random.below(equals().count() as u64) as usize),
        };
        self.last = *chosen.unwrap_or(&runnable[0]);
        let budget = match runnable.len() {
            // Without a rival there is nothing to interrupt, but there may be one any moment.
            1 => 1 + self.random.below(1 << TURN_LOG2_MAX),
            _ if self.in_step => 1 << self.turn_log2,
            _ => 1 + self.random.below(1 << self.turn_log2),
        };
        self.left = self.left.saturating_sub(budget);
        Turn { thread: self.last, budget }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: [ThreadId; 3] = [ThreadId(0), ThreadId(2), ThreadId(5)];

    /// The first turns of many schedules; a single one may dwell in a mood for long.
    fn many_turns() -> Vec<[Turn; 3]> {
        let schedules = (0..100).map(|seed| Moods::new(Random::new(seed)));
        let turns = schedules.flat_map(|mut moods| {
            (0..300).map(move |_| [0; 3].map(|_| moods.next_turn(&THREE))).collect::<Vec<_>>()
        });
        turns.collect()
    }

    #[test]
    fn all_threads_and_magnitudes_get_their_turn() {
        let turns = many_turns().concat();
        for thread in THREE {
            assert!(turns.iter().filter(|turn| turn.thread == thread).count() > 10_000);
        }
        assert!(turns.iter().any(|turn| turn.budget == 1));
        assert!(turns.iter().any(|turn| 3_000 < turn.budget));
        assert!(turns.iter().all(|turn| 1 <= turn.budget && turn.budget <= 1 << TURN_LOG2_MAX));
    }

    #[test]
    fn moods_differ() {
        let in_step = |turns: &&[Turn; 3]| {
            let mut threads = turns.map(|turn| turn.thread);
            threads.sort();
            // Budgets above one are equal by design, hardly ever by chance.
            threads == THREE && turns.iter().all(|t| 1 < t.budget && t.budget == turns[0].budget)
        };
        let favours = |turns: &&[Turn; 3]| turns.iter().all(|t| t.thread == turns[0].thread);
        let turns = many_turns();
        assert!(1_000 < turns.iter().filter(in_step).count());
        assert!(1_000 < turns.iter().filter(favours).count());
    }

    #[test]
    fn newcomers_wait() {
        let order = Order::NewcomersLast { first: ThreadId(2) };
        assert!(order.rank(ThreadId(1)) < order.rank(ThreadId(2)));
        assert_eq!(order.rank(ThreadId(2)), order.rank(ThreadId(3)));
    }

    #[test]
    fn a_lone_thread_always_runs() {
        let mut moods = Moods::new(Random::new(1));
        assert!((0..1_000).all(|_| moods.next_turn(&[ThreadId(9)]).thread == ThreadId(9)));
    }
}

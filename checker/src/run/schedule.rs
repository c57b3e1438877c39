//! Which thread runs next, and for how long: the policies of `samovar run`.
//!
//! A policy sees nothing but the threads that can run, in ascending order, so a schedule is a
//! function of the program, its input and the seed.

use super::moods::Moods;
use super::random::Random;
use samovar_vm::machine::ThreadId;

/// Instructions in one turn when threads take turns.
const TURN: u64 = 20_000;
/// Instructions in one turn of a thread that has no rival.
const TURN_ALONE: u64 = 5_000_000;

/// A policy and its state.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Threads take turns, in the order of their creation.
    RoundRobin {
        /// The thread whose turn it was.
        last: ThreadId,
    },
    /// Random threads for random times.
    Random(Moods),
}

/// What a policy decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The thread to run.
    pub thread: ThreadId,
    /// For at most so many instructions.
    pub budget: u64,
}

impl Schedule {
    /// Random with a seed, round-robin without.
    pub fn new(seed: Option<u64>) -> Schedule {
        match seed {
            Some(seed) => Schedule::Random(Moods::new(Random::new(seed))),
            None => Schedule::RoundRobin { last: ThreadId(0) },
        }
    }

    /// Picks one of the threads that can run, given in ascending order. `None` if there is none.
    pub fn next_turn(&mut self, runnable: &[ThreadId]) -> Option<Turn> {
        debug_assert!(runnable.is_sorted());
        let &first = runnable.first()?;
        match self {
            Schedule::RoundRobin { last } => {
                let after = runnable.iter().find(|&&thread| *last < thread);
                *last = *after.unwrap_or(&first);
                let budget = if runnable.len() == 1 { TURN_ALONE } else { TURN };
                Some(Turn { thread: *last, budget })
            }
            Schedule::Random(moods) => Some(moods.next_turn(runnable)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: [ThreadId; 3] = [ThreadId(0), ThreadId(2), ThreadId(5)];

    #[test]
    fn turns_go_round() {
        let mut schedule = Schedule::new(None);
        let order: Vec<u32> =
            (0..6).map(|_| schedule.next_turn(&THREE).unwrap().thread.0).collect();
        assert_eq!(order, [2, 5, 0, 2, 5, 0]);
        assert_eq!(schedule.next_turn(&[]), None);
        // The thread whose turn it was is gone: the next one in order follows.
        schedule.next_turn(&THREE);
        assert_eq!(schedule.next_turn(&[ThreadId(0), ThreadId(5)]).unwrap().thread, ThreadId(5));
    }

    #[test]
    fn a_seed_decides_everything() {
        let sequence = |seed| -> Vec<Turn> {
            let mut schedule = Schedule::new(Some(seed));
            (0..300).map(|_| schedule.next_turn(&THREE).unwrap()).collect()
        };
        assert_eq!(sequence(7), sequence(7));
        assert_ne!(sequence(7), sequence(8));
    }
}

//! The fewest switches between threads that lead to an error.
//!
//! Depth-first searches with a bound on switches: none at first, then one, two and so on. What one
//! search has seen of a state is remembered with the thread that moved last and the switches spent,
//! so no situation is searched twice with less to spend. The work is bounded by a number of moves;
//! within it, the first error found has the fewest switches there can be.

use super::shorten::switches;
use super::walk::{self, Arrival};
use crate::explore::choice::Choice;
use crate::explore::moves::Ending;
use crate::explore::moves::Sight;
use crate::state::{StateId, StateVector, VectorMark};
use ahash::{AHashMap, RandomState};
use samovar_runtime::{Process, ProcessMark};
use samovar_vm::machine::ThreadId;

/// Moves that may be executed.
const MOVES_MAX: usize = 100_000;

/// A path to the same error with fewer switches than `path`; `None` if there is none, or none was
/// found in the time. The process stands at `start` and is left there.
pub fn fewest_switches(
    process: &mut Process,
    start: &ProcessMark,
    sight: &Sight,
    path: &[Choice],
    goal: &Arrival,
) -> Option<Vec<Choice>> {
    let mut moves_left = MOVES_MAX;
    for bound in 0..switches(path) {
        let vector = StateVector::new(process);
        let mut search = Bounded {
            process,
            sight,
            goal,
            bound,
            vector,
            seen: AHashMap::with_hasher(RandomState::with_seeds(71, 72, 73, 74)),
            frames: Vec::new(),
            path: Vec::new(),
            moves_left,
        };
        let found = search.run();
        moves_left = search.moves_left;
        process.undo_to(start);
        if found.is_some() || moves_left == 0 {
            return found;
        }
    }
    None
}

/// A state on the path.
struct Frame {
    process: ProcessMark,
    vector: VectorMark,
    last: Option<ThreadId>,
    switches: usize,
    /// Threads to try, the next one last.
    threads: Vec<ThreadId>,
}

struct Bounded<'a> {
    process: &'a mut Process,
    sight: &'a Sight,
    goal: &'a Arrival,
    bound: usize,
    vector: StateVector,
    seen: AHashMap<(ThreadId, StateId), usize>,
    frames: Vec<Frame>,
    path: Vec<Choice>,
    moves_left: usize,
}

impl Bounded<'_> {
    fn run(&mut self) -> Option<Vec<Choice>> {
        self.enter(None, 0);
        while let Some(frame) = self.frames.last_mut() {
            let Some(thread) = frame.threads.pop() else {
                self.leave();
                continue;
            };
            let is_switch = frame.last.is_some_and(|last| last != thread);
            let switches = frame.switches + usize::from(is_switch);
            if self.bound < switches {
                continue;
            }
            if self.moves_left == 0 {
                return None;
            }
            self.moves_left -= 1;
            if self.step(thread, switches) {
                return Some(std::mem::take(&mut self.path));
            }
        }
        None
    }

    /// Makes a move and goes where it leads, if that is new; true if it leads to the error. Only
    /// first alternatives are tried.
    fn step(&mut self, thread: ThreadId, switches: usize) -> bool {
        let choice = Choice { thread, alternative: 0 };
        let depth = self.frames.len() - 1;
        let ending = walk::make(self.process, self.sight, choice);
        match ending {
            None | Some(Ending::Blocked) => self.undo(depth),
            Some(Ending::Done) => {
                let mark = self.frames[depth].process.machine();
                let key = (thread, self.vector.update(self.process, mark));
                let spent = self.seen.entry(key).or_insert(usize::MAX);
                if *spent <= switches {
                    self.undo(depth);
                    return false;
                }
                *spent = switches;
                self.path.push(choice);
                if *self.goal == Arrival::Deadlock && walk::is_deadlock(self.process, self.sight) {
                    return true;
                }
                self.enter(Some(thread), switches);
            }
            Some(ending) => {
                let arrival = Arrival::Ended { steps: self.path.len() + 1, thread, ending };
                if arrival.is_same_error(self.goal) {
                    self.path.push(choice);
                    return true;
                }
                self.undo(depth);
            }
        }
        false
    }

    fn enter(&mut self, last: Option<ThreadId>, switches: usize) {
        let mut threads: Vec<ThreadId> = walk::movers(self.process).collect();
        threads.reverse();
        // The thread that moved last goes on first.
        threads.sort_by_key(|thread| Some(*thread) == last);
        let (process, vector) = (self.process.mark(), self.vector.mark());
        self.frames.push(Frame { process, vector, last, switches, threads });
    }

    fn leave(&mut self) {
        self.frames.pop();
        self.path.pop();
        if let Some(depth) = self.frames.len().checked_sub(1) {
            self.undo(depth);
        }
    }

    fn undo(&mut self, depth: usize) {
        let frame = &self.frames[depth];
        self.process.undo_to(&frame.process);
        self.vector.undo_to(frame.vector);
    }
}

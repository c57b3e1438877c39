//! Depth-first search over legs that go in step.
//!
//! States are recognised by the first leg. A move is made in all legs whenever it is looked at, and
//! taken back if it leads to nothing new. Where not everything can be tried, half of what can be
//! goes to a search that prefers the first threads and half to one that prefers the last.

use super::Coverage;
use super::legs::{Differs, Legs};
use crate::explore::choice::Choice;
use crate::explore::moves::{Ending, Sight};
use crate::run::limit::Limit;
use crate::state::{StateId, StateVector, VectorMark};
use ahash::{AHashSet, RandomState};
use samovar_runtime::{Process, ProcessMark, ThreadState};
use samovar_vm::machine::ThreadId;

/// Moves between two looks at the clock.
const LOOK_EVERY: u64 = 64;

/// A state on the path.
struct Level {
    marks: Vec<ProcessMark>,
    vector: VectorMark,
    /// Moves that were not made yet, the last comes next; and the number of alternatives of each,
    /// as far as that is known.
    pending: Vec<(Choice, u32)>,
    /// The move that led to the next level.
    made: Option<Choice>,
}

/// Makes moves, up to `budget` of them, until all states were seen. The legs stand at the start
/// again afterwards; an error comes with the path to it.
pub fn search(
    legs: &mut Legs,
    sight: &Sight,
    budget: u64,
    limit: &Limit,
) -> Result<Coverage, (Differs, Vec<Choice>)> {
    let mut moves = 0;
    for first_comes_first in [true, false] {
        let mut descent = Descent::new(legs, sight, first_comes_first);
        let result = descent.run(budget / 2, limit);
        let start = descent.levels.swap_remove(0);
        moves += descent.moves;
        let gives_up = descent.gives_up;
        legs.undo_to(&start.marks);
        if result? {
            return Ok(Coverage { moves, whole: true });
        }
        if gives_up {
            break;
        }
    }
    Ok(Coverage { moves, whole: false })
}

/// Makes the moves of a path; whether the legs differ in the last. They stay where that leads.
pub fn follow(legs: &mut Legs, sight: &Sight, path: &[Choice]) -> bool {
    for (at, &choice) in path.iter().enumerate() {
        let marks = legs.mark();
        match legs.make(&marks, choice, sight) {
            Ok(made) if made.ending == Ending::Done => {}
            Ok(_) => return false,
            Err(_) => return at + 1 == path.len(),
        }
    }
    false
}

struct Descent<'a> {
    legs: &'a mut Legs,
    sight: &'a Sight,
    vector: StateVector,
    seen: AHashSet<StateId>,
    levels: Vec<Level>,
    first_comes_first: bool,
    moves: u64,
    /// A move did not come to an end, and takes as long every time.
    gives_up: bool,
}

impl<'a> Descent<'a> {
    fn new(legs: &'a mut Legs, sight: &'a Sight, first_comes_first: bool) -> Descent<'a> {
        let vector = StateVector::new(&legs.processes[0]);
        let mut seen = AHashSet::with_hasher(RandomState::with_seeds(71, 72, 73, 74));
        seen.insert(vector.state());
        let levels = Vec::new();
        let mut descent = Descent {
            legs,
            sight,
            vector,
            seen,
            levels,
            first_comes_first,
            moves: 0,
            gives_up: false,
        };
        descent.enter();
        descent
    }

    /// Whether all states were seen.
    fn run(&mut self, budget: u64, limit: &Limit) -> Result<bool, (Differs, Vec<Choice>)> {
        loop {
            let top = self.levels.last_mut().expect("the start stays");
            let Some((choice, alternatives)) = top.pending.pop() else {
                if self.levels.len() == 1 {
                    return Ok(true);
                }
                self.levels.pop();
                self.back();
                continue;
            };
            let is_late = self.moves.is_multiple_of(LOOK_EVERY) && limit.is_over();
            if self.gives_up || self.moves == budget || is_late {
                return Ok(false);
            }
            self.moves += 1;
            if let Err(differs) = self.make(choice, alternatives) {
                let made = self.levels.iter().filter_map(|level| level.made);
                return Err((differs, made.chain([choice]).collect()));
            }
        }
    }

    /// Makes a move of the state on top, and stays where it leads if that is new.
    fn make(&mut self, choice: Choice, alternatives: u32) -> Result<(), Differs> {
        let top = self.levels.last_mut().expect("the start stays");
        let made = self.legs.make(&top.marks, choice, self.sight)?;
        self.gives_up |= matches!(made.ending, Ending::Diverges | Ending::Cut(_));
        let (next, alternatives) = (choice.alternative + 1, made.alternatives.max(alternatives));
        if next < alternatives {
            // One after the other: there may be millions.
            top.pending.push((Choice { alternative: next, ..choice }, alternatives));
        }
        if made.ending == Ending::Done {
            let mark = top.marks[0].machine();
            let state = self.vector.update(&self.legs.processes[0], mark);
            if self.seen.insert(state) {
                top.made = Some(choice);
                self.enter();
                return Ok(());
            }
        }
        self.back();
        Ok(())
    }

    /// Puts the state where the legs stand on top.
    fn enter(&mut self) {
        let marks = self.legs.mark();
        let pending = choices(&self.legs.processes[0], self.first_comes_first);
        self.levels.push(Level { marks, vector: self.vector.mark(), pending, made: None });
    }

    /// Goes back to the state on top.
    fn back(&mut self) {
        let top = self.levels.last_mut().expect("the start stays");
        top.made = None;
        self.legs.undo_to(&top.marks);
        self.vector.undo_to(top.vector);
    }
}

/// The moves of a state and one alternative for each, the preferred one last; further alternatives
/// show when one is made.
fn choices(process: &Process, first_comes_first: bool) -> Vec<(Choice, u32)> {
    let is_runnable =
        |thread: &u32| process.threads()[*thread as usize].state == ThreadState::Runnable;
    let count = process.machine.thread_count();
    let time = process.next_deadline().map(|_| count);
    let movers = (0..count).filter(is_runnable).chain(time);
    let choice = |thread| (Choice { thread: ThreadId(thread), alternative: 0 }, 1);
    let mut choices: Vec<(Choice, u32)> = movers.map(choice).collect();
    if first_comes_first {
        choices.reverse();
    }
    choices
}

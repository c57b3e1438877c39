//! The point of no return of a trail: the step up to which its error could still be avoided, and
//! what would have avoided it.
//!
//! From the end of the trail backwards, each state is asked whether a run from there goes well (see
//! [`avoid`]); errors of every kind that was asked for count, not just the one that was found. The
//! last state that says yes stands before the point of no return. The answer is exact if all later
//! states were found doomed; if that takes too many moves it is marked as approximate: the error
//! could be avoided up to there, perhaps longer.
//!
//! Threads are switched where the search switched them. If the search has not learned yet of all
//! places that matter, the question is put anew with those found on the way.

use super::judge;
use super::kind::ErrorKind;
use super::race;
use crate::explore::avoid::{Avoidance, Fate, Look};
use crate::explore::choice::{Choice, Wrong};
use crate::explore::engine::{Engine, Expansion};
use crate::explore::moves::{Ending, Sight};
use crate::explore::space::Space;
use crate::formula::Properties;
use crate::run::limit::Limit;
use crate::state::StateId;
use crate::trail::{Location, Names, Step, describe, walk};
use samovar_runtime::Process;
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// Moves that may be executed to find out.
const MOVES_MAX: u64 = 100_000;
/// Instructions that may be.
const INSTRUCTIONS_MAX: u64 = 100_000_000;
/// So many threads make a move cost as much again.
const MANY_THREADS: u64 = 32;
/// One part of so many of that is for each further state when the states behind it were too much.
const PART: u64 = 10;

/// See the module head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoReturn {
    /// The step that makes the error inevitable; `None` if it was so from the start.
    pub step: Option<usize>,
    /// Whether it is known that the error could not be avoided later.
    pub exact: bool,
    /// What could have been done instead of that step.
    pub alternative: Option<Alternative>,
}

/// A step that would have avoided an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// Who would have moved.
    pub thread: String,
    /// Where.
    pub location: Location,
    /// What it would have done.
    pub operation: String,
}

impl NoReturn {
    /// In a sentence.
    pub fn sentence(&self, steps: &[Step]) -> String {
        let Some((number, step)) =
            self.step.and_then(|number| Some((number, steps.get(number.checked_sub(1)?)?)))
        else {
            return "none, because no run ends well, however threads are switched".to_string();
        };
        let place = |location: &Location| match location.short() {
            Some(short) => format!(" ({short})"),
            None => String::new(),
        };
        let hedge = if self.exact { "" } else { " or a later one (not all runs were looked at)" };
        let mut text = format!("step {number}{hedge}, {}{}", step.thread, place(&step.location));
        if let Some(Alternative { thread, location, operation }) = &self.alternative {
            let who = match *thread == step.thread {
                true => format!("{thread} does otherwise"),
                false => format!("{thread} goes first"),
            };
            let what = if operation.is_empty() { "" } else { ": it " };
            text += &format!("; before it, a run can still go well, if {who}");
            text += &format!("{what}{operation}{}", place(location));
        }
        text
    }
}

/// What is asked of a trail.
#[derive(Debug)]
pub struct Question<'a> {
    /// The moves.
    pub path: &'a [Choice],
    /// What they lead to.
    pub error: &'a Wrong,
    /// How the search saw things.
    pub sight: &'a Sight,
    /// Kinds of errors that count.
    pub asked: &'a [ErrorKind],
    /// What must hold.
    pub properties: &'a Properties,
    /// When to give up.
    pub limit: &'a Limit,
}

/// Finds the point of no return of a trail from where the process stands, and is left. Earlier
/// marks are void then. `None` if nothing was found out.
pub fn find(process: &mut Process, names: &mut Names, question: &Question<'_>) -> Option<NoReturn> {
    if *question.error == Wrong::Move(Ending::Diverges) || question.path.is_empty() {
        return None;
    }
    let (found, sight) = search(process, names, question);
    let (at, exact, choice) = found?;
    let start = process.mark();
    let alternative = choice.and_then(|choice| {
        walk::follow(process, question.sight, &question.path[..at]);
        let told = describe::tell(process, &sight, &[choice], names).steps.pop();
        told.map(|Step { thread, location, operation, .. }| Alternative {
            thread,
            location,
            operation,
        })
    });
    process.undo_to(&start);
    Some(NoReturn { step: choice.map(|_| at + 1), exact, alternative })
}

/// The state before the point of no return by number of the moves to it, whether that is exact, and
/// the move that avoids the error; no move if it could never be avoided.
type Point = (usize, bool, Option<Choice>);

fn search(process: &mut Process, names: &Names, question: &Question<'_>) -> (Option<Point>, Sight) {
    let errors = Cell::new(0);
    let states = Cell::new(0);
    let judge = |process: &mut Process, sight: &Sight, wrong: &Wrong| {
        let is_error = judge::counts(wrong, question.asked)
            && match wrong {
                Wrong::Race { word } => race::is_race(process, names, sight, *word),
                _ => true,
            };
        match wrong {
            Wrong::Race { .. } => states.set(states.get() + u64::from(is_error)),
            _ => errors.set(errors.get() + u64::from(is_error)),
        }
        false
    };
    let mut space = Space::new(process, question.sight.clone(), false, judge);
    let most = Work::most(question);
    let mut allowed = most;
    let found = loop {
        space.begin_round();
        let before = Work::of(&space);
        let mut asker = Asker {
            errors: &errors,
            states: &states,
            properties: question.properties,
            limit: question.limit,
            most: before.and(allowed),
            part: most.part(),
            grown: false,
            unclear: !question.properties.is_fixed(),
        };
        let found = backwards(&mut space, question, &mut asker);
        allowed = allowed.without(Work::of(&space).without(before));
        if !asker.grown || allowed.is_spent() || question.limit.is_over() {
            break found
                .map(|(at, exact, choice)| (at, exact && !asker.unclear && !asker.grown, choice));
        }
    };
    space.jump_to_start();
    space.begin_round();
    let sight = space.sight().clone();
    (found, sight)
}

/// Goes through the states of a path, the last one first.
fn backwards(
    space: &mut Space<'_>,
    question: &Question<'_>,
    asker: &mut Asker<'_>,
) -> Option<Point> {
    let states = states(space, question);
    let mut avoidance = Avoidance::default();
    let (mut exact, mut stride, mut at) = (true, 1, states.len() - 1);
    loop {
        let fate = avoidance.fate(space, states[at], &mut |space| asker.look(space));
        match fate {
            Fate::Avoidable(run) => {
                let choice =
                    run.first().copied().or_else(|| ending_well(space, states[at], question));
                return choice.map(|choice| (at, exact, Some(choice)));
            }
            Fate::Doomed if at == 0 => return Some((0, true, None)),
            Fate::Doomed => at -= 1,
            Fate::Unknown if at == 0 => return None,
            Fate::Unknown => {
                // Further and further from the end, with little effort each.
                exact = false;
                asker.most = Work::of(space).and(asker.part);
                at = at.saturating_sub(stride);
                stride *= 2;
            }
        }
    }
}

/// The states of the path, as they were reached.
fn states(space: &mut Space<'_>, question: &Question<'_>) -> Vec<StateId> {
    let grown = space.replace_sight(question.sight.clone());
    let mut states = vec![space.state()];
    let ends = usize::from(matches!(question.error, Wrong::Move(_)));
    for &choice in &question.path[..question.path.len() - ends] {
        space.forward(choice);
        states.push(space.state());
    }
    space.replace_sight(grown);
    states
}

/// A move from a state that ends the program without an error.
fn ending_well(space: &mut Space<'_>, state: StateId, question: &Question<'_>) -> Option<Choice> {
    space.jump(state);
    let sight = space.sight().clone();
    let process = space.process();
    let mark = process.mark();
    for thread in walk::movers(process) {
        let choice = Choice { thread, alternative: 0 };
        let ending = walk::make(process, &sight, choice);
        process.undo_to(&mark);
        if let Some(ending) = ending
            && !matches!(ending, Ending::Done | Ending::Blocked)
            && !judge::counts(&Wrong::Move(ending), question.asked)
        {
            return Some(choice);
        }
    }
    None
}

/// What it takes to find out, in numbers that are the same every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Work {
    moves: u64,
    instructions: u64,
}

impl Work {
    /// All that may be done for a question.
    fn most(question: &Question<'_>) -> Work {
        let threads = question.path.iter().map(|choice| u64::from(choice.thread.0) + 1);
        let weight = 1 + threads.max().unwrap_or(0) / MANY_THREADS;
        Work { moves: MOVES_MAX / weight, instructions: INSTRUCTIONS_MAX / weight }
    }

    fn part(self) -> Work {
        Work { moves: self.moves / PART, instructions: self.instructions / PART }
    }

    /// What was done in a space so far.
    fn of(space: &Space<'_>) -> Work {
        let (moves, instructions) = space.work();
        Work { moves, instructions }
    }

    fn and(self, more: Work) -> Work {
        let (moves, instructions) =
            (self.moves + more.moves, self.instructions + more.instructions);
        Work { moves, instructions }
    }

    fn without(self, less: Work) -> Work {
        let moves = self.moves.saturating_sub(less.moves);
        Work { moves, instructions: self.instructions.saturating_sub(less.instructions) }
    }

    fn is_spent(self) -> bool {
        self.moves == 0 || self.instructions == 0
    }
}

/// Looks at states, and keeps count of what it costs.
struct Asker<'a> {
    /// Moves that were found to be errors.
    errors: &'a Cell<u64>,
    /// States that were.
    states: &'a Cell<u64>,
    properties: &'a Properties,
    limit: &'a Limit,
    /// All that may be done from the beginning on.
    most: Work,
    /// What may be done for each further state once that is spent.
    part: Work,
    /// More operations turned out to be visible.
    grown: bool,
    /// Something could not be looked at.
    unclear: bool,
}

impl Asker<'_> {
    fn look(&mut self, space: &mut Space<'_>) -> Look {
        if self.properties.check(space.process()).is_some() {
            return Look::Wrong;
        }
        loop {
            if self.most.without(Work::of(space)).is_spent() || self.limit.is_over() {
                return Look::TooMuch;
            }
            let (errors, states) = (self.errors.get(), self.states.get());
            let ends = space.stats.terminal;
            space.forget_harmless();
            match space.expand() {
                Expansion::Anew => self.grown = true,
                Expansion::Wrong(..) | Expansion::Unsupported(..) => {
                    self.unclear = true;
                    return Look::Wrong;
                }
                Expansion::Successors if states < self.states.get() => return Look::Wrong,
                Expansion::Successors => {
                    let wrong = self.errors.get() - errors;
                    let well = wrong < space.stats.terminal - ends;
                    return if well { Look::Well } else { Look::Open };
                }
            }
        }
    }
}

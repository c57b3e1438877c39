//! Making the moves of a plan again, to hear what the program says about them.
//!
//! Actions are what the program marks. A program that marks none has its moves told: by the
//! function that is called after a choice, or else by the operation as trails tell it.

use super::called;
use super::steps::{PlanStep, Scene};
use super::target::Target;
use crate::explore::choice::Choice;
use crate::explore::moves::{self, Ending, Sight};
use crate::trail::{Names, describe};
use samovar_runtime::{Mark, Process};
use samovar_vm::machine::ThreadId;

/// A plan that was executed.
#[derive(Debug, Default)]
pub struct Told {
    /// Its actions.
    pub steps: Vec<PlanStep>,
    /// What there is to see.
    pub scene: Scene,
    /// Whether the goal holds at the end.
    pub reached: bool,
}

/// Makes the moves of a path; the process stays where they lead. The journal must be on.
pub fn tell(
    process: &mut Process,
    sight: &Sight,
    path: &[Choice],
    (target, before): (&Target, &[Mark]),
) -> Told {
    let mut names = Names::of(process);
    let mut told = Told::default();
    before.iter().for_each(|mark| told.scene.take(0, mark));
    let start = process.mark();
    let mut is_complete = true;
    for (index, &choice) in path.iter().enumerate() {
        let mark = process.mark();
        let (made, marks) = moves::execute_listening(process, &mark, choice, sight);
        is_complete = match made.ending {
            Ending::Done => true,
            Ending::Exited(_) => index + 1 == path.len(),
            _ => false,
        };
        hear(process, &names, choice.thread, &marks, &mut told);
        if !is_complete {
            break;
        }
    }
    told.reached = is_complete && target.is_reached(process);
    if told.steps.is_empty() && is_complete {
        process.undo_to(&start);
        told.steps = moves_as_steps(process, sight, path, &mut names);
        // The pieces move with the moves.
        told.scene.places.retain(|placed| placed.time == 0);
        process.undo_to(&start);
        replay_places(process, sight, path, &mut told.scene);
    }
    told
}

/// Takes in what a move said.
fn hear(process: &Process, names: &Names, thread: ThreadId, marks: &[Mark], told: &mut Told) {
    for mark in marks {
        if let Mark::Action { name, arguments } = mark {
            let done = told.steps.len();
            told.steps.push(PlanStep {
                step: done + 1,
                agent: agent(process, names, thread),
                action: name.clone(),
                arguments: arguments.clone(),
                start: done as u64,
                end: done as u64 + 1,
                location: None,
            });
        }
    }
    let time = told.steps.len() as u64;
    marks.iter().for_each(|mark| told.scene.take(time, mark));
}

/// What the program calls a thread, or what trails call it.
pub fn agent(process: &Process, names: &Names, thread: ThreadId) -> String {
    let known = process.threads().get(thread.0 as usize);
    let label = known.and_then(|known| known.label.as_deref());
    label.map_or_else(|| names.thread(thread), str::to_string)
}

/// Every move as a step; the process stays at their end.
fn moves_as_steps(
    process: &mut Process,
    sight: &Sight,
    path: &[Choice],
    names: &mut Names,
) -> Vec<PlanStep> {
    let start = process.mark();
    let called = called::functions(process, sight, path, names);
    process.undo_to(&start);
    let told = describe::tell(process, sight, path, names);
    let step = |(index, step): (usize, describe::Step)| {
        let function = called.get(index).cloned().flatten();
        PlanStep {
            step: index + 1,
            agent: step.thread,
            action: function.unwrap_or(step.operation),
            arguments: Vec::new(),
            start: index as u64,
            end: index as u64 + 1,
            location: step.location.short(),
        }
    };
    told.steps.into_iter().enumerate().map(step).collect()
}

/// Where pieces are after each move.
fn replay_places(process: &mut Process, sight: &Sight, path: &[Choice], scene: &mut Scene) {
    for (index, &choice) in path.iter().enumerate() {
        let mark = process.mark();
        let (_, marks) = moves::execute_listening(process, &mark, choice, sight);
        marks.iter().for_each(|mark| scene.take(index as u64 + 1, mark));
    }
}

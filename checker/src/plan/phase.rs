//! Planning as StEAM did it: a bounded breadth-first search over the steps of idle agents, with
//! time standing still; the state with the best evaluation gives its suggestions.
//!
//! Which states are looked at is cut down in three ways, each of which can be switched off: states
//! are visited once, only idle agents move, and only steps count that change a suggestion. States
//! are told apart by cells, by who is busy, and by their evaluation. Of several choices in one step
//! only the first one is varied.

use super::agents::{Course, Script, is_idle};
use super::interleave::Evaluation;
use crate::cli::Pruning;
use samovar_runtime::{Activity, Process};
use samovar_vm::machine::ThreadId;
use std::collections::{BTreeSet, VecDeque};

/// Alternatives of one step that are tried.
const ALTERNATIVES_MAX: u32 = 4096;

/// What tells states apart here.
type Features = (Vec<u64>, Vec<Activity>, i64);

/// The suggestions of the best state found; the states that were looked at.
pub fn search(
    process: &mut Process,
    evaluation: &Evaluation,
    states_max: u64,
    pruning: &[Pruning],
) -> (Vec<u64>, u64) {
    let start = process.mark();
    let empty: Vec<_> = process.suggestions().to_vec();
    for cell in empty.iter().filter(|cell| is_idle(process, cell)).collect::<Vec<_>>() {
        process.set_cell(cell.addr, cell.len, cell.empty);
    }
    let root = process.mark();
    let mut best = (evaluation.value(process), cells(process));
    let mut visited = BTreeSet::from([features(process, evaluation)]);
    let mut queue = VecDeque::from([Script::default()]);
    let mut states = 1;
    while let Some(script) = queue.pop_front() {
        let mut course = follow(process, &script);
        let here = process.mark();
        let before = cells(process);
        for thread in movers(process, pruning) {
            let mut alternative = 0;
            while alternative < ALTERNATIVES_MAX && states < states_max {
                let (rounds, time) = (course.script.rounds.len(), course.time);
                let one = Script {
                    steps: vec![(thread, 1)],
                    choices: vec![alternative],
                    rounds: vec![1],
                };
                let over = course.again(process, &one, 0);
                let chosen = course.script.choices.get(script.choices.len()).copied();
                let made = course.script.clone();
                states += 1;
                let changes = before != cells(process) || !pruning.contains(&Pruning::Suggestions);
                let is_new = visited.insert(features(process, evaluation))
                    || !pruning.contains(&Pruning::Visited);
                if over.is_none() && changes && is_new {
                    let value = evaluation.value(process);
                    if best.0 < value {
                        best = (value, cells(process));
                    }
                    queue.push_back(made);
                }
                process.undo_to(&here);
                course.script.truncate(rounds);
                course.time = time;
                // A number beyond the last alternative stands for that one.
                if chosen != Some(alternative) {
                    break;
                }
                alternative += 1;
            }
        }
        process.undo_to(&root);
        if states_max <= states {
            break;
        }
    }
    process.undo_to(&start);
    (best.1, states)
}

/// Makes the steps of a script.
fn follow(process: &mut Process, script: &Script) -> Course {
    let mut course = Course::default();
    for round in 0..script.rounds.len() {
        course.again(process, script, round);
    }
    course
}

/// Who may move.
fn movers(process: &Process, pruning: &[Pruning]) -> Vec<ThreadId> {
    let is_wanted = |thread: &ThreadId| {
        let known = &process.threads()[thread.0 as usize];
        !pruning.contains(&Pruning::Idle) || known.activity == Activity::Idle
    };
    process.runnable().filter(is_wanted).collect()
}

/// What is in the cells.
pub fn cells(process: &Process) -> Vec<u64> {
    let cells = process.suggestions().iter();
    cells.map(|cell| process.cell(cell.addr, cell.len).unwrap_or(cell.empty)).collect()
}

fn features(process: &Process, evaluation: &Evaluation) -> Features {
    let activities = process.threads().iter().map(|thread| thread.activity).collect();
    (cells(process), activities, evaluation.value(process))
}

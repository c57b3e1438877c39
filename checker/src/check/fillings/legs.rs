//! The same program several times, each with another filling of fresh memory, in lock-step.
//!
//! The first leg is the one that the others are compared with: a move must end in the same way,
//! write to the same places in the same order, and make the same output.

use super::Subject;
use crate::check::prefix::{self, Prefix};
use crate::check::setup::{self, InputFrom};
use crate::error::CommandError;
use crate::explore::choice::Choice;
use crate::explore::moves::{self, Ending, Move, Sight};
use crate::explore::trace::Trace;
use crate::run::limit::Limit;
use samovar_runtime::{Output, Process, ProcessMark};

/// See the module head.
#[derive(Debug)]
pub struct Legs {
    /// The processes, in the order of their fillings.
    pub processes: Vec<Process>,
}

/// The number of the leg that does something else than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differs(pub usize);

impl Legs {
    /// Loads a program once for each filling.
    pub fn load(subject: &Subject<'_>, fillings: &[u32]) -> Result<Legs, CommandError> {
        let process = |&filling: &u32| {
            let input = InputFrom::Saved(subject.stdin.clone());
            let loaded = setup::load(subject.program, subject.setting, input, Some(filling));
            loaded.map(|(process, _)| process)
        };
        Ok(Legs { processes: fillings.iter().map(process).collect::<Result<_, _>>()? })
    }

    /// Runs all legs up to the first thread or choice.
    pub fn run_prefix(&mut self, limit: &Limit) -> Result<Prefix, Differs> {
        let mut first: Option<(Prefix, Trace, Vec<Output>)> = None;
        for (leg, process) in self.processes.iter_mut().enumerate() {
            let mut trace = Trace::default();
            let prefix = prefix::run_recording(process, limit, &mut trace);
            let came_to = (prefix, trace, process.take_output());
            process.machine.memory.journal.set_on(true);
            match &first {
                None => first = Some(came_to),
                // Running out of time says nothing.
                Some((Prefix::Stopped(_), ..)) => {}
                Some(_) if matches!(came_to.0, Prefix::Stopped(_)) => first = Some(came_to),
                Some(first) if *first != came_to => return Err(Differs(leg)),
                Some(_) => {}
            }
        }
        Ok(first.expect("there is a leg").0)
    }

    /// Remembers where all legs stand.
    pub fn mark(&mut self) -> Vec<ProcessMark> {
        self.processes.iter_mut().map(Process::mark).collect()
    }

    /// Goes back.
    pub fn undo_to(&mut self, marks: &[ProcessMark]) {
        for (process, mark) in self.processes.iter_mut().zip(marks) {
            process.undo_to(mark);
        }
    }

    /// Makes a move in all legs, which stand at `marks`.
    pub fn make(
        &mut self,
        marks: &[ProcessMark],
        choice: Choice,
        sight: &Sight,
    ) -> Result<Move, Differs> {
        let mut first: Option<(Move, Trace, Vec<Output>)> = None;
        for (leg, (process, mark)) in self.processes.iter_mut().zip(marks).enumerate() {
            let mut trace = Trace::default();
            let made = moves::execute_recording(process, mark, choice, sight, &mut trace);
            let output = process.take_output();
            match &first {
                // Nobody knows how it would have ended, in this leg or in others.
                _ if matches!(made.ending, Ending::Cut(_)) => return Ok(made),
                None if made.ending == Ending::Diverges => return Ok(made),
                None => first = Some((made, trace, output)),
                Some((known, known_trace, known_output)) => {
                    let same = made.ending == known.ending
                        && made.alternatives == known.alternatives
                        && trace == *known_trace
                        && output == *known_output;
                    if !same {
                        return Err(Differs(leg));
                    }
                }
            }
        }
        Ok(first.expect("there is a leg").0)
    }
}

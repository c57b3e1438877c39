//! Parts of a recording: stretches of instructions of one thread, each with a state to go back to.

use super::approach::Approach;
use crate::explore::choice::Choice;
use samovar_runtime::ProcessMark;
use samovar_vm::machine::ThreadId;

/// What is executed in a part, and how that is known to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A piece of what the program does before its first thread.
    Opening,
    /// A choice of the trail; its number, from zero.
    Move(usize, Choice),
    /// What a thread still does at the end of the trail, before it waits for ever.
    Last(Choice),
    /// What a thread still does before its access in a data race.
    Approach(Approach),
    /// Time passes: a choice of the trail, unless there are no threads yet.
    Time(Option<usize>),
}

/// See the module head.
#[derive(Clone, Debug)]
pub struct Part {
    /// What is executed.
    pub kind: Kind,
    /// Who executes it; nobody if time passes.
    pub thread: Option<ThreadId>,
    /// Position of its first step.
    pub first: u64,
    /// Steps: instructions, or calls of what is modelled. At least one.
    pub steps: u64,
    /// Turns of the machine: the last step takes all that are left, so that a turn in which
    /// nothing visible happens is no step of its own.
    pub turns: u64,
    /// Whether the stack below the thread's frames is cleared at its end, as moves do.
    pub clears: bool,
    /// The state at its start.
    pub mark: ProcessMark,
}

impl Part {
    /// The position behind its last step.
    pub fn end(&self) -> u64 {
        self.first + self.steps
    }

    /// The number of the choice that it belongs to, counted from zero.
    pub fn choice(&self) -> Option<usize> {
        match self.kind {
            Kind::Move(number, _) => Some(number),
            Kind::Time(number) => number,
            _ => None,
        }
    }
}
